//! Where cases come from: the case and its text, the reader of tinygrad's kernel logs, the generator and the
//! mutator.

pub mod case;
mod expression;
pub mod generate;
pub mod log;
pub mod mutate;
pub mod round_trip;
mod scan;
pub mod source;
pub mod text;
