//! Parts of one case in another.

use super::kernel::renumber;
use crate::case::{Case, Step};
use crate::generate::Choice;

/// A load becomes a value of the other case that has its type and shape, with all that this is computed from; or the
/// other's target and optimisations are taken.
pub(super) fn splice(case: &mut Case, choice: &mut dyn Choice, other: Option<&Case>) -> bool {
    let Some(other) = other else { return false };
    if choice.below(4) == 0 {
        case.target.clone_from(&other.target);
        case.opts = other.opts.clone();
        return true;
    }
    graft(case, choice, other).is_some()
}

fn graft(case: &mut Case, choice: &mut dyn Choice, other: &Case) -> Option<()> {
    let (dtypes, shapes) = (case.kernel.dtypes().ok()?, case.kernel.shapes().ok()?);
    let (their_dtypes, their_shapes) = (other.kernel.dtypes().ok()?, other.kernel.shapes().ok()?);
    let mut pairs = Vec::new();
    for (number, step) in case.kernel.steps.iter().enumerate() {
        if !matches!(step, Step::Load { .. } | Step::Constant { .. }) {
            continue;
        }
        for (theirs, step) in other.kernel.steps.iter().enumerate() {
            let fits = dtypes.get(number) == their_dtypes.get(theirs) && shapes.get(number) == their_shapes.get(theirs);
            if fits && !matches!(step, Step::Store { .. }) {
                pairs.push((number, theirs));
            }
        }
    }
    let count = u32::try_from(pairs.len()).ok().filter(|&count| count > 0)?;
    let (place, root) = pairs[choice.below(count) as usize];
    let inserted = needed(&other.kernel.steps, root);
    let fresh = 1 + buffers(&case.kernel.steps).max().unwrap_or(0);
    let variables = other.kernel.variables.iter();
    let unknown = variables.filter(|theirs| !case.kernel.variables.iter().any(|ours| ours.name == theirs.name));
    case.kernel.variables.extend(unknown.cloned().collect::<Vec<_>>());
    let mut new_number = vec![0; root + 1];
    let mut graft = Vec::new();
    for (number, &theirs) in inserted.iter().enumerate() {
        new_number[theirs] = place + number;
        let mut step = other.kernel.steps.get(theirs)?.clone();
        renumber(&mut step, |operand| new_number[operand]);
        if let Step::Load { buffer, .. } = &mut step {
            *buffer = buffer.checked_add(fresh)?;
        }
        graft.push(step);
    }
    let more = graft.len() - 1;
    case.kernel.steps.splice(place..=place, graft);
    for step in &mut case.kernel.steps[place + more + 1..] {
        renumber(step, |operand| if operand >= place { operand + more } else { operand });
    }
    Some(())
}

/// The steps that `root` is computed from, and itself, in order.
fn needed(steps: &[Step], root: usize) -> Vec<usize> {
    let mut needed = vec![false; root + 1];
    needed[root] = true;
    for number in (0..=root).rev() {
        if needed[number] {
            steps[number]
                .operands()
                .iter()
                .filter(|&&operand| operand < number)
                .for_each(|&operand| needed[operand] = true);
        }
    }
    (0..=root).filter(|&number| needed[number]).collect()
}

fn buffers(steps: &[Step]) -> impl Iterator<Item = u32> + '_ {
    steps.iter().filter_map(|step| match step {
        Step::Load { buffer, .. } | Step::Store { buffer, .. } => Some(*buffer),
        _ => None,
    })
}
