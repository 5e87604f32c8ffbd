//! Parsing: the statements of a case, line by line.

use super::step::{self, Steps};
use super::{ParseError, VERSION_LINE};
use crate::case::{Case, CaseError, Data, DataMode, Expect, Kernel, MAX_VARIABLES, Variable};
use crate::scan::Scanner;
use plumb_core::kernel::{Opt, OptOp, OptPlan};

/// What has been read.
#[derive(Default)]
struct Reader<'a> {
    versioned: bool,
    comments: Vec<String>,
    target: Option<String>,
    variables: Vec<Variable>,
    steps: Steps<'a>,
    opts: Option<OptPlan>,
    data: Option<Data>,
    expect: Option<Expect>,
}

/// Where a statement stands, for what is found wrong with it only in the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    line: usize,
    column: usize,
    length: usize,
}

pub(super) fn case(text: &str, first_line: usize) -> Result<Case, ParseError> {
    let (case, origin) = unchecked(text, first_line)?;
    match case.check() {
        Ok(()) => Ok(case),
        Err(CaseError::Step { step, message }) => Err(origin.step_error(step, &message)),
        Err(CaseError::Case(message)) => Err(origin.end.error(message)),
    }
}

/// Where a case's parts stand in its text.
#[derive(Debug)]
pub(super) struct Origin {
    names: Vec<String>,
    places: Vec<Place>,
    end: Place,
}

impl Origin {
    fn step_error(&self, step: usize, message: &str) -> ParseError {
        let place = self.places.get(step).copied().unwrap_or(self.end);
        // What the check calls %3 may have another name here.
        let name = self.names.get(step).map_or("", String::as_str);
        place.error(format!("{name}: {message}"))
    }
}

/// Parses a case without checking it.
pub(super) fn unchecked(text: &str, first_line: usize) -> Result<(Case, Origin), ParseError> {
    let mut reader = Reader::default();
    let mut last = first_line;
    for (index, line) in text.lines().enumerate() {
        last = first_line + index;
        let mut scanner = Scanner::new(line, last);
        if !comment(&mut scanner, &mut reader.comments) {
            reader.statement(&mut scanner)?;
            if !comment(&mut scanner, &mut reader.comments) {
                return Err(scanner.expected("the end of the statement"));
            }
        }
    }
    let end = Place { line: last, column: 1, length: 1 };
    let missing = |what: &str| end.error(format!("the case has ended; expected {what}"));
    if !reader.versioned {
        return Err(missing(&format!("`{VERSION_LINE}`")));
    }
    let names = (0..reader.steps.steps.len()).map(|step| reader.steps.name(step)).collect();
    let origin = Origin { names, places: reader.steps.places, end };
    let case = Case {
        comments: reader.comments,
        target: reader.target.ok_or_else(|| missing("`target`"))?,
        kernel: Kernel { variables: reader.variables, steps: reader.steps.steps },
        opts: reader.opts.unwrap_or(OptPlan::Hand),
        data: reader.data.unwrap_or(Data { mode: DataMode::Auto, seed: 0 }),
        expect: reader.expect.unwrap_or(Expect::Pass),
    };
    Ok((case, origin))
}

/// Whether nothing but a comment follows, which then is kept.
fn comment(scanner: &mut Scanner<'_>, comments: &mut Vec<String>) -> bool {
    if scanner.eat(";") {
        let rest = scanner.rest();
        comments.push(rest.strip_prefix(' ').unwrap_or(rest).to_owned());
        scanner.advance(rest.len());
    }
    scanner.at_end()
}

impl Place {
    fn error(self, message: String) -> ParseError {
        ParseError { line: self.line, column: self.column, length: self.length, message }
    }

    /// From byte `start` to the cursor.
    pub(super) fn since(scanner: &Scanner<'_>, start: usize) -> Place {
        let ParseError { line, column, length, .. } = scanner.error_since(start, "");
        Place { line, column, length }
    }
}

impl<'a> Reader<'a> {
    fn statement(&mut self, scanner: &mut Scanner<'a>) -> Result<(), ParseError> {
        if !self.versioned {
            return self.version(scanner);
        }
        let word = scanner.peek_word();
        let start = scanner.at();
        let again = match word {
            "target" => self.target.is_some(),
            "opts" => self.opts.is_some(),
            "data" => self.data.is_some(),
            "expect" => self.expect.is_some(),
            _ => false,
        };
        if again {
            return Err(scanner.error_at(start, word, format!("a second `{word}`")));
        }
        if matches!(word, "target" | "opts" | "data" | "expect" | "var") {
            scanner.advance(word.len());
        }
        match word {
            "target" => self.target = Some(target(scanner)?),
            "opts" => self.opts = Some(plan(scanner)?),
            "data" => self.data = Some(data(scanner)?),
            "expect" => self.expect = Some(expect(scanner)?),
            "var" => {
                if self.variables.len() >= MAX_VARIABLES {
                    return Err(scanner.error_at(
                        start,
                        word,
                        format!("at most {MAX_VARIABLES} variables are allowed"),
                    ));
                }
                let variable = variable(scanner)?;
                let fault = variable.fault().or_else(|| {
                    let twice = self.variables.iter().any(|known| known.name == variable.name);
                    twice.then(|| format!("a second variable {}", variable.name))
                });
                if let Some(fault) = fault {
                    return Err(scanner.error_since(start, fault));
                }
                self.variables.push(variable);
            }
            "plumb" => return Err(scanner.expected("a statement; another case begins here")),
            _ => step::read(scanner, &mut self.steps, &self.variables)?,
        }
        Ok(())
    }

