//! Reads the uop text (FORMATS.md §2) back into a list, so that a list can be written by hand, kept with a test, or come
//! from another implementation. Sizes are numbers here: text with symbolic sizes is refused.

use plumb_core::ast::AluOp;
use plumb_core::constant::Constant;
use plumb_core::dtype::{Channel, DType, Image, Scalar};
use plumb_core::linearize::Lowered;
use plumb_core::rule::{Firings, Rules};
use plumb_core::symbolic::{Arena, Sint};
use plumb_core::target::Target;
use plumb_core::uop::{IndexName, LocalName, Uop, UopArg, UopId, UopKind, UopList, Wmma};
use smallvec::SmallVec;
use std::str::FromStr;
use std::sync::Arc;

/// What is wrong with a text, in which line (from 1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The line.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

const KINDS: [UopKind; 22] = [
    UopKind::Sink,
    UopKind::DefineGlobal,
    UopKind::DefineVar,
    UopKind::DefineLocal,
    UopKind::DefineAcc,
    UopKind::Const,
    UopKind::Special,
    UopKind::Noop,
    UopKind::Unmul,
    UopKind::Gep,
    UopKind::Cast,
    UopKind::Bitcast,
    UopKind::Alu,
    UopKind::Wmma,
    UopKind::Load,
    UopKind::Store,
    UopKind::Phi,
    UopKind::Barrier,
    UopKind::If,
    UopKind::Range,
    UopKind::EndRange,
    UopKind::EndIf,
];

/// The kernel that a uop text tells. A comment line with `global=…local=…` gives the launch; without one there is none.
/// Names are those before the launch.
pub fn parse(text: &str) -> Result<Lowered, ParseError> {
    let mut lowered = Lowered {
        target: Arc::new(Target::unlimited("any")),
        rules: Rules::default(),
        name: String::new(),
        axes: Vec::new(),
        global_size: None,
        local_size: None,
        applied: Vec::new(),
        uops: UopList::default(),
        arena: Arena::default(),
        firings: Firings::default(),
    };
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let at = |message: String| ParseError { line: number + 1, message };
        if let Some(comment) = line.strip_prefix(';') {
            head(comment, &mut lowered).map_err(at)?;
        } else if !line.is_empty() {
            let uop = parse_uop(line, lowered.uops.uops.len()).map_err(at)?;
            lowered.uops.uops.push(uop);
        }
    }
    Ok(lowered)
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is no number that fits here"))
}

fn head(comment: &str, lowered: &mut Lowered) -> Result<(), String> {
    let words: Vec<&str> = comment.split_whitespace().collect();
    let Some(at) = words.iter().position(|word| word.starts_with("global=")) else { return Ok(()) };
    if let Some(name) = at.checked_sub(1).and_then(|before| words.get(before)) {
        lowered.name = (*name).to_owned();
    }
    let (global, local) =
        words[at]["global=".len()..].split_once("local=").ok_or_else(|| format!("{:?} has no local=", words[at]))?;
    lowered.global_size = sizes(global)?;
    lowered.local_size = sizes(local)?;
    Ok(())
}

fn sizes(text: &str) -> Result<Option<Vec<Sint>>, String> {
    if text == "None" {
        return Ok(None);
    }
    let list = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let list = list.ok_or_else(|| format!("{text:?} is no list of sizes"))?;
    list.split(',').map(|size| number(size).map(Sint::Int)).collect::<Result<_, _>>().map(Some)
}

fn parse_uop(line: &str, position: usize) -> Result<Uop, String> {
    let mut words = line.splitn(3, ' ');
    let mut word = |what: &str| words.next().ok_or_else(|| format!("there is no {what}"));
    let found: usize = number(word("number")?)?;
    if found != position {
        return Err(format!("this is uop {position}, not {found}"));
    }
    let name = word("name")?;
    let kind = KINDS.into_iter().find(|kind| kind.name() == name).ok_or_else(|| format!("there is no uop {name}"))?;
    let rest = word("type")?;
    let (dtype, rest) = rest.split_once(" [").ok_or("there are no sources in [ ]")?;
    let (sources, arg) = rest.split_once("] ").ok_or("the sources do not end, or there is no argument")?;
    let ids: Result<SmallVec<[UopId; 4]>, String> =
        sources.split(',').filter(|id| !id.is_empty()).map(|id| number(id).map(UopId)).collect();
    let dtype = if dtype == "-" { None } else { Some(parse_dtype(dtype)?) };
    Ok(Uop { kind, dtype, sources: ids?, arg: parse_arg(kind, arg)? })
}

