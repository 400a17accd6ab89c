//! Two streams of dialogues, compared in pairs of the same name.

use super::dialogue_stream::DialogueStream;
use super::diff_outcome::DiffOutcome;
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::pairing::{Pairing, PlacedDialogue};
use super::sides::{DiffSide, Sides};
use super::trace_comparison::TraceComparison;
use crate::diagnostic::{Diagnostics, SourceMap};

/// Two streams of dialogues, and how they are compared.
pub struct DialogueDiff<'r> {
    /// The dialogues.
    pub streams: Sides<DialogueStream<'r>>,
    /// The kinds of differences that count; all, if none is named.
    pub only: &'r [DifferenceKind],
    /// Turns that are shown around a difference.
    pub context: usize,
}

impl DialogueDiff<'_> {
    /// Compares all dialogues. There is no comparison where a trace cannot be read to its end: half of it says nothing
    /// about the rest.
    pub fn run(mut self, found: &mut Diagnostics, sources: &mut SourceMap) -> DiffOutcome {
        let mut comparison = TraceComparison::default();
        let mut pairing = Pairing::default();
        let names = self.streams.as_ref().map(DialogueStream::name);
        loop {
            let next = Sides { a: self.streams.a.next(found, sources), b: self.streams.b.next(found, sources) };
            if next.a.is_none() && next.b.is_none() {
                break;
            }
            for (side, dialogue) in [(DiffSide::A, next.a), (DiffSide::B, next.b)] {
                if let Some(paired) = dialogue.and_then(|dialogue| pairing.push(side, dialogue)) {
                    self.compare(&paired, &names, &mut comparison, found, sources);
                }
            }
        }
        for (side, PlacedDialogue { place, dialogue }) in pairing.finish() {
            dialogue.turns(names.of(side), found, sources);
            comparison.push_only(side, place, dialogue.header.dialogue);
        }
        let mut outcome = DiffOutcome::default();
        let mut is_whole = true;
        for stream in [self.streams.a, self.streams.b] {
            match stream {
                DialogueStream::Trace(_) => is_whole &= !found.has_errors(),
                DialogueStream::Scenarios(scenarios) => {
                    comparison.counts.unplayable += scenarios.unplayable;
                    outcome.unread |= scenarios.unread;
                    outcome.named.push(scenarios.named);
                }
            }
        }
        outcome.comparison = is_whole.then(|| comparison.finish());
        outcome
    }

    /// Compares a dialogue that both sides have.
    fn compare(
        &self,
        paired: &Sides<PlacedDialogue>,
        names: &Sides<String>,
        comparison: &mut TraceComparison,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) {
        let (a, b) = (&paired.a.dialogue, &paired.b.dialogue);
        let turns_a = a.turns(&names.a, found, sources);
        if a.is_written_like(b) {
            comparison.counts.same += 1;
            return;
        }
        let turns_b = b.turns(&names.b, found, sources);
        let (Some(turns_a), Some(turns_b)) = (turns_a, turns_b) else { return };
        match Divergence::find(&turns_a, &turns_b, self.only, self.context) {
            Some(divergence) => {
                comparison.push(paired.a.place, a.header.dialogue.clone(), divergence, None);
            }
            None => comparison.counts.same += 1,
        }
    }
}
