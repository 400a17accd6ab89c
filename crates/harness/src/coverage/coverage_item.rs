//! Counted items: their kind, their location, and the paths to them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::coverage_kind::CoverageKind;
use super::reach::Reach;

/// The kind and the location of a counted item. States that share a definition share its items.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ItemKey {
    pub kind: CoverageKind,
    /// The file, relative to the project. Empty if it has no location.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "fsmsim_syntax::document::is_default")]
    pub line: u32,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "fsmsim_syntax::document::is_default")]
    pub column: u32,
    pub name: String,
}

/// How often dialogues covered an item, and on which paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemCount {
    /// The number of turns that covered it.
    pub hits: u64,
    /// The number of scenarios that covered it.
    pub scenarios: u64,
    /// The paths to the item, each with its number of turns: the state that has the item, and the mixin or parent that
    /// defines it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub via: BTreeMap<String, u64>,
    /// Whether dialogues can reach it.
    #[serde(default, skip_serializing_if = "fsmsim_syntax::document::is_default")]
    pub reach: Reach,
}

/// The verdict on a counted item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverageVerdict<'c> {
    /// A turn covered it.
    Covered,
    /// No turn covered it.
    Missed,
    /// No turn covered it, and it is unknown whether one can.
    Unknown,
    /// No turn can cover it, for this reason.
    Unreachable(&'c str),
    /// No dialogue covers it: a search visited this number of states.
    Unattainable(usize),
}

impl CoverageVerdict<'_> {
    /// Whether the item counts. Items that no dialogue can cover do not.
    pub fn counts(self) -> bool {
        !matches!(self, Self::Unreachable(_) | Self::Unattainable(_))
    }
}

impl ItemCount {
    /// The verdict. An item that was covered is reachable, regardless of `reach`.
    pub fn verdict(&self) -> CoverageVerdict<'_> {
        match &self.reach {
            _ if self.hits > 0 => CoverageVerdict::Covered,
            Reach::Possible => CoverageVerdict::Missed,
            Reach::Unknown => CoverageVerdict::Unknown,
            Reach::Never(why) => CoverageVerdict::Unreachable(why),
            Reach::Unattainable(states) => CoverageVerdict::Unattainable(*states),
        }
    }

    /// Adds the counts of the same item from another report.
    pub fn merge(&mut self, other: Self) {
        self.hits += other.hits;
        self.scenarios += other.scenarios;
        for (way, turns) in other.via {
            *self.via.entry(way).or_default() += turns;
        }
        self.reach = std::mem::take(&mut self.reach).or(other.reach);
    }
}
