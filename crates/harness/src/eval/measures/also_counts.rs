//! What is meant besides.

use serde::{Deserialize, Serialize};

use crate::eval::utterance_result::{UtteranceReading, UtteranceResult};

/// How well is read what is meant besides, in utterances whose label says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoCounts {
    /// The utterances.
    pub utterances: u64,
    /// Intents that are meant besides.
    pub labelled: u64,
    /// Those of them that were read besides.
    pub found: u64,
    /// Intents that were read besides and are not meant.
    pub invented: u64,
    /// Utterances of which one that is meant besides was read as the first.
    pub swapped: u64,
}

impl AlsoCounts {
    /// Of what a reader read; nothing, where no label says anything.
    pub(super) fn of<'r>(
        read: impl Iterator<Item = (&'r UtteranceResult, &'r UtteranceReading)>,
    ) -> Option<Self> {
        let mut counts = Self::default();
        for (utterance, reading) in read {
            let Some(also) = &utterance.also else {
                continue;
            };
            counts.utterances += 1;
            counts.labelled += also.len() as u64;
            counts.found += also
                .iter()
                .filter(|intent| reading.also.contains(intent))
                .count() as u64;
            let is_meant = |intent: &&String| also.contains(intent) || **intent == utterance.intent;
            counts.invented += reading
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
