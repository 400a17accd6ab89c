//! The instructions for an assistant in the states of a machine, independent of the policy.

use crate::engine::{Machine, Session};
use crate::machine::{IdVec, RuleId, SchemaId, SlotId, StateId};
use fsmsim_syntax::diagnostic::Span;

/// The instructions for an assistant: the base layer, and the instructions for each state.
#[derive(Clone, Debug, Default)]
pub struct Guidance {
    /// The text of the base layer.
    pub base: Box<str>,
    /// The state that asks for consent, if the machine has one.
    pub consent: Option<StateId>,
    /// The state in which a dialogue continues without data, if the machine has one.
    pub no_data_state: Option<StateId>,
    /// The locations of state names in the texts of a state set. Running a dialogue does not need them.
    pub mentions: Box<[StateMention]>,
    /// The names with a built-in meaning, such as `init`, each with the key that gives the same meaning to any state.
    pub habits: Box<[(&'static str, &'static str)]>,
    /// The instructions for each state; a state without instructions may have no entry.
    pub states: IdVec<StateId, Option<Guide>>,
}

/// The instructions for one state.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// The instruction: the complete text of the state.
    pub instruction: Box<str>,
    /// The conditions for entering the state, as text.
    pub triggers: Box<[Box<str>]>,
    /// The target states, in the order of the text, without duplicates.
    pub moves: Box<[Move]>,
    /// The behavior without data, as text, if specified.
    pub degradation: Option<Box<str>>,
    /// The data of the digital twin that is read on entering the state, in order.
    pub reads: Box<[SlotId]>,
    /// The schema of the data that is written to the digital twin on entering the state.
    pub writes: Option<SchemaId>,
    /// The structure of the text, if it is written in sections.
    pub outline: Option<Box<StateOutline>>,
}

/// A transition to a target state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub target: StateId,
    /// The condition of the transition, as text.
    pub condition: Box<str>,
    /// The utterances that trigger the transition, normalized with [`spoken`]; empty if the assistant decides.
    pub events: Box<[Box<str>]>,
    /// The location of the transition.
    pub rule: RuleId,
}

/// Normalizes an utterance for comparison with events: ignores case, `ё`, whitespace, and punctuation at the ends.
pub fn spoken(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase().replace('ё', "е");
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    // If there are no letters and digits, all characters count.
    if bare.is_empty() {
        text
    } else {
        bare.to_owned()
    }
}

impl Guidance {
    /// The instructions for a state.
    pub fn of(&self, state: StateId) -> Option<&Guide> {
        self.states.lookup(state)?.as_ref()
    }

    /// The instructions for all states that have instructions.
    pub fn all(&self) -> impl Iterator<Item = (StateId, &Guide)> {
        self.states
            .pairs()
            .filter_map(|(id, state)| Some((id, state.as_ref()?)))
    }

    /// Whether any transition is triggered by an utterance.
    pub fn knows_events(&self) -> bool {
        self.all().any(|(_, guide)| {
            guide
                .moves
                .iter()
                .any(|declared| !declared.events.is_empty())
        })
    }

    /// Whether a state is an interruption, which returns to the interrupted state.
    pub fn is_aside(&self, state: StateId) -> bool {
        self.consent == Some(state) || self.no_data_state == Some(state)
    }
}

impl Machine {
    /// The instructions for a state.
    pub fn guide(&self, state: StateId) -> Option<&Guide> {
        self.policies.guidance()?.of(state)
    }

    /// The transitions that a state declares, in the order of the text.
    pub fn moves(&self, state: StateId) -> &[Move] {
        self.guide(state).map_or(&[], |guide| &guide.moves)
    }
}

impl Guide {
    pub fn move_to(&self, target: StateId) -> Option<&Move> {
        self.moves.iter().find(|declared| declared.target == target)
    }

    /// The events of the transitions, in their first spelling.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        self.moves
            .iter()
            .filter_map(|declared| declared.events.first())
            .map(|event| &**event)
    }

    /// The transition that an utterance triggers. `None` if no event matches, or if events of several transitions
    /// match: choosing between them requires a judgment.
    pub fn move_by(&self, said: &str) -> Option<&Move> {
        let said = spoken(said);
        let mut moves = self
            .moves
            .iter()
            .filter(|declared| declared.events.iter().any(|event| **event == *said));
        moves.next().filter(|_| moves.next().is_none())
    }
}

/// The structure of a state's text, if it is written in sections.
#[derive(Clone, Debug, Default)]
pub struct StateOutline {
    /// The locations of the goals. A state should have one (docs/src/explanation/state-sets.md).
    pub goals: Box<[Span]>,
    /// The states that the steps name as targets, without duplicates, each with its first location.
    pub leads: Box<[(StateId, Span)]>,
    /// The states whose data is loaded according to the steps.
    pub loaders: Box<[StateId]>,
    /// The data that the state requests explicitly.
    pub asks: Box<[DataRequest]>,
}

/// A data request of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataRequest {
    pub slot: SlotId,
    /// The location of the request.
    pub span: Span,
    /// Whether the text of the state also names the data.
    pub named: bool,
}

/// A location of a state name in the text of a state set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateMention {
    pub state: StateId,
    /// The location of the name, without surrounding text.
    pub span: Span,
    /// Whether this location defines the name.
    pub is_name: bool,
}

impl Session {
    /// The instruction of the current state: the base layer, the text of the state, and the known data of the user.
    /// `None` if the machine has no instructions.
    pub fn instruction(&self, machine: &Machine) -> Option<String> {
        let base = machine.policies.guidance()?.base.trim();
        let here = self.instruction_here(machine)?;
        Some(joined(&[base, &here]))
    }

    /// The instruction without the base layer, for an assistant that already has the base layer.
    pub fn instruction_here(&self, machine: &Machine) -> Option<String> {
        let here = machine.guide(self.position.state)?;
        let known: Vec<String> = self
            .slots
            .iter(machine)
            .map(|(name, value)| format!("- {name}: {value}"))
            .collect();
        let known = if known.is_empty() {
            String::new()
        } else {
            format!("## Known\n\n{}", known.join("\n"))
        };
        Some(joined(&[here.instruction.trim(), &known]))
    }
}

/// Joins the nonempty layers.
fn joined(layers: &[&str]) -> String {
    let layers: Vec<&str> = layers
        .iter()
        .copied()
        .filter(|layer| !layer.is_empty())
        .collect();
    layers.join("\n\n")
}
