//! Reads and writes of memory and images.

use super::CFamily;
use super::dialect::VectorForm;
use super::types::stored;
use crate::dtype::{DType, Scalar};
use crate::render::RenderError;
use crate::render::printer::Memory;

impl CFamily {
    /// What lies at an index, as a value of `dtype`.
    pub(super) fn read(&mut self, memory: &Memory, dtype: DType, index: &str) -> Result<String, RenderError> {
        let Memory { name, dtype: held, .. } = memory;
        if held.is_image() {
            if dtype != DType::F32.vector(4) {
                return self.unsupported(format!("reads of {dtype} from an image"));
            }
            self.value_type(dtype)?;
            return Ok(format!("read_pixel({name}, {index})"));
        }
        let scalar = held.scalar();
        let value = match dtype.lanes() {
            1 if scalar == Scalar::Bool => format!("({name}[{index}] != 0)"),
            1 => format!("{name}[{index}]"),
            lanes => self.read_vector(memory, scalar, lanes, index)?,
        };
        if dtype.scalar() == scalar {
            return Ok(value);
        }
        if dtype.lanes() == 1 {
            return self.convert(scalar, dtype.scalar(), &value);
        }
        let mut lanes = Vec::with_capacity(usize::from(dtype.lanes()));
        for lane in 0..dtype.lanes() {
            let lane = self.vector_lane(DType::Vector(scalar, dtype.lanes()), &value, lane)?;
            lanes.push(self.convert(scalar, dtype.scalar(), &lane)?);
        }
        self.make_vector(dtype.scalar(), &lanes)
    }

    fn read_vector(&mut self, memory: &Memory, scalar: Scalar, lanes: u8, index: &str) -> Result<String, RenderError> {
        let (vector, name) = (self.value_type(DType::Vector(scalar, lanes))?, &memory.name);
        Ok(match self.dialect.vector {
            VectorForm::OpenCl => format!("vload{lanes}(0, {name} + {index})"),
            _ => format!("(*(const {}{vector} *)({name} + {index}))", self.space(memory)),
        })
    }

    fn space(&self, memory: &Memory) -> &'static str {
        match &self.dialect.launch {
            Some(launch) if memory.local => launch.local_pointer,
            _ => self.dialect.global,
        }
    }

    /// The statements that store a value at an index.
    pub(super) fn write(
        &mut self,
        memory: &Memory,
        index: &str,
        (dtype, value): (DType, &str),
    ) -> Result<Vec<String>, RenderError> {
        let Memory { name, dtype: held, .. } = memory;
        if held.is_image() {
            if dtype != DType::F32.vector(4) {
                return self.unsupported(format!("writes of {dtype} to an image"));
            }
            return Ok(vec![format!("write_pixel({name}, {index}, {value});")]);
        }
        let scalar = held.scalar();
        if dtype.lanes() == 1 {
            let value = self.convert(dtype.scalar(), scalar, value)?;
            return Ok(vec![format!("{name}[{index}] = {};", crate::render::body::bare(&value))]);
        }
        let value = if dtype.scalar() == scalar {
            value.to_owned()
        } else {
            let mut lanes = Vec::with_capacity(usize::from(dtype.lanes()));
            for lane in 0..dtype.lanes() {
                let lane = self.vector_lane(dtype, value, lane)?;
                lanes.push(self.convert(dtype.scalar(), scalar, &lane)?);
            }
            self.make_vector(scalar, &lanes)?
        };
        let vector = self.value_type(DType::Vector(stored(scalar), dtype.lanes()))?;
        Ok(vec![match self.dialect.vector {
            VectorForm::OpenCl => format!("vstore{}({value}, 0, {name} + {index});", dtype.lanes()),
            _ => format!("*({}{vector} *)({name} + {index}) = {value};", self.space(memory)),
        }])
    }
}
