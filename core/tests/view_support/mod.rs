//! Chains of movements as text, and what they lead to.
//!
//! A line: variables (`n[1,9] m[2,5]=3`, one bound to 3) `|` the shape of the buffer `|` movements separated by `;`:
//! `reshape 4,n`, `permute 1,0`, `expand …`, `pad 0,1,2,0` (before and after each axis), `shrink …`, `stride 1,-2`,
//! `view shape/strides/offset/mask` (stacked and merged; mask `-` or as pad), `simplify`, `invert shape`. A dimension is
//! a number or a sum of products: `n*2+1`.

use plumb_core::shape::{Mask, ShapeError, ShapeTracker, View};
use plumb_core::symbolic::{Arena, NodeId, Sint};
use std::collections::HashMap;
use std::fmt::Write as _;

type Answer<T> = Result<T, String>;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

pub(crate) struct Reader {
    arena: Arena,
    variables: HashMap<String, NodeId>,
}

impl Reader {
    fn new(variables: &str) -> Answer<Reader> {
        let mut reader = Reader { arena: Arena::default(), variables: HashMap::new() };
        for variable in variables.split_whitespace() {
            let (range, value) = match variable.split_once(']') {
                Some((range, value)) => (range, value.strip_prefix('=').map(str::parse).transpose().map_err(text)?),
                None => return Err(format!("variable {variable}")),
            };
            let (name, bounds) = range.split_once('[').ok_or("variable")?;
            let (min, max) = bounds.split_once(',').ok_or("variable")?;
            let (min, max): (i64, i64) = (min.parse().map_err(text)?, max.parse().map_err(text)?);
            let node = reader.arena.variable(name, min, Sint::Int(max), value).map_err(text)?;
            reader.variables.insert(name.to_owned(), node);
        }
        Ok(reader)
    }

    fn dim(&mut self, text_: &str) -> Answer<Sint> {
        let mut sum = Sint::Int(0);
        for (place, term) in text_.split('+').enumerate() {
            let mut product = Sint::Int(1);
            for (place, factor) in term.split('*').enumerate() {
                let factor = match self.variables.get(factor) {
                    Some(&node) => self.arena.lower(node),
                    None => Sint::Int(factor.parse().map_err(|_| format!("dimension {factor}"))?),
                };
                product = if place == 0 { factor } else { self.arena.sint_mul(product, factor).map_err(text)? };
            }
            sum = if place == 0 { product } else { self.arena.sint_add(sum, product).map_err(text)? };
        }
        Ok(sum)
    }

    fn dims(&mut self, text: &str) -> Answer<Vec<Sint>> {
        text.split(',').filter(|part| !part.is_empty()).map(|part| self.dim(part)).collect()
    }

    fn pairs(&mut self, text: &str) -> Answer<Vec<(Sint, Sint)>> {
        Ok(self.dims(text)?.chunks(2).map(|pair| (pair[0], pair[1])).collect())
    }

