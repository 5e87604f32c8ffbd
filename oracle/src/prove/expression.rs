//! Index expressions as the prover reads them: a parser and an evaluator of its own, so that what is proved does not
//! rest on `core`'s arithmetic.

use std::fmt;

/// An operation on two integers. Comparisons give 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient rounded down.
    FloorDivide,
    /// Remainder of the division that rounds down.
    Modulo,
    /// Whether smaller.
    Less,
    /// Whether smaller or equal.
    AtMost,
    /// Whether greater.
    Greater,
    /// Whether greater or equal.
    AtLeast,
    /// Whether both are not 0.
    And,
}

impl Operator {
    /// How tightly it binds; tighter ones are greater.
    const fn binding(self) -> u8 {
        match self {
            Operator::And => 1,
            Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => 2,
            Operator::Add | Operator::Subtract => 3,
            Operator::Multiply | Operator::FloorDivide | Operator::Modulo => 4,
        }
    }
}

/// One node of an [`Expression`]; operands are numbers of earlier nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A number.
    Integer(i64),
    /// A variable: its number in the list of ranges.
    Variable(usize),
    /// An operation.
    Binary(Operator, usize, usize),
}

/// An expression: nodes in an order in which they can be computed; the last is its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// At least one.
    pub nodes: Vec<Node>,
}

/// A variable with its inclusive range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Its name.
    pub name: String,
    /// Smallest value.
    pub low: i64,
    /// Largest value.
    pub high: i64,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column} of `{text}`: {message}")]
pub struct TextError {
    /// The text.
    pub text: String,
    /// Where, in characters from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// Reads `x[0,9] y[0,3]`.
pub fn parse_ranges(text: &str) -> Result<Vec<Range>, TextError> {
    text.split_whitespace()
        .map(|item| {
            let read = || {
                let (name, bounds) = item.strip_suffix(']')?.split_once('[')?;
                let (low, high) = bounds.split_once(',')?;
                let (low, high) = (low.parse().ok()?, high.parse().ok()?);
                (low <= high).then(|| Range { name: name.to_owned(), low, high })
            };
            let column = text.find(item).map_or(1, |place| text[..place].chars().count() + 1);
            let message = "expected name[low,high] with low not above high".to_owned();
            read().ok_or(TextError { text: text.to_owned(), column, message })
        })
        .collect()
}

impl Expression {
    /// Reads an expression over the variables of `ranges`.
    pub fn parse(text: &str, ranges: &[Range]) -> Result<Expression, TextError> {
        let characters: Vec<char> = text.chars().collect();
        let mut parser = Parser { text, characters: &characters, place: 0, ranges, nodes: Vec::new() };
        parser.expression()?;
        Ok(Expression { nodes: parser.nodes })
    }

    /// The value under an assignment to the variables, or `None` where it divides by zero or leaves 128 bits.
    pub fn evaluate(&self, values: &[i64]) -> Option<i128> {
        let mut results: Vec<i128> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            results.push(match *node {
                Node::Integer(value) => i128::from(value),
                Node::Variable(variable) => i128::from(*values.get(variable)?),
                Node::Binary(operator, a, b) => {
                    let (a, b) = (*results.get(a)?, *results.get(b)?);
                    match operator {
                        Operator::Add => a.checked_add(b)?,
                        Operator::Subtract => a.checked_sub(b)?,
                        Operator::Multiply => a.checked_mul(b)?,
                        Operator::FloorDivide => floor_divide(a, b)?,
                        Operator::Modulo => a.checked_sub(floor_divide(a, b)?.checked_mul(b)?)?,
                        Operator::Less => i128::from(a < b),
                        Operator::AtMost => i128::from(a <= b),
                        Operator::Greater => i128::from(a > b),
                        Operator::AtLeast => i128::from(a >= b),
                        Operator::And => i128::from(a != 0 && b != 0),
                    }
                }
            });
        }
        results.last().copied()
    }
}

fn floor_divide(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// An operator-precedence parser with its stacks on the heap: nesting costs memory, never the program's stack.
struct Parser<'a> {
    text: &'a str,
    characters: &'a [char],
    place: usize,
    ranges: &'a [Range],
    nodes: Vec<Node>,
}

enum Pending {
    Parenthesis(usize),
    Negation,
    Operator(Operator),
}

