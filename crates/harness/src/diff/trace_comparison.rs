//! The result of comparing two traces or two models.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cause::{Cause, CauseKey, CountedChange};
use super::decided::{Decided, FieldChange};
use super::divergence::Divergence;
use super::rename_offers::RenameOffer;
use super::sides::{DiffSide, Sides};

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
    pub category: DifferenceCategory,
    /// The index of the cause of the first difference, from 0.
    pub cause: Option<usize>,
    /// The indexes of other causes that affect the dialogue.
    pub more_causes: Vec<usize>,
    /// The side of the dialogue and its index on that side.
    place: (DiffSide, usize),
    /// The cause, until the causes are numbered.
    key: Option<(CauseKey, Decided)>,
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
    /// Additional causes, each with the index of the dialogue and the divergence.
    more_causes: Vec<(usize, CauseKey, Divergence)>,
}

/// A divergence with its causes.
pub(super) struct JudgedDivergence {
    pub divergence: Divergence,
    /// The cause, if more is known than the two turns show.
    pub cause: Option<CauseKey>,
    /// Additional causes, each with its divergence.
    pub more_causes: Vec<(CauseKey, Divergence)>,
}

impl From<Divergence> for JudgedDivergence {
    /// A divergence without a known cause.
    fn from(divergence: Divergence) -> Self {
        Self {
            divergence,
            cause: None,
            more_causes: Vec::new(),
        }
    }
}

impl TraceComparison {
    /// Adds a dialogue that differs. `place` is its index on the first side.
    pub(super) fn push(&mut self, place: usize, dialogue: String, judged: JudgedDivergence) {
        let JudgedDivergence {
            divergence,
            cause,
            more_causes,
        } = judged;
        let more_causes = more_causes.into_iter();
        self.more_causes
            .extend(more_causes.map(|(key, divergence)| (place, key, divergence)));
        self.counts.different += 1;
        let decided = Decided::of(&divergence);
        let key = cause.unwrap_or_else(|| CauseKey::of(&divergence, &decided));
        self.differences.push(Difference {
            dialogue,
            category: DifferenceCategory::Differs(Box::new(divergence)),
            cause: None,
            more_causes: Vec::new(),
            place: (DiffSide::A, place),
            key: Some((key, decided)),
        });
    }

    pub(super) fn push_only(&mut self, side: DiffSide, place: usize, dialogue: String) {
        match side {
            DiffSide::A => self.counts.only_a += 1,
            DiffSide::B => self.counts.only_b += 1,
        }
        self.differences.push(Difference {
            dialogue,
            category: DifferenceCategory::Only(side),
            cause: None,
            more_causes: Vec::new(),
            place: (side, place),
            key: None,
        });
    }

    /// Sorts the differences and numbers the causes.
    pub(super) fn finish(mut self) -> Self {
        self.differences.sort_by_key(|difference| difference.place);
        let mut causes = Causes::default();
        for (number, difference) in self.differences.iter_mut().enumerate() {
            let key = difference.key.take();
            if let (DifferenceCategory::Differs(divergence), Some((key, decided))) =
                (&difference.category, key)
            {
                causes.push(key, decided, divergence, (number, true));
            }
        }
        for (place, key, divergence) in std::mem::take(&mut self.more_causes) {
            let place = (DiffSide::A, place);
            if let Ok(number) = self
                .differences
                .binary_search_by_key(&place, |difference| difference.place)
            {
                causes.push(key, Decided::of(&divergence), &divergence, (number, false));
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
            for (number, is_first) in numbers {
                match differences.get_mut(number) {
                    Some(difference) if is_first => difference.cause = Some(at),
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
    /// The differences: the index, whether it is the first in its dialogue, and the change.
    differences: Vec<(usize, bool, FieldChange)>,
}

impl Causes {
    /// Adds a difference by index, and whether it is the first in its dialogue.
    fn push(
        &mut self,
        key: CauseKey,
        decided: Decided,
        divergence: &Divergence,
        (number, is_first): (usize, bool),
    ) {
        let change = decided.change.clone();
        let turns = divergence.numbers();
        let draft = self.by_key.entry(key);
        let draft = draft.or_insert_with(|| CauseDraft {
            decided,
            turns,
            differences: Vec::new(),
        });
        draft.differences.push((number, is_first, change));
    }

    /// The causes, those with the most dialogues first. Each has the indexes of its differences, and whether each
    /// difference is the first in its dialogue. `name` returns the dialogue name for a difference.
    fn finish(self, name: &dyn Fn(usize) -> String) -> Vec<(Cause, Vec<(usize, bool)>)> {
        let mut causes: Vec<(Cause, Vec<(usize, bool)>)> = Vec::new();
        for (key, draft) in self.by_key {
            let CauseDraft {
                decided,
                turns,
                mut differences,
            } = draft;
            // Differences with an additional cause were added at the end.
            differences.sort_by_key(|(number, ..)| *number);
            let mut counted: BTreeMap<FieldChange, usize> = BTreeMap::new();
            let mut numbers = Vec::new();
            for (number, is_first, change) in differences {
                numbers.push((number, is_first));
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
