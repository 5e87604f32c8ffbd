//! Operations of the AST and of the uops.

use std::fmt;

/// An arithmetic operation, of the AST and of the uops alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AluOp {
    /// 2 to the power of x.
    Exp2,
    /// Logarithm to the base 2.
    Log2,
    /// Sine.
    Sin,
    /// Square root.
    Sqrt,
    /// Negation; of a bool: its complement.
    Neg,
    /// Sum; of bools: or.
    Add,
    /// Difference.
    Sub,
    /// Product; of bools: and.
    Mul,
    /// Quotient; of integers rounded towards zero.
    Div,
    /// The larger one.
    Max,
    /// Remainder with the sign of the dividend.
    Mod,
    /// Whether the first is smaller; the result is a bool.
    CmpLt,
    /// Whether both are equal; the result is a bool.
    CmpEq,
    /// Bitwise exclusive or.
    Xor,
    /// The second where the first is true, otherwise the third.
    Where,
    /// First times second plus third.
    MulAcc,
}

impl AluOp {
    /// All operations.
    pub const ALL: [AluOp; 16] = [
        AluOp::Exp2,
        AluOp::Log2,
        AluOp::Sin,
        AluOp::Sqrt,
        AluOp::Neg,
        AluOp::Add,
        AluOp::Sub,
        AluOp::Mul,
        AluOp::Div,
        AluOp::Max,
        AluOp::Mod,
        AluOp::CmpLt,
        AluOp::CmpEq,
        AluOp::Xor,
        AluOp::Where,
        AluOp::MulAcc,
    ];

    /// Number of operands.
    pub const fn arity(self) -> usize {
        match self {
            AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt | AluOp::Neg => 1,
            AluOp::Where | AluOp::MulAcc => 3,
            _ => 2,
        }
    }

    /// The name in the uop text (`CMPLT`, `EXP2`).
    pub const fn name(self) -> &'static str {
        match self {
            AluOp::Exp2 => "EXP2",
            AluOp::Log2 => "LOG2",
            AluOp::Sin => "SIN",
            AluOp::Sqrt => "SQRT",
            AluOp::Neg => "NEG",
            AluOp::Add => "ADD",
            AluOp::Sub => "SUB",
            AluOp::Mul => "MUL",
            AluOp::Div => "DIV",
            AluOp::Max => "MAX",
            AluOp::Mod => "MOD",
            AluOp::CmpLt => "CMPLT",
            AluOp::CmpEq => "CMPEQ",
            AluOp::Xor => "XOR",
            AluOp::Where => "WHERE",
            AluOp::MulAcc => "MULACC",
        }
    }

    /// The operation of this [name](AluOp::name).
    pub fn from_name(name: &str) -> Option<AluOp> {
        AluOp::ALL.into_iter().find(|op| op.name() == name)
    }

    /// Whether the result is a bool whatever the operands.
    pub const fn is_comparison(self) -> bool {
        matches!(self, AluOp::CmpLt | AluOp::CmpEq)
    }
}

/// How a reduction combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReduceOp {
    /// Sum, from zero.
    Sum,
    /// Maximum, from the least value of the type.
    Max,
}

impl ReduceOp {
    /// The operation that combines two partial results.
    pub const fn alu(self) -> AluOp {
        match self {
            ReduceOp::Sum => AluOp::Add,
            ReduceOp::Max => AluOp::Max,
        }
    }

    /// `SUM` or `MAX`.
    pub const fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "SUM",
            ReduceOp::Max => "MAX",
        }
    }
}

impl fmt::Display for AluOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
