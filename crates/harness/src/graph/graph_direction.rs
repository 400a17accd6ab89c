//! The direction of a diagram.

use serde::Deserialize;

/// The direction of the transitions in a diagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
pub enum GraphDirection {
    /// From left to right
    #[default]
    Right,
    /// From top to bottom
    Down,
}

impl GraphDirection {
    /// The short name, which is the same in Graphviz and Mermaid.
    pub fn code(self) -> &'static str {
        match self {
            Self::Right => "LR",
            Self::Down => "TB",
        }
    }

    /// Converts lengths along and across the direction to x and y lengths, or the reverse.
    pub(super) fn turned(self, along: f64, across: f64) -> (f64, f64) {
        match self {
            Self::Right => (along, across),
            Self::Down => (across, along),
        }
    }
}
