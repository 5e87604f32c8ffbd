//! Known faults of views: each of the movements that once gave a wrong view, right now and wrong with the fault planted
//! again. And movements that can't be made.

use plumb_core::rule::{Rules, State};
use plumb_core::shape::{Mask, ShapeError, ShapeTracker, View, ViewRule};
use plumb_core::symbolic::{Arena, Sint};

fn ints(values: &[i64]) -> Vec<Sint> {
    values.iter().map(|&value| Sint::Int(value)).collect()
}

fn pairs(values: &[(i64, i64)]) -> Mask {
    values.iter().map(|&(low, high)| (Sint::Int(low), Sint::Int(high))).collect()
}

/// What the stack shows, in row-major order; None for padding.
fn shown(tracker: &ShapeTracker, arena: &mut Arena) -> Vec<Option<i64>> {
    let (index, valid) = tracker.index_and_valid(arena, None).expect("an index");
    let shape: Vec<i64> = tracker.shape().iter().filter_map(|dim| dim.int()).collect();
    (0..shape.iter().product::<i64>())
        .map(|flat| {
            let value = |name: &str| {
                let axis: usize = name.strip_prefix(".idx")?.parse().ok()?;
                Some(flat / shape[axis + 1..].iter().product::<i64>() % shape[axis])
            };
            (arena.evaluate(valid, &value)? == 1).then(|| arena.evaluate(index, &value)).flatten()
        })
        .collect()
}

/// What `build` leads to, with all rules on and with this one's fault planted.
fn both<T>(rule: ViewRule, build: impl Fn(&mut Arena) -> T) -> (T, T) {
    let with = |state| build(&mut Arena::new(Rules::default().with(rule, state)));
    (with(State::On), with(State::Altered))
}

/// A mask split although the new axis does not divide the old one: elements before the padding's end, and beyond the
/// buffer, became readable.
#[test]
fn a_mask_is_not_split_unevenly() {
    let (right, wrong) = both(ViewRule::ReshapeMaskSplit, |arena| {
        let padded = ShapeTracker::from_ints(arena, &[1, 2]).unwrap().pad(arena, &pairs(&[(1, 0), (0, 1)])).unwrap();
        let reshaped = padded.reshape(arena, &ints(&[3, 2])).unwrap();
        shown(&reshaped, arena)
    });
    assert_eq!(right, [None, None, None, Some(0), Some(1), None]);
    assert_ne!(wrong, right);
}

/// The offset of a view was computed wrongly when masked axes were merged: every element came from before the buffer.
#[test]
fn merged_masked_axes_keep_their_offset() {
    let (right, wrong) = both(ViewRule::ReshapeOffset, |arena| {
        let padded = ShapeTracker::from_ints(arena, &[2, 5, 5]).unwrap();
        let padded = padded.pad(arena, &pairs(&[(2, 0), (0, 0), (0, 0)])).unwrap();
        let split = padded.reshape(arena, &ints(&[2, 2, 5, 5])).unwrap();
        split.reshape(arena, &ints(&[4, 5, 5])).unwrap()
    });
    assert_eq!(right.views.len(), 1);
    assert_eq!(right.views[0].offset, Sint::Int(-50));
    assert_eq!(right.views[0].mask, Some(pairs(&[(2, 4), (0, 5), (0, 5)])));
    assert_ne!(wrong, right);
}

/// A mask was split into rows although it ends within one: the view was all padding.
#[test]
fn a_mask_that_ends_within_a_row_takes_two_views() {
    let (right, wrong) = both(ViewRule::ReshapeMaskRows, |arena| {
        let padded = ShapeTracker::from_ints(arena, &[5, 6, 2]).unwrap();
        let padded = padded.pad(arena, &pairs(&[(0, 3), (0, 0), (0, 0)])).unwrap();
        let reshaped = padded.reshape(arena, &ints(&[6, 4, 4])).unwrap();
        (reshaped.views.len(), shown(&reshaped, arena))
    });
    let wanted: Vec<Option<i64>> = (0..96).map(|place| (place < 60).then_some(place)).collect();
    assert_eq!(right, (2, wanted));
    assert_ne!(wrong, right);
}

