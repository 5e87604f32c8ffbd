//! Which element stands at each place: movements by ndarray and by inverse arithmetic, views by hand.

use super::super::layout::{Layout, PADDING};
use super::super::{arrays, lanes};
use super::case;
use crate::data::mix;
use plumb_corpus::case::{self as kernels, Dim, Movement, Step};

fn both(layout: &kernels::Layout) -> Vec<i64> {
    let layout = Layout::new(layout, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut located = Vec::new();
    let size = lanes::size_of(layout.shape()).expect("a shape");
    layout.locate(&lanes::Coordinates::of_range(layout.shape(), 0..size), &mut located).expect("places");
    assert_eq!(arrays::elements(&layout).expect("elements"), located, "{layout:?}");
    assert!(layout.reach().expect("a reach") > located.iter().copied().max().unwrap_or(PADDING));
    located
}

/// The elements that a load of `layout` reads, whose shape is `shape`; padding is -1.
fn elements(layout: &str, shape: &str) -> Vec<i64> {
    let case = case(&format!("%0 = load f32 buf1 {layout}\nstore f32 buf0 {shape} %0"), "auto seed 1");
    match &case.kernel.steps[0] {
        Step::Load { layout, .. } => both(layout),
        other => panic!("{other:?}"),
    }
}

#[test]
fn movements_by_hand() {
    assert_eq!(elements("(2,3) |> permute(1,0)", "(3,2)"), [0, 3, 1, 4, 2, 5]);
    assert_eq!(elements("(5) |> stride(2)", "(3)"), [0, 2, 4]);
    assert_eq!(elements("(5) |> stride(-2)", "(3)"), [4, 2, 0]);
    assert_eq!(elements("(6) |> stride(-4)", "(2)"), [5, 1]);
    assert_eq!(elements("(3) |> pad((1,2))", "(6)"), [-1, 0, 1, 2, -1, -1]);
    assert_eq!(elements("(4,2) |> shrink((1,3),(1,2)) |> reshape(2)", "(2)"), [3, 5]);
    assert_eq!(elements("(3,1) |> expand(3,2)", "(3,2)"), [0, 0, 1, 1, 2, 2]);
    assert_eq!(elements("() |> reshape(1,1) |> expand(2,2)", "(2,2)"), [0; 4]);
}

/// A mask split across an axis that does not divide it evenly (known fault H05).
#[test]
fn a_mask_is_split_where_it_does_not_divide() {
    assert_eq!(elements("(1,2) |> pad((1,0),(0,1)) |> reshape(3,2)", "(3,2)"), [-1, -1, -1, 0, 1, -1]);
}

/// Padding that a shrink leaves alone stays padding (known fault H10).
#[test]
fn padding_stays_padding_in_a_scalar() {
    assert_eq!(elements("(3) |> pad((0,2)) |> shrink((4,5)) |> reshape()", "()"), [-1]);
}

/// Known fault H06: the offset of merged axes under a mask.
#[test]
fn merged_axes_under_a_mask_keep_their_place() {
    let elements = elements("(2,5,5) |> pad((2,0),(0,0),(0,0)) |> reshape(2,2,5,5) |> reshape(4,5,5)", "(4,5,5)");
    assert_eq!(elements, (0..100).map(|place| if place < 50 { -1 } else { place - 50 }).collect::<Vec<_>>());
}

#[test]
fn views_by_hand() {
    assert_eq!(elements("view((2,3):(3,1)+0)", "(2,3)"), [0, 1, 2, 3, 4, 5]);
    assert_eq!(elements("view((2,3):(1,-2)+4)", "(2,3)"), [4, 2, 0, 5, 3, 1]);
    assert_eq!(elements("view((4):(1)-1 mask((1,3)))", "(4)"), [-1, 0, 1, -1]);
    // The second view's places 1 to 4 are those of a padded view of four.
    assert_eq!(elements("view((6):(1)-1 mask((1,5))) |> view((2,2):(2,1)+1)", "(2,2)"), [0, 1, 2, 3]);
    assert_eq!(elements("view((2,3):(1,2)+0) |> view((6):(1)+0)", "(6)"), [0, 2, 4, 1, 3, 5]);
    assert_eq!(elements("view((2,2):(2,1)+0) |> view((6):(1)+0 mask((0,4)))", "(6)"), [0, 1, 2, 3, -1, -1]);
}

#[test]
fn what_leaves_its_buffer_is_refused() {
    for (shape, strides, offset) in [(3, 1, -1), (3, -1, 1)] {
        let view = kernels::RawView {
            shape: vec![Dim::Int(shape)],
            strides: vec![Dim::Int(strides)],
            offset: Dim::Int(offset),
            mask: None,
        };
        let layout = Layout::new(&kernels::Layout::Views(vec![view]), &[]).expect("a layout");
        assert!(layout.reach().is_err());
        let mut located = Vec::new();
        assert!(layout.locate(&lanes::Coordinates::of_range(&[3], 0..3), &mut located).is_err());
    }
}

/// Random chains of movements: ndarray's own operations and the inverse of each movement give the same elements.
#[test]
fn random_chains_agree() {
    let mut state = 0;
    let mut random = |below: i64| {
        state += 1;
        (mix(11, state) % below as u64) as i64
    };
    for _ in 0..400 {
        let axes = 1 + random(3);
        let base: Vec<i64> = (0..axes).map(|_| 1 + random(4)).collect();
        let mut shape = base.clone();
        let mut movements = Vec::new();
        for _ in 0..random(7) {
            let ints = |values: &[i64]| values.iter().copied().map(Dim::Int).collect::<Vec<_>>();
            let movement = match random(6) {
                0 => {
                    // Two axes merged, one split, or a new one.
                    let mut to = shape.clone();
                    let axis = random(to.len() as i64) as usize;
                    if to.len() > 1 && axis + 1 < to.len() && random(2) == 0 {
                        let merged = to.remove(axis);
                        to[axis] *= merged;
                    } else if let Some(factor) = [2, 3, 4].into_iter().find(|factor| to[axis] % factor == 0) {
                        to[axis] /= factor;
                        to.insert(axis, factor);
                    } else {
                        to.insert(axis, 1);
                    }
                    shape = to;
                    Movement::Reshape(ints(&shape))
                }
                1 => {
                    let mut order: Vec<usize> = (0..shape.len()).collect();
                    order.rotate_left(random(shape.len() as i64) as usize);
                    if random(2) == 0 {
                        order.reverse();
                    }
                    shape = order.iter().map(|&axis| shape[axis]).collect();
                    Movement::Permute(order)
                }
                2 => {
                    for size in shape.iter_mut().filter(|size| **size == 1) {
                        *size += random(3);
                    }
                    Movement::Expand(ints(&shape))
                }
                3 => {
                    let pads: Vec<(i64, i64)> = shape.iter().map(|_| (random(3), random(2))).collect();
                    shape.iter_mut().zip(&pads).for_each(|(size, (before, after))| *size += before + after);
                    Movement::Pad(pads.iter().map(|&(a, b)| (Dim::Int(a), Dim::Int(b))).collect())
                }
                4 => {
                    let ranges: Vec<(i64, i64)> = shape
                        .iter()
                        .map(|&size| {
                            let start = random(size);
                            (start, start + 1 + random(size - start))
                        })
                        .collect();
                    shape = ranges.iter().map(|(start, end)| end - start).collect();
                    Movement::Shrink(ranges.iter().map(|&(a, b)| (Dim::Int(a), Dim::Int(b))).collect())
                }
                _ => {
                    let steps: Vec<i64> = shape.iter().map(|_| [1, -1, 2, -2, 3, 1][random(6) as usize]).collect();
                    shape = shape.iter().zip(&steps).map(|(size, step)| (size + step.abs() - 1) / step.abs()).collect();
                    Movement::Stride(steps)
                }
            };
            movements.push(movement);
            if shape.iter().product::<i64>() > 2000 {
                break;
            }
        }
        let base = base.into_iter().map(Dim::Int).collect();
        both(&kernels::Layout::Chain { base, movements });
    }
}
