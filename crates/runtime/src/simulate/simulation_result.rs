//! The result of a simulation.

use serde::{Deserialize, Serialize};

use super::end_cause::{EndCauseCount, Ending};
use super::summary::Summary;
use super::turn_counts::{TurnCounts, quotient};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Id, IntentId, PhaseId, StateId};

/// The result of a simulation. Refers to states, phases and counters by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationResult {
    /// The name of the model.
    pub model: String,
    /// The path of the model.
    pub source: String,
    /// The profile, if it changes the behavior of the model.
    pub profile: Option<String>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The number of dialogues per persona. For a shard, the number in the complete simulation.
    pub dialogues: u64,
    /// The start of each dialogue in the format of a scenario's `start`. Empty for the start of the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub start: String,
    /// The provider that played the user, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
    /// The users' sentences were recognized by the examples of the model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recognized: bool,
    /// The fingerprint of the persona files.
    #[serde(default)]
    pub persona_files: String,
    /// The results per persona, in order.
    pub personas: Vec<PersonaResult>,
    /// The order in which counts are listed, needed to merge shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<ModelOrder>,
}

/// The order in which the counts of a model are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelOrder {
    pub states: Vec<String>,
    /// The number of ordered phases. They come first.
    pub phases: usize,
}

/// The dialogues of one persona.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonaResult {
    /// The name of the persona.
    pub persona: String,
    /// The description of the persona.
    pub description: String,
    /// Dialogues that reached a final state, grouped by that state.
    pub finished: Vec<EndingShare>,
    /// Dialogues that the user abandoned, grouped by the last state.
    pub abandoned: Vec<EndingShare>,
    /// Dialogues that looped in a state.
    pub looped: Vec<EndingShare>,
    /// Dialogues that reached the maximum number of turns, grouped by the last state.
    pub turn_limit: Vec<EndingShare>,
    /// Dialogues in which a model was called, but no provider answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<EndingShare>,
    /// The number of turns of the dialogues.
    pub turns: TurnCounts,
    /// The phases of the model in order, with the dialogues that reached them.
    pub phases: Vec<EndingShare>,
    /// The mean share of ordered phases that a dialogue reached. `None` if the model has no ordered phases.
    pub phase_coverage: Option<f64>,
    /// The causes for which the dialogues ended.
    #[serde(default)]
    pub causes: Vec<EndCauseCount>,
    /// Dialogues by last phase and ending. Dialogues without a phase come first. An ending in a final state has the
    /// name of that state.
    #[serde(default)]
    pub last_phases: Vec<PhaseEnds>,
    /// The number of turns for each pair of states before and after the turn.
    #[serde(default)]
    pub transitions: Vec<TransitionCount>,
    /// If the model has a contract, the turns in each contract class and the turns without a class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassShare>,
    /// The final values of counters that have a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterMean>,
    /// The intents that the recognizer misread, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misread: Vec<MisreadIntent>,
}

impl PersonaResult {
    /// Dialogues that did not reach a final state, grouped by kind of ending.
    pub fn unfinished(&self) -> [(&'static str, &[EndingShare]); 4] {
        [
            ("abandoned", &self.abandoned),
            ("looped", &self.looped),
            ("turn limit", &self.turn_limit),
            ("unanswered", &self.unanswered),
        ]
    }
}

/// The endings of the dialogues with the same last phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseEnds {
    /// The phase. Empty if none was reached.
    pub phase: String,
    /// Dialogues by final state, or by another kind of ending.
    pub ends: Vec<EndingShare>,
}

/// The number of turns from one state to another, or within one state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransitionCount {
    /// The state before the turn.
    pub from: String,
    /// The state after the turn.
    pub to: String,
    /// The number of turns.
    pub turns: u64,
}

/// The final values of a counter, summed over the dialogues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterMean {
    pub name: String,
    /// The default limit.
    pub limit: i64,
    /// The total over all dialogues.
    #[serde(default)]
    pub total: i64,
    /// The mean per dialogue, rounded to two decimals.
    pub mean: f64,
}

