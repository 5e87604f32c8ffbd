//! The choice of ranges for the elements of input buffers.
//!
//! Where the operations allow it, whole numbers small enough that every result is exact ([`exact`]), and as many
//! different ones as that leaves room for. Otherwise fractions of a moderate size with which few operations leave what
//! floats can say ([`survey`]): no logarithms of negative numbers, no quotients by what may be zero.

use super::{Distribution, Inputs, mix};
use crate::reference::program::{Op, Program, Step};
use crate::reference::{exact, survey};
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::dtype::Scalar;
use plumb_corpus::case::{Data, DataMode};

/// Largest magnitudes tried in exact mode, beginning with all of an integer type.
const MAGNITUDES: [i64; 15] = [i64::MAX, 1 << 30, 1 << 15, 2047, 1000, 255, 100, 63, 31, 15, 7, 5, 3, 2, 1];

/// Largest magnitudes tried where sums are to be exact but what is done with them is not.
const SUMMED_MAGNITUDES: [i64; 6] = [63, 15, 7, 3, 2, 1];

/// Kernels with more inputs than this get one magnitude for all of them.
const ADJUSTED_BUFFERS: usize = 24;

/// The signs that a buffer's elements have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signs {
    Both,
    Positive,
    Negative,
}

/// Sets the distribution of every input buffer.
pub(super) fn choose(program: &Program, data: Data, inputs: &mut Inputs) {
    let bounded = matches!(data.mode, DataMode::Bounded | DataMode::Special);
    if !bounded && choose_exact(program, inputs) {
        return;
    }
    choose_bounded(program, inputs);
    if data.mode == DataMode::Special {
        // Not in every buffer: a special value meets an ordinary one more often than another special one.
        for (_, buffer) in inputs.buffers.iter_mut().filter(|(_, buffer)| buffer.dtype.is_float()) {
            buffer.distribution.specials = mix(buffer.seed, 3) & 1 == 0;
        }
    }
}

/// Whether a choice was found with which results are exact.
fn choose_exact(program: &Program, inputs: &mut Inputs) -> bool {
    let seeded = seeded_signs(program, inputs);
    let positive = vec![Signs::Positive; seeded.len()];
    for overflows in [false, true] {
        for signs in [&seeded, &positive] {
            let passes = |inputs: &Inputs| {
                let analysis = exact::analyse(program, inputs);
                analysis.inexact.is_none() && (overflows || !analysis.overflows)
            };
            let set = |inputs: &mut Inputs, number: usize, level: usize| {
                let buffer = &mut inputs.buffers[number].1;
                buffer.distribution = whole_numbers(buffer.dtype, MAGNITUDES[level], signs[number]);
            };
            let all =
                |inputs: &mut Inputs, level: usize| (0..signs.len()).for_each(|number| set(inputs, number, level));
            // Smaller magnitudes are exact where larger ones are, so that the smallest decides quickly.
            all(inputs, MAGNITUDES.len() - 1);
            if !passes(inputs) {
                continue;
            }
            let mut level = 0;
            all(inputs, level);
            while !passes(inputs) && level + 1 < MAGNITUDES.len() {
                level += 1;
                all(inputs, level);
            }
            if signs.len() > 1 && signs.len() <= ADJUSTED_BUFFERS {
                for number in 0..signs.len() {
                    // What the others leave room for.
                    (0..=level).find(|&larger| {
                        set(inputs, number, larger);
                        larger == level || passes(inputs)
                    });
                }
            }
            return true;
        }
    }
    false
}

/// The signs of each buffer's elements, by its seed. Where there is a maximum, not only positive ones: one that is taken
/// from zero on would not show.
fn seeded_signs(program: &Program, inputs: &Inputs) -> Vec<Signs> {
    let is_max = |step: &Step| matches!(step.op, Op::Reduce { op: ReduceOp::Max, .. } | Op::Alu(AluOp::Max, _));
    let positive = if program.steps.iter().any(is_max) { Signs::Negative } else { Signs::Positive };
    inputs.buffers.iter().map(|(_, buffer)| signs(buffer.seed, positive)).collect()
}

fn signs(seed: u64, positive: Signs) -> Signs {
    match mix(seed, 1) & 7 {
        0 => positive,
        1 => Signs::Negative,
        _ => Signs::Both,
    }
}

