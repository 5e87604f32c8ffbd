//! `plumb sym`.

use super::{plumb, plumb_in};

#[test]
fn an_expression_is_simplified() {
    let ran = plumb(&["sym", "x[0,9] y[0,3]", "((x*4+y)//4)%3"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, "(x%3) min=0 max=2\n"));
}

#[test]
fn lines_are_answered_one_by_one() {
    let input = "x[0,9] y[0,3]\t((x*4+y)//4)%3\nx[0,9]\tx//0\na[0,7]\ta//-2\nno tab\n";
    let ran = plumb_in(std::path::Path::new("."), &["sym", "-"], input);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", ran.out);
    assert_eq!(lines[0], "(x%3) min=0 max=2");
    assert!(lines[1].starts_with("error: "), "{}", lines[1]);
    assert!(lines[2].ends_with(" min=-4 max=0"), "{}", lines[2]);
    assert!(lines[3].starts_with("error: "), "{}", lines[3]);
    assert_eq!(ran.status, 2);
}

#[test]
fn a_wrong_expression_names_the_column() {
    let ran = plumb(&["sym", "x[0,9]", "x + (3 * y)"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("column 10"), "{}", ran.err);
}