/// An intent that the recognizer read as another intent, or without all values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MisreadIntent {
    /// The intent of the user.
    pub intent: String,
    /// The recognized intent. The same intent if only values are missing, `None` if no intent was recognized.
    pub predicted: Option<String>,
    /// The number of turns.
    pub turns: u64,
    /// The spoiled dialogues in which this was the first misread turn. They would have reached a final state, and did
    /// not end in it.
    pub dialogues: u64,
    /// The number of the first of them, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u64>,
}

impl MisreadIntent {
    /// Adds the counts of other dialogues.
    pub(super) fn add(mine: &mut Vec<Self>, theirs: Vec<Self>) {
        fn key(one: &MisreadIntent) -> (&str, Option<&str>) {
            (&one.intent, one.predicted.as_deref())
        }
        for other in theirs {
            match mine.iter_mut().find(|known| key(known) == key(&other)) {
                Some(known) => {
                    known.turns = known.turns.saturating_add(other.turns);
                    known.dialogues = known.dialogues.saturating_add(other.dialogues);
                    known.first = known.first.into_iter().chain(other.first).min();
                }
                None => mine.push(other),
            }
        }
        mine.sort_by(|one, other| key(one).cmp(&key(other)));
    }
}

/// The number and share of turns in one contract class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassShare {
    pub name: String,
    /// The number of turns.
    pub turns: u64,
    /// From 0 to 1, rounded to four decimals.
    pub share: f64,
}

/// The number and share of dialogues with one ending or phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndingShare {
    /// The state or phase.
    pub name: String,
    /// The number of dialogues.
    pub dialogues: u64,
    /// From 0 to 1, rounded to four decimals.
    pub share: f64,
}

impl SimulationResult {
    /// Creates an empty result for a simulation with this seed and number of dialogues per persona.
    pub fn new(machine: &Machine, seed: u64, dialogues: u64) -> Self {
        let states = machine
            .states
            .ids()
            .map(|state| machine.names.states.name(state).to_owned());
        Self {
            model: machine.header.name.clone(),
            source: machine.header.source.clone(),
            profile: machine.shown_profile().map(str::to_owned),
            seed,
            dialogues,
            start: String::new(),
            llm: None,
            recognized: false,
            persona_files: String::new(),
            personas: Vec::new(),
            order: Some(ModelOrder {
                states: states.collect(),
                phases: machine.ordered_phases,
            }),
        }
    }

    /// Adds the counts of the dialogues that a persona had with `machine`.
    pub fn push(&mut self, name: &str, description: &str, summary: &Summary, machine: &Machine) {
        let part = |name: &str, dialogues: u64| EndingShare {
            name: name.to_owned(),
            dialogues,
            share: 0.0,
        };
        let ends = |how: Ending| -> Vec<EndingShare> {
            summary
                .ends(how)
                .map(|(state, count)| part(machine.names.states.name(state), count))
                .collect()
        };
        let ordered = machine.ordered_phases;
        let mut result = PersonaResult {
            persona: name.to_owned(),
            description: description.to_owned(),
            finished: ends(Ending::Finished),
            abandoned: ends(Ending::Abandoned),
            looped: ends(Ending::Looped),
            turn_limit: ends(Ending::TurnLimit),
            unanswered: ends(Ending::Unanswered),
            turns: TurnCounts::new(summary.lengths().collect()),
            phases: summary
                .phases()
                .filter(|(phase, _)| phase.index() < ordered || some_state_is_in(*phase, machine))
                .map(|(phase, count)| part(machine.names.phases.name(phase), count))
                .collect(),
            phase_coverage: None,
            causes: causes(summary, machine),
            last_phases: last_phases(summary, machine),
            transitions: transitions(summary, machine),
            classes: classes(summary, machine),
            counters: counters(summary, machine),
            misread: Vec::new(),
        };
        MisreadIntent::add(&mut result.misread, misread(summary, machine));
        result.settle(ordered);
        self.personas.push(result);
    }