/// Masks of neighbouring axes merged although the inner one leaves out places between.
#[test]
fn masks_that_do_not_continue_are_not_merged() {
    let (right, wrong) = both(ViewRule::ReshapeMaskMerge, |arena| {
        let mask = pairs(&[(0, 2), (0, 2)]);
        let view = View::new(arena, &ints(&[2, 3]), Some(&ints(&[3, 1])), Sint::Int(0), Some(&mask)).unwrap();
        let tracker = ShapeTracker { views: [view].into_iter().collect() }.reshape(arena, &ints(&[6])).unwrap();
        shown(&tracker, arena)
    });
    assert_eq!(right, [Some(0), Some(1), None, Some(3), Some(4), None]);
    assert_ne!(wrong, right);
}

/// A mask on an axis that does not divide the buffer's rows.
#[test]
fn a_mask_across_rows_takes_two_views() {
    let mut arena = Arena::default();
    let strides = ints(&[1_310_720, 1024, 32, 1]);
    let mask = pairs(&[(0, 2), (0, 1280), (0, 32), (0, 32)]);
    let view =
        View::new(&mut arena, &ints(&[2, 1920, 32, 32]), Some(&strides), Sint::Int(0), Some(&mask)).expect("a view");
    assert_eq!(view.reshape(&mut arena, &ints(&[2, 32, 240, 256])), Ok(None));
}

/// Padding that was shrunk to a scalar became readable, beyond the end of the buffer.
#[test]
fn padding_stays_padding_as_a_scalar() {
    let (right, wrong) = both(ViewRule::ReshapeScalar, |arena| {
        let padded = ShapeTracker::from_ints(arena, &[3]).unwrap().pad(arena, &pairs(&[(0, 2)])).unwrap();
        let scalar = padded.shrink(arena, &pairs(&[(4, 5)])).unwrap().reshape(arena, &[]).unwrap();
        shown(&scalar, arena)
    });
    assert_eq!(right, [None]);
    assert!(wrong[0].is_some());
}

/// The inverse of a view took no note of axes that it walks backwards.
#[test]
fn a_view_read_through_its_inverse_is_plain() {
    let (right, wrong) = both(ViewRule::InvertSign, |arena| {
        let flipped = ShapeTracker::from_ints(arena, &[2]).unwrap().stride(arena, &[-1]).unwrap();
        let inverse = flipped.invert(arena, &ints(&[2])).unwrap().expect("an inverse");
        let both = flipped.through(arena, &inverse).unwrap();
        shown(&both, arena)
    });
    assert_eq!(right, [Some(0), Some(1)]);
    assert_eq!(wrong, [Some(1), Some(0)]);
}

/// An index that is never valid gave the buffer a negative size.
#[test]
fn what_is_all_padding_needs_no_elements() {
    let mut arena = Arena::default();
    let arena = &mut arena;
    let mut tracker = ShapeTracker::from_ints(arena, &[6, 4, 1]).unwrap().reshape(arena, &ints(&[4, 6])).unwrap();
    tracker = tracker.pad(arena, &pairs(&[(3, 1), (0, 3)])).unwrap().reshape(arena, &ints(&[72])).unwrap();
    tracker = tracker.pad(arena, &pairs(&[(1, 1)])).unwrap().shrink(arena, &pairs(&[(11, 40)])).unwrap();
    tracker = tracker.shrink(arena, &pairs(&[(8, 9)])).unwrap().stride(arena, &[2]).unwrap();
    assert_eq!(tracker.real_size(arena), Ok(0));
}

/// With a symbolic axis, 0.9.0 takes the end of a mask that nothing decides from the wrong side: the padding that a
/// second pad puts after the first became readable.
#[test]
fn padding_twice_after_a_symbolic_axis_is_padding() {
    let mut arena = Arena::default();
    let arena = &mut arena;
    let n = arena.variable("n", 3, Sint::Int(8), None).unwrap();
    let tracker = ShapeTracker::from_shape(arena, &[Sint::Node(n)]).unwrap();
    let tracker = tracker.pad(arena, &pairs(&[(0, 1)])).unwrap().pad(arena, &pairs(&[(2, 1)])).unwrap();
    let (_, high) = tracker.views[0].mask.as_ref().unwrap()[0];
    assert_eq!(arena.render_sint(high), "(2+n)");
}

