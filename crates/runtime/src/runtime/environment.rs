//! The environment of a dialogue: provider of answers, data stores and history.

use serde_json::{Value as Json, json};

use fsmsim_adapters::limits::MAX_HISTORY_LINES;
use fsmsim_adapters::llm::{Answerer, NoAnswerer, Speaker, Utterance};
use fsmsim_adapters::stores::{
    Backend, EffectKey, Memory, MemoryTwin, NoBackend, RecallQuery, SessionId, Twin, VolatileMemory,
};
use fsmsim_core::engine::{Answer, Machine, Need, Session};
use fsmsim_core::machine::{EffectKind, List, Value};

/// The outcome of an effect whose payload is saved with the session.
const KEPT: &str = "done";

/// The environment of a dialogue. It persists across turns.
pub(super) struct Environment {
    /// The provider of answers that the script does not contain.
    pub answerer: Box<dyn Answerer>,
    /// The store of the user's data.
    pub twin: Box<dyn Twin>,
    /// The backend that executes routes.
    pub backend: Box<dyn Backend>,
    /// The memory that tasks read and write.
    pub memory: Box<dyn Memory>,
    /// The utterances so far, for recognizers. Complete if the machine speaks or guides an assistant, otherwise only
    /// the last lines.
    pub history: Vec<Utterance>,
    /// The number of turns run so far.
    pub turns: u32,
    /// The ID that performers of effects see.
    pub session: SessionId,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            answerer: Box::new(NoAnswerer),
            twin: Box::new(MemoryTwin::down()),
            backend: Box::new(NoBackend),
            memory: Box::new(VolatileMemory::default()),
            history: Vec::new(),
            turns: 0,
            session: SessionId::default(),
        }
    }
}

impl Environment {
    /// Adds an utterance to the history. A turn that only gives consent has an empty reply, which is omitted.
    pub(super) fn hear(&mut self, by: Speaker, text: Option<&str>) {
        let said = text.filter(|text| by == Speaker::User || !text.trim().is_empty());
        self.history.extend(said.map(|text| Utterance {
            by,
            text: text.into(),
        }));
    }

    /// If the assistant has not spoken since line `heard`, adds its action to the history. Keeps only the last lines.
    pub(super) fn hear_action(&mut self, heard: usize, session: &Session, machine: &Machine) {
        if self.history.len() == heard
            && let Some(action) = session.position.action
        {
            self.hear(
                Speaker::Assistant,
                Some(&format!("({})", session.action_name(action, machine))),
            );
        }
        let gone = self.history.len().saturating_sub(MAX_HISTORY_LINES);
        self.history.drain(..gone);
    }

    /// Performs an effect. Returns `None` if the need is a judgment.
    pub(super) fn perform(&mut self, need: &Need, machine: &Machine) -> Option<Answer> {
        let Need::Effect {
            effect,
            index,
            schema,
            payload,
        } = need
        else {
            return None;
        };
        let effect_name = machine.names.effects.name(*effect);
        let key = EffectKey {
            session: &self.session,
            turn: self.turns,
            effect: effect_name,
            index: *index,
        };
        let value = match (machine.effects[*effect].kind, schema) {
            (EffectKind::Read, _) => {
                let keys: Vec<&str> = payload
                    .list()
                    .into_iter()
                    .flat_map(List::iter)
                    .filter_map(Value::as_text)
                    .collect();
                Some(self.twin.read(&keys).answer())
            }
            (EffectKind::Write, Some(schema)) => Some(
                self.twin
                    .write(&key, &machine.schemas[*schema], payload)
                    .answer(),
            ),
            // A payload that matches no schema has no name to store it under.
            (EffectKind::Write, None) => None,
            // The payload is part of the session, which is saved before the turn is reported.
            (EffectKind::Keep, _) => Some(Value::text(KEPT)),
            (EffectKind::Recall, _) => {
                Some(self.memory.recall(&key, &RecallQuery::of(payload)).answer())
            }
            (EffectKind::Remember, _) => Some(self.memory.remember(&key, payload).answer()),
            (EffectKind::Invoke, _) => self.backend.invoke(&key, payload),
        };
        Some(Answer::given(need.key(), value))
    }

    /// The state of the environment that would be lost with this process.
    pub(super) fn memory(&self) -> Json {
        json!({"answerer": self.answerer.memory(), "twin": self.twin.memory()})
    }

    /// Restores the state of the environment.
    pub(super) fn recall(&mut self, memory: &Json) {
        let part = |key: &str| memory.get(key).unwrap_or(&Json::Null);
        self.answerer.recall(part("answerer"));
        self.twin.recall(part("twin"));
    }
}
