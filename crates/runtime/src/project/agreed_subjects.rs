//! The subjects to which the user has agreed.

use std::collections::BTreeSet;

/// The subjects to which the user has agreed, by what they reach for. By default there are none, so that nothing is started and
/// nothing is sent by whoever did not ask.
#[derive(Clone, Debug, Default)]
pub struct AgreedSubjects {
    reaches: BTreeSet<String>,
}

impl AgreedSubjects {
    /// The user agrees to what a subject reaches for.
    pub fn add(&mut self, reach: String) {
        self.reaches.insert(reach);
    }

    /// Whether the user has agreed to it.
    pub fn has(&self, reach: &str) -> bool {
        self.reaches.contains(reach)
    }
}
