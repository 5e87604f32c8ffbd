//! The store of a graph's uops: hash-consed, so that equal uops are one and comparing uops is comparing numbers.

use super::bounds::Bounds;
use super::marks::Marks;
use super::rules::rules_for;
use super::{LoopSet, Uop, UopArg, UopId, UopKind};
use crate::ast::AluOp;
use crate::constant::Constant;
use crate::dtype::DType;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

/// What is known of a uop from the uops it is made of.
#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    /// The loops that it depends on, itself included where it is one.
    loops: LoopSet,
    /// Whether no rule can apply to it or to what it is made of.
    settled: bool,
    /// What it shows to the rules.
    shown: Marks,
    /// What its sources show to the rules.
    sources: Marks,
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

/// The hash of a uop by its parts. The words are few, as each costs a multiplication that waits for the last.
fn hash_of(kind: UopKind, dtype: Option<DType>, sources: &[UopId], arg: &UopArg) -> u64 {
    let mut hasher = FxHasher::default();
    let dtype = match dtype {
        None => 0,
        Some(DType::Scalar(scalar)) => 1 | (scalar as u64) << 4,
        Some(DType::Vector(scalar, lanes)) => 2 | (scalar as u64) << 4 | u64::from(lanes) << 8,
        Some(DType::Pointer(scalar)) => 3 | (scalar as u64) << 4,
        Some(DType::Image(image)) => 4 | u64::from(image.height) << 8 | u64::from(image.width) << 32,
    };
    let (op, rest) = match arg {
        UopArg::None => (0, None),
        UopArg::Alu(op) => (1 + *op as u64, None),
        other => (255, Some(other)),
    };
    hasher.write_u64(dtype << 16 ^ op << 8 ^ kind as u64);
    let (pairs, last) = sources.as_chunks::<2>();
    for [first, second] in pairs {
        hasher.write_u64(u64::from(first.0) << 32 | u64::from(second.0));
    }
    for last in last {
        hasher.write_u32(last.0);
    }
    if let Some(arg) = rest {
        arg.hash(&mut hasher);
    }
    hasher.finish()
}

fn hash_of_uop(uop: &Uop) -> u64 {
    hash_of(uop.kind, uop.dtype, &uop.sources, &uop.arg)
}

/// As many uops as most graphs have, so that their memory is asked for once.
const USUAL: usize = 256;

impl UopArena {
    /// Asks for the memory of a usual graph.
    #[cold]
    fn reserve(&mut self) {
        self.uops.reserve(USUAL);
        self.facts.reserve(USUAL);
        let uops = &self.uops;
        self.ids.reserve(USUAL, |&id| hash_of_uop(&uops[id.index()]));
    }

    /// Takes out all uops; the memory stays.
    pub(super) fn clear(&mut self) {
        let UopArena { uops, facts, ids, ranges, has_unmul, objects } = self;
        uops.clear();
        facts.clear();
        ids.clear();
        ranges.clear();
        (*has_unmul, *objects) = (false, false);
    }

    /// Enters a uop made of its parts, or finds the equal one.
    pub(super) fn make(&mut self, kind: UopKind, dtype: Option<DType>, sources: &[UopId], arg: UopArg) -> UopId {
        if self.ids.capacity() == 0 {
            self.reserve();
        }
        let uops = &self.uops;
        let is_equal = |&id: &UopId| {
            let uop = &uops[id.index()];
            uop.kind == kind && uop.sources.as_slice() == sources && uop.dtype == dtype && uop.arg == arg
        };
        let hash = |&id: &UopId| hash_of_uop(&uops[id.index()]);
        match self.ids.entry(hash_of(kind, dtype, sources, &arg), is_equal, hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                vacant.insert(UopId(uops.len() as u32));
                self.fresh(Uop { kind, dtype, sources: SmallVec::from_slice(sources), arg })
            }
        }
    }

    /// Appends a uop, whether there is an equal one or not. It is not found again.
    pub(super) fn fresh(&mut self, uop: Uop) -> UopId {
        let id = UopId(self.uops.len() as u32);
        let mut facts = Facts { settled: true, ..Facts::default() };
        for source in &uop.sources {
            let of_source = &self.facts[source.index()];
            facts.loops.unite(of_source.loops);
            facts.settled &= of_source.settled;
        }
        let shown = |place: usize| self.facts[uop.sources[place].index()].shown;
        let first_has_type = uop.sources.first().is_some_and(|&first| self.get(first).dtype == uop.dtype);
        facts.sources = Marks::of_sources(&uop, shown, first_has_type);
        if uop.kind == UopKind::Phi && self.has_free_side(&uop) {
            facts.sources = facts.sources.and(Marks::FREE_SIDE);
        }
        facts.shown = Marks::shown(&uop, facts.sources);
        facts.settled &= !rules_for(uop.kind, &uop.arg).iter().any(|rewrite| facts.sources.have(rewrite.needs));
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

    /// Whether the new value that a PHI gives to its accumulator is a sum one side of which does not depend on all of the
    /// accumulator's loops.
    fn has_free_side(&self, phi: &Uop) -> bool {
        let [accumulator, sum] = phi.sources[..] else { return false };
        let sum = self.get(sum);
        let loops = self.facts[accumulator.index()].loops;
        let is_free = |side: &UopId| !self.facts[side.index()].loops.contains_all(loops);
        sum.arg == UopArg::Alu(AluOp::Add) && sum.sources.iter().any(is_free)
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

    /// All uops, in the order in which they were entered.
    pub(super) fn uops(&self) -> &[Uop] {
        &self.uops
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

    /// Whether no rule can apply to the uop or to what it is made of, so that it stays as it is.
    pub(super) fn is_settled(&self, id: UopId) -> bool {
        self.facts[id.index()].settled
    }

    /// What the sources of the uop show to the rules.
    pub(super) fn marks_of_sources(&self, id: UopId) -> Marks {
        self.facts[id.index()].sources
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
        Some(self.constant_spelled(id)?.cast(self.get(id).dtype?.scalar()))
    }

    /// The value of a CONST as it is spelled, which may be out of its type's range.
    pub(super) fn constant_spelled(&self, id: UopId) -> Option<Constant> {
        match self.get(id) {
            Uop { kind: UopKind::Const, arg: UopArg::Const(value), .. } => Some(*value),
            _ => None,
        }
    }
}
