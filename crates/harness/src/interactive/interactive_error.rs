//! Errors of an interactive dialogue.

use fsmsim_syntax::diagnostic::Diagnostic;

/// An error of an interactive dialogue.
#[derive(Debug)]
pub enum InteractiveError {
    /// The operation is not possible, for this reason. The dialogue is unchanged.
    Refused(String),
    /// The result cannot be saved, and unsaved results must not be shown, so the dialogue ends. It can be resumed from
    /// the last saved turn.
    Lost(Box<Diagnostic>),
}

impl From<String> for InteractiveError {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

impl From<&str> for InteractiveError {
    fn from(why: &str) -> Self {
        Self::Refused(why.to_owned())
    }
}

impl From<Box<Diagnostic>> for InteractiveError {
    fn from(why: Box<Diagnostic>) -> Self {
        Self::Lost(why)
    }
}
