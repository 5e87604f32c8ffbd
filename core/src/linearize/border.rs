//! Gates of image loads that the image's border makes needless.
//!
//! Reading outside of an image gives zero, which is what a gated load gives where its gate is false. So the gate of a load
//! can be left out if, wherever it is false, the coordinates lie outside. As they are computed from one index, the column is
//! a remainder, which never lies outside; other coordinates will do that agree wherever the gate is true:
//! what the index has in multiples of a row is the row, the rest the column.
//!
//! All that is claimed is found out by trying each value of the variables it depends on; of more than [`MOST`] combinations
//! nothing is claimed, and the gate stays.

use super::LowerStep;
use super::image::CHANNELS;
use super::state::Lowering;
use crate::dtype::Image;
use crate::kernel::LowerError;
use crate::rule::State;
use crate::symbolic::{Node, NodeId, Sint};
use smallvec::SmallVec;

/// Combinations of values that are tried for one claim.
const MOST: i64 = 1 << 15;

/// Column and row.
type Pixel = [NodeId; 2];
type Nodes = SmallVec<[NodeId; 8]>;

/// A variable with its smallest and largest value.
struct Domain {
    name: String,
    low: i64,
    high: i64,
}

impl Lowering {
    /// Coordinates of the pixel of element `index` that lie outside of the image wherever `valid` does not hold; `None`
    /// where none are known.
    pub(super) fn bordered(&mut self, image: Image, index: NodeId, valid: NodeId) -> Result<Option<Pixel>, LowerError> {
        if !self.kernel.target.image_border || !self.does(LowerStep::ImageBorder) {
            return Ok(None);
        }
        let conditions: Nodes = match self.kernel.arena.node(valid) {
            Node::And(terms) => terms.iter().copied().collect(),
            _ => Nodes::from_slice(&[valid]),
        };
        let plain = self.coordinates(image, index)?;
        let taken_for_granted = self.kernel.rules.state(LowerStep::ImageBorder) == State::Altered;
        if taken_for_granted || self.lies_outside(image, plain, &conditions) {
            return Ok(Some(plain));
        }
        let Some(split) = self.split_coordinates(image, index, &conditions)? else { return Ok(None) };
        Ok(self.lies_outside(image, split, &conditions).then_some(split))
    }

    /// What `index` has in multiples of a row, and the rest as a column, where the rest lies within a row wherever all
    /// conditions hold, so that these are the pixel's coordinates there.
    fn split_coordinates(
        &mut self,
        image: Image,
        index: NodeId,
        conditions: &[NodeId],
    ) -> Result<Option<Pixel>, LowerError> {
        let length = i64::from(image.width) * CHANNELS;
        let terms: Nodes = match self.kernel.arena.node(index) {
            Node::Sum(terms) => terms.iter().copied().collect(),
            _ => Nodes::from_slice(&[index]),
        };
        let (mut rows, mut rest) = (Nodes::new(), Nodes::new());
        for term in terms {
            match *self.kernel.arena.node(term) {
                Node::Mul(node, Sint::Int(factor)) if factor % length == 0 => {
                    rows.push(self.kernel.arena.mul(node, Sint::Int(factor / length))?);
                }
                _ => rest.push(term),
            }
        }
        let rest = self.kernel.arena.sum(&rest)?;
        let Some((least, most)) = self.range_where(rest, conditions) else { return Ok(None) };
        let whole = least.div_euclid(length);
        if most.div_euclid(length) != whole {
            return Ok(None);
        }
        let arena = &mut self.kernel.arena;
        let Some(offset) = whole.checked_mul(-length) else { return Ok(None) };
        let offset = arena.number(offset);
        let rest = arena.add(rest, offset)?;
        rows.push(arena.number(whole));
        let row = arena.sum(&rows)?;
        Ok(Some([arena.floor_div(rest, Sint::Int(CHANNELS))?, row]))
    }

