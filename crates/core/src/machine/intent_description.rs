//! What an intent means, in words.

/// What an intent means, for people, models and whoever compares words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentDescription {
    /// What it stands for; empty where nobody says.
    pub description: Box<str>,
    /// What people say who mean it.
    pub examples: Box<[Box<str>]>,
    /// Other intents that it is easily taken for, each with what tells them apart.
    pub confused_with: Box<[(Box<str>, Box<str>)]>,
}

impl IntentDescription {
    /// Whether anything is said about the intent.
    pub fn is_given(&self) -> bool {
        !self.description.is_empty() || !self.examples.is_empty()
    }
}
