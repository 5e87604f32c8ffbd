//! A short notation of what is stored: `(ADD x 0)`.
//!
//! `x` `y` `z` are loads of the type at hand, `p` `q` loads of bools, `i` `j` indices below 8 and 4; numbers, `inf` and `NaN`
//! are constants of the type at hand, or of another with `:i32` after it, `true` and `false` are bools. `(CAST f64 x)` converts,
//! `(BITCAST u32 x)` reinterprets.

use super::super::{IndexName, Uop, UopArg, UopGraph, UopId, UopKind, UopList};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{DType, Scalar};
use crate::rule::{Firings, Rules};
use crate::symbolic::Sint;

/// Names of loads, by the number of their buffer.
const LOADS: [&str; 6] = ["out", "x", "y", "z", "p", "q"];

/// Builds what a text describes.
struct Reader<'a> {
    words: std::iter::Peekable<std::vec::IntoIter<String>>,
    graph: &'a mut UopGraph,
    scalar: Scalar,
}

impl Reader<'_> {
    fn word(&mut self) -> String {
        self.words.next().expect("the expression goes on")
    }

    fn scalar_word(&mut self) -> Scalar {
        Scalar::from_name(&self.word()).expect("a type")
    }

    fn value(&mut self) -> UopId {
        let word = self.word();
        if word != "(" {
            return self.atom(&word);
        }
        let operation = self.word();
        let target = matches!(operation.as_str(), "CAST" | "BITCAST").then(|| self.scalar_word());
        let mut operands = Vec::new();
        while self.words.peek().expect("a closing parenthesis") != ")" {
            operands.push(self.value());
        }
        self.word();
        match (operation.as_str(), target) {
            ("CAST", Some(to)) => self.graph.add(UopKind::Cast, Some(to.into()), &operands, UopArg::None),
            (_, Some(to)) => self.graph.add(UopKind::Bitcast, Some(to.into()), &operands, UopArg::None),
            (name, None) => self.graph.alu(AluOp::from_name(name).expect("an operation"), &operands),
        }
    }

    fn atom(&mut self, word: &str) -> UopId {
        if let Some(buffer) = LOADS.iter().position(|&name| name == word) {
            let scalar = if buffer > 3 { Scalar::Bool } else { self.scalar };
            let index = self.graph.constant(DType::I32, Constant::Int(0));
            let pointer = self.graph.pointer(buffer as u32, scalar);
            return self.graph.add(UopKind::Load, Some(scalar.into()), &[pointer, index], UopArg::None);
        }
        if let Some(number) = ["i", "j"].iter().position(|&name| name == word) {
            let size = Sint::Int([8, 4][number]);
            let arg = UopArg::Special { dim: number as u32, name: IndexName::Local(number as u32), size };
            return self.graph.add(UopKind::Special, Some(DType::I32), &[], arg);
        }
        let (value, scalar) = match word.split_once(':') {
            Some((value, scalar)) => (value, Scalar::from_name(scalar).expect("a type")),
            None => (word, self.scalar),
        };
        let value = match value {
            "true" | "false" => return self.graph.constant(DType::BOOL, Constant::Bool(value == "true")),
            value if scalar.is_float() => Constant::Float(value.parse().expect("a number")),
            value => Constant::Int(value.parse().expect("a number")),
        };
        self.graph.constant(scalar.into(), value)
    }
}

impl UopGraph {
    /// A buffer of the kernel.
    pub(super) fn pointer(&mut self, index: u32, scalar: Scalar) -> UopId {
        let arg = UopArg::Global { index, output: index == 0 };
        self.add(UopKind::DefineGlobal, Some(DType::Pointer(scalar)), &[], arg)
    }
}

/// The graph that stores a value of what a text describes.
pub(super) fn graph_of(scalar: Scalar, text: &str, rules: Rules) -> UopGraph {
    let mut graph = UopGraph::new(rules);
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    let mut reader = Reader { words: words.into_iter().peekable(), graph: &mut graph, scalar };
    let value = reader.value();
    assert_eq!(reader.words.next(), None, "the expression {text} ends");
    let result = graph.uop(value).dtype.expect("a value").scalar();
    let pointer = graph.pointer(0, result);
    let index = graph.constant(DType::I32, Constant::Int(0));
    graph.add(UopKind::Store, None, &[pointer, index, value], UopArg::None);
    graph
}

/// What becomes of a value, and how often each rule fired.
pub(super) fn rewritten(scalar: Scalar, text: &str, rules: Rules) -> (String, Firings) {
    let (list, firings) = super::list(graph_of(scalar, text, rules));
    let store = list.uops.last().expect("a store");
    (shown(&list, store.sources[2], scalar), firings)
}

/// The notation of a value; constants of the type at hand stand without their type.
fn shown(list: &UopList, id: UopId, scalar: Scalar) -> String {
    let uop: &Uop = &list.uops[id.index()];
    let operands = || uop.sources.iter().map(|&id| format!(" {}", shown(list, id, scalar))).collect::<String>();
    match (uop.kind, &uop.arg) {
        (UopKind::Load, _) => match list.uops[uop.sources[0].index()].arg {
            UopArg::Global { index, .. } => LOADS[index as usize].into(),
            _ => unreachable!("buffers are global"),
        },
        (UopKind::Special, UopArg::Special { dim, .. }) => ["i", "j"][*dim as usize].into(),
        (UopKind::Const, UopArg::Const(value)) => {
            let of = uop.dtype.expect("a value").scalar();
            let value = match value {
                Constant::Bool(value) => value.to_string(),
                Constant::Int(value) => value.to_string(),
                Constant::Float(value) => value.to_string(),
            };
            if of == scalar || of == Scalar::Bool { value } else { format!("{value}:{of}") }
        }
        (UopKind::Alu, UopArg::Alu(op)) => format!("({op}{})", operands()),
        (kind, _) => format!("({} {}{})", kind.name(), uop.dtype.expect("a value"), operands()),
    }
}
