//! A dialogue that was left, and goes on.

use serde_json::Value as Json;

use super::dialogue_runner::DialogueRunner;
use super::turn_tree::TurnTree;
use fsmsim_adapters::llm::Utterance;
use fsmsim_adapters::world::SessionId;
use fsmsim_core::engine::Session;

/// A dialogue that was left, and goes on.
#[derive(Clone, Debug)]
pub struct ResumedDialogue {
    /// By what it is known to those who perform its effects.
    pub id: SessionId,
    /// The session behind the last whole turn.
    pub session: Session,
    /// The whole turns.
    pub turns: u32,
    /// What was said.
    pub history: Vec<Utterance>,
    /// What is remembered besides, as [`DialogueRunner::memory`](super::DialogueRunner::memory) gave it.
    pub memory: Json,
    /// The whole turns as lines of a trace.
    pub records: Vec<String>,
    /// The same with every way that was left.
    pub tree: TurnTree,
    /// The line of the turn that was interrupted, if one was.
    pub interrupted: Option<String>,
}

impl DialogueRunner {
    /// Goes on where a dialogue was left, with those who are around this one.
    pub fn go_on(&mut self, left: &ResumedDialogue) {
        let ResumedDialogue {
            id,
            session,
            turns,
            history,
            memory,
            ..
        } = left;
        self.put_back(id.clone(), session.clone(), *turns, history.clone(), memory);
    }
}
