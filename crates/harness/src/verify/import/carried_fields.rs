//! Fields that a trace records only when they change.

use std::borrow::Cow;

use super::borrowed_json::BorrowedJson;
use crate::limits::{MAX_CARRIED_VALUES, MAX_FIELD_NAMES};
use fsmsim_core::trace::RecordField;

/// The current values of fields that a trace records only when they change.
#[derive(Debug, Default)]
pub(in crate::verify) struct CarriedFields<'a> {
    fields: Vec<(RecordField, BorrowedJson<'a>)>,
    carried: usize,
}

impl<'a> CarriedFields<'a> {
    /// Restores the fields of a JSON map.
    pub(in crate::verify) fn restored(fields: &BorrowedJson<'a>) -> Self {
        let pairs = fields.entries().iter();
        let fields =
            pairs.filter_map(|(name, value)| Some((RecordField::from_name(name)?, value.clone())));
        Self {
            fields: fields.collect(),
            carried: 0,
        }
    }

    /// The current values, by the name of the field.
    pub(in crate::verify) fn iter(
        &self,
    ) -> impl Iterator<Item = (&'static str, &BorrowedJson<'a>)> {
        self.fields
            .iter()
            .map(|(field, value)| (field.name(), value))
    }

    /// The value of a field after a turn in which `recorded` is the recorded value. In a map, only the recorded keys
    /// change, and `null` removes a key.
    pub(super) fn after(
        &mut self,
        field: RecordField,
        recorded: Option<BorrowedJson<'a>>,
    ) -> Result<Option<BorrowedJson<'a>>, String> {
        let at = self.fields.iter().position(|(known, _)| *known == field);
        let known = at.map_or(BorrowedJson::Null, |at| self.fields.swap_remove(at).1);
        let now = match (known, recorded) {
            (known, None) => known,
            (BorrowedJson::Map(known), Some(BorrowedJson::Map(recorded))) => {
                merged(known, recorded)
            }
            (_, Some(BorrowedJson::Map(recorded))) => merged(Vec::new(), recorded),
            (_, Some(recorded)) => recorded,
        };
        if now.entries().len() > MAX_FIELD_NAMES {
            return Err(format!(
                "too many names in `{}`: limit {MAX_FIELD_NAMES}",
                field.name()
            ));
        }
        self.carried += size(&now);
        if self.carried > MAX_CARRIED_VALUES {
            return Err(format!(
                "`{}` is too large to carry from turn to turn",
                field.name()
            ));
        }
        if at.is_none() && now.is_null() {
            return Ok(None);
        }
        self.fields.push((field, now.clone()));
        Ok(Some(now))
    }
}

/// Merges recorded pairs into a map of known pairs.
fn merged<'a>(
    mut known: Vec<(Cow<'a, str>, BorrowedJson<'a>)>,
    recorded: Vec<(Cow<'a, str>, BorrowedJson<'a>)>,
) -> BorrowedJson<'a> {
    for (key, value) in recorded {
        let has_room = known.len() <= MAX_FIELD_NAMES;
        match known.iter_mut().find(|(name, _)| *name == key) {
            Some((_, place)) => *place = value,
            None if has_room => known.push((key, value)),
            None => {}
        }
    }
    known.retain(|(_, value)| !value.is_null());
    BorrowedJson::Map(known)
}

/// The number of values inside a value, including itself.
fn size(value: &BorrowedJson<'_>) -> usize {
    1 + match value {
        BorrowedJson::List(items) => items.iter().map(size).sum(),
        BorrowedJson::Map(pairs) => pairs.iter().map(|(_, value)| size(value)).sum(),
        _ => 0,
    }
}
