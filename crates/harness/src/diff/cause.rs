//! The root cause of a difference. A change that affects many dialogues is reported once.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::decided::{Decided, FieldChange};
use super::model_edits::KnownEdit;
use super::sides::Sides;

/// The root cause of a difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseKey {
    /// Profile switches. Each of them alone makes the difference, or (with `together`) only all of them together do.
    Switches {
        names: Vec<&'static str>,
        /// No switch alone makes the difference.
        together: bool,
        /// The main difference of these dialogues has another cause.
        more_causes: bool,
    },
    /// An edit, or several edits that make a difference only together.
    Edits(Vec<KnownEdit>),
    /// The decision itself, if nothing more precise is known.
    Decided(Box<Decided>),
}

/// Differences with the same root cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// The shared root cause. It contains the edits with their lines.
    pub key: CauseKey,
    /// The decisions in the weightiest difference of the example dialogue.
    pub decided: Decided,
    /// The changes with the number of affected dialogues, the most frequent first.
    pub changes: Vec<CountedChange>,
    /// The affected dialogues, in order. The first one is the example.
    pub dialogues: Vec<String>,
    /// The turn that differs in the example dialogue.
    pub turns: Sides<Option<u32>>,
}

/// A change, and the number of dialogues in which it occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountedChange {
    #[serde(flatten)]
    pub change: FieldChange,
    pub dialogues: usize,
}

impl CauseKey {
    /// The edits of the cause; empty if it consists of no edits.
    pub fn edits(&self) -> &[KnownEdit] {
        match self {
            Self::Edits(edits) => edits,
            _ => &[],
        }
    }

    /// The edits that belong to several of these causes.
    pub(super) fn shared_edits<'k>(keys: impl Iterator<Item = &'k Self>) -> BTreeSet<KnownEdit> {
        let distinct: BTreeSet<&Self> = keys.collect();
        let mut counts: BTreeMap<&KnownEdit, usize> = BTreeMap::new();
        for edit in distinct.into_iter().flat_map(Self::edits) {
            *counts.entry(edit).or_default() += 1;
        }
        let shared = counts.into_iter().filter(|(_, count)| *count > 1);
        shared.map(|(edit, _)| edit.clone()).collect()
    }

    /// The cause, or one cause for each of its edits if one of them is shared with another cause. Otherwise one edit
    /// would be listed twice.
    pub(super) fn split(self, shared: &BTreeSet<KnownEdit>) -> Vec<Self> {
        match self {
            Self::Edits(edits)
                if edits.len() > 1 && edits.iter().any(|edit| shared.contains(edit)) =>
            {
                edits
                    .into_iter()
                    .map(|edit| Self::Edits(vec![edit]))
                    .collect()
            }
            key => vec![key],
        }
    }
}
