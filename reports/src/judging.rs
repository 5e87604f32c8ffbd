//! Judging of one case: lowering it, asking the judges, and what comes out of it.

use plumb_core::ast::Ast;
use plumb_core::kernel::{LowerError, OptPlan};
use plumb_core::linearize::{self, Lowered};
use plumb_core::rule::Rules;
use plumb_core::target::{self, Target};
use plumb_core::uop::UopWorkspace;
use plumb_corpus::case::{Case, Expect};
use plumb_oracle::prove::worker::Workers;
use plumb_oracle::{Finding, FindingKind, Oracle, Subject, Verdict};
use std::cell::RefCell;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What the judges said of one case.
#[derive(Clone, Debug)]
pub(crate) struct CaseReport {
    /// Each judge with its verdict; a case that was not lowered has one verdict, of `lowering`.
    pub(crate) verdicts: Vec<(&'static str, Verdict)>,
    /// Second opinions that were not given, and why: `judge: reason`.
    pub(crate) left_out: Vec<String>,
}

/// How a case stands, over all judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nobody objects, and every judge that was asked has looked.
    Passed {
        /// Whether at the whole of it.
        whole: bool,
    },
    /// A judge objects.
    Failed,
    /// A judge can't tell, for this reason.
    Unknown(String),
    /// A judge did not look, for this reason.
    Skipped(String),
}

impl CaseReport {
    fn of_lowering(verdict: Verdict) -> CaseReport {
        CaseReport { verdicts: vec![("lowering", verdict)], left_out: Vec::new() }
    }

    /// How the case stands: the worst verdict counts.
    pub(crate) fn standing(&self) -> Standing {
        if self.findings().next().is_some() {
            return Standing::Failed;
        }
        if let Some((name, reason)) = self.verdicts.iter().find_map(|(name, verdict)| match verdict {
            Verdict::Unknown(reason) => Some((name, reason)),
            _ => None,
        }) {
            return Standing::Unknown(format!("{name}: {reason}"));
        }
        // What one judge could not look at is not made good by another that could.
        if let Some((name, reason)) = self.verdicts.iter().find_map(|(name, verdict)| match verdict {
            Verdict::Skipped(reason) => Some((name, reason)),
            _ => None,
        }) {
            return Standing::Skipped(format!("{name}: {reason}"));
        }
        if self.verdicts.is_empty() {
            let reason = self.left_out.first().cloned();
            return Standing::Skipped(reason.unwrap_or_else(|| "no judge was asked".to_owned()));
        }
        let whole = self.verdicts.iter().all(|(_, verdict)| matches!(verdict, Verdict::Pass { share: None }));
        Standing::Passed { whole }
    }

    /// What the judges object to.
    pub(crate) fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.verdicts.iter().filter_map(|(_, verdict)| match verdict {
            Verdict::Fail(finding) => Some(&**finding),
            _ => None,
        })
    }
}

/// Lowers and judges cases. One serves all threads.
pub(crate) struct Judging {
    oracles: Vec<Box<dyn Oracle>>,
    targets: HashMap<String, Arc<Target>>,
    rules: Rules,
}

impl Judging {
    /// With the judges of these names (none named: all but the backends and the prover), lowering by `rules`.
    pub(crate) fn new(names: &[String], rules: Rules) -> Result<Judging, String> {
        let mut all = plumb_oracle::judges();
        if !names.is_empty() {
            all.extend(plumb_oracle::judges_of_parts());
            all.extend(plumb_oracle::backend::backend_judges());
            all.push(Box::new(plumb_oracle::prove::Prove::new(plumb_oracle::prove::Prover::new(workers()))));
        }
        let known = all.iter().map(|oracle| oracle.name()).collect::<Vec<_>>().join(", ");
        if let Some(name) = names.iter().find(|name| !all.iter().any(|oracle| oracle.name() == name.as_str())) {
            return Err(format!("there is no judge {name}; there are {known}"));
        }
        let asked = |name: &str| names.is_empty() || names.iter().any(|asked| asked == name);
        let oracles = all.into_iter().filter(|oracle| asked(oracle.name())).collect();
        let targets = target::NAMES
            .iter()
            .flat_map(|name| [(*name).to_owned(), format!("{name}{}", target::IMAGE_BORDER)])
            .filter_map(|name| Some((name.clone(), Arc::new(Target::named(&name)?))))
            .collect();
        install_panic_recorder();
        Ok(Judging { oracles, targets, rules })
    }

