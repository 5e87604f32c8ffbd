//! Arithmetic, conversions, vectors.

use super::super::RunError;
use super::super::convert::is_narrow;
use super::super::interval::Interval;
use super::super::lanes::{Bank, Literal, NONE, Register};
use super::super::program::{Code, Comparison, Divisor, FloatOp, Function, IntOp};
use super::flow::Place;
use super::{Compiler, Component, Value};
use plumb_core::ast::AluOp;
use plumb_core::dtype::{DType, Scalar};
use plumb_core::uop::{Uop, UopArg, UopKind};

impl Compiler<'_> {
    pub(super) fn gep(&mut self, uop: &Uop) -> Value {
        let UopArg::Lane(lane) = uop.arg else { return Value::new() };
        self.value(uop, 0).get(lane as usize).copied().into_iter().collect()
    }

    pub(super) fn cast(&mut self, uop: &Uop) -> Value {
        let to = uop.dtype.map_or(Scalar::I32, DType::scalar);
        let mut value = Value::new();
        for n in 0..uop.sources.len() {
            let from = self.scalar(uop, n);
            // What is no accumulator keeps its value, and needs no register of its own.
            let changes = uop.sources.get(n).is_none_or(|id| Place::of(self.source, id.0).is_some());
            for component in self.value(uop, n) {
                value.push(if from == to && !changes { component } else { self.convert(component, from, to) });
            }
        }
        value
    }

    /// A component converted by value, always in a register of its own: the source may be an accumulator, which changes.
    pub(super) fn convert(&mut self, component: Component, from: Scalar, to: Scalar) -> Component {
        let Component { register, mut mark } = component;
        if from == to {
            let copy = self.make(Code::Copy, Bank::of(to), Bank::of(to), [register, NONE, NONE], 0);
            return Component { register: copy, mark };
        }
        let cast = self.make(Code::Cast { from, to }, Bank::of(to), Bank::of(to), [register, NONE, NONE], 0);
        if from.is_float() && to.is_int() {
            let unfit = self.make(Code::MarkUnfit { from, to }, Bank::Word, Bank::Word, [register, NONE, NONE], 0);
            mark = self.either(mark, unfit);
        }
        Component { register: cast, mark }
    }

    pub(super) fn bitcast(&mut self, uop: &Uop) -> Value {
        let (from, to) = (self.scalar(uop, 0), uop.dtype.map_or(Scalar::I32, DType::scalar));
        let components = self.value(uop, 0);
        let code = Code::Bitcast { from, to };
        components
            .into_iter()
            .map(|Component { register, mark }| {
                let register = self.make(code, Bank::of(to), Bank::of(to), [register, NONE, NONE], 0);
                Component { register, mark }
            })
            .collect()
    }

    /// A condition, a gate: as a bool.
    pub(super) fn truth(&mut self, uop: &Uop, n: usize) -> Component {
        let from = self.scalar(uop, n);
        match self.value(uop, n).first() {
            Some(&component) if from == Scalar::Bool => component,
            Some(&component) => self.convert(component, from, Scalar::Bool),
            None => Component { register: NONE, mark: NONE },
        }
    }

    pub(super) fn alu(&mut self, uop: &Uop) -> Result<Value, RunError> {
        let UopArg::Alu(op) = uop.arg else { return Ok(Value::new()) };
        let operands: Vec<Value> = (0..uop.sources.len()).map(|n| self.value(uop, n)).collect();
        let lanes = usize::from(uop.dtype.map_or(1, DType::lanes));
        let scalar = self.scalar(uop, if op == AluOp::Where { 1 } else { 0 });
        let mut value = Value::new();
        for lane in 0..lanes {
            // The condition of a vector WHERE may be a scalar.
            let part = |operand: &Value| operand.get(lane).or(operand.first()).copied();
            let parts: Vec<Component> = operands.iter().filter_map(part).collect();
            value.push(self.alu_component(op, scalar, &parts, uop)?);
        }
        Ok(value)
    }

    fn alu_component(
        &mut self,
        op: AluOp,
        scalar: Scalar,
        parts: &[Component],
        uop: &Uop,
    ) -> Result<Component, RunError> {
        let bank = Bank::of(scalar);
        let registers: Vec<Register> = parts.iter().map(|part| part.register).collect();
        let position = self.uop as usize;
        if let (AluOp::Where, &[condition, a, b]) = (op, parts) {
            return Ok(self.select(bank, condition, a, b));
        }
        let mut mark = parts.iter().fold(NONE, |mark, part| self.either(mark, part.mark));
        let register = match (op, registers.as_slice()) {
            (AluOp::CmpLt, &[a, b]) if scalar.is_unsigned() => {
                self.make(Code::Compare(Comparison::LessUnsigned), bank, Bank::Word, [a, b, NONE], 0)
            }
            (AluOp::CmpLt, &[a, b]) => self.make(Code::Compare(Comparison::Less), bank, Bank::Word, [a, b, NONE], 0),
            (AluOp::CmpEq, &[a, b]) => self.make(Code::Compare(Comparison::Equal), bank, Bank::Word, [a, b, NONE], 0),
            (AluOp::MulAcc, &[a, b, c]) => {
                let product = self.arithmetic(AluOp::Mul, scalar, &[a, b]);
                self.arithmetic(AluOp::Add, scalar, &[product, c])
            }
            (AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt, &[a]) if !scalar.is_float() => {
                let float = self.convert(Component { register: a, mark: NONE }, scalar, Scalar::F64);
                let result = self.arithmetic(op, Scalar::F64, &[float.register]);
                let back = self.convert(Component { register: result, mark: NONE }, Scalar::F64, scalar);
                mark = self.either(mark, back.mark);
                back.register
            }
            (AluOp::Div | AluOp::Mod, &[a, _]) if self.divisor(uop).is_some() => {
                let divisor = self.divisor(uop).unwrap_or(1);
                self.program.divisors.push(Divisor::new(divisor));
                let extra = self.program.divisors.len() as u32 - 1;
                self.make(Code::DivideBy(op == AluOp::Mod), Bank::Word, Bank::Word, [a, NONE, NONE], extra)
            }
            (_, operands) if !operands.is_empty() => self.arithmetic(op, scalar, operands),
            _ => return Err(RunError::Unsupported(format!("{op} of {} operands", parts.len()))),
        };
        if matches!(op, AluOp::Div | AluOp::Mod) && !scalar.is_float() {
            let bounds = self.bounds(uop, 1);
            if let (true, &[_, divisor]) = (bounds.0 <= 0 && bounds.1 >= 0, registers.as_slice()) {
                let zero = self.make(Code::MarkZero, bank, Bank::Word, [divisor, NONE, NONE], 0);
                mark = self.either(mark, zero);
            }
        }
        // Unsigned arithmetic wraps by definition, and that of the narrow types is done in `int` and converted back.
        let overflows = matches!(scalar, Scalar::I32 | Scalar::I64);
        if overflows && self.source.facts.wraps[position] && self.source.facts.index[position] {
            mark = self.mark_overflow(op, scalar, &registers, mark);
        }
        Ok(Component { register, mark })
    }

    /// The mark, or that of an overflow of the operation.
    fn mark_overflow(&mut self, op: AluOp, scalar: Scalar, operands: &[Register], mark: Register) -> Register {
        let bank = Bank::of(scalar);
        let mut watch = |operation: Option<IntOp>, a: Register, b: Register, mark: Register| {
            let overflow = self.make(Code::MarkOverflow(operation, scalar), bank, Bank::Word, [a, b, NONE], 0);
            self.either(mark, overflow)
        };
        match (op, operands) {
            (AluOp::Add, &[a, b]) => watch(Some(IntOp::Add), a, b, mark),
            (AluOp::Sub, &[a, b]) => watch(Some(IntOp::Sub), a, b, mark),
            (AluOp::Mul, &[a, b]) => watch(Some(IntOp::Mul), a, b, mark),
            // The remainder of what overflows is as undefined as the quotient.
            (AluOp::Div | AluOp::Mod, &[a, b]) => watch(Some(IntOp::Div), a, b, mark),
            (AluOp::Neg, &[a]) => watch(None, a, NONE, mark),
            (AluOp::MulAcc, &[a, b, c]) => {
                let mark = watch(Some(IntOp::Mul), a, b, mark);
                let product = self.arithmetic(AluOp::Mul, scalar, &[a, b]);
                let overflow = Code::MarkOverflow(Some(IntOp::Add), scalar);
                let overflow = self.make(overflow, bank, Bank::Word, [product, c, NONE], 0);
                self.either(mark, overflow)
            }
            _ => mark,
        }
    }

    /// Bounds of a source.
    fn bounds(&self, uop: &Uop, n: usize) -> Interval {
        uop.sources.get(n).and_then(|id| self.source.facts.bounds.get(id.index())).copied().unwrap_or((0, 0))
    }

    /// The divisor, where it is a positive constant, and the division can be done by multiplication.
    fn divisor(&self, uop: &Uop) -> Option<i32> {
        let scalar = self.scalar(uop, 0);
        let constant = self.source.list.uops.get(uop.sources.get(1)?.index())?.kind == UopKind::Const;
        let (low, high) = self.bounds(uop, 1);
        let eligible = scalar.is_int() && Bank::of(scalar) == Bank::Word && scalar != Scalar::U32;
        let dividend = self.bounds(uop, 0);
        (eligible && constant && low == high && low > 0 && dividend.0 > i128::from(i32::MIN))
            .then(|| i32::try_from(low).ok())
            .flatten()
    }

    pub(super) fn select(&mut self, bank: Bank, condition: Component, a: Component, b: Component) -> Component {
        let register = self.make(Code::Select, bank, bank, [condition.register, a.register, b.register], 0);
        let mark = if a.mark == NONE && b.mark == NONE {
            NONE
        } else {
            let [a, b] = [a.mark, b.mark].map(|mark| if mark == NONE { self.literal(Literal::Word(0)) } else { mark });
            self.make(Code::Select, Bank::Word, Bank::Word, [condition.register, a, b], 0)
        };
        Component { register, mark: self.either(condition.mark, mark) }
    }

    /// The one or two operations of plain arithmetic: compute in the machine type, then wrap or round.
    fn arithmetic(&mut self, op: AluOp, scalar: Scalar, operands: &[Register]) -> Register {
        let bank = Bank::of(scalar);
        let a = operands.first().copied().unwrap_or(NONE);
        let b = operands.get(1).copied().unwrap_or(NONE);
        if scalar == Scalar::Bool && op == AluOp::Neg {
            let one = self.literal(Literal::Word(1));
            return self.make(Code::Int(IntOp::Xor), bank, bank, [a, one, NONE], 0);
        }
        let code = match code(op, scalar) {
            Some(code) => code,
            None => Code::Copy,
        };
        let register = self.make(code, bank, bank, [a, b, NONE], 0);
        if is_narrow(scalar) && !matches!(code, Code::Function(..)) {
            self.emit(Code::Narrow(scalar), bank, register, [NONE; 3], 0);
        }
        register
    }
}

