//! Fields that a trace tells only where they change.

use std::borrow::Cow;

use super::borrowed_json::BorrowedJson;
use crate::limits::{MAX_CARRIED_VALUES, MAX_FIELD_NAMES};
use fsmsim_core::trace::RecordField;

/// Fields that a trace tells only where they change, as they are so far in a dialogue.
#[derive(Debug, Default)]
pub(super) struct StayingFields<'a> {
    fields: Vec<(RecordField, BorrowedJson<'a>)>,
    carried: usize,
}

impl<'a> StayingFields<'a> {
    /// A field after a turn that tells `told` of it: of a map the keys that it names, and null takes one away.
    pub(super) fn after(
        &mut self,
        field: RecordField,
        told: Option<BorrowedJson<'a>>,
    ) -> Result<Option<BorrowedJson<'a>>, String> {
        let at = self.fields.iter().position(|(known, _)| *known == field);
        let known = at.map_or(BorrowedJson::Null, |at| self.fields.swap_remove(at).1);
        let now = match (known, told) {
            (known, None) => known,
            (BorrowedJson::Map(known), Some(BorrowedJson::Map(told))) => merged(known, told),
            (_, Some(BorrowedJson::Map(told))) => merged(Vec::new(), told),
            (_, Some(told)) => told,
        };
        if now.entries().len() > MAX_FIELD_NAMES {
            return Err(format!(
                "`{}` holds more than {MAX_FIELD_NAMES} names",
                field.name()
            ));
        }
        self.carried += size(&now);
        if self.carried > MAX_CARRIED_VALUES {
            return Err(format!(
                "`{}` is too much to be carried from turn to turn",
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

/// The pairs of a map with those that are told of it.
fn merged<'a>(
    mut known: Vec<(Cow<'a, str>, BorrowedJson<'a>)>,
    told: Vec<(Cow<'a, str>, BorrowedJson<'a>)>,
) -> BorrowedJson<'a> {
    for (key, value) in told {
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

/// How many values there are in one.
fn size(value: &BorrowedJson<'_>) -> usize {
    1 + match value {
        BorrowedJson::List(items) => items.iter().map(size).sum(),
        BorrowedJson::Map(pairs) => pairs.iter().map(|(_, value)| size(value)).sum(),
        _ => 0,
    }
}
