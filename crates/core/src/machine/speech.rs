//! What a machine says by itself (docs/effects.md, "What is said").

use super::id::SlotId;
use super::text_template::TextTemplate;

/// A message of the assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speech {
    /// These words.
    Text(Box<str>),
    /// A text with what is known in it; where something of it is not known, it is not said.
    Filled {
        text: TextTemplate,
        /// Somebody finds other words for it.
        is_phrased: bool,
    },
    /// What is known, between a beginning and an end.
    Known {
        /// What is said before it.
        before: Box<str>,
        /// What is told, a line each: what it is called, and where it is kept. What is not known is left out.
        told: Box<[(Box<str>, SlotId)]>,
        /// What is said behind it.
        behind: Box<str>,
    },
    /// Words that somebody finds.
    Phrase {
        /// What is to be said.
        about: Box<str>,
        /// Where the turn brings what was missing in what was said, for words that ask for it: a list of texts.
        missing: Option<SlotId>,
        /// The words where nobody finds any.
        otherwise: Option<Box<str>>,
    },
}

impl Speech {
    /// Whether somebody outside may have to find the words.
    pub(super) fn asks(&self) -> bool {
        matches!(
            self,
            Self::Phrase { .. }
                | Self::Filled {
                    is_phrased: true,
                    ..
                }
        )
    }
}
