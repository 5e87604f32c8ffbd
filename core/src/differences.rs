//! Where `core` differs from tinygrad 0.9.0 on purpose: the entries of `core/DIFFERENCES.md`, to be looked up by rule.

/// The whole text.
pub const TEXT: &str = include_str!("../DIFFERENCES.md");

/// One entry: a kind of kernels, what 0.9.0 does, the proof that it is wrong, what `core` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The heading it stands under: the part of `core`.
    pub section: &'static str,
    /// Its first words: what it is about.
    pub title: &'static str,
    /// All of it.
    pub text: &'static str,
}

/// Every entry, in order.
pub fn all() -> impl Iterator<Item = Difference> {
    let mut section = "";
    TEXT.split("\n\n").filter_map(move |text| {
        let text = text.trim();
        if let Some(heading) = text.strip_prefix("## ") {
            section = heading.lines().next().unwrap_or_default();
            return None;
        }
        let title = text.strip_prefix("**")?.split("**").next()?.trim_end_matches('.');
        Some(Difference { section, title, text })
    })
}

/// The entries that name this rule.
pub fn of_rule(name: &str) -> impl Iterator<Item = Difference> {
    let named = format!("`{name}`");
    all().filter(move |entry| entry.text.contains(&named))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule;

    /// What looks like the name of a rule is one: a rule that is renamed is renamed here, too.
    #[test]
    fn rules_are_named_as_they_are_called() {
        const GROUPS: [&str; 5] = ["symbolic/", "view/", "opt/", "uop/", "lower/"];
        let quoted = TEXT.split('`').skip(1).step_by(2);
        let named: Vec<&str> =
            quoted.filter(|text| GROUPS.iter().any(|group| text.starts_with(group)) && text.is_ascii()).collect();
        assert!(named.len() > 20, "{named:?}");
        for name in named {
            assert!(rule::named(name).is_some(), "there is no rule {name}");
        }
    }

    #[test]
    fn entries_are_found_by_rule() {
        assert!(all().count() > 60);
        let titles: Vec<&str> = of_rule("opt/tc-axis-used").map(|entry| entry.title).collect();
        assert_eq!(titles, ["One axis that is N and M of a matrix instruction"]);
        assert!(all().all(|entry| !entry.section.is_empty() && !entry.title.is_empty()));
        assert_eq!(of_rule("uop/multiply-one").count(), 0);
    }
}
