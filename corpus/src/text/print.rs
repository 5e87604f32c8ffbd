//! Printing: one canonical form for each case.

use crate::case::{Case, DataMode, Dim, Expect, Layout, Movement, RawView, Step, Value};
use crate::expression::write_dim;
use plumb_core::kernel::OptPlan;

pub(super) fn case(case: &Case) -> String {
    let mut out = format!("{}\n", super::VERSION_LINE);
    for comment in &case.comments {
        // One that is more than a line would otherwise become statements.
        for line in comment.split(['\n', '\r']) {
            out += if line.is_empty() { ";" } else { "; " };
            out += line;
            out.push('\n');
        }
    }
    out += &format!("target {}\n", case.target);
    for variable in &case.kernel.variables {
        out += &format!("var {}[{},{}]", variable.name, variable.min, variable.max);
        if let Some(value) = variable.value {
            out += &format!(" = {value}{}", if variable.shown { " shown" } else { "" });
        }
        out.push('\n');
    }
    for (number, step) in case.kernel.steps.iter().enumerate() {
        self::step(&mut out, number, step);
        out.push('\n');
    }
    out += &format!("opts {}\n", plan(&case.opts));
    let mode = match case.data.mode {
        DataMode::Auto => "auto",
        DataMode::Exact => "exact",
        DataMode::Bounded => "bounded",
        DataMode::Special => "special",
    };
    out += &format!("data {mode} seed {}\n", case.data.seed);
    match &case.expect {
        Expect::Pass => out += "expect pass\n",
        Expect::Refused(text) => {
            out += "expect refused ";
            quoted(&mut out, text);
            out.push('\n');
        }
    }
    out
}

pub(super) fn plan(plan: &OptPlan) -> String {
    match plan {
        OptPlan::Hand => "hand".to_owned(),
        OptPlan::Required => "none".to_owned(),
        OptPlan::List(opts) if opts.is_empty() => "[]".to_owned(),
        OptPlan::List(opts) => opts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
    }
}

fn step(out: &mut String, number: usize, step: &Step) {
    if !matches!(step, Step::Store { .. }) {
        out.push_str(&format!("%{number} = "));
    }
    match step {
        Step::Load { buffer, dtype, layout } => {
            out.push_str(&format!("load {dtype} buf{buffer} "));
            self::layout(out, layout);
        }
        Step::Constant { value, dtype, layout } => {
            out.push_str(&format!("const {dtype} "));
            match value {
                Value::Constant(constant) => out.push_str(&constant.to_string()),
                Value::Variable(name) => out.push_str(name),
            }
            out.push(' ');
            self::layout(out, layout);
        }
        Step::Alu(op, operands) => {
            out.push_str(&op.name().to_ascii_lowercase());
            for operand in operands {
                out.push_str(&format!(" %{operand}"));
            }
        }
        Step::Cast(dtype, source) => out.push_str(&format!("cast {dtype} %{source}")),
        Step::Bitcast(dtype, source) => out.push_str(&format!("bitcast {dtype} %{source}")),
        Step::Reduce(op, source, axes) => {
            out.push_str(&format!("{} %{source} axis", op.name().to_ascii_lowercase()));
            list(out, axes, |out, axis| out.push_str(&axis.to_string()));
        }
        Step::Store { buffer, dtype, layout, source } => {
            out.push_str(&format!("store {dtype} buf{buffer} "));
            self::layout(out, layout);
            out.push_str(&format!(" %{source}"));
        }
    }
}

fn layout(out: &mut String, layout: &Layout) {
    match layout {
        Layout::Chain { base, movements } => {
            list(out, base, write_dim);
            for movement in movements {
                out.push_str(" |> ");
                self::movement(out, movement);
            }
        }
        Layout::Views(views) => {
            for (number, view) in views.iter().enumerate() {
                out.push_str(if number == 0 { "" } else { " |> " });
                self::view(out, view);
            }
        }
    }
}

fn movement(out: &mut String, movement: &Movement) {
    match movement {
        Movement::Reshape(shape) => {
            out.push_str("reshape");
            list(out, shape, write_dim);
        }
        Movement::Permute(axes) => {
            out.push_str("permute");
            list(out, axes, |out, axis| out.push_str(&axis.to_string()));
        }
        Movement::Expand(shape) => {
            out.push_str("expand");
            list(out, shape, write_dim);
        }
        Movement::Pad(widths) => {
            out.push_str("pad");
            list(out, widths, pair);
        }
        Movement::Shrink(ranges) => {
            out.push_str("shrink");
            list(out, ranges, pair);
        }
        Movement::Stride(steps) => {
            out.push_str("stride");
            list(out, steps, |out, step| out.push_str(&step.to_string()));
        }
    }
}

fn view(out: &mut String, view: &RawView) {
    out.push_str("view(");
    list(out, &view.shape, write_dim);
    out.push(':');
    list(out, &view.strides, write_dim);
    if !matches!(view.offset, Dim::Int(offset) if offset < 0) {
        out.push('+');
    }
    write_dim(out, &view.offset);
    if let Some(mask) = &view.mask {
        out.push_str(" mask");
        list(out, mask, pair);
    }
    out.push(')');
}

fn pair(out: &mut String, (low, high): &(Dim, Dim)) {
    out.push('(');
    write_dim(out, low);
    out.push(',');
    write_dim(out, high);
    out.push(')');
}

fn list<T>(out: &mut String, items: &[T], item: impl Fn(&mut String, &T)) {
    out.push('(');
    for (number, each) in items.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        item(out, each);
    }
    out.push(')');
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push('"');
}
