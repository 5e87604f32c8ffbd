//! Rewriting of uops against the interpreter.
#![no_main]

plumb_fuzz::fuzz!(UOPS, cases);
