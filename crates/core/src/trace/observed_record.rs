//! A turn that another system played.

use std::collections::BTreeMap;

use super::json_line::JsonLine;
use super::record_field::RecordField;
use crate::engine::Sink;
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
