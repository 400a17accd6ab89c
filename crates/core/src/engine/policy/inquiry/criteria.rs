//! The criteria for complete answers, without a model.

use std::collections::BTreeSet;

use crate::engine::{Symbol, TurnData};
use crate::machine::{SlotId, Stems};

/// The criteria for complete answers, without a model: all of them must be met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Criteria {
    /// The minimum length in characters (code points), without surrounding whitespace.
    pub min_length: u32,
    /// Words that must all occur, in any form.
    pub keywords: Box<[Box<str>]>,
    /// Words of which at least one must occur, in any form.
    pub any_keyword: Box<[Box<str>]>,
    /// Slots that the turn must fill, each with its name.
    pub fields: Box<[(SlotId, Box<str>)]>,
}

/// The assessment of an answer by criteria.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CriteriaVerdict {
    /// The completeness, from 0 to 1; 1 only if nothing is missing.
    pub completeness: f64,
    /// The missing parts, for the next question.
    pub missing: Vec<String>,
}

/// The maximum completeness of an answer with missing parts, as a fraction of the threshold.
const MAX_INCOMPLETE: f64 = 0.9;

impl Criteria {
    /// Assesses an utterance and its data. `threshold` is the sufficient confidence.
    pub(crate) fn judge(&self, text: &str, data: &TurnData, threshold: f64) -> CriteriaVerdict {
        let text = text.trim();
        let mut shares = Vec::new();
        let mut missing = Vec::new();
        if self.min_length > 0 {
            let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
            shares.push((f64::from(length) / f64::from(self.min_length)).min(1.0));
            if length < self.min_length {
                missing.push(format!("at least {} characters", self.min_length));
            }
        }
        let said = if self.keywords.is_empty() && self.any_keyword.is_empty() {
            BTreeSet::new()
        } else {
            Stems::default().of(text)
        };
        let lacking: Vec<&str> = self
            .keywords
            .iter()
            .map(|word| &**word)
            .filter(|word| !holds(&said, word))
            .collect();
        if !self.keywords.is_empty() {
            shares.push(share(
                self.keywords.len() - lacking.len(),
                self.keywords.len(),
            ));
            missing.extend(lacking.iter().map(|word| (*word).to_owned()));
        }
        if !self.any_keyword.is_empty() {
            let has_any = self.any_keyword.iter().any(|word| holds(&said, word));
            shares.push(if has_any { 1.0 } else { 0.0 });
            if !has_any {
                missing.push(format!("one of: {}", self.any_keyword.join(", ")));
            }
        }
        if !self.fields.is_empty() {
            let lacking: Vec<&str> = self
                .fields
                .iter()
                .filter(|(slot, _)| !brings(data, *slot))
                .map(|(_, name)| &**name)
                .collect();
            shares.push(share(self.fields.len() - lacking.len(), self.fields.len()));
            missing.extend(lacking.iter().map(|name| format!("`{name}`")));
        }
        let completeness = match shares.len() {
            _ if text.is_empty() => 0.0,
            _ if missing.is_empty() => 1.0,
            count => (shares.iter().sum::<f64>() / share(count, 1)).min(threshold * MAX_INCOMPLETE),
        };
        CriteriaVerdict {
            completeness: (completeness * HUNDRED).floor() / HUNDRED,
            missing,
        }
    }
}

/// The completeness is rounded down to hundredths.
const HUNDRED: f64 = 100.0;

#[expect(clippy::cast_precision_loss, reason = "counts are small numbers")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}

/// Whether all words of a keyword occur, in any form.
pub(crate) fn holds(said: &BTreeSet<String>, keyword: &str) -> bool {
    let words = Stems::default().of(keyword);
    !words.is_empty() && words.is_subset(said)
}

/// Whether a turn fills a slot.
fn brings(data: &TurnData, slot: SlotId) -> bool {
    data.values()
        .iter()
        .any(|(name, value)| *name == Symbol::Known(slot) && value.filled())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Id, Value};

    fn judged(criteria: &Criteria, text: &str, data: &TurnData) -> (f64, usize) {
        let CriteriaVerdict {
            completeness,
            missing,
        } = criteria.judge(text, data, 0.7);
        (completeness, missing.len())
    }

    #[test]
    fn answer_is_complete_only_if_nothing_is_missing() {
        let amount = SlotId::from_index(0);
        let words = |words: &[&str]| words.iter().map(|word| (*word).into()).collect();
        let criteria = Criteria {
            min_length: 20,
            keywords: words(&["проблема"]),
            any_keyword: words(&["дети", "подростки"]),
            fields: [(amount, "amount".into())].into(),
        };
        let with = TurnData::Given(vec![(Symbol::Known(amount), Value::Int(5))]);
        let without = TurnData::Absent;
        assert_eq!(
            judged(&criteria, "Проблемы у ПОДРОСТКОВ нашего района", &with),
            (1.0, 0)
        );
        assert_eq!(
            judged(&criteria, "Проблемы у подростков нашего района", &without),
            (0.63, 1)
        );
        assert_eq!(judged(&criteria, "Не знаю", &without), (0.08, 4));
        assert_eq!(judged(&criteria, " \u{3000}\n", &with), (0.0, 3));
        assert_eq!(judged(&Criteria::default(), "да", &without), (1.0, 0));
        assert_eq!(judged(&Criteria::default(), " ", &without), (0.0, 0));
    }

    #[test]
    fn min_length_counts_characters_proportionally() {
        let criteria = Criteria {
            min_length: 10,
            ..Criteria::default()
        };
        assert_eq!(
            judged(&criteria, "двадцать 🏹", &TurnData::Absent),
            (1.0, 0)
        );
        assert_eq!(judged(&criteria, "двад", &TurnData::Absent), (0.4, 1));
        assert_eq!(
            judged(&criteria, "двадцать!", &TurnData::Absent),
            (0.63, 1),
            "an incomplete answer stays below the threshold"
        );
    }
}
