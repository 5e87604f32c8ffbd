//! The reader of kernel logs: no panic, and kernels are printed and read back as cases.
#![no_main]

plumb_fuzz::fuzz!(TINYGRAD_LOG);
