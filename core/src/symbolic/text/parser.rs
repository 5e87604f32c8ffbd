//! Tokens to a value, evaluated as they are read.

use super::ExpressionError;
use super::evaluate::{Value, binary, negative};
use super::lexer::{Kind, Operator, Token};
use crate::symbolic::{Arena, NodeId};
use rustc_hash::FxHashMap;

/// Deeper parentheses are refused, so that parsing may recurse.
const MAX_DEPTH: usize = 200;

pub(super) struct Parser<'a> {
    arena: &'a mut Arena,
    variables: &'a FxHashMap<String, NodeId>,
    tokens: &'a [Token<'a>],
    place: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        arena: &'a mut Arena,
        variables: &'a FxHashMap<String, NodeId>,
        tokens: &'a [Token<'a>],
    ) -> Parser<'a> {
        Parser { arena, variables, tokens, place: 0, depth: 0 }
    }

    /// The value of the whole text.
    pub(super) fn parse(mut self) -> Result<Value, ExpressionError> {
        let value = self.chain(1)?;
        let token = self.peek();
        match token.kind {
            Kind::End => Ok(value),
            _ => Err(ExpressionError::new(token.column, "expected an operator or the end")),
        }
    }

    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.place).copied().unwrap_or(Token { kind: Kind::End, column: 1 })
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.place += 1;
        token
    }

    /// Operands joined by operators that bind at least as tightly as `precedence`, from left to right.
    fn chain(&mut self, precedence: u8) -> Result<Value, ExpressionError> {
        if precedence > 3 {
            return self.operand();
        }
        let mut value = self.chain(precedence + 1)?;
        let mut compared = false;
        while let Some((operator, column)) = self.operator(precedence) {
            if compared && precedence == 1 {
                return Err(ExpressionError::new(column, "comparisons can't be chained; put one in parentheses"));
            }
            compared = true;
            self.place += 1;
            let right = self.chain(precedence + 1)?;
            value = binary(self.arena, operator, value, right)
                .map_err(|error| ExpressionError::new(column, error.to_string()))?;
        }
        Ok(value)
    }

    /// The operator that stands here, if it binds exactly so tightly.
    fn operator(&self, precedence: u8) -> Option<(Operator, usize)> {
        let token = self.peek();
        match token.kind {
            Kind::Operator(operator) if operator.precedence() == precedence => Some((operator, token.column)),
            _ => None,
        }
    }

    /// A number, a name or something in parentheses, perhaps with signs before it.
    fn operand(&mut self) -> Result<Value, ExpressionError> {
        let mut minuses = Vec::new();
        while let Kind::Operator(Operator::Sub) = self.peek().kind {
            minuses.push(self.next().column);
        }
        let token = self.next();
        let mut value = match token.kind {
            Kind::Number(number) => Value::Int(number),
            Kind::Name(name) => match self.variables.get(name) {
                Some(&node) => Value::Node(node),
                None => return Err(ExpressionError::new(token.column, format!("`{name}` has no range"))),
            },
            Kind::Open => self.parenthesised(token.column)?,
            Kind::End => {
                return Err(ExpressionError::new(token.column, "the expression ends where an operand should be"));
            }
            Kind::Close | Kind::Operator(_) => {
                return Err(ExpressionError::new(token.column, "expected a number, a name or `(`"));
            }
        };
        for column in minuses.into_iter().rev() {
            value = negative(self.arena, value).map_err(|error| ExpressionError::new(column, error.to_string()))?;
        }
        Ok(value)
    }

    fn parenthesised(&mut self, column: usize) -> Result<Value, ExpressionError> {
        if self.depth == MAX_DEPTH {
            return Err(ExpressionError::new(column, format!("more than {MAX_DEPTH} parentheses within each other")));
        }
        self.depth += 1;
        let value = self.chain(1)?;
        self.depth -= 1;
        let token = self.next();
        match token.kind {
            Kind::Close => Ok(value),
            _ => Err(ExpressionError::new(token.column, format!("expected `)` for the `(` in column {column}"))),
        }
    }
}
