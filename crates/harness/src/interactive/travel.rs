//! Moves between turns and branches.

use super::interactive_dialogue::InteractiveDialogue;
use super::interactive_error::InteractiveError;
use fsmsim_core::engine::{SavedSession, ScriptedTurn, Session};
use fsmsim_runtime::runtime::TurnBranch;
use fsmsim_syntax::diagnostic::{nearest, similar_name_hint};

impl InteractiveDialogue {
    /// Undoes turns. Without a number, reverts the manual changes since the last turn, or else undoes the last turn.
    ///
    /// # Errors
    /// Returns an error if there are not that many turns.
    pub fn undo(&mut self, turns: Option<u32>) -> Result<(), InteractiveError> {
        if turns.is_none() && !self.by_hand.is_empty() {
            return self.travel(self.tree.at(), None);
        }
        let to = self.tree.back(turns.unwrap_or(1))?;
        self.travel(to, None)
    }

    /// Redoes turns.
    ///
    /// # Errors
    /// Returns an error if there are fewer turns.
    pub fn redo(&mut self, turns: u32) -> Result<(), InteractiveError> {
        let to = self.tree.forth(turns)?;
        self.travel(to, None)
    }

    /// Goes to the state after the turn with this number on this branch.
    pub fn go_to_turn(&mut self, turn: u32) -> Result<(), InteractiveError> {
        let to = self.tree.of_turn(turn)?;
        self.travel(to, None)
    }

    /// Goes to the moment with this number: on this branch, or else on the first branch that contains it.
    pub fn go_to_moment(&mut self, number: u32) -> Result<(), InteractiveError> {
        let has =
            |branch: &&TurnBranch| number == 0 || self.tree.path_to(branch.tip).contains(&number);
        let branches = self.tree.branches();
        let current = branches
            .iter()
            .filter(|branch| branch.name == self.tree.branch());
        let branch = current
            .chain(branches)
            .find(has)
            .cloned()
            .ok_or_else(|| format!("unknown moment {number}"))?;
        self.travel(number, Some(&branch))
    }

    /// Creates a branch at the current moment.
    pub fn fork(&mut self, name: &str) -> Result<(), InteractiveError> {
        self.tree.fork(name)?;
        let (_, by_hand) = self.take_manual_changes();
        self.keep_place(&by_hand)?;
        self.redo_manual_changes(&by_hand)?;
        Ok(())
    }

    /// Goes to the end of another branch.
    pub fn switch(&mut self, name: &str) -> Result<(), InteractiveError> {
        let branch = self.branch_named(name)?;
        self.travel(branch.tip, Some(&branch))
    }

    pub(super) fn branch_named(&self, name: &str) -> Result<TurnBranch, String> {
        let branches = self.tree.branches();
        branches
            .iter()
            .find(|branch| branch.name == name)
            .cloned()
            .ok_or_else(|| {
                let near = similar_name_hint(
                    "branch",
                    nearest(name, branches.iter().map(|branch| &*branch.name)),
                );
                format!("unknown branch `{name}`.{near} `:branches` lists them.")
            })
    }

    /// The session at a moment, for the current model.
    pub fn session_at(&self, number: u32) -> Result<Session, String> {
        let saved = SavedSession::from_text(&self.tree.checkpoint(number).saved);
        let session = saved.and_then(|saved| saved.restore(self.runner.machine()));
        session.map_err(|error| format!("cannot restore the saved dialogue: {error}"))
    }

    /// Goes to a moment on the current branch, or on another one.
    fn travel(&mut self, to: u32, branch: Option<&TurnBranch>) -> Result<(), InteractiveError> {
        self.can_travel()?;
        self.put_back(to)?;
        if let Some(branch) = branch {
            self.tree.switch(branch);
        }
        self.tree.move_to(to);
        Ok(self.keep_place(&[])?)
    }

    /// Returns to the start.
    pub(super) fn go_to_the_beginning(&mut self) -> Result<(), String> {
        self.put_back(0)?;
        self.tree.move_to(0);
        Ok(())
    }

    /// Restores the dialogue to the current moment of the tree.
    pub(super) fn go_back_here(&mut self) {
        // This process saved the checkpoint, so it can be restored.
        let _ = self.put_back(self.tree.at());
    }

    /// Rejects undo and redo if the machine remembers earlier tasks, because its memory cannot be reverted.
    fn can_travel(&self) -> Result<(), String> {
        if self.remembers() {
            return Err(
                "cannot undo turns of an agent cycle with a memory; use `:reset` to start again"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Restores the dialogue at a moment.
    fn put_back(&mut self, number: u32) -> Result<(), String> {
        let turns = self.tree.turns_at(number);
        let said = self.tree.said_to(number);
        self.runner
            .go_to(self.tree.checkpoint(number), turns, said)?;
        self.last = ScriptedTurn::default();
        self.by_hand.clear();
        Ok(())
    }

    /// Saves the current position in the tree of turns.
    pub(super) fn keep_place(
        &mut self,
        begun: &[String],
    ) -> Result<(), Box<fsmsim_syntax::diagnostic::Diagnostic>> {
        self.journal
            .travel(&self.runner, &self.tree, &begun.join("\n"))
    }
}
