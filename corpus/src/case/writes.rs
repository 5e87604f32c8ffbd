//! What a kernel writes: each element once, and nothing that another work item reads.

use super::place::{PlainLayout, unravel};
use super::{Kernel, Layout, Step, Variable};
use std::collections::HashMap;

/// So many places are looked at one by one; of more, so many spread over all.
const LOOKED_AT: i64 = 1 << 16;

/// Where the elements that a store writes are written.
struct Written {
    layout: PlainLayout,
    /// For each element its place, where the layout itself can't tell.
    places: Option<HashMap<i64, Vec<i64>>>,
}

/// Row-major numbers of places to look at: all, or some that are spread evenly and the first along each axis.
fn numbers(shape: &[i64]) -> impl Iterator<Item = i64> {
    let total = shape.iter().fold(1i64, |total, &size| total.saturating_mul(size));
    let step = (total / LOOKED_AT).max(1);
    let inner = shape.iter().rev().scan(1i64, |step, &size| Some(std::mem::replace(step, step.saturating_mul(size))));
    let first: Vec<i64> = inner.filter(|&number| step > 1 && number < total).collect();
    (0..total.min(LOOKED_AT)).map(move |number| number * step).chain(first)
}

impl Written {
    /// What a store through `layout` writes, or what is wrong with that.
    fn of(layout: &Layout, variables: &[Variable]) -> Result<Option<Written>, String> {
        let Some(layout) = PlainLayout::of(layout, variables) else { return Ok(None) };
        let twice = |element: i64, place: &[i64], other: &[i64]| {
            format!("element {element} is stored to twice, from {place:?} and from {other:?}")
        };
        let mut places: HashMap<i64, Vec<i64>> = HashMap::new();
        match layout.shows_once() {
            Some(true) => return Ok(Some(Written { layout, places: None })),
            once => {
                for number in numbers(layout.shape()) {
                    let place = unravel(layout.shape(), number);
                    let Some(element) = layout.element(&place) else { continue };
                    if let Some(other) = places.insert(element, place.clone())
                        && other != place
                    {
                        return Err(twice(element, &other, &place));
                    }
                }
                if once == Some(false) {
                    return Err("an axis is repeated, so that one element is stored to from several places".to_owned());
                }
            }
        }
        Ok(Some(Written { layout, places: Some(places) }))
    }

    /// The place from which an element is written.
    fn place_of(&self, element: i64) -> Option<Vec<i64>> {
        match &self.places {
            Some(places) => places.get(&element).cloned(),
            None => self.layout.place_of(element),
        }
    }
}

impl Kernel {
    /// Whether each element is stored to once, and nothing is read that another work item writes. In layouts of more than
    /// 65,536 places, and where variables are open, not everything is found.
    pub(super) fn check_writes(&self) -> Result<(), (usize, String)> {
        for (number, step) in self.steps.iter().enumerate() {
            let Step::Store { buffer, layout, .. } = step else { continue };
            let written = Written::of(layout, &self.variables).map_err(|message| (number, message))?;
            let Some(written) = written else { continue };
            for (load, step) in self.steps.iter().enumerate() {
                match step {
                    Step::Load { buffer: read, layout: seen, .. } if read == buffer && seen != layout => {
                        let Some(seen) = PlainLayout::of(seen, &self.variables) else { continue };
                        if let Some(message) = reads_what_others_write(&seen, &written) {
                            return Err((load, message));
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// A place whose work item reads what the one of another place writes. Along reduced axes, where the store's size is 1, all
/// is read by one.
fn reads_what_others_write(seen: &PlainLayout, written: &Written) -> Option<String> {
    let reader = |place: &[i64]| -> Vec<i64> {
        place.iter().zip(written.layout.shape()).map(|(&index, &size)| if size == 1 { 0 } else { index }).collect()
    };
    numbers(seen.shape()).find_map(|number| {
        let place = unravel(seen.shape(), number);
        let element = seen.element(&place)?;
        let writer = written.place_of(element)?;
        (writer != reader(&place)).then(|| {
            format!(
                "the work item of {place:?} reads element {element}, which that of {writer:?} writes: what it reads depends on \
                 which of them comes first"
            )
        })
    })
}
