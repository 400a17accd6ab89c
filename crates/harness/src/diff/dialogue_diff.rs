//! Two streams of dialogues, compared in pairs of the same name.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use super::cause::CauseKey;
use super::dialogue_stream::DialogueStream;
use super::diff_outcome::DiffOutcome;
use super::difference_kind::DifferenceKind;
use super::divergence::Divergence;
use super::edit_causes::EditCauses;
use super::edit_search::ModelEdit;
use super::pairing::{Pairing, PlacedDialogue};
use super::rename_offers::RenameOffer;
use super::rule_changes::RuleChanges;
use super::scenario_stream::PlayedBy;
use super::sides::{DiffSide, Sides};
use super::state_renames::StateRenames;
use super::trace_comparison::TraceComparison;
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Next, Threads};

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
    /// States that have another name on the second side.
    pub renames: &'r StateRenames,
}

/// A dialogue of each side, and what could be paired then.
struct PairStep {
    /// What was found when they were read.
    found: Diagnostics,
    pairs: Vec<Sides<PlacedDialogue>>,
}

/// Two models, by their addresses.
type ModelPair = (usize, usize);

/// Compares pairs of dialogues.
struct PairComparer<'r> {
    only: &'r [DifferenceKind],
    context: usize,
    renames: &'r StateRenames,
    /// What findings call the streams.
    titles: Sides<String>,
    /// The beginnings of paths, and what people should see for them.
    names: Sides<Vec<(String, String)>>,
    /// The states that the sides know, where somebody asks.
    known: Mutex<Sides<BTreeSet<String>>>,
    /// The edits between the models that were compared already, by their addresses.
    edits: Mutex<BTreeMap<ModelPair, Arc<Vec<ModelEdit>>>>,
    offers: Mutex<Vec<RenameOffer>>,
}

/// What is said of a dialogue that both sides have.
enum PairVerdict {
    Same,
    Different(Box<PairDivergence>),
}

/// How a dialogue differs, and what makes it.
struct PairDivergence {
    divergence: Divergence,
    cause: Option<CauseKey>,
    besides: Vec<(CauseKey, Divergence)>,
}

impl DialogueDiff<'_> {
    /// Compares all dialogues. There is no comparison where a trace cannot be read to its end: half of it says nothing
    /// about the rest.
    pub fn run(
        mut self,
        threads: &Threads,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> DiffOutcome {
        let mut comparison = TraceComparison::default();
        let are_scenarios =
            |stream: &DialogueStream<'_>| matches!(stream, DialogueStream::Scenarios(_));
        let mut pairing =
            Pairing::new(are_scenarios(&self.streams.a) && are_scenarios(&self.streams.b));
        let comparer = PairComparer {
            only: self.only,
            context: self.context,
            renames: self.renames,
            titles: self.streams.as_ref().map(DialogueStream::name),
            names: self.streams.as_ref().map(DialogueStream::names),
            known: Mutex::default(),
            edits: Mutex::default(),
            offers: Mutex::default(),
        };
        let streams = &mut self.streams;
        let compare =
            |pair: &Sides<PlacedDialogue>, found: &mut Diagnostics, sources: &mut SourceMap| {
                comparer.compare(pair, found, sources)
            };
        let push = |comparison: &mut TraceComparison,
                    pair: Sides<PlacedDialogue>,
                    found: Option<PairVerdict>| {
            let PlacedDialogue {
                place, dialogue, ..
            } = pair.a;
            match found {
                Some(PairVerdict::Different(different)) => {
                    let PairDivergence {
                        divergence,
                        cause,
                        besides,
                    } = *different;
                    for (key, divergence) in besides {
                        comparison.push_besides(place, key, divergence);
                    }
                    comparison.push(place, dialogue.header.dialogue, divergence, cause);
                }
                Some(PairVerdict::Same) => comparison.counts.same += 1,
                None => {}
            }
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
                let judged = |step: PairStep| {
                    (
                        step.found,
                        step.pairs.into_iter().map(judge).collect::<Vec<_>>(),
                    )
                };
                steps.into_iter().map(judged).collect::<Vec<_>>()
            },
            |steps| {
                for (unread, pairs) in steps {
                    found.extend(unread);
                    for (pair, divergence) in pairs {
                        // Places are worked out only where they are told.
                        let divergence = divergence
                            .or_else(|| compare(&pair, found, &mut all_sources.borrow_mut()));
                        push(&mut comparison, pair, divergence);
                    }
                }
                Ok::<(), Infallible>(())
            },
        );
        let (pairs, singles) = pairing.finish();
        for pair in pairs {
            let divergence = compare(&pair, found, sources);
            push(&mut comparison, pair, divergence);
        }
        for (
            side,
            PlacedDialogue {
                place,
                dialogue,
                played,
            },
        ) in singles
        {
            let turns = dialogue
                .turns(comparer.titles.of(side), found, sources)
                .unwrap_or_default();
            comparer.know(side, &turns, played.as_ref());
            comparison.push_only(side, place, dialogue.header.dialogue);
        }
        let PairComparer { known, offers, .. } = comparer;
        self.renames.check(&known.into_inner(), found);
        comparison.renames = offers.into_inner();
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
        let next = Sides {
            a: streams.a.next(&mut found, sources),
            b: streams.b.next(&mut found, sources),
        };
        let is_last = next.a.is_none() && next.b.is_none();
        let sides = [(DiffSide::A, next.a), (DiffSide::B, next.b)];
        let dialogues = sides
            .into_iter()
            .filter_map(|(side, dialogue)| Some((side, dialogue?)));
        let paired = dialogues.filter_map(|(side, dialogue)| {
            size += dialogue.0.bytes();
            pairing.push(side, dialogue)
        });
        let step = PairStep {
            pairs: paired.collect(),
            found,
        };
        if !step.pairs.is_empty() || !step.found.is_empty() {
            steps.push(step);
        }
        if is_last {
            break;
        }
    }
    if steps.is_empty() && size == 0 {
        Next::End
    } else {
        Next::Item(steps)
    }
}

