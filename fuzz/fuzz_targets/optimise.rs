//! The state of a kernel under optimisations.
#![no_main]

plumb_fuzz::fuzz!(OPTIMISE, cases);
