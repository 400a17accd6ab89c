//! What a machine says by itself (docs/effects.md, "What is said").

/// A message of the assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speech {
    /// These words.
    Text(Box<str>),
    /// Words that somebody finds.
    Phrase {
        /// What is to be said.
        about: Box<str>,
        /// The words where nobody finds any.
        otherwise: Option<Box<str>>,
    },
}
