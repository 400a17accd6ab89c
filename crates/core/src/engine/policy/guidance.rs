//! What guides an assistant in the states of a machine, whichever policy has it.

use crate::engine::{Machine, Session};
use crate::machine::{IdVec, RuleId, SchemaId, SlotId, StateId};
use fsmsim_syntax::diagnostic::Span;

/// What guides the assistant in every state: the layer below the instructions of the states.
#[derive(Clone, Debug, Default)]
pub struct Guidance {
    /// The text of the base layer.
    pub base: Box<str>,
    /// Where consent is asked for, where the machine has such a state.
    pub consent: Option<StateId>,
    /// Where a dialogue goes on without data, where the machine has such a state.
    pub without_data: Option<StateId>,
    /// Where the texts name the states, where these are a set of files. Playing needs none of it.
    pub mentions: Box<[StateMention]>,
    /// The names that mean something by themselves, as `init` does, each with the key that would say it of any state.
    pub habits: Box<[(&'static str, &'static str)]>,
    /// What guides the assistant in each state; a state of which nothing is written may have no entry.
    pub states: IdVec<StateId, Option<Guide>>,
}

/// What guides the assistant in one state.
#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// The instruction: the text of the state, whole.
    pub instruction: Box<str>,
    /// When the state is entered, in words.
    pub triggers: Box<[Box<str>]>,
    /// The states that may be gone to, in the order of the text; each once.
    pub moves: Box<[Move]>,
    /// What is done without data, in words; nothing where the state does not say.
    pub degradation: Option<Box<str>>,
    /// The data of the user's twin that is read on entering, in order.
    pub reads: Box<[SlotId]>,
    /// The schema of what is written to the twin on entering.
    pub writes: Option<SchemaId>,
    /// How the text is laid out, where it is written in sections.
    pub outline: Option<Box<StateOutline>>,
}

/// A state that may be gone to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub target: StateId,
    /// When it is gone to, in words.
    pub condition: Box<str>,
    /// What takes it when a user says it, each as [`spoken`] has it; none where whoever plays the assistant judges.
    pub events: Box<[Box<str>]>,
    /// Where it is written.
    pub rule: RuleId,
}

/// What was said as it is held against events: case, `ё`, white space and marks at its ends make no difference.
pub fn spoken(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase().replace('ё', "е");
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    // Of what has no letters all is meant.
    if bare.is_empty() {
        text
    } else {
        bare.to_owned()
    }
}

impl Guidance {
    /// What guides the assistant in a state.
    pub fn of(&self, state: StateId) -> Option<&Guide> {
        self.states.lookup(state)?.as_ref()
    }

    /// What guides the assistant in all states of which something is written.
    pub fn all(&self) -> impl Iterator<Item = (StateId, &Guide)> {
        self.states
            .pairs()
            .filter_map(|(id, state)| Some((id, state.as_ref()?)))
    }

    /// Whether there are moves that are taken by what a user says.
    pub fn knows_events(&self) -> bool {
        self.all().any(|(_, guide)| {
            guide
                .moves
                .iter()
                .any(|declared| !declared.events.is_empty())
        })
    }

    /// Whether a state stands beside the dialogue: it is entered to come back from.
    pub fn is_aside(&self, state: StateId) -> bool {
        self.consent == Some(state) || self.without_data == Some(state)
    }
}

impl Machine {
    /// What guides the assistant in a state.
    pub fn guide(&self, state: StateId) -> Option<&Guide> {
        self.policies.guidance()?.of(state)
    }

    /// The moves that a state declares, in the order of the text.
    pub fn moves(&self, state: StateId) -> &[Move] {
        self.guide(state).map_or(&[], |guide| &guide.moves)
    }
}

impl Guide {
    pub fn move_to(&self, target: StateId) -> Option<&Move> {
        self.moves.iter().find(|declared| declared.target == target)
    }

    /// The events of the moves, the first spelling of each.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        self.moves
            .iter()
            .filter_map(|declared| declared.events.first())
            .map(|event| &**event)
    }

    /// The move that is taken when this is said. Nothing, where no event is called so, or those of several moves are: which of
    /// them is meant is a judgement.
    pub fn move_by(&self, said: &str) -> Option<&Move> {
        let said = spoken(said);
        let mut moves = self
            .moves
            .iter()
            .filter(|declared| declared.events.iter().any(|event| **event == *said));
        moves.next().filter(|_| moves.next().is_none())
    }
}

/// How the text of a state is laid out, where it is written in sections.
#[derive(Clone, Debug, Default)]
pub struct StateOutline {
    /// The goals, each where it stands. One is enough (docs/markdown.md, "Rules of good states").
    pub goals: Box<[Span]>,
    /// The states that the steps name as somewhere to go; each once, where it first stands.
    pub leads: Box<[(StateId, Span)]>,
    /// The states of which the steps say that they load data.
    pub loaders: Box<[StateId]>,
    /// The data that the state asks for by its own word.
    pub asks: Box<[DataRequest]>,
}

/// A piece of data that a state asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataRequest {
    pub slot: SlotId,
    /// Where it is asked for.
    pub span: Span,
    /// Whether the text of the state names it too.
    pub named: bool,
}

/// A place in the text of a set where the name of a state stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateMention {
    pub state: StateId,
    /// The name, without what stands around it.
    pub span: Span,
    /// Whether this is what gives the state its name.
    pub is_name: bool,
}

impl Session {
    /// The instruction of the state in which the dialogue is: the base layer, the text of the state, and what is known of
    /// the user. Nothing, where nothing guides the assistant.
    pub fn instruction(&self, machine: &Machine) -> Option<String> {
        let base = machine.policies.guidance()?.base.trim();
        let here = self.instruction_here(machine)?;
        Some(joined(&[base, &here]))
    }

    /// The same without the base layer, for whoever has heard it.
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

/// The layers that say something.
fn joined(layers: &[&str]) -> String {
    let layers: Vec<&str> = layers
        .iter()
        .copied()
        .filter(|layer| !layer.is_empty())
        .collect();
    layers.join("\n\n")
}
