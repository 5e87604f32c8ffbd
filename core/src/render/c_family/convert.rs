//! Conversions, by value and by bits.

use super::CFamily;
use super::dialect::{HalfForm, Reinterpret};
use crate::dtype::Scalar;
use crate::render::RenderError;

impl CFamily {
    /// A scalar converted by value. Integers wrap; a float saturates, and NaN becomes zero; everything but zero is true.
    pub(super) fn convert(&mut self, from: Scalar, to: Scalar, value: &str) -> Result<String, RenderError> {
        if from == to {
            return Ok(value.to_owned());
        }
        self.scalar_type(from)?;
        self.scalar_type(to)?;
        let short = |scalar: Scalar| matches!(scalar, Scalar::F16 | Scalar::BF16);
        if short(from) {
            let wide = self.widened(from, value)?;
            return self.convert(Scalar::F32, to, &wide);
        }
        if to == Scalar::Bool {
            return Ok(format!("({value} != 0)"));
        }
        if short(to) {
            return match from {
                Scalar::F64 => self.narrowed_double(to, value),
                _ => {
                    let single = self.convert(from, Scalar::F32, value)?;
                    self.narrowed(to, &single)
                }
            };
        }
        if from.is_float() && to.is_int() {
            return self.saturating(from, to, value);
        }
        Ok(format!("(({to}){value})"))
    }

    fn saturating(&mut self, from: Scalar, to: Scalar, value: &str) -> Result<String, RenderError> {
        let Some((low, high)) = to.int_range() else { return self.unsupported(format!("conversion to {to}")) };
        let (name, function) = (format!("{from}_to_{to}"), self.dialect.function);
        let suffix = if from == Scalar::F64 { "" } else { "f" };
        // The first power of two beyond the type is exact in any float; the largest value need not be.
        let beyond = format!("{:?}{suffix}", (high + 1) as f64);
        let (low, least) =
            (format!("{:?}{suffix}", low as f64), self.literal(crate::constant::Constant::Int(low), to)?);
        let most = self.literal(crate::constant::Constant::Int(high), to)?;
        self.helpers.add(&name, || {
            format!(
                "{function} {to} {name}({from} x) {{\n  return x != x ? 0 : x >= {beyond} ? {most} : x <= {low} ? {least} : \
                 ({to})x;\n}}\n"
            )
        });
        Ok(format!("{name}({value})"))
    }

    /// A short float as `f32`, which holds all of them.
    fn widened(&mut self, from: Scalar, value: &str) -> Result<String, RenderError> {
        self.scalar_type(Scalar::F32)?;
        let function = self.dialect.function;
        let name = format!("{from}_to_f32");
        if from == Scalar::BF16 {
            self.scalar_type(Scalar::U32)?;
            let bits = self.reinterpret(Scalar::U32, Scalar::F32, "((u32)x << 16)")?;
            self.helpers.add(&name, || format!("{function} f32 {name}(bf16 x) {{ return {bits}; }}\n"));
            return Ok(format!("{name}({value})"));
        }
        match self.dialect.half {
            HalfForm::Type(_) => return Ok(format!("((f32){value})")),
            HalfForm::VloadHalf => self.helpers.add(&name, || {
                format!("{function} f32 {name}(f16 x) {{ return vload_half(0, (const __private half *)&x); }}\n")
            }),
            HalfForm::Ptx => self.helpers.add(&name, || {
                format!(
                    "{function} f32 {name}(f16 x) {{ f32 y; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x)); return y; \
                     }}\n"
                )
            }),
        }
        Ok(format!("{name}({value})"))
    }

    /// An `f32` rounded to a short float, to nearest and ties to even.
    pub(super) fn narrowed(&mut self, to: Scalar, value: &str) -> Result<String, RenderError> {
        self.scalar_type(to)?;
        let function = self.dialect.function;
        let name = format!("f32_to_{to}");
        if to == Scalar::BF16 {
            self.scalar_type(Scalar::U32)?;
            let bits = self.reinterpret(Scalar::F32, Scalar::U32, "x")?;
            self.helpers.add(&name, || {
                format!(
                    "{function} bf16 {name}(f32 x) {{\n  u32 bits = {bits};\n  return x != x ? (bf16)0x7fc0 : (bf16)((bits + \
                     0x7fffu + (bits >> 16 & 1u)) >> 16);\n}}\n"
                )
            });
            return Ok(format!("{name}({value})"));
        }
        self.half_from(Scalar::F32, value)
    }

