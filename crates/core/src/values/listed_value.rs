//! Listed values, in other forms of their words and with one typo.

use super::found_value::FoundValue;
use super::said_text::{SaidText, StemmedWord, folded, is_limit, stemmed};
use super::value_words::number_of;
use crate::machine::Value;

/// Characters of the shortest stem that identifies a word.
const MIN_STEM: usize = 3;
/// Characters of the shortest word in which a typo is recognized.
const MIN_TYPO: usize = 5;
/// The unlikeness of a word with a typo; another form of a word has less.
const TYPO: u32 = 2;

/// A value that a slot allows, with its words.
#[derive(Clone, Debug)]
pub(super) struct ListedValue {
    value: Value,
    words: Vec<StemmedWord>,
}

impl ListedValue {
    pub(super) fn new(value: &Value) -> Self {
        Self {
            value: value.clone(),
            words: stemmed(&folded(&value.plain())),
        }
    }

    /// The greatest unlikeness of a word; `None` if a word is another word.
    fn unlikeness(&self, said: &[StemmedWord]) -> Option<u32> {
        let words = said.iter().zip(&self.words);
        let unlikeness = words.map(|(said, known)| {
            let is_long = known.stem.chars().count() >= MIN_STEM;
            if said.lower == known.lower {
                Some(0)
            } else if number_of("function", &said.lower).is_some() {
                None
            } else if said.stem == known.stem && is_long {
                Some(1)
            } else {
                let is_typo =
                    is_typo(&said.lower, &known.lower) || is_typo(&said.stem, &known.stem);
                is_typo.then_some(TYPO)
            }
        });
        unlikeness.collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}

/// The listed values in an utterance; of several at one place, the best.
pub(super) fn listed(text: &SaidText<'_>, values: &[ListedValue]) -> Vec<FoundValue> {
    let mut found = Vec::new();
    for listed in values {
        let length = listed.words.len();
        for said in text.words.windows(length.max(1)) {
            if let (Some(unlikeness), Some(first), Some(last)) =
                (listed.unlikeness(said), said.first(), said.last())
            {
                let value = FoundValue::new(listed.value.clone());
                let value = value.at(first.bytes.start..last.bytes.end);
                let is_typo = unlikeness == TYPO;
                found.push((
                    is_typo,
                    usize::MAX - length,
                    unlikeness,
                    value.doubted(is_typo),
                ));
            }
        }
    }
    found.sort_by_key(|(is_typo, length, unlikeness, _)| (*is_typo, *length, *unlikeness));
    let mut best: Vec<FoundValue> = Vec::new();
    for (.., value) in found {
        if !best.iter().any(|known| known.overlaps(&value)) {
            best.push(value);
        }
    }
    best.retain(|value| {
        let before = text.folded.get(..value.bytes.start);
        is_limit(before.unwrap_or_default()).is_some()
    });
    best.sort_by_key(|value| value.bytes.start);
    best
}

/// Whether words differ by one typo after the first character. A word that continues the other is another word.
fn is_typo(said: &str, known: &str) -> bool {
    let [said, known] = [said, known].map(|word| word.chars().collect::<Vec<_>>());
    let pairs = said.iter().zip(&known);
    let same = pairs.take_while(|(one, other)| one == other).count();
    if same == 0 || known.len() < MIN_TYPO || said.iter().any(char::is_ascii_digit) {
        return false;
    }
    match [&said, &known].map(|word| word.get(same..).unwrap_or_default()) {
        [said @ [one, rest @ ..], known @ [other, end @ ..]] => {
            let swapped = rest.strip_prefix(&[*other]).zip(end.strip_prefix(&[*one]));
            let is_swap = swapped.is_some_and(|(said, known)| said == known);
            rest == end || rest == known || said == end || is_swap
        }
        _ => false,
    }
}
