//! Resumes saved dialogues.

use serde_json::Value as Json;

use super::dialogue_runner::DialogueRunner;
use super::turn_tree::TurnTree;
use fsmsim_adapters::llm::Utterance;
use fsmsim_adapters::stores::SessionId;
use fsmsim_core::engine::Session;

/// A saved dialogue that can resume.
#[derive(Clone, Debug)]
pub struct ResumedDialogue {
    /// The ID that performers of effects see.
    pub id: SessionId,
    /// The session after the last complete turn.
    pub session: Session,
    /// The number of complete turns.
    pub turns: u32,
    /// The utterances so far.
    pub history: Vec<Utterance>,
    /// The remaining state, from [`DialogueRunner::memory`](super::DialogueRunner::memory).
    pub memory: Json,
    /// The complete turns as trace lines.
    pub records: Vec<String>,
    /// The tree of the turns, with all branches.
    pub tree: TurnTree,
    /// The input line of an interrupted turn, if any.
    pub interrupted: Option<String>,
}

impl DialogueRunner {
    /// Resumes a dialogue in the environment of this runner.
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
