//! Pairs the dialogues of two traces by their names.

use std::collections::BTreeMap;

use super::sides::{DiffSide, Sides};
use crate::trace::TracedDialogue;

/// Dialogues that wait for their counterpart. Where both traces come in the same order and are read in turn, none waits
/// for long, so that only one dialogue of each is in memory.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    waiting: BTreeMap<(DiffSide, String), PlacedDialogue>,
    read: Sides<usize>,
}

/// A dialogue with its place in its trace.
#[derive(Debug)]
pub(super) struct PlacedDialogue {
    /// The place.
    pub(super) place: usize,
    /// The dialogue.
    pub(super) dialogue: TracedDialogue,
}

impl Pairing {
    /// Takes the next dialogue of a side; gives it back together with its counterpart, where that came before.
    pub(super) fn push(&mut self, side: DiffSide, dialogue: TracedDialogue) -> Option<Sides<PlacedDialogue>> {
        let name = dialogue.header.dialogue.clone();
        let (read, other) = match side {
            DiffSide::A => (&mut self.read.a, DiffSide::B),
            DiffSide::B => (&mut self.read.b, DiffSide::A),
        };
        let this = PlacedDialogue { place: *read, dialogue };
        *read += 1;
        let counterpart = self.waiting.remove(&(other, name.clone()));
        match (counterpart, side) {
            (Some(other), DiffSide::A) => Some(Sides { a: this, b: other }),
            (Some(other), DiffSide::B) => Some(Sides { a: other, b: this }),
            (None, _) => {
                self.waiting.insert((side, name), this);
                None
            }
        }
    }

    /// The dialogues without a counterpart: the first trace's, then the second's.
    pub(super) fn finish(self) -> impl Iterator<Item = (DiffSide, PlacedDialogue)> {
        self.waiting.into_iter().map(|((side, _), dialogue)| (side, dialogue))
    }
}