    fn apply(&mut self, tracker: &ShapeTracker, movement: &str) -> Answer<ShapeTracker> {
        let (name, argument) = movement.split_once(' ').unwrap_or((movement, ""));
        let moved: Result<ShapeTracker, ShapeError> = match name {
            "reshape" | "expand" | "invert" => {
                let shape = self.dims(argument)?;
                match name {
                    "reshape" => tracker.reshape(&mut self.arena, &shape),
                    "expand" => tracker.expand(&mut self.arena, &shape),
                    _ => match tracker.invert(&mut self.arena, &shape) {
                        Ok(None) => return Err("no inverse".into()),
                        Ok(Some(inverse)) => Ok(inverse),
                        Err(error) => Err(error),
                    },
                }
            }
            "permute" => {
                let axes: Vec<usize> =
                    self.dims(argument)?.iter().filter_map(|axis| axis.int()).map(|axis| axis as usize).collect();
                tracker.permute(&mut self.arena, &axes)
            }
            "stride" => {
                let steps: Vec<i64> = self.dims(argument)?.iter().filter_map(|step| step.int()).collect();
                tracker.stride(&mut self.arena, &steps)
            }
            "pad" | "shrink" => {
                let pairs = self.pairs(argument)?;
                if name == "pad" {
                    tracker.pad(&mut self.arena, &pairs)
                } else {
                    tracker.shrink(&mut self.arena, &pairs)
                }
            }
            "view" => {
                let parts: Vec<&str> = argument.split('/').collect();
                let (shape, strides, offset) = (self.dims(parts[0])?, self.dims(parts[1])?, self.dim(parts[2])?);
                let mask: Option<Mask> =
                    if parts[3] == "-" { None } else { Some(self.pairs(parts[3])?.into_iter().collect()) };
                let view = View::new(&mut self.arena, &shape, Some(&strides), offset, mask.as_deref()).map_err(text)?;
                tracker.through(&mut self.arena, &ShapeTracker { views: [view].into_iter().collect() })
            }
            "simplify" => tracker.simplify(&mut self.arena),
            _ => return Err(format!("movement {name}")),
        };
        moved.map_err(text)
    }

    fn describe(&mut self, tracker: &ShapeTracker) -> Answer<String> {
        let mut out = String::new();
        let list = |arena: &Arena, values: &[Sint]| {
            values.iter().map(|&value| arena.render_sint(value)).collect::<Vec<_>>().join(",")
        };
        let mut views: Vec<View> = tracker.views.to_vec();
        views.push(tracker.views[tracker.views.len() - 1].minify(&mut self.arena).map_err(text)?);
        for view in &views {
            let mask = view.mask.as_ref().map_or("-".to_owned(), |mask| {
                list(&self.arena, &mask.iter().flat_map(|&(low, high)| [low, high]).collect::<Vec<_>>())
            });
            let _ = write!(
                out,
                "{}/{}/{}/{mask}/{} ",
                list(&self.arena, &view.shape),
                list(&self.arena, &view.strides),
                self.arena.render_sint(view.offset),
                u8::from(view.contiguous)
            );
        }
        let (index, valid) = tracker.index_and_valid(&mut self.arena, None).map_err(text)?;
        let _ = write!(out, "index {} valid {} ", self.arena.render(index), self.arena.render(valid));
        for ignore_valid in [false, true] {
            let strides = tracker.real_strides(&mut self.arena, ignore_valid).map_err(text)?;
            let strides: Vec<String> = strides
                .iter()
                .map(|stride| stride.map_or("None".to_owned(), |stride| self.arena.render_sint(stride)))
                .collect();
            let _ = write!(out, "strides {} ", strides.join(","));
        }
        let masked: Vec<String> = (0..tracker.shape().len())
            .map(|axis| tracker.axis_is_masked(&mut self.arena, axis).map(|masked| u8::from(masked).to_string()))
            .collect::<Result<_, _>>()
            .map_err(text)?;
        let _ = write!(out, "masked {} ", masked.join(","));
        let _ = write!(
            out,
            "real_size {} size {}",
            tracker.real_size(&mut self.arena).map_err(text)?,
            tracker.size(&self.arena)
        );
        Ok(out)
    }

    /// The views that a line leads to, and what is asked of them, as one line.
    pub(crate) fn answer(line: &str) -> Answer<String> {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [variables, shape, movements] = parts[..] else { return Err("a line has three parts".into()) };
        let mut reader = Reader::new(variables)?;
        let shape = reader.dims(shape)?;
        let mut tracker = ShapeTracker::from_shape(&mut reader.arena, &shape).map_err(text)?;
        for movement in movements.split(';').map(str::trim).filter(|movement| !movement.is_empty()) {
            tracker = reader.apply(&tracker, movement)?;
        }
        reader.describe(&tracker)
    }
}
