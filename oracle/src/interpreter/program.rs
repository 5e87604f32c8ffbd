//! The compiled form of a uop list: one flat list of operations on registers, each over all lanes of a batch.

use super::lanes::{Bank, Literal, NONE, Register};
use plumb_core::dtype::{Image, Scalar};

/// A binary operation on integers; results wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum IntOp {
    Add,
    Sub,
    Mul,
    /// Truncating; 0 where the divisor is 0.
    Div,
    DivUnsigned,
    /// With the sign of the dividend; 0 where the divisor is 0.
    Mod,
    ModUnsigned,
    Max,
    MaxUnsigned,
    Xor,
    And,
    Or,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Comparison {
    Less,
    LessUnsigned,
    Equal,
}

/// A binary operation on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    /// IEEE 754-2019 `maximum`: a NaN wins, and `+0` over `-0`, so that the order of a reduction does not matter.
    Max,
}

/// A unary operation on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Function {
    Neg,
    Sqrt,
    Exp2,
    Log2,
    Sin,
}

/// What an operation does. `d` is its result, `a`, `b`, `c` its operands, `extra` a number or an entry of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    /// `d = literals[extra]`.
    Fill,
    /// `d = a`.
    Copy,
    /// `d = a ? b : c`, `a` a word.
    Select,
    /// `d = a ? b : d`, `a` a word.
    Blend,
    /// `d` wrapped or rounded to the type, in place.
    Narrow(Scalar),
    /// `d = a op b`.
    Int(IntOp),
    /// `d = a / divisors[extra]` (`true`: the remainder), of words.
    DivideBy(bool),
    /// `d = -a`.
    IntNeg,
    /// `d = a op b`, `d` a word.
    Compare(Comparison),
    /// `d = a op b`.
    Float(FloatOp),
    /// `d = f(a)`, rounded to the type.
    Function(Function, Scalar),
    /// `d = d op a` on integers.
    IntInto(IntOp),
    /// `d = d op a` on floats.
    FloatInto(FloatOp),
    /// Value conversion.
    Cast { from: Scalar, to: Scalar },
    /// The same bits.
    Bitcast { from: Scalar, to: Scalar },
    /// `d` = integer `a` of the type as a word, the nearest bound where it is beyond.
    Saturate(Scalar),
    /// Origins of undefinedness: `d = a != 0 ? a : b`.
    Either,
    /// `d` = this uop's mark where float `a` does not fit in `to`, otherwise 0.
    MarkUnfit { from: Scalar, to: Scalar },
    /// `d` = this uop's mark where integer `a` (of the operation's bank) is 0, otherwise 0.
    MarkZero,
    /// `d` = this uop's mark where `a op b` (none for a negation) leaves the type's range, otherwise 0.
    MarkOverflow(Option<IntOp>, Scalar),
    /// A finding where mark `a` is set and mask `c` (none: everywhere) is too.
    Refuse,
    /// `d` = first element of the pixel in column `a`, row `b` of image `memories[extra]`, -4 outside.
    Pixel,
    /// A finding where `a` is not within the memory of `accesses[extra]`, under mask `c`.
    Check,
    /// `d` = element `a` of the memory of `accesses[extra]`, under mask `c`; elsewhere `b` (none: anything).
    Load,
    /// Element `a` of the memory of `accesses[extra]` becomes `b`, under mask `c`.
    Store,
    /// `d` = the launch index `indices[extra]`.
    Index,
    /// A loop the same for all lanes: `d` from `a` to below `b`; `loops[extra]`.
    LoopBegin,
    /// Its end.
    LoopEnd,
    /// To `targets[extra]` where no lane of mask `a` is set.
    SkipUnless,
    /// To `targets[extra]`, back to the head of a loop of which each lane has its own count.
    Repeat,
    /// `d = d + 1`.
    Increment,
    /// All lanes of a workgroup, under mask `c`.
    Barrier,
    /// The matrix instruction `matrices[extra]`, under mask `c`.
    Matrix,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    /// What it does.
    pub(super) code: Code,
    /// The bank of its values, where the code does not say it.
    pub(super) bank: Bank,
    /// Result.
    pub(super) d: Register,
    /// First operand.
    pub(super) a: Register,
    /// Second operand.
    pub(super) b: Register,
    /// Third operand, often a mask.
    pub(super) c: Register,
    /// See the code.
    pub(super) extra: u32,
    /// The uop it belongs to.
    pub(super) uop: u32,
}

