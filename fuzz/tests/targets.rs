//! Short runs of every target without libFuzzer: on bytes of all lengths, on the captured kernels, and on what the
//! mutator makes of both.

use plumb_core::kernel::OptPlan;
use plumb_corpus::case::Case;
use plumb_corpus::generate::Profile;
use plumb_corpus::source::kernel_files;
use plumb_corpus::text;
use plumb_fuzz::case::{case_of, mutate, splice};
use plumb_fuzz::finding::{About, Finding};
use plumb_fuzz::target::{ALL, CASE_TEXT, KERNEL, OPTIMISE, SHAPE, SYMBOLIC, TINYGRAD_LOG, Target, UOPS};
use std::path::Path;

/// Pseudorandom bytes, the same everywhere.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Texts of captured kernels, small ones, as seeds.
fn captured() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/kernels");
    let files = kernel_files(&folder).expect("the folder of captured kernels");
    let texts = files.iter().map(|file| std::fs::read_to_string(file).expect("a file"));
    texts.filter(|text| text.len() < 700).step_by(7).collect()
}

fn run(target: &Target, data: &[u8]) -> bool {
    target.execute(data).unwrap_or_else(|finding| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings");
        panic!("{}: {}", target.name, finding.report(target.name, &folder))
    })
}

/// Runs a target on `count` random inputs; at least 95 of 100 of them must be looked at.
fn on_bytes(target: &Target, count: u64) {
    let looked = (0..count).filter(|&seed| run(target, &bytes(seed, (seed % 300) as usize))).count() as u64;
    assert!(looked * 100 >= count * 95, "{}: {looked} of {count} inputs were looked at", target.name);
}

#[test]
fn kernels() {
    on_bytes(&KERNEL, 250);
}

#[test]
fn optimisations() {
    on_bytes(&OPTIMISE, 250);
}

#[test]
fn shapes() {
    on_bytes(&SHAPE, 1500);
}

#[test]
fn rewrites() {
    on_bytes(&UOPS, 250);
}

#[test]
fn index_expressions() {
    on_bytes(&SYMBOLIC, 3000);
}

#[test]
fn captured_kernels_and_what_becomes_of_them() {
    let seeds = captured();
    assert!(seeds.len() > 20);
    let (mut looked, mut changed) = (0, 0);
    for (number, seed) in seeds.iter().enumerate() {
        for target in [&KERNEL, &OPTIMISE, &SHAPE, &UOPS, &CASE_TEXT] {
            looked += usize::from(run(target, seed.as_bytes()));
        }
        let mutated = mutate(seed.as_bytes(), 4096, number as u32);
        let other = &seeds[(number * 5 + 1) % seeds.len()];
        let spliced = splice(seed.as_bytes(), other.as_bytes(), 4096, number as u32);
        for text in [mutated, spliced].into_iter().flatten() {
            changed += 1;
            assert!(case_of(&text, &Profile::fuzz()).is_some(), "{}", String::from_utf8_lossy(&text));
            run(&KERNEL, &text);
            run(&CASE_TEXT, &text);
        }
    }
    assert!(looked >= seeds.len() * 4, "{looked} of {} looks", seeds.len() * 5);
    assert!(changed >= seeds.len(), "{changed} changes of {} seeds", seeds.len());
}

/// Bytes are seldom text: what readers are given begins as a case or a line of the log does, and then goes wrong.
#[test]
fn readers() {
    let seeds = captured();
    let line = "LazyOp(op=BufferOps.STORE, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(idx=1, dtype=dtypes.float, \
                st=ShapeTracker(views=(View(shape=(4,), strides=(1,), offset=0, mask=None, contiguous=True),)))),), \
                arg=MemBuffer(idx=0, dtype=dtypes.float, st=ShapeTracker(views=(View(shape=(4,), strides=(1,), offset=0, \
                mask=None, contiguous=True),))))";
    assert!(run(&TINYGRAD_LOG, line.as_bytes()), "the line itself is read");
    for seed in 0..4000u64 {
        let (target, text) = match seed % 2 {
            0 => (&TINYGRAD_LOG, line),
            _ => (&CASE_TEXT, seeds[seed as usize % seeds.len()].as_str()),
        };
        let noise = bytes(seed, 24);
        let mut data = text.as_bytes().to_vec();
        for change in noise.chunks_exact(4) {
            let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % data.len();
            match change[2] % 4 {
                0 if data.len() > 1 => drop(data.remove(place)),
                1 => data.insert(place, b"()0,=-[% "[usize::from(change[3]) % 9]),
                2 => data[place] = b"19-(),."[usize::from(change[3]) % 7],
                _ => data.truncate(place.max(1)),
            }
        }
        run(target, &data);
    }
}

#[test]
fn a_finding_about_a_case_is_a_file_that_replays() {
    let case: Case = case_of(&bytes(3, 80), &Profile::fuzz()).expect("a case");
    let folder = tempfile::tempdir().expect("a folder");
    let finding = Finding { message: "two\nlines".to_owned(), about: About::Case(Box::new(case.clone()), "values") };
    let report = finding.report("kernel", folder.path());
    let path =
        report.split_once("plumb check ").expect("a command").1.strip_suffix(" --oracles values").expect("a judge");
    let saved = text::parse(&std::fs::read_to_string(path).expect("a file")).expect("a case");
    assert_eq!(saved.comments, ["found by the fuzz target kernel", "two lines"]);
    assert_eq!((saved.kernel, saved.opts), (case.kernel, case.opts));
}

#[test]
fn no_bytes_make_the_simplest_case() {
    let case = case_of(&[], &Profile::fuzz()).expect("a case");
    assert!(case.kernel.steps.len() <= 3 && case.opts != OptPlan::List(Vec::new()));
    for target in ALL {
        run(&target, &[]);
    }
}
