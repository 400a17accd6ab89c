//! A turn in a task.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use fsmsim_core::engine::{Input, Machine, ScriptedTurn, Symbol, TurnData};
use fsmsim_core::machine::Value;

/// A turn in a task: an event with data. Its JSON line is saved while the turn runs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct TaskTurn {
    pub event: String,
    /// The data of the event.
    #[serde(default)]
    pub data: Map<String, Json>,
    /// The time of the event.
    pub at: Option<String>,
}

impl TaskTurn {
    /// An event without data.
    pub(super) fn of(event: &str, at: Option<&str>) -> Self {
        Self {
            event: event.to_owned(),
            data: Map::new(),
            at: at.map(str::to_owned),
        }
    }

    /// Adds a data field, unless the value is null.
    pub(super) fn bringing(mut self, name: &str, value: impl Serialize) -> Self {
        let value = json!(value);
        if !value.is_null() {
            self.data.insert(name.to_owned(), value);
        }
        self
    }

    /// Parses the line of a turn.
    pub(super) fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    pub(super) fn line(&self) -> String {
        json!(self).to_string()
    }

    /// The turn as a scripted turn.
    pub(super) fn scripted(&self, machine: &Machine) -> ScriptedTurn {
        let names = &machine.names;
        let slot_value = |(name, value): (&String, &Json)| {
            (Symbol::of(name, &names.slots), Value::from(value.clone()))
        };
        let values: Vec<_> = self.data.iter().map(slot_value).collect();
        let input = Input {
            intent: Some(Symbol::of(&self.event, &names.intents)),
            data: if values.is_empty() {
                TurnData::Absent
            } else {
                TurnData::Given(values)
            },
            at: self.at.as_deref().map(Into::into),
            ..Input::default()
        };
        ScriptedTurn::from(input)
    }
}

/// The event that starts a task.
pub(super) const SUBMIT: &str = "submit";

/// The event that records an observation.
pub(super) const OBSERVE: &str = "observe";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_round_trips_through_its_line() {
        let turn = TaskTurn::of("tick", Some("2026-01-31T18:00:00Z"))
            .bringing("plan", json!(["a", {"b": "c\n"}]));
        assert_eq!(TaskTurn::read(&turn.line()), Some(turn));
        assert_eq!(TaskTurn::read("tick plan=a"), None);
    }
}
