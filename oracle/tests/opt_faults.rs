//! Faults planted in the checks of optimisations: each case of `opt_faults/` is refused by the check that it is named
//! after, and where that check is altered the values of what comes out are objected to.

use plumb_core::kernel::{LowerError, OptError};
use plumb_core::linearize::{Lowered, lower};
use plumb_core::rule::{self, Rules, State};
use plumb_core::target::Target;
use plumb_corpus::case::Case;
use plumb_oracle::values::Values;
use plumb_oracle::{FindingKind, Oracle, Subject, Verdict};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opt_faults");
    let entries = std::fs::read_dir(folder).expect("a folder of cases");
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    cases.sort();
    cases
}

fn lowered(case: &Case, rules: Rules) -> Result<Lowered, LowerError> {
    let ast = Arc::new(case.kernel.ast().expect("a kernel"));
    let target = Arc::new(Target::named(&case.target).expect("a built-in target"));
    lower(&ast, &target, &case.opts, &rules)
}

#[test]
fn an_altered_check_leads_to_wrong_values() {
    let cases = cases();
    for path in &cases {
        let name = format!("opt/{}", path.file_stem().and_then(|stem| stem.to_str()).expect("a name"));
        let text = std::fs::read_to_string(path).expect("a case");
        let case = plumb_corpus::text::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let check = rule::named(&name).unwrap_or_else(|| panic!("{name} is no check"));
        match lowered(&case, Rules::default()) {
            Err(LowerError::Opt { error, .. }) if matches!(*error, OptError::Refused { check: by, .. } if by.info() == check) =>
                {}
            other => panic!("{name} should refuse, but {:?}", other.map(|lowered| lowered.name)),
        }
        let altered = lowered(&case, Rules::default().with(check.id, State::Altered));
        let altered = altered.unwrap_or_else(|error| panic!("{name} altered: {error}"));
        match Values::default().judge(Subject { case: &case, lowered: &altered }) {
            Verdict::Fail(finding) => assert!(
                matches!(finding.kind, FindingKind::WrongValue | FindingKind::OutputCoverage),
                "{name} altered: {finding}"
            ),
            verdict => panic!("{name} altered: {verdict:?}"),
        }
    }
    assert_eq!(cases.len(), 6, "cases of planted faults");
}
