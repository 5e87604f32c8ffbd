//! Where cases come from: the case and its text, the reader of tinygrad's kernel logs, the generator.

pub mod case;
mod expression;
pub mod generate;
pub mod log;
mod scan;
pub mod source;
pub mod text;
