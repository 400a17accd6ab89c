//! The transitions that dialogues took.

use std::collections::BTreeMap;

use serde_json::Value;

use fsmsim_core::trace::TurnReport;

/// How often the dialogues of a trace took each transition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraversedTransitions {
    /// How many times dialogues entered each state or started in it.
    pub(super) states: BTreeMap<String, u64>,
    /// How many times each transition was taken. Both states are equal if the dialogue stayed.
    pub(super) ways: BTreeMap<(String, String), u64>,
}

impl TraversedTransitions {
    /// Adds a dialogue.
    pub fn add(&mut self, turns: &[TurnReport]) {
        let mut at: Option<&str> = None;
        for turn in turns {
            let from = turn.state.from.as_deref().or(at).unwrap_or_default();
            if at != Some(from) && !from.is_empty() {
                self.begin(from, 1);
            }
            let to = turn.state();
            // Choices, forks and joins are both entered and left within a turn.
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

    /// Adds turns that led from one state to another, or that stayed in a state.
    pub fn add_way(&mut self, from: &str, to: &str, turns: u64) {
        *self
            .ways
            .entry((from.to_owned(), to.to_owned()))
            .or_default() += turns;
        if from != to {
            self.begin(to, turns);
        }
    }

    /// Adds dialogues that started in a state.
    pub fn begin(&mut self, state: &str, dialogues: u64) {
        *self.states.entry(state.to_owned()).or_default() += dialogues;
    }

    /// The states that dialogues entered, by name.
    pub fn states(&self) -> impl Iterator<Item = &str> {
        self.states.keys().map(String::as_str)
    }
}
