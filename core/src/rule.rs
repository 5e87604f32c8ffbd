//! Named rules: every rewrite, legality check and lowering step that can be listed, counted, switched off or, to try
//! the judges, deliberately altered.
//!
//! Each module that has rules declares them with [`rule_table!`](crate::rule_table): an enum whose members carry a
//! name (`symbolic/div-gcd`) and a sentence. [`Rules`] says which are on; lowering takes it as a value.

/// A module's table of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Group {
    /// Simplifications of index expressions.
    Symbolic,
    /// Reshaping, merging and simplification of views.
    View,
    /// Legality checks of optimisations.
    Opt,
    /// Rewrites of the uop graph.
    Uop,
    /// Steps of lowering that a correct kernel can't do without.
    Lower,
}

const GROUPS: usize = 5;

/// One rule of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId {
    /// The table.
    pub group: Group,
    /// The place in the table, below 128.
    pub index: u8,
}

/// What people read about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// Which rule.
    pub id: RuleId,
    /// `group/name`, unique.
    pub name: &'static str,
    /// One sentence: what it does and when.
    pub sentence: &'static str,
    /// What the rule does when altered (a planted fault that a judge must catch), where it has such a variant.
    pub altered: Option<&'static str>,
}

/// How a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum State {
    /// As it should be.
    #[default]
    On,
    /// A rewrite does not fire; a check lets everything pass; a lowering step is left out.
    Off,
    /// The planted fault of [`RuleInfo::altered`].
    Altered,
}

/// Which rules are on. The default has all of them on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rules {
    off: [u128; GROUPS],
    altered: [u128; GROUPS],
}

impl Rules {
    /// How `rule` stands.
    #[inline]
    pub fn state(&self, rule: impl Into<RuleId>) -> State {
        let RuleId { group, index } = rule.into();
        if self.off[group as usize] >> index & 1 == 1 {
            State::Off
        } else if self.altered[group as usize] >> index & 1 == 1 {
            State::Altered
        } else {
            State::On
        }
    }

    /// Whether `rule` is not switched off (an altered rule counts as on).
    #[inline]
    pub fn is_on(&self, rule: impl Into<RuleId>) -> bool {
        let RuleId { group, index } = rule.into();
        self.off[group as usize] >> index & 1 == 0
    }

    /// Whether `rule` has its planted fault.
    #[inline]
    pub fn is_altered(&self, rule: impl Into<RuleId>) -> bool {
        self.state(rule) == State::Altered
    }

    /// The same rules with `rule` in `state`.
    #[must_use]
    pub fn with(mut self, rule: impl Into<RuleId>, state: State) -> Rules {
        let RuleId { group, index } = rule.into();
        let bit = 1u128 << index;
        self.off[group as usize] &= !bit;
        self.altered[group as usize] &= !bit;
        match state {
            State::On => {}
            State::Off => self.off[group as usize] |= bit,
            State::Altered => self.altered[group as usize] |= bit,
        }
        self
    }
}

/// How often each rule fired (a check: refused something), and how often each check let something pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Firings {
    counts: [Vec<u32>; GROUPS],
    passed: [Vec<u32>; GROUPS],
}

/// Adds to the count at `index`.
#[inline]
fn add(counts: &mut Vec<u32>, index: u8, more: u32) {
    let index = usize::from(index);
    if counts.len() <= index {
        // At once as long as nearly any table is, since this happens for each kernel anew.
        counts.resize((index | 63) + 1, 0);
    }
    counts[index] = counts[index].saturating_add(more);
}

fn at(counts: &[u32], index: u8) -> u32 {
    counts.get(usize::from(index)).copied().unwrap_or(0)
}

impl Firings {
    /// Counts one firing of `rule`.
    #[inline]
    pub fn count(&mut self, rule: impl Into<RuleId>) {
        let RuleId { group, index } = rule.into();
        add(&mut self.counts[group as usize], index, 1);
    }

    /// Counts one time that the check `rule` let something pass.
    #[inline]
    pub fn count_passed(&mut self, rule: impl Into<RuleId>) {
        let RuleId { group, index } = rule.into();
        add(&mut self.passed[group as usize], index, 1);
    }

    /// How often `rule` fired.
    pub fn of(&self, rule: impl Into<RuleId>) -> u32 {
        let RuleId { group, index } = rule.into();
        at(&self.counts[group as usize], index)
    }

    /// How often the check `rule` let something pass.
    pub fn passed(&self, rule: impl Into<RuleId>) -> u32 {
        let RuleId { group, index } = rule.into();
        at(&self.passed[group as usize], index)
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Firings) {
        for (all, more) in [(&mut self.counts, &other.counts), (&mut self.passed, &other.passed)] {
            for (counts, more) in all.iter_mut().zip(more) {
                for (index, &more) in more.iter().enumerate() {
                    add(counts, index as u8, more);
                }
            }
        }
    }
}

/// Declares a table of rules: an enum of the rules of one group, each with its name, its sentence and, where it has
/// one, its planted fault.
///
/// ```ignore
/// rule_table! {
///     /// Simplifications of index expressions.
///     pub enum SymbolicRule in Symbolic {
///         /// (documentation of the member)
///         DivGcd = "symbolic/div-gcd": "a quotient of a sum is divided by the common factor of its terms",
///         DivNegative = "symbolic/div-negative": "…", altered "…";
///     }
/// }
/// ```
#[macro_export]
macro_rules! rule_table {
    ($(#[$meta:meta])* pub enum $table:ident in $group:ident {
        $($rule:ident = $name:literal : $sentence:literal $(, altered $altered:literal)?;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $table { $(#[doc = $sentence] $rule,)* }

        impl $table {
            /// The whole table.
            pub const TABLE: &'static [$crate::rule::RuleInfo] = &[$(
                $crate::rule::RuleInfo {
                    id: $crate::rule::RuleId { group: $crate::rule::Group::$group, index: $table::$rule as u8 },
                    name: $name,
                    sentence: $sentence,
                    altered: $crate::rule_table!(@altered $($altered)?),
                },
            )*];

            /// What people read about this rule.
            pub const fn info(self) -> &'static $crate::rule::RuleInfo {
                &$table::TABLE[self as usize]
            }
        }

        impl From<$table> for $crate::rule::RuleId {
            #[inline]
            fn from(rule: $table) -> $crate::rule::RuleId {
                $crate::rule::RuleId { group: $crate::rule::Group::$group, index: rule as u8 }
            }
        }
    };
    (@altered) => { None };
    (@altered $altered:literal) => { Some($altered) };
}

/// Every rule of every table.
pub fn all() -> impl Iterator<Item = &'static RuleInfo> {
    [
        crate::symbolic::SymbolicRule::TABLE,
        crate::shape::ViewRule::TABLE,
        crate::kernel::OptCheck::TABLE,
        crate::uop::UopRule::TABLE,
        crate::linearize::LowerStep::TABLE,
    ]
    .into_iter()
    .flatten()
}

/// The rule of this name.
pub fn named(name: &str) -> Option<&'static RuleInfo> {
    all().find(|rule| rule.name == name)
}
