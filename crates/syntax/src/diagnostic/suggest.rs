//! "Did you mean": the nearest known name.

use crate::limits::MAX_COMPARED_NAME;
use std::collections::BTreeSet;

/// A finger slips once in a name, or twice.
const SLIPS: usize = 2;

/// The candidate that a person who typed `name` most likely meant, if any is near enough.
///
/// Near is a Damerau-Levenshtein distance of at most a third of the longer name; of equally near candidates the
/// first wins, so the answer does not depend on anything but the order given.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_COMPARED_NAME {
        return None;
    }
    let lowered = name.to_lowercase();
    let (length, letters) = (lowered.chars().count(), letters_of(&lowered));
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        // Cheap first: almost none of many names is near.
        let longest = candidate.len().max(length);
        if candidate.len() > MAX_COMPARED_NAME
            || candidate.len() * 3 < length * 2
            || best.is_some_and(|(least, _)| least == 0)
        {
            continue;
        }
        // Every letter that only one of them has is a change of its own; an exchange may account for two.
        let strange = (letters_of(candidate) ^ letters).count_ones() as usize;
        if strange.div_ceil(2) * 3 > longest {
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

/// Whether a name that is nearly another one was hardly a slip: what tells them apart is a number (`topic_1`, `topic_2`), or
/// it is made of words that other names have as well.
pub fn is_variant(name: &str, near: &str, words: &BTreeSet<&str>) -> bool {
    let letters = |name: &str| {
        name.chars()
            .filter(|letter| !letter.is_numeric())
            .collect::<String>()
    };
    letters(name) == letters(near) || name.split('_').all(|word| words.contains(word))
}

/// The known name that was typed with a slip or two of the finger, where the name is hardly one of its own.
pub fn slip_of<'a>(name: &str, known: &BTreeSet<&'a str>) -> Option<&'a str> {
    let near = nearest(name, known.iter().copied())
        .filter(|near| strsim::damerau_levenshtein(name, near) <= SLIPS)?;
    let words = known.iter().flat_map(|known| known.split('_')).collect();
    (!is_variant(name, near, &words)).then_some(near)
}

/// Which letters a name has, without capitals, in few bits.
fn letters_of(name: &str) -> u64 {
    let bit = |letter: char| 1 << (u32::from(letter) & 0x3f);
    name.chars().fold(0, |letters, letter| {
        letters
            | if letter.is_ascii() {
                bit(letter.to_ascii_lowercase())
            } else {
                letter
                    .to_lowercase()
                    .fold(0, |lowered, letter| lowered | bit(letter))
            }
    })
}

/// The question whether the nearest of the known names was meant; `otherwise` if none is near.
pub fn nearest_or<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(name, known).map_or_else(otherwise, |near| format!("did you mean `{near}`?"))
}

/// The question whether a near name was meant, as it follows a sentence; nothing where there is none. `what` it names, and
/// a blank, may stand before it.
pub fn did_you_mean(what: &str, near: Option<&str>) -> String {
    near.map_or(String::new(), |near| {
        format!(" Did you mean {what}`{near}`?")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{nearest, slip_of};

    #[test]
    fn finds_a_slip_of_the_finger_and_nothing_far() {
        let names = ["spin_situation", "spin_problem", "close"];
        assert_eq!(nearest("spin_problm", names), Some("spin_problem"));
        assert_eq!(nearest("Close", names), Some("close"));
        assert_eq!(nearest("greeting", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn what_is_looked_at_first_hides_nothing() {
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
    fn a_slip_is_no_name_of_its_own() {
        let known = BTreeSet::from(["demo_request", "topic_1", "price_question", "need_payoff"]);
        assert_eq!(slip_of("dxmo_request", &known), Some("demo_request"));
        assert_eq!(slip_of("need_payof", &known), Some("need_payoff"));
        for other in ["topic_2", "price_request", "demo_requisition", "need"] {
            assert_eq!(slip_of(other, &known), None, "{other}");
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
