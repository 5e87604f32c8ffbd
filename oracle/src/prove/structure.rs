//! Which place of the AST an iteration of the lowered kernel stands for, as a *guess* that is then proved.
//!
//! How optimisations split and moved the axes is asked of `core`, by sending two views through them that show nothing
//! but the row-major number of a place among the kept axes and among the reduced ones. Whatever they come back as is
//! trusted in nothing: every access is compared with the AST's own layouts at the places that they state, and that
//! these are all places, each once, is an obligation as well.

use super::forms::{FormId, Forms, Overflow, Result};
use super::gate::Gate;
use super::naive;
use crate::reference::layout::{Layout, View};
use plumb_core::ast::Ast;
use plumb_core::dtype::{DType, Scalar};
use plumb_core::kernel::{Kernel, KernelBuffer, LowerError, Opt, OptPlan};
use plumb_core::rule::Rules;
use plumb_core::shape::{Dims, ShapeTracker, View as CoreView};
use plumb_core::symbolic::{Arena, Node, NodeId, Sint};
use plumb_core::target::{Target, TensorCore};
use plumb_core::uop::LocalName;
use smallvec::smallvec;
use std::sync::Arc;

/// What an axis of the optimised kernel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AxisKind {
    /// Of the launch grid.
    Global,
    /// Lanes of a workgroup.
    Local,
    /// Lanes that share a reduction.
    Grouped,
    /// Lanes between the two stages that hold different outputs; unrolled in the second.
    Middle,
    /// A reduce loop.
    Loop,
    /// An unrolled reduce axis.
    Unrolled,
    /// An upcasted axis of the outputs.
    Upcasted,
}

/// An axis of the optimised kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// What it is.
    pub(super) kind: AxisKind,
    /// How many values it has.
    pub(super) size: i64,
}

/// The axes of the optimised kernel, and what they stand for.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    /// The axes, in `core`'s order.
    pub(super) axes: Vec<Axis>,
    /// The row-major number among the kept axes.
    kept: Layout,
    /// The row-major number among the reduced axes.
    reduced: Layout,
    /// The matrix instruction in use.
    pub(super) core: Option<TensorCore>,
    /// Whether there are launch indices, in three dimensions at most, so that further axes share the first; otherwise
    /// loops.
    pub(super) launched: bool,
    /// Whether the launch has no workgroups.
    pub(super) flat: bool,
}

/// A place of the AST: its numbers among the kept and among the reduced axes, and where it is no padding.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Row-major number among the kept axes.
    pub(super) kept: FormId,
    /// Row-major number among the reduced axes.
    pub(super) reduced: FormId,
    /// Where it is no padding.
    pub(super) valid: Gate,
}

/// The axes of a kernel before values are bound to its variables.
pub(super) struct Template {
    kernel: Kernel,
}

impl Template {
    /// Applies `applied` to the kernel of `ast`, along with the views that show places.
    pub(super) fn new(
        ast: &Arc<Ast>,
        target: &Arc<Target>,
        rules: &Rules,
        applied: &[Opt],
    ) -> std::result::Result<Template, LowerError> {
        let mut kernel = Kernel::new(ast, target, rules)?;
        let full: Dims = kernel.full_shape().into();
        let kept: Vec<bool> = full.iter().zip(kernel.output_shape()).map(|(a, b)| a == b).collect();
        for which in [true, false] {
            let mut strides: Dims = smallvec![Sint::Int(0); full.len()];
            let mut stride = Sint::Int(1);
            for axis in (0..full.len()).rev().filter(|&axis| kept[axis] == which) {
                strides[axis] = stride;
                stride = kernel.arena.sint_mul(stride, full[axis])?;
            }
            let view = CoreView::new(&mut kernel.arena, &full, Some(&strides), Sint::Int(0), None)?;
            kernel.views.push(ShapeTracker { views: smallvec![view] });
            kernel.buffers.push(KernelBuffer::Local {
                name: LocalName::Temp,
                size: 0,
                dtype: DType::Scalar(Scalar::F32),
            });
            kernel.early_buffers.push(false);
        }
        kernel.apply_plan(&OptPlan::List(applied.to_vec()))?;
        if kernel.target.global_max.is_some() && kernel.target.local_max.is_some() {
            kernel.limit_dims_to_max()?;
        }
        Ok(Template { kernel })
    }

