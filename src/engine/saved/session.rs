//! The whole session as it is saved.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::branches::SavedBranches;
use super::memory::{SavedGuard, SavedWindow};
use super::tracker::SavedTracker;
use crate::engine::consent::Consent;
use crate::engine::name::{Symbol, Unknown};
use crate::engine::session::{Clarification, NEVER, OpenQuestion, Position, Session};
use crate::machine::{Id, IntentId, Machine, Names, Settings, StateId, Value};

/// The version of what stands under `beyond`.
const VERSION: u32 = 1;

/// A session as it is saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedSession {
    /// The state.
    pub state: String,
    /// The phase.
    #[serde(default)]
    pub current_phase: Option<String>,
    /// The collected data.
    #[serde(default)]
    pub collected_data: IndexMap<String, Value>,
    /// Whether the last turn asked back.
    #[serde(default)]
    pub in_disambiguation: bool,
    /// What it asked.
    #[serde(default)]
    disambiguation_context: Option<SavedQuestion>,
    /// The state in which it asked.
    #[serde(default)]
    pre_disambiguation_state: Option<String>,
    /// Turns since then.
    #[serde(default = "never")]
    pub turns_since_last_disambiguation: u32,
    /// What was said.
    #[serde(default)]
    intent_tracker: SavedTracker,
    /// The steps back.
    #[serde(default)]
    circular_flow: SavedGoBacks,
    /// What the bot of the profile `reference` does not save.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beyond: Option<Beyond>,
}

/// What was asked back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct SavedQuestion {
    options: Value,
    original_state: Option<String>,
    extracted_data: Value,
    attempt: i64,
}

fn never() -> u32 {
    NEVER
}

/// The steps back, each from a state to a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SavedGoBacks {
    #[serde(default)]
    goback_count: usize,
    #[serde(default, alias = "history")]
    goback_history: Vec<(String, String)>,
}

/// What the bot of the profile `reference` does not save, or saves apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Beyond {
    version: u32,
    #[serde(default)]
    last_action: Option<String>,
    #[serde(default)]
    return_state: Option<String>,
    /// The last intents, the latest last.
    #[serde(default)]
    history: Vec<String>,
    #[serde(default)]
    phase_entered: bool,
    /// How often replies met each limit since the state was entered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    met: Vec<u32>,
    /// What the user said about reading and writing data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    consent: Option<(Option<bool>, Option<bool>)>,
    #[serde(default)]
    window: SavedWindow,
    #[serde(default)]
    guard: SavedGuard,
    #[serde(default)]
    branches: SavedBranches,
    #[serde(default)]
    foreign: SavedForeign,
}

/// Names that the machine does not know, in the order in which the session met them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SavedForeign {
    states: Vec<String>,
    phases: Vec<String>,
    intents: Vec<String>,
    actions: Vec<String>,
}

impl SavedSession {
    /// Saves a session. Where saving loses things (switch `snapshot`), they are left out.
    #[must_use]
    pub fn of(session: &Session, machine: &Machine, settings: &Settings) -> Self {
        let whole = settings.switches.snapshot;
        let state = |id: StateId| session.state_name(id, machine).to_owned();
        let history: Vec<String> =
            session.tracker.recent().map(|intent| session.intent_name(intent, machine).to_owned()).collect();
        let beyond = Beyond {
            version: VERSION,
            last_action: session
                .position
                .action
                .filter(|_| whole)
                .map(|action| session.action_name(action, machine).to_owned()),
            return_state: session.return_state.filter(|_| whole).map(state),
            history: if whole { history.into_iter().rev().collect() } else { Vec::new() },
            phase_entered: session.phase_entered,
            met: session.met.to_vec(),
            consent: session.consent.is_said().then_some((session.consent.read, session.consent.write)),
            window: SavedWindow::of(session, machine),
            guard: SavedGuard::of(session, machine),
            branches: if whole { SavedBranches::of(session, machine) } else { SavedBranches::default() },
            foreign: SavedForeign::of(session),
        };
        Self {
            state: state(session.position.state),
            current_phase: session.position.phase.map(|phase| session.phase_name(phase, machine).to_owned()),
            collected_data: session
                .slots
                .iter(machine)
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
            in_disambiguation: session.clarification.open,
            disambiguation_context: session.clarification.asked.as_deref().map(|asked| SavedQuestion {
                options: Value::List(Arc::clone(&asked.options)),
                original_state: asked.state.map(state),
                extracted_data: asked.data.clone(),
                attempt: asked.attempt,
            }),
            pre_disambiguation_state: session.clarification.state.map(state),
            turns_since_last_disambiguation: session.clarification.turns_since,
            intent_tracker: SavedTracker::of(session, machine),
            circular_flow: SavedGoBacks {
                goback_count: session.go_backs.len(),
                goback_history: session
                    .go_backs
                    .iter()
                    .map(|(from, to)| (state(*from), state(*to)))
                    .collect(),
            },
            beyond: Some(beyond),
        }
    }

