//! Random kernels: both evaluators agree, exact values are exact, bounds hold for any rounding order.

use super::super::rounding::Format;
use super::*;
use crate::data::mix;
use plumb_core::ast::{AluOp, ReduceOp};
use plumb_core::constant::Constant;
use plumb_core::dtype::DType;
use plumb_core::kernel::OptPlan;
use plumb_corpus::case::{Data, Dim, Expect, Kernel, Layout, Movement, Step, Value};

struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    fn below(&mut self, below: usize) -> usize {
        self.drawn += 1;
        (mix(self.seed, self.drawn) % below as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const SHAPE: [i64; 3] = [3, 4, 2];

fn dims(sizes: &[i64]) -> Vec<Dim> {
    sizes.iter().copied().map(Dim::Int).collect()
}

/// A view of shape [`SHAPE`] of some buffer.
fn load(random: &mut Random, buffer: u32, scalar: Scalar, reduced: Option<usize>) -> Step {
    let mut shape = SHAPE;
    if let Some(axis) = reduced {
        shape[axis] = 1;
    }
    let (base, movements) = match random.below(4) {
        0 => (shape.to_vec(), Vec::new()),
        1 => {
            let steps = shape.iter().map(|_| random.one_of(&[1, -1])).collect();
            (shape.to_vec(), vec![Movement::Stride(steps)])
        }
        2 => {
            let flipped: Vec<i64> = shape.iter().rev().copied().collect();
            (flipped, vec![Movement::Permute(vec![2, 1, 0])])
        }
        _ => {
            let inner: Vec<i64> = shape.iter().map(|&size| 1.max(size - 1)).collect();
            let pads = shape.iter().zip(&inner).map(|(size, inner)| (Dim::Int(size - inner), Dim::Int(0))).collect();
            (inner, vec![Movement::Pad(pads)])
        }
    };
    Step::Load { buffer, dtype: scalar.into(), layout: Layout::Chain { base: dims(&base), movements } }
}

/// A kernel of loads, arithmetic, perhaps a reduction, and arithmetic after it.
fn kernel(random: &mut Random, exact: bool) -> Case {
    let scalar = random.one_of(&[Scalar::F32, Scalar::F16, Scalar::F64, Scalar::I32, Scalar::U8, Scalar::F32]);
    let mut steps: Vec<Step> = Vec::new();
    let mut reduced = None;
    let mut buffer = 0;
    let mut values: Vec<usize> = Vec::new();
    for stage in 0..2 {
        for _ in 0..2 {
            buffer += 1;
            values.push(steps.len());
            steps.push(load(random, buffer, scalar, reduced));
        }
        let mut shape = SHAPE;
        if let Some(axis) = reduced {
            shape[axis] = 1;
        }
        let layout = Layout::Chain { base: dims(&shape), movements: Vec::new() };
        let value = Value::Constant(if scalar.is_float() { Constant::Float(0.5) } else { Constant::Int(3) });
        values.push(steps.len());
        steps.push(Step::Constant { value, dtype: scalar.into(), layout });
        for _ in 0..random.below(4) {
            let pick = |random: &mut Random| values[random.below(values.len())];
            let (a, b) = (pick(random), pick(random));
            let unary = if !scalar.is_float() || exact {
                &[AluOp::Neg][..]
            } else {
                &[AluOp::Exp2, AluOp::Sqrt, AluOp::Sin, AluOp::Neg][..]
            };
            let step = match random.below(6) {
                0 => Step::Alu(random.one_of(unary), vec![a]),
                1 => {
                    steps.push(Step::Alu(AluOp::CmpLt, vec![a, b]));
                    Step::Alu(AluOp::Where, vec![steps.len() - 1, b, a])
                }
                2 if !exact => Step::Alu(AluOp::Div, vec![a, b]),
                3 => Step::Alu(AluOp::Mul, vec![a, b]),
                _ => Step::Alu(random.one_of(&[AluOp::Add, AluOp::Sub, AluOp::Max, AluOp::Mul]), vec![a, b]),
            };
            values.push(steps.len());
            steps.push(step);
        }
        if stage == 0 && random.below(4) > 0 {
            let axis = random.below(3);
            let last = steps.len() - 1;
            steps.push(Step::Reduce(random.one_of(&[ReduceOp::Sum, ReduceOp::Sum, ReduceOp::Max]), last, vec![axis]));
            reduced = Some(axis);
            values.clear();
            values.push(steps.len() - 1);
        }
    }
    let mut shape = SHAPE;
    if let Some(axis) = reduced {
        shape[axis] = 1;
    }
    let layout = Layout::Chain { base: dims(&shape), movements: Vec::new() };
    let source = steps.len() - 1;
    steps.push(Step::Store { buffer: 0, dtype: DType::Scalar(scalar), layout, source });
    Case {
        comments: Vec::new(),
        target: "clang".to_owned(),
        kernel: Kernel { variables: Vec::new(), steps },
        opts: OptPlan::Required,
        data: Data { mode: if exact { DataMode::Auto } else { DataMode::Bounded }, seed: mix(random.seed, 99) },
        expect: Expect::Pass,
    }
}

#[test]
fn both_evaluators_agree() {
    for number in 0..600 {
        let mut random = Random { seed: mix(21, number), drawn: 0 };
        let case = kernel(&mut random, number % 2 == 0);
        let inputs = inputs(&case).unwrap_or_else(|error| panic!("{error}"));
        evaluate_both(&case, &inputs);
    }
}

/// Where inputs were chosen so that results are exact, the bounds for any rounding and order are those same points.
#[test]
fn exact_results_are_the_only_ones_within_bounds() {
    let mut exact = 0;
    for number in 0..600 {
        let mut random = Random { seed: mix(22, number), drawn: 0 };
        let mut case = kernel(&mut random, true);
        let inputs = inputs(&case).unwrap_or_else(|error| panic!("{error}"));
        if Reference::new(&case, &inputs, Precision::INTERPRETER).expect("a reference").inexact().is_some() {
            continue;
        }
        exact += 1;
        let expected = evaluate_both(&case, &inputs);
        case.data.mode = DataMode::Bounded;
        for (exact, bounded) in expected.into_iter().zip(evaluate_both(&case, &inputs)) {
            let zero = |expected| matches!(expected, Expected::Exact(bits) if bits << 1 == 0 || bits == 0x8000 || bits == 1 << 31);
            let zeros =
                zero(exact) && (zero(bounded) || bounded == Expected::Between { low: -0.0, high: 0.0, nan: false });
            assert!(exact == bounded || zeros, "{exact:?} {bounded:?}\n{}", plumb_corpus::text::print(&case));
        }
    }
    assert!(exact > 300, "{exact}");
}

/// Runs the kernel in its type's own arithmetic, summing in some order: whatever it gives, the bounds allow.
#[test]
fn any_order_of_rounded_operations_is_within_bounds() {
    let (mut compared, mut points, mut undecided) = (0, 0, 0);
    for number in 0..600 {
        let mut random = Random { seed: mix(23, number), drawn: 0 };
        let case = kernel(&mut random, false);
        let inputs = inputs(&case).unwrap_or_else(|error| panic!("{error}"));
        let expected = evaluate_both(&case, &inputs);
        for round in 0..3 {
            let Some(results) = run(&case, &inputs, &mut random, round == 1) else { continue };
            for (place, (expected, result)) in expected.iter().zip(results).enumerate() {
                let scalar = Reference::new(&case, &inputs, Precision::INTERPRETER)
                    .expect("a reference")
                    .program
                    .steps
                    .last()
                    .map(|step| step.scalar)
                    .expect("steps");
                assert!(
                    crate::compare::allows(*expected, rounding::float_bits(result, scalar), scalar),
                    "place {place}: {result:?} is not {expected:?}\n{}",
                    plumb_corpus::text::print(&case)
                );
                compared += 1;
                points += u32::from(matches!(expected, Expected::Exact(_)));
                undecided += u32::from(*expected == Expected::Undecided);
            }
        }
    }
    assert!(compared > 8000 && points * 4 > compared && undecided * 8 < compared, "{compared} {points} {undecided}");
}

/// A plain interpreter of float kernels: every operation rounded, sums in random order; `fused`: products that feed sums
/// are not rounded.
fn run(case: &Case, inputs: &Inputs, random: &mut Random, fused: bool) -> Option<Vec<f64>> {
    let program = Program::new(&case.kernel, &inputs.bindings).ok()?;
    let scalar = program.steps.last()?.scalar;
    // The exact products of f64 do not fit one.
    if !scalar.is_float() || (fused && scalar == Scalar::F64) {
        return None;
    }
    let format = Format::of(scalar);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for (number, step) in program.steps.iter().enumerate() {
        let size = lanes::size_of(&step.shape).ok()? as usize;
        let round = |value: f64| if fused && program.fusible[number] { value } else { format.nearest(value) };
        columns.push(match &step.op {
            Op::Load { buffer, layout, .. } => {
                let contents = &inputs.buffers.iter().find(|(argument, _)| argument == buffer)?.1;
                let elements = arrays::elements(&program.layouts[*layout]).ok()?;
                elements.into_iter().map(|element| if element < 0 { 0.0 } else { contents.float(element) }).collect()
            }
            Op::Constant { value: Constant::Float(value), .. } => vec![*value; size],
            Op::Alu(op, operands) => (0..size)
                .map(|place| {
                    let operand = |number: usize| columns[operands[number]][place];
                    let a = operand(0);
                    round(match op {
                        AluOp::Add => a + operand(1),
                        AluOp::Sub => a - operand(1),
                        AluOp::Mul => a * operand(1),
                        AluOp::Div => a / operand(1),
                        AluOp::Max if a > operand(1) => a,
                        AluOp::Max => operand(1),
                        AluOp::CmpLt => f64::from(u8::from(a < operand(1))),
                        AluOp::Where => operand(if a != 0.0 { 1 } else { 2 }),
                        AluOp::Neg => -a,
                        AluOp::Sqrt => a.sqrt(),
                        AluOp::Exp2 => a.exp2(),
                        _ => a.sin(),
                    })
                })
                .collect(),
            Op::Reduce { op, source, axes, .. } => {
                let inner = &program.steps[*source].shape;
                let mut groups: Vec<Vec<f64>> = vec![Vec::new(); size];
                for (place, &value) in columns[*source].iter().enumerate() {
                    let mut group = 0;
                    let (mut rest, mut stride) = (place as i64, 1);
                    for axis in (0..inner.len()).rev() {
                        let along = rest % inner[axis];
                        rest /= inner[axis];
                        if !axes.contains(&axis) {
                            group += along * stride;
                            stride *= inner[axis];
                        }
                    }
                    groups[group as usize].push(value);
                }
                groups
                    .into_iter()
                    .map(|mut terms| {
                        while terms.len() > 1 {
                            let a = terms.swap_remove(random.below(terms.len()));
                            let b = terms.swap_remove(random.below(terms.len()));
                            terms.push(match op {
                                ReduceOp::Sum => format.nearest(a + b),
                                ReduceOp::Max if a > b => a,
                                ReduceOp::Max => b,
                            });
                        }
                        format.nearest(terms[0])
                    })
                    .collect()
            }
            Op::Store { source, .. } => columns[*source].clone(),
            _ => return None,
        });
    }
    columns.pop()
}
