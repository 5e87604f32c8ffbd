//! Colours: on terminals only, and not where the environment asks for none (`NO_COLOR`, `TERM=dumb`).

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use plumb_core::kernel::{AxisKind, NamedAxis};
use plumb_core::uop::UopKind;
use std::fmt::Display;
use std::io::{BufWriter, StdoutLock};

/// Standard output, which drops colours where it must.
pub(crate) fn stdout() -> BufWriter<AutoStream<StdoutLock<'static>>> {
    BufWriter::new(AutoStream::auto(std::io::stdout().lock()))
}

/// `text` in a style.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    let text = text.to_string();
    if text.is_empty() { text } else { format!("{style}{text}{style:#}") }
}

/// `text` in a style, followed by blanks up to `width` characters.
pub(crate) fn padded(style: Style, text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(text.chars().count());
    format!("{style}{text}{style:#}{:blanks$}", "")
}

/// Of headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// Of what is beside the point.
pub(crate) const DIM: Style = AnsiColor::BrightBlack.on_default();
/// Of what is gone.
pub(crate) const GONE: Style = AnsiColor::Red.on_default();
/// Of what is new.
pub(crate) const NEW: Style = AnsiColor::Green.on_default();
/// Of what is wrong.
pub(crate) const WRONG: Style = AnsiColor::Red.on_default().bold();

/// The colour of axes of a kind, as tinygrad 0.9.0 has it.
pub(crate) fn axis_style(kind: AxisKind) -> Style {
    let color = match kind {
        AxisKind::Global => AnsiColor::Blue,
        AxisKind::Flat => AnsiColor::BrightBlue,
        AxisKind::Local => AnsiColor::Cyan,
        AxisKind::Group => AnsiColor::Green,
        AxisKind::UpcastMid => AnsiColor::White,
        AxisKind::Reduce => AnsiColor::Red,
        AxisKind::Unroll => AnsiColor::Magenta,
        AxisKind::Upcast => AnsiColor::Yellow,
    };
    color.on_default()
}

/// The colour of uops of a kind; the same as in graphs, as far as terminals go.
pub(crate) fn uop_style(kind: UopKind) -> Style {
    let color = match kind {
        UopKind::Alu | UopKind::Wmma => AnsiColor::Yellow,
        UopKind::Load => AnsiColor::Red,
        UopKind::Store | UopKind::Phi | UopKind::DefineAcc => AnsiColor::Green,
        UopKind::Special => AnsiColor::Blue,
        UopKind::Range | UopKind::EndRange | UopKind::If | UopKind::EndIf | UopKind::Barrier => AnsiColor::Magenta,
        UopKind::DefineGlobal | UopKind::DefineLocal | UopKind::DefineVar => AnsiColor::Cyan,
        _ => return DIM,
    };
    color.on_default()
}

/// A kernel's name with each axis in its colour, and what makes it unique behind it.
pub(crate) fn kernel_name(name: &str, axes: &[NamedAxis], suffix: &str) -> String {
    let mut text = String::new();
    let mut done = 0;
    for axis in axes {
        let (Some(before), Some(size)) = (name.get(done..axis.place.start), name.get(axis.place.clone())) else {
            continue;
        };
        text.push_str(&if done == 0 { before.to_owned() } else { styled(DIM, before) });
        text.push_str(&styled(axis_style(axis.kind), size));
        done = axis.place.end;
    }
    text.push_str(name.get(done..).unwrap_or_default());
    if !suffix.is_empty() {
        text.push_str(&styled(DIM, suffix));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The styles are the numbers that core's table of colours has.
    #[test]
    fn axes_have_the_colours_of_0_9_0() {
        for kind in AxisKind::ALL {
            assert_eq!(axis_style(kind).render().to_string(), format!("\u{1b}[{}m", kind.ansi()), "{kind:?}");
        }
    }

    #[test]
    fn a_name_is_its_parts() {
        let axes = [(AxisKind::Global, 2..3), (AxisKind::Unroll, 4..6)].map(|(kind, place)| NamedAxis { kind, place });
        let name = kernel_name("r_4_16", &axes, "n2");
        assert_eq!(anstream::adapter::strip_str(&name).to_string(), "r_4_16n2");
        assert!(name.starts_with("r_\u{1b}[34m4\u{1b}[0m"), "{name:?}");
    }
}
