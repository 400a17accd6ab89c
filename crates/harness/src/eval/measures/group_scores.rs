//! Accuracy by state, language and tag.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::eval::utterance_result::UtteranceResult;
use crate::statistics::Proportion;

/// The accuracy of a group of utterances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupScore {
    /// The kind of the group: `state`, `lang` or `tag`.
    pub by: String,
    /// The name of the state, language or tag.
    pub name: String,
    /// The proportion of correct utterances.
    pub accuracy: Proportion,
}

/// The kinds of groups.
const KINDS: [&str; 3] = ["state", "lang", TAG];
/// The only kind of which an utterance can have more than one.
const TAG: &str = "tag";

impl GroupScore {
    /// The groups to show: all tags, and states or languages if there is more than one. A single group would equal the
    /// total.
    pub(super) fn shown(utterances: &[UtteranceResult], reader: usize) -> Vec<Self> {
        let mut groups = Self::all(utterances, reader);
        let several = KINDS.map(|kind| {
            groups.iter().filter(|group| group.by == kind).count() > usize::from(kind != TAG)
        });
        let is_shown = |group: &Self| {
            KINDS
                .iter()
                .zip(several)
                .any(|(kind, several)| several && group.by == *kind)
        };
        groups.retain(is_shown);
        groups
    }

    /// The scores for every state, language and tag.
    pub(crate) fn all(utterances: &[UtteranceResult], reader: usize) -> Vec<Self> {
        let mut groups: BTreeMap<(usize, &str), (u64, u64)> = BTreeMap::new();
        for utterance in utterances {
            let Some(is_correct) = utterance.is_correct(reader) else {
                continue;
            };
            let names = [(0, &*utterance.state)]
                .into_iter()
                .chain(utterance.lang.as_deref().map(|lang| (1, lang)));
            for key in names.chain(utterance.tags.iter().map(|tag| (2, &**tag))) {
                let (correct, all) = groups.entry(key).or_default();
                *correct += u64::from(is_correct);
                *all += 1;
            }
        }
        groups
            .iter()
            .map(|((kind, name), (correct, all))| Self {
                by: KINDS.get(*kind).copied().unwrap_or_default().to_owned(),
                name: (*name).to_owned(),
                accuracy: Proportion::of(*correct, *all),
            })
            .collect()
    }
}
