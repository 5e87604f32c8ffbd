//! The options of all commands: one style throughout.

use clap::{Args, Parser, Subcommand, ValueEnum};
use plumb_core::kernel::{Opt, OptOp, OptPlan};
use plumb_core::render::Language;
use plumb_core::rule::{self, Rules, State};
use std::path::PathBuf;
use std::time::Duration;

/// Tells whether a kernel linearizer is right.
///
/// Exit status: 0 nothing failed; 1 a judge objected; 2 the call, the input or the environment is wrong.
#[derive(Debug, Parser)]
#[command(name = "plumb", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge generated cases, many of them
    Sweep(Sweep),
    /// Judge the kernels of case files and logs, plain or gzip
    Check(Check),
    /// Print what kernels are lowered to
    Uops(Uops),
    /// Print the source code of kernels
    Render(Render),
    /// Simplify index expressions
    Sym(Sym),
    /// Prove that two index expressions are equal for all values of their variables, or show values for which not
    Prove(Prove),
    /// List the backends: what was found of each, or what is missing
    Backends,
    /// Answer one question of the prover on standard input
    #[command(hide = true)]
    ProveWorker,
    /// List the rules, checks and lowering steps by name
    Rules(RulesList),
}

/// Which rules are on.
#[derive(Debug, Args)]
pub(crate) struct RuleOptions {
    /// Switch a rule off, or plant its fault, to see whether a judge notices (`plumb rules` lists them)
    #[arg(long = "rule", value_name = "NAME=off|altered", value_parser = parse_rule)]
    pub(crate) rules: Vec<(&'static rule::RuleInfo, State)>,
}

impl RuleOptions {
    /// The rules to lower with.
    pub(crate) fn rules(&self) -> Rules {
        self.rules.iter().fold(Rules::default(), |rules, (rule, state)| rules.with(rule.id, *state))
    }

    /// The options as they were given, for a command that replays.
    pub(crate) fn replay(&self) -> String {
        self.rules
            .iter()
            .map(|(rule, state)| {
                format!(" --rule {}={}", rule.name, if *state == State::Altered { "altered" } else { "off" })
            })
            .collect()
    }
}

/// Options of the commands that judge.
#[derive(Debug, Args)]
pub(crate) struct JudgeOptions {
    /// Threads (default: one for each core)
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Judges to ask, by name, separated by commas (default: all but the backends, which `plumb backends` lists)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) oracles: Vec<String>,
    /// Folder for the cases that fail
    #[arg(long, value_name = "DIR", default_value = "findings")]
    pub(crate) out: PathBuf,
    /// One JSON object for each case that is not passed, and one for the summary, on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Stop after so many failures (0: never)
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) max_failures: usize,
    #[command(flatten)]
    pub(crate) rules: RuleOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Sweep {
    /// How many cases
    #[arg(long, value_name = "N", conflicts_with = "time")]
    pub(crate) cases: Option<u64>,
    /// How long instead (`90s`, `20m`, `2h`)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time: Option<Duration>,
    /// Seed: case k of a seed is the same on every machine
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Judge only every N-th case, starting with the K-th
    #[arg(long, value_name = "K/N", value_parser = parse_shard, default_value = "1/1")]
    pub(crate) shard: Shard,
    #[command(flatten)]
    pub(crate) judging: JudgeOptions,
}

/// Part `part` of `parts`, counted from 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shard {
    pub(crate) part: u64,
    pub(crate) parts: u64,
}

/// How a kernel is optimised, where the option is given.
#[derive(Clone, Debug)]
pub(crate) enum PlanChoice {
    /// As the log says; a kernel without logged optimisations gets the required ones.
    Logged,
    /// This.
    Plan(OptPlan),
}

