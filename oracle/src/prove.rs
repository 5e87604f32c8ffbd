//! Proofs with Z3.
