//! The saved form of a session.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::branches::SavedBranches;
use super::tracker::{SavedRecentTurns, SavedTracker};
use crate::engine::session::NEVER;
use crate::engine::{
    Clarification, Machine, OpenQuestion, Position, SavedNames, Session, Settings, Symbol,
    UnknownNames,
};
use crate::limits::MAX_SAVED_COUNT;
use crate::machine::{IntentId, StateId, Value};

/// The version of the data under `beyond` and `policies`.
const VERSION: u32 = 2;

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
    /// Whether the last turn asked for clarification.
    #[serde(default)]
    pub in_disambiguation: bool,
    /// The open question.
    #[serde(default)]
    disambiguation_context: Option<SavedQuestion>,
    /// The state in which the question was asked.
    #[serde(default)]
    pre_disambiguation_state: Option<String>,
    /// The number of turns since the last clarification.
    #[serde(default = "never")]
    pub turns_since_last_disambiguation: u32,
    /// The counts of intents.
    #[serde(default)]
    intent_tracker: SavedTracker,
    /// The go-backs, which a policy counts.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    circular_flow: Json,
    /// Other memories of policies, by their names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    policies: Map<String, Json>,
    /// Data that the reference bot does not save.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beyond: Option<Beyond>,
}

/// The keys of a saved session, by the key of their map. The reference bot also saves keys that are not restored.
const KEYS: [(&str, &[&str]); 5] = [
    (
        "",
        &[
            "state",
            "current_phase",
            "collected_data",
            "in_disambiguation",
            "disambiguation_context",
            "pre_disambiguation_state",
            "turns_since_last_disambiguation",
            "intent_tracker",
            STEPS_BACK,
            "policies",
            "beyond",
        ],
    ),
    (
        "disambiguation_context",
        &["options", "original_state", "extracted_data", "attempt"],
    ),
    (
        "intent_tracker",
        &[
            "turn_number",
            "current_streak",
            "intent_totals",
            "category_totals",
            "category_streaks",
            "last_intent",
            "prev_intent",
            "last_state",
            "history_length",
            "recent_intents",
        ],
    ),
    ("current_streak", &["intent", "count"]),
    (
        STEPS_BACK,
        &[
            "goback_count",
            "goback_history",
            "history",
            "max_gobacks",
            "allowed_gobacks",
            "remaining",
        ],
    ),
];

/// The open question.
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

/// Data that the reference bot does not save, or saves separately.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Beyond {
    version: u32,
    #[serde(default)]
    last_action: Option<String>,
    #[serde(default)]
    return_state: Option<String>,
    /// The return states of the enclosing asides, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    outer_return_states: Vec<String>,
    /// The recent intents, oldest first.
    #[serde(default)]
    history: Vec<String>,
    #[serde(default)]
    phase_entered: bool,
    /// The counters that the machine declares.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    counters: IndexMap<String, i64>,
    #[serde(default)]
    recent_turns: SavedRecentTurns,
    #[serde(default)]
    branches: SavedBranches,
    #[serde(default)]
    unknown: SavedUnknown,
}

/// Names that the machine does not define, in the order of their first occurrence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct SavedUnknown {
    states: Vec<String>,
    phases: Vec<String>,
    intents: Vec<String>,
    actions: Vec<String>,
}

impl SavedSession {
    /// Saves a session. If the switch `snapshot` is off, data that the reference bot does not save is omitted.
    pub fn of(session: &Session, machine: &Machine, settings: &Settings) -> Self {
        let is_complete = settings.switches.snapshot;
        let names = SavedNames {
            session,
            machine,
            settings,
        };
        let state = |id: StateId| names.state(id);
        let mut history: Vec<String> = Vec::new();
        if is_complete {
            history.extend(session.tracker.recent().map(|intent| names.intent(intent)));
            history.reverse();
        }
        let action = session.position.action.filter(|_| is_complete);
        let (return_state, outer_return_states) = if is_complete {
            names.returns(&session.returns)
        } else {
            (None, Vec::new())
        };
        let beyond = Beyond {
            version: VERSION,
            last_action: action.map(|action| session.action_name(action, machine).to_owned()),
            return_state,
            outer_return_states,
            history,
            phase_entered: session.phase_entered,
            counters: session
                .counters
                .declared(machine)
                .map(|(name, count)| (name.to_owned(), count))
                .collect(),
            recent_turns: SavedRecentTurns::of(session, &names),
            branches: if is_complete {
                SavedBranches::of(session, &names)
            } else {
                SavedBranches::default()
            },
            unknown: SavedUnknown::of(session),
        };
        let mut policies = machine.policies.save(session, &names);
        let asked = session.clarification.asked.as_deref();
        Self {
            state: state(session.position.state),
            current_phase: session
                .position
                .phase
                .map(|phase| session.phase_name(phase, machine).to_owned()),
            collected_data: session
                .slots
                .iter(machine)
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
            in_disambiguation: session.clarification.open,
            disambiguation_context: asked.map(|asked| SavedQuestion {
                options: Value::List(asked.options.iter().cloned().collect()),
                original_state: asked.state.map(state),
                extracted_data: asked.data.clone(),
                attempt: asked.attempt,
            }),
            pre_disambiguation_state: session.clarification.state.map(state),
            turns_since_last_disambiguation: session.clarification.turns_since,
            intent_tracker: SavedTracker::of(session, machine),
            circular_flow: policies
                .values_mut()
                .find_map(|policy| policy.as_object_mut()?.remove(STEPS_BACK))
                .unwrap_or_default(),
            policies,
            beyond: Some(beyond),
        }
    }

