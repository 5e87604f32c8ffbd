//! The kernel AST: what a kernel computes, as a hash-consed graph of loads, operations, at most one reduction, and
//! stores.

use crate::constant::Constant;
use crate::dtype::DType;
use crate::shape::ShapeTracker;
use crate::symbolic::{Arena, NodeId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

mod check;
mod op;

pub use op::{AluOp, ReduceOp};

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
    /// Operands of different types.
    #[error("{op} takes operands of one type, not {first} and {other}")]
    OperandTypes {
        /// The operation.
        op: &'static str,
        /// Type of the first operand, of a `WHERE` the second.
        first: DType,
        /// Another operand's type.
        other: DType,
    },
    /// A reinterpretation as a type of another size, or to or from bool.
    #[error("the bits of {from} are none of {to}")]
    Bitcast {
        /// Type that is reinterpreted.
        from: DType,
        /// As what.
        to: DType,
    },
    /// A buffer or conversion whose type is no element's: a vector, a pointer, an image without pixels.
    #[error("{0} is no type of an element")]
    ElementType(DType),
    /// A value stored to a buffer of another type.
    #[error("{value} is stored to a buffer of {buffer}")]
    StoredType {
        /// Type of the value.
        value: DType,
        /// Type of the buffer.
        buffer: DType,
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
    ///
    /// # Errors
    /// Where the number or the types of the operands are not the operation's.
    pub fn alu(&mut self, op: AluOp, sources: &[AstId]) -> Result<AstId, AstError> {
        if sources.len() != op.arity() {
            return Err(AstError::Arity { op: op.name(), expected: op.arity(), found: sources.len() });
        }
        self.check_operands(op, sources)?;
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
