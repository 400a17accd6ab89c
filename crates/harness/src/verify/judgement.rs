//! What is said of a trace while it is read.

use super::dialogue_verdict::DialogueVerdict;
use super::finding::Finding;
use fsmsim_core::machine::Profile;

/// What is said of a trace while it is read.
#[derive(Clone, Debug)]
pub enum Judgement<'j> {
    OfDialogue {
        name: &'j str,
        /// The profile in which it was looked at, where that is known.
        profile: Option<Profile>,
        /// What is said of it; nothing where it cannot be used.
        verdict: Option<DialogueVerdict>,
    },
    /// Of all dialogues together.
    OfAll(Vec<Finding>),
}
