//! What is counted.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What is counted, in the order of tables.
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
    /// States that are the model's.
    States,
    /// Edges: what leads to a state, by an intent, by complete data, back, by force, through a choice.
    Transitions,
    /// What a state does with an intent.
    Rules,
    /// The alternatives of rules and transitions that have conditions.
    Clauses,
    /// Each condition, come true, and come false.
    Conditions,
    /// Each part of a condition with several, shown to decide by itself.
    Mcdc,
    Phases,
    /// Intents of which the model says something.
    Intents,
    /// Data that states collect, and fields of frames.
    Slots,
    /// Classes of transitions.
    Classes,
    /// What classes carry over and leave as it is.
    Carryover,
    /// Points of an interview.
    Points,
    /// Gates of effects: each lets something pass, and stops something.
    Gates,
    /// Lines on which something stands that is counted.
    Lines,
}

/// How many there are, and how many of them were covered. What cannot be reached is neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub covered: usize,
    /// All.
    pub all: usize,
}

impl CoverageKind {
    /// The name in options and results.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// One of them, as in `covers(state:close)`.
    pub fn singular(self) -> &'static str {
        match self {
            Self::States => "state",
            Self::Transitions => "transition",
            Self::Rules => "rule",
            Self::Clauses => "clause",
            Self::Conditions => "condition",
            Self::Mcdc => "mcdc",
            Self::Phases => "phase",
            Self::Intents => "intent",
            Self::Slots => "slot",
            Self::Classes => "class",
            Self::Carryover => "carryover",
            Self::Points => "point",
            Self::Gates => "gate",
            Self::Lines => "line",
        }
    }

    /// The kind of which one is called so.
    pub fn of_singular(name: &str) -> Option<Self> {
        Self::VARIANTS
            .iter()
            .copied()
            .find(|kind| kind.singular() == name)
    }

    /// Whether its items stand on a line of their own, and not only somewhere in what is written about others.
    pub fn has_lines(self) -> bool {
        !matches!(
            self,
            Self::Phases | Self::Intents | Self::Slots | Self::Lines
        )
    }
}

impl Share {
    /// Whether at least this share is covered, in percent.
    pub fn reaches(self, percent: u32) -> bool {
        self.covered * 100 >= self.all * percent as usize
    }

    /// The share in percent, rounded down.
    pub fn percent(self) -> usize {
        (self.covered * 100).checked_div(self.all).unwrap_or(100)
    }

    /// Counts one more.
    pub fn count(&mut self, covered: bool) {
        self.all += 1;
        self.covered += usize::from(covered);
    }
}
