//! The way of a kernel to its uops, stage by stage: what `plumb uops --stages` prints.
//!
//! AST, buffers' views, axes and views after each optimisation, index expressions, uops as built, after rewriting and in
//! their order, rules that fired, the program record.

mod kernel;
mod program;
mod uops;

use crate::terminal::{DIM, HEADING, WRONG, kernel_name, styled};
use plumb_core::ast::Ast;
use plumb_core::kernel::{Kernel, LowerError, OptPlan, UniqueNames};
use plumb_core::linearize::{Lowered, Trace};
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::fmt::Write;
use std::sync::Arc;

/// What is to be shown.
pub(crate) struct Subject<'a> {
    /// Where the kernel comes from.
    pub(crate) origin: &'a str,
    pub(crate) ast: &'a Arc<Ast>,
    pub(crate) target: &'a Arc<Target>,
    pub(crate) plan: &'a OptPlan,
    pub(crate) rules: &'a Rules,
}

/// All stages as text, in colours; where the kernel can't be lowered, those before, then why.
pub(crate) fn show(subject: &Subject<'_>, names: &mut UniqueNames) -> String {
    let mut text = String::new();
    let mut trace = Trace::default();
    let mut body = String::new();
    let lowered = stages(subject, &mut trace, &mut body);
    let title = match &lowered {
        Ok(lowered) => kernel_name(&lowered.name, &lowered.axes, &names.suffix(&lowered.name)),
        Err(_) => "kernel".to_owned(),
    };
    let _ = writeln!(text, "{title} {}", styled(DIM, format_args!("for {}, {}", subject.target.name, subject.origin)));
    text.push_str(&body);
    match &lowered {
        Ok(lowered) => {
            uops::show(&mut text, &trace.graph, lowered);
            program::show(&mut text, subject.ast, lowered);
        }
        Err(error) => {
            if !trace.graph.built.list.uops.is_empty() {
                uops::show_graph(&mut text, &trace.graph, &kernel_arena(&trace));
            }
            let _ = writeln!(text, "\n{} {error}", styled(WRONG, "not lowered:"));
        }
    }
    text
}

fn kernel_arena(trace: &Trace) -> plumb_core::symbolic::Arena {
    trace.kernel.as_ref().map(|kernel| kernel.arena.clone()).unwrap_or_default()
}

/// The stages up to the index expressions.
fn stages(subject: &Subject<'_>, trace: &mut Trace, text: &mut String) -> Result<Lowered, LowerError> {
    heading(text, "AST");
    kernel::show_ast(text, subject.ast);
    let mut kernel = Kernel::new(subject.ast, subject.target, subject.rules)?;
    heading(text, "Kernel, and what optimisations make of it");
    kernel::show_state(text, &kernel, "start");

    // A plan chooses by itself: what it chose is applied once more, one by one, to be looked at.
    let mut planned = kernel.clone();
    let outcome = planned.apply_plan(subject.plan);
    for &opt in &planned.applied {
        kernel.apply_opt(opt).map_err(|error| LowerError::Opt { opt, error: Box::new(error) })?;
        kernel::show_state(text, &kernel, &opt.to_string());
    }
    outcome?;
    let lowered = planned.linearize_traced(trace);
    if let Some(ready) = &trace.kernel {
        if !ready.same_state(&kernel) {
            kernel::show_state(text, ready, "lowered as");
        }
        heading(text, "Index expressions, before their expansion over upcasted axes (_uidx)");
        kernel::show_accesses(text, ready, &trace.accesses);
    }
    lowered
}

/// A heading.
fn heading(text: &mut String, name: &str) {
    let _ = writeln!(text, "\n{}", styled(HEADING, name));
}
