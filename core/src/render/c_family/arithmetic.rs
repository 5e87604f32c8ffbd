//! Operations on scalars.

use super::CFamily;
use crate::ast::AluOp;
use crate::dtype::Scalar;
use crate::render::RenderError;

/// The operator, where the language has one for it.
const fn operator(op: AluOp) -> Option<&'static str> {
    Some(match op {
        AluOp::Add => "+",
        AluOp::Sub => "-",
        AluOp::Mul => "*",
        AluOp::Div => "/",
        AluOp::Mod => "%",
        AluOp::Xor => "^",
        AluOp::CmpLt => "<",
        AluOp::CmpEq => "==",
        _ => return None,
    })
}

impl CFamily {
    /// See [`Printer::alu`](crate::render::printer::Printer::alu).
    pub(super) fn arithmetic(
        &mut self,
        op: AluOp,
        scalar: Scalar,
        operands: &[&str],
        small: bool,
    ) -> Result<String, RenderError> {
        match (op, operands) {
            (AluOp::Where, &[condition, a, b]) => Ok(format!("({condition} ? {a} : {b})")),
            (AluOp::MulAcc, &[a, b, c]) => {
                let product = self.arithmetic(AluOp::Mul, scalar, &[a, b], small)?;
                self.arithmetic(AluOp::Add, scalar, &[&product, c], small)
            }
            (AluOp::Exp2 | AluOp::Log2 | AluOp::Sin | AluOp::Sqrt, &[a]) => self.function(op, scalar, a),
            _ if scalar.is_float() => self.float_arithmetic(op, scalar, operands),
            _ if scalar == Scalar::Bool => self.logic(op, operands),
            _ => self.integer_arithmetic(op, scalar, operands, small),
        }
    }

    /// A function of the mathematical library: of integers through `f64`, of short floats through `f32`.
    fn function(&mut self, op: AluOp, scalar: Scalar, a: &str) -> Result<String, RenderError> {
        let through = match scalar {
            Scalar::F32 | Scalar::F64 => scalar,
            Scalar::F16 | Scalar::BF16 => Scalar::F32,
            _ => Scalar::F64,
        };
        let argument = self.convert(scalar, through, a)?;
        let name = (self.dialect.function_name)(&op.name().to_lowercase(), through);
        let result = format!("{name}({argument})");
        self.convert(through, scalar, &result)
    }

    fn float_arithmetic(&mut self, op: AluOp, scalar: Scalar, operands: &[&str]) -> Result<String, RenderError> {
        if matches!(scalar, Scalar::F16 | Scalar::BF16) {
            let mut wide = Vec::with_capacity(operands.len());
            for operand in operands {
                wide.push(self.convert(scalar, Scalar::F32, operand)?);
            }
            let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
            let result = self.float_arithmetic(op, Scalar::F32, &wide)?;
            return if matches!(op, AluOp::CmpLt | AluOp::CmpEq) {
                Ok(result)
            } else {
                self.convert(Scalar::F32, scalar, &result)
            };
        }
        match (op, operands) {
            (AluOp::Neg, &[a]) => Ok(format!("(-{a})")),
            (AluOp::Max, &[a, b]) => {
                let name = format!("max_{scalar}");
                self.scalar_type(scalar)?;
                let function = self.dialect.function;
                // NaN passes on; of two zeros the sum is positive unless both are negative.
                self.helpers.add(&name, || {
                    format!(
                        "{function} {scalar} {name}({scalar} a, {scalar} b) {{\n  return a != a ? a : b != b ? b : a > b ? \
                         a : b > a ? b : a == 0 ? a + b : a;\n}}\n"
                    )
                });
                Ok(format!("{name}({a}, {b})"))
            }
            (op, &[a, b]) if !matches!(op, AluOp::Mod | AluOp::Xor) => match operator(op) {
                Some(operator) => Ok(format!("({a} {operator} {b})")),
                None => self.unsupported(format!("{op} of {scalar}")),
            },
            _ => self.unsupported(format!("{op} of {scalar}")),
        }
    }

