//! The reader of cases: no panic, and what is printed is read back.
#![no_main]

plumb_fuzz::fuzz!(CASE_TEXT);
