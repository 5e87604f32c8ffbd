//! Checks of a list: types agree, sources precede uses, loops and ifs are nested and closed.

use super::{Uop, UopArg, UopError, UopId, UopKind, UopList};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::DType;

/// What a uop breaks.
enum Broken {
    Type(String),
    Order(String),
}

impl UopList {
    /// Checks the list.
    ///
    /// # Errors
    /// [`UopError::Type`] where the types of a uop and its sources don't agree. [`UopError::Order`] where a source does
    /// not come before its use (the loops of an accumulator come after it), where loops and ifs are not nested and
    /// closed, and where a value computed in a loop is used after its end, other than an accumulator's.
    pub fn verify(&self) -> Result<(), UopError> {
        let mut scopes = Scopes { loop_of: Vec::with_capacity(self.uops.len()), open: Vec::new() };
        let mut run = |position: usize, uop: &Uop| -> Result<(), Broken> {
            if uop.sources.iter().any(|source| source.index() >= self.uops.len()) {
                return Err(Broken::Order("a source is outside the list".into()));
            }
            types(self, uop)?;
            scopes.step(self, position, uop)
        };
        for (position, uop) in self.uops.iter().enumerate() {
            run(position, uop).map_err(|broken| error(position, uop, broken))?;
        }
        match scopes.open.last() {
            Some(&position) => {
                let uop = &self.uops[position];
                let end = if uop.kind == UopKind::If { "ENDIF" } else { "ENDRANGE" };
                Err(error(position, uop, Broken::Order(format!("has no {end}"))))
            }
            None => Ok(()),
        }
    }
}

fn error(position: usize, uop: &Uop, broken: Broken) -> UopError {
    let text = super::text::line(uop, None);
    match broken {
        Broken::Type(reason) => UopError::Type { position, text, reason },
        Broken::Order(reason) => UopError::Order { position, text, reason },
    }
}

/// The loops and ifs around each uop.
struct Scopes {
    /// For each uop so far: the position of the innermost loop or if that it is in.
    loop_of: Vec<Option<usize>>,
    /// Positions of the open RANGE and IF uops, outermost first.
    open: Vec<usize>,
}

impl Scopes {
    fn step(&mut self, list: &UopList, position: usize, uop: &Uop) -> Result<(), Broken> {
        let sources = if uop.kind == UopKind::DefineAcc { &[][..] } else { &uop.sources[..] };
        for &source in sources {
            if source.index() >= position {
                return Err(Broken::Order(format!("its source {} does not come before it", source.0)));
            }
            let kind = list.uops[source.index()].kind;
            let ends = matches!(uop.kind, UopKind::EndRange | UopKind::EndIf);
            // An accumulator's value outlives the loops that it is updated in; a store or barrier is only waited for.
            let outlives = matches!(kind, UopKind::Phi | UopKind::Store | UopKind::Barrier);
            if let Some(scope) = self.loop_of[source.index()]
                && !ends
                && !outlives
                && list.uops[scope].kind == UopKind::Range
                && !self.open.contains(&scope)
            {
                let reason = format!("uses {}, which lives in the loop at {scope}, after its end", source.0);
                return Err(Broken::Order(reason));
            }
        }
        match uop.kind {
            UopKind::Range | UopKind::If => {
                self.open.push(position);
                self.loop_of.push(Some(position));
                return Ok(());
            }
            UopKind::EndRange | UopKind::EndIf => {
                let opened = uop.sources.first().map(|source| source.index());
                if opened.is_none() || self.open.pop() != opened {
                    return Err(Broken::Order("does not end the innermost open loop or if".into()));
                }
            }
            UopKind::Sink | UopKind::Noop | UopKind::Unmul => {
                return Err(Broken::Order("must not be left in a list".into()));
            }
            _ => {}
        }
        self.loop_of.push(self.open.last().copied());
        Ok(())
    }
}

fn shown(dtype: Option<DType>) -> String {
    super::text::DTypeText(dtype).to_string()
}

fn types(list: &UopList, uop: &Uop) -> Result<(), Broken> {
    let of = |source: &UopId| list.uops.get(source.index()).and_then(|uop| uop.dtype);
    let fail = |reason: String| Err(Broken::Type(reason));
    match (uop.kind, &uop.arg) {
        (UopKind::Const, UopArg::Const(value)) | (UopKind::DefineAcc, UopArg::Acc { init: value, .. }) => {
            let fits = match (value, uop.dtype.map(DType::scalar)) {
                (Constant::Bool(_), Some(scalar)) => !scalar.is_int() && !scalar.is_float(),
                (Constant::Int(_), Some(scalar)) => scalar.is_int(),
                (Constant::Float(_), Some(scalar)) => scalar.is_float(),
                (_, None) => false,
            };
            if fits { Ok(()) } else { fail(format!("the value is no {}", shown(uop.dtype))) }
        }
        (UopKind::Cast | UopKind::Bitcast, arg) => match (arg, uop.dtype, uop.sources.is_empty()) {
            (UopArg::None, Some(_), false) => Ok(()),
            _ => fail("a conversion has a type, a source, and no argument".into()),
        },
        (UopKind::Alu, &UopArg::Alu(op)) => {
            if uop.sources.len() != op.arity() {
                return fail(format!("{} operands instead of {}", uop.sources.len(), op.arity()));
            }
            let same = |operands: &[UopId], expected: Option<DType>| match operands.iter().find(|s| of(s) != expected) {
                Some(operand) => {
                    fail(format!("operand {} is {} instead of {}", operand.0, shown(of(operand)), shown(expected)))
                }
                None => Ok(()),
            };
            if op.is_comparison() {
                if uop.dtype != Some(DType::BOOL) {
                    return fail(format!("a comparison is {} instead of bool", shown(uop.dtype)));
                }
                return same(&uop.sources[1..], of(&uop.sources[0]));
            }
            let choices = if op == AluOp::Where { 1 } else { 0 };
            same(&uop.sources[..choices], Some(DType::BOOL))?;
            same(&uop.sources[choices..], uop.dtype)
        }
        (UopKind::Const | UopKind::DefineAcc | UopKind::Alu, _) => fail("the argument is missing".into()),
        _ => Ok(()),
    }
}
