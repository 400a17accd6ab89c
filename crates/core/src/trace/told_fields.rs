//! What is told of a turn, whoever played it.

use super::observed_record::ObservedRecord;
use super::record_field::RecordField;
use crate::engine::RecordView;
use crate::machine::Value;

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
