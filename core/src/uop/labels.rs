//! Labels: numbers in the order of the nodes of a class, given one after the other.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;

/// The labels of the nodes of all classes. 0 is no label.
pub(super) struct Labels {
    /// For each node its label.
    labels: Vec<Cell<u64>>,
    /// For each class the place of its first node in `ordered`, in increasing order.
    starts: Vec<u32>,
    /// The labelled nodes of each class in order, followed by room for the others.
    ordered: RefCell<Vec<u32>>,
    /// For each class how many of its nodes have labels.
    counts: RefCell<Vec<u32>>,
}

/// The first label of a class.
const FIRST: u64 = 1 << 63;
/// From the greatest or the least label to a greater or lesser one; a room for 40 halvings.
const STEP: u64 = 1 << 40;
/// A larger class gets no labels, as entering a node takes time in proportion to its class.
const LARGEST: usize = 512;

impl Labels {
    /// No labels for this many nodes.
    pub(super) fn new(nodes: usize) -> Labels {
        Labels {
            labels: vec![Cell::new(0); nodes],
            starts: Vec::with_capacity(nodes),
            ordered: RefCell::new(vec![0; nodes]),
            counts: RefCell::new(vec![0; nodes]),
        }
    }

    /// Adds a class, whose nodes have places from this one on among all nodes by class.
    pub(super) fn start_class(&mut self, place: u32) {
        self.starts.push(place);
    }

    /// The label of a node, 0 if it has none.
    pub(super) fn known(&self, node: u32) -> u64 {
        self.labels[node as usize].get()
    }

    /// The label of a node of a class; given to it if it has none, with `compare` telling how another node of the class
    /// stands to it. 0 where the class is too large, or has no room for it.
    pub(super) fn label(&self, class: u32, node: u32, compare: impl Fn(u32) -> Ordering) -> u64 {
        let class = class as usize;
        if self.known(node) != 0 {
            return self.known(node);
        }
        let mut ordered = self.ordered.borrow_mut();
        let mut counts = self.counts.borrow_mut();
        let start = self.starts[class] as usize;
        let end = self.starts.get(class + 1).map_or(ordered.len(), |&end| end as usize);
        if end - start > LARGEST {
            return 0;
        }
        let count = counts[class] as usize;
        let members = &mut ordered[start..end];
        let place = members[..count].partition_point(|&other| compare(other).is_lt());
        let before = place.checked_sub(1).map(|place| self.known(members[place]));
        let after = members[..count].get(place).map(|&node| self.known(node));
        let label = match (before, after) {
            (None, None) => FIRST,
            (Some(before), None) => before + STEP,
            (None, Some(after)) => after - STEP,
            (Some(before), Some(after)) => before + (after - before) / 2,
        };
        if before == Some(label) {
            return 0;
        }
        members.copy_within(place..count, place + 1);
        members[place] = node;
        counts[class] += 1;
        self.labels[node as usize].set(label);
        label
    }
}
