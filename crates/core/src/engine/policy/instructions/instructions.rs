//! Instructions: what guides an assistant that moves by its own word, and what its replies may hold.

use regex::Regex;

use crate::engine::policy::Guidance;
use crate::machine::StateId;

/// What guides the assistant, and what its replies may hold.
#[derive(Clone, Debug, Default)]
pub struct Instructions {
    /// What guides it.
    pub guidance: Guidance,
    /// What a reply may hold, and how often.
    pub limits: Box<[ReplyLimit]>,
}

/// How often something may stand in the replies of one visit to a state.
#[derive(Clone, Debug)]
pub struct ReplyLimit {
    /// What it is called in findings.
    pub name: Box<str>,
    /// One occurrence.
    pub pattern: Regex,
    /// The fewest occurrences, once the state is left.
    pub least: Option<u32>,
    /// The most occurrences.
    pub most: Option<u32>,
    /// The states that it is for; all, where none is named.
    pub states: Box<[StateId]>,
}

impl ReplyLimit {
    /// Whether it is for a state.
    pub(super) fn is_for(&self, state: StateId) -> bool {
        self.states.is_empty() || self.states.contains(&state)
    }
}
