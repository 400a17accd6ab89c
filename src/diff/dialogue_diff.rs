//! Two streams of dialogues, compared in pairs of the same name.

use std::cell::RefCell;
use std::convert::Infallible;

use super::dialogue_stream::DialogueStream;
use super::diff_outcome::DiffOutcome;
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::pairing::{Pairing, PlacedDialogue};
use super::sides::{DiffSide, Sides};
use super::trace_comparison::TraceComparison;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::threads::{Next, Threads};

/// Bytes of dialogues that a thread compares in one go.
const BATCH: usize = 1 << 17;

/// Two streams of dialogues, and how they are compared.
pub struct DialogueDiff<'r> {
    /// The dialogues.
    pub streams: Sides<DialogueStream<'r>>,
    /// The kinds of differences that count; all, if none is named.
    pub only: &'r [DifferenceKind],
    /// Turns that are shown around a difference.
    pub context: usize,
}

/// A dialogue of each side, and what could be paired then.
struct PairStep {
    /// What was found when they were read.
    found: Diagnostics,
    pairs: Vec<Sides<PlacedDialogue>>,
}

impl DialogueDiff<'_> {
    /// Compares all dialogues. There is no comparison where a trace cannot be read to its end: half of it says nothing
    /// about the rest.
    pub fn run(mut self, threads: &Threads, found: &mut Diagnostics, sources: &mut SourceMap) -> DiffOutcome {
        let mut comparison = TraceComparison::default();
        let are_scenarios = |stream: &DialogueStream<'_>| matches!(stream, DialogueStream::Scenarios(_));
        let mut pairing = Pairing::new(are_scenarios(&self.streams.a) && are_scenarios(&self.streams.b));
        let names = &self.streams.as_ref().map(DialogueStream::name);
        let (streams, only, context) = (&mut self.streams, self.only, self.context);
        let compare = |pair: &Sides<PlacedDialogue>, found: &mut Diagnostics, sources: &mut SourceMap| {
            compare(pair, names, found, sources).map(|turns| Divergence::find(&turns.a, &turns.b, only, context))
        };
        let all_sources = RefCell::new(&mut *sources);
        let Ok(()) = threads.in_order(
            || next_steps(streams, &mut pairing, &mut all_sources.borrow_mut()),
            |steps: Vec<PairStep>| {
                let judge = |pair: Sides<PlacedDialogue>| {
                    let mut trial = Diagnostics::default();
                    let divergence = compare(&pair, &mut trial, &mut SourceMap::default());
                    (pair, divergence.filter(|_| trial.is_empty()))
                };
                let judged = |step: PairStep| (step.found, step.pairs.into_iter().map(judge).collect::<Vec<_>>());
                steps.into_iter().map(judged).collect::<Vec<_>>()
            },
            |steps| {
                for (unread, pairs) in steps {
                    found.extend(unread);
                    for (pair, divergence) in pairs {
                        // Places are worked out only where they are told.
                        let divergence = divergence.or_else(|| compare(&pair, found, &mut all_sources.borrow_mut()));
                        let PlacedDialogue { place, dialogue } = pair.a;
                        match divergence {
                            Some(Some(divergence)) => {
                                comparison.push(place, dialogue.header.dialogue, divergence, None);
                            }
                            Some(None) => comparison.counts.same += 1,
                            None => {}
                        }
                    }
                }
                Ok::<(), Infallible>(())
            },
        );
        let (pairs, singles) = pairing.finish();
        for pair in pairs {
            let divergence = compare(&pair, found, sources);
            let PlacedDialogue { place, dialogue } = pair.a;
            match divergence {
                Some(Some(divergence)) => comparison.push(place, dialogue.header.dialogue, divergence, None),
                Some(None) => comparison.counts.same += 1,
                None => {}
            }
        }
        for (side, PlacedDialogue { place, dialogue }) in singles {
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
}

/// The next dialogues of both sides, read in turn.
fn next_steps(
    streams: &mut Sides<DialogueStream<'_>>,
    pairing: &mut Pairing,
    sources: &mut SourceMap,
) -> Next<Vec<PairStep>> {
    let (mut steps, mut size) = (Vec::new(), 0);
    while size < BATCH {
        let mut found = Diagnostics::default();
        let next = Sides { a: streams.a.next(&mut found, sources), b: streams.b.next(&mut found, sources) };
        let is_last = next.a.is_none() && next.b.is_none();
        let sides = [(DiffSide::A, next.a), (DiffSide::B, next.b)];
        let dialogues = sides.into_iter().filter_map(|(side, dialogue)| Some((side, dialogue?)));
        let paired = dialogues.filter_map(|(side, dialogue)| {
            size += dialogue.bytes();
            pairing.push(side, dialogue)
        });
        let step = PairStep { pairs: paired.collect(), found };
        if !step.pairs.is_empty() || !step.found.is_empty() {
            steps.push(step);
        }
        if is_last {
            break;
        }
    }
    if steps.is_empty() && size == 0 { Next::End } else { Next::Item(steps) }
}

/// The turns of a dialogue that both sides have; none where they are written alike. Nothing, with findings, where they
/// cannot be read.
fn compare(
    pair: &Sides<PlacedDialogue>,
    names: &Sides<String>,
    found: &mut Diagnostics,
    sources: &mut SourceMap,
) -> Option<Sides<Vec<crate::trace::TracedTurn>>> {
    let (a, b) = (&pair.a.dialogue, &pair.b.dialogue);
    let turns_a = a.turns(&names.a, found, sources);
    if a.is_written_like(b) {
        return Some(Sides::default());
    }
    let turns_b = b.turns(&names.b, found, sources);
    Sides { a: turns_a, b: turns_b }.both()
}