/// What an operation does to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Reads it.
    Use,
    /// Overwrites all lanes.
    Define,
    /// Reads and changes it.
    Change,
}

impl Op {
    /// Calls `visit` for each register of the operation itself, with its bank and role.
    pub(super) fn registers(&mut self, visit: &mut dyn FnMut(&mut Register, Bank, Role)) {
        use Role::{Change, Define, Use};
        let bank = self.bank;
        let word = Bank::Word;
        let [d, a, b, c] = match self.code {
            Code::Fill => [Some((bank, Define)), None, None, None],
            Code::Copy | Code::IntNeg | Code::Function(..) => [Some((bank, Define)), Some((bank, Use)), None, None],
            Code::Select => [Some((bank, Define)), Some((word, Use)), Some((bank, Use)), Some((bank, Use))],
            Code::Blend => [Some((bank, Change)), Some((word, Use)), Some((bank, Use)), None],
            Code::Narrow(_) => [Some((bank, Change)), None, None, None],
            Code::Int(_) | Code::Float(_) => [Some((bank, Define)), Some((bank, Use)), Some((bank, Use)), None],
            Code::DivideBy(_) => [Some((word, Define)), Some((word, Use)), None, None],
            Code::Compare(_) | Code::MarkOverflow(..) => {
                [Some((word, Define)), Some((bank, Use)), Some((bank, Use)), None]
            }
            Code::IntInto(_) | Code::FloatInto(_) => [Some((bank, Change)), Some((bank, Use)), None, None],
            Code::Cast { from, to } | Code::Bitcast { from, to } => {
                [Some((Bank::of(to), Define)), Some((Bank::of(from), Use)), None, None]
            }
            Code::Saturate(from) | Code::MarkUnfit { from, .. } => {
                [Some((word, Define)), Some((Bank::of(from), Use)), None, None]
            }
            Code::Either | Code::Pixel => [Some((word, Define)), Some((word, Use)), Some((word, Use)), None],
            Code::MarkZero => [Some((word, Define)), Some((bank, Use)), None, None],
            Code::Refuse | Code::Check => [None, Some((word, Use)), None, Some((word, Use))],
            Code::Load => [Some((bank, Define)), Some((word, Use)), Some((bank, Use)), Some((word, Use))],
            Code::Store => [None, Some((word, Use)), Some((bank, Use)), Some((word, Use))],
            Code::Index => [Some((word, Define)), None, None, None],
            Code::LoopBegin => [Some((word, Define)), Some((word, Use)), Some((word, Use)), None],
            Code::LoopEnd => [Some((word, Change)), None, None, None],
            Code::SkipUnless => [None, Some((word, Use)), None, None],
            Code::Repeat => [None; 4],
            Code::Increment => [Some((word, Change)), None, None, None],
            Code::Barrier | Code::Matrix => [None, None, None, Some((word, Use))],
        };
        for (register, role) in [(&mut self.a, a), (&mut self.b, b), (&mut self.c, c), (&mut self.d, d)] {
            if let (Some((bank, role)), true) = (role, *register != NONE) {
                visit(register, bank, role);
            }
        }
    }
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// The kernel's argument of this number, which it does not write.
    Input(u32),
    /// The kernel's argument of this number, which it writes.
    Output(u32),
    /// Shared by a workgroup; this many elements.
    Local(u32),
    /// For each element of another memory, whether its value is undefined: the uop's mark.
    Marks(u32),
}

