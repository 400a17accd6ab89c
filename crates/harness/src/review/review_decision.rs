//! Decisions about pending snapshots.

use super::review_entry::ReviewEntry;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// A decision about a pending snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// The pending snapshot becomes the accepted snapshot, and failed expectations are replaced.
    Accept,
    /// The pending snapshot is deleted. The accepted snapshot and the expectations stay.
    Reject,
}

impl ReviewDecision {
    /// Applies the decision immediately.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, or was changed after it was shown.
    pub fn carry_out(self, entry: &ReviewEntry) -> Checked {
        let Some(snapshot) = &entry.snapshot else {
            return Ok(());
        };
        let done = match self {
            Self::Accept => snapshot.accept(),
            Self::Reject => snapshot.reject(),
        };
        done.map_err(|error| {
            let path = snapshot.path.display().to_string();
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
