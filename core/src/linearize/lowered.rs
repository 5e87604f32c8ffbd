//! What lowering yields, and its texts.

use crate::kernel::{NamedAxis, Opt};
use crate::rule::{Firings, Rules};
use crate::symbolic::{Arena, Sint};
use crate::target::Target;
use crate::uop::UopList;
use std::fmt::Write;
use std::sync::Arc;

/// A lowered kernel.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// What it was lowered for.
    pub target: Arc<Target>,
    /// The rules that it was lowered by.
    pub rules: Rules,
    /// The kernel's name, without colours and without the suffix that makes it unique: `r_3_16_8_20`.
    pub name: String,
    /// The axes that the name lists, with what each is for.
    pub axes: Vec<NamedAxis>,
    /// The launch grid in workgroups (or work items where there are no workgroups), padded with 1 to three
    /// dimensions. `None`: the list holds all loops.
    pub global_size: Option<Vec<Sint>>,
    /// Lanes of a workgroup in each dimension, padded as well. `None`: there are no workgroups.
    pub local_size: Option<Vec<Sint>>,
    /// The optimisations that were applied.
    pub applied: Vec<Opt>,
    /// The uops.
    pub uops: UopList,
    /// The nodes of symbolic sizes.
    pub arena: Arena,
    /// How often each rule fired.
    pub firings: Firings,
}

impl Lowered {
    /// The launch dimensions as the digest has them: `global=[49,1,1]local=[3,4,1]`, `None` for one that there is not.
    pub fn head(&self) -> String {
        let mut head = String::with_capacity(40);
        for (name, sizes) in [("global", &self.global_size), ("local", &self.local_size)] {
            let _ = write!(head, "{name}=");
            let Some(sizes) = sizes else {
                head.push_str("None");
                continue;
            };
            for (place, &size) in sizes.iter().enumerate() {
                head.push(if place == 0 { '[' } else { ',' });
                match size {
                    Sint::Int(size) => {
                        let _ = write!(head, "{size}");
                    }
                    Sint::Node(_) => head.push_str(&self.arena.render_sint(size)),
                }
            }
            head.push(']');
        }
        head
    }

    /// The graph digest: 16 hex digits that do not depend on the order of the list.
    pub fn digest(&self) -> String {
        self.uops.digest(&self.arena, &self.head())
    }

    /// The optimisations that were applied, `OP:axis:amount` each; `-` where there are none.
    pub fn opts(&self) -> String {
        if self.applied.is_empty() {
            return "-".to_owned();
        }
        let opts: Vec<String> = self.applied.iter().map(ToString::to_string).collect();
        opts.join(" ")
    }

    /// The whole text: two comment lines with name, launch dimensions, digest and optimisations, then the list.
    pub fn text(&self) -> String {
        let head = self.head();
        let digest = self.uops.digest(&self.arena, &head);
        format!("; {} {head} {digest}\n; opts {}\n{}", self.name, self.opts(), self.uops.text(&self.arena))
    }
}
