//! The turns of a session, with every way that was left, as they are played and as the store holds them.

use crate::llm::Utterance;
use fsmsim_core::trace::TurnReport;

/// A dialogue as it is at one moment, as text that means the same to every machine with the same names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// By what it is known to those who perform its effects.
    pub id: String,
    /// The session.
    pub saved: String,
    /// What is remembered besides.
    pub memory: String,
}

/// A turn that was played, and the dialogue behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnNode {
    /// The number of the moment before; 0 for the beginning.
    pub before: u32,
    /// The line by which it was given.
    pub line: String,
    /// The turn as a line of a trace; empty, where there is nothing to tell of it.
    pub record: String,
    /// What was said in it.
    pub said: Vec<Utterance>,
    /// The dialogue behind it.
    pub checkpoint: Checkpoint,
}

impl TurnNode {
    /// The report of the turn, if its record contains one.
    pub fn report(&self) -> Option<TurnReport> {
        TurnReport::read(&self.record)
    }
}

/// Where a tree of turns begins: behind turns that are told, and cannot be taken back, if there were any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeRoot {
    /// The dialogue there.
    pub checkpoint: Checkpoint,
    /// Turns before.
    pub turns: u32,
    /// What was said in them.
    pub said: Vec<Utterance>,
    /// They as lines of a trace.
    pub records: Vec<String>,
}

/// A way through the turns, by the last of its moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnBranch {
    pub name: String,
    /// The number of its last moment; 0 for the beginning.
    pub tip: u32,
}

/// Where a dialogue is in the tree of its turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreePlace {
    pub branch: String,
    /// The number of the moment; 0 for the beginning.
    pub moment: u32,
    /// All branches, in the order in which they were made.
    pub branches: Vec<TurnBranch>,
}

impl TreePlace {
    /// A turn was played there: it is the last one of its branch.
    pub fn grow(&mut self, moment: u32) {
        self.moment = moment;
        self.end_here();
    }

    /// The branch ends where the dialogue is.
    pub fn end_here(&mut self) {
        for branch in &mut self.branches {
            if branch.name == self.branch {
                branch.tip = self.moment;
            }
        }
    }
}

/// A line that somebody typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedLine {
    pub session: String,
    pub line: String,
}
