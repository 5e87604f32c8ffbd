//! No list whatever makes the interpreter panic or run for ever.

use super::small;
use crate::data::Inputs;
use crate::interpreter::{Budget, RunError, run};
use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;
use plumb_core::dtype::{Channel, DType, Image, Scalar};
use plumb_core::linearize::Lowered;
use plumb_core::rule::{Firings, Rules};
use plumb_core::symbolic::{Arena, Sint};
use plumb_core::target::Target;
use plumb_core::uop::{IndexName, LocalName, Uop, UopArg, UopId, UopKind, UopList, Wmma};
use proptest::prelude::*;
use smallvec::SmallVec;
use std::sync::Arc;

/// Bytes that choices are made from; zeros when they run out.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()].clone()
    }

    fn scalar(&mut self) -> Scalar {
        self.pick(&Scalar::ALL)
    }

    fn number(&mut self) -> i64 {
        let byte = self.byte();
        match byte {
            0..=200 => i64::from(byte % 11) - 2,
            201..=220 => i64::from(i32::MAX) - i64::from(byte % 2),
            221..=240 => i64::from(i32::MIN) + i64::from(byte % 2),
            _ => i64::MAX - i64::from(byte % 3),
        }
    }

    fn constant(&mut self, scalar: Scalar) -> Constant {
        let number = self.number();
        match scalar {
            Scalar::Bool => Constant::Bool(number > 0),
            scalar if scalar.is_float() => match self.byte() {
                0 => Constant::Float(f64::NAN),
                1 => Constant::Float(f64::INFINITY),
                _ => Constant::Float(number as f64 / 4.0),
            },
            _ => Constant::Int(i128::from(number)),
        }
    }

    fn dtype(&mut self) -> DType {
        match self.byte() {
            0..=150 => DType::Scalar(self.pick(&[Scalar::I32, Scalar::F32, Scalar::Bool, Scalar::F16, Scalar::I64])),
            151..=190 => DType::Scalar(self.scalar()),
            191..=220 => DType::Vector(self.scalar(), self.pick(&[2, 4, 8, 16])),
            221..=240 => DType::Pointer(self.scalar()),
            _ => DType::Image(Image { channel: self.pick(&[Channel::Half, Channel::Float]), height: 2, width: 3 }),
        }
    }
}

fn uop(kind: UopKind, dtype: Option<DType>, sources: &[u32], arg: UopArg) -> Uop {
    Uop { kind, dtype, sources: sources.iter().map(|&source| UopId(source)).collect(), arg }
}

/// Anything at all.
fn wild(choices: &mut Choices<'_>, count: usize) -> UopList {
    let kinds = [
        UopKind::DefineGlobal,
        UopKind::DefineVar,
        UopKind::DefineLocal,
        UopKind::DefineAcc,
        UopKind::Const,
        UopKind::Special,
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
        UopKind::Sink,
    ];
    let mut list = UopList::default();
    for position in 0..count {
        let kind = choices.pick(&kinds);
        let dtype = if choices.byte() < 220 { Some(choices.dtype()) } else { None };
        let sources: Vec<u32> = (0..choices.byte() % 5)
            .map(|_| if choices.byte() < 240 { u32::from(choices.byte()) % (position as u32 + 1) } else { 1000 })
            .collect();
        let arg = argument(choices, kind, dtype.map_or(Scalar::I32, DType::scalar));
        list.uops.push(uop(kind, dtype, &sources, arg));
    }
    list
}

fn argument(choices: &mut Choices<'_>, kind: UopKind, scalar: Scalar) -> UopArg {
    if choices.byte() > 250 {
        return UopArg::None;
    }
    match kind {
        UopKind::Alu => UopArg::Alu(choices.pick(&AluOp::ALL)),
        UopKind::Const => UopArg::Const(choices.constant(scalar)),
        UopKind::DefineGlobal => UopArg::Global { index: u32::from(choices.byte() % 3), output: choices.byte() < 128 },
        UopKind::DefineLocal => UopArg::Local { name: LocalName::Temp, size: choices.number() },
        UopKind::DefineVar => UopArg::Var { name: "v".into(), min: 0, max: choices.number() },
        UopKind::DefineAcc => UopArg::Acc { init: choices.constant(scalar), buffer: 0, number: 0 },
        UopKind::Special => UopArg::Special {
            dim: u32::from(choices.byte() % 4),
            name: choices.pick(&[IndexName::Global(0), IndexName::Local(0), IndexName::Flat(0)]),
            size: Sint::Int(choices.pick(&[1, 2, 32, 5])),
        },
        UopKind::Range => UopArg::Range { depth: 1 + u32::from(choices.byte() % 3), number: 0 },
        UopKind::Gep => UopArg::Lane(u32::from(choices.byte() % 9)),
        UopKind::Wmma => UopArg::Wmma(Box::new(Wmma {
            name: "WMMA".to_owned(),
            dims: choices.pick(&[[8, 8, 8], [8, 16, 16], [16, 16, 16], [1, 2, 3]]),
            dtype_in: choices.pick(&[Scalar::F16, Scalar::F32]),
            dtype_out: Scalar::F32,
            sizes: choices.pick(&[[2, 2, 2], [8, 4, 4], [16, 16, 8]]),
            target: "metal".to_owned(),
        })),
        _ => UopArg::None,
    }
}

