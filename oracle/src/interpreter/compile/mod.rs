//! Compiles a well-formed list to a [`Program`].
//!
//! Each component of a uop's value becomes a register; afterwards registers are shared among values that do not live at
//! the same time. Values that may be undefined carry a second register, the *mark*: 0, or 1 + the number of the uop
//! that made them undefined. Marks exist only where something can be undefined at all, so that they cost nothing in
//! nearly all kernels.

mod access;
mod allocate;
mod flow;
mod value;

use super::fault::Faults;
use super::interval::Facts;
use super::lanes::{Bank, Literal, NONE, Register};
use super::program::{Code, Op, Program, Spread};
use super::scope::Scopes;
use super::{RunError, convert, spread};
use crate::FindingKind;
use plumb_core::constant::Constant;
use plumb_core::dtype::{DType, Scalar};
use plumb_core::uop::{Uop, UopArg, UopKind, UopList};
use smallvec::SmallVec;

/// A component of a value: its register, and that of its mark (or [`NONE`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Component {
    register: Register,
    mark: Register,
}

type Value = SmallVec<[Component; 4]>;

/// What to compile, and what is known about it.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    /// The list; its structure and types have been checked.
    pub(super) list: &'a UopList,
    /// Its structure.
    pub(super) scopes: &'a Scopes,
    /// Bounds of its integers.
    pub(super) facts: &'a Facts,
    /// Loops to spread over lanes.
    pub(super) spread: &'a [Spread],
    /// Values of the symbolic variables.
    pub(super) variable: &'a dyn Fn(&str) -> Option<i64>,
    /// Elements of the argument of a number, where it is no image.
    pub(super) size: &'a dyn Fn(u32) -> Option<i64>,
}

/// Where undefined values can get to beyond arithmetic: found while compiling, and then compiled again.
#[derive(Clone, Debug, Default, PartialEq)]
struct Marked {
    accumulators: Vec<u32>,
    memories: Vec<u32>,
}

/// The state of compilation.
struct Compiler<'a> {
    source: Source<'a>,
    uniform: Vec<bool>,
    program: Program,
    /// Bank of each register.
    banks: Vec<Bank>,
    values: Vec<Value>,
    /// For each memory definition its number.
    memory_numbers: Vec<u32>,
    /// Lanes that are active, or [`NONE`]: all.
    mask: Register,
    /// The uop being compiled.
    uop: u32,
    open: Vec<flow::Open>,
    /// For each uop: the accumulation into which it is fused, compiled with the PHI.
    fused: Vec<bool>,
    marked: Marked,
    found: Marked,
    /// How often the current uop runs for each lane.
    trips: u64,
    /// Whether an operation has looked at the addresses of the current access.
    looked_at: bool,
}

/// Compiles a list. What is malformed beyond structure and types goes to `faults`.
pub(super) fn compile(source: Source<'_>, faults: &mut Faults) -> Result<Program, RunError> {
    let uniform = spread::uniform(source.list, source.spread);
    let mut marked = Marked::default();
    loop {
        let mut compiler = Compiler {
            source,
            uniform: uniform.clone(),
            program: Program { spread: source.spread.to_vec(), ..Program::default() },
            banks: Vec::new(),
            values: vec![Value::new(); source.list.uops.len()],
            memory_numbers: vec![u32::MAX; source.list.uops.len()],
            mask: NONE,
            uop: 0,
            open: Vec::new(),
            fused: flow::fusable(source, &uniform),
            marked: marked.clone(),
            found: Marked::default(),
            trips: 1,
            looked_at: false,
        };
        compiler.run(faults)?;
        if compiler.found == Marked::default() || !faults.is_empty() {
            let Compiler { mut program, banks, .. } = compiler;
            program.registers = allocate::allocate(&mut program, &banks);
            return Ok(program);
        }
        // What carries marks only grows, so that this ends; each round finds all that the marks known so far reach.
        marked.accumulators.extend(compiler.found.accumulators);
        marked.memories.extend(compiler.found.memories);
    }
}

