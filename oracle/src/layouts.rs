//! The judge of layouts: what `core`'s views say of the places of each layout (which element, or padding), against the
//! layout's movements or raw views in numbers.
//!
//! It looks at views by themselves: as the movements leave them, and simplified. What optimisations make of them, and
//! how accesses use them, is the other judges' business.

use crate::data::{End, bindings};
use crate::reference::ReferenceError;
use crate::reference::lanes::{Coordinates, size_of};
use crate::reference::layout::{Layout, PADDING};
use crate::{Finding, FindingKind, Oracle, Subject, Verdict};
use plumb_core::rule::Rules;
use plumb_core::shape::{ShapeError, ShapeTracker};
use plumb_core::symbolic::{Arena, NodeId, Sint};
use plumb_corpus::case::{self, Case};

const NAME: &str = "layouts";

/// Of a layout with more places so many are looked at, spread over all, the first and the last among them.
const PLACES: i64 = 1024;

/// Compares `core`'s views with their movements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layouts;

type Bindings = Vec<(String, i64)>;

impl Oracle for Layouts {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "compares which element each place of each view shows with its movements in numbers"
    }

    fn judge(&self, subject: Subject<'_>) -> Verdict {
        let case = subject.case;
        let all = match every_binding(case) {
            Ok(all) => all,
            Err(error) => return Verdict::Skipped(error.to_string()),
        };
        let mut looked_at = Looked::default();
        for (number, step) in case.kernel.steps.iter().enumerate() {
            let Some(layout) = step.layout() else { continue };
            match compare(case, subject.lowered.rules, layout, &all, &mut looked_at) {
                Ok(None) => {}
                Ok(Some(difference)) => {
                    let message = format!("the layout of %{number}: {difference}");
                    return Verdict::Fail(Box::new(Finding { oracle: NAME, kind: FindingKind::WrongLayout, message }));
                }
                Err(reason) => return Verdict::Skipped(format!("the layout of %{number}: {reason}")),
            }
        }
        let Looked { places, of } = looked_at;
        Verdict::Pass { share: (places < of).then(|| format!("{places} of {of} places")) }
    }
}

/// How many places were looked at, of how many.
#[derive(Default)]
struct Looked {
    places: i64,
    of: i64,
}

/// The values that variables are tried with: those of the inputs, and both ends of their ranges.
fn every_binding(case: &Case) -> Result<Vec<Bindings>, ReferenceError> {
    let (chosen, _) = bindings(case)?;
    let mut all = vec![chosen];
    for end in [End::Smallest, End::Largest] {
        let value = |variable: &case::Variable| match end {
            End::Smallest => variable.min,
            End::Largest => variable.max,
        };
        let bindings = case.kernel.variables.iter().map(|variable| (variable.name.clone(), value(variable))).collect();
        if !all.contains(&bindings) {
            all.push(bindings);
        }
    }
    Ok(all)
}

/// What `core` says of a place that its movements don't, if anything; an error where `core` does not make the views.
fn compare(
    case: &Case,
    rules: Rules,
    layout: &case::Layout,
    all: &[Bindings],
    looked_at: &mut Looked,
) -> Result<Option<String>, String> {
    let mut arena = Arena::default();
    arena.set_rules(rules);
    let tracker = case.kernel.views(&mut arena, layout).map_err(|error| error.to_string())?;
    let simplified = tracker.simplify(&mut arena).map_err(|error| error.to_string())?;
    let mut forms = vec![("", Form::new(&mut arena, &tracker).map_err(|error| error.to_string())?)];
    if simplified != tracker {
        forms.push(("simplified, ", Form::new(&mut arena, &simplified).map_err(|error| error.to_string())?));
    }
    for bindings in all {
        // A kernel need not be one at the ends of its variables' ranges.
        let Ok(expected) = Layout::new(layout, bindings) else { continue };
        let Ok(size) = size_of(expected.shape()) else { continue };
        let places: Vec<i64> = sample(size).collect();
        looked_at.places += places.len() as i64;
        looked_at.of += size;
        let coordinates = Coordinates::of(expected.shape(), &places);
        let mut elements = Vec::new();
        expected.locate(&coordinates, &mut elements).map_err(|error| error.to_string())?;
        for (lane, &element) in elements.iter().enumerate() {
            let place = |axis: usize| coordinates.axes.get(axis).and_then(|column| column.get(lane)).copied();
            for (as_it_is, form) in &forms {
                let found = form.element(&arena, &place, bindings);
                if found != Some(element) {
                    let place: Vec<i64> = (0..coordinates.axes.len()).filter_map(place).collect();
                    let [expected, found] = [Some(element), found].map(shown);
                    let at: String = bindings.iter().map(|(name, value)| format!(" with {name}={value}")).collect();
                    return Ok(Some(format!("{as_it_is}place {place:?}{at} shows {found}, not {expected}")));
                }
            }
        }
    }
    Ok(None)
}

fn shown(element: Option<i64>) -> String {
    match element {
        Some(PADDING) => "padding".to_owned(),
        Some(element) => format!("element {element}"),
        None => "what has no value in 64 bits".to_owned(),
    }
}

/// Numbers below `size`: all, or so many spread over all.
fn sample(size: i64) -> impl Iterator<Item = i64> {
    let count = size.min(PLACES);
    (0..count).map(move |number| match count < size {
        true => (i128::from(number) * i128::from(size - 1) / i128::from(count - 1)) as i64,
        false => number,
    })
}

/// The index and valid expressions of a stack of views.
struct Form {
    index: NodeId,
    valid: NodeId,
    /// The name of each axis' variable.
    axes: Vec<String>,
}

impl Form {
    fn new(arena: &mut Arena, tracker: &ShapeTracker) -> Result<Form, ShapeError> {
        // A space keeps them apart from the variables of kernels.
        let axes: Vec<String> = (0..tracker.shape().len()).map(|axis| format!("place {axis}")).collect();
        let mut nodes = Vec::new();
        for (axis, &size) in axes.iter().zip(tracker.shape()) {
            let last = arena.sint_add(size, Sint::Int(-1))?;
            nodes.push(match last {
                Sint::Int(last) if last <= 0 => arena.number(0),
                last => arena.variable(axis, 0, last, None)?,
            });
        }
        let (index, valid) = tracker.index_and_valid(arena, Some(&nodes))?;
        Ok(Form { index, valid, axes })
    }

    /// The element at a place; [`PADDING`] where there is none.
    fn element(&self, arena: &Arena, place: &dyn Fn(usize) -> Option<i64>, bindings: &Bindings) -> Option<i64> {
        let value = |name: &str| match self.axes.iter().position(|axis| axis == name) {
            Some(axis) => place(axis),
            None => bindings.iter().find(|(bound, _)| bound == name).map(|&(_, value)| value),
        };
        match arena.evaluate(self.valid, &value)? {
            0 => Some(PADDING),
            _ => arena.evaluate(self.index, &value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn samples_are_spread_from_the_first_to_the_last() {
        assert_eq!(sample(3).collect::<Vec<_>>(), [0, 1, 2]);
        let sampled: Vec<i64> = sample(1 << 40).collect();
        assert_eq!((sampled.len(), sampled[0], sampled[1023]), (1024, 0, (1 << 40) - 1));
        assert!(sampled.is_sorted_by(|a, b| a < b));
    }
}