impl PairVerdict {
    fn of(
        divergence: Divergence,
        cause: Option<CauseKey>,
        besides: Vec<(CauseKey, Divergence)>,
    ) -> Self {
        Self::Different(Box::new(PairDivergence {
            divergence,
            cause,
            besides,
        }))
    }
}

impl PairComparer<'_> {
    /// How a dialogue differs that both sides have. Nothing, with findings, where it cannot be read.
    fn compare(
        &self,
        pair: &Sides<PlacedDialogue>,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<PairVerdict> {
        let (a, b) = (&pair.a.dialogue, &pair.b.dialogue);
        let turns_a = a.turns(&self.titles.a, found, sources);
        if self.renames.is_empty() && a.is_written_like(b) {
            return Some(PairVerdict::Same);
        }
        let turns_b = b.turns(&self.titles.b, found, sources);
        let mut turns = Sides {
            a: turns_a,
            b: turns_b,
        }
        .both()?;
        self.know(DiffSide::A, &turns.a, pair.a.played.as_ref());
        self.know(DiffSide::B, &turns.b, pair.b.played.as_ref());
        self.renames.rename(&mut turns.a);
        let find = |turns: &Sides<Vec<TurnReport>>| {
            Divergence::find(&turns.a, &turns.b, self.only, self.context)
        };
        let Some(divergence) = find(&turns) else {
            return Some(PairVerdict::Same);
        };
        let played = pair.as_ref().map(|placed| placed.played.as_ref()).both();
        let Some(played) = played else {
            return Some(PairVerdict::of(divergence, None, Vec::new()));
        };
        // Only now it is worth knowing which rules were edited.
        let machines = played.map(|played| &*played.machine);
        mark(&mut turns.a, played.a, machines.b, &self.names.a);
        mark(&mut turns.b, played.b, machines.a, &self.names.b);
        let edits = self.edits(machines);
        let divergence = find(&turns).unwrap_or(divergence);
        // Where the profiles differ too, an edit need not be what makes the difference.
        if played.a.variant != played.b.variant {
            return Some(PairVerdict::of(divergence, None, Vec::new()));
        }
        let names = self.names.as_ref().map(Vec::as_slice);
        let causes = EditCauses {
            machines,
            names,
            edits: &edits,
            only: self.only,
        };
        let (cause, besides) =
            causes.find(&divergence, turns.as_ref().map(Vec::as_slice), Vec::new());
        Some(PairVerdict::of(divergence, cause, besides))
    }

    /// Remembers the states of a side, where somebody asks for some by name.
    fn know(&self, side: DiffSide, turns: &[TurnReport], played: Option<&PlayedBy>) {
        if self.renames.is_empty() {
            return;
        }
        let mut known = self.known.lock();
        let Sides { a, b } = &mut *known;
        let known = match side {
            DiffSide::A => a,
            DiffSide::B => b,
        };
        let steps = turns
            .iter()
            .flat_map(|turn| [&turn.state.from, &turn.state.to])
            .flatten();
        known.extend(steps.cloned());
        known.extend(
            played
                .iter()
                .flat_map(|played| StateRenames::known(&played.machine)),
        );
    }

    /// The edits between two machines. Once for both, the states that seem to have another name are remembered.
    fn edits(&self, machines: Sides<&Machine>) -> Arc<Vec<ModelEdit>> {
        let Sides { a, b } = machines.map(|machine| std::ptr::from_ref(machine).addr());
        let mut known = self.edits.lock();
        let edits = known.entry((a, b)).or_insert_with(|| {
            let offers = RenameOffer::of(machines, self.renames);
            self.offers.lock().extend(offers);
            let names = self.names.as_ref().map(Vec::as_slice);
            // The scenarios are gone: none can be played again without an edit.
            Arc::new(ModelEdit::between(machines, names, &|_, _| None))
        });
        Arc::clone(edits)
    }
}

/// Says of the rules that decided which the other side does not have as they are.
fn mark(turns: &mut [TurnReport], played: &PlayedBy, other: &Machine, names: &[(String, String)]) {
    let mut changes = RuleChanges::new(&played.machine, other, names);
    for (turn, won) in turns.iter_mut().zip(&played.rules) {
        turn.rules = changes.winning(*won);
    }
}
