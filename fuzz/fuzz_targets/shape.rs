//! Views against their movements in numbers.
#![no_main]

plumb_fuzz::fuzz!(SHAPE, cases);
