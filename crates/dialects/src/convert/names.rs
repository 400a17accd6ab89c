//! Converts names to names that are valid in flows.

use std::collections::BTreeMap;
use std::path::Path;

use crate::dialect::stem_of;
use fsmsim_core::machine::RESUME;
use fsmsim_syntax::terminal::Joined;

/// Reserved names of transitions and targets.
const RESERVED: [&str; 5] = [
    "any",
    "data_complete",
    "unclear",
    "_branch_complete",
    "_complete",
];

/// Makes a name valid in a flow: replaces braces, which would form placeholders, and changes reserved names.
pub(super) fn clean(name: &str, what: &str) -> String {
    let is_bad = |c: char| {
        c.is_control()
            || matches!(
                c,
                '{' | '}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
            )
    };
    let name: String = name
        .trim()
        .chars()
        .map(|c| if is_bad(c) { '_' } else { c })
        .collect();
    if name.is_empty() {
        return what.to_owned();
    }
    if RESERVED.contains(&&*name) || (what == "state" && name == RESUME) {
        format!("{what}_{}", name.trim_start_matches('_'))
    } else {
        name
    }
}

/// Joins the words of a sentence with underscores.
pub(super) fn word(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|part| !part.is_empty())
        .joined("_")
}

/// The name of a slot. In a flow, a dot separates a frame and its field, and a colon a kind and its name.
pub(super) fn slot_name(name: &str, what: &str) -> String {
    clean(name, what).replace(['.', ':'], "_")
}

/// A generator of unique names.
#[derive(Debug, Default)]
pub(super) struct GivenNames {
    /// The used names, each with the number that was last appended to the name.
    taken: BTreeMap<String, u64>,
}

impl GivenNames {
    /// Returns the name, with a number appended if the name is already used.
    pub(super) fn give(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.taken.contains_key(&name) {
            let number = self.taken.entry(wanted.to_owned()).or_insert(1);
            *number += 1;
            name = format!("{wanted}_{number}");
        }
        self.taken.insert(name.clone(), 1);
        name
    }
}

/// Derives the name of a flow from its file name.
pub(super) fn of_file(path: &Path) -> String {
    clean(&stem_of(path), "flow")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_changed() {
        assert_eq!(clean("user.login", "event"), "user.login");
        assert_eq!(clean("any", "event"), "event_any");
        assert_eq!(clean("_branch_complete", "state"), "state_branch_complete");
        assert_eq!(clean("resume", "state"), "state_resume");
        assert_eq!(clean("resume", "event"), "resume");
        assert_eq!(clean("{{a}}\n", "state"), "__a__");
        assert_eq!(clean(" ", "state"), "state");
    }

    #[test]
    fn a_number_makes_equal_names_unique() {
        let mut names = GivenNames::default();
        let given = ["a", "a_2", "a", "b", "a"].map(|wanted| names.give(wanted));
        assert_eq!(given, ["a", "a_2", "a_3", "b", "a_4"]);
    }

    #[test]
    fn a_sentence_becomes_a_word() {
        assert_eq!(word("coin inserted (5 ct)"), "coin_inserted_5_ct");
        assert_eq!(word("да, можно!"), "да_можно");
    }
}
