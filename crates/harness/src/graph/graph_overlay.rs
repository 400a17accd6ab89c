//! What lies over a picture.

use std::collections::BTreeMap;

use super::machine_graph::MachineGraph;
use super::passed_ways::PassedWays;

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
    /// How often each of the traces came here that lie over the picture.
    pub passed: Vec<u64>,
}

/// How much was covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// All.
    Full,
    /// Something.
    Part,
    Nothing,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum OverlaySide {
    /// The first alone.
    A,
    /// The second alone.
    B,
    Both,
}

impl GraphOverlay {
    /// The path of a dialogue: where it was before and after each turn.
    pub fn path<'s>(turns: impl IntoIterator<Item = (&'s str, &'s str)>) -> Self {
        let mut overlay = Self::default();
        for (number, (from, to)) in turns.into_iter().enumerate() {
            if number == 0 {
                overlay.state(from);
            }
            overlay.state(to).steps.push(number + 1);
            overlay.way(from, to).steps.push(number + 1);
        }
        overlay
    }

    fn state(&mut self, name: &str) -> &mut OverlayMark {
        self.states.entry(name.to_owned()).or_default()
    }

    fn way(&mut self, from: &str, to: &str) -> &mut OverlayMark {
        let way = (from.to_owned(), to.to_owned());
        self.edges.entry(way).or_default()
    }

    /// How many went from where to where; the busiest way is the widest.
    pub fn traffic(ways: PassedWays) -> Self {
        let mut overlay = Self::passed(&[ways]);
        overlay.widen();
        overlay
    }

    /// Makes ways as wide as many went there. What stays is no line that could be wide.
    fn widen(&mut self) {
        let lines = || self.edges.iter().filter(|((from, to), _)| from != to);
        let most = lines()
            .filter_map(|(_, mark)| mark.passed.first())
            .max()
            .copied()
            .unwrap_or_default()
            .max(1);
        for mark in self.edges.values_mut() {
            let count = mark.passed.first().copied().unwrap_or_default().min(most);
            mark.traffic = u16::try_from(u128::from(count) * 1000 / u128::from(most)).ok();
        }
    }

    /// Lays another over the same picture.
    pub fn with(mut self, other: Self) -> Self {
        for (state, mark) in other.states {
            self.states.entry(state).or_default().coverage = mark.coverage;
        }
        for (way, mark) in other.edges {
            self.edges.entry(way).or_default().coverage = mark.coverage;
        }
        self
    }

    /// What was covered of each state, and of the ways between two.
    pub fn coverage(
        states: impl IntoIterator<Item = (String, Covered)>,
        edges: impl IntoIterator<Item = ((String, String), Covered)>,
    ) -> Self {
        let mark = |covered| OverlayMark {
            coverage: Some(covered),
            ..OverlayMark::default()
        };
        Self {
            states: states
                .into_iter()
                .map(|(state, covered)| (state, mark(covered)))
                .collect(),
            edges: edges
                .into_iter()
                .map(|(way, covered)| (way, mark(covered)))
                .collect(),
        }
    }

    /// Which ways the dialogues of traces took: of one, or of the two sides of a comparison.
    pub fn passed(traces: &[PassedWays]) -> Self {
        let mut overlay = Self::default();
        for (side, trace) in traces.iter().enumerate() {
            for (state, count) in &trace.states {
                overlay.state(state).pass(side, *count);
            }
            for ((from, to), count) in &trace.ways {
                overlay.way(from, to).pass(side, *count);
            }
        }
        if traces.len() > 1 {
            overlay
                .states
                .values_mut()
                .chain(overlay.edges.values_mut())
                .for_each(OverlayMark::take_side);
        }
        overlay
    }

    /// What was passed, for a picture in which phases stand for their states.
    pub fn passed_of(&self, graph: &MachineGraph) -> Self {
        let node = |state: &str| {
            graph
                .node_of(state)
                .and_then(|node| graph.nodes.get(node))
                .map(|node| &node.name)
        };
        let mut overlay = Self::default();
        for (state, mark) in &self.states {
            let Some(name) = node(state) else { continue };
            overlay.state(name).add(mark);
        }
        for ((from, to), mark) in &self.edges {
            let (Some(from_node), Some(to_node)) = (node(from), node(to)) else {
                continue;
            };
            if from_node != to_node || from == to {
                overlay.way(from_node, to_node).add(mark);
            } else if let Some(phase) = overlay.states.get_mut(to_node) {
                // What happens inside of a phase is no line, and nobody comes to it thereby.
                phase
                    .passed
                    .iter_mut()
                    .zip(&mark.passed)
                    .for_each(|(count, inside)| *count = count.saturating_sub(*inside));
            }
        }
        if self.edges.values().any(|mark| mark.traffic.is_some()) {
            overlay.widen();
        }
        overlay
    }
}

impl Covered {
    /// What is covered of two together.
    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Part }
    }
}

impl OverlayMark {
    /// One of the traces came here so often.
    fn pass(&mut self, side: usize, count: u64) {
        if self.passed.len() <= side {
            self.passed.resize(side + 1, 0);
        }
        if let Some(passed) = self.passed.get_mut(side) {
            *passed += count;
        }
    }

    /// Adds what was passed elsewhere.
    fn add(&mut self, other: &Self) {
        for (side, count) in other.passed.iter().enumerate() {
            self.pass(side, *count);
        }
        self.coverage = match (self.coverage, other.coverage) {
            (Some(one), Some(other)) => Some(one.and(other)),
            (one, other) => one.or(other),
        };
        self.side = match (self.side, other.side) {
            (None, side) | (side, None) => side,
            (Some(one), Some(side)) if one == side => Some(one),
            _ => Some(OverlaySide::Both),
        };
    }

    /// Which of two sides came here.
    fn take_side(&mut self) {
        let came = |side: usize| self.passed.get(side).is_some_and(|count| *count > 0);
        self.side = match (came(0), came(1)) {
            (true, true) => Some(OverlaySide::Both),
            (true, false) => Some(OverlaySide::A),
            (false, true) => Some(OverlaySide::B),
            (false, false) => None,
        };
        self.passed.resize(2, 0);
    }
}