    /// The saved session as JSON.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a saved session, also one of the bot of the profile `reference`.
    ///
    /// # Errors
    /// Where the text is no JSON, or not that of a session; the error tells the line and column.
    pub fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The session again. Names that the machine lacks by now are the session's own.
    #[must_use]
    pub fn restore(&self, machine: &Machine) -> Session {
        let mut session = Session::new(machine);
        let beyond = self.beyond.clone().unwrap_or_default();
        beyond.foreign.restore(&mut session, machine);
        for (name, value) in &self.collected_data {
            session.slots.set_name(&Symbol::of(name, &machine.names.slots), value.clone());
        }
        session.position = Position {
            state: session.state_named(&self.state, machine),
            phase: self.current_phase.as_deref().map(|name| session.phase_named(name, machine)),
            action: beyond.last_action.as_deref().map(|name| session.action_named(name, machine)),
        };
        session.return_state = beyond.return_state.as_deref().map(|name| session.state_named(name, machine));
        session.clarification = Clarification {
            open: self.in_disambiguation,
            turns_since: self.turns_since_last_disambiguation,
            state: self.pre_disambiguation_state.as_deref().map(|name| session.state_named(name, machine)),
            asked: self
                .disambiguation_context
                .as_ref()
                .map(|question| question.restore(&mut session, machine)),
        };
        self.intent_tracker.restore(&mut session, machine);
        let history: Vec<IntentId> =
            beyond.history.iter().map(|name| session.intent_named(name, machine)).collect();
        session.tracker.set_recent(&history);
        self.circular_flow.restore(&mut session, machine);
        let (read, write) = beyond.consent.unwrap_or_default();
        session.consent = Consent { read, write };
        session.met = beyond.met.into();
        session.phase_entered = beyond.phase_entered || session.position.phase.is_some();
        beyond.window.restore(&mut session, machine);
        beyond.guard.restore(&mut session, machine);
        beyond.branches.restore(&mut session, machine);
        session
    }
}

impl SavedQuestion {
    fn restore(&self, session: &mut Session, machine: &Machine) -> Arc<OpenQuestion> {
        let options = match &self.options {
            Value::List(options) => Arc::clone(options),
            _ => Arc::from([]),
        };
        let state = self.original_state.as_deref().map(|name| session.state_named(name, machine));
        Arc::new(OpenQuestion { options, state, data: self.extracted_data.clone(), attempt: self.attempt })
    }
}

impl SavedGoBacks {
    fn restore(&self, session: &mut Session, machine: &Machine) {
        for (from, to) in &self.goback_history {
            let step = (session.state_named(from, machine), session.state_named(to, machine));
            session.go_backs.push(step);
        }
        // A count without its history still counts.
        let here = session.position.state;
        while session.go_backs.len() < self.goback_count {
            session.go_backs.push((here, here));
        }
    }
}

impl SavedForeign {
    fn of(session: &Session) -> Self {
        let foreign = &session.foreign;
        let list = |names: &Unknown| names.iter().map(str::to_owned).collect();
        Self {
            states: list(&foreign.states),
            phases: list(&foreign.phases),
            intents: list(&foreign.intents),
            actions: list(&foreign.actions),
        }
    }

    fn restore(&self, session: &mut Session, machine: &Machine) {
        for name in &self.states {
            session.state_named(name, machine);
        }
        for name in &self.phases {
            session.phase_named(name, machine);
        }
        for name in &self.intents {
            session.intent_named(name, machine);
        }
        for name in &self.actions {
            session.action_named(name, machine);
        }
    }
}

/// The id of a name: the machine's, or the session's own.
pub(super) fn id_of<I: Id>(foreign: &mut Unknown, names: &Names<I>, text: &str) -> I {
    foreign.id(&Symbol::of(text, names), names.len())
}

impl Session {
    /// The id of a state's name.
    pub(super) fn state_named(&mut self, name: &str, machine: &Machine) -> StateId {
        id_of(&mut self.foreign.states, &machine.names.states, name)
    }

    /// The id of an intent's name.
    pub(super) fn intent_named(&mut self, name: &str, machine: &Machine) -> IntentId {
        id_of(&mut self.foreign.intents, &machine.names.intents, name)
    }

    fn phase_named(&mut self, name: &str, machine: &Machine) -> crate::machine::PhaseId {
        id_of(&mut self.foreign.phases, &machine.names.phases, name)
    }

    fn action_named(&mut self, name: &str, machine: &Machine) -> crate::machine::ActionId {
        id_of(&mut self.foreign.actions, &machine.names.actions, name)
    }
}
