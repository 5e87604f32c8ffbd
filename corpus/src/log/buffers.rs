//! What a node of a logged AST carries as `arg`: buffers with their views, constants, dtypes, axes.

use super::variables::{Variables, dim, variable};
use crate::case::{Dim, Layout, RawView, Value};
use crate::scan::Scanner;
use crate::text::ParseError;
use plumb_core::dtype::{Channel, DType, Image, Scalar};

/// An `arg`.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    None,
    Memory { buffer: u32, dtype: DType, layout: Layout },
    Constant { value: Value, dtype: DType, layout: Layout },
    DType(DType),
    Axes(Vec<usize>),
}

/// Which argument of a call comes next: by keyword, or by its place. The call's `(` has been passed.
///
/// Answers `None` at the call's `)`, which it passes.
pub(super) fn argument(
    scanner: &mut Scanner<'_>,
    names: &[&'static str],
    given: &mut u32,
) -> Result<Option<usize>, ParseError> {
    if *given != 0 && !scanner.eat(",") {
        return if scanner.eat(")") { Ok(None) } else { Err(scanner.expected("`,` or `)`")) };
    }
    if scanner.eat(")") {
        return Ok(None);
    }
    let word = scanner.peek_word();
    let start = scanner.at();
    scanner.advance(word.len());
    let index = if !word.is_empty() && scanner.eat("=") {
        names.iter().position(|name| *name == word).unwrap_or(names.len())
    } else {
        scanner.go_to(start);
        given.trailing_ones() as usize
    };
    if index >= names.len() || *given >> index & 1 == 1 {
        scanner.go_to(start);
        return Err(scanner.expected(&format!("`)` or one of {} not yet given", names.join("=, ") + "=")));
    }
    *given |= 1 << index;
    Ok(Some(index))
}

/// Fails where one of the first `required` arguments is missing.
pub(super) fn require(
    scanner: &mut Scanner<'_>,
    call: &str,
    names: &[&'static str],
    given: u32,
    required: usize,
    start: usize,
) -> Result<(), ParseError> {
    match names.iter().take(required).enumerate().find(|(index, _)| given >> index & 1 == 0) {
        None => Ok(()),
        Some((_, name)) => Err(scanner.error_since(start, format!("`{call}(…)` lacks `{name}=`"))),
    }
}

/// Items of a tuple or list up to `close`; the opening bracket has been passed.
pub(super) fn items<T>(
    scanner: &mut Scanner<'_>,
    close: &str,
    mut item: impl FnMut(&mut Scanner<'_>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    let mut all = Vec::new();
    while !scanner.eat(close) {
        if !all.is_empty() && !scanner.eat(",") {
            return Err(scanner.expected(&format!("`,` or `{close}`")));
        }
        if !all.is_empty() && scanner.eat(close) {
            break;
        }
        all.push(item(scanner)?);
    }
    Ok(all)
}

/// The value after `arg=`.
pub(super) fn arg(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<Arg, ParseError> {
    match scanner.peek_word() {
        "None" => {
            scanner.eat_word("None");
            Ok(Arg::None)
        }
        "MemBuffer" => memory(scanner, variables),
        "ConstBuffer" => constant(scanner, variables),
        "dtypes" => dtype(scanner).map(Arg::DType),
        _ if scanner.eat("(") => {
            let axis =
                |scanner: &mut Scanner<'_>| scanner.natural("an axis", u64::from(u8::MAX)).map(|axis| axis as usize);
            items(scanner, ")", axis).map(Arg::Axes)
        }
        _ => Err(scanner.expected("`None`, `MemBuffer(…)`, `ConstBuffer(…)`, `dtypes.…` or a tuple of axes")),
    }
}

fn memory(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<Arg, ParseError> {
    const NAMES: [&str; 3] = ["idx", "dtype", "st"];
    let start = scanner.at();
    scanner.eat_word("MemBuffer");
    scanner.expect("(")?;
    let (mut buffer, mut element, mut views, mut given) = (0, DType::F32, Vec::new(), 0);
    while let Some(index) = argument(scanner, &NAMES, &mut given)? {
        match index {
            0 => buffer = scanner.natural("the buffer's number", u64::from(u32::MAX))? as u32,
            1 => element = dtype(scanner)?,
            _ => views = tracker(scanner, variables)?,
        }
    }
    require(scanner, "MemBuffer", &NAMES, given, 3, start)?;
    Ok(Arg::Memory { buffer, dtype: element, layout: Layout::Views(views) })
}

fn constant(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<Arg, ParseError> {
    const NAMES: [&str; 3] = ["val", "dtype", "st"];
    let start = scanner.at();
    scanner.eat_word("ConstBuffer");
    scanner.expect("(")?;
    let (mut value, mut element, mut views, mut given) = (None, DType::F32, Vec::new(), 0);
    let mut value_at = start;
    while let Some(index) = argument(scanner, &NAMES, &mut given)? {
        match index {
            0 => {
                scanner.skip_blanks();
                value_at = scanner.at();
                value = Some(match scanner.peek_word() {
                    "Variable" => Value::Variable(variable(scanner, variables)?.0),
                    "NumNode" => match dim(scanner, variables)? {
                        Dim::Int(value) => Value::Constant(plumb_core::constant::Constant::Int(i128::from(value))),
                        Dim::Expr(_) => return Err(scanner.error_since(value_at, "expected a constant or a variable")),
                    },
                    _ => Value::Constant(scanner.constant()?),
                });
            }
            1 => element = dtype(scanner)?,
            _ => views = tracker(scanner, variables)?,
        }
    }
    require(scanner, "ConstBuffer", &NAMES, given, 3, start)?;
    let value = match value {
        Some(Value::Constant(constant)) => match crate::case::constant_of_kind(constant, element.scalar()) {
            Some(constant) => Value::Constant(constant),
            None => {
                return Err(scanner.error_at(value_at, "-", format!("{constant} can't be a constant of {element}")));
            }
        },
        Some(variable) => variable,
        None => return Err(scanner.error_since(start, "`ConstBuffer(…)` lacks `val=`")),
    };
    Ok(Arg::Constant { value, dtype: element, layout: Layout::Views(views) })
}

fn tracker(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<Vec<RawView>, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    scanner.expect("ShapeTracker")?;
    scanner.expect("(")?;
    let (mut views, mut given) = (Vec::new(), 0);
    while argument(scanner, &["views"], &mut given)?.is_some() {
        scanner.expect("(")?;
        views = items(scanner, ")", |scanner| view(scanner, variables))?;
    }
    require(scanner, "ShapeTracker", &["views"], given, 1, start)?;
    if views.is_empty() {
        return Err(scanner.error_since(start, "a ShapeTracker must have at least one view"));
    }
    Ok(views)
}

fn view(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<RawView, ParseError> {
    const NAMES: [&str; 5] = ["shape", "strides", "offset", "mask", "contiguous"];
    scanner.skip_blanks();
    let start = scanner.at();
    scanner.expect("View")?;
    scanner.expect("(")?;
    let mut view = RawView { shape: Vec::new(), strides: Vec::new(), offset: Dim::Int(0), mask: None };
    let mut given = 0;
    while let Some(index) = argument(scanner, &NAMES, &mut given)? {
        match index {
            0 => view.shape = dims(scanner, variables)?,
            1 => view.strides = dims(scanner, variables)?,
            2 => view.offset = dim(scanner, variables)?,
            3 if scanner.eat_word("None") => view.mask = None,
            3 => {
                scanner.expect("(")?;
                view.mask = Some(items(scanner, ")", |scanner| pair(scanner, variables))?);
            }
            // What the view's other parts say already.
            _ if scanner.eat_word("True") || scanner.eat_word("False") => {}
            _ => return Err(scanner.expected("`True` or `False`")),
        }
    }
    require(scanner, "View", &NAMES, given, 2, start)?;
    if view.strides.len() != view.shape.len() || view.mask.as_ref().is_some_and(|mask| mask.len() != view.shape.len()) {
        return Err(scanner.error_since(start, "shape, strides and mask of a view must have one entry for each axis"));
    }
    Ok(view)
}

fn dims(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<Vec<Dim>, ParseError> {
    scanner.expect("(")?;
    items(scanner, ")", |scanner| dim(scanner, variables))
}

fn pair(scanner: &mut Scanner<'_>, variables: &mut Variables) -> Result<(Dim, Dim), ParseError> {
    scanner.expect("(")?;
    let low = dim(scanner, variables)?;
    scanner.expect(",")?;
    let high = dim(scanner, variables)?;
    scanner.expect(")")?;
    Ok((low, high))
}

/// The scalar types by tinygrad's names.
const DTYPES: [(&str, Scalar); 25] = [
    ("float", Scalar::F32),
    ("int", Scalar::I32),
    ("half", Scalar::F16),
    ("bool", Scalar::Bool),
    ("bfloat16", Scalar::BF16),
    ("double", Scalar::F64),
    ("char", Scalar::I8),
    ("uchar", Scalar::U8),
    ("short", Scalar::I16),
    ("ushort", Scalar::U16),
    ("uint", Scalar::U32),
    ("long", Scalar::I64),
    ("ulong", Scalar::U64),
    ("int8", Scalar::I8),
    ("uint8", Scalar::U8),
    ("int16", Scalar::I16),
    ("uint16", Scalar::U16),
    ("int32", Scalar::I32),
    ("uint32", Scalar::U32),
    ("int64", Scalar::I64),
    ("uint64", Scalar::U64),
    ("float16", Scalar::F16),
    ("float32", Scalar::F32),
    ("float64", Scalar::F64),
    ("__bf16", Scalar::BF16),
];

fn dtype(scanner: &mut Scanner<'_>) -> Result<DType, ParseError> {
    scanner.skip_blanks();
    let start = scanner.at();
    scanner.expect("dtypes.")?;
    let name = scanner.word().unwrap_or("");
    let channel = match name {
        "imagef" => Channel::Float,
        "imageh" => Channel::Half,
        _ => {
            return match DTYPES.iter().find(|(known, _)| *known == name) {
                Some(&(_, scalar)) => Ok(DType::Scalar(scalar)),
                None => {
                    Err(scanner.error_since(start, format!("expected a scalar or image dtype, found `dtypes.{name}`")))
                }
            };
        }
    };
    scanner.expect("(")?;
    scanner.expect("(")?;
    let height = scanner.natural("the image's height", u64::from(u32::MAX))? as u32;
    scanner.expect(",")?;
    let width = scanner.natural("the image's width", u64::from(u32::MAX))? as u32;
    scanner.expect(",")?;
    scanner.expect("4")?;
    scanner.expect(")")?;
    scanner.expect(")")?;
    Ok(DType::Image(Image { channel, height, width }))
}
