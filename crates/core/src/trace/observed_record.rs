//! A turn of an external system, and the fields that it shares with a simulated turn.

use std::collections::BTreeMap;

use super::{JsonLine, RecordField};
use crate::engine::{RecordView, Sink};
use crate::machine::Value;

/// A turn of an external system: the fields of a record that the system reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedRecord {
    fields: BTreeMap<RecordField, Value>,
    /// Whether the system reported only part of its data.
    pub tells_some_data: bool,
    /// The intent that the system recognized, if reported. The intent in the input can have a different source.
    pub told_intent: Option<String>,
}

impl ObservedRecord {
    /// Creates a record that has only the number and the input of the turn.
    pub fn new(turn: u32, input: Value) -> Self {
        let mut record = Self::default();
        record.set(RecordField::Turn, Value::Int(turn.into()));
        record.set(RecordField::Input, input);
        record
    }

    pub fn set(&mut self, field: RecordField, value: Value) {
        self.fields.insert(field, value);
    }

    /// The value of a field, if reported.
    pub fn get(&self, field: RecordField) -> Option<&Value> {
        self.fields.get(&field)
    }

    /// The reported fields, in the order of a trace.
    pub fn fields(&self) -> impl Iterator<Item = (RecordField, &Value)> {
        self.fields.iter().map(|(field, value)| (*field, value))
    }

    /// The number of the turn.
    pub fn turn(&self) -> u32 {
        match self.get(RecordField::Turn) {
            Some(Value::Int(turn)) => u32::try_from(*turn).unwrap_or_default(),
            _ => 0,
        }
    }

    /// The intent, if known.
    pub fn intent(&self) -> Option<&str> {
        self.get(RecordField::Input)?.get("intent")?.as_text()
    }

    /// Writes the turn as JSON. Keys always have the same order.
    pub fn write(&self, out: &mut JsonLine) {
        out.object(|out| {
            for (field, value) in self.fields() {
                out.name(field.name()).value(value);
            }
        });
    }
}

/// The fields of a recorded turn: complete for a simulated turn, partial for a turn of an external system.
pub trait RecordedFields {
    /// The value of a field; null if it is not reported.
    fn value(&self, field: RecordField) -> Value;

    /// The value of a text field. For `state` and `phase`, this is the value after the turn.
    fn text(&self, field: RecordField) -> Option<&str>;

    /// Whether a list field has items.
    fn has_items(&self, field: RecordField) -> bool;
}

impl RecordedFields for RecordView<'_> {
    fn value(&self, field: RecordField) -> Value {
        field.value(self)
    }

    fn text(&self, field: RecordField) -> Option<&str> {
        field.text(self)
    }

    fn has_items(&self, field: RecordField) -> bool {
        field.has_items(self)
    }
}

impl RecordedFields for ObservedRecord {
    fn value(&self, field: RecordField) -> Value {
        match field {
            RecordField::Intent => self
                .told_intent
                .as_deref()
                .map(Value::text)
                .unwrap_or_default(),
            _ => self.get(field).cloned().unwrap_or_default(),
        }
    }

    fn text(&self, field: RecordField) -> Option<&str> {
        if field == RecordField::Intent {
            return self.told_intent.as_deref();
        }
        let value = self.get(field)?;
        value.as_text().or_else(|| value.get("to")?.as_text())
    }

    fn has_items(&self, field: RecordField) -> bool {
        self.get(field)
            .and_then(Value::list)
            .is_some_and(|list| list.iter().next().is_some())
    }
}
