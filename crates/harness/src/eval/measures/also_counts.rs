//! Scores of secondary intents.

use serde::{Deserialize, Serialize};

use crate::eval::utterance_result::{UtteranceReading, UtteranceResult};

/// Scores of secondary intents, for utterances whose labels specify them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoCounts {
    pub utterances: u64,
    /// Labeled secondary intents.
    pub support: u64,
    /// Labeled secondary intents that were recognized.
    pub found: u64,
    /// Recognized secondary intents that are not labeled.
    pub spurious: u64,
    /// Utterances for which a secondary intent was recognized as the primary intent.
    pub swapped: u64,
}

impl AlsoCounts {
    /// Scores the readings of a recognizer. Returns `None` if no label specifies secondary intents.
    pub(super) fn of<'r>(
        read: impl Iterator<Item = (&'r UtteranceResult, &'r UtteranceReading)>,
    ) -> Option<Self> {
        let mut counts = Self::default();
        for (utterance, reading) in read {
            let Some(also) = &utterance.also else {
                continue;
            };
            counts.utterances += 1;
            counts.support += also.len() as u64;
            counts.found += also
                .iter()
                .filter(|intent| reading.also.contains(intent))
                .count() as u64;
            let is_meant = |intent: &&String| also.contains(intent) || **intent == utterance.intent;
            counts.spurious += reading
                .also
                .iter()
                .filter(|intent| !is_meant(intent))
                .count() as u64;
            counts.swapped += u64::from(
                reading
                    .intent
                    .as_ref()
                    .is_some_and(|intent| also.contains(intent)),
            );
        }
        (counts.utterances > 0).then_some(counts)
    }
}
