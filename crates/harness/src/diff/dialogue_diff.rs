//! Compares two streams of dialogues, pairing dialogues with the same name.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use serde_json::{Value, json};

use super::dialogue_pairing::{Pairing, PlacedDialogue};
use super::dialogue_stream::DialogueStream;
use super::diff_options::DiffOptions;
use super::diff_outcome::DiffOutcome;
use super::divergence::Divergence;
use super::edit_causes::EditCauses;
use super::model_edits::EditCache;
use super::named_model::NamedModel;
use super::rename_offers::RenameOffer;
use super::sides::{DiffSide, Sides};
use super::state_renames::StateRenames;
use super::trace_comparison::{ComparisonCounts, JudgedDivergence, TraceComparison};
use super::trace_scenario::PlayedBy;
use crate::scenario::Runner;
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::TurnReport;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::{Mutex, Next, Threads};

/// The number of bytes of dialogues that a thread compares in one batch.
const BATCH: usize = 1 << 17;

/// Two streams of dialogues and the options of the comparison.
pub struct DialogueDiff<'r> {
    pub streams: Sides<DialogueStream<'r>>,
    pub options: DiffOptions<'r>,
}

/// The dialogues that are paired after reading one dialogue from each side.
struct PairStep {
    /// Findings from reading the dialogues.
    found: Diagnostics,
    pairs: Vec<Sides<PlacedDialogue>>,
}

/// Compares pairs of dialogues.
struct PairComparer<'r> {
    options: DiffOptions<'r>,
    /// Runs the scenarios of the second side again.
    runner: Option<&'r Runner<'r>>,
    /// The stream names that findings show.
    titles: Sides<String>,
    /// Path prefixes, each with the prefix to display.
    names: Sides<Vec<(String, String)>>,
    /// The states of each side. Collected only if states are renamed.
    known: Mutex<Sides<BTreeSet<String>>>,
    edits: EditCache,
    offers: Mutex<Vec<RenameOffer>>,
}

/// The result for a dialogue that both sides have.
enum PairVerdict {
    Same,
    Different(Box<JudgedDivergence>),
}

impl DialogueDiff<'_> {
    /// Compares all dialogues. Returns no comparison if a trace is only partly readable, because its other dialogues
    /// are unknown.
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
            options: self.options,
            runner: self.streams.b.runner(),
            titles: self.streams.as_ref().map(DialogueStream::name),
            names: self.streams.as_ref().map(DialogueStream::names),
            known: Mutex::default(),
            edits: EditCache::default(),
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
                place,
                dialogue,
                played,
            } = pair.a;
            match found {
                Some(PairVerdict::Different(judged)) => {
                    let b = pair.b.played.map(|by| (by, &comparer.names.b));
                    let played = b.or(played.map(|by| (by, &comparer.names.a)));
                    let model = played.map(|(by, names)| by.named(names));
                    comparison.push(place, dialogue.header.dialogue, model, *judged);
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
                        // Locations are resolved only for pairs that have findings.
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
        let PairComparer {
            known,
            offers,
            titles,
            ..
        } = comparer;
        self.options.renames.check(&known.into_inner(), found);
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
        if comparison.counts == ComparisonCounts::default() && !found.has_errors() {
            let Sides { a, b } = titles;
            Diagnostic::error(
                Code::EmptyTrace,
                format!("`{a}` and `{b}` contain no dialogue, so nothing is compared"),
            )
            .help("check the paths, and whether the recordings succeeded")
            .add_to(found);
            is_whole = false;
        }
        outcome.comparison = is_whole.then(|| comparison.finish());
        outcome
    }
}

