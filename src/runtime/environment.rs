//! Who is around a dialogue besides its session: whom it asks, where data is kept, what was said.

use crate::engine::{Answer, Machine, Need};
use crate::llm::{Answerer, Nobody, Speaker, Utterance};
use crate::machine::{Deed, List, Value};
use crate::world::{Backend, MemoryTwin, NoBackend, Twin};

/// Who is around a dialogue besides its session. It goes on from turn to turn.
pub(super) struct Environment {
    /// Whom it asks what the script does not say.
    pub(super) answerer: Box<dyn Answerer>,
    /// Where the user's data is kept.
    pub(super) twin: Box<dyn Twin>,
    /// What executes routes.
    pub(super) backend: Box<dyn Backend>,
    /// What was said so far; kept only where the machine guides an assistant.
    pub(super) history: Vec<Utterance>,
    /// Turns that were played.
    pub(super) turns: u32,
}

impl Default for Environment {
    fn default() -> Self {
        let twin = Box::new(MemoryTwin::down());
        Self { answerer: Box::new(Nobody), twin, backend: Box::new(NoBackend), history: Vec::new(), turns: 0 }
    }
}

impl Environment {
    /// Remembers that something was said.
    pub(super) fn hear(&mut self, by: Speaker, text: Option<&str>) {
        self.history.extend(text.map(|text| Utterance { by, text: text.into() }));
    }

    /// Performs an effect; nothing where the need is a judgement.
    pub(super) fn perform(&mut self, need: &Need, machine: &Machine) -> Option<Answer> {
        let Need::Effect { effect, schema, payload, .. } = need else { return None };
        let value = match (machine.effects[*effect].deed, schema) {
            (Deed::Read, _) => {
                let keys: Vec<&str> =
                    payload.list().into_iter().flat_map(List::iter).filter_map(Value::as_text).collect();
                Some(self.twin.read(&keys).answer())
            }
            (Deed::Write, Some(schema)) => Some(self.twin.write(&machine.schemas[*schema], payload).answer()),
            // What fits no schema has no name under which it could be kept.
            (Deed::Write, None) => None,
            (Deed::Invoke, _) => self.backend.invoke(machine.names.effects.name(*effect), payload, self.turns),
        };
        Some(Answer { key: need.key(), value, by: None, failed: Vec::new() })
    }
}
