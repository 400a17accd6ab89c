//! What becomes of a snapshot that waits.

use super::review_entry::ReviewEntry;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic};

/// What becomes of a snapshot that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// It is the snapshot from now on.
    Accept,
    /// It goes, and the snapshot stays.
    Reject,
}

impl ReviewDecision {
    /// Carries it out, at once.
    ///
    /// # Errors
    /// The finding about a file that cannot be written, or is not what was shown any more.
    pub fn carry_out(self, entry: &ReviewEntry) -> Checked {
        let done = match self {
            Self::Accept => entry.accept(),
            Self::Reject => entry.reject(),
        };
        done.map_err(|error| {
            let path = entry.snapshot.path.display().to_string();
            let title = format!("`{path}` cannot be decided: {error}");
            let finding = Diagnostic::error(Code::CannotWrite, title).about(path);
            Box::new(finding.help("what was decided before it stays decided"))
        })
    }

    /// What was done.
    pub fn word(self) -> &'static str {
        match self {
            Self::Accept => "accepted",
            Self::Reject => "rejected",
        }
    }
}
