//! Where a dialogue is kept while it is played.

use super::dialogue_runner::DialogueRunner;
use super::turn_tree::TurnTree;
use fsmsim_adapters::world::TypedLine;
use fsmsim_core::engine::{Answer, Machine};
use fsmsim_syntax::diagnostic::Checked;

/// Where a dialogue is kept while it is played, so that it goes on after whoever played it was stopped, also in mid-turn:
/// then the turn is played again from the top, with the answers that were there. Whoever leaves a method out keeps nothing.
pub trait Journal: Send {
    /// A turn begins, given by this line, or by several: what is changed by hand before it comes first, and may come alone
    /// until the turn does. Nothing of it may be done before it is kept.
    ///
    /// # Errors
    /// The finding about what keeps it from being kept; the turn must not be played then.
    fn begin_turn(&mut self, _line: &str) -> Checked {
        Ok(())
    }

    /// The answers that the turn had when it was interrupted; none, where it only begins.
    fn recall(&mut self, _machine: &Machine) -> Vec<Answer> {
        Vec::new()
    }

    /// An answer is there. One that cannot be kept may be asked for again.
    fn keep(&mut self, _answer: &Answer, _dialogue: &DialogueRunner) {}

    /// The turn is whole: the dialogue is kept as it is now, with the line of a trace that tells of the turn.
    ///
    /// # Errors
    /// The finding about what keeps it from being kept; the turn is played again then when the dialogue goes on.
    fn end_turn(&mut self, _dialogue: &DialogueRunner, _record: &str) -> Checked {
        Ok(())
    }

    /// The dialogue goes on from where the tree of its turns says that it is: it went back, forth or to another branch, or a
    /// branch was made. `begun` are the lines with which the next turn has begun there; nothing where none has.
    ///
    /// # Errors
    /// The finding about what keeps it from being kept; it is then where it was.
    fn travel(&mut self, _dialogue: &DialogueRunner, _tree: &TurnTree, _begun: &str) -> Checked {
        Ok(())
    }

    /// Somebody typed a line, whatever becomes of it.
    fn note_line(&mut self, _line: &str) -> Checked {
        Ok(())
    }

    /// The last lines that were typed, in this dialogue and in others that are kept beside it; nothing where none are kept.
    fn lines(&mut self, _most: u32) -> Checked<Option<Vec<TypedLine>>> {
        Ok(None)
    }

    /// The dialogue begins again, in this way.
    ///
    /// # Errors
    /// The finding about what keeps it from being kept; it goes on as it was then.
    fn begin_again(&mut self, _dialogue: &DialogueRunner, _start: &str) -> Checked {
        Ok(())
    }
}

/// Nothing is kept.
impl Journal for () {}
