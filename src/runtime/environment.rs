//! Who is around a dialogue besides its session: whom it asks, where data is kept, what was said.

use crate::engine::{Answer, Machine, Need};
use crate::llm::{Answerer, Nobody, Speaker, Utterance};
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
        let value = match need {
            Need::Read { keys, .. } => {
                let keys: Vec<&str> = keys.iter().map(|slot| machine.names.slots.name(*slot)).collect();
                Some(self.twin.read(&keys).answer())
            }
            Need::Write { schema, payload, .. } => Some(self.twin.write(&machine.schemas[*schema], payload).answer()),
            Need::Execute { route, data, .. } => self.backend.execute(route, data, self.turns),
            Need::Classify { .. } | Need::Decide { .. } | Need::Navigate { .. } => return None,
        };
        Some(Answer { kind: need.kind(), value, by: None, failed: Vec::new() })
    }
}
