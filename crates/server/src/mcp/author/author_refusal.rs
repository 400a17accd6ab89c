//! Why a tool does not do what it is called for, for the model that called it.

use super::client_words::{in_client_words, with_addresses};
use fsmsim_harness::rehearsal::RehearsalError;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap, render};

/// Why a tool does not do what it is called for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AuthorRefusal {
    /// With places and remedies, as a terminal shows it.
    pub(super) text: String,
}

impl AuthorRefusal {
    /// What was found about files.
    pub(super) fn of(found: &Diagnostics, sources: &SourceMap) -> Self {
        Self {
            text: with_addresses(render(found, sources, false).trim_end()),
        }
    }
}

impl From<String> for AuthorRefusal {
    fn from(text: String) -> Self {
        Self {
            text: text.trim_end().to_owned(),
        }
    }
}

impl From<&str> for AuthorRefusal {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<Diagnostic> for AuthorRefusal {
    fn from(finding: Diagnostic) -> Self {
        Self::of(&Diagnostics::of(finding), &SourceMap::default())
    }
}

impl From<Box<Diagnostic>> for AuthorRefusal {
    fn from(finding: Box<Diagnostic>) -> Self {
        Self::from(*finding)
    }
}

impl From<RehearsalError> for AuthorRefusal {
    fn from(why: RehearsalError) -> Self {
        match why {
            RehearsalError::Refused(why) => Self::from(in_client_words(&why)),
            RehearsalError::Lost(finding) => Self::from(finding),
        }
    }
}
