//! The result of comparing two traces or two models.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::cause::{Cause, CauseKey, CountedChange};
use super::decided::{Decided, FieldChange};
use super::divergence::Divergence;
use super::rename_offers::RenameOffer;
use super::sides::{DiffSide, Sides};
use fsmsim_core::engine::Machine;

/// The number of dialogues for each result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ComparisonCounts {
    /// Dialogues that are equal on both sides.
    pub same: usize,
    /// Dialogues that differ.
    pub different: usize,
    pub only_a: usize,
    pub only_b: usize,
    /// Scenarios that belong to other models.
    pub left_out: usize,
    /// Scenarios that could not be run with both models.
    pub unplayable: usize,
}

/// How a dialogue differs.
#[derive(Clone, Debug, PartialEq)]
pub enum DifferenceCategory {
    /// Both sides have the dialogue, but it differs.
    Differs(Box<Divergence>),
    /// Only one side has the dialogue.
    Only(DiffSide),
}

/// A dialogue that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub dialogue: String,
    /// The name of the model, if the dialogue was run in this process.
    pub model: Option<String>,
    pub category: DifferenceCategory,
    /// The index of the cause of the weightiest difference, from 0.
    pub cause: Option<usize>,
    /// The indexes of other causes that affect the dialogue.
    pub more_causes: Vec<usize>,
    /// The side of the dialogue and its index on that side.
    place: (DiffSide, usize),
    /// The causes, until they are numbered.
    causes: Vec<(CauseKey, Divergence)>,
}

/// The result of comparing two traces or two models.
#[derive(Clone, Debug, Default)]
pub struct TraceComparison {
    pub counts: ComparisonCounts,
    /// The causes, those with the most dialogues first.
    pub causes: Vec<Cause>,
    /// The dialogues that differ, in the order of the first side, followed by those that only the second side has.
    pub differences: Vec<Difference>,
    /// States that were probably renamed.
    pub renames: Vec<RenameOffer>,
    /// The models of the dialogues that differ, by name.
    pub models: BTreeMap<String, Arc<Machine>>,
}

/// The name and the machine of a model.
pub(super) type ModelOfDialogue = (String, Arc<Machine>);

/// A divergence with its causes.
pub(super) struct JudgedDivergence {
    pub divergence: Divergence,
    /// The causes with the differences that they make. The first one makes this divergence. Empty if no more is known
    /// than the two turns show.
    pub causes: Vec<(CauseKey, Divergence)>,
}

impl From<Divergence> for JudgedDivergence {
    /// A divergence without a known cause.
    fn from(divergence: Divergence) -> Self {
        Self {
            divergence,
            causes: Vec::new(),
        }
    }
}

impl TraceComparison {
    /// Adds a dialogue that differs. `place` is its index on the first side, and `model` is the model of the second side
    /// if the dialogue was run in this process.
    pub(super) fn push(
        &mut self,
        place: usize,
        dialogue: String,
        model: Option<ModelOfDialogue>,
        judged: JudgedDivergence,
    ) {
        let JudgedDivergence {
            divergence,
            mut causes,
        } = judged;
        self.counts.different += 1;
        match causes.first_mut() {
            Some((_, main)) => main.clone_from(&divergence),
            None => {
                let decided = Box::new(Decided::of(&divergence));
                causes.push((CauseKey::Decided(decided), divergence.clone()));
            }
        }
        let model = model.map(|(name, machine)| {
            self.models.entry(name.clone()).or_insert(machine);
            name
        });
        self.differences.push(Difference {
            dialogue,
            model,
            category: DifferenceCategory::Differs(Box::new(divergence)),
            cause: None,
            more_causes: Vec::new(),
            place: (DiffSide::A, place),
            causes,
        });
    }

    pub(super) fn push_only(&mut self, side: DiffSide, place: usize, dialogue: String) {
        match side {
            DiffSide::A => self.counts.only_a += 1,
            DiffSide::B => self.counts.only_b += 1,
        }
        self.differences.push(Difference {
            dialogue,
            model: None,
            category: DifferenceCategory::Only(side),
            cause: None,
            more_causes: Vec::new(),
            place: (side, place),
            causes: Vec::new(),
        });
    }

