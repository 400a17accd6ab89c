//! What is said of a dialogue that was held against a model.

use super::finding::{Finding, Sighting};
use fsmsim_core::machine::Profile;

/// What is said of a dialogue that was held against a model.
#[derive(Clone, Debug, Default)]
pub struct DialogueVerdict {
    /// How many turns it has.
    pub turns: usize,
    /// What speaks against it.
    pub findings: Vec<Finding>,
    /// What was seen of each property of the model, in its order.
    pub sightings: Vec<Sighting>,
}

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
