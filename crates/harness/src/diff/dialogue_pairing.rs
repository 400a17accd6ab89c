//! Pairs the dialogues of two traces by their names.

use std::collections::{BTreeMap, VecDeque};

use super::sides::{DiffSide, Sides};
use super::trace_scenario::PlayedBy;
use fsmsim_core::trace::{TracedDialogue, TracedHeader};

/// Dialogues that have no counterpart so far. If both traces have the same order and are read alternately, only one
/// dialogue of each is in memory.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    waiting: BTreeMap<(DiffSide, String), VecDeque<PlacedDialogue>>,
    read: Sides<usize>,
    /// Both sides are scenarios. These are paired by title, and by file if several have the same title.
    by_file: bool,
}

/// A dialogue with its index in its trace.
#[derive(Debug)]
pub(super) struct PlacedDialogue {
    pub place: usize,
    pub dialogue: TracedDialogue,
    /// The machine and rules, if the dialogue was run in this process.
    pub played: Option<PlayedBy>,
}

impl Pairing {
    /// Pairs dialogues by name. If both sides are scenarios, pairs them by title and file.
    pub(super) fn new(by_file: bool) -> Self {
        Self {
            by_file,
            ..Self::default()
        }
    }

    /// Adds the next dialogue of a side. Returns the dialogue and its counterpart if the counterpart was already added.
    pub(super) fn push(
        &mut self,
        side: DiffSide,
        (dialogue, played): (TracedDialogue, Option<PlayedBy>),
    ) -> Option<Sides<PlacedDialogue>> {
        let by_file = self.by_file;
        let scenario = |header: &TracedHeader| header.scenario.clone().filter(|_| by_file);
        let own = scenario(&dialogue.header);
        let name = own
            .as_ref()
            .map_or(&dialogue.header.dialogue, |(title, _)| title)
            .clone();
        let read = self.read.side_mut(side);
        let this = PlacedDialogue {
            place: *read,
            dialogue,
            played,
        };
        *read += 1;
        let others = self.waiting.get_mut(&(side.other(), name.clone()));
        let counterpart = others.and_then(|others| {
            let at = others
                .iter()
                .position(|other| scenario(&other.dialogue.header) == own)?;
            others.remove(at)
        });
        match (counterpart, side) {
            (Some(other), DiffSide::A) => Some(Sides { a: this, b: other }),
            (Some(other), DiffSide::B) => Some(Sides { a: other, b: this }),
            (None, _) => {
                self.waiting
                    .entry((side, name))
                    .or_default()
                    .push_back(this);
                None
            }
        }
    }

    /// Returns the remaining pairs and single dialogues. The pairs are scenarios with the same title in different
    /// files. The single dialogues of the first trace come before those of the second.
    pub(super) fn finish(
        mut self,
    ) -> (Vec<Sides<PlacedDialogue>>, Vec<(DiffSide, PlacedDialogue)>) {
        let titles: Vec<String> = self
            .waiting
            .keys()
            .map(|(_, title)| title.clone())
            .collect();
        let mut pairs = Vec::new();
        for title in titles {
            let mut take = |side| self.waiting.get_mut(&(side, title.clone()))?.pop_front();
            while let Some(a) = take(DiffSide::A) {
                match take(DiffSide::B) {
                    Some(b) => pairs.push(Sides { a, b }),
                    None => {
                        self.waiting
                            .entry((DiffSide::A, title.clone()))
                            .or_default()
                            .push_front(a);
                        break;
                    }
                }
            }
        }
        let with_side = |((side, _), dialogues): ((DiffSide, String), VecDeque<PlacedDialogue>)| {
            dialogues.into_iter().map(move |dialogue| (side, dialogue))
        };
        (
            pairs,
            self.waiting.into_iter().flat_map(with_side).collect(),
        )
    }
}
