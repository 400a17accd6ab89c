//! When a reading is taken as it is, and when it is asked about.

use std::sync::Arc;

use super::reading_doubt::ConfidenceThresholds;
use crate::machine::IntentId;

/// How readings that come from outside are taken (docs/models.md, "In doubt"). All of it is configuration.
#[derive(Clone, Debug, Default)]
pub struct DisambiguationRules {
    /// How certain a reading must be.
    pub thresholds: ConfidenceThresholds,
    /// The most options that are offered, the last one (none of them) included.
    pub most_options: usize,
    /// The least confidence of an option.
    pub least_option: f64,
    /// Turns between two questions.
    pub cooldown: u32,
    /// Intents that are no option.
    pub excluded: Box<[Box<str>]>,
    /// Intents that stand beside others in one utterance, so that these make them no less certain.
    pub social: Box<[Box<str>]>,
    /// Intents that are carried out however uncertain they are.
    pub bypass: Box<[Box<str>]>,
    /// The question, where the configuration has one.
    pub question: Option<Arc<str>>,
    /// The intent of a turn that asks back.
    pub ambiguous: Option<IntentId>,
}
