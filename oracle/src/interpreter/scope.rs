//! Whether a list is well-formed in its structure: sources before uses and in scope, loops and conditions nested and
//! closed.

use super::fault::Faults;
use crate::FindingKind;
use plumb_core::uop::{Uop, UopKind, UopList};

/// The structure of a list.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// For each uop the innermost RANGE or IF that encloses it (a RANGE or IF: that encloses itself from outside).
    pub(super) parent: Vec<Option<u32>>,
    /// For each RANGE and IF the uop that ends it; otherwise 0.
    pub(super) end: Vec<u32>,
}

impl Scopes {
    /// The RANGEs and IFs that enclose a uop, innermost first.
    pub(super) fn enclosing(&self, uop: u32) -> impl Iterator<Item = u32> + '_ {
        let parent = |uop: &u32| self.parent.get(*uop as usize).copied().flatten();
        std::iter::successors(parent(&uop), parent)
    }

    /// Checks a list; what is wrong goes to `faults`.
    pub(super) fn of(list: &UopList, faults: &mut Faults) -> Scopes {
        let count = list.uops.len();
        let mut scopes = Scopes { parent: vec![None; count], end: vec![0; count] };
        // Open RANGEs and IFs; whether a scope, by the uop that opened it, is open.
        let mut stack: Vec<u32> = Vec::new();
        let mut open = vec![false; count];
        // The scope in which each uop's value can be used.
        let mut home: Vec<Option<u32>> = vec![None; count];
        for (position, uop) in list.uops.iter().enumerate() {
            let number = position as u32;
            let mut fault = |what: &str| faults.add(list, number, FindingKind::Malformed, what);
            scopes.parent[position] = stack.last().copied();
            home[position] = stack.last().copied();
            if let Some(what) = sources_fault(list, uop, number, &home, &open) {
                fault(&what);
                continue;
            }
            let first = uop.sources.first().map_or(0, |source| source.0);
            match uop.kind {
                UopKind::Range => {
                    stack.push(number);
                    open[position] = true;
                    home[position] = Some(number);
                }
                UopKind::If => {
                    stack.push(number);
                    open[position] = true;
                }
                UopKind::EndRange | UopKind::EndIf => {
                    if stack.last() == Some(&first) {
                        stack.pop();
                        open[first as usize] = false;
                        scopes.end[first as usize] = number;
                        scopes.parent[position] = scopes.parent[first as usize];
                    } else {
                        let innermost = stack.last().map_or("none".to_owned(), ToString::to_string);
                        fault(&format!(": does not end the innermost open scope, which is that of uop {innermost}"));
                    }
                }
                // A PHI is its accumulator, which lives on after the loop, and a GEP only names a part of its source.
                UopKind::Phi | UopKind::Gep => home[position] = home[first as usize],
                _ => {}
            }
        }
        for &opener in &stack {
            faults.add(list, opener, FindingKind::Malformed, ": is never ended");
        }
        scopes
    }
}

/// What is wrong with a uop's sources: beyond the list, not before it, out of scope.
fn sources_fault(list: &UopList, uop: &Uop, number: u32, home: &[Option<u32>], open: &[bool]) -> Option<String> {
    for source in &uop.sources {
        let Some(found) = list.uops.get(source.index()) else {
            return Some(format!(": there is no uop {}", source.0));
        };
        if uop.kind == UopKind::DefineAcc {
            // An accumulator stands before the loops that it lives through, which are its sources.
            if found.kind != UopKind::Range {
                return Some(format!(": source {} is no RANGE", source.0));
            }
            if source.0 < number {
                return Some(format!(": stands within or after loop {}, which it must live through", source.0));
            }
            continue;
        }
        if source.0 >= number {
            return Some(format!(": source {} does not come before it", source.0));
        }
        let ends = matches!(uop.kind, UopKind::EndRange | UopKind::EndIf);
        if let Some(scope) = home[source.index()].filter(|&scope| !open[scope as usize] && !ends) {
            return Some(format!(": source {} is out of scope, its loop or condition {scope} has ended", source.0));
        }
    }
    None
}