/// A list of which each uop takes sources of the right types, if there are any, so that much of it is well-formed.
fn plausible(choices: &mut Choices<'_>, count: usize) -> UopList {
    let mut list = UopList::default();
    for (index, output) in [(0, true), (1, false), (2, true)] {
        let dtype = if index == 2 { DType::Pointer(Scalar::I32) } else { DType::Pointer(Scalar::F32) };
        list.uops.push(uop(UopKind::DefineGlobal, Some(dtype), &[], UopArg::Global { index, output }));
    }
    let local = UopArg::Local { name: LocalName::Temp, size: 8 };
    list.uops.push(uop(UopKind::DefineLocal, Some(DType::Pointer(Scalar::I32)), &[], local));
    let mut open: Vec<u32> = Vec::new();
    // Uops whose scope has ended, as half-open ranges.
    let mut ended: Vec<(u32, u32)> = Vec::new();
    while list.uops.len() < count {
        let position = list.uops.len() as u32;
        let visible = |at: &u32| !ended.iter().any(|(from, to)| (from..to).contains(&at));
        // A value of a type among those there are, preferably a late one.
        let find = |choices: &mut Choices<'_>, dtype: DType| -> Option<u32> {
            let fits: Vec<u32> =
                (0..position).filter(visible).filter(|&at| list.uops[at as usize].dtype == Some(dtype)).collect();
            (!fits.is_empty()).then(|| fits[fits.len() - 1 - usize::from(choices.byte()) % fits.len().min(12)])
        };
        let (scalar, int) =
            (DType::Scalar(choices.pick(&[Scalar::I32, Scalar::I32, Scalar::F32, Scalar::Bool])), DType::I32);
        let next = match choices.byte() % 16 {
            0 => Some(uop(UopKind::Const, Some(scalar), &[], UopArg::Const(choices.constant(scalar.scalar())))),
            1 => {
                let name = choices.pick(&[IndexName::Global(0), IndexName::Local(0)]);
                let size = Sint::Int(if name == IndexName::Global(0) { 3 } else { 4 });
                Some(uop(UopKind::Special, Some(int), &[], UopArg::Special { dim: 0, name, size }))
            }
            2..=5 => {
                let op = choices.pick(&AluOp::ALL);
                let result = if op.is_comparison() { DType::BOOL } else { scalar };
                let sources: Option<Vec<u32>> = (0..op.arity())
                    .map(|n| find(choices, if op == AluOp::Where && n == 0 { DType::BOOL } else { scalar }))
                    .collect();
                sources.map(|sources| uop(UopKind::Alu, Some(result), &sources, UopArg::Alu(op)))
            }
            6 => {
                let to = DType::Scalar(choices.pick(&[Scalar::I32, Scalar::F32, Scalar::Bool]));
                find(choices, scalar).map(|source| uop(UopKind::Cast, Some(to), &[source], UopArg::None))
            }
            7 | 8 => {
                let (memory, dtype) = choices.pick(&[(0, DType::F32), (1, DType::F32), (2, int), (3, int)]);
                let (index, gate, other) = (find(choices, int), find(choices, DType::BOOL), find(choices, dtype));
                match (index, gate, other) {
                    (Some(index), Some(gate), Some(other)) if choices.byte() < 200 => {
                        Some(uop(UopKind::Load, Some(dtype), &[memory, index, gate, other], UopArg::None))
                    }
                    (Some(index), ..) => Some(uop(UopKind::Load, Some(dtype), &[memory, index], UopArg::None)),
                    _ => None,
                }
            }
            9 => {
                let (memory, dtype) = choices.pick(&[(0, DType::F32), (2, int), (3, int)]);
                match (find(choices, int), find(choices, dtype), find(choices, DType::BOOL)) {
                    (Some(index), Some(value), Some(gate)) => {
                        Some(uop(UopKind::Store, None, &[memory, index, value, gate], UopArg::None))
                    }
                    _ => None,
                }
            }
            10 => match (find(choices, int), find(choices, int)) {
                (Some(start), Some(end)) => {
                    // An accumulator stands before its loop.
                    let arg = UopArg::Acc { init: choices.constant(scalar.scalar()), buffer: 0, number: 0 };
                    list.uops.push(uop(UopKind::DefineAcc, Some(scalar), &[position + 1], arg));
                    open.push(position + 1);
                    Some(uop(UopKind::Range, Some(int), &[start, end], UopArg::Range { depth: 2, number: 0 }))
                }
                _ => None,
            },
            11 => find(choices, DType::BOOL).map(|condition| {
                open.push(position);
                uop(UopKind::If, None, &[condition], UopArg::None)
            }),
            12 | 13 => open.pop().map(|opener| {
                ended.push((opener, position));
                end(&list, opener)
            }),
            14 => {
                let accumulators: Vec<u32> = (0..position)
                    .filter(visible)
                    .filter(|&at| list.uops[at as usize].kind == UopKind::DefineAcc)
                    .collect();
                let place = (!accumulators.is_empty()).then(|| choices.pick(&accumulators));
                place.and_then(|place| {
                    let dtype = list.uops[place as usize].dtype?;
                    let value = find(choices, dtype)?;
                    Some(uop(UopKind::Phi, Some(dtype), &[place, value], UopArg::None))
                })
            }
            _ => (choices.byte() < 60).then(|| uop(UopKind::Barrier, None, &[], UopArg::None)),
        };
        match next {
            Some(next) => list.uops.push(next),
            None => {
                let constant = UopArg::Const(Constant::Int(i128::from(choices.number() % 9)));
                list.uops.push(uop(UopKind::Const, Some(int), &[], constant));
            }
        }
    }
    while let Some(opener) = open.pop() {
        list.uops.push(end(&list, opener));
    }
    list
}

