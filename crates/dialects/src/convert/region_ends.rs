//! Finds parallel regions that cannot end.

use std::collections::{BTreeMap, BTreeSet};

use super::flow_plan::{FlowPlan, StatePlan, StateShape};
use super::statechart::{NodeId, Statechart};
use super::{ImportFormat, unusable};
use crate::limits::MAX_REPORTED_REGIONS;
use fsmsim_syntax::diagnostic::Diagnostic;

/// The target that ends a region.
pub(super) const REGION_ENDS: &str = "_branch_complete";

/// The name of a parallel region. Regions of Mermaid have no names, so their first state stands for them.
pub(super) fn region_name(chart: &Statechart, region: NodeId) -> String {
    let first = chart[region].children.first();
    match first.filter(|_| chart.has_flat_names) {
        Some(first) => format!("with `{}`", chart[*first].name),
        None => format!("`{}`", chart[region].name),
    }
}

/// How to end a region.
const ADD_END: &str = "add a path to a final state in the region, in Mermaid an arrow to `[*]`, so that the regions can join";

/// The finding about a region that never ends; `of` is its parallel state.
pub(super) fn never_ends(chart: &Statechart, region: NodeId, of: &str, why: &str) -> Diagnostic {
    let title = format!("region {} of {of} never ends", region_name(chart, region));
    unusable(title, chart[region].span, why).help(ADD_END)
}

/// How a format names the state that follows all regions.
pub(super) fn help_to_join(format: ImportFormat) -> &'static str {
    match format {
        ImportFormat::Mermaid => {
            "add an arrow without a label from the state, or from its `<<join>>`, to the next state"
        }
        ImportFormat::Transitions => {
            "import each region as a separate machine: `transitions` cannot join them"
        }
        _ => "set `onDone` to the state that follows when all regions have ended",
    }
}

/// The regions that cannot end, each as its parallel state and its index in that state.
pub(super) fn endless(plan: &FlowPlan) -> Vec<(String, usize)> {
    let mut before: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, state) in &plan.states {
        for next in targets(state) {
            before.entry(next).or_default().push(name);
        }
    }
    // All states from which an end is reachable.
    let finals = plan
        .states
        .iter()
        .filter(|(_, state)| state.is_final)
        .map(|(name, _)| &**name);
    let ending = reach(finals.chain([REGION_ENDS]), |name| {
        before.get(name).cloned().unwrap_or_default()
    });
    let mut endless = Vec::new();
    for (name, state) in &plan.states {
        let StateShape::Parallel { regions, join_at } = &state.shape else {
            continue;
        };
        for (number, region) in regions.iter().enumerate() {
            if ending.contains(&*region.initial) || endless.len() >= MAX_REPORTED_REGIONS {
                continue;
            }
            let reached = reach([&*region.initial], |name| {
                plan.states.get(name).map(targets).unwrap_or_default()
            });
            if !reached.contains(&**join_at) {
                endless.push((name.clone(), number));
            }
        }
    }
    endless
}

/// All states that are reachable from the states in `from`, including these states.
pub(super) fn reach<S: Copy + Ord>(
    from: impl IntoIterator<Item = S>,
    next: impl Fn(S) -> Vec<S>,
) -> BTreeSet<S> {
    let mut open: Vec<S> = from.into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(state) = open.pop() {
        if seen.insert(state) {
            open.extend(next(state));
        }
    }
    seen
}

/// The targets of all transitions of a state.
fn targets(state: &StatePlan) -> Vec<&str> {
    let mut targets: Vec<&str> = state
        .moves
        .values()
        .flatten()
        .map(|way| &*way.then)
        .collect();
    match &state.shape {
        StateShape::Place => {}
        StateShape::Choice(ways) => targets.extend(ways.iter().map(|way| &*way.then)),
        StateShape::Parallel { regions, join_at } => {
            targets.extend(
                regions
                    .iter()
                    .map(|region| &*region.initial)
                    .chain([&**join_at]),
            );
        }
    }
    targets
}
