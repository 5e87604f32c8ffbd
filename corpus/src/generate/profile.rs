//! What the generator may make, how large, and how often.

use plumb_core::dtype::Scalar;
use plumb_core::target;

/// What the generator may make, how large, and how often. Within a profile each case first draws which of the features
/// it may use, so that features also appear without the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Names of the targets; the first is the simplest.
    pub targets: Vec<&'static str>,
    /// Types of elements; the first is the simplest.
    pub scalars: Vec<Scalar>,
    /// Most axes of a kernel, at most 6 where `convolution` has a weight (others are left out where they don't fit).
    pub axes: usize,
    /// Most iterations of a kernel: elements of an output times elements reduced to one of them.
    pub work: i64,
    /// Most elements of a buffer, and of any shape between the movements of a layout.
    pub elements: i64,
    /// Most movements that are drawn for a layout (what a window or a constant needs comes on top).
    pub movements: u32,
    /// Most operations in a row before the reduction, and most after it.
    pub operations: u32,
    /// How deep the operands of those operations may nest.
    pub depth: u32,
    /// Most loads of a kernel (what a matrix product needs comes on top).
    pub loads: u32,
    /// Most outputs.
    pub outputs: u32,
    /// Most optimisations in a list.
    pub opts: u32,
    /// How often which kind of kernel.
    pub kinds: Kinds,
    /// How often which optimisations.
    pub plans: Plans,
    /// Of a thousand lists, how many keep what is refused, so that lowering must refuse the case: such a case expects
    /// [`Refused`](crate::case::Expect::Refused).
    pub illegal: u32,
    /// Raw views of any strides, offset and mask, besides chains of movements.
    pub raw_views: bool,
    /// Outputs that the kernel also reads, each element before it is written.
    pub assign: bool,
    /// Outputs whose elements do not stand in row-major order, or not densely.
    pub moved_stores: bool,
    /// Outputs of a kernel with a reduction that do not come from it (0.9.0's own front end makes none).
    pub independent_outputs: bool,
    /// Infinities, NaN and the negative zero among constants.
    pub special_constants: bool,
    /// Sums, differences and products of unsigned integers that wrap around (as C defines).
    pub wraparound: bool,
    /// Reductions over axes of size 1 (0.9.0's own front end makes none).
    pub unit_reductions: bool,
    /// Images instead of some buffers.
    pub images: bool,
    /// A symbolic variable as the size of an axis, as a bound or as a value.
    pub variables: bool,
}

/// How often which kind of kernel, in proportion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// No reduction.
    pub elementwise: u32,
    /// A reduction over any axes.
    pub reduction: u32,
    /// The sum of products of a matrix product or a product of a matrix and a vector, perhaps of several at once.
    pub product: u32,
    /// The sum of products of a convolution in one or two dimensions.
    pub convolution: u32,
    /// A reduction over windows that overlap: pooling, a running sum, and what a range of numbers is made of.
    pub window: u32,
}

/// How often which optimisations, in proportion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plans {
    /// [`OptPlan::Hand`](plumb_core::kernel::OptPlan::Hand).
    pub hand: u32,
    /// [`OptPlan::Required`](plumb_core::kernel::OptPlan::Required).
    pub required: u32,
    /// [`OptPlan::List`](plumb_core::kernel::OptPlan::List), of optimisations that apply.
    pub list: u32,
}

impl Profile {
    /// What a sweep tries: every feature that all judges know, small enough for thousands of cases in seconds.
    pub fn sweep() -> Profile {
        Profile {
            targets: target::NAMES.to_vec(),
            scalars: vec![
                Scalar::F32,
                Scalar::I32,
                Scalar::F16,
                Scalar::Bool,
                Scalar::U8,
                Scalar::I8,
                Scalar::U16,
                Scalar::I16,
                Scalar::U32,
                Scalar::I64,
                Scalar::U64,
                Scalar::BF16,
                Scalar::F64,
            ],
            axes: 6,
            work: 100_000,
            elements: 100_000,
            movements: 5,
            operations: 4,
            depth: 2,
            loads: 5,
            outputs: 3,
            opts: 7,
            kinds: Kinds { elementwise: 6, reduction: 8, product: 6, convolution: 2, window: 2 },
            plans: Plans { hand: 3, required: 1, list: 4 },
            illegal: 0,
            raw_views: true,
            assign: true,
            moved_stores: true,
            independent_outputs: true,
            special_constants: true,
            wraparound: true,
            unit_reductions: true,
            images: true,
            variables: true,
        }
    }

    /// What a fuzzer tries: as [`Profile::sweep`], but smaller, as its many cases must be quick.
    pub fn fuzz() -> Profile {
        Profile { work: 4096, elements: 8192, illegal: 20, ..Profile::sweep() }
    }

    /// What views are tried by: as [`Profile::fuzz`], but copies of one buffer, moved about, or of constants.
    pub fn layouts() -> Profile {
        Profile {
            scalars: vec![Scalar::F32],
            kinds: Kinds { elementwise: 1, reduction: 0, product: 0, convolution: 0, window: 0 },
            plans: Plans { hand: 0, required: 1, list: 0 },
            elements: 512,
            work: 512,
            movements: 8,
            operations: 0,
            loads: 2,
            outputs: 1,
            illegal: 0,
            images: false,
            ..Profile::fuzz()
        }
    }
}
