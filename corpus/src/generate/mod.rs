//! The generator of random cases: one grammar, driven by fuzzer bytes or by a seed.
//!
//! # What is promised of a generated case
//! -   It is valid: [`Case::check`] passes and [`Kernel::ast`](crate::case::Kernel::ast) builds, by construction; nothing
//!     is drawn and thrown away. It is lowered, unless it says that it is refused ([`Profile::illegal`]).
//! -   With inputs whose signed and float elements lie within ±[`LARGEST_INPUT`] and whose unsigned elements are at most
//!     [`LARGEST_UNSIGNED_INPUT`], nothing is computed that the C of a target leaves undefined: no signed integer
//!     overflows, no integer is divided by zero, no float is cast to an integer type that does not hold it.
//!     Without [`Profile::wraparound`] no unsigned integer wraps around either. (Whoever draws the inputs may go further,
//!     where its own analysis allows it.)
//! -   Where inputs are to be infinite or NaN ([`DataMode::Special`], only without a reduction), a float that may be either
//!     is never cast to an integer type nor are its bits looked at.
//! -   A float that was rounded on the way is neither compared nor cast to an integer type or bool.
//! -   Where a case draws no operation that rounds (most do not), all floats are whole numbers or eighths, and so small
//!     that sums of them are exact in any order.
//! -   The bits of a float are looked at only where it is not zero and nothing rounded it; the bits of an integer become
//!     a float only as one of eight values from 1 to 2.
//! -   An AST has at most one reduction, and its outputs have one shape.
//!
//! # How a case is drawn
//! First its target, then its plan (kind of kernel, axes, sizes), then what it may use at all, then its steps: layouts
//! are built backwards from the shape that is wanted, operations are put one on another with operands made for them,
//! and bounds on all values are carried along. At last come the optimisations, drawn one by one on `core`'s kernel, of
//! which those stay that it applies.

mod build;
mod chain;
mod choice;
mod convert;
mod describe;
mod index;
mod interval;
mod kernel;
mod leaves;
mod operations;
mod opts;
mod plan;
mod profile;
mod sizes;
mod swarm;
mod views;

pub use choice::{Bytes, Choice, Seeded};
pub use describe::{Features, describe};
pub use index::{IndexExpression, index_expression};
pub(crate) use opts::any_opt;
pub use profile::{Kinds, Plans, Profile};

use crate::case::{Case, Data, DataMode};
use plumb_core::target::Target;

/// Magnitude up to which inputs of signed and float types may go, for the promises above to hold.
pub const LARGEST_INPUT: u8 = 4;

/// Largest unsigned input for the promises above to hold.
pub const LARGEST_UNSIGNED_INPUT: u8 = 7;

/// Case number `number` of the sweep with `seed`: the same everywhere, and independent of the others.
pub fn case(seed: u64, number: u64) -> Case {
    let mut case = from_choices(&mut Seeded::new(seed, number), &Profile::sweep());
    case.comments.push(format!("generated: seed {seed}, case {number}"));
    case
}

/// A case from all of the fuzzer's bytes that are left. There are no bad bytes; none make the simplest case.
///
/// # Errors
/// None; [`arbitrary`] asks for a result.
pub fn from_bytes(input: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Case> {
    from_bytes_within(input, &Profile::fuzz())
}

/// As [`from_bytes`], within `profile`.
///
/// # Errors
/// None; [`arbitrary`] asks for a result.
pub fn from_bytes_within(input: &mut arbitrary::Unstructured<'_>, profile: &Profile) -> arbitrary::Result<Case> {
    let mut bytes = Bytes::all_of(input)?;
    Ok(from_choices(&mut bytes, profile))
}

/// The case that these choices make within `profile`.
pub fn from_choices(choice: &mut dyn Choice, profile: &Profile) -> Case {
    let target = if profile.targets.is_empty() { "clang" } else { choice.pick(&profile.targets) };
    let seed = u64::from(choice.detail(u32::MAX));
    let special = choice.chance(1, 4);
    let described = Target::named(target);
    let (kernel, special) = kernel::kernel(choice, profile, described.as_ref(), special);
    let mode = if special { DataMode::Special } else { DataMode::Auto };
    let (opts, expect) = opts::plan(choice, profile, &kernel, described);
    Case { comments: Vec::new(), target: target.to_owned(), kernel, opts, data: Data { mode, seed }, expect }
}
