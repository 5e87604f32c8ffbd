//! Text to tokens.

use super::ExpressionError;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    Number(i64),
    Name(&'a str),
    Operator(Operator),
    Open,
    Close,
    End,
}

/// The operators, as they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Operator {
    /// How tightly it binds: comparisons 1, sums 2, products 3.
    pub(super) const fn precedence(self) -> u8 {
        match self {
            Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual => 1,
            Operator::Add | Operator::Sub => 2,
            Operator::Mul | Operator::Div | Operator::Mod => 3,
        }
    }
}

/// A token and where it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    /// Byte column, from 1.
    pub(super) column: usize,
}

/// The operators by their text, longer ones before their beginnings.
const OPERATORS: [(&str, Operator); 9] = [
    ("//", Operator::Div),
    ("<=", Operator::LessEqual),
    (">=", Operator::GreaterEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("+", Operator::Add),
    ("-", Operator::Sub),
    ("*", Operator::Mul),
    ("%", Operator::Mod),
];

/// All tokens of `text`, the last one [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let column = text.len() - rest.len() + 1;
        let Some(first) = rest.chars().next() else {
            tokens.push(Token { kind: Kind::End, column });
            return Ok(tokens);
        };
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (kind, length) = if first.is_ascii_digit() {
            (Kind::Number(number(&rest[..word], column)?), word)
        } else if word > 0 {
            (Kind::Name(&rest[..word]), word)
        } else if let Some((text, operator)) = OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
            if rest.starts_with("**") {
                return Err(ExpressionError::new(column, "there is no operator `**`; multiply instead"));
            }
            (Kind::Operator(*operator), text.len())
        } else {
            match first {
                '(' => (Kind::Open, 1),
                ')' => (Kind::Close, 1),
                _ => {
                    let message = format!("unexpected `{first}`; operators are + - * // % < <= > >=");
                    return Err(ExpressionError::new(column, message));
                }
            }
        };
        tokens.push(Token { kind, column });
        rest = &rest[length..];
    }
}

fn number(text: &str, column: usize) -> Result<i64, ExpressionError> {
    if let Some(place) = text.find(|c: char| !c.is_ascii_digit()) {
        return Err(ExpressionError::new(column + place, format!("`{text}` is neither a decimal integer nor a name")));
    }
    if text.len() > 1 && text.starts_with('0') && text.contains(|c| c != '0') {
        return Err(ExpressionError::new(column, format!("`{text}`: an integer can't start with 0")));
    }
    text.parse().map_err(|_| ExpressionError::new(column, format!("{text} does not fit in 64 bits")))
}
