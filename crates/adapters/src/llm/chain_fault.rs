//! Errors in `[llm]`.

use std::ops::Range;

/// An error in `[llm]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainFault {
    /// The location of the provider or pattern, if the error is in one.
    pub at: Option<Range<usize>>,
    /// The dotted key of the provider, or of `[llm]`.
    pub key: Option<String>,
    /// A description, as a sentence.
    pub text: String,
}

impl ChainFault {
    /// An error in a key of a provider. The location is set later.
    pub(super) fn of_key(key: &str, text: String) -> Self {
        Self {
            at: None,
            key: Some(key.to_owned()),
            text,
        }
    }
}
