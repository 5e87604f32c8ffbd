//! Names that are unique within a program of many kernels.

use rustc_hash::FxHashMap;

/// The name of the function that stands for a kernel of this name: what is no ASCII letter, digit or underscore becomes
/// its code point in hexadecimal, as in 0.9.0: `E_<n[1-9]>` is `E_3Cn5B12D95D3E`.
pub fn function_name(name: &str) -> String {
    let mut function = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            function.push(c);
        } else {
            function.push_str(&format!("{:02X}", u32::from(c)));
        }
    }
    function
}

/// Which names are taken. The first kernel of a name keeps it; those after it get `n1`, `n2`, … behind it.
///
/// Kernels whose functions have the same name share a count, as in 0.9.0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UniqueNames {
    taken: FxHashMap<String, u64>,
}

impl UniqueNames {
    /// No name is taken.
    pub fn new() -> UniqueNames {
        UniqueNames::default()
    }

    /// Takes `name` and returns what to put behind it: nothing, or `n1`, `n2`, ….
    pub fn suffix(&mut self, name: &str) -> String {
        let taken = self.taken.entry(function_name(name)).or_default();
        let suffix = if *taken == 0 { String::new() } else { format!("n{taken}") };
        *taken += 1;
        suffix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_name_keeps_it() {
        let mut names = UniqueNames::new();
        let suffixes = ["E_4", "r_4", "E_4", "E_4", "r_4"].map(|name| names.suffix(name));
        assert_eq!(suffixes, ["", "", "n1", "n2", "n1"]);
    }

    #[test]
    fn functions_have_names_that_every_compiler_takes() {
        assert_eq!(function_name("r_3_16"), "r_3_16");
        assert_eq!(function_name("E_<(1+n[1-9])>"), "E_3C2812Bn5B12D95D293E");
    }
}
