//! Who is around a dialogue besides its session: whom it asks, where data is kept, what was said.

use serde_json::{Value as Json, json};

use fsmsim_adapters::limits::MAX_HISTORY_LINES;
use fsmsim_adapters::llm::{Answerer, Nobody, Speaker, Utterance};
use fsmsim_adapters::world::{
    Backend, EffectKey, Memory, MemoryTwin, NoBackend, RecallQuery, SessionId, Twin, VolatileMemory,
};
use fsmsim_core::engine::{Answer, Machine, Need, Session};
use fsmsim_core::machine::{EffectKind, List, Value};

/// What it comes to that something is kept with the session.
const KEPT: &str = "done";

/// Who is around a dialogue besides its session. It goes on from turn to turn.
pub(super) struct Environment {
    /// Whom it asks what the script does not say.
    pub(super) answerer: Box<dyn Answerer>,
    /// Where the user's data is kept.
    pub(super) twin: Box<dyn Twin>,
    /// What executes routes.
    pub(super) backend: Box<dyn Backend>,
    /// What tasks remember.
    pub(super) memory: Box<dyn Memory>,
    /// What was said so far: all of it where the machine says something or guides an assistant, else the last lines, for
    /// whoever reads what is said.
    pub(super) history: Vec<Utterance>,
    /// Turns that were played.
    pub(super) turns: u32,
    /// By what those who perform its effects know it.
    pub(super) session: SessionId,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            answerer: Box::new(Nobody),
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
    /// Adds an utterance to the history. A turn that only gives consent has an empty reply, which is left out.
    pub(super) fn hear(&mut self, by: Speaker, text: Option<&str>) {
        let said = text.filter(|text| by == Speaker::User || !text.trim().is_empty());
        self.history.extend(said.map(|text| Utterance {
            by,
            text: text.into(),
        }));
    }

    /// Remembers what the assistant did where it said nothing since `heard` lines, and forgets all but the last lines.
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

    /// Performs an effect; nothing where the need is a judgement.
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
            // What fits no schema has no name under which it could be kept.
            (EffectKind::Write, None) => None,
            // It stands in the session, which is kept before anybody is told of the turn.
            (EffectKind::Keep, _) => Some(Value::text(KEPT)),
            (EffectKind::Recall, _) => {
                Some(self.memory.recall(&key, &RecallQuery::of(payload)).answer())
            }
            (EffectKind::Remember, _) => Some(self.memory.remember(&key, payload).answer()),
            (EffectKind::Invoke, _) => self.backend.invoke(&key, payload),
        };
        Some(Answer {
            key: need.key(),
            value,
            by: None,
            failed: Vec::new(),
        })
    }

    /// What those around the dialogue remember of it that is gone with this process.
    pub(super) fn memory(&self) -> Json {
        json!({"answerer": self.answerer.memory(), "twin": self.twin.memory()})
    }

    /// Lets those around the dialogue take on what they remembered when it was left.
    pub(super) fn recall(&mut self, memory: &Json) {
        let part = |key: &str| memory.get(key).unwrap_or(&Json::Null);
        self.answerer.recall(part("answerer"));
        self.twin.recall(part("twin"));
    }
}
