//! Reading the uop text.

use super::parse;
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::symbolic::Sint;
use plumb_core::target::Target;
use std::path::Path;
use std::sync::Arc;

/// What `core` prints of its lists is read back as the same lists, for all kernels of the corpus and all targets.
#[test]
fn printed_lists_are_read_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/kernels");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("a readable file");
        let case = plumb_corpus::text::parse(&text).expect("a valid case");
        let ast = Arc::new(case.kernel.ast().expect("a valid kernel"));
        for target in plumb_core::target::NAMES {
            let target = Arc::new(Target::named(target).expect("a target of this name"));
            let Ok(lowered) = lower(&ast, &target, &case.opts, &Rules::default()) else { continue };
            let sizes = lowered.global_size.iter().chain(&lowered.local_size).flatten();
            if sizes.copied().any(|size| matches!(size, Sint::Node(_))) {
                continue;
            }
            let mut read = parse::parse(&lowered.text()).unwrap_or_else(|error| panic!("{:?}: {error}", entry.path()));
            for (read, uop) in read.uops.uops.iter_mut().zip(&lowered.uops.uops) {
                // The text does not tell the target of a matrix instruction.
                if let (plumb_core::uop::UopArg::Wmma(read), plumb_core::uop::UopArg::Wmma(uop)) =
                    (&mut read.arg, &uop.arg)
                {
                    read.target.clone_from(&uop.target);
                }
            }
            assert_eq!(read.uops, lowered.uops, "{:?}", entry.path());
            assert_eq!((&read.global_size, &read.local_size), (&lowered.global_size, &lowered.local_size));
            assert_eq!(read.name, lowered.name);
            compared += 1;
        }
    }
    assert!(compared >= 20, "{compared} lists");
}

/// What is wrong is told, with its line.
#[test]
fn texts_that_are_no_list() {
    for (text, expected) in [
        ("; k global=[1,2\n", "line 1: \"global=[1,2\" has no local="),
        ("; k global=[n,1,1]local=None\n", "line 1: \"n\" is no number that fits here"),
        ("0 CONST i32 [] 0\n2 CONST i32 [] 0\n", "line 2: this is uop 1, not 2"),
        ("0 CONSTANT i32 [] 0\n", "line 1: there is no uop CONSTANT"),
        ("0 CONST i33 [] 0\n", "line 1: \"i33\" is no type"),
        ("0 CONST i32 [] zero\n", "line 1: \"zero\" is no number that fits here"),
        ("0 CONST i32 [0 0\n", "line 1: the sources do not end, or there is no argument"),
        ("0 CONST i32\n", "line 1: there are no sources in [ ]"),
        ("0 ALU i32 [0] FOO\n", "line 1: there is no operation FOO"),
        ("0 CONST f32 [] f:12\n1", "line 2: there is no name"),
        ("0 GEP f32 [1] -1\n", "line 1: \"-1\" is no number that fits here"),
        ("0 DEFINE_ACC f32 [] 1:2\n", "line 1: \"1:2\" has not three parts"),
        ("0 BARRIER - [] 7\n", "line 1: BARRIER takes no argument"),
        ("0 LOAD imagef[1,2] [] -\n", "line 1: \"imagef[1,2]\" is no type"),
    ] {
        let error = parse::parse(text).expect_err(text);
        assert_eq!(error.to_string(), expected);
    }
}