    fn version(&mut self, scanner: &mut Scanner<'_>) -> Result<(), ParseError> {
        if !(scanner.eat_word("plumb") && scanner.eat_word("case")) {
            return Err(scanner.expected(&format!("`{VERSION_LINE}`")));
        }
        scanner.skip_blanks();
        let start = scanner.at();
        match scanner.integer("the version of the text")? {
            1 => self.versioned = true,
            other => {
                let message = format!("the text has version {other}; this program reads version 1");
                return Err(scanner.error_since(start, message));
            }
        }
        Ok(())
    }
}

fn target(scanner: &mut Scanner<'_>) -> Result<String, ParseError> {
    scanner.skip_blanks();
    let rest = scanner.rest();
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let length = rest.bytes().take_while(word).count();
    if length == 0 {
        return Err(scanner.expected("the name of a target"));
    }
    scanner.advance(length);
    Ok(rest.get(..length).unwrap_or("").to_owned())
}

/// `i[1,10]`, perhaps with `= 3` or `= 3 shown`.
fn variable(scanner: &mut Scanner<'_>) -> Result<Variable, ParseError> {
    let Some(name) = scanner.word() else { return Err(scanner.expected("the variable's name")) };
    scanner.expect("[")?;
    let min = scanner.integer("the smallest value")?;
    scanner.expect(",")?;
    let max = scanner.integer("the largest value")?;
    scanner.expect("]")?;
    let value = if scanner.eat("=") { Some(scanner.integer("the value")?) } else { None };
    let shown = value.is_some() && scanner.eat_word("shown");
    Ok(Variable { name: name.to_owned(), min, max, value, shown })
}

/// `hand`, `none`, `[]`, or optimisations.
pub(super) fn plan(scanner: &mut Scanner<'_>) -> Result<OptPlan, ParseError> {
    if scanner.eat_word("hand") {
        return Ok(OptPlan::Hand);
    }
    if scanner.eat_word("none") {
        return Ok(OptPlan::Required);
    }
    let mut opts = Vec::new();
    if scanner.eat("[") {
        scanner.expect("]")?;
        return Ok(OptPlan::List(opts));
    }
    while opts.is_empty() || !matches!(scanner.peek(), None | Some(b';')) {
        opts.push(opt(scanner)?);
    }
    Ok(OptPlan::List(opts))
}

/// `UPCAST:0:4`
fn opt(scanner: &mut Scanner<'_>) -> Result<Opt, ParseError> {
    let Some(op) = OptOp::from_name(scanner.peek_word()) else {
        return Err(scanner.expected("`hand`, `none`, `[]` or optimisations such as `UPCAST:0:4`"));
    };
    scanner.advance(op.name().len());
    scanner.expect(":")?;
    let axis = part(scanner, "an axis or `None`")?;
    scanner.expect(":")?;
    let amount = part(scanner, "an amount or `None`")?;
    Ok(Opt { op, axis, amount })
}

fn part(scanner: &mut Scanner<'_>, what: &str) -> Result<Option<i64>, ParseError> {
    if scanner.eat_word("None") { Ok(None) } else { scanner.integer(what).map(Some) }
}

/// `exact seed 7`
fn data(scanner: &mut Scanner<'_>) -> Result<Data, ParseError> {
    let mode = match scanner.peek_word() {
        "auto" => DataMode::Auto,
        "exact" => DataMode::Exact,
        "bounded" => DataMode::Bounded,
        "special" => DataMode::Special,
        _ => return Err(scanner.expected("`auto`, `exact`, `bounded` or `special`")),
    };
    scanner.word();
    scanner.expect("seed")?;
    Ok(Data { mode, seed: scanner.natural("the seed", u64::MAX)? })
}

/// `pass` or `refused "…"`
fn expect(scanner: &mut Scanner<'_>) -> Result<Expect, ParseError> {
    match scanner.peek_word() {
        "pass" => {
            scanner.word();
            Ok(Expect::Pass)
        }
        "refused" => {
            scanner.word();
            quoted(scanner).map(Expect::Refused)
        }
        _ => Err(scanner.expected("`pass` or `refused \"…\"`")),
    }
}

/// A text in quotes, with `\"`, `\\` and `\u{…}`.
fn quoted(scanner: &mut Scanner<'_>) -> Result<String, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    scanner.expect("\"")?;
    let mut text = String::new();
    loop {
        let Some(c) = scanner.rest().chars().next() else {
            return Err(scanner.error_since(start, "expected `\"` at the end of the text"));
        };
        let at = scanner.at();
        scanner.advance(c.len_utf8());
        match c {
            '"' => return Ok(text),
            '\\' => {
                let escape = |scanner: &Scanner<'_>| {
                    scanner
                        .error_since(at, "expected `\\\"`, `\\\\` or `\\u{…}` with a character's number in hexadecimal")
                };
                let rest = scanner.rest();
                match rest.chars().next() {
                    Some(c @ ('"' | '\\')) => {
                        scanner.advance(1);
                        text.push(c);
                    }
                    Some('u') => {
                        let digits =
                            rest.strip_prefix("u{").and_then(|rest| rest.split_once('}')).map(|(digits, _)| digits);
                        let digits = digits.filter(|digits| digits.len() <= 6).ok_or_else(|| escape(scanner))?;
                        scanner.advance(digits.len() + 3);
                        let number = u32::from_str_radix(digits, 16).ok();
                        text.push(number.and_then(char::from_u32).ok_or_else(|| escape(scanner))?);
                    }
                    _ => return Err(escape(scanner)),
                }
            }
            c => text.push(c),
        }
    }
}