fn end(list: &UopList, opener: u32) -> Uop {
    let condition = list.uops[opener as usize].kind == UopKind::If;
    let kind = if condition { UopKind::EndIf } else { UopKind::EndRange };
    Uop { kind, dtype: None, sources: SmallVec::from_slice(&[UopId(opener)]), arg: UopArg::None }
}

fn interpret(uops: UopList, launched: bool) -> Result<(), RunError> {
    let size = |n: i64| launched.then(|| vec![Sint::Int(n), Sint::Int(1), Sint::Int(1)]);
    let lowered = Lowered {
        target: Arc::new(Target::unlimited("any")),
        rules: Rules::default(),
        name: "any".to_owned(),
        axes: Vec::new(),
        global_size: size(3),
        local_size: size(4),
        applied: Vec::new(),
        uops,
        arena: Arena::default(),
        firings: Firings::default(),
    };
    let inputs = Inputs {
        buffers: vec![(1, small(Scalar::F32, 8)), (2, small(Scalar::I32, 9))],
        outputs: vec![(0, 8), (2, 9)],
        bindings: vec![("v".to_owned(), 3)],
    };
    let first = run(&lowered, &inputs, Budget { uop_lanes: 5000 });
    let again = run(&lowered, &inputs, Budget { uop_lanes: 5000 });
    assert_eq!(format!("{first:?}"), format!("{again:?}"), "a run is not repeatable");
    first.map(drop)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn anything_at_all(bytes in prop::collection::vec(any::<u8>(), 0..400), launched: bool) {
        let _ = interpret(wild(&mut Choices(&bytes), 4 + bytes.len() / 12), launched);
    }

    #[test]
    fn plausible_lists(bytes in prop::collection::vec(any::<u8>(), 0..900), launched: bool) {
        let _ = interpret(plausible(&mut Choices(&bytes), 8 + bytes.len() / 8), launched);
    }
}

/// The lists above are worth something: not all are refused before they run.
#[test]
fn plausible_lists_run() {
    let mut counts = [0; 3];
    for seed in 0..500u64 {
        let bytes: Vec<u8> = (0..600).map(|n| (crate::data::mix(seed, n) >> 56) as u8).collect();
        match interpret(plausible(&mut Choices(&bytes), 60), seed % 2 == 0) {
            Ok(()) => counts[0] += 1,
            Err(RunError::Faults(findings)) => {
                let malformed = findings.iter().any(|finding| finding.kind == crate::FindingKind::Malformed);
                counts[if malformed { 2 } else { 1 }] += 1;
            }
            Err(_) => {}
        }
    }
    assert!(
        counts[0] > 5 && counts[1] > 50,
        "ran {}, faults while running {}, malformed {}",
        counts[0],
        counts[1],
        counts[2]
    );
}