    /// How many cases are best judged together.
    pub(crate) fn group(&self) -> usize {
        self.oracles.iter().map(|oracle| oracle.batch()).max().unwrap_or(1)
    }

    /// What the judges say of each of these cases. A panic of lowering or of a judge is a finding.
    pub(crate) fn judge(&self, cases: &[&Case]) -> Vec<CaseReport> {
        let lowered: Vec<Result<Lowered, Verdict>> = cases.iter().map(|case| self.lower_guarded(case)).collect();
        let subjects: Vec<Subject<'_>> = cases
            .iter()
            .zip(&lowered)
            .filter_map(|(&case, lowered)| Some(Subject { case, lowered: lowered.as_ref().ok()? }))
            .collect();
        let none = CaseReport { verdicts: Vec::new(), left_out: Vec::new() };
        let mut judged: Vec<CaseReport> = vec![none; subjects.len()];
        for oracle in &self.oracles {
            let verdicts = if oracle.batch() > 1 {
                ask_all(&**oracle, &subjects)
            } else {
                subjects.iter().map(|&subject| ask(&**oracle, subject)).collect()
            };
            for (judged, verdict) in judged.iter_mut().zip(verdicts) {
                match verdict {
                    Verdict::Skipped(reason) if oracle.is_second_opinion() => {
                        judged.left_out.push(format!("{}: {reason}", oracle.name()));
                    }
                    verdict => judged.verdicts.push((oracle.name(), verdict)),
                }
            }
        }
        let mut judged = judged.into_iter();
        lowered
            .into_iter()
            .map(|lowered| match lowered {
                Ok(_) => {
                    judged.next().unwrap_or_else(|| CaseReport::of_lowering(Verdict::Unknown("no verdict".to_owned())))
                }
                Err(verdict) => CaseReport::of_lowering(verdict),
            })
            .collect()
    }

    fn lower_guarded(&self, case: &Case) -> Result<Lowered, Verdict> {
        guarded(|| self.lower(case))
            .unwrap_or_else(|message| Err(fail(FindingKind::Panic, format!("lowering panicked: {message}"))))
    }

    fn lower(&self, case: &Case) -> Result<Lowered, Verdict> {
        let rules = case.rules(self.rules);
        let ast = case.kernel.ast_with(&rules).map_err(|error| fail(FindingKind::Lowering, error.to_string()))?;
        match self.lower_ast(&Arc::new(ast), &case.target, &case.opts, &rules) {
            Ok(lowered) => match &case.expect {
                Expect::Pass => Ok(lowered),
                Expect::Refused(_) => {
                    Err(fail(FindingKind::Lowering, "the kernel is lowered, but should be refused".to_owned()))
                }
            },
            Err(error) => Err(match &case.expect {
                Expect::Refused(text) if error.to_string().contains(text.as_str()) => Verdict::Pass { share: None },
                _ => verdict_of(&error, &case.opts),
            }),
        }
    }

    /// Lowers an AST for the target of this name.
    pub(crate) fn lower_ast(
        &self,
        ast: &Arc<Ast>,
        target: &str,
        plan: &OptPlan,
        rules: &Rules,
    ) -> Result<Lowered, LowerError> {
        let target = self.target(target)?;
        WORKSPACE.with_borrow_mut(|workspace| linearize::lower_with(ast, target, plan, rules, workspace))
    }

