//! What is under test: a faithful implementation of tinygrad 0.9.0's linearizer.
//!
//! A kernel AST ([`ast`]) and a [`target`] make a [`kernel::Kernel`]; optimisations transform its state; lowering
//! ([`linearize`]) turns it into a list of micro-operations ([`uop`]), of which [`render`] makes source code and [`program`] the record
//! that a runtime needs. Index arithmetic lives in [`symbolic`], views of
//! buffers in [`shape`]. Every rewrite rule, legality check and lowering step is a named value of [`rule`].
//!
//! The crate does no IO, starts no threads, keeps no global state and holds no unsafe code. Lowering never panics:
//! what it can't lower is a typed error.

pub mod ast;
pub mod constant;
pub mod differences;
pub mod dtype;
pub mod kernel;
pub mod linearize;
pub mod program;
pub mod render;
pub mod rule;
pub mod shape;
pub mod symbolic;
pub mod target;
pub mod uop;
