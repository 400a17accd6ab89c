//! The coverage by scenarios as an overlay of a diagram.

use std::collections::BTreeMap;

use fsmsim_harness::coverage::{CoverageKind, CoverageVerdict, ModelReport};
use fsmsim_harness::graph::{Covered, GraphOverlay, MachineGraph};

/// The coverage of each state and each transition. Paths in the report are relative to the project. `from_root`
/// converts command-line paths to relative paths.
pub fn coverage_overlay(
    report: &ModelReport,
    graph: &MachineGraph,
    from_root: &dyn Fn(&str) -> String,
) -> GraphOverlay {
    let mut states: BTreeMap<String, Covered> = BTreeMap::new();
    for (key, count) in report.of(CoverageKind::States) {
        let covered = if count.verdict() == CoverageVerdict::Covered {
            Covered::Full
        } else {
            Covered::Nothing
        };
        states.insert(key.name.clone(), covered);
    }
    // A transition is identified by its line and its state: many states can share the line of a mixin.
    let mut taken: BTreeMap<(String, &str), u64> = BTreeMap::new();
    let counted = [CoverageKind::Transitions, CoverageKind::Rules];
    for (key, count) in counted.into_iter().flat_map(|kind| report.of(kind)) {
        for (via, turns) in &count.via {
            let state = via.split_once(',').map_or(&**via, |(state, _)| state);
            *taken
                .entry((format!("{}:{}", key.file, key.line), state))
                .or_default() += turns;
        }
    }
    let mut edges = BTreeMap::new();
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (graph.nodes.get(edge.from), graph.nodes.get(edge.to)) else {
            continue;
        };
        let lines = edge
            .labels
            .iter()
            .filter_map(|label| label.at.as_deref())
            .map(from_root);
        let turns: Vec<u64> = lines
            .filter_map(|at| taken.get(&(at, &*from.name)).copied())
            .collect();
        let covered = match (turns.iter().any(|turns| *turns > 0), turns.contains(&0)) {
            (true, false) => Covered::Full,
            (true, true) => Covered::Part,
            (false, true) => Covered::Nothing,
            (false, false) => continue,
        };
        if let (Some(state), true) = (states.get_mut(&from.name), covered != Covered::Full)
            && *state == Covered::Full
        {
            *state = Covered::Part;
        }
        if from.name != to.name {
            edges.insert((from.name.clone(), to.name.clone()), covered);
        }
    }
    GraphOverlay::coverage(states, edges)
}
