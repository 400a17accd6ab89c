//! Consent: what the user lets the assistant do with the digital twin (docs/markdown.md, "Data and consent").

use crate::machine::ConsentKind;

/// What the user said about the data of the digital twin: nothing, yes or no, for reading and for writing apart. Either
/// can be withdrawn at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Consent {
    /// Data may be read.
    pub read: Option<bool>,
    /// Data may be written.
    pub write: Option<bool>,
}

impl Consent {
    /// Whether anything was said.
    pub fn is_said(self) -> bool {
        self.read.is_some() || self.write.is_some()
    }

    /// What was said about one of them.
    pub(in crate::engine) fn word(self, kind: ConsentKind) -> Option<bool> {
        match kind {
            ConsentKind::Read => self.read,
            ConsentKind::Write => self.write,
        }
    }

    /// What holds after more was said: the last word counts.
    pub fn then(self, later: Self) -> Self {
        Self {
            read: later.read.or(self.read),
            write: later.write.or(self.write),
        }
    }
}
