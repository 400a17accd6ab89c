//! Converts fork and join bars to parallel states.

use std::collections::{BTreeMap, BTreeSet};

use crate::convert::region_ends::reach;
use crate::convert::statechart::{ChartTrigger, NodeId, NodeKind, Statechart};
use crate::convert::unusable;
use fsmsim_syntax::diagnostic::Diagnostics;

/// The fork and join bars of a diagram.
#[derive(Debug, Default)]
pub(super) struct Bars {
    pub forks: Vec<NodeId>,
    pub joins: Vec<NodeId>,
}

/// Converts each fork and its join to a parallel state.
pub(super) fn join_forks(chart: &mut Statechart, bars: &Bars, found: &mut Diagnostics) {
    let mut joined = BTreeSet::new();
    for fork in &bars.forks {
        match branches(chart, *fork, bars) {
            Ok((join, branches)) => {
                joined.insert(join);
                enclose(chart, *fork, join, &branches);
            }
            Err(reason) => {
                let node = &chart[*fork];
                let title = format!("branches of `{}` never join", node.name);
                unusable(title, node.span, reason)
                    .help("use separate states in each branch, and end all branches at one `<<join>>`")
                    .add_to(found);
            }
        }
    }
    for join in bars.joins.iter().filter(|join| !joined.contains(*join)) {
        // A dialogue passes through a join without a fork immediately.
        for edge in &mut chart[*join].edges {
            edge.trigger = ChartTrigger::Always;
        }
    }
}

/// The join of a fork, and the states of each branch, starting with its first state.
fn branches(
    chart: &Statechart,
    fork: NodeId,
    bars: &Bars,
) -> Result<(NodeId, Vec<Vec<NodeId>>), &'static str> {
    let scope = chart[fork].parent;
    let starts: Vec<NodeId> = chart[fork]
        .edges
        .iter()
        .filter_map(|edge| edge.target)
        .collect();
    let reached: Vec<BTreeSet<NodeId>> = starts
        .iter()
        .map(|start| follow(chart, *start, |node| node != fork || node == *start))
        .collect();
    let is_met = |join: &&NodeId| reached.iter().all(|branch| branch.contains(*join));
    let join = *bars
        .joins
        .iter()
        .find(is_met)
        .filter(|_| starts.len() > 1)
        .ok_or("no common join")?;
    let back = leading_to(chart, join);
    let mut branches = Vec::new();
    let mut taken = BTreeSet::new();
    for (start, reached) in starts.iter().zip(reached) {
        let mut branch = vec![*start];
        let inside = |node: &NodeId| chart[*node].parent == scope && *node != join && node != start;
        let before = follow(chart, *start, |node| node != join);
        branch.extend(
            reached
                .into_iter()
                .filter(|node| inside(node) && before.contains(node) && back.contains(node)),
        );
        if branch.contains(&join)
            || *start == join
            || !branch.iter().all(|node| taken.insert(*node))
        {
            return Err("shared states");
        }
        if branch.contains(&fork) {
            return Err("a branch returns to the fork");
        }
        if chart[*start].parent != scope {
            return Err("start inside another state");
        }
        branches.push(branch);
    }
    Ok((join, branches))
}

/// All states that are reachable from a state, including itself. The search stops at states for which `continues` is
/// false.
fn follow(
    chart: &Statechart,
    from: NodeId,
    continues: impl Fn(NodeId) -> bool,
) -> BTreeSet<NodeId> {
    reach([from], |node| {
        if !continues(node) {
            return Vec::new();
        }
        let state = &chart[node];
        state
            .edges
            .iter()
            .filter_map(|edge| edge.target)
            .chain(state.children.iter().copied())
            .collect()
    })
}

/// The states from which a join is reachable.
fn leading_to(chart: &Statechart, join: NodeId) -> BTreeSet<NodeId> {
    let mut before: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in chart.nodes.pairs() {
        for target in node.edges.iter().filter_map(|edge| edge.target) {
            before.entry(target).or_default().push(id);
        }
        // A state is active while one of its children is active.
        for child in &node.children {
            before.entry(*child).or_default().push(id);
        }
    }
    reach([join], |node| {
        before.get(&node).cloned().unwrap_or_default()
    })
}

/// Moves each branch into a region of the fork. The join becomes the final state of the first region.
fn enclose(chart: &mut Statechart, fork: NodeId, join: NodeId, branches: &[Vec<NodeId>]) {
    let span = chart[join].span;
    let mut after_join = std::mem::take(&mut chart[join].edges);
    for edge in &mut after_join {
        edge.trigger = ChartTrigger::Done;
    }
    chart[fork].kind = NodeKind::Parallel;
    chart[fork].edges = after_join;
    for (number, branch) in branches.iter().enumerate() {
        let start = branch
            .first()
            .map_or(String::new(), |start| chart[*start].name.clone());
        let region = chart.add(&format!("{start}_branch"), chart[fork].span, fork);
        for node in branch {
            chart.adopt(*node, region);
        }
        chart[region].initial = branch.first().copied();
        let end = if number == 0 {
            chart.adopt(join, region);
            join
        } else {
            chart.add(&format!("{start}_end"), span, region)
        };
        chart[end].kind = NodeKind::Final;
        for node in chart.within(region) {
            for edge in chart[node]
                .edges
                .iter_mut()
                .filter(|edge| edge.target == Some(join))
            {
                edge.target = Some(end);
            }
        }
    }
}
