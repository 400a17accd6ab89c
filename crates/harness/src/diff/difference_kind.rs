//! Kinds of differences between two turns.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The kind of a difference, the most important first. The first kind that occurs in a turn applies to the whole turn.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DifferenceKind {
    /// One side has an additional turn.
    Turns,
    /// The current state: `state`, `path`, `branches`, `return_state`, `final`.
    State,
    /// `phase`.
    Phase,
    /// `class` and `contract_class`.
    Class,
    /// `carryover` and `frames`.
    Carryover,
    /// `action` and `replies`.
    Action,
    /// `effects`.
    Effect,
    /// Data and counters: `data`, `points`, `missing`, `optional_data`, `goal`, `counters`, `go_back_history`,
    /// `turn_number`, `answers`, `violations`, `events`.
    Data,
    /// The reasons for the same outcome: `why`, `by`, `merge`, `rejected`.
    Reason,
    /// The input, including how it was worded.
    Input,
}

impl DifferenceKind {
    /// The name in options and results.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
