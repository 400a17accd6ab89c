//! Names of other tools as a flow may have them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::dialect::stem_of;
use fsmsim_syntax::terminal::Joined;

/// Names of transitions that are no intents, and targets that are no states.
const TAKEN: [&str; 4] = ["any", "data_complete", "_branch_complete", "_complete"];

/// The name that stands in a flow for a name of another tool: without what makes placeholders, and not one that means
/// something else there.
pub(super) fn clean(name: &str, what: &str) -> String {
    let is_bad = |letter: char| {
        letter.is_control()
            || matches!(
                letter,
                '{' | '}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
            )
    };
    let name: String = name
        .trim()
        .chars()
        .map(|letter| if is_bad(letter) { '_' } else { letter })
        .collect();
    if name.is_empty() {
        return what.to_owned();
    }
    if TAKEN.contains(&&*name) {
        format!("{what}_{}", name.trim_start_matches('_'))
    } else {
        name
    }
}

/// A sentence as one word.
pub(super) fn word(text: &str) -> String {
    let parts = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    parts.filter(|part| !part.is_empty()).joined("_")
}

/// Names that are given once each.
#[derive(Debug, Default)]
pub(super) struct GivenNames {
    /// The names that are taken, each with the last number behind it where it was wanted again.
    taken: BTreeMap<String, u64>,
}

impl GivenNames {
    /// Gives a name: as it is wanted, or with a number behind it where it is taken.
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

/// The name of a flow that stands in this file.
pub(super) fn of_file(path: &Path) -> String {
    clean(&stem_of(path), "flow")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_in_a_flow_are_changed() {
        assert_eq!(clean("user.login", "event"), "user.login");
        assert_eq!(clean("any", "event"), "event_any");
        assert_eq!(clean("_branch_complete", "state"), "state_branch_complete");
        assert_eq!(clean("{{a}}\n", "state"), "__a__");
        assert_eq!(clean(" ", "state"), "state");
    }

    #[test]
    fn a_number_tells_equal_names_apart() {
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
