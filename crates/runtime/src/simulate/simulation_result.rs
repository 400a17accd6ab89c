//! What a simulation came to.

use serde::{Deserialize, Serialize};

use super::end_cause::{EndCauseCount, Ending};
use super::summary::Summary;
use super::turn_counts::{TurnCounts, quotient};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Id, PhaseId, StateId};

/// What a simulation came to, by names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulationResult {
    /// The name of the model.
    pub model: String,
    /// Its path.
    pub source: String,
    /// The profile.
    pub profile: String,
    /// The seed of all chance.
    pub seed: u64,
    /// Dialogues of each persona; of a share of them, those of the whole.
    pub dialogues: u64,
    /// How each began, as under `start` of a scenario; empty where it began as the model says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub start: String,
    /// Who played the user, where that was a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm: Option<String>,
    /// What tells the files of the personas from all others.
    #[serde(default)]
    pub persona_files: String,
    /// The personas in their order.
    pub personas: Vec<PersonaResult>,
    /// The order of what is counted, which shares need to be put together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<ModelOrder>,
}

/// The order of what is counted of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelOrder {
    /// The states.
    pub states: Vec<String>,
    /// How many phases are ordered: they are the first.
    pub phases: usize,
}

/// The dialogues of one persona.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonaResult {
    /// Its name.
    pub persona: String,
    /// What it is like.
    pub description: String,
    /// Dialogues that came to their end, by final state.
    pub finished: Vec<EndingShare>,
    /// Dialogues that the user left, by the state.
    pub left: Vec<EndingShare>,
    /// Dialogues that went round in a state.
    pub looped: Vec<EndingShare>,
    /// Dialogues that did not end, by the state in which they were given up.
    pub endless: Vec<EndingShare>,
    /// Dialogues in which a model was asked and nobody answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<EndingShare>,
    /// The turns of its dialogues.
    pub turns: TurnCounts,
    /// The phases of the model in their order, with the dialogues that were in them.
    pub phases: Vec<EndingShare>,
    /// The mean share of the ordered phases that a dialogue was in; nothing where there are none.
    pub phase_coverage: Option<f64>,
    /// Why dialogues ended, and what their last turns were.
    #[serde(default)]
    pub causes: Vec<EndCauseCount>,
    /// How dialogues ended that were in each phase last; those in none first. A final state is told by its name.
    #[serde(default)]
    pub last_phases: Vec<PhaseEnds>,
    /// How many turns led from which state to which, or stayed.
    #[serde(default)]
    pub ways: Vec<WayCount>,
    /// The turns of each class of the contract, where the model has one, and those without a class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassShare>,
    /// What the counters that have a limit came to in the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<CounterMean>,
}

impl PersonaResult {
    /// The dialogues that did not come to their end, by how they ended instead.
    pub fn unfinished(&self) -> [(&'static str, &[EndingShare]); 4] {
        [
            ("left", &self.left),
            ("loop", &self.looped),
            ("never ends", &self.endless),
            ("unanswered", &self.unanswered),
        ]
    }
}

/// How the dialogues ended that were in a phase last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseEnds {
    /// The phase; empty for none.
    pub phase: String,
    /// By final state, or by how else they ended.
    pub ends: Vec<EndingShare>,
}

/// Turns that led from one state to another, or stayed where the two are one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayCount {
    /// The state before.
    pub from: String,
    /// The state behind.
    pub to: String,
    /// How many there are.
    pub turns: u64,
}

/// What a counter came to in the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterMean {
    /// Its name.
    pub name: String,
    /// Its limit, unless a dialogue changes it.
    pub limit: i64,
    /// Of all dialogues together.
    #[serde(default)]
    pub total: i64,
    /// On the average of all dialogues, to two places.
    pub mean: f64,
}

/// Turns of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassShare {
    /// The class.
    pub name: String,
    /// How many there are.
    pub turns: u64,
    /// From 0 to 1, to four places.
    pub share: f64,
}

/// Dialogues of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndingShare {
    /// The state or phase.
    pub name: String,
    /// How many there are.
    pub dialogues: u64,
    /// From 0 to 1, to four places.
    pub share: f64,
}

impl SimulationResult {
    /// No results yet: `dialogues` of each persona under `seed`.
    pub fn new(machine: &Machine, seed: u64, dialogues: u64) -> Self {
        let states = machine
            .states
            .ids()
            .map(|state| machine.names.states.name(state).to_owned());
        Self {
            model: machine.header.name.clone(),
            source: machine.header.source.clone(),
            profile: machine.settings().profile.name().to_owned(),
            seed,
            dialogues,
            start: String::new(),
            llm: None,
            persona_files: String::new(),
            personas: Vec::new(),
            order: Some(ModelOrder {
                states: states.collect(),
                phases: machine.ordered_phases,
            }),
        }
    }

    /// Adds the dialogues of a persona, played with `machine`.
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
            left: ends(Ending::Left),
            looped: ends(Ending::Looped),
            endless: ends(Ending::Endless),
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
            ways: ways(summary, machine),
            classes: classes(summary, machine),
            counters: counters(summary, machine),
        };
        result.settle(ordered);
        self.personas.push(result);
    }

    /// Whether in some dialogue a model was asked and nobody answered.
    pub fn has_unanswered(&self) -> bool {
        self.personas
            .iter()
            .any(|result| !result.unanswered.is_empty())
    }
}

/// Why dialogues ended, by name.
fn causes(summary: &Summary, machine: &Machine) -> Vec<EndCauseCount> {
    let mut causes: Vec<EndCauseCount> = summary
        .causes()
        .map(|(cause, counts)| EndCauseCount::new(cause, counts, machine))
        .collect();
    EndCauseCount::sort(&mut causes);
    causes
}

/// From which state to which turns led, by name.
fn ways(summary: &Summary, machine: &Machine) -> Vec<WayCount> {
    let name = |state: StateId| machine.names.states.name(state).to_owned();
    summary
        .ways()
        .map(|(from, to, turns)| WayCount {
            from: name(from),
            to: name(to),
            turns,
        })
        .collect()
}

/// How the dialogues ended that were in each phase last, where the model has phases.
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

/// The turns of each class, in the order of the registry.
fn classes(summary: &Summary, machine: &Machine) -> Vec<ClassShare> {
    if !machine.policies.inputs().classes {
        return Vec::new();
    }
    let names = machine.policies.registered_classes().into_iter();
    names
        .map(|name| ClassShare {
            name: name.to_owned(),
            turns: summary.class(name),
            share: 0.0,
        })
        .collect()
}

/// What the counters that have a limit came to, in the order of the machine.
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

/// Whether a phase is one of the model: constants may name phases of other models.
fn some_state_is_in(phase: PhaseId, machine: &Machine) -> bool {
    machine
        .declared_states()
        .any(|(_, state)| state.phase == Some(phase))
}

/// A share of the whole to four places; 0 where there is no whole.
pub fn share(part: u64, whole: u64) -> f64 {
    (quotient(part, whole) * 10_000.0).round() / 10_000.0
}
