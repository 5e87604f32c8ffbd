//! The walk over the list of uops that all languages share: names, blocks, which values stand within others, vectors
//! taken apart into lanes.

use super::body::bare;
use super::inline::inlined;
use super::name::Names;
use super::printer::{Memory, Printer};
use super::ranges::ranges;
use super::{Parameter, RenderError, Source};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::linearize::Lowered;
use crate::symbolic::Sint;
use crate::uop::{Uop, UopArg, UopId, UopKind};

/// Renders the kernel with a language's printer.
pub(super) fn walk<P: Printer>(lowered: &Lowered, printer: P, entry: String) -> Result<Source, RenderError> {
    let count = lowered.uops.uops.len();
    let parameters = parameters(lowered);
    let mut walk = Walk {
        uops: &lowered.uops.uops,
        parameters: &parameters,
        printer,
        names: Names::default(),
        text: vec![String::new(); count],
        inlined: inlined(&lowered.uops),
        small: ranges(lowered).iter().map(Option::is_some).collect(),
        position: 0,
    };
    for position in 0..count {
        walk.position = position;
        walk.uop(&lowered.uops.uops[position])?;
    }
    let (declarations, function) = walk.printer.finish(&entry, &parameters)?;
    Ok(Source { declarations, function, entry, parameters })
}

fn parameters(lowered: &Lowered) -> Vec<Parameter> {
    let mut buffers = Vec::new();
    let mut variables = Vec::new();
    for uop in &lowered.uops.uops {
        match (&uop.arg, uop.dtype) {
            (&UopArg::Global { index, output }, Some(dtype)) => buffers.push((index, dtype, output)),
            (UopArg::Var { name, min, max }, _) => {
                let number = variables.len();
                variables.push(Parameter::Variable { number, name: name.to_string(), min: *min, max: *max });
            }
            _ => {}
        }
    }
    buffers.sort_by_key(|&(index, ..)| index);
    let buffers = buffers.into_iter().map(|(index, dtype, output)| Parameter::Buffer { index, dtype, output });
    buffers.chain(variables).collect()
}

struct Walk<'a, P> {
    uops: &'a [Uop],
    parameters: &'a [Parameter],
    printer: P,
    names: Names,
    /// What stands for each uop so far.
    text: Vec<String>,
    inlined: Vec<bool>,
    small: Vec<bool>,
    position: usize,
}

