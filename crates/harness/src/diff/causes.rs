//! Differences by what they are put down to.

use std::collections::BTreeMap;

use super::cause::{Cause, CauseKey, CountedChange};
use super::decided::{Decided, FieldChange};
use super::divergence::Divergence;
use super::sides::Sides;

/// Differences by what they are put down to.
#[derive(Clone, Debug, Default)]
pub(super) struct Causes {
    by_key: BTreeMap<CauseKey, CauseDraft>,
}

#[derive(Clone, Debug)]
struct CauseDraft {
    decided: Decided,
    turns: Sides<Option<u32>>,
    /// The numbers of the differences, whether it makes the first one, and the changes.
    differences: Vec<(usize, bool, FieldChange)>,
}

impl Causes {
    /// Adds a difference, by its number, and whether it is the first one of its dialogue.
    pub(super) fn push(
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

    /// The causes, those of most dialogues first, each with the numbers of its differences, and whether it makes the first
    /// one of the dialogue; `name` tells the name of the dialogue of a difference.
    pub(super) fn finish(self, name: &dyn Fn(usize) -> String) -> Vec<(Cause, Vec<(usize, bool)>)> {
        let mut causes: Vec<(Cause, Vec<(usize, bool)>)> = Vec::new();
        for (key, draft) in self.by_key {
            let CauseDraft {
                decided,
                turns,
                mut differences,
            } = draft;
            // Those that it makes besides another cause were added behind all others.
            differences.sort_by_key(|(number, ..)| *number);
            let mut counted: BTreeMap<FieldChange, usize> = BTreeMap::new();
            let mut numbers = Vec::new();
            for (number, is_first, change) in differences {
                numbers.push((number, is_first));
                *counted.entry(change).or_default() += 1;
            }
            let counted = counted.into_iter();
            let mut changes: Vec<CountedChange> = counted
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
        // A stable sort: causes of equally many dialogues stay in the order of their keys.
        causes.sort_by_key(|(_, numbers)| std::cmp::Reverse(numbers.len()));
        causes
    }
}
