//! A cursor over one line of text, with errors that point at what is wrong: shared by the two readers.

use crate::text::ParseError;
use plumb_core::constant::Constant;

/// A position in one line.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    /// At the beginning of `text`, which is line `line` (from 1) of its file.
    pub(crate) fn new(text: &'a str, line: usize) -> Scanner<'a> {
        Scanner { text, at: 0, line }
    }

    /// The byte at which the cursor stands.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The text from `start` to the cursor.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    /// What follows the cursor.
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Moves back (or on) to byte `at`, a place where the cursor has been.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Moves on by `bytes`, which must end at a character's end.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    /// Passes blanks.
    pub(crate) fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The next byte after blanks, without passing it.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Whether nothing but blanks follows.
    pub(crate) fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Passes `literal`, if it follows.
    pub(crate) fn eat(&mut self, literal: &str) -> bool {
        self.skip_blanks();
        let found = self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(literal.as_bytes()));
        if found {
            self.at += literal.len();
        }
        found
    }

    /// Passes `literal` or fails.
    pub(crate) fn expect(&mut self, literal: &str) -> Result<(), ParseError> {
        if self.eat(literal) { Ok(()) } else { Err(self.expected(&format!("`{literal}`"))) }
    }

    /// Passes an identifier, if one follows.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let rest = self.rest();
        let length = word_length(rest);
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The identifier that follows, without passing it; empty if none follows.
    pub(crate) fn peek_word(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = self.rest();
        &rest[..word_length(rest)]
    }

    /// Passes the identifier `word`, if it is what follows.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    /// An integer of 64 bits, called `what` in errors.
    pub(crate) fn integer(&mut self, what: &str) -> Result<i64, ParseError> {
        self.skip_blanks();
        let start = self.at;
        let digits = self.number_text();
        match digits.parse() {
            Ok(value) => Ok(value),
            Err(_) if !digits.is_empty() && is_integer(digits) => {
                Err(self.error_at(start, digits, format!("{digits} does not fit in 64 bits")))
            }
            Err(_) => {
                self.at = start;
                Err(self.expected(what))
            }
        }
    }

    /// An integer of `0..=max`.
    pub(crate) fn natural(&mut self, what: &str, max: u64) -> Result<u64, ParseError> {
        self.skip_blanks();
        let start = self.at;
        let digits = self.number_text();
        match digits.parse::<u64>() {
            Ok(value) if value <= max => Ok(value),
            _ if !digits.is_empty() && is_integer(digits) => {
                Err(self.error_at(start, digits, format!("{what} must be in 0..={max}, not {digits}")))
            }
            _ => {
                self.at = start;
                Err(self.expected(what))
            }
        }
    }

    /// A constant: an integer, a float (with a point or an exponent, `inf`, `nan`), a truth value in either spelling.
    pub(crate) fn constant(&mut self) -> Result<Constant, ParseError> {
        self.skip_blanks();
        let start = self.at;
        match self.peek_word() {
            "True" | "true" => {
                self.at += 4;
                return Ok(Constant::Bool(true));
            }
            "False" | "false" => {
                self.at += 5;
                return Ok(Constant::Bool(false));
            }
            _ => {}
        }
        let text = self.number_text();
        let spelled = matches!(text.trim_start_matches(['-', '+']), "inf" | "nan");
        let value = if is_integer(text) {
            text.parse().ok().map(Constant::Int)
        } else {
            let value = text.parse().ok().filter(|value: &f64| value.is_finite() || spelled);
            value.map(Constant::Float)
        };
        match value {
            Some(value) => Ok(value),
            None if text.bytes().any(|byte| byte.is_ascii_digit()) => {
                Err(self.error_at(start, text, format!("the constant {text} is too large")))
            }
            None => {
                self.at = start;
                Err(self.expected("a constant"))
            }
        }
    }

    /// Passes the characters of a number: a sign, then digits with point and exponent, or `inf` or `nan`.
    fn number_text(&mut self) -> &'a str {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start;
        if matches!(bytes.get(at), Some(b'-' | b'+')) {
            at += 1;
        }
        let unsigned = &self.text[at..];
        if unsigned.starts_with("inf") || unsigned.starts_with("nan") {
            self.at = at + word_length(unsigned);
            return self.since(start);
        }
        let digits = |at: &mut usize| {
            while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
                *at += 1;
            }
        };
        digits(&mut at);
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            digits(&mut at);
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
            if bytes.get(at + 1 + sign).is_some_and(u8::is_ascii_digit) {
                at += 1 + sign;
                digits(&mut at);
            }
        }
        self.at = at;
        self.since(start)
    }

    /// An error at the cursor: what was expected, and what stands there.
    pub(crate) fn expected(&mut self, what: &str) -> ParseError {
        self.skip_blanks();
        let found = self.token();
        let found_text = if found.is_empty() { "the end of the line".to_owned() } else { format!("`{found}`") };
        self.error_at(self.at, found, format!("expected {what}, found {found_text}"))
    }

    /// An error about `token`, which stands at byte `start`.
    pub(crate) fn error_at(&self, start: usize, token: &str, message: impl Into<String>) -> ParseError {
        let before = self.text.get(..start).unwrap_or(self.text);
        ParseError {
            line: self.line,
            column: before.chars().count() + 1,
            length: token.chars().count().max(1),
            message: message.into(),
        }
    }

    /// An error about everything from byte `start` to the cursor.
    pub(crate) fn error_since(&self, start: usize, message: impl Into<String>) -> ParseError {
        self.error_at(start, self.since(start).trim_end(), message)
    }

    /// The word, number or character at the cursor, cut short for messages.
    fn token(&self) -> &'a str {
        let rest = self.rest();
        let length = rest
            .char_indices()
            .take(40)
            .find(|&(_, c)| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.')))
            .map_or_else(|| rest.char_indices().nth(40).map_or(rest.len(), |(at, _)| at), |(at, _)| at);
        let length = if length == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { length };
        &rest[..length]
    }
}

/// Whether `text` is an integer in decimal, of whatever size.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Bytes of the identifier at the beginning of `text`.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.first().is_none_or(u8::is_ascii_digit) {
        return 0;
    }
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}
