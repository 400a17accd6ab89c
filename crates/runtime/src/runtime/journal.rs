//! Persistence of running dialogues.

use super::dialogue_runner::DialogueRunner;
use super::turn_tree::TurnTree;
use fsmsim_adapters::stores::TypedLine;
use fsmsim_core::engine::{Answer, Machine};
use fsmsim_syntax::diagnostic::Checked;

/// Persists a dialogue while it runs, so that it can resume after an interruption. An interrupted turn runs again from
/// its start with the answers recorded so far. The default methods persist nothing.
pub trait Journal: Send {
    /// A turn starts with these lines: manual changes, if any, then the input line. Manual changes may arrive first,
    /// without the input line. The lines must be saved before the turn has any effect.
    ///
    /// # Errors
    /// Returns the finding if the lines cannot be saved. In that case, the turn must not run.
    fn begin_turn(&mut self, _line: &str) -> Checked {
        Ok(())
    }

    /// The answers of an interrupted turn. Empty for a new turn.
    fn recall(&mut self, _machine: &Machine) -> Vec<Answer> {
        Vec::new()
    }

    /// Saves an answer. If that fails, the answer may be requested again.
    fn keep(&mut self, _answer: &Answer, _dialogue: &DialogueRunner) {}

    /// The turn is complete: saves the dialogue with the trace line of the turn.
    ///
    /// # Errors
    /// Returns the finding if the dialogue cannot be saved. The turn runs again when the dialogue resumes.
    fn end_turn(&mut self, _dialogue: &DialogueRunner, _record: &str) -> Checked {
        Ok(())
    }

    /// The dialogue moved in its turn tree (back, forward, to another branch), or a branch was created. `begun`
    /// contains the lines of the next turn that were already entered at that position, if any.
    ///
    /// # Errors
    /// Returns the finding if the move cannot be saved. In that case, the saved position does not change.
    fn travel(&mut self, _dialogue: &DialogueRunner, _tree: &TurnTree, _begun: &str) -> Checked {
        Ok(())
    }

    /// Saves an entered line, even if it is invalid.
    fn note_line(&mut self, _line: &str) -> Checked {
        Ok(())
    }

    /// The last entered lines of this dialogue and of others in the same store. `None` if lines are not saved.
    fn lines(&mut self, _most: u32) -> Checked<Option<Vec<TypedLine>>> {
        Ok(None)
    }

    /// The dialogue restarts with this `start`.
    ///
    /// # Errors
    /// Returns the finding if the restart cannot be saved. In that case, the saved dialogue does not change.
    fn begin_again(&mut self, _dialogue: &DialogueRunner, _start: &str) -> Checked {
        Ok(())
    }
}

/// A journal that persists nothing.
impl Journal for () {}