    /// Whether the coordinates lie outside of the image wherever one of the conditions does not hold.
    ///
    /// One condition after the other is shown to put a coordinate outside where it does not hold, but those shown before do:
    /// of the conditions that do not hold at some place, the first that was shown puts the pixel outside.
    fn lies_outside(&self, image: Image, pixel: Pixel, conditions: &[NodeId]) -> bool {
        let sizes = [i64::from(image.width), i64::from(image.height)];
        let mut shown = Nodes::new();
        let mut open: Nodes = conditions.iter().copied().collect();
        loop {
            let before = open.len();
            let mut left = Nodes::new();
            for condition in open {
                let outside = pixel.iter().zip(sizes).any(|(&coordinate, size)| {
                    self.holds_everywhere(&[condition, coordinate], &shown, |values| {
                        values[0] != 0 || !(0..size).contains(&values[1])
                    })
                });
                if outside { shown.push(condition) } else { left.push(condition) }
            }
            if left.is_empty() {
                return true;
            }
            if left.len() == before {
                return false;
            }
            open = left;
        }
    }

    /// Smallest and largest value of `node` where the conditions hold that depend on no other variables.
    fn range_where(&self, node: NodeId, conditions: &[NodeId]) -> Option<(i64, i64)> {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        let tried = self.holds_everywhere(&[node], conditions, |values| {
            least = least.min(values[0]);
            most = most.max(values[0]);
            true
        });
        (tried && least <= most).then_some((least, most))
    }

    /// Whether `claim` holds of the nodes' values for all values of the variables that they depend on, where those of the
    /// conditions hold that depend on no others. False where that can't be tried.
    fn holds_everywhere(&self, nodes: &[NodeId], conditions: &[NodeId], mut claim: impl FnMut(&[i64]) -> bool) -> bool {
        let arena = &self.kernel.arena;
        let mut variables = Nodes::new();
        for variable in nodes.iter().flat_map(|&node| arena.variables(node)) {
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        }
        let within = |node: NodeId| arena.variables(node).iter().all(|variable| variables.contains(variable));
        let conditions: Nodes = conditions.iter().copied().filter(|&condition| within(condition)).collect();
        let Some(domains) = self.domains(&variables) else { return false };
        let mut values: SmallVec<[i64; 8]> = domains.iter().map(|domain| domain.low).collect();
        loop {
            let value = |name: &str| {
                domains.iter().zip(&values).find(|(domain, _)| domain.name == name).map(|(_, &value)| value)
            };
            let evaluate = |&node: &NodeId| arena.evaluate(node, &value);
            let Some(held) = conditions.iter().map(evaluate).collect::<Option<SmallVec<[i64; 8]>>>() else {
                return false;
            };
            if held.iter().all(|&held| held != 0) {
                let Some(found) = nodes.iter().map(evaluate).collect::<Option<SmallVec<[i64; 2]>>>() else {
                    return false;
                };
                if !claim(&found) {
                    return false;
                }
            }
            // The next combination.
            let mut place = 0;
            loop {
                let (Some(value), Some(domain)) = (values.get_mut(place), domains.get(place)) else { return true };
                if *value < domain.high {
                    *value += 1;
                    break;
                }
                *value = domain.low;
                place += 1;
            }
        }
    }

    /// The values of the variables; `None` where there are too many combinations, or two have one name.
    fn domains(&self, variables: &[NodeId]) -> Option<Vec<Domain>> {
        let arena = &self.kernel.arena;
        let mut domains: Vec<Domain> = Vec::with_capacity(variables.len());
        let mut combinations = 1i64;
        for &variable in variables {
            let Node::Variable(number) = *arena.node(variable) else { return None };
            let name = arena.variable_info(number).name.clone();
            let (low, high) = (arena.min(variable), arena.max_int(variable));
            combinations = combinations.checked_mul(high.checked_sub(low)?.checked_add(1)?)?;
            if combinations > MOST || domains.iter().any(|domain| domain.name == name) {
                return None;
            }
            domains.push(Domain { name, low, high });
        }
        Some(domains)
    }
}
