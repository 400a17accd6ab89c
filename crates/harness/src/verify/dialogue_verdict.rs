//! The verdict on a dialogue.

use super::finding::{Finding, Sighting};
use fsmsim_core::machine::Profile;

/// The verdict on a dialogue that was checked against a model.
#[derive(Clone, Debug, Default)]
pub struct DialogueVerdict {
    /// The number of turns.
    pub turns: usize,
    /// The violations and differences.
    pub findings: Vec<Finding>,
    /// The observations of each property of the model, in the order of the properties.
    pub sightings: Vec<Sighting>,
}

/// A verdict that is reported while a trace is read.
#[derive(Clone, Debug)]
pub enum Judgement<'j> {
    OfDialogue {
        name: &'j str,
        /// The profile that the dialogue was checked with, if it is known.
        profile: Option<Profile>,
        /// The verdict; `None` if the dialogue is invalid.
        verdict: Option<DialogueVerdict>,
    },
    /// The findings about all dialogues together.
    OfAll(Vec<Finding>),
}
