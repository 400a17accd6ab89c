//! When an answer is complete, where no model judges it.

use std::collections::BTreeSet;

use crate::engine::{Symbol, TurnData};
use crate::machine::{SlotId, Stems};

/// When an answer is complete, where no model judges it: all that is asked for must be there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Criteria {
    /// Characters (code points) that it has at least, without blanks around it.
    pub min_length: u32,
    /// Words that must all be in it, in any form.
    pub keywords: Box<[Box<str>]>,
    /// Words of which one must be in it, in any form.
    pub any_keyword: Box<[Box<str>]>,
    /// Data that the turn must bring, each with its name.
    pub fields: Box<[(SlotId, Box<str>)]>,
}

/// What criteria say of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CriteriaVerdict {
    /// How complete it is, from 0 to 1; 1 only where nothing is missing.
    pub completeness: f64,
    /// What is missing, for whoever asks again.
    pub missing: Vec<String>,
}

/// The most that an answer comes to of which something is missing, as a share of what is enough.
const NEARLY: f64 = 0.9;

impl Criteria {
    /// Judges what was said and brought. `threshold` is the confidence that is enough.
    pub(crate) fn judge(&self, text: &str, data: &TurnData, threshold: f64) -> CriteriaVerdict {
        let text = text.trim();
        let mut shares = Vec::new();
        let mut missing = Vec::new();
        if self.min_length > 0 {
            let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
            shares.push((f64::from(length) / f64::from(self.min_length)).min(1.0));
            if length < self.min_length {
                missing.push(format!("{} characters at least", self.min_length));
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
            let held = self.any_keyword.iter().any(|word| holds(&said, word));
            shares.push(if held { 1.0 } else { 0.0 });
            if !held {
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
            count => (shares.iter().sum::<f64>() / share(count, 1)).min(threshold * NEARLY),
        };
        CriteriaVerdict {
            completeness: (completeness * HUNDRED).floor() / HUNDRED,
            missing,
        }
    }
}

/// Judgements are told in hundredths.
const HUNDRED: f64 = 100.0;

#[expect(clippy::cast_precision_loss, reason = "counts are small numbers")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}

/// Whether all words of a keyword are among these, in any form.
pub(crate) fn holds(said: &BTreeSet<String>, keyword: &str) -> bool {
    let words = Stems::default().of(keyword);
    !words.is_empty() && words.is_subset(said)
}

/// Whether a turn brings something under a name.
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
    fn an_answer_is_complete_only_where_nothing_is_missing() {
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
    fn length_is_counted_in_characters_and_a_share_of_it_is_told() {
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
            "nearly is not enough"
        );
    }
}
