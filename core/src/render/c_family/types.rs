//! Types: named as in the uop text and declared at the head, those that are used.

use super::CFamily;
use super::dialect::{Dialect, HalfForm, VectorForm};
use crate::dtype::{DType, Scalar};
use crate::render::RenderError;
use std::collections::BTreeSet;

/// The types that a text uses.
#[derive(Debug, Default)]
pub(super) struct Types {
    scalars: BTreeSet<Scalar>,
    vectors: BTreeSet<(Scalar, u8)>,
}

impl Types {
    pub(super) fn use_scalar(&mut self, scalar: Scalar) {
        self.scalars.insert(scalar);
    }

    pub(super) fn uses(&self, scalar: Scalar) -> bool {
        self.scalars.contains(&scalar)
    }

    /// The declarations, one a type.
    pub(super) fn texts(&self, dialect: &Dialect) -> Vec<String> {
        let scalars = self.scalars.iter().filter(|&&scalar| scalar != Scalar::Bool);
        let scalars =
            scalars.map(|&scalar| format!("typedef {} {scalar};\n", spelled(dialect, scalar).unwrap_or("void")));
        scalars.chain(self.vectors.iter().map(|&(scalar, lanes)| vector_type(dialect, scalar, lanes))).collect()
    }
}

/// The language's own name of a type.
fn spelled(dialect: &Dialect, scalar: Scalar) -> Option<&'static str> {
    match (scalar, dialect.half) {
        (Scalar::F16, HalfForm::Type(name)) => Some(name),
        (Scalar::F16 | Scalar::BF16, _) => (dialect.scalar)(Scalar::U16),
        _ => (dialect.scalar)(scalar),
    }
}

fn vector_type(dialect: &Dialect, scalar: Scalar, lanes: u8) -> String {
    let bytes = scalar.size() * usize::from(lanes);
    let align = scalar.size();
    match dialect.vector {
        VectorForm::VectorSize => format!(
            "typedef {scalar} {scalar}x{lanes} __attribute__((vector_size({bytes}), aligned({align}), may_alias));\n"
        ),
        VectorForm::ExtVector => {
            format!("typedef {scalar} {scalar}x{lanes} __attribute__((ext_vector_type({lanes})));\n")
        }
        VectorForm::Structure => {
            format!("struct __align__({}) {scalar}x{lanes} {{ {scalar} lane[{lanes}]; }};\n", bytes.min(16))
        }
        VectorForm::OpenCl | VectorForm::Metal => {
            format!("typedef {}{lanes} {scalar}x{lanes};\n", spelled(dialect, scalar).unwrap_or("void"))
        }
    }
}

impl CFamily {
    /// The name of a scalar type, which is declared then.
    pub(super) fn scalar_type(&mut self, scalar: Scalar) -> Result<&'static str, RenderError> {
        if spelled(self.dialect, scalar).is_none() {
            return self.unsupported(format!("type {scalar}"));
        }
        self.types.use_scalar(scalar);
        Ok(scalar.name())
    }

    /// The type as it lies in memory: a bool is a byte.
    pub(super) fn stored_type(&mut self, scalar: Scalar) -> Result<&'static str, RenderError> {
        self.scalar_type(stored(scalar))
    }

    /// The type of a value. The lanes of a vector of bools are bytes.
    pub(super) fn value_type(&mut self, dtype: DType) -> Result<String, RenderError> {
        match dtype {
            DType::Vector(scalar, lanes) => self.vector_name(scalar, lanes),
            dtype => Ok(self.scalar_type(dtype.scalar())?.to_owned()),
        }
    }

    fn vector_name(&mut self, scalar: Scalar, lanes: u8) -> Result<String, RenderError> {
        let element = self.stored_type(scalar)?;
        if lanes > self.dialect.most_lanes || !lanes.is_power_of_two() {
            return self.unsupported(format!("vectors of {lanes} lanes"));
        }
        self.types.vectors.insert((stored(scalar), lanes));
        Ok(format!("{element}x{lanes}"))
    }

    /// A vector of these lanes.
    pub(super) fn make_vector(&mut self, scalar: Scalar, lanes: &[String]) -> Result<String, RenderError> {
        let Ok(count) = u8::try_from(lanes.len()) else { return self.unsupported("vectors of so many lanes") };
        let name = self.vector_name(scalar, count)?;
        let lanes = lanes.join(", ");
        Ok(match self.dialect.vector {
            VectorForm::VectorSize | VectorForm::ExtVector => format!("(({name}){{{lanes}}})"),
            VectorForm::Structure => format!("{name}{{{{{lanes}}}}}"),
            VectorForm::OpenCl => format!("(({name})({lanes}))"),
            VectorForm::Metal => format!("{name}({lanes})"),
        })
    }

    /// One lane of a vector.
    pub(super) fn vector_lane(&mut self, vector: DType, value: &str, lane: u8) -> Result<String, RenderError> {
        if lane >= vector.lanes() {
            return self.unsupported(format!("lane {lane} of {vector}"));
        }
        let lane = match self.dialect.vector {
            VectorForm::VectorSize | VectorForm::ExtVector | VectorForm::Metal => format!("{value}[{lane}]"),
            VectorForm::Structure => format!("{value}.lane[{lane}]"),
            VectorForm::OpenCl => format!("{value}.s{lane:x}"),
        };
        Ok(if vector.scalar() == Scalar::Bool { format!("({lane} != 0)") } else { lane })
    }
}

/// The type by which a value lies in memory and in a vector.
pub(super) const fn stored(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool => Scalar::U8,
        other => other,
    }
}