fn parse_dtype(text: &str) -> Result<DType, String> {
    let unknown = || format!("{text:?} is no type");
    if let Some((channel, size)) = text.strip_prefix("image").and_then(|rest| rest.split_once('[')) {
        let channel = match channel {
            "h" => Channel::Half,
            "f" => Channel::Float,
            _ => return Err(unknown()),
        };
        let size: Vec<&str> = size.trim_end_matches(']').split(',').collect();
        let [height, width, _] = size.as_slice() else { return Err(unknown()) };
        return Ok(DType::Image(Image { channel, height: number(height)?, width: number(width)? }));
    }
    if let Some(scalar) = text.strip_suffix('*') {
        return Scalar::from_name(scalar).map(DType::Pointer).ok_or_else(unknown);
    }
    if let Some(scalar) = Scalar::from_name(text) {
        return Ok(DType::Scalar(scalar));
    }
    let (scalar, lanes) = text.split_once('x').ok_or_else(unknown)?;
    Ok(DType::Vector(Scalar::from_name(scalar).ok_or_else(unknown)?, number(lanes)?))
}

/// The parts of an argument between colons.
fn parts<'a, const N: usize>(text: &'a str) -> Result<[&'a str; N], String> {
    let found: Vec<&'a str> = text.splitn(N, ':').collect();
    found.try_into().map_err(|_| format!("{text:?} has not {N} parts"))
}

fn parse_arg(kind: UopKind, text: &str) -> Result<UopArg, String> {
    Ok(match kind {
        _ if text == "-" => UopArg::None,
        UopKind::Alu => UopArg::Alu(AluOp::from_name(text).ok_or_else(|| format!("there is no operation {text}"))?),
        UopKind::Const => UopArg::Const(parse_constant(text)?),
        UopKind::DefineGlobal => {
            let [index, direction] = parts(text)?;
            UopArg::Global { index: number(index)?, output: direction == "out" }
        }
        UopKind::DefineLocal => {
            let [name, size] = parts(text)?;
            let name = match name.strip_prefix("ldata") {
                Some(buffer) => LocalName::Alias(number(buffer)?),
                None => LocalName::Temp,
            };
            UopArg::Local { name, size: number(size)? }
        }
        UopKind::DefineVar => {
            let (name, bounds) = text.trim_end_matches(']').split_once('[').ok_or("a variable has no bounds")?;
            let (min, max) = bounds.split_once(',').ok_or("a variable has no bounds")?;
            UopArg::Var { name: name.into(), min: number(min)?, max: number(max)? }
        }
        UopKind::DefineAcc => {
            // From the end: the initial value may hold a colon itself.
            let mut fields = text.rsplitn(3, ':');
            let (last, buffer, init) = (fields.next(), fields.next(), fields.next());
            let (Some(last), Some(buffer), Some(init)) = (last, buffer, init) else {
                return Err(format!("{text:?} has not three parts"));
            };
            UopArg::Acc { init: parse_constant(init)?, buffer: number(buffer)?, number: number(last)? }
        }
        UopKind::Special => {
            let [dim, name, size] = parts(text)?;
            let index = |prefix: &str| name.strip_prefix(prefix).map(number::<u32>);
            let name = match (index("gidx"), index("lidx"), index("idx")) {
                (Some(number), ..) => IndexName::Global(number?),
                (_, Some(number), _) => IndexName::Local(number?),
                (.., Some(number)) => IndexName::Flat(number?),
                _ => return Err(format!("{name:?} names no index")),
            };
            UopArg::Special { dim: number(dim)?, name, size: Sint::Int(number(size)?) }
        }
        UopKind::Range => {
            let [depth, index] = parts(text)?;
            UopArg::Range { depth: number(depth)?, number: number(index)? }
        }
        UopKind::Gep => UopArg::Lane(number(text)?),
        UopKind::Wmma => UopArg::Wmma(Box::new(parse_matrix(text)?)),
        _ => return Err(format!("{} takes no argument", kind.name())),
    })
}

fn parse_constant(text: &str) -> Result<Constant, String> {
    Ok(match text {
        "true" => Constant::Bool(true),
        "false" => Constant::Bool(false),
        "inf" => Constant::Float(f64::INFINITY),
        "-inf" => Constant::Float(f64::NEG_INFINITY),
        "nan" => Constant::Float(f64::NAN),
        _ => match text.strip_prefix("f:") {
            Some(bits) => {
                let bits = u64::from_str_radix(bits, 16).map_err(|_| format!("{text:?} are no 16 hex digits"))?;
                Constant::Float(f64::from_bits(bits))
            }
            None => Constant::Int(number(text)?),
        },
    })
}

fn parse_matrix(text: &str) -> Result<Wmma, String> {
    let [name, dims, dtype_in, dtype_out, sizes] = parts(text)?;
    let three = |text: &str| -> Result<[usize; 3], String> {
        let found: Result<Vec<usize>, String> = text.split(',').map(number).collect();
        found?.try_into().map_err(|_| format!("{text:?} are not three numbers"))
    };
    let scalar = |text: &str| Scalar::from_name(text).ok_or_else(|| format!("{text:?} is no type"));
    let dims = three(dims)?;
    // The text does not name the target; the shape tells it.
    let target = match dims {
        [8, 8, 8] => "metal",
        [8, 16, 16] => "cuda",
        _ => "hip",
    };
    Ok(Wmma {
        name: name.to_owned(),
        dims,
        dtype_in: scalar(dtype_in)?,
        dtype_out: scalar(dtype_out)?,
        sizes: three(sizes)?,
        target: target.to_owned(),
    })
}