    /// The structure for these values of variables; `None` where a part of it has no value.
    pub(super) fn bind(&self, bindings: &[(String, i64)]) -> Option<Structure> {
        let kernel = &self.kernel;
        let number = |size: Sint| value(&kernel.arena, size, bindings);
        let full: Vec<i64> = kernel.full_shape().iter().map(|&size| number(size)).collect::<Option<_>>()?;
        let colors = kernel.colors();
        let kind = |color: &str| match color {
            "blue" | "BLUE" => AxisKind::Global,
            "cyan" => AxisKind::Local,
            "green" => AxisKind::Grouped,
            "white" => AxisKind::Middle,
            "red" => AxisKind::Loop,
            "magenta" => AxisKind::Unrolled,
            _ => AxisKind::Upcasted,
        };
        let axes = full.iter().zip(colors).map(|(&size, color)| Axis { kind: kind(color), size }).collect();
        let [.., kept, reduced] = kernel.views.as_slice() else { return None };
        let layout = |view: &ShapeTracker| {
            let views = view.views.iter().map(|view| {
                let numbers = |list: &[Sint]| list.iter().map(|&size| number(size)).collect::<Option<Vec<i64>>>();
                let mask = match &view.mask {
                    Some(mask) => Some(
                        mask.iter().map(|&(low, high)| Some((number(low)?, number(high)?))).collect::<Option<_>>()?,
                    ),
                    None => None,
                };
                let (shape, strides) = (numbers(&view.shape)?, numbers(&view.strides)?);
                Some(View { shape, strides, offset: number(view.offset)?, mask })
            });
            Some(Layout::Views(views.collect::<Option<_>>()?))
        };
        Some(Structure {
            axes,
            kept: layout(kept)?,
            reduced: layout(reduced)?,
            core: kernel.tensor_core.clone(),
            launched: kernel.target.has_local,
            flat: kernel.dont_use_locals,
        })
    }
}

impl Structure {
    /// The place that these values of the axes stand for.
    pub(super) fn place(&self, forms: &mut Forms, values: &[FormId]) -> Result<Place> {
        let (kept, mut valid) = naive::locate(forms, &self.kept, values)?;
        let (reduced, other) = naive::locate(forms, &self.reduced, values)?;
        valid.require_all(forms, &other)?;
        Ok(Place { kept, reduced, valid })
    }

    /// The numbers of the axes of a kind, in order.
    pub(super) fn of_kind(&self, kinds: &[AxisKind]) -> Vec<usize> {
        (0..self.axes.len()).filter(|&axis| kinds.contains(&self.axes[axis].kind)).collect()
    }
}

/// The value of a size; a walk of its own, not `core`'s.
pub(super) fn value(arena: &Arena, size: Sint, bindings: &[(String, i64)]) -> Option<i64> {
    match size {
        Sint::Int(value) => Some(value),
        Sint::Node(node) => node_value(arena, node, bindings, 64).ok(),
    }
}

fn node_value(arena: &Arena, node: NodeId, bindings: &[(String, i64)], depth: u32) -> Result<i64> {
    let depth = depth.checked_sub(1).ok_or(Overflow)?;
    let of = |node: NodeId| node_value(arena, node, bindings, depth);
    let size = |size: Sint| match size {
        Sint::Int(value) => Ok(value),
        Sint::Node(node) => of(node),
    };
    Ok(match arena.node(node) {
        Node::Number(value) => *value,
        Node::Variable(number) => {
            let name = &arena.variable_info(*number).name;
            bindings.iter().find(|(bound, _)| bound == name).ok_or(Overflow)?.1
        }
        Node::Mul(a, b) => of(*a)?.checked_mul(size(*b)?).ok_or(Overflow)?,
        Node::Div(a, b) => of(*a)?.checked_div_euclid(*b).ok_or(Overflow)?,
        Node::Mod(a, b) => of(*a)?.checked_rem_euclid(*b).ok_or(Overflow)?,
        Node::Less(a, b) => i64::from(of(*a)? < size(*b)?),
        Node::Sum(terms) => {
            let mut sum = 0i64;
            for &term in terms {
                sum = sum.checked_add(of(term)?).ok_or(Overflow)?;
            }
            sum
        }
        Node::And(terms) => {
            let mut all = 1;
            for &term in terms {
                all = all.min(i64::from(of(term)? != 0));
            }
            all
        }
    })
}
