//! Pairs the dialogues of two traces by their names.

use std::collections::BTreeMap;

use crate::trace::TracedDialogue;

/// One of the two traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// Dialogues that wait for their counterpart. Where both traces come in the same order and are read in turn, none waits
/// for long, so that only one dialogue of each is in memory.
#[derive(Debug, Default)]
pub struct Pairing {
    waiting: [BTreeMap<String, (usize, TracedDialogue)>; 2],
    read: [usize; 2],
}

/// A dialogue of both traces, with its place in the first one.
pub type Paired = (usize, TracedDialogue, TracedDialogue);

impl Pairing {
    /// Takes the next dialogue of a side; gives it back together with its counterpart, where that came before.
    pub fn push(&mut self, side: Side, dialogue: TracedDialogue) -> Option<Paired> {
        let [of_a, of_b] = &mut self.waiting;
        let (own, others, read) = match side {
            Side::A => (of_a, of_b, &mut self.read[0]),
            Side::B => (of_b, of_a, &mut self.read[1]),
        };
        let place = *read;
        *read += 1;
        match (others.remove(&dialogue.header.dialogue), side) {
            (Some((_, other)), Side::A) => Some((place, dialogue, other)),
            (Some((place, other)), Side::B) => Some((place, other, dialogue)),
            (None, _) => {
                own.insert(dialogue.header.dialogue.clone(), (place, dialogue));
                None
            }
        }
    }

    /// The dialogues without a counterpart, with their places in their own trace: the first trace's, then the second's.
    pub fn finish(self) -> impl Iterator<Item = (Side, usize, TracedDialogue)> {
        let [of_a, of_b] = self.waiting;
        let rest = |side: Side, waiting: BTreeMap<String, (usize, TracedDialogue)>| {
            waiting.into_values().map(move |(place, dialogue)| (side, place, dialogue))
        };
        rest(Side::A, of_a).chain(rest(Side::B, of_b))
    }
}
