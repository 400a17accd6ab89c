//! What is said of a dialogue that was held against a model.

use super::finding::Finding;
use super::property_watch::Sighting;

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
