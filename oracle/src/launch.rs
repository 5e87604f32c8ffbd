//! The judge of launches: whether the target can start the kernel at all.

use crate::{Finding, FindingKind, Oracle, Subject, Verdict};
use plumb_core::symbolic::Sint;
use plumb_core::target::Target;
use plumb_core::uop::{UopArg, UopKind};

/// Compares launch dimensions and shared memory with the target's limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Launch;

const NAME: &str = "launch";

impl Oracle for Launch {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "compares the launch grid, the size of workgroups and their shared memory with the target's limits"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        match excess(subject, &subject.lowered.target) {
            None => Verdict::Pass { share: None },
            Some(message) => Verdict::Fail(Box::new(Finding { oracle: NAME, kind: FindingKind::Launch, message })),
        }
    }
}

/// What exceeds the target's limits. Symbolic sizes are not looked at.
fn excess(subject: Subject<'_>, target: &Target) -> Option<String> {
    let lowered = subject.lowered;
    let sizes = [
        ("launch grid", &lowered.global_size, &target.global_max),
        ("workgroup", &lowered.local_size, &target.local_max),
    ];
    for (what, sizes, limits) in sizes {
        let (Some(sizes), Some(limits)) = (sizes, limits) else { continue };
        if sizes.len() > limits.len() {
            return Some(format!("a {what} of {} dimensions, where the target has {}", sizes.len(), limits.len()));
        }
        // Limits are listed with the innermost dimension, which comes first in a launch, last.
        for (dimension, (size, &limit)) in sizes.iter().zip(limits.iter().rev()).enumerate() {
            if let Sint::Int(size) = *size
                && size > limit
            {
                return Some(format!("dimension {dimension} of the {what} is {size}, and the target's limit {limit}"));
            }
        }
    }
    let shared = lowered.uops.uops.iter().filter(|uop| uop.kind == UopKind::DefineLocal).map(|uop| match &uop.arg {
        UopArg::Local { size, .. } => size.saturating_mul(uop.dtype.map_or(0, |dtype| dtype.size() as i64)),
        _ => 0,
    });
    let shared = shared.fold(0, i64::saturating_add);
    (shared > target.shared_max)
        .then(|| format!("a workgroup shares {shared} bytes of memory, and the target has {}", target.shared_max))
}
