//! The log reader on real logs.

mod support;

use plumb_corpus::case::Step;
use plumb_corpus::log::parse_line;
use plumb_corpus::source::Source;
use plumb_corpus::text;
use std::time::Instant;

#[test]
fn every_line_of_the_reference_log_is_read() {
    let Some(text) = support::data("sops.gz") else { return };
    let begin = Instant::now();
    let mut steps = 0;
    let mut slowest = (std::time::Duration::ZERO, 0);
    for (index, line) in text.lines().enumerate() {
        let begin = Instant::now();
        let logged = parse_line(line, index + 1).unwrap_or_else(|error| panic!("{error}"));
        slowest = slowest.max((begin.elapsed(), index));
        steps += logged.kernel.steps.len();
        assert!(logged.opts.is_none(), "line {index} carries no opts");
        assert!(matches!(logged.kernel.steps.last(), Some(Step::Store { .. })), "line {index} must end in a store");
    }
    eprintln!("{} lines, {steps} steps in {:?}; slowest: {slowest:?}", text.lines().count(), begin.elapsed());
    assert_eq!(text.lines().count(), 11_262);
}

#[test]
fn every_kernel_of_the_reference_log_is_well_formed() {
    let Some(text) = support::data("sops.gz") else { return };
    for (index, line) in text.lines().enumerate() {
        let kernel = parse_line(line, index + 1).unwrap_or_else(|error| panic!("{error}")).kernel;
        kernel.check().unwrap_or_else(|error| panic!("line {index}: {error}"));
    }
}

#[test]
fn every_kernel_of_the_reference_log_reads_back_from_its_text() {
    let Some(log) = support::data("sops.gz") else { return };
    let source = Source::from_bytes(log.into_bytes()).expect("readable");
    for piece in source.pieces() {
        let case = piece.read().unwrap_or_else(|error| panic!("{error}")).into_case("metal");
        let written = text::print(&case);
        let read = text::parse(&written).unwrap_or_else(|error| panic!("{}", error.show(&written)));
        assert_eq!(read, case, "line {}", piece.line);
        assert_eq!(text::print(&read), written, "line {}", piece.line);
    }
}
