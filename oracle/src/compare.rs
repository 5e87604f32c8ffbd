//! Whether what the interpreter got is what the reference allows.
