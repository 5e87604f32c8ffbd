//! Small changes of a case that leave it a case: what a fuzzer does to what it found interesting.
//!
//! Each [`Edit`] changes one thing. An edit that leaves no valid case, or none that is lowered with its list of optimisations, is taken back and
//! another is tried, so that what comes out is valid where what went in was.

mod kernel;
mod opts;
mod splice;

use crate::case::{Case, DataMode};
use crate::generate::Choice;

/// How many edits are tried until one leaves a valid case.
const ATTEMPTS: usize = 12;

/// A kind of change. It answers whether it changed anything.
pub struct Edit {
    /// Its name.
    pub name: &'static str,
    apply: fn(&mut Case, &mut dyn Choice, Option<&Case>) -> bool,
}

/// All kinds. A new one is a function and a line here.
pub static EDITS: [Edit; 14] = [
    Edit { name: "size", apply: kernel::size },
    Edit { name: "operand", apply: kernel::operand },
    Edit { name: "operation", apply: kernel::operation },
    Edit { name: "type", apply: kernel::scalar },
    Edit { name: "constant", apply: kernel::constant },
    Edit { name: "movement", apply: kernel::movement },
    Edit { name: "drop-movement", apply: kernel::drop_movement },
    Edit { name: "drop-output", apply: kernel::drop_output },
    Edit { name: "add-opt", apply: opts::add },
    Edit { name: "drop-opt", apply: opts::drop_one },
    Edit { name: "plan", apply: opts::plan },
    Edit { name: "target", apply: opts::target },
    Edit { name: "data", apply: data },
    Edit { name: "splice", apply: splice::splice },
];

/// `case` with one change, with parts of `other` where there is one; and the name of the change. `None` where no change
/// that was tried leaves a valid case.
pub fn mutate(case: &Case, other: Option<&Case>, choice: &mut dyn Choice) -> Option<(Case, &'static str)> {
    for _ in 0..ATTEMPTS {
        let edit = &EDITS[choice.below(EDITS.len() as u32) as usize];
        let mut changed = case.clone();
        changed.comments.clear();
        if (edit.apply)(&mut changed, choice, other)
            && changed.check().is_ok()
            && kernel::is_small(&changed)
            && opts::keep_legal(&mut changed)
            && changed != *case
        {
            return Some((changed, edit.name));
        }
    }
    None
}

/// Other inputs.
fn data(case: &mut Case, choice: &mut dyn Choice, _: Option<&Case>) -> bool {
    match choice.below(3) {
        0 => case.data.seed = u64::from(choice.detail(u32::MAX)),
        1 => case.data.mode = DataMode::Auto,
        _ => case.data.mode = DataMode::Bounded,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{Profile, Seeded, from_choices};
    use crate::text;
    use plumb_core::linearize::lower;
    use plumb_core::rule::Rules;
    use plumb_core::target::Target;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    #[test]
    fn each_edit_is_made_and_leaves_cases_that_are_read_back_and_lowered() {
        let profile = Profile { illegal: 0, ..Profile::fuzz() };
        let mut made: BTreeMap<&str, usize> = BTreeMap::new();
        for number in 0..600 {
            let case = from_choices(&mut Seeded::new(7, number), &profile);
            let other = from_choices(&mut Seeded::new(8, number), &profile);
            let Some((changed, name)) = mutate(&case, Some(&other), &mut Seeded::new(9, number)) else { continue };
            *made.entry(name).or_default() += 1;
            let printed = text::print(&changed);
            assert_eq!(text::parse(&printed).expect("read back"), changed, "{name}: {printed}");
            let target = Target::named(&changed.target).expect("a target");
            let ast = changed.kernel.ast().expect("an AST");
            let lowered = lower(&Arc::new(ast), &Arc::new(target), &changed.opts, &changed.rules(Rules::default()));
            lowered.unwrap_or_else(|error| panic!("{name}: {error}\n{printed}"));
        }
        let missing: Vec<&str> = EDITS.iter().map(|edit| edit.name).filter(|name| !made.contains_key(name)).collect();
        assert!(missing.is_empty(), "never made: {missing:?}");
        assert!(made.values().sum::<usize>() > 570, "{made:?}");
    }
}
