//! What lies over a picture.

use std::collections::BTreeMap;

/// What lies over a picture of a machine: the path of a dialogue, what was covered, how much went where, what two sides
/// differ in. Any of them may lie over the same picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphOverlay {
    /// What is said of states, by name.
    pub states: BTreeMap<String, OverlayMark>,
    /// What is said of the ways between two states.
    pub edges: BTreeMap<(String, String), OverlayMark>,
}

/// What is said of a state or of the ways between two.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlayMark {
    /// The numbers of the turns that came here.
    pub steps: Vec<usize>,
    /// How much of it was covered.
    pub coverage: Option<Covered>,
    /// How many came here, of a thousand of the busiest.
    pub traffic: Option<u16>,
    /// Which side of a comparison comes here.
    pub side: Option<OverlaySide>,
}

/// How much was covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// All.
    Full,
    /// Something.
    Part,
    /// Nothing.
    Nothing,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlaySide {
    /// The first alone.
    A,
    /// The second alone.
    B,
}

impl GraphOverlay {
    /// The path of a dialogue: where it was before and after each turn.
    pub fn path<'s>(turns: impl IntoIterator<Item = (&'s str, &'s str)>) -> Self {
        let mut overlay = Self::default();
        for (number, (from, to)) in turns.into_iter().enumerate() {
            if number == 0 {
                overlay.states.entry(from.to_owned()).or_default();
            }
            overlay.states.entry(to.to_owned()).or_default().steps.push(number + 1);
            overlay.edges.entry((from.to_owned(), to.to_owned())).or_default().steps.push(number + 1);
        }
        overlay
    }

    /// How many went from where to where; the busiest way is the widest.
    pub fn traffic<'s>(ways: impl IntoIterator<Item = (&'s str, &'s str, u64)>) -> Self {
        let mut overlay = Self::default();
        let ways: Vec<_> = ways.into_iter().collect();
        let most = ways.iter().map(|(.., count)| *count).max().unwrap_or_default().max(1);
        for (from, to, count) in ways {
            let share = u16::try_from(u128::from(count) * 1000 / u128::from(most)).ok();
            overlay.edges.entry((from.to_owned(), to.to_owned())).or_default().traffic = share;
        }
        overlay
    }

    /// What was covered of each state.
    pub fn coverage<'s>(states: impl IntoIterator<Item = (&'s str, Covered)>) -> Self {
        let mut overlay = Self::default();
        for (state, covered) in states {
            overlay.states.entry(state.to_owned()).or_default().coverage = Some(covered);
        }
        overlay
    }
}
