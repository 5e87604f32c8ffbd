//! Whether every value is used where it lives.

use super::Broken;
use crate::uop::{Uop, UopKind, UopList};

/// What is known of a uop that comes earlier in the list.
#[derive(Clone, Copy)]
struct Placed {
    /// The position of the innermost loop or if that its value lives in; `None` outside of all.
    scope: Option<usize>,
    /// The position of the accumulator that this is, is a lane of, or is the new value of.
    accumulator: Option<usize>,
}

/// The loops and ifs around each uop, as a list is gone through.
pub(super) struct Scopes<'a> {
    list: &'a UopList,
    placed: Vec<Placed>,
    /// Positions of the open RANGE and IF uops, outermost first.
    open: Vec<usize>,
    /// For each RANGE and IF, by position: whether it is open.
    is_open: Vec<bool>,
}

impl<'a> Scopes<'a> {
    pub(super) fn new(list: &'a UopList) -> Scopes<'a> {
        let count = list.uops.len();
        Scopes { list, placed: Vec::with_capacity(count), open: Vec::new(), is_open: vec![false; count] }
    }

    /// Takes the next uop.
    pub(super) fn step(&mut self, position: usize, uop: &Uop) -> Result<(), Broken> {
        let scope = match uop.kind {
            UopKind::Sink | UopKind::Noop | UopKind::Unmul => {
                return Err(Broken::Order("must not be left in a list".into()));
            }
            UopKind::DefineAcc => {
                if uop.sources.iter().any(|source| source.index() <= position) {
                    return Err(Broken::Order("is defined within its own loop".into()));
                }
                self.place(self.open.last().copied(), Some(position));
                return Ok(());
            }
            UopKind::EndRange | UopKind::EndIf => {
                let opened = uop.sources.first().map(|source| source.index());
                if opened.is_none() || self.open.last().copied() != opened {
                    return Err(Broken::Order("does not end the innermost open loop or if".into()));
                }
                self.check_sources(position, uop)?;
                if let Some(opened) = self.open.pop() {
                    self.is_open[opened] = false;
                }
                self.open.last().copied()
            }
            _ => {
                self.check_sources(position, uop)?;
                if matches!(uop.kind, UopKind::Range | UopKind::If) {
                    self.open.push(position);
                    self.is_open[position] = true;
                }
                self.open.last().copied()
            }
        };
        let first = uop.sources.first().and_then(|source| self.placed[source.index()].accumulator);
        match (uop.kind, first) {
            (UopKind::Phi, Some(accumulator)) => {
                let mut loops = self.list.uops[accumulator].sources.iter();
                if let Some(left) = loops.find(|range| !self.is_open[range.index()]) {
                    return Err(Broken::Order(format!("accumulates outside of the loop at {}", left.0)));
                }
                self.place(self.placed[accumulator].scope, first);
            }
            (UopKind::Phi, None) => return Err(Broken::Order("its first source is no accumulator".into())),
            (UopKind::Gep | UopKind::Cast, _) => self.place(scope, first),
            _ => self.place(scope, None),
        }
        Ok(())
    }

    fn place(&mut self, scope: Option<usize>, accumulator: Option<usize>) {
        self.placed.push(Placed { scope, accumulator });
    }

    fn check_sources(&self, position: usize, uop: &Uop) -> Result<(), Broken> {
        for source in &uop.sources {
            let Some(placed) = self.placed.get(source.index()) else {
                return Err(Broken::Order(format!("its source {} does not come before it", source.0)));
            };
            // A store or a barrier has no value; it is only waited for.
            if let (Some(scope), Some(kind)) = (placed.scope, self.list.uops.get(source.index()).map(|uop| uop.kind))
                && !self.is_open[scope]
                && !matches!(kind, UopKind::Store | UopKind::Barrier)
            {
                let what = if self.list.uops[scope].kind == UopKind::If { "if" } else { "loop" };
                let reason = format!("uses {}, which lives in the {what} at {scope}, after its end", source.0);
                return Err(Broken::Order(reason));
            }
        }
        debug_assert_eq!(self.placed.len(), position);
        Ok(())
    }

    /// Whether everything is closed.
    pub(super) fn end(&self) -> Result<(), (usize, Broken)> {
        match self.open.last() {
            Some(&position) => {
                let end = if self.list.uops[position].kind == UopKind::If { "ENDIF" } else { "ENDRANGE" };
                Err((position, Broken::Order(format!("has no {end}"))))
            }
            None => Ok(()),
        }
    }
}
