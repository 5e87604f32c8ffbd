//! Data types: scalars, short vectors of them, pointers to them and images.

use std::fmt;

/// A scalar type, in tinygrad's order of promotion priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Scalar {
    /// One truth value in one byte.
    Bool,
    /// Signed 8 bits.
    I8,
    /// Unsigned 8 bits.
    U8,
    /// Signed 16 bits.
    I16,
    /// Unsigned 16 bits.
    U16,
    /// Signed 32 bits.
    I32,
    /// Unsigned 32 bits.
    U32,
    /// Signed 64 bits.
    I64,
    /// Unsigned 64 bits.
    U64,
    /// IEEE binary16.
    F16,
    /// The upper half of an IEEE binary32.
    BF16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

impl Scalar {
    /// All scalar types, in order of priority.
    pub const ALL: [Scalar; 13] = [
        Scalar::Bool,
        Scalar::I8,
        Scalar::U8,
        Scalar::I16,
        Scalar::U16,
        Scalar::I32,
        Scalar::U32,
        Scalar::I64,
        Scalar::U64,
        Scalar::F16,
        Scalar::BF16,
        Scalar::F32,
        Scalar::F64,
    ];

    /// Size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::BF16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Width of a value in bits, as integer ranges see it (a bool counts 1).
    pub const fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            other => other.size() as u32 * 8,
        }
    }

    /// Whether this is one of the floating-point types.
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64)
    }

    /// Whether this is an unsigned integer (bool is not an integer).
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64)
    }

    /// Whether this is an integer, signed or unsigned (bool is not).
    pub const fn is_int(self) -> bool {
        !self.is_float() && !matches!(self, Scalar::Bool)
    }

    /// The smallest and largest value of an integer type or bool; `None` for floats.
    pub const fn int_range(self) -> Option<(i128, i128)> {
        match self {
            Scalar::Bool => Some((0, 1)),
            _ if self.is_unsigned() => Some((0, (1i128 << self.bits()) - 1)),
            _ if self.is_int() => Some((-(1i128 << (self.bits() - 1)), (1i128 << (self.bits() - 1)) - 1)),
            _ => None,
        }
    }

    /// The name in the project's texts (`f32`, `u8`, `bool`).
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::U8 => "u8",
            Scalar::I16 => "i16",
            Scalar::U16 => "u16",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::I64 => "i64",
            Scalar::U64 => "u64",
            Scalar::F16 => "f16",
            Scalar::BF16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// The scalar with this [name](Scalar::name).
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|scalar| scalar.name() == name)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether the channels of an image hold half or single precision; either way they are read and written as `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// `imageh`: channels stored as binary16.
    Half,
    /// `imagef`: channels stored as binary32.
    Float,
}

/// An image buffer of `height` × `width` pixels of four channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Image {
    /// Storage of a channel.
    pub channel: Channel,
    /// Rows.
    pub height: u32,
    /// Pixels in a row.
    pub width: u32,
}

/// The type of a value, of a buffer, or of a uop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DType {
    /// One value.
    Scalar(Scalar),
    /// A short vector: element and number of lanes (2 to 16).
    Vector(Scalar, u8),
    /// A pointer to global or local memory.
    Pointer(Scalar),
    /// An image.
    Image(Image),
}

impl DType {
    /// `bool`.
    pub const BOOL: DType = DType::Scalar(Scalar::Bool);
    /// `i32`, the type of indices.
    pub const I32: DType = DType::Scalar(Scalar::I32);
    /// `f32`.
    pub const F32: DType = DType::Scalar(Scalar::F32);

    /// The element type; an image's is `f32`, as its pixels are loaded and stored as `f32`.
    pub const fn scalar(self) -> Scalar {
        match self {
            DType::Scalar(scalar) | DType::Vector(scalar, _) | DType::Pointer(scalar) => scalar,
            DType::Image(_) => Scalar::F32,
        }
    }

    /// Number of lanes: 1 unless this is a vector.
    pub const fn lanes(self) -> u8 {
        match self {
            DType::Vector(_, lanes) => lanes,
            _ => 1,
        }
    }

    /// The vector of `lanes` elements of this type's element, or the scalar for one lane.
    pub const fn vector(self, lanes: u8) -> DType {
        if lanes == 1 { DType::Scalar(self.scalar()) } else { DType::Vector(self.scalar(), lanes) }
    }

    /// The type as a value: an image becomes its base type `f32`, everything else stays.
    pub const fn base(self) -> DType {
        match self {
            DType::Image(_) => DType::F32,
            other => other,
        }
    }

    /// Size in bytes of one value (an image: of one channel as stored; a pointer: of what it points to).
    pub const fn size(self) -> usize {
        match self {
            DType::Scalar(scalar) | DType::Pointer(scalar) => scalar.size(),
            DType::Vector(scalar, lanes) => scalar.size() * lanes as usize,
            DType::Image(Image { channel: Channel::Half, .. }) => 2,
            DType::Image(Image { channel: Channel::Float, .. }) => 4,
        }
    }

    /// Whether the element is a floating-point type.
    pub const fn is_float(self) -> bool {
        self.scalar().is_float()
    }

    /// Whether this is an image.
    pub const fn is_image(self) -> bool {
        matches!(self, DType::Image(_))
    }
}

impl From<Scalar> for DType {
    fn from(scalar: Scalar) -> DType {
        DType::Scalar(scalar)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DType::Scalar(scalar) => write!(f, "{scalar}"),
            DType::Vector(scalar, lanes) => write!(f, "{scalar}x{lanes}"),
            DType::Pointer(scalar) => write!(f, "{scalar}*"),
            DType::Image(image) => {
                let name = match image.channel {
                    Channel::Half => "imageh",
                    Channel::Float => "imagef",
                };
                write!(f, "{name}[{},{},4]", image.height, image.width)
            }
        }
    }
}
