//! Which ways dialogues took.

use std::collections::BTreeMap;

use serde_json::Value;

use fsmsim_core::trace::TurnReport;

/// Which ways the dialogues of a trace took, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedWays {
    /// How often dialogues came to a state, or began in it.
    pub(super) states: BTreeMap<String, u64>,
    /// How often they went from one state to another, or stayed where the two are one.
    pub(super) ways: BTreeMap<(String, String), u64>,
}

impl PassedWays {
    /// Adds a dialogue.
    pub fn add(&mut self, turns: &[TurnReport]) {
        let mut at: Option<&str> = None;
        for turn in turns {
            let from = turn.state.from.as_deref().or(at).unwrap_or_default();
            if at != Some(from) && !from.is_empty() {
                self.begin(from, 1);
            }
            let to = turn.state();
            // Choices, forks and joins are passed inside a turn.
            let nodes = turn
                .path
                .iter()
                .filter_map(Value::as_str)
                .filter(|node| *node != from && *node != to);
            let mut last = from;
            for next in nodes.chain([to]) {
                self.add_way(last, next, 1);
                last = next;
            }
            at = Some(to);
        }
    }

    /// Adds turns that led from a state to another, or stayed.
    pub fn add_way(&mut self, from: &str, to: &str, turns: u64) {
        *self
            .ways
            .entry((from.to_owned(), to.to_owned()))
            .or_default() += turns;
        if from != to {
            self.begin(to, turns);
        }
    }

    /// Adds dialogues that began in a state.
    pub fn begin(&mut self, state: &str, dialogues: u64) {
        *self.states.entry(state.to_owned()).or_default() += dialogues;
    }

    /// The states that were passed, by name.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        self.states.keys().map(String::as_str)
    }
}
