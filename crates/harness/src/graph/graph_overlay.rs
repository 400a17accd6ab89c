//! Highlights on a diagram.

use std::collections::BTreeMap;

use super::machine_graph::MachineGraph;
use super::traversed_transitions::TraversedTransitions;

/// Highlights on the diagram of a machine: the path of a dialogue, coverage, traffic, and differences between two
/// sides. Different kinds of highlights can be combined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphOverlay {
    /// The highlights of states, by name.
    pub states: BTreeMap<String, OverlayMark>,
    /// The highlights of transitions, by the names of their two states.
    pub edges: BTreeMap<(String, String), OverlayMark>,
}

/// The highlights of a state, or of the transitions from one state to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlayMark {
    /// The numbers of the turns that entered the state or took the transition.
    pub steps: Vec<usize>,
    /// The degree of coverage.
    pub coverage: Option<Covered>,
    /// The traffic, in thousandths of that of the busiest transition.
    pub traffic: Option<u16>,
    /// The side of a comparison on which dialogues pass here.
    pub side: Option<OverlaySide>,
    /// The number of times that dialogues of each trace passed here.
    pub passed: Vec<u64>,
}

/// The degree of coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// Completely covered.
    Full,
    /// Partially covered.
    Part,
    Nothing,
}

/// The sides of a comparison on which dialogues pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum OverlaySide {
    /// Only the first side.
    A,
    /// Only the second side.
    B,
    Both,
}

impl GraphOverlay {
    /// The path of a dialogue: the states before and after each turn.
    pub fn path<'s>(turns: impl IntoIterator<Item = (&'s str, &'s str)>) -> Self {
        let mut overlay = Self::default();
        for (number, (from, to)) in turns.into_iter().enumerate() {
            if number == 0 {
                overlay.state(from);
            }
            overlay.state(to).steps.push(number + 1);
            overlay.transition(from, to).steps.push(number + 1);
        }
        overlay
    }

    /// The highlights of the transitions from one state to another.
    pub fn edge(&self, from: &str, to: &str) -> Option<&OverlayMark> {
        self.edges.get(&(from.to_owned(), to.to_owned()))
    }

    fn state(&mut self, name: &str) -> &mut OverlayMark {
        self.states.entry(name.to_owned()).or_default()
    }

    fn transition(&mut self, from: &str, to: &str) -> &mut OverlayMark {
        let transition = (from.to_owned(), to.to_owned());
        self.edges.entry(transition).or_default()
    }

    /// The traffic between states. The busiest transition gets the widest line.
    pub fn traffic(ways: TraversedTransitions) -> Self {
        let mut overlay = Self::passed(&[ways]);
        overlay.widen();
        overlay
    }

    /// Calculates line widths from the traffic. Transitions from a state to itself have no line.
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

    /// Adds the coverage from another overlay.
    pub fn with(mut self, other: Self) -> Self {
        for (state, mark) in other.states {
            self.states.entry(state).or_default().coverage = mark.coverage;
        }
        for (transition, mark) in other.edges {
            self.edges.entry(transition).or_default().coverage = mark.coverage;
        }
        self
    }

    /// The coverage of states, and of the transitions between them.
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
                .map(|(transition, covered)| (transition, mark(covered)))
                .collect(),
        }
    }

    /// The transitions that dialogues took in one trace, or on the two sides of a comparison.
    pub fn passed(traces: &[TraversedTransitions]) -> Self {
        let mut overlay = Self::default();
        for (side, trace) in traces.iter().enumerate() {
            for (state, count) in &trace.states {
                overlay.state(state).pass(side, *count);
            }
            for ((from, to), count) in &trace.ways {
                overlay.transition(from, to).pass(side, *count);
            }
        }
        if traces.len() > 1 {
            overlay
                .states
                .values_mut()
                .chain(overlay.edges.values_mut())
                .for_each(OverlayMark::set_side);
        }
        overlay
    }

    /// The same counts for a diagram in which phases represent their states.
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
                overlay.transition(from_node, to_node).add(mark);
            } else if let Some(phase) = overlay.states.get_mut(to_node) {
                // Transitions within a phase are not drawn and do not count as entering the phase.
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
    /// The combined coverage of two parts.
    fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::Part }
    }
}

impl OverlayMark {
    /// Counts passages in one of the traces.
    fn pass(&mut self, side: usize, count: u64) {
        if self.passed.len() <= side {
            self.passed.resize(side + 1, 0);
        }
        if let Some(passed) = self.passed.get_mut(side) {
            *passed += count;
        }
    }

    /// Adds the counts and marks of another highlight.
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

    /// Determines the side from the counts.
    fn set_side(&mut self) {
        let entered = |side: usize| self.passed.get(side).is_some_and(|count| *count > 0);
        self.side = match (entered(0), entered(1)) {
            (true, true) => Some(OverlaySide::Both),
            (true, false) => Some(OverlaySide::A),
            (false, true) => Some(OverlaySide::B),
            (false, false) => None,
        };
        self.passed.resize(2, 0);
    }
}