    /// The saved session as JSON.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a saved session, including a session of the bot of the profile `reference`.
    ///
    /// # Errors
    /// Returns an error if the text is not a session in JSON (with line and column), or if a count exceeds the maximum.
    pub fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        let saved: Json = serde_json::from_str(text)?;
        match overflowing(&saved) {
            Some(key) => Err(serde_json::Error::custom(format!(
                "a count in `{key}` is greater than {MAX_SAVED_COUNT}"
            ))),
            None => serde_json::from_str(text),
        }
    }

    /// The known keys of the map under a key of a saved session, or of the session itself for the empty key. `None` if
    /// the map can have any keys.
    pub fn keys(of: &str) -> Option<&'static [&'static str]> {
        let (_, keys) = KEYS.into_iter().find(|(key, _)| *key == of)?;
        Some(keys)
    }

    /// Restores the session. Names that the machine no longer defines become unknown names of the session.
    pub fn restore(&self, machine: &Machine) -> Result<Session, serde_json::Error> {
        let mut session = Session::new(machine);
        let beyond = self.beyond.clone().unwrap_or_default();
        beyond.unknown.restore(&mut session, machine);
        // The initial data may have been cleared before the session was saved.
        session.slots.clear();
        for (name, count) in &beyond.counters {
            if let Some(counter) = machine.names.counters.id(name) {
                session.counters.set(counter, *count);
            }
        }
        for (name, value) in &self.collected_data {
            session
                .slots
                .set_name(&Symbol::of(name, &machine.names.slots), value.clone());
        }
        session.position = Position {
            state: session.state_named(&self.state, machine),
            phase: self
                .current_phase
                .as_deref()
                .map(|name| session.phase_named(name, machine)),
            action: beyond
                .last_action
                .as_deref()
                .map(|name| session.action_named(name, machine)),
        };
        let returns = (beyond.return_state.as_deref(), &*beyond.outer_return_states);
        session.returns = session.returns_named(returns, machine);
        let asked = self.disambiguation_context.as_ref();
        session.clarification = Clarification {
            open: self.in_disambiguation,
            turns_since: self.turns_since_last_disambiguation,
            state: session.maybe_state(self.pre_disambiguation_state.as_deref(), machine),
            asked: asked.map(|question| question.restore(&mut session, machine)),
        };
        self.intent_tracker.restore(&mut session, machine);
        let history: Vec<IntentId> = beyond
            .history
            .iter()
            .map(|name| session.intent_named(name, machine))
            .collect();
        session.tracker.set_recent(&history);
        session.phase_entered = beyond.phase_entered || session.position.phase.is_some();
        beyond.recent_turns.restore(&mut session, machine);
        beyond.branches.restore(&mut session, machine);
        let bot_memory = (STEPS_BACK, &self.circular_flow);
        machine
            .policies
            .restore(&self.policies, bot_memory, &mut session, machine)?;
        Ok(session)
    }
}

/// Keys of data, whose numbers are not counts, of counters of the machine, which cannot overflow, and of numbers that
/// are not read.
const DATA: [&str; 5] = [
    "collected_data",
    "disambiguation_context",
    "data",
    "counters",
    "remaining",
];

/// The key of a number in a saved session that exceeds the maximum count.
fn overflowing(saved: &Json) -> Option<&str> {
    let is_large = |number: &serde_json::Number| {
        number
            .as_i64()
            .is_none_or(|count| count.unsigned_abs() > MAX_SAVED_COUNT)
    };
    saved
        .as_object()?
        .iter()
        .filter(|(key, _)| !DATA.contains(&key.as_str()))
        .find_map(|(key, value)| match value {
            Json::Number(number) if !number.is_f64() && is_large(number) => Some(key.as_str()),
            Json::Array(items) => items.iter().find_map(overflowing),
            value => overflowing(value),
        })
}

/// The key under which the reference bot saves the memory of a policy.
const STEPS_BACK: &str = "circular_flow";

impl SavedQuestion {
    fn restore(&self, session: &mut Session, machine: &Machine) -> Arc<OpenQuestion> {
        let options = match &self.options {
            Value::List(options) => options.iter().cloned().collect(),
            _ => Arc::from([]),
        };
        let state = session.maybe_state(self.original_state.as_deref(), machine);
        Arc::new(OpenQuestion {
            options,
            state,
            data: self.extracted_data.clone(),
            attempt: self.attempt,
        })
    }
}

impl SavedUnknown {
    fn of(session: &Session) -> Self {
        let unknown = &session.unknown;
        let list = |names: &UnknownNames| names.iter().map(str::to_owned).collect();
        Self {
            states: list(&unknown.states),
            phases: list(&unknown.phases),
            intents: list(&unknown.intents),
            actions: list(&unknown.actions),
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