/// A buffer that the kernel uses.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Which kind.
    pub(super) space: Space,
    /// Type of its elements.
    pub(super) scalar: Scalar,
    /// Shape, where it is an image.
    pub(super) image: Option<Image>,
    /// Whether the kernel loads from it.
    pub(super) loaded: bool,
    /// The uop that defines it.
    pub(super) uop: u32,
}

/// How an operation uses a memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// Number of the memory.
    pub(super) memory: u32,
    /// Elements from the address to the one meant: the lane of a vector.
    pub(super) offset: u32,
    /// Elements of the whole access.
    pub(super) width: u32,
    /// Whether it writes.
    pub(super) write: bool,
    /// Whether its operation is the first of its uop that looks at the addresses.
    pub(super) begins: bool,
}

/// An index that a batch provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    /// The workgroup's coordinate in a launch dimension (0 to 2).
    Group(u32),
    /// The lane's coordinate in its workgroup (0 to 2).
    Lane(u32),
    /// The count of the loop of this number among those that are spread over lanes.
    Iteration(u32),
}

/// A loop of the list that is run as a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    /// The RANGE.
    pub(super) uop: u32,
    /// The operation after the loop.
    pub(super) exit: u32,
    /// The first operation of the body.
    pub(super) body: u32,
}

/// A loop of the list of which each lane has its own count.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneLoop {
    /// The RANGE.
    pub(super) uop: u32,
    /// First operation.
    pub(super) begin: u32,
    /// The operation after the loop.
    pub(super) end: u32,
    /// Register of the count.
    pub(super) count: Register,
}

/// A loop of the list, the iterations of which are spread over lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    /// The RANGE.
    pub(super) uop: u32,
    /// First count.
    pub(super) start: i64,
    /// Number of iterations.
    pub(super) count: i64,
}

/// Where the elements of a matrix instruction's matrices lie: the device family that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatrixLayout {
    /// 8×8×8, two elements a lane.
    Metal,
    /// 16×8×16, eight, four and four elements a lane.
    Cuda,
    /// 16×16×16, the upper half of a warp repeats A and B.
    Hip,
}

/// A matrix instruction.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    /// Layout of its operands.
    pub(super) layout: MatrixLayout,
    /// Type of C and D.
    pub(super) out: Scalar,
    /// Registers of A, B, C and D.
    pub(super) operands: [Vec<Register>; 4],
}

/// Divisor of a division by a positive constant, by a power of two or by multiplication (Granlund and Montgomery,
/// "Division by invariant integers using multiplication", 1994): `floor(n / d) = (n * factor) >> shift` for
/// `0 <= n < 2^31`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor {
    pub(super) value: i32,
    pub(super) factor: u64,
    pub(super) shift: u32,
}

impl Divisor {
    /// For a positive divisor.
    pub(super) fn new(value: i32) -> Divisor {
        let shift = 31 + (32 - (value - 1).max(0).leading_zeros());
        let factor = ((1u64 << shift) / value as u64) + 1;
        Divisor { value, factor, shift }
    }
}

/// A compiled list.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    pub(super) ops: Vec<Op>,
    pub(super) literals: Vec<Literal>,
    pub(super) divisors: Vec<Divisor>,
    pub(super) memories: Vec<Memory>,
    pub(super) accesses: Vec<Access>,
    pub(super) indices: Vec<Index>,
    pub(super) loops: Vec<Loop>,
    pub(super) targets: Vec<u32>,
    pub(super) matrices: Vec<Matrix>,
    /// Loops whose iterations are spread over lanes, outermost first.
    pub(super) spread: Vec<Spread>,
    /// Loops with a count for each lane.
    pub(super) lane_loops: Vec<LaneLoop>,
    /// Registers in each bank.
    pub(super) registers: [usize; 4],
    /// Uop executions that one lane needs, loops counted.
    pub(super) cost: u64,
    /// Elements that one lane loads from each memory.
    pub(super) loads: Vec<u64>,
}