impl Parser<'_> {
    fn error(&self, place: usize, message: impl fmt::Display) -> TextError {
        TextError { text: self.text.to_owned(), column: place + 1, message: message.to_string() }
    }

    fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn skip_spaces(&mut self) {
        while self.characters.get(self.place).is_some_and(|c| c.is_whitespace()) {
            self.place += 1;
        }
    }

    fn expression(&mut self) -> Result<(), TextError> {
        let mut operands: Vec<usize> = Vec::new();
        let mut pending: Vec<Pending> = Vec::new();
        loop {
            self.skip_spaces();
            match self.characters.get(self.place) {
                Some('(') => {
                    pending.push(Pending::Parenthesis(self.place));
                    self.place += 1;
                    continue;
                }
                Some('-') => {
                    pending.push(Pending::Negation);
                    self.place += 1;
                    continue;
                }
                Some(c) if c.is_ascii_digit() => {
                    let value = self.integer()?;
                    let node = self.push(Node::Integer(value));
                    operands.push(node);
                }
                Some(c) if c.is_alphabetic() || *c == '_' => {
                    let variable = self.variable()?;
                    let node = self.push(Node::Variable(variable));
                    operands.push(node);
                }
                _ => return Err(self.error(self.place, "expected a number, a name, `-` or `(`")),
            }
            // After an operand: closing parentheses, then an operator or the end.
            loop {
                self.skip_spaces();
                if self.characters.get(self.place) != Some(&')') {
                    break;
                }
                self.reduce(&mut operands, &mut pending, 0);
                if !matches!(pending.pop(), Some(Pending::Parenthesis(_))) {
                    return Err(self.error(self.place, "no parenthesis is open here"));
                }
                self.place += 1;
            }
            if self.place == self.characters.len() {
                self.reduce(&mut operands, &mut pending, 0);
                return match pending.pop() {
                    Some(Pending::Parenthesis(place)) => Err(self.error(place, "this parenthesis is never closed")),
                    _ => Ok(()),
                };
            }
            let operator = self.operator()?;
            self.reduce(&mut operands, &mut pending, operator.binding());
            pending.push(Pending::Operator(operator));
        }
    }

    /// Applies what is pending and binds at least as tightly as `binding`, down to the last open parenthesis.
    fn reduce(&mut self, operands: &mut Vec<usize>, pending: &mut Vec<Pending>, binding: u8) {
        loop {
            match pending.last() {
                Some(Pending::Negation) => {
                    pending.pop();
                    if let Some(operand) = operands.pop() {
                        let zero = self.push(Node::Integer(0));
                        let node = self.push(Node::Binary(Operator::Subtract, zero, operand));
                        operands.push(node);
                    }
                }
                Some(&Pending::Operator(operator)) if operator.binding() >= binding => {
                    pending.pop();
                    if let (Some(right), Some(left)) = (operands.pop(), operands.pop()) {
                        let node = self.push(Node::Binary(operator, left, right));
                        operands.push(node);
                    }
                }
                _ => return,
            }
        }
    }

    fn integer(&mut self) -> Result<i64, TextError> {
        let start = self.place;
        while self.characters.get(self.place).is_some_and(char::is_ascii_digit) {
            self.place += 1;
        }
        let digits: String = self.characters[start..self.place].iter().collect();
        digits.parse().map_err(|_| self.error(start, "this number does not fit in 64 bits"))
    }

    fn variable(&mut self) -> Result<usize, TextError> {
        let start = self.place;
        while self.characters.get(self.place).is_some_and(|c| c.is_alphanumeric() || *c == '_') {
            self.place += 1;
        }
        let name: String = self.characters[start..self.place].iter().collect();
        self.ranges
            .iter()
            .position(|range| range.name == name)
            .ok_or_else(|| self.error(start, format!("there is no variable {name}")))
    }

    fn operator(&mut self) -> Result<Operator, TextError> {
        const SPELLINGS: [(&str, Operator); 10] = [
            ("//", Operator::FloorDivide),
            ("<=", Operator::AtMost),
            (">=", Operator::AtLeast),
            ("and", Operator::And),
            ("+", Operator::Add),
            ("-", Operator::Subtract),
            ("*", Operator::Multiply),
            ("%", Operator::Modulo),
            ("<", Operator::Less),
            (">", Operator::Greater),
        ];
        let rest = &self.characters[self.place..];
        let spelled = |spelling: &str| spelling.chars().zip(rest).filter(|(a, b)| a == *b).count() == spelling.len();
        match SPELLINGS.iter().find(|(spelling, _)| spelled(spelling)) {
            Some((spelling, operator)) => {
                self.place += spelling.len();
                Ok(*operator)
            }
            None => Err(self.error(self.place, "expected an operator: + - * // % < <= > >= and")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(ranges: &str, text: &str, values: &[i64]) -> Option<i128> {
        let ranges = parse_ranges(ranges).expect("the ranges are well-formed");
        Expression::parse(text, &ranges).expect("the expression is well-formed").evaluate(values)
    }

    #[test]
    fn operators_bind_and_round_as_in_python() {
        assert_eq!(value("", "2+3*4", &[]), Some(14));
        assert_eq!(value("", "(2+3)*4", &[]), Some(20));
        assert_eq!(value("", "10-3-4", &[]), Some(3));
        assert_eq!(value("", "-7//2", &[]), Some(-4));
        assert_eq!(value("", "7//(-2)", &[]), Some(-4));
        assert_eq!(value("", "-7%3", &[]), Some(2));
        assert_eq!(value("", "7%(-3)", &[]), Some(-2));
        assert_eq!(value("x[0,9]", "x*2 < 7 and x >= 2", &[3]), Some(1));
        assert_eq!(value("x[0,9]", "x*2 < 7 and x >= 2", &[4]), Some(0));
        assert_eq!(value("", "1//0", &[]), None);
    }

    #[test]
    fn errors_name_the_column() {
        let column = |text: &str| Expression::parse(text, &[]).map_err(|error| error.column);
        assert_eq!(column("1+"), Err(3));
        assert_eq!(column("1+y"), Err(3));
        assert_eq!(column("(1"), Err(1));
        assert_eq!(column("1)"), Err(2));
        assert_eq!(column("1 ? 2"), Err(3));
        assert_eq!(column("99999999999999999999"), Err(1));
        assert!(parse_ranges("x[3,2]").is_err());
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let text = format!("{}1{}", "(".repeat(200_000), ")".repeat(200_000));
        assert_eq!(value("", &text, &[]), Some(1));
        let text = format!("{}1", "-".repeat(200_000));
        assert_eq!(value("", &text, &[]), Some(1));
    }
}
