//! The regressions are well-formed, canonical, and say what they are about. (That they hold is the oracles' to test.)

use plumb_corpus::source::kernel_files;
use plumb_corpus::text;
use std::path::Path;

#[test]
fn regressions_are_canonical_and_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    for file in kernel_files(&folder).expect("the folder can be read") {
        let written = std::fs::read_to_string(&file).expect("the file can be read");
        let case = text::parse(&written).unwrap_or_else(|error| panic!("{}: {}", file.display(), error.show(&written)));
        assert_eq!(text::print(&case), written, "{} is not as it would be printed", file.display());
        assert!(!case.comments.is_empty(), "{} must say what was wrong", file.display());
    }
}