/// Reads the next dialogues, alternating between the sides.
fn next_steps(
    streams: &mut Sides<DialogueStream<'_>>,
    pairing: &mut Pairing,
    sources: &mut SourceMap,
) -> Next<Vec<PairStep>> {
    let mut steps = Vec::new();
    let mut size = 0;
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

/// The turns without the fields that one of the dialogues never contains.
fn common_fields(turns: &Sides<Vec<TurnReport>>) -> Sides<Vec<TurnReport>> {
    let is_filled = |value: &Value| !value.is_null() && ![json!([]), json!({})].contains(value);
    let values = turns.as_ref().map(|turns| {
        let values = turns
            .iter()
            .map(|turn| serde_json::to_value(turn).unwrap_or_default());
        values.collect::<Vec<_>>()
    });
    let sides = [&values.a, &values.b];
    let is_common = |pointer: &str| {
        let has = |turn: &Value| turn.pointer(pointer).is_some_and(is_filled);
        sides.iter().all(|turns| turns.iter().any(has))
    };
    values.as_ref().map(|turns| {
        let common = turns.iter().map(|turn| {
            let mut turn = turn.clone();
            if let Some(pairs) = turn.as_object_mut() {
                pairs.retain(|key, _| is_common(&format!("/{key}")));
                for key in ["input", "state", "phase"] {
                    if let Some(parts) = pairs.get_mut(key).and_then(Value::as_object_mut) {
                        parts.retain(|part, _| is_common(&format!("/{key}/{part}")));
                    }
                }
            }
            serde_json::from_value(turn).unwrap_or_default()
        });
        common.collect()
    })
}

impl PairComparer<'_> {
    /// Compares a dialogue that both sides have. Returns `None`, with findings, if the dialogue cannot be read.
    fn compare(
        &self,
        pair: &Sides<PlacedDialogue>,
        found: &mut Diagnostics,
        sources: &mut SourceMap,
    ) -> Option<PairVerdict> {
        let a = &pair.a.dialogue;
        let b = &pair.b.dialogue;
        let renames = self.options.renames;
        let turns_a = a.turns(&self.titles.a, found, sources);
        if renames.is_empty() && a.is_written_like(b) {
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
        renames.rename(&mut turns.a);
        if self.options.only_common {
            turns = common_fields(&turns);
        }
        let played = pair.as_ref().map(|placed| placed.played.as_ref()).both();
        let judged = match played {
            None => self.options.divergence(&turns).map(JudgedDivergence::from),
            Some(played) => self.judge(&mut turns, played),
        };
        Some(judged.map_or(PairVerdict::Same, |judged| {
            PairVerdict::Different(Box::new(judged))
        }))
    }

    /// The divergence of two dialogues that were run in this process, with its causes.
    fn judge(
        &self,
        turns: &mut Sides<Vec<TurnReport>>,
        played: Sides<&PlayedBy>,
    ) -> Option<JudgedDivergence> {
        let models = Sides::each(|side| NamedModel {
            machine: &played.of(side).machine,
            names: self.names.of(side),
        });
        models.a.name_rules(&mut turns.a);
        models.b.name_rules(&mut turns.b);
        let divergence = self.options.divergence(turns)?;
        // Records likely renames once for each pair of machines.
        let edits = self.edits.edits(models, |machines| {
            let offers = RenameOffer::of(machines, self.options.renames);
            self.offers.lock().extend(offers);
        });
        let Sides { a, b } = played;
        // If the profiles differ too, an edit is not necessarily the cause.
        let Some(runner) = self.runner.filter(|_| a.model.variant == b.model.variant) else {
            return Some(divergence.into());
        };
        let play = |machine: &Arc<Machine>| {
            let mut turns = b.replay(runner, machine)?;
            self.options.renames.rename(&mut turns);
            Some(turns)
        };
        // The scenario might be edited, too. Its run with the first model shows what the models change.
        let mut turns = turns.clone();
        if let Some(before) = play(&a.machine) {
            turns.a = before;
        }
        let only = self.options.only;
        let build = |texts: &[(String, String)]| b.rebuilt(runner, texts);
        if Divergence::find(&turns.a, &turns.b, only, 0).is_none() {
            return Some(divergence.into());
        }
        Some(EditCauses::new(&edits, only, &build, &play, turns).find(divergence))
    }

    /// Records the states of a side if states are renamed.
    fn know(&self, side: DiffSide, turns: &[TurnReport], played: Option<&PlayedBy>) {
        if self.options.renames.is_empty() {
            return;
        }
        let mut known = self.known.lock();
        let known = known.side_mut(side);
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
}