#[test]
fn impossible_movements_are_refused() {
    let mut arena = Arena::default();
    let arena = &mut arena;
    let n = arena.variable("n", 1, Sint::Int(5), None).unwrap();
    let n = Sint::Node(n);
    let tracker = ShapeTracker::from_ints(arena, &[2, 3]).unwrap();
    let symbolic = ShapeTracker::from_shape(arena, &[n, Sint::Int(3)]).unwrap();
    let refusals = [
        tracker.reshape(arena, &ints(&[7])),
        tracker.reshape(arena, &ints(&[-2, -3])),
        tracker.reshape(arena, &ints(&[0])),
        tracker.reshape(arena, &[n]),
        tracker.reshape(arena, &ints(&[i64::MAX, i64::MAX])),
        symbolic.reshape(arena, &ints(&[7])),
        tracker.permute(arena, &[0]),
        tracker.permute(arena, &[0, 0]),
        tracker.permute(arena, &[0, usize::MAX]),
        tracker.expand(arena, &ints(&[2, 4])),
        tracker.expand(arena, &ints(&[2])),
        tracker.expand(arena, &ints(&[2, -3])),
        tracker.pad(arena, &pairs(&[(0, 0)])),
        tracker.pad(arena, &pairs(&[(-1, 0), (0, 0)])),
        tracker.pad(arena, &pairs(&[(i64::MAX, i64::MAX), (0, 0)])),
        tracker.shrink(arena, &pairs(&[(0, 3), (0, 3)])),
        tracker.shrink(arena, &pairs(&[(1, 0), (0, 3)])),
        tracker.shrink(arena, &pairs(&[(-1, 1), (0, 3)])),
        tracker.stride(arena, &[1]),
        tracker.stride(arena, &[1, 0]),
        tracker.stride(arena, &[1, i64::MIN]),
        tracker.stride(arena, &[i64::MAX, 1]),
        tracker.stride(arena, &[1000, -1000]),
    ];
    for (number, refusal) in refusals.iter().enumerate() {
        // Only the last fits: both axes shrink to one place.
        assert_eq!(refusal.is_err(), number + 1 < refusals.len(), "number {number}: {refusal:?}");
    }
    let shape = ints(&[4, 4]);
    assert!(View::new(arena, &shape, Some(&ints(&[1])), Sint::Int(0), None).is_err());
    assert!(View::new(arena, &shape, None, Sint::Int(0), Some(&pairs(&[(0, 1)]))).is_err());
    assert!(View::new(arena, &ints(&[-4]), None, Sint::Int(0), None).is_err());
}

/// Whatever numbers a log holds, there is an answer or an error.
#[test]
fn extreme_views_are_answered_or_refused() {
    let extremes = [i64::MIN, i64::MIN + 1, -1, 0, 1, 2, i64::MAX - 1, i64::MAX];
    for size in [0, 1, 2, i64::MAX] {
        for stride in extremes {
            for offset in extremes {
                for mask in [None, Some((i64::MIN, i64::MAX)), Some((1, i64::MAX)), Some((i64::MAX, i64::MIN))] {
                    let mut arena = Arena::default();
                    let arena = &mut arena;
                    let mask = mask.map(|mask| pairs(&[mask, (0, 1)]));
                    let shape = ints(&[size, 2]);
                    let strides = ints(&[stride, 1]);
                    let Ok(view) = View::new(arena, &shape, Some(&strides), Sint::Int(offset), mask.as_deref()) else {
                        continue;
                    };
                    let tracker = ShapeTracker { views: [view.clone()].into_iter().collect() };
                    let _ = tracker.index_and_valid(arena, None);
                    let _ = tracker.real_strides(arena, false);
                    let _ = tracker.real_size(arena);
                    let _ = tracker.simplify(arena);
                    let _ = tracker.invert(arena, &shape);
                    let _ = tracker.stride(arena, &[-1, -1]);
                    let _ = tracker.reshape(arena, &ints(&[2, size]));
                    let _ = tracker.pad(arena, &pairs(&[(1, 1), (0, 1)]));
                    let _ = view.minify(arena);
                    let _ = tracker.through(arena, &tracker);
                }
            }
        }
    }
    let mut arena = Arena::default();
    let empty = ShapeTracker::from_ints(&mut arena, &[0, 3]).unwrap();
    assert_eq!(empty.real_size(&mut arena), Ok(0));
    assert!(matches!(empty.index_and_valid(&mut arena, None), Err(ShapeError::Symbolic(_))));
    assert!(empty.pad(&mut arena, &pairs(&[(1, 0), (0, 0)])).is_ok());
    assert!(empty.reshape(&mut arena, &ints(&[3, 0])).is_ok());
}
