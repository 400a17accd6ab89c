//! The differences between two turns.

use serde::Serialize;
use serde_json::Value as Json;

use fsmsim_runtime::runtime::TurnNode;

/// The fields of a record that are compared, in the order in which differences are shown.
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

/// A turn that had a different result when it was replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnChange {
    /// The number of the turn's moment in the tree of turns.
    pub number: u32,
    /// The number of the turn.
    pub turn: u32,
    /// The line that describes the turn.
    pub line: String,
    /// The fields that changed.
    pub fields: Vec<RecordDifference>,
}

/// A field that differs between two records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordDifference {
    pub field: &'static str,
    /// The value in the first record.
    pub was: String,
    /// The value in the second record.
    pub is: String,
}

impl RecordDifference {
    /// The fields in which the records of two moments differ.
    pub(super) fn between(one: &TurnNode, other: &TurnNode) -> Vec<Self> {
        let values = values(one).into_iter().zip(values(other));
        COMPARED
            .into_iter()
            .zip(values)
            .filter(|(_, (was, is))| was != is)
            .map(|(field, (was, is))| Self { field, was, is })
            .collect()
    }
}

/// The values of the compared fields in the record of a moment.
fn values(moment: &TurnNode) -> [String; 9] {
    let Some(turn) = moment.report() else {
        return COMPARED.map(|_| shown(&()));
    };
    [
        shown(&turn.state.to),
        shown(&turn.phase.to),
        shown(&turn.action),
        shown(&turn.class),
        shown(&turn.contract_class),
        shown(&turn.data),
        shown(&turn.effects),
        shown(&turn.replies),
        shown(&turn.is_final),
    ]
}

fn shown(value: &impl Serialize) -> String {
    match serde_json::to_value(value).unwrap_or_default() {
        Json::String(text) => text,
        value => value.to_string(),
    }
}
