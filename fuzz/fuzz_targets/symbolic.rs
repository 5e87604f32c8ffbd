//! Index expressions against enumeration.
#![no_main]

plumb_fuzz::fuzz!(SYMBOLIC);
