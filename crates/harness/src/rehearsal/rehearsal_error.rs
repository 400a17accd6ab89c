//! Why something is not done to a dialogue.

use fsmsim_syntax::diagnostic::Diagnostic;

/// Why something is not done to a dialogue that a person plays.
#[derive(Debug)]
pub enum RehearsalError {
    /// It cannot be done: why, in a sentence. The dialogue is as it was.
    Refused(String),
    /// What was done cannot be kept, and what is not kept is not shown either: the dialogue ends here, and goes on where it was
    /// kept last.
    Lost(Box<Diagnostic>),
}

impl From<String> for RehearsalError {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

impl From<&str> for RehearsalError {
    fn from(why: &str) -> Self {
        Self::Refused(why.to_owned())
    }
}

impl From<Box<Diagnostic>> for RehearsalError {
    fn from(why: Box<Diagnostic>) -> Self {
        Self::Lost(why)
    }
}
