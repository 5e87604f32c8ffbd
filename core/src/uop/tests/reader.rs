//! Reads the text of a list.

use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::{Channel, DType, Image, Scalar};
use crate::rule::Rules;
use crate::symbolic::Sint;
use crate::uop::{IndexName, LocalName, Uop, UopArg, UopGraph, UopId, UopKind, UopList, Wmma};
use std::str::FromStr;

const KINDS: [UopKind; 22] = [
    UopKind::Sink,
    UopKind::DefineGlobal,
    UopKind::DefineVar,
    UopKind::DefineLocal,
    UopKind::DefineAcc,
    UopKind::Const,
    UopKind::Special,
    UopKind::Noop,
    UopKind::Unmul,
    UopKind::Gep,
    UopKind::Cast,
    UopKind::Bitcast,
    UopKind::Alu,
    UopKind::Wmma,
    UopKind::Load,
    UopKind::Store,
    UopKind::Phi,
    UopKind::Barrier,
    UopKind::If,
    UopKind::Range,
    UopKind::EndRange,
    UopKind::EndIf,
];

fn number<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

fn dtype(text: &str) -> DType {
    let scalar = |text| Scalar::from_name(text).unwrap_or_else(|| panic!("{text} is no type"));
    if let Some(target) = text.strip_suffix('*') {
        return DType::Pointer(scalar(target));
    }
    if let Some((name, shape)) = text.strip_suffix(",4]").and_then(|text| text.split_once('[')) {
        let (height, width) = shape.split_once(',').expect("two dimensions");
        let channel = if name == "imageh" { Channel::Half } else { Channel::Float };
        return DType::Image(Image { channel, height: number(height), width: number(width) });
    }
    match text.split_once('x') {
        Some((element, lanes)) => DType::Vector(scalar(element), number(lanes)),
        None => DType::Scalar(scalar(text)),
    }
}

fn constant(text: &str) -> Constant {
    match (text, text.strip_prefix("f:")) {
        ("true" | "false", _) => Constant::Bool(text == "true"),
        ("inf" | "-inf" | "nan", _) => Constant::Float(number(text)),
        (_, Some(bits)) => Constant::Float(f64::from_bits(u64::from_str_radix(bits, 16).expect("bits"))),
        _ => Constant::Int(number(text)),
    }
}

fn arg(kind: UopKind, text: &str) -> UopArg {
    let parts: Vec<&str> = text.split(':').collect();
    match kind {
        UopKind::Alu => UopArg::Alu(AluOp::from_name(text).expect("an operation")),
        UopKind::Const => UopArg::Const(constant(text)),
        UopKind::DefineGlobal => UopArg::Global { index: number(parts[0]), output: parts[1] == "out" },
        UopKind::DefineLocal => UopArg::Local { name: LocalName::Temp, size: number(parts[1]) },
        UopKind::DefineAcc => {
            let (rest, number_text) = text.rsplit_once(':').expect("a number");
            let (init, buffer) = rest.rsplit_once(':').expect("a buffer");
            UopArg::Acc { init: constant(init), buffer: number(buffer), number: number(number_text) }
        }
        UopKind::Special => {
            let digits = parts[1].trim_start_matches(char::is_alphabetic);
            let name = match parts[1].strip_suffix(digits) {
                Some("gidx") => IndexName::Global(number(digits)),
                Some("lidx") => IndexName::Local(number(digits)),
                _ => IndexName::Flat(number(digits)),
            };
            UopArg::Special { dim: number(parts[0]), name, size: Sint::Int(number(parts[2])) }
        }
        UopKind::Range => UopArg::Range { depth: number(parts[0]), number: number(parts[1]) },
        UopKind::Gep => UopArg::Lane(number(text)),
        UopKind::Wmma => {
            let three = |text: &str| -> [usize; 3] {
                let numbers: Vec<usize> = text.split(',').map(number).collect();
                numbers.try_into().expect("three numbers")
            };
            UopArg::Wmma(Box::new(Wmma {
                name: parts[0].into(),
                dims: three(parts[1]),
                dtype_in: dtype(parts[2]).scalar(),
                dtype_out: dtype(parts[3]).scalar(),
                sizes: three(parts[4]),
                target: "metal".into(),
            }))
        }
        _ => UopArg::None,
    }
}

/// The list of a text; lines that start with `;` are comments.
pub(super) fn read(text: &str) -> UopList {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(';'));
    let uops = lines.enumerate().map(|(position, line)| {
        let words: Vec<&str> = line.splitn(5, ' ').collect();
        assert_eq!(number::<usize>(words[0]), position, "lines are numbered");
        let kind = KINDS.into_iter().find(|kind| kind.name() == words[1]).expect("a kind");
        let sources = words[3].trim_matches(['[', ']']).split(',').filter(|source| !source.is_empty());
        Uop {
            kind,
            dtype: (words[2] != "-").then(|| dtype(words[2])),
            sources: sources.map(|source| UopId(number(source))).collect(),
            arg: arg(kind, words[4]),
        }
    });
    UopList { uops: uops.collect() }
}

/// The graph of a list, less the ends of loops and ifs; uops are entered last to first where their sources allow.
pub(super) fn graph(list: &UopList, rules: Rules) -> UopGraph {
    let mut graph = UopGraph::new(rules);
    let mut ids: Vec<Option<UopId>> = vec![None; list.uops.len()];
    for store in (0..list.uops.len()).rev().filter(|&position| list.uops[position].kind == UopKind::Store) {
        let mut stack = vec![store];
        while let Some(&position) = stack.last() {
            let uop = &list.uops[position];
            match uop.sources.iter().rev().find(|source| ids[source.index()].is_none()) {
                Some(source) => stack.push(source.index()),
                None => {
                    let sources: Vec<UopId> = uop.sources.iter().filter_map(|source| ids[source.index()]).collect();
                    ids[position] = Some(graph.add(uop.kind, uop.dtype, &sources, uop.arg.clone()));
                    stack.pop();
                }
            }
        }
    }
    graph
}