/// For which target, and how optimised, kernels are lowered.
#[derive(Debug, Args)]
pub(crate) struct LoweringOptions {
    /// Target (default: a case's own; for logs opencl); NAME.image-border leaves out gates that the border of images
    /// makes needless
    #[arg(long, value_name = "NAME", value_parser = parse_target)]
    pub(crate) target: Option<String>,
    /// `hand` (what tinygrad does by itself), `none` (only what is required), `logged`, or a list `"OP:axis:amount …"` (`[]`: none at all)
    /// (default: a case's own; for logs hand)
    #[arg(long, value_name = "OPTS", value_parser = parse_plan)]
    pub(crate) opts: Option<PlanChoice>,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// Case files (`.kernel`) and kernel logs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lowering: LoweringOptions,
    /// Judge only so many kernels of each file
    #[arg(long, value_name = "N")]
    pub(crate) first: Option<usize>,
    /// Judge only every N-th kernel of each file, the first included
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub(crate) every: Option<usize>,
    /// Judge only the kernel of this number (from 0) of each file
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<usize>,
    #[command(flatten)]
    pub(crate) judging: JudgeOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Uops {
    /// Case files (`.kernel`) and kernel logs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lowering: LoweringOptions,
    /// One line for each kernel: number, name, launch dimensions, graph digest, number of uops, optimisations
    #[arg(long)]
    pub(crate) digest: bool,
    /// The way to the uops: AST, views and axes after each optimisation, index expressions, uops before and after
    /// rewriting and in their order, rules that fired, the program record
    #[arg(long, conflicts_with = "digest")]
    pub(crate) stages: bool,
    /// The uops as a graph for Graphviz: `plumb uops FILE --dot --kernel 0 | dot -Tsvg > kernel.svg`
    #[arg(long, conflicts_with_all = ["digest", "stages"])]
    pub(crate) dot: bool,
    /// One JSON object for each kernel, the program record: unique name, axes, launch dimensions, arguments, operations,
    /// bytes
    #[arg(long, conflicts_with_all = ["digest", "stages", "dot"])]
    pub(crate) json: bool,
    /// Only the kernel of this number (from 0) of each file
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<usize>,
    /// End with a line on standard error that says how long lowering took, reading and printing not counted
    #[arg(long, conflicts_with = "stages")]
    pub(crate) timing: bool,
    #[command(flatten)]
    pub(crate) rules: RuleOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Render {
    /// Case files (`.kernel`) and kernel logs; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lowering: LoweringOptions,
    /// Language: `c opencl cuda hip metal` (default: the target's own)
    #[arg(long, value_name = "NAME", value_parser = parse_language)]
    pub(crate) language: Option<Language>,
    /// Only the kernel of this number (from 0) of each file
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<usize>,
    #[command(flatten)]
    pub(crate) rules: RuleOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Sym {
    /// Variables with their ranges, `x[0,9] y[0,3]`; or `-` to answer `ranges<TAB>expression` lines of standard input
    #[arg(value_name = "RANGES")]
    pub(crate) ranges: String,
    /// The expression: `+ - * // % < <= > >=`, integers, names
    #[arg(value_name = "EXPRESSION", required_unless_present_any = ["ranges"], allow_hyphen_values = true)]
    pub(crate) expression: Option<String>,
    /// Compare the answer with the expression at every point (of large domains at 4,096), and object where it differs
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) rules: RuleOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Prove {
    /// Case files and kernel logs; or RANGES LEFT == RIGHT, as in `plumb prove 'x[0,99] y[0,3]' '((x*4+y)//4)%3' == 'x%3'`
    #[arg(required = true, value_name = "WHAT")]
    pub(crate) what: Vec<String>,
    #[command(flatten)]
    pub(crate) lowering: LoweringOptions,
    /// Prove only every N-th kernel of each file, the first included
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub(crate) every: Option<usize>,
    /// Prove only the kernel of this number (from 0) of each file
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<usize>,
    /// Threads (default: one for each core)
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Folder of proofs from earlier runs, used and added to
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Forget the proofs in the folder first
    #[arg(long, requires = "cache", conflicts_with = "verify_cache")]
    pub(crate) drop_cache: bool,
    /// Decide anew what the folder says is proved, and compare
    #[arg(long, requires = "cache")]
    pub(crate) verify_cache: bool,
    /// Fail where a larger share of the obligations is unknown, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0.1)]
    pub(crate) max_unknown: f64,
    /// Show at most so many refuted obligations
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) show: usize,
    #[command(flatten)]
    pub(crate) rules: RuleOptions,
}

#[derive(Debug, Args)]
pub(crate) struct RulesList {
    /// Only the rules whose name contains this
    #[arg(value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// How to print them
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
    /// Lower the kernels of these files (case files and kernel logs) and count how often each rule fires, in how many
    /// of them; for checks, what they refuse and what they let pass
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) count: Vec<PathBuf>,
    /// Lower so many generated cases and count
    #[arg(long, value_name = "N")]
    pub(crate) cases: Option<u64>,
    /// Seed of the generated cases
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Lower only every N-th kernel of each file, the first included
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    pub(crate) every: Option<usize>,
    #[command(flatten)]
    pub(crate) lowering: LoweringOptions,
    #[command(flatten)]
    pub(crate) rules: RuleOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// A table for people
    Text,
    /// One JSON object a line
    Json,
}

fn parse_rule(text: &str) -> Result<(&'static rule::RuleInfo, State), String> {
    let (name, state) = text.split_once('=').unwrap_or((text, "off"));
    let info = rule::named(name).ok_or_else(|| format!("there is no rule {name}; `plumb rules` lists them"))?;
    match state {
        "off" => Ok((info, State::Off)),
        "altered" if info.altered.is_some() => Ok((info, State::Altered)),
        "altered" => Err(format!("{name} has no altered form; it can be switched off")),
        other => Err(format!("a rule can be `off` or `altered`, not `{other}`")),
    }
}

fn parse_target(text: &str) -> Result<String, String> {
    match plumb_core::target::Target::named(text) {
        Some(target) => Ok(target.name),
        None => Err(format!(
            "there is no target {text}; there are {}, each also with {} behind it",
            plumb_core::target::NAMES.join(", "),
            plumb_core::target::IMAGE_BORDER
        )),
    }
}

fn parse_language(text: &str) -> Result<Language, String> {
    let names = || Language::ALL.map(Language::name).join(", ");
    Language::from_name(text).ok_or_else(|| format!("there is no language {text}; there are {}", names()))
}

fn parse_plan(text: &str) -> Result<PlanChoice, String> {
    Ok(match text.trim() {
        "hand" => PlanChoice::Plan(OptPlan::Hand),
        "none" => PlanChoice::Plan(OptPlan::Required),
        "logged" => PlanChoice::Logged,
        // As in cases: none at all, not even the required ones.
        "[]" => PlanChoice::Plan(OptPlan::List(Vec::new())),
        list => PlanChoice::Plan(OptPlan::List(list.split_whitespace().map(parse_opt).collect::<Result<_, _>>()?)),
    })
}

fn parse_opt(text: &str) -> Result<Opt, String> {
    let expected = || format!("`{text}` is no optimisation: expected OP:axis:amount, as in LOCAL:0:8");
    let mut parts = text.split(':');
    let (Some(op), Some(axis), Some(amount), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Err(expected());
    };
    let op = OptOp::from_name(op).ok_or_else(|| {
        format!("there is no optimisation {op}; there are {}", OptOp::ALL.map(|op| op.name()).join(", "))
    })?;
    let number = |part: &str| match part {
        "None" => Ok(None),
        digits => digits.parse().map(Some).map_err(|_| expected()),
    };
    Ok(Opt { op, axis: number(axis)?, amount: number(amount)? })
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let expected = || format!("`{text}` is no shard: expected K/N with K from 1 to N, as in 2/8");
    let (part, parts) = text.split_once('/').ok_or_else(expected)?;
    let (part, parts) = (part.parse().map_err(|_| expected())?, parts.parse().map_err(|_| expected())?);
    if part == 0 || part > parts { Err(expected()) } else { Ok(Shard { part, parts }) }
}

fn parse_positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&number| number > 0).ok_or_else(|| format!("`{text}` is no number above 0"))
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || format!("`{text}` is no time: expected a number with s, m or h, as in 90s");
    let (digits, unit) = text.split_at(text.trim_end_matches(['s', 'm', 'h']).len());
    let factor = match unit {
        "s" | "" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(expected()),
    };
    let seconds: u64 = digits.parse().map_err(|_| expected())?;
    seconds.checked_mul(factor).filter(|&seconds| seconds > 0).map(Duration::from_secs).ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_options_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn lists_of_optimisations_are_read() {
        let Ok(PlanChoice::Plan(OptPlan::List(opts))) = parse_plan("UPCAST:0:4 NOLOCALS:None:None") else {
            panic!("not read as a list")
        };
        assert_eq!(opts.iter().map(Opt::to_string).collect::<Vec<_>>(), ["UPCAST:0:4", "NOLOCALS:None:None"]);
        assert!(parse_plan("UPCAST:0").is_err());
        assert!(parse_plan("FOLD:0:4").is_err());
    }

    #[test]
    fn shards_and_times_are_read() {
        assert!(parse_shard("0/2").is_err());
        assert!(parse_shard("3/2").is_err());
        assert_eq!(parse_shard("2/2").map(|shard| (shard.part, shard.parts)), Ok((2, 2)));
        assert_eq!(parse_duration("2h"), Ok(Duration::from_secs(7200)));
        assert!(parse_duration("0s").is_err());
        assert!(parse_duration("5d").is_err());
    }
}
