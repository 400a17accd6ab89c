//! Phrases: what is said becomes what is meant where a pattern says so.

use fsmsim_syntax::diagnostic::Span;
use regex::{Captures, Regex};

use super::id::{ConditionId, IntentId};

/// What is meant, and the phrases that say it.
#[derive(Clone, Debug)]
pub struct PhraseReading {
    /// What is meant.
    pub intent: IntentId,
    /// Where it is declared.
    pub span: Span,
    /// It is only meant where this holds.
    pub when: Option<ConditionId>,
    /// It is what is meant where nobody can read what was said.
    pub otherwise: bool,
    /// The phrases; named groups are data that the phrase brings.
    pub patterns: Box<[Regex]>,
}

/// A phrase that was found in what was said.
#[derive(Debug)]
pub struct FoundPhrase<'m, 's> {
    /// What is meant.
    pub intent: IntentId,
    /// It is only meant where this holds.
    pub when: Option<ConditionId>,
    pub pattern: &'m Regex,
    /// What its groups hold.
    pub groups: Captures<'s>,
}

/// The phrases that are found in what was said: of each reading the first, in the order of the readings.
pub(super) fn find<'m, 's>(
    readings: &'m [PhraseReading],
    say: &'s str,
) -> impl Iterator<Item = FoundPhrase<'m, 's>> {
    readings.iter().filter_map(move |reading| {
        reading.patterns.iter().find_map(|pattern| {
            let groups = pattern.captures(say)?;
            Some(FoundPhrase {
                intent: reading.intent,
                when: reading.when,
                pattern,
                groups,
            })
        })
    })
}
