//! The prompt data for playing a user.

use super::utterance::Utterance;
use fsmsim_core::machine::Value;

/// The prompt data for playing a user. Data that is the same for the complete dialogue comes first.
#[derive(Clone, Debug, PartialEq)]
pub struct UserTask<'a> {
    /// The description of the user.
    pub persona: &'a str,
    /// The goal of the user.
    pub goal: &'a str,
    /// The mood of the user, or empty.
    pub mood: &'a str,
    /// The knowledge of the user, by name.
    pub knows: Vec<(&'a str, &'a Value)>,
    /// The utterances so far.
    pub history: &'a [Utterance],
}
