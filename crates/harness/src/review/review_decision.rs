//! Decisions about pending snapshots.

use super::review_entry::ReviewEntry;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// A decision about a pending snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// The pending snapshot becomes the accepted snapshot.
    Accept,
    /// The pending snapshot is deleted, and the accepted snapshot stays.
    Reject,
}

impl ReviewDecision {
    /// Applies the decision immediately.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or was changed after it was shown.
    pub fn carry_out(self, entry: &ReviewEntry) -> Checked {
        let done = match self {
            Self::Accept => entry.snapshot.accept(),
            Self::Reject => entry.snapshot.reject(),
        };
        done.map_err(|error| {
            let path = entry.snapshot.path.display().to_string();
            Box::new(
                Diagnostic::error(
                    Code::CannotWrite,
                    format!("cannot carry out the decision on `{path}`: {error}"),
                )
                .about(path)
                .help("run `fsmsim review` again; earlier decisions are already carried out"),
            )
        })
    }

    /// The decision as a past participle.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accept => "accepted",
            Self::Reject => "rejected",
        }
    }
}
