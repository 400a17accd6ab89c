//! An utterance, prepared for the readers.

use std::ops::Range;

use regex::Match;

use super::found_value::FoundValue;
use super::number_words::in_digits;
use super::value_words::{has, patterns};
use crate::limits::MAX_READ_CHARS;
use crate::machine::Stems;

/// An utterance, prepared for the readers.
#[derive(Clone, Debug)]
pub struct SaidText<'s> {
    pub(super) say: &'s str,
    /// The utterance in lowercase with `е` for `ё`, with the same offsets.
    pub(super) folded: String,
    /// The folded utterance with all numbers in digits.
    pub(super) digits: String,
    /// The converted numbers: their places in `digits` and in the utterance.
    converted: Vec<(Range<usize>, Range<usize>)>,
    /// The words, with their stems.
    pub(super) words: Vec<StemmedWord>,
}

/// The text of a group of a pattern, by name.
pub(super) type Groups<'g> = dyn Fn(&str) -> Option<&'g str> + 'g;

/// A word with its stem.
#[derive(Clone, Debug)]
pub(super) struct StemmedWord {
    pub bytes: Range<usize>,
    pub lower: String,
    pub stem: String,
}

impl<'s> SaidText<'s> {
    pub(super) fn of(say: &'s str) -> Self {
        let end = say.char_indices().nth(MAX_READ_CHARS);
        let say = end.and_then(|(end, _)| say.get(..end)).unwrap_or(say);
        let folded = folded(say);
        let tokens: Vec<Match<'_>> = patterns("token")
            .flat_map(|pattern| pattern.find_iter(&folded))
            .collect();
        let mut digits = String::with_capacity(folded.len());
        let mut converted = Vec::new();
        let (mut at, mut end) = (0, 0);
        while let Some(rest) = tokens.get(at..).filter(|rest| !rest.is_empty()) {
            at += 1;
            let number = in_digits(&folded, rest).and_then(|(number, count)| {
                Some((number, count, rest.get(count.checked_sub(1)?)?))
            });
            if let (Some((number, count, last)), Some(first)) = (number, rest.first()) {
                at += count - 1;
                digits.push_str(folded.get(end..first.start()).unwrap_or_default());
                let start = digits.len();
                digits.push_str(&number);
                end = last.end();
                converted.push((start..digits.len(), first.start()..end));
            }
        }
        digits.push_str(folded.get(end..).unwrap_or_default());
        Self {
            say,
            words: stemmed(&folded),
            digits,
            converted,
            folded,
        }
    }

    /// The number of words.
    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    /// The place in the utterance of a place in `digits`.
    pub(super) fn place(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize, is_end: bool| {
            let known = self
                .converted
                .partition_point(|(place, _)| place.start <= at);
            let known = known
                .checked_sub(1)
                .and_then(|last| self.converted.get(last));
            match known {
                None => at,
                Some((digits, said)) if at >= digits.end => said.end + (at - digits.end),
                Some((digits, said)) if is_end && at > digits.start => said.end,
                Some((_, said)) => said.start,
            }
        };
        place(range.start, false)..place(range.end, true)
    }

    /// All values of a kind. At one place, the first pattern that matches counts.
    pub(super) fn values(
        &self,
        kind: &str,
        read: impl Fn(&Groups<'_>) -> Option<FoundValue>,
    ) -> Vec<FoundValue> {
        let mut found: Vec<FoundValue> = Vec::new();
        for groups in patterns(kind).flat_map(|pattern| pattern.captures_iter(&self.digits)) {
            let Some(part) = groups.name("v").or_else(|| groups.get(0)) else {
                continue;
            };
            let before = self.digits.get(..part.start()).unwrap_or_default();
            let after = self.digits.get(part.end()..).unwrap_or_default();
            let is_part = ["code", "part"].into_iter().any(|kind| has(kind, before));
            let is_whole = !is_part && !has("joined", after);
            let group = |name: &str| groups.name(name).map(|group| group.as_str());
            let value = read(&group).filter(|_| is_whole);
            if let (Some(value), Some(is_limit)) = (value, is_limit(before)) {
                let value = value.at(self.place(&part.range())).doubted(is_limit);
                if !found.iter().any(|known| known.overlaps(&value)) {
                    found.push(value);
                }
            }
        }
        found.sort_by_key(|found| found.bytes.start);
        found
    }
}

/// A text in lowercase with `е` for `ё`. Characters whose lowercase form has another length stay as they are.
pub(super) fn folded(text: &str) -> String {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some('ё'), None) => 'е',
            (Some(lower), None) if lower.len_utf8() == c.len_utf8() => lower,
            _ => c,
        }
    };
    text.chars().map(lower).collect()
}

/// The words of a folded text.
pub(super) fn stemmed(folded: &str) -> Vec<StemmedWord> {
    let stems = Stems::default();
    patterns("word")
        .flat_map(|pattern| pattern.find_iter(folded))
        .map(|word| StemmedWord {
            bytes: word.range(),
            lower: word.as_str().to_owned(),
            stem: stems.of_word(word.as_str()),
        })
        .collect()
}

/// Whether the text before a value makes it the limit of a period or an approximation. `None` if the text denies it.
pub(super) fn is_limit(before: &str) -> Option<bool> {
    let is_limit = has("limit", before);
    let is_denied = has("denied", before) || !is_limit && has("negated", before);
    (!is_denied).then_some(is_limit)
}