impl Compiler<'_> {
    fn run(&mut self, faults: &mut Faults) -> Result<(), RunError> {
        let list = self.source.list;
        for (position, uop) in list.uops.iter().enumerate() {
            self.uop = position as u32;
            if !matches!(uop.kind, UopKind::Const | UopKind::DefineGlobal | UopKind::DefineVar | UopKind::DefineLocal) {
                self.program.cost = self.program.cost.saturating_add(self.trips);
            }
            let value = match uop.kind {
                UopKind::DefineGlobal | UopKind::DefineLocal => self.define_memory(uop)?,
                UopKind::DefineVar => self.variable(uop)?,
                UopKind::Const => match uop.arg {
                    UopArg::Const(value) => self.constant(value, uop.dtype),
                    _ => Value::new(),
                },
                UopKind::DefineAcc => self.define_accumulator(uop),
                UopKind::Special => self.special(uop),
                UopKind::Gep => self.gep(uop),
                UopKind::Cast => self.cast(uop),
                UopKind::Bitcast => self.bitcast(uop),
                UopKind::Alu if self.fused[position] => Value::new(),
                UopKind::Alu => self.alu(uop)?,
                UopKind::Wmma => self.matrix(uop)?,
                UopKind::Load => self.load(uop),
                UopKind::Store => self.store(uop),
                UopKind::Phi => match self.phi(uop) {
                    Ok(value) => value,
                    Err(what) => {
                        faults.add(list, self.uop, FindingKind::Malformed, what);
                        return Ok(());
                    }
                },
                UopKind::Barrier => {
                    self.emit(Code::Barrier, Bank::Word, NONE, [NONE, NONE, self.mask], 0);
                    Value::new()
                }
                UopKind::If => self.begin_if(uop),
                UopKind::Range => self.begin_range(uop),
                UopKind::EndIf | UopKind::EndRange => self.end_scope(),
                UopKind::Sink | UopKind::Noop | UopKind::Unmul => Value::new(),
            };
            self.values[position] = value;
        }
        Ok(())
    }

    fn emit(&mut self, code: Code, bank: Bank, d: Register, [a, b, c]: [Register; 3], extra: u32) {
        self.program.ops.push(Op { code, bank, d, a, b, c, extra, uop: self.uop });
    }

    fn register(&mut self, bank: Bank) -> Register {
        self.banks.push(bank);
        self.banks.len() as Register - 1
    }

    /// An operation with a new register for its result.
    fn make(&mut self, code: Code, bank: Bank, result: Bank, operands: [Register; 3], extra: u32) -> Register {
        let d = self.register(result);
        self.emit(code, bank, d, operands, extra);
        d
    }

    fn literal(&mut self, literal: Literal) -> Register {
        let bank = match literal {
            Literal::Word(_) => Bank::Word,
            Literal::Long(_) => Bank::Long,
            Literal::Single(_) => Bank::Single,
            Literal::Double(_) => Bank::Double,
        };
        let d = self.register(bank);
        self.fill(d, bank, literal);
        d
    }

    fn fill(&mut self, d: Register, bank: Bank, literal: Literal) {
        self.program.literals.push(literal);
        let extra = self.program.literals.len() as u32 - 1;
        self.emit(Code::Fill, bank, d, [NONE; 3], extra);
    }

    fn constant(&mut self, value: Constant, dtype: Option<DType>) -> Value {
        let Some(dtype) = dtype else { return Value::new() };
        let register = self.literal(convert::literal(value, dtype.scalar()));
        SmallVec::from_elem(Component { register, mark: NONE }, usize::from(dtype.lanes()))
    }

    fn variable(&mut self, uop: &Uop) -> Result<Value, RunError> {
        let UopArg::Var { name, .. } = &uop.arg else { return Ok(Value::new()) };
        let value = (self.source.variable)(name)
            .and_then(|value| i32::try_from(value).ok())
            .ok_or_else(|| RunError::Unsupported(format!("no value for variable {name}")))?;
        Ok(SmallVec::from_elem(Component { register: self.literal(Literal::Word(value)), mark: NONE }, 1))
    }

    /// The value of a source.
    fn value(&self, uop: &Uop, n: usize) -> Value {
        uop.sources.get(n).and_then(|id| self.values.get(id.index())).cloned().unwrap_or_default()
    }

    /// The type of a source's elements.
    fn scalar(&self, uop: &Uop, n: usize) -> Scalar {
        let dtype = uop.sources.get(n).and_then(|id| self.source.list.uops.get(id.index())).and_then(|uop| uop.dtype);
        dtype.map_or(Scalar::I32, DType::scalar)
    }

    /// Both masks: lanes in which both are set.
    fn both(&mut self, a: Register, b: Register) -> Register {
        match (a, b) {
            (NONE, other) | (other, NONE) => other,
            _ => self.make(Code::Int(super::program::IntOp::And), Bank::Word, Bank::Word, [a, b, NONE], 0),
        }
    }

    /// The first mark that is set.
    fn either(&mut self, a: Register, b: Register) -> Register {
        match (a, b) {
            (NONE, other) | (other, NONE) => other,
            _ if a == b => a,
            _ => self.make(Code::Either, Bank::Word, Bank::Word, [a, b, NONE], 0),
        }
    }
}
