//! Runs a turn, saves it, and adds it to the tree of turns.

use super::interactive_dialogue::InteractiveDialogue;
use super::interactive_error::InteractiveError;
use super::line::InputLine;
use super::turn_why::TurnWhy;
use fsmsim_core::engine::ScriptedTurn;
use fsmsim_runtime::runtime::{DialogueRunner, TurnNode};
use fsmsim_syntax::diagnostic::Checked;

/// A turn that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InteractiveTurn {
    /// The branch that preserves the previous continuation, if the turn started another one.
    pub former: Option<String>,
    /// The record as a line of a trace, without a line break; empty if there is no record.
    pub record: String,
}

impl InteractiveDialogue {
    /// Runs a turn. `line` is the line that describes it.
    pub fn play(&mut self, line: &str, turn: ScriptedTurn) -> Checked<InteractiveTurn> {
        // Manual changes were applied immediately so that the user sees them. The turn must record them, so it applies
        // them again.
        let (mut operations, mut lines) = self.take_manual_changes();
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
            // A turn that cannot be saved must not take effect.
            self.go_back_here();
            return Err(why);
        }
        let node = node_of(&self.runner, heard, line, record.clone());
        self.tree.grow(node);
        self.whys.insert(self.tree.at(), why);
        Ok(InteractiveTurn { former, record })
    }

    /// Runs what comes before the first input: the interrupted turn, or the opening.
    pub fn play_first(&mut self) -> Result<(), InteractiveError> {
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

    /// If the dialogue went back and now continues differently, preserves the previous continuation on a branch. The
    /// journal saves `begun`, the line of the new turn. Returns the name of the branch.
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
        // The effects of this continuation must not have the same session ID as those of the previous one.
        self.latest = self.latest.next();
        self.runner.be_known_as(self.latest.clone());
        self.journal.travel(&self.runner, &self.tree, begun)?;
        Ok(former)
    }
}

/// The tree node for the last turn. `heard` is the number of messages before the turn.
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
