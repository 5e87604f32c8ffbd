//! The whole path: a case, lowered, judged by every judge that is asked by default.
#![no_main]

plumb_fuzz::fuzz!(KERNEL, cases);
