//! What the readers promise of any text: an answer, never a panic; and what they read is read again from what is printed of it.

use crate::case::{Case, Data, DataMode, Expect};
use crate::log::parse_line;
use crate::text;
use plumb_core::kernel::OptPlan;

/// Reads a case and prints it. `Ok(false)` where the text is none.
///
/// # Errors
/// Where what is printed is not read as the same case, or not printed the same again.
pub fn case_text(input: &str) -> Result<bool, String> {
    let Ok(case) = text::parse(input) else { return Ok(false) };
    again(&case)?;
    Ok(true)
}

/// Reads a line of tinygrad's log, and prints the kernel as a case. `Ok(false)` where the line is none, or its kernel is
/// one that no case may have.
///
/// # Errors
/// As [`case_text`].
pub fn log_line(input: &str) -> Result<bool, String> {
    let Ok(logged) = parse_line(input, 1) else { return Ok(false) };
    let case = Case {
        comments: Vec::new(),
        target: "clang".to_owned(),
        kernel: logged.kernel,
        opts: logged.opts.map_or(OptPlan::Hand, OptPlan::List),
        data: Data { mode: DataMode::Auto, seed: 0 },
        expect: Expect::Pass,
    };
    if case.check().is_err() {
        return Ok(false);
    }
    again(&case)?;
    Ok(true)
}

fn again(case: &Case) -> Result<(), String> {
    let printed = text::print(case);
    let read =
        text::parse(&printed).map_err(|error| format!("what is printed is not read: {}", error.show(&printed)))?;
    if read != *case {
        return Err(format!("what is printed is read as another case:\n{printed}"));
    }
    let again = text::print(&read);
    if again == printed { Ok(()) } else { Err(format!("printed again it is another text:\n{printed}\n{again}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_or_none() {
        let case = "plumb case 1\ntarget clang\n%0 = load f32 buf1 (4)\nstore f32 buf0 (4) %0\nopts hand\n\
                    data exact seed 7\nexpect pass\n";
        assert_eq!(case_text(case), Ok(true));
        assert_eq!(case_text("plumb case 9"), Ok(false));
        assert_eq!(log_line("LazyOp("), Ok(false));
    }
}
