//! What index expressions can't do.

/// What can't be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolicError {
    /// Division or modulo by zero.
    #[error("division by zero in {0}")]
    DivisionByZero(String),
    /// Not supported for a symbolic divisor or the like.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A number left the range of 64 bits.
    #[error("a value of {0} does not fit in 64 bits")]
    Overflow(String),
    /// A variable with negative or crossed bounds.
    #[error("variable {name} has impossible bounds {min} to {max}")]
    Bounds {
        /// The variable.
        name: String,
        /// Its smallest value.
        min: i64,
        /// Its largest value.
        max: i64,
    },
}

/// An operation on numbers that left 64 bits.
pub(super) fn overflow(operation: &str, a: i64, b: i64) -> SymbolicError {
    SymbolicError::Overflow(format!("{a} {operation} {b}"))
}

/// `a + b`.
pub(super) fn checked_add(a: i64, b: i64) -> Result<i64, SymbolicError> {
    a.checked_add(b).ok_or_else(|| overflow("+", a, b))
}

/// `a - b`.
pub(super) fn checked_sub(a: i64, b: i64) -> Result<i64, SymbolicError> {
    a.checked_sub(b).ok_or_else(|| overflow("-", a, b))
}

/// `a * b`.
pub(super) fn checked_mul(a: i64, b: i64) -> Result<i64, SymbolicError> {
    a.checked_mul(b).ok_or_else(|| overflow("*", a, b))
}

/// `-a`.
pub(super) fn checked_neg(a: i64) -> Result<i64, SymbolicError> {
    checked_sub(0, a)
}

/// `a / b` rounded down.
pub(super) fn checked_div(a: i64, b: i64) -> Result<i64, SymbolicError> {
    if b == 0 {
        return Err(SymbolicError::DivisionByZero(format!("{a} // {b}")));
    }
    let quotient = a.checked_div(b).ok_or_else(|| overflow("//", a, b))?;
    Ok(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// What is left of the division that rounds down: it has the divisor's sign.
pub(super) fn checked_mod(a: i64, b: i64) -> Result<i64, SymbolicError> {
    if b == 0 {
        return Err(SymbolicError::DivisionByZero(format!("{a} % {b}")));
    }
    let rest = a.checked_rem(b).unwrap_or(0);
    Ok(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
}
