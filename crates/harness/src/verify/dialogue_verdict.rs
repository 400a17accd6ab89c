//! The verdict on a dialogue.

use std::collections::BTreeMap;

use super::finding::{Finding, Sighting};
use super::import::{ObservedText, TraceMap};
use fsmsim_core::machine::Profile;

/// The verdict on a dialogue that was checked against a model.
#[derive(Clone, Debug, Default)]
pub struct DialogueVerdict {
    /// The number of turns.
    pub turns: usize,
    /// The violations and differences.
    pub findings: Vec<Finding>,
    /// The observations about each property of the model, in the order of the properties.
    pub sightings: Vec<Sighting>,
    /// The number of turns in which each field has a wrong type, so that it was not checked.
    pub not_checked: BTreeMap<&'static str, u64>,
    /// The number of known findings, which `findings` does not contain.
    pub known: u64,
}

/// A verdict that is reported while the trace is still being read.
#[derive(Clone, Debug)]
pub enum Judgement<'j> {
    OfDialogue {
        /// The name of the trace.
        trace: &'j str,
        text: &'j ObservedText,
        map: Option<&'j TraceMap>,
        /// The profile used for checking the dialogue, if known.
        profile: Option<Profile>,
        /// The verdict; `None` if the dialogue is invalid.
        verdict: Option<DialogueVerdict>,
    },
    /// The next verdict can take long.
    Pause,
    /// Findings about all dialogues of the traces together.
    OfAll(Vec<Finding>),
}