    /// The target of this name.
    pub(crate) fn target(&self, name: &str) -> Result<&Arc<Target>, LowerError> {
        self.targets.get(name).ok_or_else(|| LowerError::Unsupported(format!("there is no target {name}")))
    }
}

/// Z3 in processes of this program, where its file is known.
pub(crate) fn workers() -> Workers {
    let arguments = vec!["prove-worker".to_owned()];
    std::env::current_exe().map_or(Workers::InProcess, |program| Workers::Processes(program, arguments))
}

fn ask(oracle: &dyn Oracle, subject: Subject<'_>) -> Verdict {
    guarded(|| oracle.judge(subject)).unwrap_or_else(|message| {
        Verdict::Fail(Box::new(Finding {
            oracle: oracle.name(),
            kind: FindingKind::Panic,
            message: format!("the judge panicked: {message}"),
        }))
    })
}

/// All subjects at once; should that panic, one after the other.
fn ask_all(oracle: &dyn Oracle, subjects: &[Subject<'_>]) -> Vec<Verdict> {
    guarded(|| oracle.judge_all(subjects))
        .unwrap_or_else(|_| subjects.iter().map(|&subject| ask(oracle, subject)).collect())
}

fn fail(kind: FindingKind, message: String) -> Verdict {
    Verdict::Fail(Box::new(Finding { oracle: "lowering", kind, message }))
}

/// A kernel that is not supported yet, or a list of optimisations that is not legal for it, is nobody's fault; any
/// other refusal of a kernel that is expected to pass is a finding.
fn verdict_of(error: &LowerError, plan: &OptPlan) -> Verdict {
    match error {
        LowerError::Unsupported(what) => Verdict::Skipped(format!("not supported: {what}")),
        LowerError::Opt { .. } if matches!(plan, OptPlan::List(_)) => {
            Verdict::Skipped("an optimisation of the list is refused".to_owned())
        }
        other => fail(FindingKind::Lowering, other.to_string()),
    }
}

thread_local! {
    /// Memory that lowering uses again from case to case.
    static WORKSPACE: RefCell<UopWorkspace> = RefCell::default();
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics leave their message and place for [`guarded`] instead of printing them.
fn install_panic_recorder() {
    std::panic::set_hook(Box::new(|info| PANIC.set(Some(info.to_string()))));
}

fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| PANIC.take().unwrap_or_else(|| "no message".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdicts: Vec<Verdict>) -> CaseReport {
        CaseReport { verdicts: verdicts.into_iter().map(|verdict| ("values", verdict)).collect(), left_out: Vec::new() }
    }

    #[test]
    fn the_worst_verdict_counts() {
        let pass = || Verdict::Pass { share: None };
        let part = || Verdict::Pass { share: Some("2 of 9 workgroups".to_owned()) };
        let unknown = || Verdict::Unknown("x".to_owned());
        let skipped = || Verdict::Skipped("y".to_owned());
        assert_eq!(report(vec![pass(), pass()]).standing(), Standing::Passed { whole: true });
        assert_eq!(report(vec![pass(), skipped()]).standing(), Standing::Skipped("values: y".to_owned()));
        assert_eq!(report(vec![pass(), part()]).standing(), Standing::Passed { whole: false });
        assert_eq!(report(vec![pass(), unknown()]).standing(), Standing::Unknown("values: x".to_owned()));
        assert_eq!(report(vec![skipped()]).standing(), Standing::Skipped("values: y".to_owned()));
        assert_eq!(
            report(vec![unknown(), fail(FindingKind::Race, String::new()), pass()]).standing(),
            Standing::Failed
        );
        assert_eq!(report(vec![]).standing(), Standing::Skipped("no judge was asked".to_owned()));
    }

    #[test]
    fn a_panic_is_caught_with_its_message() {
        install_panic_recorder();
        let caught = guarded(|| -> u8 { panic!("seven") });
        assert!(caught.is_err_and(|message| message.contains("seven")));
    }
}
