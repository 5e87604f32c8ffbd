//! Which steps a value needs, in which order, and for how long each result is kept.

use super::ReferenceError;
use super::program::{Op, Program};

/// Reductions within reductions beyond this are not evaluated.
const NESTING: usize = 4;

/// Entries of all schedules of one value together, beyond which it is not evaluated.
const ENTRIES: usize = 1 << 20;

/// The steps from which one step's value follows, reductions counting as one each, with schedules of their own for what
/// they reduce.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// The steps, operands first; the last one is the value.
    pub(crate) entries: Vec<Entry>,
    /// The places of the shape whose values are computed.
    pub(crate) root: usize,
}

/// One step of a schedule.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Number of the step in the program.
    pub(crate) step: usize,
    /// Steps whose results no later entry takes.
    pub(crate) last_used: Vec<usize>,
    /// What a reduction reduces.
    pub(crate) source: Option<Schedule>,
}

impl Schedule {
    /// The schedule of the value of step `root`.
    pub(crate) fn new(program: &Program, root: usize) -> Result<Schedule, ReferenceError> {
        let mut entries = 0;
        Schedule::build(program, root, 0, &mut entries)
    }

    fn build(program: &Program, root: usize, depth: usize, entries: &mut usize) -> Result<Schedule, ReferenceError> {
        if depth > NESTING {
            return Err(ReferenceError::Unsupported("reductions nested too deeply".to_owned()));
        }
        // Operands come before what takes them, so going down through the numbers meets every step after its users.
        let mut last_user = vec![None; root + 1];
        last_user[root] = Some(root);
        let mut steps = Vec::new();
        for number in (0..=root).rev() {
            if last_user[number].is_none() {
                continue;
            }
            steps.push(number);
            let op = &program.steps[number].op;
            if !matches!(op, Op::Reduce { .. }) {
                for &operand in op.operands() {
                    last_user[operand].get_or_insert(number);
                }
            }
        }
        *entries += steps.len();
        if *entries > ENTRIES {
            return Err(ReferenceError::Unsupported("too many steps".to_owned()));
        }
        let mut freed = vec![Vec::new(); root + 1];
        for &number in &steps {
            if let Some(user) = last_user[number].filter(|&user| user != number) {
                freed[user].push(number);
            }
        }
        let entry = |step: usize| {
            let source = match program.steps[step].op {
                Op::Reduce { source, .. } => Some(Schedule::build(program, source, depth + 1, entries)?),
                _ => None,
            };
            Ok(Entry { step, last_used: std::mem::take(&mut freed[step]), source })
        };
        Ok(Schedule { entries: steps.into_iter().rev().map(entry).collect::<Result<_, _>>()?, root })
    }

    /// How many step evaluations one place costs.
    pub(crate) fn cost(&self, program: &Program) -> u64 {
        let entry = |entry: &Entry| match (&entry.source, &program.steps[entry.step].op) {
            (Some(source), Op::Reduce { count, .. }) => source.cost(program).saturating_mul(*count as u64),
            _ => 1,
        };
        self.entries.iter().map(entry).fold(0, u64::saturating_add)
    }
}
