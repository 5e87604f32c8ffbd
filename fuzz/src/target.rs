//! The targets.

use crate::case::case_of;
use crate::finding::{About, Finding, folder};
use plumb_core::kernel::{LowerError, OptPlan};
use plumb_core::linearize::{self, Lowered};
use plumb_core::rule::Rules;
use plumb_core::target::Target as Device;
use plumb_corpus::case::{Case, Expect};
use plumb_corpus::generate::{Bytes, Profile, index_expression};
use plumb_corpus::round_trip;
use plumb_oracle::layouts::Layouts;
use plumb_oracle::optimisations::Optimisations;
use plumb_oracle::same_meaning::Rewrites;
use plumb_oracle::{Oracle, Subject, Verdict, judges, symbolic};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Once};

/// What a target makes of an input: whether it looked at something.
pub type Answer = Result<bool, Finding>;

/// A fuzz target.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, that of its file.
    pub name: &'static str,
    execute: fn(&[u8]) -> Answer,
}

/// Cases by the whole path: lowered, and judged by every judge that is asked by default.
pub const KERNEL: Target = Target { name: "kernel", execute: |data| judged(data, &Profile::fuzz(), judges) };

/// Cases whose optimisations are applied one by one, and others beside them.
pub const OPTIMISE: Target =
    Target { name: "optimise", execute: |data| judged(data, &Profile::fuzz(), || vec![Box::new(Optimisations)]) };

/// Views against their movements in numbers.
pub const SHAPE: Target =
    Target { name: "shape", execute: |data| judged(data, &Profile::layouts(), || vec![Box::new(Layouts)]) };

/// Kernels with their uops rewritten against the same without.
pub const UOPS: Target =
    Target { name: "uops", execute: |data| judged(data, &Profile::fuzz(), || vec![Box::new(Rewrites::default())]) };

/// Index expressions against enumeration.
pub const SYMBOLIC: Target = Target { name: "symbolic", execute: expressions };

/// The reader of cases.
pub const CASE_TEXT: Target = Target { name: "case_text", execute: |data| texts(data, round_trip::case_text) };

/// The reader of tinygrad's logs.
pub const TINYGRAD_LOG: Target = Target { name: "tinygrad_log", execute: |data| texts(data, round_trip::log_line) };

/// All targets.
pub const ALL: [Target; 7] = [KERNEL, OPTIMISE, SHAPE, UOPS, SYMBOLIC, CASE_TEXT, TINYGRAD_LOG];

impl Target {
    /// What becomes of an input. A panic is a finding.
    ///
    /// # Errors
    /// What is wrong.
    pub fn execute(&self, data: &[u8]) -> Answer {
        let caught = catch_unwind(AssertUnwindSafe(|| (self.execute)(data)));
        CURRENT.with_borrow_mut(|current| match caught {
            Ok(answer) => answer,
            Err(_) => {
                let message = PANIC.take().unwrap_or_else(|| "a panic".to_owned());
                let about = match current.take() {
                    Some(case) => About::Case(case, "values"),
                    None => About::Text(String::from_utf8_lossy(data).into_owned()),
                };
                Err(Finding { message, about })
            }
        })
    }

    /// As [`Target::execute`], for libFuzzer: reports a finding and ends the process.
    pub fn run(&self, data: &[u8]) -> bool {
        // libFuzzer's own hook would end the process before the case is saved.
        static HOOK: Once = Once::new();
        HOOK.call_once(|| std::panic::set_hook(Box::new(|info| PANIC.set(Some(info.to_string())))));
        match self.execute(data) {
            Ok(looked) => looked,
            Err(finding) => {
                eprintln!("{}", finding.report(self.name, &folder()));
                std::process::abort()
            }
        }
    }
}

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The case that is looked at.
    static CURRENT: RefCell<Option<Box<Case>>> = const { RefCell::new(None) };
}

/// Lowers a case and asks the judges.
fn judged(data: &[u8], profile: &Profile, judges: fn() -> Vec<Box<dyn Oracle>>) -> Answer {
    thread_local! {
        static JUDGES: RefCell<Vec<Box<dyn Oracle>>> = const { RefCell::new(Vec::new()) };
    }
    let Some(case) = case_of(data, profile) else { return Ok(false) };
    CURRENT.set(Some(Box::new(case.clone())));
    let fail =
        |judge: &'static str, message: String| Finding { message, about: About::Case(Box::new(case.clone()), judge) };
    let Some(lowered) = lowered(&case).map_err(|message| fail("values", message))? else { return Ok(false) };
    JUDGES.with_borrow_mut(|asked| {
        // A process has one target, a test several.
        *asked = judges();
        for judge in asked.iter() {
            if let Verdict::Fail(finding) = judge.judge(Subject { case: &case, lowered: &lowered }) {
                return Err(fail(judge.name(), finding.to_string()));
            }
        }
        Ok(true)
    })
}

/// What a case is lowered to; `None` where it is refused as it says, or for a list that is not legal, or as not
/// supported.
fn lowered(case: &Case) -> Result<Option<Lowered>, String> {
    let rules = case.rules(Rules::default());
    let ast = case.kernel.ast_with(&rules).map_err(|error| error.to_string())?;
    let Some(device) = Device::named(&case.target) else { return Ok(None) };
    match (linearize::lower(&Arc::new(ast), &Arc::new(device), &case.opts, &rules), &case.expect) {
        (Ok(lowered), Expect::Pass) => Ok(Some(lowered)),
        (Ok(_), Expect::Refused(_)) => Err("the kernel is lowered, but should be refused".to_owned()),
        (Err(LowerError::Unsupported(_)), _) => Ok(None),
        (Err(LowerError::Opt { .. }), _) if matches!(case.opts, OptPlan::List(_)) => Ok(None),
        (Err(error), Expect::Refused(text)) if error.to_string().contains(text.as_str()) => Ok(None),
        (Err(error), _) => Err(error.to_string()),
    }
}

fn expressions(data: &[u8]) -> Answer {
    let expression = index_expression(&mut Bytes::new(data));
    match symbolic::check(&expression.ranges, &expression.text, &Rules::default()) {
        Ok(symbolic::Symbolic::Same { .. }) => Ok(true),
        Ok(symbolic::Symbolic::Refused(_)) => Ok(false),
        Err(finding) => Err(Finding { message: finding.to_string(), about: About::Text(format!("{expression:?}")) }),
    }
}

fn texts(data: &[u8], read: fn(&str) -> Result<bool, String>) -> Answer {
    let Ok(text) = std::str::from_utf8(data) else { return Ok(false) };
    read(text).map_err(|message| Finding { message, about: About::Text(text.to_owned()) })
}
