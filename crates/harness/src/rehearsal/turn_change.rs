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
        let values = values(one).into_iter().zip(values(other));
        COMPARED
            .into_iter()
            .zip(values)
            .filter(|(_, (was, is))| was != is)
            .map(|(field, (was, is))| Self { field, was, is })
            .collect()
    }
}

/// What the record of a moment says in the fields that are compared.
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
