//! Something that is counted: what it is, where it is written, how a dialogue comes to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coverage_kind::CoverageKind;
use super::reach::Reach;

/// What is counted, and where it is written. What comes to several states from one written place is one item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ItemKey {
    /// What it is.
    pub kind: CoverageKind,
    /// The file, from the project; empty where it is written nowhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub column: u32,
    /// What it is called.
    pub name: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How often dialogues came to something, and on which ways.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemCount {
    /// Turns.
    pub hits: u64,
    /// Scenarios.
    pub scenarios: u64,
    /// The ways on which a dialogue can come to it, with the turns of each: the state that has it, and through which mixin
    /// or parent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub via: BTreeMap<String, u64>,
    /// Whether a dialogue can come to it.
    #[serde(default, skip_serializing_if = "is_possible")]
    pub reach: Reach,
}

fn is_possible(reach: &Reach) -> bool {
    *reach == Reach::Possible
}

/// What is said of something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageVerdict<'c> {
    /// A turn came to it.
    Covered,
    /// None did.
    Missed,
    /// None did, and nobody knows whether one can.
    Unknown,
    /// None can, and why.
    Unreachable(&'c str),
}

impl ItemCount {
    /// What is said of it. What was come to can be reached, whatever is known of it.
    pub fn verdict(&self) -> CoverageVerdict<'_> {
        match &self.reach {
            _ if self.hits > 0 => CoverageVerdict::Covered,
            Reach::Possible => CoverageVerdict::Missed,
            Reach::Unknown => CoverageVerdict::Unknown,
            Reach::Never(why) => CoverageVerdict::Unreachable(why),
        }
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, other: Self) {
        self.hits += other.hits;
        self.scenarios += other.scenarios;
        for (way, turns) in other.via {
            *self.via.entry(way).or_default() += turns;
        }
        self.reach = std::mem::take(&mut self.reach).or(other.reach);
    }
}
