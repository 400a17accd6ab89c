//! Suggestions: the known name that is most similar to an unknown one.

use super::former_names::present_names;
use crate::limits::MAX_COMPARED_NAME;
use std::collections::BTreeSet;

/// The maximum number of typing errors in a name.
const MAX_TYPOS: usize = 2;

/// The present name of a former one, if it is a candidate, otherwise the [`most_similar`] candidate.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    search(name, &present_names(name), candidates)
}

/// The candidate that is most similar to `name`, if one is similar enough.
///
/// The Damerau-Levenshtein distance must be at most a third of the longer name. Among equally similar candidates, the
/// first one is chosen, so the result depends only on their order.
pub fn most_similar<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    search(name, &[], candidates)
}

fn search<'a>(
    name: &str,
    present: &[&str],
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.len() > MAX_COMPARED_NAME {
        return None;
    }
    let lowered = name.to_lowercase();
    let length = lowered.chars().count();
    let bits = character_bits(&lowered);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        if present.contains(&candidate) {
            return Some(candidate);
        }
        // The cheap test comes first, because almost all candidates fail it.
        let longest = candidate.len().max(length);
        if candidate.len() > MAX_COMPARED_NAME || candidate.len() * 3 < length * 2 {
            continue;
        }
        // A character that occurs in only one of the names costs at least half an edit: a substitution accounts for two
        // of them.
        let differing = (character_bits(candidate) ^ bits).count_ones() as usize;
        let edits = differing.div_ceil(2);
        if edits * 3 > longest || best.is_some_and(|(least, _)| least <= edits) {
            continue;
        }
        let candidate_lowered = candidate.to_lowercase();
        let longer = length.max(candidate.chars().count());
        let distance = strsim::damerau_levenshtein(&lowered, &candidate_lowered);
        if distance * 3 <= longer && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Whether a name that is similar to another one is probably intended. Either the names differ only in a number
/// (`topic_1`, `topic_2`), or all words of the name occur in other names.
pub fn is_variant(name: &str, near: &str, words: &BTreeSet<&str>) -> bool {
    let without_digits = |name: &str| name.chars().filter(|c| !c.is_numeric()).collect::<String>();
    without_digits(name) == without_digits(near) || name.split('_').all(|word| words.contains(word))
}

/// The known name that `name` is probably a typo of. `None` if `name` is probably intended.
pub fn typo_of<'a>(name: &str, known: &BTreeSet<&'a str>) -> Option<&'a str> {
    let near = most_similar(name, known.iter().copied())
        .filter(|near| strsim::damerau_levenshtein(name, near) <= MAX_TYPOS)?;
    let words = known.iter().flat_map(|known| known.split('_')).collect();
    (!is_variant(name, near, &words)).then_some(near)
}

/// The set of characters of a name as a bit mask. It ignores case; different characters can share a bit.
fn character_bits(name: &str) -> u64 {
    let bit = |letter: char| 1 << (u32::from(letter) & 0x3f);
    name.chars().fold(0, |bits, letter| {
        bits | if letter.is_ascii() {
            bit(letter.to_ascii_lowercase())
        } else {
            letter
                .to_lowercase()
                .fold(0, |lowered, letter| lowered | bit(letter))
        }
    })
}

/// The help that suggests `near` for `name`: as the present name of a former one, or as similar.
pub(super) fn suggestion(name: &str, kind: &str, near: &str) -> String {
    if present_names(name).contains(&near) {
        return format!("use `{near}`");
    }
    similar(kind, near)
}

/// The help that suggests a similar name of this kind, such as `state`.
pub(super) fn similar(kind: &str, near: &str) -> String {
    format!("a similar {kind} exists: `{near}`")
}

/// A suggestion of the most similar known name, or `otherwise` if none is similar.
pub fn nearest_or<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(name, known).map_or_else(otherwise, |near| suggestion(name, "name", near))
}

/// A sentence that suggests a similar name, with a leading space. Empty if there is no similar name. `kind` is the kind
/// of the name, such as `state`; it can be empty.
pub fn similar_name_hint(kind: &str, near: Option<&str>) -> String {
    let kind = if kind.is_empty() { "name" } else { kind };
    near.map_or(String::new(), |near| {
        format!(" A similar {kind} exists: `{near}`.")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{nearest, suggestion, typo_of};

    #[test]
    fn finds_a_name_with_a_typo_but_no_distant_name() {
        let names = ["spin_situation", "spin_problem", "close"];
        assert_eq!(nearest("spin_problm", names), Some("spin_problem"));
        assert_eq!(nearest("Close", names), Some("close"));
        assert_eq!(nearest("greeting", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn former_name_suggests_its_present_name() {
        assert_eq!(
            nearest("talkative", ["persona", "disclosure"]),
            Some("disclosure")
        );
        assert_eq!(
            suggestion("talkative", "key", "disclosure"),
            "use `disclosure`"
        );
        assert_eq!(nearest("talkative", ["persona"]), None);
    }

    #[test]
    fn the_cheap_tests_reject_no_similar_name() {
        let near = |name: &str, other: &str| {
            let distance = strsim::damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
            distance * 3 <= name.chars().count().max(other.chars().count())
        };
        let names = [
            "квалификация",
            "КВАЛИФИКАЦИЯ",
            "kvalif",
            "qualify",
            "quality",
            "Q",
            "",
            "яя",
            "ЯЯ",
            "aşk",
            "İstanbul",
            "istanbul",
        ];
        for (name, other) in names
            .iter()
            .flat_map(|name| names.map(|other| (*name, other)))
        {
            assert_eq!(
                nearest(name, [other]).is_some(),
                near(name, other),
                "{name} {other}"
            );
        }
    }

    #[test]
    fn a_typo_is_distinguished_from_an_intended_name() {
        let known = BTreeSet::from(["demo_request", "topic_1", "price_question", "need_payoff"]);
        assert_eq!(typo_of("dxmo_request", &known), Some("demo_request"));
        assert_eq!(typo_of("need_payof", &known), Some("need_payoff"));
        for other in ["topic_2", "price_request", "demo_requisition", "need"] {
            assert_eq!(typo_of(other, &known), None, "{other}");
        }
    }

    #[test]
    fn works_in_cyrillic() {
        assert_eq!(
            nearest("квалификацяи", ["квалификация"]),
            Some("квалификация")
        );
    }
}