/// The operation in the machine type of a dtype; of bools: or, and, exclusive or.
pub(super) fn code(op: AluOp, scalar: Scalar) -> Option<Code> {
    let function = |function| Some(Code::Function(function, scalar));
    if scalar.is_float() {
        return match op {
            AluOp::Add => Some(Code::Float(FloatOp::Add)),
            AluOp::Sub => Some(Code::Float(FloatOp::Sub)),
            AluOp::Mul => Some(Code::Float(FloatOp::Mul)),
            AluOp::Div => Some(Code::Float(FloatOp::Div)),
            AluOp::Max => Some(Code::Float(FloatOp::Max)),
            AluOp::Neg => function(Function::Neg),
            AluOp::Sqrt => function(Function::Sqrt),
            AluOp::Exp2 => function(Function::Exp2),
            AluOp::Log2 => function(Function::Log2),
            AluOp::Sin => function(Function::Sin),
            _ => None,
        };
    }
    // The short unsigned types are kept as non-negative words, where signed operations do.
    let wide_unsigned = matches!(scalar, Scalar::U32 | Scalar::U64);
    Some(match op {
        AluOp::Add | AluOp::Max if scalar == Scalar::Bool => Code::Int(IntOp::Or),
        AluOp::Mul if scalar == Scalar::Bool => Code::Int(IntOp::And),
        AluOp::Sub if scalar == Scalar::Bool => Code::Int(IntOp::Xor),
        AluOp::Add => Code::Int(IntOp::Add),
        AluOp::Sub => Code::Int(IntOp::Sub),
        AluOp::Mul => Code::Int(IntOp::Mul),
        AluOp::Div if wide_unsigned => Code::Int(IntOp::DivUnsigned),
        AluOp::Div => Code::Int(IntOp::Div),
        AluOp::Mod if wide_unsigned => Code::Int(IntOp::ModUnsigned),
        AluOp::Mod => Code::Int(IntOp::Mod),
        AluOp::Max if wide_unsigned => Code::Int(IntOp::MaxUnsigned),
        AluOp::Max => Code::Int(IntOp::Max),
        AluOp::Xor => Code::Int(IntOp::Xor),
        AluOp::Neg => Code::IntNeg,
        _ => return None,
    })
}
