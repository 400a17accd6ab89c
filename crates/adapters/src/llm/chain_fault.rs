//! What is wrong with `[llm]`.

use std::ops::Range;

/// What is wrong with `[llm]`, and with which key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainFault {
    /// Where the link, or the pattern, stands, if it is about one.
    pub at: Option<Range<usize>>,
    /// The key, of the link or else of `[llm]`; with dots, one inside another.
    pub key: Option<String>,
    /// What is wrong, in a sentence.
    pub text: String,
}

impl ChainFault {
    /// A fault of a key of a link whose place is still to be said.
    pub(super) fn of_key(key: &str, text: String) -> Self {
        Self {
            at: None,
            key: Some(key.to_owned()),
            text,
        }
    }
}
