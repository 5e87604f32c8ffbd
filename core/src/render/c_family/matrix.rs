//! Matrix instructions of a warp.

use super::CFamily;
use crate::dtype::{DType, Scalar};
use crate::render::{Language, RenderError};
use crate::uop::Wmma;

impl CFamily {
    /// A·B + C, each lane with its part of the three; the parts lie as the instruction of the language wants them.
    pub(super) fn matrix_instruction(
        &mut self,
        wmma: &Wmma,
        dtype: DType,
        [a, b, c]: [&str; 3],
    ) -> Result<String, RenderError> {
        let lanes = |scalar: Scalar, place: usize| {
            let lanes = wmma.sizes.get(place).copied().and_then(|lanes| u8::try_from(lanes).ok()).unwrap_or(u8::MAX);
            DType::from(scalar).vector(lanes)
        };
        let types = [lanes(wmma.dtype_in, 0), lanes(wmma.dtype_in, 1), lanes(wmma.dtype_out, 2)];
        let mut names = Vec::with_capacity(3);
        for part in types {
            names.push(self.value_type(part)?);
        }
        let [n, m, k] = wmma.dims;
        let (from, to) = (wmma.dtype_in, wmma.dtype_out);
        let name = format!("wmma_{m}x{n}x{k}_{from}_{to}");
        let function = self.dialect.function;
        let head = format!("{function} {} {name}({} a, {} b, {} c) {{\n", names[2], names[0], names[1], names[2]);
        let body = match (self.dialect.language, [m, n, k], wmma.sizes, from, to) {
            (Language::Cuda, [16, 8, 16], [8, 4, 4], Scalar::F16 | Scalar::BF16, Scalar::F32) => {
                // The registers hold pairs of elements; C is read and written in place.
                format!(
                    "  const unsigned int *p = (const unsigned int *)&a, *q = (const unsigned int *)&b;\n  \
                     asm(\"mma.sync.aligned.m16n8k16.row.col.f32.{from}.{from}.f32 {{%0,%1,%2,%3}}, {{%4,%5,%6,%7}}, \
                     {{%8,%9}}, {{%0,%1,%2,%3}};\"\n    : \"+f\"(c.lane[0]), \"+f\"(c.lane[1]), \"+f\"(c.lane[2]), \
                     \"+f\"(c.lane[3])\n    : \"r\"(p[0]), \"r\"(p[1]), \"r\"(p[2]), \"r\"(p[3]), \"r\"(q[0]), \
                     \"r\"(q[1]));\n  return c;\n"
                )
            }
            (Language::Hip, [16, 16, 16], [16, 16, 8], Scalar::F16, Scalar::F32) => {
                "  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c);\n".to_owned()
            }
            (Language::Hip, [16, 16, 16], [16, 16, 8], Scalar::F16, Scalar::F16) => {
                // The instruction keeps its eight results in the even lanes of sixteen.
                let wide = self.value_type(DType::Vector(Scalar::F16, 16))?;
                format!(
                    "  {wide} d = {{0}};\n  for (int i = 0; i < 8; i++) d[2 * i] = c[i];\n  d = \
                     __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(a, b, d, false);\n  for (int i = 0; i < 8; i++) c[i] = d[2 \
                     * i];\n  return c;\n"
                )
            }
            (Language::Metal, [8, 8, 8], [2, 2, 2], Scalar::F16 | Scalar::F32, Scalar::F16 | Scalar::F32) => {
                let spelled = |scalar| if scalar == Scalar::F16 { "half" } else { "float" };
                let (from, to) = (spelled(from), spelled(to));
                format!(
                    "  simdgroup_{from}8x8 x, y;\n  simdgroup_{to}8x8 z;\n  for (int i = 0; i < 2; i++) {{\n    \
                     x.thread_elements()[i] = a[i];\n    y.thread_elements()[i] = b[i];\n    z.thread_elements()[i] = \
                     c[i];\n  }}\n  simdgroup_multiply_accumulate(z, x, y, z);\n  return {}(z.thread_elements()[0], \
                     z.thread_elements()[1]);\n",
                    names[2]
                )
            }
            _ => return self.unsupported(format!("matrix instruction {}", wmma.name)),
        };
        if dtype != types[2] {
            return self.unsupported(format!("matrix instruction {} with a result of {dtype}", wmma.name));
        }
        self.helpers.add(&name, || format!("{head}{body}}}\n"));
        Ok(format!("{name}({a}, {b}, {c})"))
    }
}
