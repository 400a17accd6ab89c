//! The tree of turns of a session, with all branches.

use crate::llm::Utterance;
use fsmsim_core::trace::TurnReport;

/// The state of a dialogue at one moment, as text. Every machine with the same names can restore it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// The ID that identifies the dialogue to backends and stores.
    pub id: String,
    /// The session.
    pub saved: String,
    /// Other state of the dialogue.
    pub memory: String,
}

/// A turn, and the dialogue after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnNode {
    /// The number of the previous moment. 0 is the start.
    pub before: u32,
    /// The line that started the turn.
    pub line: String,
    /// The turn as a trace line. Empty if it was not recorded.
    pub record: String,
    /// The utterances of the turn.
    pub said: Vec<Utterance>,
    /// The dialogue after the turn.
    pub checkpoint: Checkpoint,
}

impl TurnNode {
    /// The report of the turn, if its record contains one.
    pub fn report(&self) -> Option<TurnReport> {
        TurnReport::read(&self.record)
    }
}

/// The root of a tree of turns. Turns before the root are shown, but cannot be undone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeRoot {
    /// The dialogue at the root.
    pub checkpoint: Checkpoint,
    /// The number of turns before the root.
    pub turns: u32,
    /// The utterances before the root.
    pub said: Vec<Utterance>,
    /// The turns before the root, as trace lines.
    pub records: Vec<String>,
}

/// A branch of turns, identified by its last moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnBranch {
    pub name: String,
    /// The number of the last moment. 0 is the start.
    pub tip: u32,
}

/// The position of a dialogue in the tree of turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreePlace {
    pub branch: String,
    /// The number of the moment. 0 is the start.
    pub moment: u32,
    /// All branches in order of creation.
    pub branches: Vec<TurnBranch>,
}

impl TreePlace {
    /// Moves to a new moment and makes it the last moment of the branch.
    pub fn grow(&mut self, moment: u32) {
        self.moment = moment;
        self.end_here();
    }

    /// Ends the branch at the current moment.
    pub fn end_here(&mut self) {
        for branch in &mut self.branches {
            if branch.name == self.branch {
                branch.tip = self.moment;
            }
        }
    }
}

/// A line that the user entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedLine {
    pub session: String,
    pub line: String,
}