    /// An `f64` rounded to a short float, once.
    fn narrowed_double(&mut self, to: Scalar, value: &str) -> Result<String, RenderError> {
        if to == Scalar::F16 {
            return self.half_from(Scalar::F64, value);
        }
        // By way of an f32 rounded to odd, whose further rounding can't go wrong.
        self.scalar_type(Scalar::F64)?;
        self.scalar_type(Scalar::U32)?;
        let odd = "f64_to_f32_odd";
        let to_bits = self.reinterpret(Scalar::F32, Scalar::U32, "y")?;
        let from_bits = self.reinterpret(Scalar::U32, Scalar::F32, "bits")?;
        let function = self.dialect.function;
        let absolute = |x: &str| format!("({x} < 0 ? -{x} : {x})");
        self.helpers.add(odd, || {
            format!(
                "{function} f32 {odd}(f64 x) {{\n  f32 y = (f32)x;\n  u32 bits = {to_bits};\n  if (x != x || (f64)y == x) \
                 return y;\n  if ({} > {}) bits -= 1;\n  bits |= 1u;\n  return {from_bits};\n}}\n",
                absolute("(f64)y"),
                absolute("x"),
            )
        });
        self.narrowed(to, &format!("{odd}({value})"))
    }

    fn half_from(&mut self, from: Scalar, value: &str) -> Result<String, RenderError> {
        let (name, function) = (format!("{from}_to_f16"), self.dialect.function);
        match self.dialect.half {
            HalfForm::Type(_) => return Ok(format!("((f16){value})")),
            HalfForm::VloadHalf => self.helpers.add(&name, || {
                format!(
                    "{function} f16 {name}({from} x) {{ f16 y; vstore_half_rte(x, 0, (__private half *)&y); return y; }}\n"
                )
            }),
            HalfForm::Ptx => self.helpers.add(&name, || {
                let letter = if from == Scalar::F64 { 'd' } else { 'f' };
                format!(
                    "{function} f16 {name}({from} x) {{ f16 y; asm(\"cvt.rn.f16.{from} %0, %1;\" : \"=h\"(y) : \
                     \"{letter}\"(x)); return y; }}\n"
                )
            }),
        }
        Ok(format!("{name}({value})"))
    }

    /// The bits of a scalar as another type of the same size.
    pub(super) fn reinterpret(&mut self, from: Scalar, to: Scalar, value: &str) -> Result<String, RenderError> {
        if from == to {
            return Ok(value.to_owned());
        }
        self.scalar_type(from)?;
        self.scalar_type(to)?;
        match (from, to) {
            (Scalar::Bool, to) => return Ok(format!("(({to}){value})")),
            (_, Scalar::Bool) => return Ok(format!("({value} != 0)")),
            _ => {}
        }
        Ok(match self.dialect.reinterpret {
            Reinterpret::AsType => {
                let spelled = self.types_name(to);
                format!("as_{spelled}({value})")
            }
            Reinterpret::AsTypeTemplate => format!("as_type<{to}>({value})"),
            Reinterpret::Union => {
                let (name, function) = (format!("{from}_bits_as_{to}"), self.dialect.function);
                self.helpers.add(&name, || {
                    format!("{function} {to} {name}({from} x) {{ union {{ {from} from; {to} to; }} bits; bits.from = x; return bits.to; }}\n")
                });
                format!("{name}({value})")
            }
        })
    }

    fn types_name(&self, scalar: Scalar) -> &'static str {
        match scalar {
            Scalar::F16 | Scalar::BF16 => (self.dialect.scalar)(Scalar::U16).unwrap_or("ushort"),
            other => (self.dialect.scalar)(other).unwrap_or("void"),
        }
    }
}
