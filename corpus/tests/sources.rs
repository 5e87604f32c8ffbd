//! Files of kernels: formats, numbers of lines, and faults that stay by themselves.

use flate2::Compression;
use flate2::write::GzEncoder;
use plumb_corpus::source::{Content, Format, Source, SourceError, kernel_files};
use std::io::Write;

const CASE: &str = "plumb case 1\ntarget clang\n%0 = load f32 buf1 (4)\nstore f32 buf0 (4) %0\n";
const LINE: &str = "LazyOp(op=BufferOps.STORE, src=(LazyOp(op=BufferOps.LOAD, src=(), arg=MemBuffer(idx=1, dtype=dtypes.float, \
    st=ShapeTracker(views=(View(shape=(4,), strides=(1,), offset=0, mask=None, contiguous=True),)))),), \
    arg=MemBuffer(idx=0, dtype=dtypes.float, st=ShapeTracker(views=(View(shape=(4,), strides=(1,), offset=0, mask=None, \
    contiguous=True),))))";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// Number and line of a kernel, and the error's line and column where it is wrong.
type Outline = (usize, usize, Option<(usize, usize)>);

fn outline(bytes: impl Into<Vec<u8>>) -> (Format, Vec<Outline>) {
    let source = Source::from_bytes(bytes.into()).expect("readable");
    let pieces = source.pieces();
    let outline = pieces.iter().map(|piece| {
        let fault = piece.read().err().map(|error| (error.line, error.column));
        (piece.number, piece.line, fault)
    });
    (source.format(), outline.collect())
}

#[test]
fn content_decides_the_format() {
    assert_eq!(outline(CASE), (Format::Cases, vec![(0, 1, None)]));
    assert_eq!(outline(format!("\n; about\n{CASE}")), (Format::Cases, vec![(0, 2, None)]));
    assert_eq!(outline(LINE), (Format::Log, vec![(0, 1, None)]));
    assert_eq!(outline(gzip(CASE.as_bytes())), (Format::Cases, vec![(0, 1, None)]));
    assert_eq!(outline(gzip(LINE.as_bytes())), (Format::Log, vec![(0, 1, None)]));
    assert_eq!(outline(""), (Format::Log, vec![]));
    assert_eq!(outline("plumbing"), (Format::Log, vec![(0, 1, Some((1, 1)))]));
    assert_eq!(outline(CASE.replace('\n', "\r\n")), (Format::Cases, vec![(0, 1, None)]));
}

#[test]
fn a_wrong_line_of_a_log_hides_no_other() {
    let mut log = format!("{LINE}\n\n{LINE} LazyOp\n").into_bytes();
    log.extend(b"ab\xff\n");
    log.extend(format!("  \r\n{LINE}\r\n").into_bytes());
    let after = LINE.chars().count() + 2;
    let expected = vec![(0, 1, None), (1, 3, Some((3, after))), (2, 4, Some((4, 3))), (3, 6, None)];
    assert_eq!(outline(log), (Format::Log, expected));
}

#[test]
fn a_wrong_case_hides_no_other() {
    let wrong = CASE.replace("buf1", "buf1 view");
    let expected = vec![(0, 1, None), (1, 5, Some((7, 26))), (2, 9, None), (3, 13, Some((13, 12)))];
    assert_eq!(outline(format!("{CASE}{wrong}{CASE}plumb case 7\n")), (Format::Cases, expected));
}

#[test]
fn broken_archives_are_errors() {
    let whole = gzip(LINE.as_bytes());
    let cut = Source::from_bytes(whole[..whole.len() / 2].to_vec());
    assert!(matches!(cut, Err(SourceError::Gzip(_))), "{cut:?}");
    assert!(matches!(Source::open("no/such/file".as_ref()), Err(SourceError::Io { .. })));
    assert!(matches!(kernel_files("no/such/folder".as_ref()), Err(SourceError::Io { .. })));
}

#[test]
fn a_log_becomes_a_case() {
    let pair =
        format!("({LINE}, [Opt(op=OptOps.UPCAST, axis=0, amt=4), Opt(op=OptOps.NOLOCALS, axis=None, amt=None)])");
    let source = Source::from_bytes(pair.into_bytes()).expect("readable");
    let content = source.pieces()[0].read().unwrap_or_else(|error| panic!("{}", error.show(&source.text())));
    assert!(matches!(content, Content::Logged(_)));
    let case = content.into_case("metal");
    let expected = "plumb case 1\ntarget metal\n%0 = load f32 buf1 view((4):(1)+0)\nstore f32 buf0 view((4):(1)+0) %0\n\
        opts UPCAST:0:4 NOLOCALS:None:None\ndata auto seed 0\nexpect pass\n";
    assert_eq!(plumb_corpus::text::print(&case), expected);
}
