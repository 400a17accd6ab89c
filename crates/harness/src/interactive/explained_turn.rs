//! The conditions of turns, with the values that the turns saw.

use super::interactive_dialogue::InteractiveDialogue;
use super::line::InputLine;
use fsmsim_core::engine::{ConditionExplainer, ScriptedTurn};

impl InteractiveDialogue {
    /// Explains the conditions of the turn that the line `next` describes, without running it. Without a line, explains
    /// the turn at a moment: the current one if there is no number, and a turn without input if it is the start.
    ///
    /// # Errors
    /// Returns an error if `next` is not a turn, or if the current model cannot run the turn.
    pub fn explain_conditions(
        &self,
        number: Option<u32>,
        next: Option<&str>,
    ) -> Result<ConditionExplainer<'_>, String> {
        let number = number.unwrap_or_else(|| self.tree.at());
        let turn = match next.map(|line| self.read(line)).transpose()? {
            Some(InputLine::Turn(turn)) => *turn,
            Some(_) => return Err("expected a turn after `if`".to_owned()),
            None if number > 0 => self.turn_at(number)?,
            None => ScriptedTurn::default(),
        };
        let before = match self.tree.moment(number) {
            Some(moment) if next.is_none() => self.session_at(moment.before)?,
            _ => self.runner.session().clone(),
        };
        let machine = self.runner.machine();
        let settings = self.runner.settings();
        Ok(ConditionExplainer::of_turn(
            machine, settings, before, &turn,
        ))
    }
}