/// Whole numbers of a type of at most this magnitude, never all the same.
fn whole_numbers(scalar: Scalar, magnitude: i64, signs: Signs) -> Distribution {
    let most = match scalar {
        Scalar::Bool => return Distribution::integers(0, 1),
        Scalar::U64 if magnitude == i64::MAX => return Distribution::integers(i64::MIN, i64::MAX),
        Scalar::U64 | Scalar::I64 => magnitude,
        Scalar::BF16 => magnitude.min(255),
        scalar if scalar.is_float() => magnitude.min(2047),
        scalar => magnitude.min(scalar.int_range().map_or(i64::MAX, |(_, most)| most as i64)),
    };
    // Of a single magnitude both it and zero are drawn.
    let least = if most == 1 { 0 } else { 1 };
    match signs {
        Signs::Positive => Distribution::integers(least, most),
        _ if scalar.is_unsigned() => Distribution::integers(0, most),
        Signs::Negative => Distribution::integers(-most, -least),
        Signs::Both => {
            let lowest = if scalar.is_int() && magnitude == i64::MAX { -most - 1 } else { -most };
            Distribution::integers(lowest, most)
        }
    }
}

/// Fractions, or small integers.
fn fractions(program: &Program, argument: u32, scalar: Scalar, signs: Signs) -> Distribution {
    let half = |op: &Op| matches!(op, Op::Load { buffer, half_image: true, .. } if *buffer == argument);
    let bits = match scalar {
        Scalar::Bool => return Distribution::integers(0, 1),
        Scalar::BF16 => 7,
        Scalar::F16 => 10,
        Scalar::F32 if program.steps.iter().any(|step| half(&step.op)) => 10,
        _ => 12,
    };
    let (least, most) = if scalar.is_float() { (1 << (bits - 3), 1 << bits) } else { (1, 8) };
    let (low, high) = match signs {
        Signs::Both if scalar.is_unsigned() => (0, most),
        Signs::Both => (-most, most),
        Signs::Positive => (least, most),
        Signs::Negative => (-most, -least),
    };
    Distribution { low, high, exponent: if scalar.is_float() { 1 - bits } else { 0 }, specials: false }
}

/// Whole numbers with which all sums are exact, where that brings no more hazards than fractions do; otherwise fractions.
fn choose_bounded(program: &Program, inputs: &mut Inputs) {
    let hazards = choose_fractions(program, inputs);
    let sums = |inputs: &Inputs| exact::analyse(program, inputs).inexact_sums;
    let inexact = sums(inputs);
    if inexact == 0 {
        return;
    }
    let fractions = inputs.clone();
    let seeded = seeded_signs(program, inputs);
    let positive = vec![Signs::Positive; seeded.len()];
    for signs in [&seeded, &positive] {
        for magnitude in SUMMED_MAGNITUDES {
            for ((_, buffer), &signs) in inputs.buffers.iter_mut().zip(signs) {
                buffer.distribution = whole_numbers(buffer.dtype, magnitude, signs);
            }
            if sums(inputs) < inexact && survey::hazards(program, inputs) <= hazards {
                return;
            }
        }
    }
    *inputs = fractions;
}

/// Fractions of both signs for as many buffers as possible without more hazards than positive ones have; how many
/// hazards there are.
fn choose_fractions(program: &Program, inputs: &mut Inputs) -> usize {
    let set = |inputs: &mut Inputs, number: usize, signs: Signs| {
        let (argument, buffer) = &mut inputs.buffers[number];
        buffer.distribution = fractions(program, *argument, buffer.dtype, signs);
    };
    let buffers = inputs.buffers.len();
    let all = |inputs: &mut Inputs, signs: Signs| (0..buffers).for_each(|number| set(inputs, number, signs));
    all(inputs, Signs::Both);
    let hazards = survey::hazards(program, inputs);
    if hazards == 0 {
        return 0;
    }
    all(inputs, Signs::Positive);
    let least = survey::hazards(program, inputs);
    if least >= hazards {
        all(inputs, Signs::Both);
        return hazards;
    }
    if buffers <= ADJUSTED_BUFFERS {
        for number in 0..buffers {
            set(inputs, number, Signs::Both);
            if survey::hazards(program, inputs) > least {
                set(inputs, number, Signs::Positive);
            }
        }
    }
    least
}