    /// Sum and maximum of bools are `or`, products `and`, differences exclusive.
    fn logic(&mut self, op: AluOp, operands: &[&str]) -> Result<String, RenderError> {
        match (op, operands) {
            (AluOp::Neg, &[a]) => Ok(format!("(!{a})")),
            (AluOp::Add | AluOp::Max, &[a, b]) => Ok(format!("({a} || {b})")),
            (AluOp::Mul, &[a, b]) => Ok(format!("({a} && {b})")),
            (AluOp::Sub | AluOp::Xor, &[a, b]) => Ok(format!("({a} != {b})")),
            (AluOp::CmpEq, &[a, b]) => Ok(format!("({a} == {b})")),
            (AluOp::CmpLt, &[a, b]) => Ok(format!("(!{a} && {b})")),
            // By false: zero.
            (AluOp::Div, &[a, b]) => Ok(format!("({a} && {b})")),
            (AluOp::Mod, &[..]) => Ok("false".to_owned()),
            _ => self.unsupported(format!("{op} of bool")),
        }
    }

    fn integer_arithmetic(
        &mut self,
        op: AluOp,
        scalar: Scalar,
        operands: &[&str],
        small: bool,
    ) -> Result<String, RenderError> {
        self.scalar_type(scalar)?;
        match (op, operands) {
            (AluOp::CmpLt | AluOp::CmpEq, &[a, b]) => {
                Ok(format!("({a} {} {b})", if op == AluOp::CmpLt { "<" } else { "==" }))
            }
            (AluOp::Neg, &[a]) if small => Ok(format!("(-{a})")),
            (AluOp::Neg, &[a]) => self.wrapping("-", scalar, "0", a),
            (AluOp::Add | AluOp::Sub | AluOp::Mul, &[a, b]) => {
                let operator = operator(op).unwrap_or_default();
                if small { Ok(format!("({a} {operator} {b})")) } else { self.wrapping(operator, scalar, a, b) }
            }
            (AluOp::Xor, &[a, b]) if scalar.size() < 4 => Ok(format!("(({scalar})({a} ^ {b}))")),
            (AluOp::Xor, &[a, b]) => Ok(format!("({a} ^ {b})")),
            (AluOp::Max, &[a, b]) => {
                let (name, function) = (format!("max_{scalar}"), self.dialect.function);
                self.helpers.add(&name, || {
                    format!("{function} {scalar} {name}({scalar} a, {scalar} b) {{ return a > b ? a : b; }}\n")
                });
                Ok(format!("{name}({a}, {b})"))
            }
            (AluOp::Div | AluOp::Mod, &[a, b]) if small && is_positive_literal(b) => {
                Ok(format!("({a} {} {b})", operator(op).unwrap_or_default()))
            }
            (AluOp::Div | AluOp::Mod, &[a, b]) => self.division(op, scalar, a, b),
            _ => self.unsupported(format!("{op} of {scalar}")),
        }
    }

    /// A sum, difference or product that wraps: computed unsigned, in 32 bits at least.
    fn wrapping(&mut self, operator: &str, scalar: Scalar, a: &str, b: &str) -> Result<String, RenderError> {
        let unsigned = if scalar.size() == 8 { Scalar::U64 } else { Scalar::U32 };
        if scalar == unsigned {
            return Ok(format!("({a} {operator} {b})"));
        }
        self.scalar_type(unsigned)?;
        Ok(format!("(({scalar})(({unsigned}){a} {operator} ({unsigned}){b}))"))
    }

    /// A quotient towards zero or its remainder; by zero both are zero, and by -1 nothing overflows.
    fn division(&mut self, op: AluOp, scalar: Scalar, a: &str, b: &str) -> Result<String, RenderError> {
        let (name, function) = (format!("{}_{scalar}", op.name().to_lowercase()), self.dialect.function);
        let operator = operator(op).unwrap_or_default();
        let by_minus_one = match op {
            _ if scalar.is_unsigned() => None,
            AluOp::Mod => Some("0".to_owned()),
            _ => Some(self.wrapping("-", scalar, "0", "a")?),
        };
        let special = by_minus_one.map_or_else(String::new, |result| format!("b == -1 ? {result} : "));
        self.helpers.add(&name, || {
            format!(
                "{function} {scalar} {name}({scalar} a, {scalar} b) {{\n  return b == 0 ? 0 : {special}({scalar})(a \
                 {operator} b);\n}}\n"
            )
        });
        Ok(format!("{name}({a}, {b})"))
    }
}

fn is_positive_literal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0')
}