impl<P: Printer> Walk<'_, P> {
    fn malformed(&self, what: &'static str) -> RenderError {
        RenderError::Malformed { position: self.position, what }
    }

    fn source(&self, uop: &Uop, n: usize) -> Result<&Uop, RenderError> {
        let id = uop.sources.get(n).ok_or_else(|| self.malformed("a source is missing"))?;
        self.uops.get(id.index()).ok_or_else(|| self.malformed("a source is not in the list"))
    }

    fn operand(&self, uop: &Uop, n: usize) -> Result<String, RenderError> {
        let id = uop.sources.get(n).ok_or_else(|| self.malformed("a source is missing"))?;
        self.text.get(id.index()).cloned().ok_or_else(|| self.malformed("a source is not in the list"))
    }

    fn dtype(&self, uop: &Uop) -> Result<DType, RenderError> {
        uop.dtype.ok_or_else(|| self.malformed("has no type"))
    }

    fn operand_dtype(&self, uop: &Uop, n: usize) -> Result<DType, RenderError> {
        self.dtype(self.source(uop, n)?)
    }

    /// Renders one uop.
    fn uop(&mut self, uop: &Uop) -> Result<(), RenderError> {
        match uop.kind {
            UopKind::Sink | UopKind::Noop | UopKind::Unmul => return Err(self.malformed("does not belong into a list")),
            UopKind::DefineGlobal | UopKind::DefineVar => self.define_parameter(uop)?,
            UopKind::DefineLocal => {
                let UopArg::Local { name, size } = uop.arg else { return Err(self.malformed("is no local memory")) };
                let scalar = self.dtype(uop)?.scalar();
                let name = name.to_string();
                self.printer.local(&name, scalar, size)?;
                self.text[self.position] = name;
            }
            UopKind::DefineAcc => {
                let UopArg::Acc { init, .. } = uop.arg else { return Err(self.malformed("is no accumulator")) };
                let dtype = self.dtype(uop)?;
                let value = self.constant(init, dtype)?;
                let name = self.names.fresh("acc");
                self.printer.accumulator(&name, dtype, bare(&value))?;
                self.text[self.position] = name;
            }
            UopKind::Special => {
                let UopArg::Special { dim, name, size } = uop.arg else { return Err(self.malformed("is no index")) };
                let size = match size {
                    Sint::Int(size) => Some(size),
                    Sint::Node(_) => None,
                };
                self.text[self.position] = self.printer.special(dim, name, size)?;
            }
            UopKind::Range => {
                let (start, end) = (self.operand(uop, 0)?, self.operand(uop, 1)?);
                let name = self.names.fresh("ridx");
                self.printer.open_loop(&name, bare(&start), bare(&end));
                self.text[self.position] = name;
            }
            UopKind::If => {
                let condition = self.truth(uop, 0)?;
                self.printer.open_if(bare(&condition));
            }
            UopKind::EndRange | UopKind::EndIf => self.printer.body().close(),
            UopKind::Barrier => self.printer.barrier()?,
            UopKind::Phi => {
                let (accumulator, value) = (self.operand(uop, 0)?, self.operand(uop, 1)?);
                if accumulator != value {
                    self.printer.assign(&accumulator, bare(&value));
                }
                self.text[self.position] = accumulator;
            }
            UopKind::Store => self.store(uop)?,
            UopKind::Load => {
                let value = self.load(uop)?;
                self.value(uop, "val", value)?;
            }
            UopKind::Const => {
                let UopArg::Const(value) = uop.arg else { return Err(self.malformed("is no constant")) };
                let dtype = self.dtype(uop)?;
                let value = self.constant(value, dtype)?;
                self.value(uop, "const", value)?;
            }
            UopKind::Alu => {
                let value = self.alu(uop)?;
                self.value(uop, "alu", value)?;
            }
            UopKind::Cast | UopKind::Bitcast => {
                let value = if uop.kind == UopKind::Cast { self.cast(uop)? } else { self.bitcast(uop)? };
                self.value(uop, "cast", value)?;
            }
            UopKind::Gep => {
                let UopArg::Lane(lane) = uop.arg else { return Err(self.malformed("names no lane")) };
                let (vector, value) = (self.operand_dtype(uop, 0)?, self.operand(uop, 0)?);
                let lane = u8::try_from(lane).map_err(|_| self.malformed("there is no such lane"))?;
                let value = self.printer.lane(vector, &value, lane)?;
                self.value(uop, "lane", value)?;
            }
            UopKind::Wmma => {
                let UopArg::Wmma(wmma) = &uop.arg else { return Err(self.malformed("is no matrix instruction")) };
                let (a, b, c) = (self.operand(uop, 0)?, self.operand(uop, 1)?, self.operand(uop, 2)?);
                let dtype = self.dtype(uop)?;
                let value = self.printer.matrix(wmma, dtype, [&a, &b, &c])?;
                self.value(uop, "wmma", value)?;
            }
        }
        Ok(())
    }

    fn define_parameter(&mut self, uop: &Uop) -> Result<(), RenderError> {
        let same = |parameter: &&Parameter| match (parameter, &uop.arg) {
            (Parameter::Buffer { index, .. }, UopArg::Global { index: wanted, .. }) => index == wanted,
            (Parameter::Variable { name, .. }, UopArg::Var { name: wanted, .. }) => **name == **wanted,
            _ => false,
        };
        let parameter = self.parameters.iter().find(same).ok_or_else(|| self.malformed("is no parameter"))?;
        self.text[self.position] = self.printer.parameter(parameter)?;
        Ok(())
    }

    /// Gives a value its name, unless its expression takes that place.
    fn value(&mut self, uop: &Uop, prefix: &'static str, value: String) -> Result<(), RenderError> {
        self.text[self.position] = if self.inlined[self.position] {
            value
        } else {
            let dtype = self.dtype(uop)?;
            let name = self.names.fresh(prefix);
            self.printer.bind(&name, dtype, bare(&value))?;
            name
        };
        Ok(())
    }

    fn constant(&mut self, value: Constant, dtype: DType) -> Result<String, RenderError> {
        let text = self.printer.constant(value.cast(dtype.scalar()), dtype.scalar())?;
        match dtype.lanes() {
            1 => Ok(text),
            lanes => self.printer.vector(dtype.scalar(), &vec![text; usize::from(lanes)]),
        }
    }

    /// Each lane of an operand; the one of a scalar.
    fn lanes(&mut self, dtype: DType, value: &str) -> Result<Vec<String>, RenderError> {
        match dtype.lanes() {
            1 => Ok(vec![value.to_owned()]),
            lanes => (0..lanes).map(|lane| self.printer.lane(dtype, value, lane)).collect(),
        }
    }

    /// One expression for each lane, as a value of `dtype`.
    fn joined(&mut self, dtype: DType, mut lanes: Vec<String>) -> Result<String, RenderError> {
        match (dtype.lanes(), lanes.pop()) {
            (1, Some(value)) => Ok(value),
            (_, Some(last)) => {
                lanes.push(last);
                self.printer.vector(dtype.scalar(), &lanes)
            }
            (_, None) => Err(self.malformed("has no lanes")),
        }
    }

    fn alu(&mut self, uop: &Uop) -> Result<String, RenderError> {
        let UopArg::Alu(op) = uop.arg else { return Err(self.malformed("is no operation")) };
        let dtype = self.dtype(uop)?;
        if uop.sources.len() != op.arity() {
            return Err(self.malformed("the number of operands is not the operation's"));
        }
        let mut operands = Vec::with_capacity(op.arity());
        for n in 0..op.arity() {
            let (dtype, text) = (self.operand_dtype(uop, n)?, self.operand(uop, n)?);
            operands.push(self.lanes(dtype, &text)?);
        }
        let scalar = self.operand_dtype(uop, usize::from(op == AluOp::Where))?.scalar();
        let small = self.is_small(uop);
        let mut lanes = Vec::with_capacity(usize::from(dtype.lanes()));
        for lane in 0..usize::from(dtype.lanes()) {
            let part: Option<Vec<&str>> =
                operands.iter().map(|operand| operand.get(lane).or(operand.first()).map(String::as_str)).collect();
            let part = part.ok_or_else(|| self.malformed("an operand has no lanes"))?;
            lanes.push(self.printer.alu(op, scalar, &part, small)?);
        }
        self.joined(dtype, lanes)
    }

    /// Whether neither the operands nor the result of index arithmetic can leave 32 bits.
    fn is_small(&self, uop: &Uop) -> bool {
        let small = |id: &UopId| self.small.get(id.index()).copied().unwrap_or(false);
        self.small[self.position] && uop.sources.iter().all(small)
    }

    fn cast(&mut self, uop: &Uop) -> Result<String, RenderError> {
        let dtype = self.dtype(uop)?;
        let mut lanes = Vec::with_capacity(usize::from(dtype.lanes()));
        for n in 0..uop.sources.len() {
            let (from, text) = (self.operand_dtype(uop, n)?, self.operand(uop, n)?);
            for lane in self.lanes(from, &text)? {
                lanes.push(self.printer.cast(from.scalar(), dtype.scalar(), &lane)?);
            }
        }
        if lanes.len() != usize::from(dtype.lanes()) {
            return Err(self.malformed("has another number of lanes than its sources"));
        }
        self.joined(dtype, lanes)
    }

    fn bitcast(&mut self, uop: &Uop) -> Result<String, RenderError> {
        let dtype = self.dtype(uop)?;
        let (from, text) = (self.operand_dtype(uop, 0)?, self.operand(uop, 0)?);
        if from.lanes() != dtype.lanes() || from.scalar().size() != dtype.scalar().size() {
            return Err(self.malformed("reinterprets a value of another size"));
        }
        let mut lanes = Vec::with_capacity(usize::from(dtype.lanes()));
        for lane in self.lanes(from, &text)? {
            lanes.push(self.printer.bitcast(from.scalar(), dtype.scalar(), &lane)?);
        }
        self.joined(dtype, lanes)
    }

    /// A source as a bool.
    fn truth(&mut self, uop: &Uop, n: usize) -> Result<String, RenderError> {
        let (dtype, text) = (self.operand_dtype(uop, n)?, self.operand(uop, n)?);
        match dtype.scalar() {
            Scalar::Bool => Ok(text),
            scalar => self.printer.cast(scalar, Scalar::Bool, &text),
        }
    }

    fn memory(&self, uop: &Uop) -> Result<Memory, RenderError> {
        let source = self.source(uop, 0)?;
        let local = match source.kind {
            UopKind::DefineGlobal => false,
            UopKind::DefineLocal => true,
            _ => return Err(self.malformed("its first source is no memory")),
        };
        Ok(Memory { name: self.operand(uop, 0)?, dtype: self.dtype(source)?, local })
    }

    /// Number of sources that are values: a last one may only order.
    fn values(&self, uop: &Uop) -> Result<usize, RenderError> {
        let last = uop.sources.len().saturating_sub(1);
        let orders = matches!(self.source(uop, last)?.kind, UopKind::Barrier | UopKind::If);
        Ok(if orders { last } else { uop.sources.len() })
    }

    fn load(&mut self, uop: &Uop) -> Result<String, RenderError> {
        let (memory, dtype, index) = (self.memory(uop)?, self.dtype(uop)?, self.operand(uop, 1)?);
        match self.values(uop)? {
            2 => self.printer.load(&memory, dtype, bare(&index), None),
            4 => {
                let (gate, alternative) = (self.truth(uop, 2)?, self.operand(uop, 3)?);
                self.printer.load(&memory, dtype, bare(&index), Some((&gate, &alternative)))
            }
            _ => Err(self.malformed("a load has 2 or 4 sources")),
        }
    }

    fn store(&mut self, uop: &Uop) -> Result<(), RenderError> {
        let (memory, index) = (self.memory(uop)?, self.operand(uop, 1)?);
        let (dtype, value) = (self.operand_dtype(uop, 2)?, self.operand(uop, 2)?);
        let gate = match self.values(uop)? {
            3 => None,
            4 => Some(self.truth(uop, 3)?),
            _ => return Err(self.malformed("a store has 3 or 4 sources")),
        };
        self.printer.store(&memory, bare(&index), (dtype, &value), gate.as_deref().map(bare))
    }
}
