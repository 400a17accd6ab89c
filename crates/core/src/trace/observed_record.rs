//! A turn that another system played, and the fields that it has in common with a turn that is played here.

use std::collections::BTreeMap;

use super::{JsonLine, RecordField};
use crate::engine::{RecordView, Sink};
use crate::machine::Value;

/// A turn that another system played, as far as that told of it: fields of a record, and no others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedRecord {
    fields: BTreeMap<RecordField, Value>,
    /// Of data it tells some pieces, and of the others nothing.
    pub tells_some_data: bool,
    /// What it took the user to mean, where it told. The input has it, too, whoever says it.
    pub told_intent: Option<String>,
}

impl ObservedRecord {
    /// A turn of this number, of which nothing is told yet but what went in.
    pub fn new(turn: u32, input: Value) -> Self {
        let mut record = Self::default();
        record.set(RecordField::Turn, Value::Int(turn.into()));
        record.set(RecordField::Input, input);
        record
    }

    /// Tells a field.
    pub fn set(&mut self, field: RecordField, value: Value) {
        self.fields.insert(field, value);
    }

    /// The value of a field, where it is told.
    pub fn get(&self, field: RecordField) -> Option<&Value> {
        self.fields.get(&field)
    }

    /// The fields that are told, in the order of a trace.
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

    /// What was meant, as far as it is known.
    pub fn intent(&self) -> Option<&str> {
        self.get(RecordField::Input)?.get("intent")?.as_text()
    }

    /// Writes the turn as JSON. Keys always come in the same order.
    pub fn write(&self, out: &mut JsonLine) {
        out.object(|out| {
            for (field, value) in self.fields() {
                out.name(field.name()).value(value);
            }
        });
    }
}

/// What is told of a turn, field by field: by us, or by another system as far as it tells.
pub trait ToldFields {
    /// The value of a field; null where it is not told.
    fn value(&self, field: RecordField) -> Value;

    /// The value of a field that is one text. Of `state` and `phase` it is where the turn led.
    fn text(&self, field: RecordField) -> Option<&str>;

    /// Whether the field, which is a list, has items.
    fn has_items(&self, field: RecordField) -> bool;
}

impl ToldFields for RecordView<'_> {
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

impl ToldFields for ObservedRecord {
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
