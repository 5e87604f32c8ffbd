//! What the fuzz targets share: a target is a function from bytes to an answer, whoever makes the bytes.
//!
//! The files of `fuzz_targets/` hand these functions to libFuzzer; the tests of this crate call them without it.

pub mod case;
pub mod finding;
pub mod target;

pub use target::Target;

/// The entry point of one target, and the mutator of its inputs where these are cases.
///
/// `fuzz!(KERNEL, cases)`: the inputs are cases, to be changed as such. `fuzz!(SYMBOLIC)`: they are bytes.
#[macro_export]
macro_rules! fuzz {
    ($target:ident) => {
        libfuzzer_sys::fuzz_target!(|data: &[u8]| -> libfuzzer_sys::Corpus {
            match $crate::target::$target.run(data) {
                true => libfuzzer_sys::Corpus::Keep,
                false => libfuzzer_sys::Corpus::Reject,
            }
        });
    };
    ($target:ident, cases) => {
        $crate::fuzz!($target);
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            match $crate::case::mutate(&data[..size], max_size, seed) {
                Some(text) => {
                    data[..text.len()].copy_from_slice(&text);
                    text.len()
                }
                None => libfuzzer_sys::fuzzer_mutate(data, size, max_size),
            }
        });
        libfuzzer_sys::fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
            match $crate::case::splice(data1, data2, out.len(), seed) {
                Some(text) => {
                    out[..text.len()].copy_from_slice(&text);
                    text.len()
                }
                None => 0,
            }
        });
    };
}
