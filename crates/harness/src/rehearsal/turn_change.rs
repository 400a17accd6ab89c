//! What two turns do otherwise.

use serde::Serialize;
use serde_json::Value as Json;

use fsmsim_runtime::runtime::TurnNode;

/// What of a record tells where a turn led, in the order in which it is told.
const COMPARED: [&str; 9] = [
    "state",
    "phase",
    "action",
    "class",
    "contract_class",
    "data",
    "effects",
    "replies",
    "final",
];

/// A turn that was played again and went otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnChange {
    /// The number of its moment in the tree of turns.
    pub number: u32,
    /// The number of the turn.
    pub turn: u32,
    /// The line by which it was given.
    pub line: String,
    /// What is different.
    pub fields: Vec<RecordDifference>,
}

/// A field of two records that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordDifference {
    /// Its name.
    pub field: &'static str,
    /// What the one says.
    pub was: String,
    /// What the other says.
    pub is: String,
}

impl RecordDifference {
    /// The fields of two moments that are not the same.
    pub(super) fn between(one: &TurnNode, other: &TurnNode) -> Vec<Self> {
        let (one, other) = (record_of(one), record_of(other));
        let value = |record: &Json, field: &str| match record.get(field) {
            Some(Json::Object(step)) if step.contains_key("to") => {
                shown(step.get("to").unwrap_or(&Json::Null))
            }
            Some(value) => shown(value),
            None => "null".to_owned(),
        };
        let fields = COMPARED.into_iter().map(|field| Self {
            field,
            was: value(&one, field),
            is: value(&other, field),
        });
        fields.filter(|change| change.was != change.is).collect()
    }
}

/// The record of a moment.
pub(super) fn record_of(moment: &TurnNode) -> Json {
    serde_json::from_str(&moment.record).unwrap_or_default()
}

fn shown(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
