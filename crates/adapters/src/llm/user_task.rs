//! What somebody is told who plays a user.

use super::utterance::Utterance;
use fsmsim_core::machine::Value;

/// What somebody is told who plays a user: first what is the same for the whole dialogue.
#[derive(Clone, Debug, PartialEq)]
pub struct UserTask<'a> {
    /// Who the user is.
    pub persona: &'a str,
    /// What the user wants.
    pub goal: &'a str,
    /// In which mood the user is; empty where nobody says.
    pub mood: &'a str,
    /// What the user knows, by name.
    pub knows: Vec<(&'a str, &'a Value)>,
    /// What was said so far.
    pub history: &'a [Utterance],
}
