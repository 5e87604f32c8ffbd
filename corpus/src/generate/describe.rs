//! What a case has in it, by name: for the tables of a sweep and for the tests of what the generator reaches.

use super::chain::number;
use super::kernel::pads;
use crate::case::{Case, DataMode, Kernel, Layout, Movement, Step, Value};
use plumb_core::constant::Constant;
use plumb_core::dtype::DType;
use plumb_core::kernel::OptPlan;
use std::collections::BTreeMap;

/// Features by name, in order, each with how often it occurs.
///
/// Names are groups and members: `target:metal`, `axes:3`, `size:odd`, `alu:MULACC`, `dtype:f16`, `cast:f16->i32`,
/// `movement:pad`, `layout:views`, `reduce:SUM`, `opt:GROUPTOP`, `store:moved` and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features(BTreeMap<String, u64>);

impl Features {
    /// How often a feature occurs.
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// The features that occur, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, &count)| (name.as_str(), count))
    }

    /// Adds for each feature of `other` one case that has it.
    pub fn count_case(&mut self, other: &Features) {
        other.0.keys().for_each(|name| self.add(name.clone()));
    }

    fn add(&mut self, name: impl Into<String>) {
        *self.0.entry(name.into()).or_default() += 1;
    }
}

/// What a case has in it.
pub fn describe(case: &Case) -> Features {
    let mut features = Features::default();
    features.add(format!("target:{}", case.target));
    if case.data.mode == DataMode::Special {
        features.add("data:special");
    }
    opts(&mut features, &case.opts);
    kernel(&mut features, &case.kernel);
    features
}

fn opts(features: &mut Features, plan: &OptPlan) {
    match plan {
        OptPlan::Hand => features.add("opts:hand"),
        OptPlan::Required => features.add("opts:required"),
        OptPlan::List(list) => {
            features.add("opts:list");
            features.add(format!("opts:{}", list.len()));
            list.iter().for_each(|opt| features.add(format!("opt:{}", opt.op.name())));
        }
    }
}

fn kernel(features: &mut Features, kernel: &Kernel) {
    if !kernel.variables.is_empty() {
        features.add("variables");
    }
    let dtypes = kernel.dtypes().unwrap_or_default();
    let reduction = kernel.steps.iter().position(|step| matches!(step, Step::Reduce(..)));
    let mut seen: BTreeMap<u32, u32> = BTreeMap::new();
    let mut uses = vec![0u32; kernel.steps.len()];
    for (number, step) in kernel.steps.iter().enumerate() {
        let dtype = dtypes.get(number).copied().unwrap_or(DType::F32);
        let from = |source: usize| dtypes.get(source).copied().unwrap_or(DType::F32);
        let mut operands =
            |operands: &[usize]| operands.iter().filter_map(|&o| uses.get_mut(o).map(|n| *n += 1)).count();
        let late = reduction.is_some_and(|reduction| reduction < number);
        match step {
            Step::Load { buffer, dtype, layout } => {
                *seen.entry(*buffer).or_default() += 1;
                features.add(if late { "load:late" } else { "load:early" });
                features
                    .add(format!("dtype:{}", if dtype.is_image() { "image".to_owned() } else { dtype.to_string() }));
                if pads(layout) {
                    features.add("load:masked");
                }
                self::layout(features, layout);
            }
            Step::Constant { value, layout, .. } => {
                features.add(if pads(layout) { "constant:masked" } else { "constant" });
                match value {
                    Value::Variable(_) => features.add("constant:variable"),
                    Value::Constant(value) if value.is_zero() => features.add("constant:zero"),
                    Value::Constant(Constant::Float(value)) if !value.is_finite() => {
                        features.add("constant:not finite")
                    }
                    Value::Constant(_) => {}
                }
                if pads(layout) {
                    self::layout(features, layout);
                }
            }
            Step::Alu(op, sources) => {
                operands(sources);
                features.add(format!("alu:{op}"));
                let of = sources.last().map_or(DType::F32, |&source| from(source));
                features.add(format!("alu:{op}:{of}"));
                if sources.iter().enumerate().any(|(place, source)| sources[..place].contains(source)) {
                    features.add("alu:same operands");
                }
                if late {
                    features.add("alu:late");
                }
            }
            Step::Cast(to, source) => {
                operands(&[*source]);
                features.add("cast");
                features.add(format!("cast:{}->{to}", from(*source)));
            }
            Step::Bitcast(to, source) => {
                operands(&[*source]);
                features.add("bitcast");
                features.add(format!("bitcast:{}->{to}", from(*source)));
            }
            Step::Reduce(op, source, axes) => {
                operands(&[*source]);
                features.add(format!("reduce:{}", op.name()));
                features.add(format!("reduce:{}:{dtype}", op.name()));
                features.add(format!("reduce:{} axes", axes.len()));
            }
            Step::Store { buffer, layout, source, .. } => {
                operands(&[*source]);
                features.add("store");
                features.add(format!("store:{}", kind(dtype)));
                if seen.contains_key(buffer) {
                    features.add("store:assign");
                }
                if !matches!(layout, Layout::Chain { movements, .. } if movements.is_empty()) {
                    features.add("store:moved");
                }
            }
        }
    }
    if seen.values().any(|&loads| loads > 1) {
        features.add("load:shared buffer");
    }
    if uses.iter().any(|&uses| uses > 1) {
        features.add("shared step");
    }
    features.add(match reduction {
        Some(_) => "kernel:reduction",
        None => "kernel:elementwise",
    });
    features.add(if seen.is_empty() { "kernel:no loads" } else { "kernel:loads" });
    let outputs = kernel.steps.iter().filter(|step| matches!(step, Step::Store { .. })).count();
    features.add(format!("outputs:{outputs}"));
    shape(features, kernel, reduction);
    views(features, kernel);
}

