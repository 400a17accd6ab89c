//! The kinds of counted items.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The kinds of counted items, in the order in which tables show them.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumString,
    IntoStaticStr,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum CoverageKind {
    /// States that the model itself defines.
    States,
    /// Edges to a state: by an intent, by complete data, back, forced, or through a choice.
    Transitions,
    /// The reaction of a state to an intent.
    Rules,
    /// The alternatives of rules and transitions that have conditions.
    Alternatives,
    /// Each condition twice: when it is true, and when it is false.
    Conditions,
    /// Each part of a multi-part condition, shown to decide the result independently.
    Mcdc,
    Phases,
    /// Intents that the model defines or handles.
    Intents,
    /// Slots that states collect, and fields of frames.
    Slots,
    /// Classes of transitions.
    Classes,
    /// Data that classes carry over or keep unchanged.
    Carryover,
    /// Interview points.
    Points,
    /// Effect gates, each twice: when it passes an effect, and when it stops one.
    Gates,
    /// Lines that contain a counted item.
    Lines,
}

/// The number of items, and how many of them are covered. Unreachable items do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub covered: usize,
    pub all: usize,
}

impl CoverageKind {
    /// The name in options and results.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The singular, as in `covers(state:close)`.
    pub fn singular(self) -> &'static str {
        match self {
            Self::Classes => "class",
            _ => self.name().trim_end_matches('s'),
        }
    }

    /// The kind with this singular.
    pub fn from_singular(name: &str) -> Option<Self> {
        Self::VARIANTS
            .iter()
            .copied()
            .find(|kind| kind.singular() == name)
    }

    /// Whether a search of all dialogues decides which of its items are attainable. A user can say any intent and any
    /// slot, and the search omits values that no turn reads.
    pub(crate) fn is_searched(self) -> bool {
        !matches!(
            self,
            Self::Intents | Self::Slots | Self::Carryover | Self::Lines
        )
    }

    /// Whether its items have defining lines of their own, instead of occurring only in other definitions.
    pub fn has_lines(self) -> bool {
        !matches!(
            self,
            Self::Phases | Self::Intents | Self::Slots | Self::Lines
        )
    }
}

impl Share {
    /// Whether at least this percentage is covered.
    pub fn reaches(self, percent: u32) -> bool {
        self.covered * 100 >= self.all * percent as usize
    }

    /// The covered percentage, rounded down.
    pub fn percent(self) -> usize {
        (self.covered * 100).checked_div(self.all).unwrap_or(100)
    }

    /// Counts another item.
    pub fn count(&mut self, covered: bool) {
        self.all += 1;
        self.covered += usize::from(covered);
    }
}
