//! Kinds of differences between two turns.

use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What a difference is about, the weightiest kind first: of several in one turn, the first gives its name to all.
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
    /// One side has a turn more.
    Turns,
    /// Where the dialogue is: `state`, `path`, `branches`, `return_state`, `final`.
    State,
    /// `phase`.
    Phase,
    /// `class` and `contract_class`.
    Class,
    /// `carryover` and `frames`.
    Carryover,
    /// `action` and `reply`.
    Action,
    /// `effects`.
    Effect,
    /// What is known and counted: `data`, `points`, `missing`, `counters`, `turn_number`, `answers`, `faults`, `events`.
    Data,
    /// Who decided and why, where that came to the same: `why`, `by`, `merge`, `rejected`.
    Reason,
    /// What went in, its wording included.
    Input,
}

impl DifferenceKind {
    /// The name in options and results.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
