//! A turn of a task, as a client brings it about.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use fsmsim_core::engine::{Input, Machine, ScriptedTurn, Symbol, TurnData};
use fsmsim_core::machine::Value;

/// A turn of a task: an event with what it brings. As a line it is kept while it goes on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub(super) struct TaskTurn {
    /// The event.
    pub(super) event: String,
    /// What it brings.
    #[serde(default)]
    pub(super) data: Map<String, Json>,
    /// The time that comes with it.
    pub(super) at: Option<String>,
}

impl TaskTurn {
    /// An event that brings nothing.
    pub(super) fn of(event: &str, at: Option<&str>) -> Self {
        Self {
            event: event.to_owned(),
            data: Map::new(),
            at: at.map(str::to_owned),
        }
    }

    /// The same, bringing this; nothing where the value is null.
    pub(super) fn bringing(mut self, name: &str, value: impl Serialize) -> Self {
        let value = json!(value);
        if !value.is_null() {
            self.data.insert(name.to_owned(), value);
        }
        self
    }

    /// Reads the line of a turn.
    pub(super) fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    pub(super) fn line(&self) -> String {
        json!(self).to_string()
    }

    /// The turn as it is played.
    pub(super) fn scripted(&self, machine: &Machine) -> ScriptedTurn {
        let names = &machine.names;
        let brought = |(name, value): (&String, &Json)| {
            (Symbol::of(name, &names.slots), Value::from(value.clone()))
        };
        let values: Vec<_> = self.data.iter().map(brought).collect();
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

/// The event by which a task begins.
pub(super) const SUBMIT: &str = "submit";

/// The event by which something is observed.
pub(super) const OBSERVE: &str = "observe";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_turn_again() {
        let turn = TaskTurn::of("tick", Some("2026-01-31T18:00:00Z"))
            .bringing("plan", json!(["a", {"b": "c\n"}]));
        assert_eq!(TaskTurn::read(&turn.line()), Some(turn));
        assert_eq!(TaskTurn::read("tick plan=a"), None);
    }
}
