//! Changes of what a kernel computes.

use crate::case::{Case, Dim, Layout, Movement, Step, Value, constant_of_kind};
use crate::generate::Choice;
use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;
use plumb_core::dtype::{DType, Scalar};

/// Most elements of a shape of a changed case: as many as a fuzzer's cases have.
const ELEMENTS: i64 = 8192;
/// Sizes that an axis may change to, the simplest first.
const SIZES: [i64; 14] = [2, 3, 4, 1, 5, 8, 7, 16, 15, 17, 32, 33, 31, 9];

/// Whether no shape has more elements than a fuzzer's cases may have.
pub(super) fn is_small(case: &Case) -> bool {
    let small = |shape: &[Dim]| {
        let sizes = shape.iter().map(|size| size.bounds(&case.kernel.variables).map_or(ELEMENTS, |(_, most)| most));
        sizes.fold(1, i64::saturating_mul) <= ELEMENTS
    };
    let Ok(shapes) = case.kernel.shapes() else { return false };
    let bases = case.kernel.steps.iter().filter_map(|step| match step.layout()? {
        Layout::Chain { base, .. } => Some(&base[..]),
        Layout::Views(views) => views.first().map(|view| &view.shape[..]),
    });
    shapes.iter().map(Vec::as_slice).chain(bases).all(small)
}

/// One of those of `steps` for which `of` has something, with its number.
fn any<T>(case: &Case, choice: &mut dyn Choice, of: impl Fn(&Step) -> Option<T>) -> Option<(usize, T)> {
    let mut found: Vec<(usize, T)> =
        case.kernel.steps.iter().enumerate().filter_map(|(number, step)| Some((number, of(step)?))).collect();
    let count = u32::try_from(found.len()).ok().filter(|&count| count > 0)?;
    Some(found.swap_remove(choice.below(count) as usize))
}

fn layout_of(step: &mut Step) -> Option<&mut Layout> {
    match step {
        Step::Load { layout, .. } | Step::Constant { layout, .. } | Step::Store { layout, .. } => Some(layout),
        _ => None,
    }
}

/// Every axis of one size gets another.
pub(super) fn size(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let sizes = |step: &Step| match step.layout()? {
        Layout::Chain { base, .. } => base.iter().filter_map(Dim::int).find(|&size| size > 1),
        Layout::Views(_) => None,
    };
    let Some((_, from)) = any(case, choice, sizes) else { return false };
    let to = SIZES[choice.detail(SIZES.len() as u32) as usize];
    let change = |dim: &mut Dim| {
        if *dim == Dim::Int(from) {
            *dim = Dim::Int(to);
        }
    };
    for layout in case.kernel.steps.iter_mut().filter_map(layout_of) {
        let Layout::Chain { base, movements } = layout else { return false };
        base.iter_mut().for_each(change);
        for movement in movements {
            match movement {
                Movement::Reshape(shape) | Movement::Expand(shape) => shape.iter_mut().for_each(change),
                Movement::Shrink(ranges) => ranges.iter_mut().for_each(|(_, end)| change(end)),
                Movement::Permute(_) | Movement::Pad(_) | Movement::Stride(_) => {}
            }
        }
    }
    true
}

/// An operand becomes another step of the same type and shape.
pub(super) fn operand(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let (Ok(dtypes), Ok(shapes)) = (case.kernel.dtypes(), case.kernel.shapes()) else { return false };
    let Some((number, operands)) = any(case, choice, |step| {
        let operands = step.operands().len();
        (operands > 0).then_some(operands)
    }) else {
        return false;
    };
    let place = choice.below(operands as u32) as usize;
    let old = case.kernel.steps[number].operands()[place];
    let same = |&other: &usize| {
        let types = dtypes.get(other).is_some() && dtypes.get(other) == dtypes.get(old);
        other != old && types && shapes.get(other) == shapes.get(old)
    };
    let others: Vec<usize> = (0..number).filter(same).collect();
    let Some(count) = u32::try_from(others.len()).ok().filter(|&count| count > 0) else { return false };
    let new = others[choice.below(count) as usize];
    match &mut case.kernel.steps[number] {
        Step::Alu(_, operands) => operands[place] = new,
        Step::Cast(_, source) | Step::Bitcast(_, source) | Step::Reduce(_, source, _) | Step::Store { source, .. } => {
            *source = new;
        }
        Step::Load { .. } | Step::Constant { .. } => return false,
    }
    true
}

/// An operation becomes another on as many operands.
pub(super) fn operation(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let of = |step: &Step| match step {
        Step::Alu(op, _) => Some(*op),
        _ => None,
    };
    let Some((number, old)) = any(case, choice, of) else { return false };
    let new = AluOp::ALL[choice.below(AluOp::ALL.len() as u32) as usize];
    if new == old || new.arity() != old.arity() || new.is_comparison() != old.is_comparison() {
        return false;
    }
    if let Step::Alu(op, _) = &mut case.kernel.steps[number] {
        *op = new;
    }
    true
}