/// The type's name; of an image without its size.
fn kind(dtype: DType) -> String {
    if dtype.is_image() { "image".to_owned() } else { dtype.to_string() }
}

/// Axes and sizes of the whole kernel.
fn shape(features: &mut Features, kernel: &Kernel, reduction: Option<usize>) {
    let shapes = kernel.shapes().unwrap_or_default();
    let place = match reduction.and_then(|step| kernel.steps.get(step)) {
        Some(Step::Reduce(_, source, _)) => Some(*source),
        _ => kernel.steps.iter().position(|step| matches!(step, Step::Store { .. })),
    };
    let Some(shape) = place.and_then(|place| shapes.get(place)) else { return };
    features.add(format!("axes:{}", shape.len()));
    for size in shape {
        let Some(size) = number(size) else {
            features.add("size:variable");
            continue;
        };
        let near = [4, 8, 16, 32].into_iter().find(|&of| size - of == 1 || of - size == 1);
        let class = match size {
            1 => "one",
            size if size & (size - 1) == 0 => "power of two",
            _ if near.is_some() => "near a power of two",
            size if size % 4 == 0 => "multiple of four",
            _ => "other",
        };
        features.add(format!("size:{class}"));
    }
}

fn layout(features: &mut Features, layout: &Layout) {
    match layout {
        Layout::Chain { movements, .. } => {
            features.add(if movements.is_empty() { "layout:plain" } else { "layout:chain" });
            for movement in movements {
                features.add(match movement {
                    Movement::Reshape(_) => "movement:reshape",
                    Movement::Permute(_) => "movement:permute",
                    Movement::Expand(_) => "movement:expand",
                    Movement::Pad(_) => "movement:pad",
                    Movement::Shrink(_) => "movement:shrink",
                    Movement::Stride(steps) if steps.contains(&-1) => "movement:flip",
                    Movement::Stride(_) => "movement:stride",
                });
            }
        }
        Layout::Views(views) => features.add(format!("layout:{} raw views", views.len())),
    }
}

/// Layouts that `core` sees as several views.
fn views(features: &mut Features, kernel: &Kernel) {
    let Ok(ast) = kernel.ast() else { return };
    for buffer in ast.buffers() {
        features.add(format!("views:{}", buffer.view.views.len()));
    }
}
