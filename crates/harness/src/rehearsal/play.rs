//! A turn is played: it is kept, and grows the tree of the turns.

use super::line::InputLine;
use super::rehearsal::Rehearsal;
use super::rehearsal_error::RehearsalError;
use super::turn_why::TurnWhy;
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_runtime::runtime::{DialogueRunner, TurnNode};
use fsmsim_syntax::diagnostic::Checked;

/// A turn that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RehearsedTurn {
    /// The branch on which the way is kept that the dialogue left with it, where it left one.
    pub former: Option<String>,
    /// Its record as a line of a trace, without the end of the line; empty, where there is nothing to tell of it.
    pub record: String,
}

impl Rehearsal {
    /// Plays the turn of a line.
    pub fn play(&mut self, line: &str, turn: ScriptedTurn) -> Checked<RehearsedTurn> {
        // It was changed at once to be seen; the turn tells of it, and so it is done in the turn.
        let (mut operations, mut lines) = self.take_by_hand();
        lines.push(line.trim().to_owned());
        let line = lines.join("\n");
        let former = self.leave_former_way(&line)?;
        self.last = turn;
        operations.append(&mut self.last.before);
        self.last.before = operations;
        let heard = self.runner.history().len();
        self.journal.begin_turn(&line)?;
        let played = self.runner.play_kept(&self.last, &mut *self.journal);
        let (record, why) = TurnWhy::with_record(&played.view);
        if let Err(why) = self.journal.end_turn(&self.runner, &record) {
            // What is not kept has not happened.
            self.go_back_here();
            return Err(why);
        }
        let node = node_of(&self.runner, heard, line, record.clone());
        self.tree.grow(node);
        self.whys.insert(self.tree.at(), why);
        Ok(RehearsedTurn { former, record })
    }

    /// Plays what comes before anything is said: the turn that was interrupted, or the opening.
    pub fn play_first(&mut self) -> Result<(), RehearsalError> {
        for line in self.first_line().unwrap_or_default().lines() {
            self.note_line(line)?;
            match self.read(line)? {
                InputLine::Turn(turn) => drop(self.play(line, *turn)?),
                InputLine::Command(..) => self.change_by_line(line)?,
                InputLine::Empty => {}
            }
        }
        Ok(())
    }

    /// Where the dialogue went back and is about to go another way, keeps the way that it leaves, and the line of the turn
    /// that begins: the name of its branch.
    fn leave_former_way(&mut self, begun: &str) -> Checked<Option<String>> {
        let is_at_end = self.tree.tip(self.tree.branch()) == Some(self.tree.at());
        let is_shared = self
            .tree
            .moments()
            .iter()
            .any(|moment| moment.before == self.tree.at());
        if is_at_end && !is_shared {
            return Ok(None);
        }
        let former = self.tree.keep_former();
        // What is done on this way is not what was done on the other.
        self.latest = self.latest.next();
        self.runner.be_known_as(self.latest.clone());
        self.journal.travel(&self.runner, &self.tree, begun)?;
        Ok(former)
    }
}

/// The turn that was just played; `heard` messages were said before it.
pub(super) fn node_of(
    runner: &DialogueRunner,
    heard: usize,
    line: String,
    record: String,
) -> TurnNode {
    TurnNode {
        before: 0,
        line,
        record,
        said: runner.history().get(heard..).unwrap_or_default().to_vec(),
        checkpoint: runner.checkpoint(),
    }
}
