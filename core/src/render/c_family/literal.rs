//! Constants.

use super::CFamily;
use crate::constant::Constant;
use crate::dtype::Scalar;
use crate::render::RenderError;

impl CFamily {
    /// A constant of a scalar type, which it fits.
    pub(super) fn literal(&mut self, value: Constant, scalar: Scalar) -> Result<String, RenderError> {
        self.scalar_type(scalar)?;
        match value {
            Constant::Bool(value) => Ok(if value { "true" } else { "false" }.to_owned()),
            Constant::Int(value) => Ok(self.integer(value, scalar)),
            Constant::Float(value) => self.float(value, scalar),
        }
    }

    /// The least integers have no literal: their digits, without the sign, do not fit.
    fn integer(&self, value: i128, scalar: Scalar) -> String {
        let [signed, unsigned] = self.dialect.long_suffix;
        match scalar {
            Scalar::I32 if value == i128::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
            Scalar::I64 if value == i128::from(i64::MIN) => {
                format!("(-9223372036854775807{signed} - 1)")
            }
            Scalar::I32 if value < 0 => format!("({value})"),
            Scalar::I32 => value.to_string(),
            Scalar::U32 => format!("{value}u"),
            Scalar::I64 if value < 0 => format!("({value}{signed})"),
            Scalar::I64 => format!("{value}{signed}"),
            Scalar::U64 => format!("{value}{unsigned}"),
            narrow if value < 0 => format!("(({narrow})({value}))"),
            narrow => format!("(({narrow}){value})"),
        }
    }

    fn float(&mut self, value: f64, scalar: Scalar) -> Result<String, RenderError> {
        let special = if value.is_nan() {
            Some(self.dialect.nan.to_owned())
        } else if value.is_infinite() {
            Some(format!("{}{}", if value < 0.0 { "-" } else { "" }, self.dialect.infinity))
        } else {
            None
        };
        if scalar == Scalar::F64 {
            let digits = special.map_or_else(|| format!("{value:?}"), |special| format!("(f64){special}"));
            return Ok(grouped(digits));
        }
        // The shortest digits that give the same f32 back; a short float is one of those.
        let single = grouped(special.unwrap_or_else(|| format!("{:?}f", value as f32)));
        if scalar == Scalar::F32 { Ok(single) } else { self.narrowed(scalar, &single) }
    }
}

/// In parentheses, where it is more than digits.
fn grouped(text: String) -> String {
    if text.starts_with(['-', '(']) { format!("({text})") } else { text }
}