/// Every value of one type gets another.
pub(super) fn scalar(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let of = |step: &Step| match step {
        Step::Load { dtype: DType::Scalar(scalar), .. } => Some(*scalar),
        _ => None,
    };
    let Some((_, from)) = any(case, choice, of) else { return false };
    let to = Scalar::ALL[choice.detail(Scalar::ALL.len() as u32) as usize];
    for step in &mut case.kernel.steps {
        let dtype = match step {
            Step::Load { dtype, .. } | Step::Store { dtype, .. } => dtype,
            Step::Cast(dtype, _) | Step::Bitcast(dtype, _) => dtype,
            Step::Constant { dtype, value, .. } => {
                if let (Value::Constant(value), true) = (&mut *value, *dtype == DType::Scalar(from)) {
                    let Some(converted) = constant_of_kind(*value, to) else { return false };
                    *value = converted;
                }
                dtype
            }
            _ => continue,
        };
        if *dtype == DType::Scalar(from) {
            *dtype = DType::Scalar(to);
        }
    }
    from != to
}

/// A constant becomes another.
pub(super) fn constant(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    const NUMBERS: [i128; 10] = [0, 1, 2, -1, 3, 4, 7, -2, 8, 5];
    let of = |step: &Step| match step {
        Step::Constant { value: Value::Constant(_), dtype, .. } => Some(dtype.scalar()),
        _ => None,
    };
    let Some((number, scalar)) = any(case, choice, of) else { return false };
    let drawn = Constant::Int(NUMBERS[choice.detail(NUMBERS.len() as u32) as usize]);
    let Some(drawn) = constant_of_kind(drawn.cast(scalar), scalar) else { return false };
    if let Step::Constant { value, .. } = &mut case.kernel.steps[number] {
        *value = Value::Constant(drawn);
    }
    true
}

/// What is read or written stands in another order, or zeros are put beside it and other elements left out.
pub(super) fn movement(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let Ok(shapes) = case.kernel.shapes() else { return false };
    let chain = |step: &Step| matches!(step.layout(), Some(Layout::Chain { .. })).then_some(());
    let Some((number, ())) = any(case, choice, chain) else { return false };
    let Some(shape) = shapes.get(number).filter(|shape| !shape.is_empty()) else { return false };
    let axis = choice.below(shape.len() as u32) as usize;
    let none = || (Dim::Int(0), Dim::Int(0));
    let is_store = matches!(case.kernel.steps[number], Step::Store { .. });
    let Some(Layout::Chain { movements, .. }) = layout_of(&mut case.kernel.steps[number]) else { return false };
    let Some(size) = shape[axis].int() else { return false };
    match choice.below(3) {
        0 => {
            let mut steps = vec![1; shape.len()];
            steps[axis] = -1;
            movements.push(Movement::Stride(steps));
        }
        1 => {
            // Two axes of one size change places.
            let Some(other) = (0..shape.len()).find(|&other| other != axis && shape[other] == shape[axis]) else {
                return false;
            };
            let mut order: Vec<usize> = (0..shape.len()).collect();
            order.swap(axis, other);
            movements.push(Movement::Permute(order));
        }
        _ if is_store => return false,
        _ => {
            let width = 1 + i64::from(choice.detail(size.clamp(1, 4) as u32));
            let mut widths: Vec<_> = shape.iter().map(|_| none()).collect();
            let mut ranges: Vec<_> = shape.iter().map(|size| (Dim::Int(0), size.clone())).collect();
            if choice.below(2) == 0 {
                widths[axis].1 = Dim::Int(width);
                ranges[axis] = (Dim::Int(width), Dim::Int(size + width));
            } else {
                widths[axis].0 = Dim::Int(width);
            }
            movements.extend([Movement::Pad(widths), Movement::Shrink(ranges)]);
        }
    }
    true
}

/// A movement that does not decide about the shape is left out.
pub(super) fn drop_movement(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let moved = |step: &Step| match step.layout()? {
        Layout::Chain { movements, .. } if !movements.is_empty() => Some(movements.len()),
        _ => None,
    };
    let Some((number, count)) = any(case, choice, moved) else { return false };
    let place = choice.below(count as u32) as usize;
    if let Some(Layout::Chain { movements, .. }) = layout_of(&mut case.kernel.steps[number]) {
        movements.remove(place);
    }
    true
}

/// One output less.
pub(super) fn drop_output(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    let outputs = case.kernel.steps.iter().filter(|step| matches!(step, Step::Store { .. })).count();
    let store = |step: &Step| matches!(step, Step::Store { .. }).then_some(());
    let Some((number, ())) = any(case, choice, store).filter(|_| outputs > 1) else { return false };
    // No step works on a store's result.
    case.kernel.steps.remove(number);
    for step in &mut case.kernel.steps[number..] {
        renumber(step, |operand| operand - usize::from(operand > number));
    }
    true
}

/// Gives a step's operands other numbers.
pub(super) fn renumber(step: &mut Step, to: impl Fn(usize) -> usize) {
    match step {
        Step::Alu(_, operands) => operands.iter_mut().for_each(|operand| *operand = to(*operand)),
        Step::Cast(_, source) | Step::Bitcast(_, source) | Step::Reduce(_, source, _) | Step::Store { source, .. } => {
            *source = to(*source);
        }
        Step::Load { .. } | Step::Constant { .. } => {}
    }
}
