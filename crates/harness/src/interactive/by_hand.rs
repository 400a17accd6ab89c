//! Manual changes to state and data before the next turn.

use super::interactive_dialogue::{InteractiveDialogue, MANUAL_COMMANDS};
use super::interactive_error::InteractiveError;
use super::line::{InputLine, data_of};
use fsmsim_core::engine::{Operation, Symbol};
use fsmsim_syntax::diagnostic::{Checked, nearest, similar_name_hint};

impl InteractiveDialogue {
    /// Moves the dialogue to a state. `line` is what the user typed.
    pub fn go(&mut self, name: &str, line: &str) -> Result<(), InteractiveError> {
        let machine = self.runner.machine();
        let state = machine.state_id(name);
        let Some(state) = state.filter(|state| !machine.state(*state).is_target_only()) else {
            let states = machine.declared_names();
            let near = similar_name_hint("state", nearest(name, states));
            return Err(format!("unknown state `{name}`. `:states` lists them.{near}").into());
        };
        let to = Operation::TransitionTo {
            state: Symbol::Known(state),
            action: None,
            phase: None,
            source: None,
            validate: true,
        };
        Ok(self.change(to, line)?)
    }

    /// Sets slots, given as `slot=value` pairs separated by spaces. `line` is what the user typed.
    pub fn set(&mut self, data: &str, line: &str) -> Result<(), InteractiveError> {
        let data = data_of(data, self.runner.machine())?;
        if data.is_empty() {
            return Err("missing slot; write `:set slot=value`".into());
        }
        Ok(self.change(Operation::SetData(data), line)?)
    }

    /// Applies an operation immediately, and again as part of the next turn, which records it. The journal saves the
    /// line as the beginning of that turn.
    fn change(&mut self, operation: Operation, line: &str) -> Checked {
        self.runner.operate(std::slice::from_ref(&operation));
        self.by_hand.push((operation, line.trim().to_owned()));
        let lines: Vec<&str> = self.by_hand.iter().map(|(_, line)| &**line).collect();
        self.journal.begin_turn(&lines.join("\n"))
    }

    /// Reverts the manual changes since the last turn and returns their operations and lines.
    pub(super) fn take_manual_changes(&mut self) -> (Vec<Operation>, Vec<String>) {
        let (operations, lines) = self.by_hand.drain(..).unzip();
        let operations: Vec<Operation> = operations;
        if !operations.is_empty() {
            let here = self.tree.at();
            let turns = self.tree.turns_at(here);
            let said = self.tree.said_to(here);
            let id = self.runner.id().clone();
            // This process saved the checkpoint, so it can be restored.
            let _ = self.runner.go_to(self.tree.checkpoint(here), turns, said);
            self.runner.be_known_as(id);
        }
        (operations, lines)
    }

    /// Applies manual changes again. Returns the lines that are no longer possible, each with the reason.
    pub(super) fn redo_manual_changes(
        &mut self,
        lines: &[String],
    ) -> Checked<Vec<(String, String)>> {
        let mut undone = Vec::new();
        for line in lines {
            match self.change_by_line(line) {
                Ok(()) => {}
                Err(InteractiveError::Refused(why)) => undone.push((line.clone(), why)),
                Err(InteractiveError::Lost(why)) => return Err(why),
            }
        }
        Ok(undone)
    }

    /// Applies the manual change that a line describes.
    pub fn change_by_line(&mut self, line: &str) -> Result<(), InteractiveError> {
        match self.read(line)? {
            InputLine::Command(name, rest) if name == "goto" => self.go(&rest, line),
            InputLine::Command(name, rest) if name == "set" => self.set(&rest, line),
            _ => Err(format!(
                "`{line}` is not a manual change; use {}",
                MANUAL_COMMANDS
                    .map(|name| format!("`:{name}`"))
                    .join(" or ")
            )
            .into()),
        }
    }
}
