//! The store of a graph's uops: hash-consed, so that equal uops are one and comparing uops is comparing numbers.

use super::bounds::Bounds;
use super::{LoopSet, Uop, UopArg, UopId, UopKind};
use crate::constant::Constant;
use crate::dtype::DType;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// What is known of a uop from the uops it is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    /// The loops that it depends on, itself included where it is one.
    loops: LoopSet,
    bounds: Bounds,
}

/// Uops, each once; sources come before what uses them.
#[derive(Clone, Debug, Default)]
pub(super) struct UopArena {
    uops: Vec<Uop>,
    facts: Vec<Facts>,
    ids: HashTable<UopId>,
    /// The RANGE uops, in order of entry.
    ranges: SmallVec<[UopId; 8]>,
    has_unmul: bool,
    /// Whether arithmetic and constants are entered anew each time: see [`objects`](super::objects).
    objects: bool,
}

fn hash_of(uop: &Uop) -> u64 {
    let mut hasher = FxHasher::default();
    uop.hash(&mut hasher);
    hasher.finish()
}

impl UopArena {
    /// Enters a uop, or finds the equal one.
    pub(super) fn intern(&mut self, uop: Uop) -> UopId {
        let hash = hash_of(&uop);
        if let Some(&id) = self.ids.find(hash, |&id| self.uops[id.index()] == uop) {
            return id;
        }
        let id = self.fresh(uop);
        let uops = &self.uops;
        self.ids.insert_unique(hash, id, |&id| hash_of(&uops[id.index()]));
        id
    }

    /// Enters a uop, whether there is an equal one or not. It is not found again.
    pub(super) fn fresh(&mut self, uop: Uop) -> UopId {
        let id = UopId(self.uops.len() as u32);
        let mut facts = Facts::default();
        for source in &uop.sources {
            let of_source = self.facts[source.index()];
            facts.loops.unite(of_source.loops);
        }
        facts.bounds = Bounds::of(&uop, |id| self.facts[id.index()].bounds);
        match uop.kind {
            UopKind::Range => {
                facts.loops.insert(self.ranges.len());
                self.ranges.push(id);
            }
            UopKind::Unmul => self.has_unmul = true,
            _ => {}
        }
        self.uops.push(uop);
        self.facts.push(facts);
        id
    }

    /// An arena of objects.
    pub(super) fn objects() -> UopArena {
        UopArena { objects: true, ..UopArena::default() }
    }

    /// Whether arithmetic and constants are entered anew each time.
    pub(super) fn has_objects(&self) -> bool {
        self.objects
    }

    /// Enters arithmetic or a constant: as [`UopArena::make`], but for an arena of objects.
    pub(super) fn make_object(&mut self, kind: UopKind, dtype: Option<DType>, sources: &[UopId], arg: UopArg) -> UopId {
        if !self.objects {
            return self.make(kind, dtype, sources, arg);
        }
        self.fresh(Uop { kind, dtype, sources: SmallVec::from_slice(sources), arg })
    }

    /// The uops that are found again, in order of entry.
    pub(super) fn entered(&self) -> Vec<UopId> {
        let mut entered: Vec<UopId> = self.ids.iter().copied().collect();
        entered.sort_unstable();
        entered
    }

    /// Puts equal sources in place of a uop's.
    pub(super) fn set_sources(&mut self, id: UopId, sources: SmallVec<[UopId; 4]>) {
        self.uops[id.index()].sources = sources;
    }

    /// Enters a uop made of its parts.
    pub(super) fn make(&mut self, kind: UopKind, dtype: Option<DType>, sources: &[UopId], arg: UopArg) -> UopId {
        self.intern(Uop { kind, dtype, sources: SmallVec::from_slice(sources), arg })
    }

    /// The uop.
    pub(super) fn get(&self, id: UopId) -> &Uop {
        &self.uops[id.index()]
    }

    /// The uop, which is taken out: what is left in its place is of no meaning.
    pub(super) fn take(&mut self, id: UopId) -> Uop {
        let nothing = Uop { kind: UopKind::Noop, dtype: None, sources: SmallVec::new(), arg: UopArg::None };
        std::mem::replace(&mut self.uops[id.index()], nothing)
    }

    /// Number of uops ever entered.
    pub(super) fn len(&self) -> usize {
        self.uops.len()
    }

    /// Whether `id` certainly does not depend on the loop `range`.
    pub(super) fn is_free_of(&self, id: UopId, range: UopId) -> bool {
        match self.ranges.iter().position(|&known| known == range) {
            Some(number) => !self.facts[id.index()].loops.contains(number),
            None => false,
        }
    }

    /// The bounds of an `i32`.
    pub(super) fn bounds(&self, id: UopId) -> Bounds {
        self.facts[id.index()].bounds
    }

    /// Whether an UNMUL was ever entered.
    pub(super) fn has_unmul(&self) -> bool {
        self.has_unmul
    }

    /// The value of a CONST.
    pub(super) fn constant_value(&self, id: UopId) -> Option<Constant> {
        match self.get(id) {
            Uop { kind: UopKind::Const, arg: UopArg::Const(value), .. } => Some(*value),
            _ => None,
        }
    }
}
