//! The kernel AST: what a kernel computes, as a hash-consed graph of loads, operations, at most one reduction, and
//! stores.

use crate::constant::Constant;
use crate::dtype::DType;
use crate::shape::ShapeTracker;
use crate::symbolic::{Arena, NodeId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
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

/// A node of an [`Ast`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AstId(pub u32);

/// A buffer or constant as one place of the AST sees it: contents and view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferId(pub u32);

/// A constant of the AST: a value, or a variable of a symbolic shape used as a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A fixed value.
    Constant(Constant),
    /// The value that the variable is bound to when the kernel runs.
    Variable(NodeId),
}

/// Where a buffer's elements come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Memory: the kernel's argument number `.0`.
    Memory(u32),
    /// The same value everywhere (under a mask: zero outside it).
    Constant(Value),
}

/// Contents, type and view. Equal buffers of an AST are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// Where the elements come from.
    pub source: Source,
    /// Type of an element, or an image. Never a pointer or vector.
    pub dtype: DType,
    /// Which element stands where. Symbolic parts are nodes of [`Ast::symbols`].
    pub view: ShapeTracker,
}

/// What a node does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AstOp {
    /// Elements of memory.
    Load(BufferId),
    /// A constant.
    Constant(BufferId),
    /// Writes its one source to memory; the root of an output.
    Store(BufferId),
    /// Arithmetic on its sources, element by element.
    Alu(AluOp),
    /// Conversion by value.
    Cast(DType),
    /// Reinterpretation of the bits, of the same size.
    Bitcast(DType),
    /// Reduction of its one source over these axes, each kept with size 1.
    Reduce(ReduceOp, SmallVec<[u8; 4]>),
}

/// One node: operation, sources, type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AstNode {
    /// What it does.
    pub op: AstOp,
    /// What it works on; sources have smaller numbers.
    pub sources: SmallVec<[AstId; 3]>,
    /// Type of the result (a store: of what is stored to).
    pub dtype: DType,
}

/// Why an AST can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AstError {
    /// A wrong number of sources.
    #[error("{op} takes {expected} operands, not {found}")]
    Arity {
        /// The operation.
        op: &'static str,
        /// Operands it takes.
        expected: usize,
        /// Operands given.
        found: usize,
    },
    /// The selector of a `WHERE` is no bool, or a float operation got an integer, and the like.
    #[error("{op} can't take {dtype}")]
    OperandType {
        /// The operation.
        op: &'static str,
        /// What it got.
        dtype: DType,
    },
}

/// A kernel: an arena of nodes, each standing after its sources, and the stores that are its outputs.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// Nodes of the symbolic parts of shapes, strides, masks and constants.
    pub symbols: Arena,
    buffers: Vec<Buffer>,
    buffer_ids: FxHashMap<Buffer, BufferId>,
    nodes: Vec<AstNode>,
    node_ids: FxHashMap<AstNode, AstId>,
    outputs: Vec<AstId>,
}

impl Ast {
    /// An AST without nodes.
    pub fn new() -> Ast {
        Ast::default()
    }

    /// The node's operation, sources and type.
    pub fn node(&self, id: AstId) -> &AstNode {
        &self.nodes[id.0 as usize]
    }

    /// All nodes; the node of id `i` is at `i`.
    pub fn nodes(&self) -> &[AstNode] {
        &self.nodes
    }

    /// A buffer.
    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }

    /// All buffers; the buffer of id `i` is at `i`.
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// The stores, in order.
    pub fn outputs(&self) -> &[AstId] {
        &self.outputs
    }

    /// Enters a buffer, or finds the equal one.
    pub fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        if let Some(&id) = self.buffer_ids.get(&buffer) {
            return id;
        }
        let id = BufferId(self.buffers.len() as u32);
        self.buffers.push(buffer.clone());
        self.buffer_ids.insert(buffer, id);
        id
    }

    fn add(&mut self, op: AstOp, sources: SmallVec<[AstId; 3]>, dtype: DType) -> AstId {
        let node = AstNode { op, sources, dtype };
        if let Some(&id) = self.node_ids.get(&node) {
            return id;
        }
        let id = AstId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.node_ids.insert(node, id);
        id
    }

    /// A load of a memory buffer or a constant, by the buffer's source.
    pub fn load(&mut self, buffer: Buffer) -> AstId {
        let dtype = buffer.dtype;
        let constant = matches!(buffer.source, Source::Constant(_));
        let id = self.add_buffer(buffer);
        let op = if constant { AstOp::Constant(id) } else { AstOp::Load(id) };
        self.add(op, SmallVec::new(), dtype)
    }

    /// Arithmetic. The result has the type of the last operand, a comparison's is bool (as in 0.9.0).
    pub fn alu(&mut self, op: AluOp, sources: &[AstId]) -> Result<AstId, AstError> {
        if sources.len() != op.arity() {
            return Err(AstError::Arity { op: op.name(), expected: op.arity(), found: sources.len() });
        }
        let last = self.node(sources[sources.len() - 1]).dtype;
        let dtype = if op.is_comparison() { DType::BOOL } else { last };
        Ok(self.add(AstOp::Alu(op), sources.into(), dtype))
    }

    /// Conversion by value.
    pub fn cast(&mut self, source: AstId, dtype: DType) -> AstId {
        self.add(AstOp::Cast(dtype), SmallVec::from_slice(&[source]), dtype)
    }

    /// Reinterpretation of bits.
    pub fn bitcast(&mut self, source: AstId, dtype: DType) -> AstId {
        self.add(AstOp::Bitcast(dtype), SmallVec::from_slice(&[source]), dtype)
    }

    /// Reduction over `axes`.
    pub fn reduce(&mut self, op: ReduceOp, source: AstId, axes: &[u8]) -> AstId {
        let dtype = self.node(source).dtype;
        self.add(AstOp::Reduce(op, axes.into()), SmallVec::from_slice(&[source]), dtype)
    }

    /// Adds an output: stores `source` to `buffer`, which must be memory.
    pub fn store(&mut self, buffer: Buffer, source: AstId) -> AstId {
        let dtype = buffer.dtype;
        let id = self.add_buffer(buffer);
        let store = self.add(AstOp::Store(id), SmallVec::from_slice(&[source]), dtype);
        self.outputs.push(store);
        store
    }

    /// The nodes that `root` is made of, itself included, each once, in tinygrad's order: a node, then what its
    /// sources are made of, source by source, first occurrences only.
    pub fn descendants(&self, root: AstId) -> Vec<AstId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            order.push(id);
            stack.extend(self.node(id).sources.iter().rev());
        }
        order
    }

    /// Whether any buffer of the AST is an image.
    pub fn has_images(&self) -> bool {
        self.buffers.iter().any(|buffer| buffer.dtype.is_image())
    }
}

impl fmt::Display for AluOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
