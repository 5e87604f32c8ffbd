//! Index expressions as text: what views make of places, and what they do not.

use super::choice::Choice;

/// How deep an expression may nest.
const DEPTH: u32 = 5;
/// Most operations of an expression.
const OPERATIONS: u32 = 24;
/// Names of the variables.
const NAMES: [&str; 4] = ["x", "y", "z", "w"];
/// Numbers that expressions are multiplied with, divided by and compared with, the simplest first.
const NUMBERS: [i64; 16] = [2, 3, 4, 1, 8, 6, 12, 5, 7, 16, 24, 32, 0, -1, -2, -3];
/// Sizes of ranges, the simplest first.
const SIZES: [i64; 12] = [2, 3, 4, 1, 8, 5, 6, 7, 12, 16, 9, 17];
/// Where ranges begin, the simplest first. A variable below zero is refused.
const STARTS: [i64; 6] = [0, 0, 0, 1, 2, 5];

/// An index expression and the ranges of its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexExpression {
    /// `x[0,9] y[0,3]`.
    pub ranges: String,
    /// `((x*4+y)//4)%3`.
    pub text: String,
}

/// The index expression that these choices make, over one to four variables.
pub fn index_expression(choice: &mut dyn Choice) -> IndexExpression {
    let variables: Vec<(&str, i64)> =
        NAMES[..=choice.index(NAMES.len())].iter().map(|name| (*name, choice.pick_detail(&SIZES))).collect();
    let ranges = variables.iter().map(|(name, size)| {
        let start = choice.pick_detail(&STARTS);
        format!("{name}[{start},{}]", start + size - 1)
    });
    let ranges: Vec<String> = ranges.collect();
    let mut writer = Writer { variables: &variables, operations: OPERATIONS };
    let text = writer.expression(choice, DEPTH);
    let text = match choice.below(8) {
        6 => format!("({text})<{}", writer.number(choice)),
        7 => format!("({text})<({})", writer.expression(choice, 2)),
        _ => text,
    };
    IndexExpression { ranges: ranges.join(" "), text }
}

/// An expression in the making.
struct Writer<'a> {
    variables: &'a [(&'a str, i64)],
    /// How many operations there may still be.
    operations: u32,
}

impl Writer<'_> {
    fn leaf(&self, choice: &mut dyn Choice) -> String {
        match choice.below(5) {
            4 => self.number(choice).to_string(),
            _ => choice.pick(self.variables).0.to_owned(),
        }
    }

    /// A number: one of a few, the size of a variable, or a product of two sizes.
    fn number(&self, choice: &mut dyn Choice) -> i64 {
        match choice.below(4) {
            2 => choice.pick_detail(self.variables).1,
            3 => choice.pick_detail(self.variables).1 * choice.pick_detail(self.variables).1,
            _ => choice.pick_detail(&NUMBERS),
        }
    }

    /// A divisor: a number, but 0.
    fn divisor(&self, choice: &mut dyn Choice) -> i64 {
        match self.number(choice) {
            0 => 2,
            number => number,
        }
    }

    /// What to take a remainder by: 0.9.0 has none by negative numbers.
    fn modulus(&self, choice: &mut dyn Choice) -> i64 {
        self.divisor(choice).abs()
    }

    fn expression(&mut self, choice: &mut dyn Choice, depth: u32) -> String {
        let Some(left) = self.operations.checked_sub(1).filter(|_| depth > 0) else { return self.leaf(choice) };
        self.operations = left;
        match choice.below(12) {
            0 => self.leaf(choice),
            1 | 2 => format!("({}+{})", self.expression(choice, depth - 1), self.expression(choice, depth - 1)),
            3 => format!("({}-{})", self.expression(choice, depth - 1), self.expression(choice, depth - 1)),
            4 | 5 => format!("({}*{})", self.expression(choice, depth - 1), self.number(choice)),
            6 => format!("({}//{})", self.expression(choice, depth - 1), self.divisor(choice)),
            7 => format!("({}%{})", self.expression(choice, depth - 1), self.modulus(choice)),
            8 | 9 => {
                // A place of two axes taken apart again, as stacked views do.
                let (outer, inner) = (self.expression(choice, depth - 1), self.expression(choice, depth - 1));
                let factor = self.number(choice);
                match choice.index(2) {
                    0 => format!("(({outer}*{factor}+{inner})//{})", self.divisor(choice)),
                    _ => format!("(({outer}*{factor}+{inner})%{})", self.modulus(choice)),
                }
            }
            10 => self.flat(choice),
            _ => format!("({}*{})", self.leaf(choice), self.leaf(choice)),
        }
    }

    /// All variables as one row-major place, and a part of that.
    fn flat(&self, choice: &mut dyn Choice) -> String {
        let mut text = self.variables[0].0.to_owned();
        for (name, size) in &self.variables[1..] {
            text = format!("({text}*{size}+{name})");
        }
        let (divisor, modulus) = (self.divisor(choice), self.modulus(choice));
        format!("({text}//{divisor}%{modulus})")
    }
}