    /// Sorts the differences and numbers the causes.
    pub(super) fn finish(mut self) -> Self {
        self.differences.sort_by_key(|difference| difference.place);
        let keys = self.differences.iter().flat_map(|one| &one.causes);
        let shared = CauseKey::shared_edits(keys.map(|(key, _)| key));
        let mut causes = Causes::default();
        for (number, difference) in self.differences.iter_mut().enumerate() {
            let mut is_main = true;
            for (key, divergence) in std::mem::take(&mut difference.causes) {
                for key in key.split(&shared) {
                    causes.push(key, &divergence, (number, is_main));
                    is_main = false;
                }
            }
        }
        let differences = &mut self.differences;
        let name = |number: usize| {
            differences
                .get(number)
                .map(|difference| difference.dialogue.clone())
                .unwrap_or_default()
        };
        let finished = causes.finish(&name);
        for (at, (cause, numbers)) in finished.into_iter().enumerate() {
            for (number, is_main) in numbers {
                match differences.get_mut(number) {
                    Some(difference) if is_main => difference.cause = Some(at),
                    Some(difference) => difference.more_causes.push(at),
                    None => {}
                }
            }
            self.causes.push(cause);
        }
        self.renames.sort();
        self.renames.dedup();
        self
    }

    pub fn is_same(&self) -> bool {
        let ComparisonCounts {
            different,
            only_a,
            only_b,
            ..
        } = self.counts;
        different + only_a + only_b == 0
    }

    /// Removes the individual dialogues, and keeps the causes.
    pub fn without_dialogues(mut self) -> Self {
        self.differences.clear();
        self
    }
}

/// Differences grouped by cause.
#[derive(Clone, Debug, Default)]
struct Causes {
    by_key: BTreeMap<CauseKey, CauseDraft>,
}

#[derive(Clone, Debug)]
struct CauseDraft {
    decided: Decided,
    turns: Sides<Option<u32>>,
    /// The differences: the index, whether the cause is the main one of its dialogue, and the change.
    differences: Vec<(usize, bool, FieldChange)>,
}

impl Causes {
    /// Adds a difference by index, and whether this is the main cause of its dialogue.
    fn push(&mut self, key: CauseKey, divergence: &Divergence, (number, is_main): (usize, bool)) {
        let decided = Decided::of(divergence);
        let change = decided.change.clone();
        let draft = self.by_key.entry(key);
        let draft = draft.or_insert_with(|| CauseDraft {
            decided,
            turns: divergence.numbers(),
            differences: Vec::new(),
        });
        // A dialogue has a cause twice if causes of several edits were split.
        if draft
            .differences
            .last()
            .is_none_or(|(last, ..)| *last != number)
        {
            draft.differences.push((number, is_main, change));
        }
    }

    /// The causes, those with the most dialogues first. Each has the indexes of its differences, and whether it is
    /// the main cause of each dialogue. `name` returns the dialogue name for a difference.
    fn finish(self, name: &dyn Fn(usize) -> String) -> Vec<(Cause, Vec<(usize, bool)>)> {
        let mut causes: Vec<(Cause, Vec<(usize, bool)>)> = Vec::new();
        for (key, draft) in self.by_key {
            let CauseDraft {
                decided,
                turns,
                differences,
            } = draft;
            let mut counted: BTreeMap<FieldChange, usize> = BTreeMap::new();
            let mut numbers = Vec::new();
            for (number, is_main, change) in differences {
                numbers.push((number, is_main));
                *counted.entry(change).or_default() += 1;
            }
            let mut changes: Vec<CountedChange> = counted
                .into_iter()
                .map(|(change, dialogues)| CountedChange { change, dialogues })
                .collect();
            changes.sort_by_key(|change| std::cmp::Reverse(change.dialogues));
            let dialogues = numbers.iter().map(|(number, _)| name(*number)).collect();
            causes.push((
                Cause {
                    key,
                    decided,
                    changes,
                    dialogues,
                    turns,
                },
                numbers,
            ));
        }
        // The sort is stable, so causes with the same number of dialogues stay in the order of their keys.
        causes.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.len()));
        causes
    }
}
