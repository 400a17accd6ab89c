//! Filters and samples labeled utterances.

use std::str::FromStr;

use strum::{IntoStaticStr, VariantArray};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::dataset_utterance::DatasetUtterance;
use crate::coverage::named_value;
use crate::selection::NamePattern;

/// A condition that utterances must meet: `KEY=PATTERN`.
#[derive(Clone, Debug)]
pub struct UtteranceFilter {
    key: FilterKey,
    pattern: NamePattern,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
enum FilterKey {
    Intent,
    State,
    Lang,
    Tag,
    Id,
    Say,
}

impl UtteranceFilter {
    /// Keeps the utterances that match at least one filter for every key.
    pub fn select(filters: &[Self], utterances: &mut Vec<DatasetUtterance>) {
        utterances.retain(|utterance| {
            FilterKey::VARIANTS.iter().all(|key| {
                let mut own = filters
                    .iter()
                    .filter(|filter| filter.key == *key)
                    .peekable();
                own.peek().is_none() || own.any(|filter| filter.holds(utterance))
            })
        });
    }

    /// Keeps a random sample of the utterances. The sample depends on the seed and the keys of the utterances, not on
    /// their order.
    pub fn sample(utterances: &mut Vec<DatasetUtterance>, size: usize, seed: u64) {
        if utterances.len() <= size {
            return;
        }
        let drawn =
            |utterance: &DatasetUtterance| xxh3_64_with_seed(utterance.key.as_bytes(), seed);
        let mut order: Vec<u64> = utterances.iter().map(drawn).collect();
        order.sort_unstable();
        let Some(last) = size
            .checked_sub(1)
            .and_then(|last| order.get(last))
            .copied()
        else {
            utterances.clear();
            return;
        };
        utterances.retain(|utterance| drawn(utterance) <= last);
        utterances.truncate(size);
    }

    fn holds(&self, utterance: &DatasetUtterance) -> bool {
        match self.key {
            FilterKey::Intent => self.pattern.matches(&utterance.intent),
            FilterKey::State => self.pattern.matches(&utterance.state),
            FilterKey::Lang => self
                .pattern
                .matches(utterance.lang.as_deref().unwrap_or_default()),
            FilterKey::Tag => utterance.tags.iter().any(|tag| self.pattern.matches(tag)),
            FilterKey::Id => self.pattern.matches(&utterance.key),
            FilterKey::Say => self.pattern.matches(&utterance.say),
        }
    }
}

impl FromStr for UtteranceFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, pattern) = text
            .split_once('=')
            .ok_or("expected KEY=PATTERN, for example lang=ru or intent=objection_*")?;
        Ok(Self {
            key: named_value("key", name, name)?,
            pattern: NamePattern::parse(pattern)?,
        })
    }
}
