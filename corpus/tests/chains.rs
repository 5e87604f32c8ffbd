//! Movement chains: the corpus and `core` each compute shapes by themselves, and must agree.

use plumb_core::dtype::DType;
use plumb_core::symbolic::Sint;
use plumb_corpus::case::{Dim, Kernel, Layout, Movement, Step, Variable};
use plumb_corpus::text;
use proptest::prelude::*;

/// A legal movement of `shape`, made of arbitrary numbers.
fn movement(shape: &[i64], kind: u8, numbers: &[u8]) -> Movement {
    let number = |axis: usize, below: i64| i64::from(numbers[axis % numbers.len()]) % below.max(1);
    let axes = || shape.iter().enumerate();
    match kind % 6 {
        0 => Movement::Pad(axes().map(|(axis, _)| (number(axis, 3).into(), number(axis + 1, 3).into())).collect()),
        1 => Movement::Shrink(
            axes()
                .map(|(axis, &size)| {
                    let begin = number(axis, size);
                    (begin.into(), (begin + 1 + number(axis + 1, size - begin)).into())
                })
                .collect(),
        ),
        2 => Movement::Stride(axes().map(|(axis, _)| [1, -1, 2, -2, 3][number(axis, 5) as usize]).collect()),
        3 => {
            let mut order: Vec<usize> = (0..shape.len()).collect();
            order.sort_by_key(|&axis| (number(axis, 7), axis));
            Movement::Permute(order)
        }
        4 => Movement::Expand(
            axes().map(|(axis, &size)| if size == 1 { 1 + number(axis, 4) } else { size }).map(Dim::Int).collect(),
        ),
        _ => {
            let total: i64 = shape.iter().product();
            let divisors: Vec<i64> = (1..=total).filter(|divisor| total % divisor == 0).collect();
            let first = divisors[number(0, divisors.len() as i64) as usize];
            Movement::Reshape(vec![first.into(), (total / first).into(), 1.into()])
        }
    }
}

/// A kernel that loads a buffer of shape `base` through legal movements and stores what it sees.
fn kernel(base: &[i64], kinds: &[(u8, Vec<u8>)]) -> Kernel {
    let load = |movements| Step::Load {
        buffer: 1,
        dtype: DType::F32,
        layout: Layout::Chain { base: base.iter().copied().map(Dim::Int).collect(), movements },
    };
    let shape = |movements| {
        let kernel = Kernel { variables: Vec::new(), steps: vec![load(movements)] };
        let shapes = kernel.shapes().expect("the movements are legal");
        shapes[0].iter().map(|size| size.int().expect("a number")).collect::<Vec<i64>>()
    };
    let mut movements: Vec<Movement> = Vec::new();
    for (kind, numbers) in kinds {
        let current = shape(movements.clone());
        let next = movement(&current, *kind, numbers);
        if current.iter().product::<i64>() <= 2000 || matches!(next, Movement::Shrink(_)) {
            movements.push(next);
        }
    }
    let stored = shape(movements.clone()).into_iter().map(Dim::Int).collect();
    let layout = Layout::Chain { base: stored, movements: Vec::new() };
    let store = Step::Store { buffer: 0, dtype: DType::F32, layout, source: 0 };
    Kernel { variables: Vec::new(), steps: vec![load(movements), store] }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_compute_the_same_shapes(
        base in prop::collection::vec(1..6i64, 0..4),
        kinds in prop::collection::vec((any::<u8>(), prop::collection::vec(any::<u8>(), 6)), 0..6),
    ) {
        let kernel = kernel(&base, &kinds);
        kernel.check().expect("the kernel is well-formed");
        let ast = kernel.ast().expect("the movements are legal");
        let ours: Vec<i64> = kernel.shapes().expect("legal")[0].iter().filter_map(Dim::int).collect();
        let load = ast.buffers().iter().find(|buffer| buffer.source == plumb_core::ast::Source::Memory(1)).expect("a load");
        let theirs: Vec<i64> = load.view.shape().iter().filter_map(|size: &Sint| size.int()).collect();
        prop_assert_eq!(ours, theirs);
    }
}

/// What a movement of a buffer of symbolic shape `(i, 4)` is told, if it is refused.
fn refusal(movements: &str) -> Option<String> {
    let text = format!(
        "plumb case 1\ntarget clang\nvar i[1,10]\nvar j[0,10]\n%0 = load f32 buf1 (i,4) |> {movements}\nstore f32 buf0 (1) %0\n"
    );
    let error = text::parse(&text).expect_err("at least, the store has another shape").message;
    error.strip_prefix("%0: ").map(str::to_owned)
}

#[test]
fn movements_of_symbolic_shapes_are_checked() {
    let legal = [
        "reshape(4*i)",
        "reshape(2,i*2)",
        "reshape(1,i,2,2)",
        "permute(1,0)",
        "reshape(i,4,1) |> expand(i,4,j+1)",
        "pad((0,j),(j,i))",
        "pad((2,3),(0,0)) |> reshape((i+5)*4)",
        "pad((2,3),(0,0)) |> reshape(i*4+20)",
        "shrink((0,i),(0,4))",
        "shrink((i-1,i),(1,3))",
        "shrink((0,1),(0,4))",
        "stride(-1,2)",
    ];
    for movements in legal {
        assert_eq!(refusal(movements), None, "{movements}");
    }
    let illegal = [
        ("reshape(i,5)", "reshape: the sizes differ"),
        ("reshape(i*i*4)", "reshape: the sizes differ"),
        ("expand(i,8)", "expand: only axes of size 1 can be repeated"),
        ("pad((0,j-1),(0,0))", "pad: a width may be negative"),
        ("shrink((0,i+1),(0,4))", "shrink: a range must not be empty and must lie within its axis"),
        ("shrink((i,i),(0,4))", "shrink: a range must not be empty and must lie within its axis"),
        ("stride(2,1)", "stride: an axis of symbolic size takes the steps 1 and -1 only"),
        ("reshape(i,4//0)", "reshape: an expression divides by 0, or its value leaves 64 bits"),
    ];
    for (movements, expected) in illegal {
        assert_eq!(refusal(movements).as_deref(), Some(expected), "{movements}");
    }
    let open = Variable { name: "i".to_owned(), min: -1, max: 4, value: None, shown: false };
    assert!(open.fault().is_some(), "tinygrad's variables are not negative");
}
