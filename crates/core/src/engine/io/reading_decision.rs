//! How a reading from outside is taken.

use strum::IntoStaticStr;

/// How a reading from outside is taken that says how certain it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReadingDecision {
    /// It is carried out.
    Execute,
    /// It is asked whether this one was meant.
    Confirm,
    /// It is asked which one was meant.
    Disambiguate,
    /// It is too uncertain to be asked about: nothing was understood.
    Fallback,
}

impl ReadingDecision {
    /// The name, as traces write it.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