    /// Whether a provider failed to answer in at least one dialogue.
    pub fn has_unanswered(&self) -> bool {
        self.personas
            .iter()
            .any(|result| !result.unanswered.is_empty())
    }
}

/// The end causes by name.
fn causes(summary: &Summary, machine: &Machine) -> Vec<EndCauseCount> {
    let mut causes: Vec<EndCauseCount> = summary
        .causes()
        .map(|(cause, counts)| EndCauseCount::new(cause, counts, machine))
        .collect();
    EndCauseCount::sort(&mut causes);
    causes
}

/// The transition counts by name.
fn transitions(summary: &Summary, machine: &Machine) -> Vec<TransitionCount> {
    let name = |state: StateId| machine.names.states.name(state).to_owned();
    summary
        .transitions()
        .map(|(from, to, turns)| TransitionCount {
            from: name(from),
            to: name(to),
            turns,
        })
        .collect()
}

/// The misread intents by name.
fn misread(summary: &Summary, machine: &Machine) -> Vec<MisreadIntent> {
    let name = |intent: IntentId| machine.names.intents.name(intent).to_owned();
    let misread = summary.misread.iter();
    let misread = misread.map(
        |((intent, read), (turns, dialogues, first))| MisreadIntent {
            intent: name(*intent),
            predicted: read.map(name),
            turns: *turns,
            dialogues: *dialogues,
            first: (*dialogues > 0).then_some(*first),
        },
    );
    misread.collect()
}

/// The endings of the dialogues by last phase, if the model has phases.
fn last_phases(summary: &Summary, machine: &Machine) -> Vec<PhaseEnds> {
    let of_model = |phase: &PhaseId| {
        phase.index() < machine.ordered_phases || some_state_is_in(*phase, machine)
    };
    let phases = summary.phases().map(|(phase, _)| phase).filter(of_model);
    let all = std::iter::once(None).chain(phases.map(Some));
    let ends = |phase: Option<PhaseId>| {
        let part = |(how, state, dialogues): (Ending, Option<StateId>, u64)| {
            let name = state.map_or_else(
                || how.to_string(),
                |state| machine.names.states.name(state).to_owned(),
            );
            EndingShare {
                name,
                dialogues,
                share: 0.0,
            }
        };
        let mut ends: Vec<EndingShare> = summary.ends_in(phase).map(part).collect();
        ends.sort_by(|one, other| one.name.cmp(&other.name));
        let phase = phase
            .map(|phase| machine.names.phases.name(phase).to_owned())
            .unwrap_or_default();
        PhaseEnds { phase, ends }
    };
    all.map(ends).collect()
}

/// The turns of each contract class, in registry order.
fn classes(summary: &Summary, machine: &Machine) -> Vec<ClassShare> {
    if !machine.policies.inputs().classes {
        return Vec::new();
    }
    machine
        .policies
        .registered_classes()
        .into_iter()
        .map(|name| ClassShare {
            name: name.to_owned(),
            turns: summary.class(name),
            share: 0.0,
        })
        .collect()
}

/// The final values of counters that have a limit, in machine order.
fn counters(summary: &Summary, machine: &Machine) -> Vec<CounterMean> {
    let limited = machine
        .counters
        .pairs()
        .filter_map(|(id, counter)| Some((id, counter.limit?.1)));
    let counter = |(id, limit)| {
        let name = machine.names.counters.name(id).to_owned();
        CounterMean {
            name,
            limit,
            total: summary.counter(id),
            mean: 0.0,
        }
    };
    limited.map(counter).collect()
}

/// Whether a state of the model is in the phase. Constants may name phases of other models.
fn some_state_is_in(phase: PhaseId, machine: &Machine) -> bool {
    machine
        .declared_states()
        .any(|(_, state)| state.phase == Some(phase))
}

/// The share of `part` in `whole`, rounded to four decimals. 0 if `whole` is 0.
pub fn share(part: u64, whole: u64) -> f64 {
    (quotient(part, whole) * 10_000.0).round() / 10_000.0
}
