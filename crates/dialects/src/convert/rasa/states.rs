//! The states of a flow: points of the stories with the same actions before and the same continuations are one state.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::facts::{StoryWay, branches};
use super::graph::{StoryEdge, StoryGraph};
use super::story::{Story, joined};
use crate::convert::names::{GivenNames, clean};
use crate::convert::omission::Omissions;
use crate::convert::statechart::{NodeId, Statechart};
use crate::limits::{MAX_IMPORTED_EDGES, MAX_STORY_ROUNDS, MAX_STORY_WAYS};
use fsmsim_core::machine::IdVec;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};

/// The conditions and the target of a transition.
type StoryMove = (Vec<String>, NodeId);

/// The alternatives by intent. The first one whose conditions hold is taken.
pub(super) type StoryMoves = IndexMap<String, Vec<StoryMove>>;

#[derive(Debug)]
pub(super) struct StoryState {
    pub name: String,
    pub form: Option<String>,
    /// The actions on entry.
    pub did: Vec<String>,
    pub moves: StoryMoves,
}

/// All states that a dialogue can reach.
#[derive(Debug)]
pub(super) struct StoryStates {
    pub states: Vec<StoryState>,
    /// The transitions that all states without a form share, and those that all states of a form share.
    pub shared: BTreeMap<Option<String>, StoryMoves>,
    names: BTreeMap<NodeId, String>,
}

impl StoryStates {
    /// Finds the states. Returns `None` if they have too many transitions.
    pub(super) fn of(
        graph: &StoryGraph,
        stories: &[Story],
        left: &mut Omissions,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let mut own = IdVec::<NodeId, StoryMoves>::default();
        for id in graph.nodes.ids() {
            own.push(moves_of(graph, id, stories, found));
        }
        let mut shared: BTreeMap<Option<String>, StoryMoves> = BTreeMap::new();
        let mut reached: BTreeMap<NodeId, StoryMoves> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![Statechart::ROOT];
        let mut size = 0;
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let form = &graph.nodes[id].context.form;
            let common = match shared.entry(form.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let moves = merged(&own, &graph.shared(form.as_ref()));
                    open.extend(targets(&moves));
                    new.insert(moves)
                }
            };
            let mut moves = merged(&own, &graph.own(id));
            for (trigger, moves) in &mut moves {
                extend(moves, common.get(trigger).map_or(&[], Vec::as_slice));
            }
            size += moves.values().map(Vec::len).sum::<usize>();
            if size > MAX_IMPORTED_EDGES {
                return None;
            }
            open.extend(targets(&moves));
            reached.insert(id, moves);
        }
        for (context, node) in &graph.anchors {
            let is_context = |id: &NodeId| graph.nodes[*id].context == *context;
            if let Some(last) = &context.last
                && !own[*node].is_empty()
                && !reached.keys().any(is_context)
            {
                let kind = "start of stories and rules after an action that no other one reaches";
                left.count(kind, None::<Span>, last);
            }
        }
        Some(Self::named(graph, reached, shared))
    }

    /// Merges equal states, and names each state by its last action.
    fn named(
        graph: &StoryGraph,
        reached: BTreeMap<NodeId, StoryMoves>,
        shared: BTreeMap<Option<String>, StoryMoves>,
    ) -> Self {
        let classes = classes(graph, &reached);
        let mut states: BTreeMap<usize, StoryState> = BTreeMap::new();
        let mut names = BTreeMap::new();
        let mut given = GivenNames::default();
        for ((id, moves), class) in reached.into_iter().zip(classes) {
            let node = &graph.nodes[id];
            let wanted = node.did.last().map_or("silence", String::as_str);
            let is_start = id == Statechart::ROOT;
            let wanted = if is_start { "start" } else { wanted };
            let state = states.entry(class).or_insert_with(|| StoryState {
                name: given.give(&clean(wanted, "state")),
                form: node.context.form.clone(),
                did: node.did.clone(),
                moves,
            });
            names.insert(id, state.name.clone());
        }
        Self {
            states: states.into_values().collect(),
            shared,
            names,
        }
    }

    /// The name of a state.
    pub(super) fn name(&self, id: NodeId) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }
}

/// The class of each node. Nodes with the same actions and the same continuations have the same class.
fn classes(graph: &StoryGraph, reached: &BTreeMap<NodeId, StoryMoves>) -> Vec<usize> {
    let mut classes: BTreeMap<NodeId, usize> = reached.keys().map(|id| (*id, 0)).collect();
    for _ in 0..MAX_STORY_ROUNDS {
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        let mut refined = BTreeMap::new();
        for (id, moves) in reached {
            let node = &graph.nodes[*id];
            let class = |to: &NodeId| classes.get(to).copied();
            let mut next: Vec<(&String, Vec<_>)> = Vec::new();
            for (trigger, moves) in moves {
                let moves = moves.iter().map(|(when, to)| (when, class(to)));
                next.push((trigger, moves.collect()));
            }
            next.sort();
            let new = known.len();
            let is_start = *id == Statechart::ROOT;
            let key = (is_start, &node.context, &node.did, next);
            refined.insert(*id, *known.entry(key).or_insert(new));
        }
        if refined == classes {
            return classes.into_values().collect();
        }
        classes = refined;
    }
    // Do not merge the endings of such long stories.
    (0..reached.len()).collect()
}

/// The transitions of the stories of one node. Reports stories that contradict a rule, or that nothing distinguishes.
fn moves_of(
    graph: &StoryGraph,
    id: NodeId,
    stories: &[Story],
    found: &mut Diagnostics,
) -> StoryMoves {
    let node = &graph.nodes[id];
    let is_rule = |way: &StoryWay| stories.get(way.story).is_some_and(|story| story.is_rule);
    let mut levels = graph.own(id);
    levels.extend(graph.shared(node.context.form.as_ref()));
    let mut all = StoryMoves::new();
    for (trigger, edges) in &node.edges {
        let rules = levels.iter();
        let rules = rules.filter_map(|level| graph.nodes[*level].edges.get(trigger));
        let rules: Vec<(&StoryEdge, &StoryWay)> = rules
            .flatten()
            .flat_map(|edge| edge.ways.iter().map(move |way| (edge, way)))
            .filter(|(_, way)| is_rule(way))
            .take(MAX_STORY_WAYS)
            .collect();
        let mut ways: Vec<Vec<&StoryWay>> = Vec::new();
        for edge in edges {
            let mut permitted = Vec::new();
            for way in &edge.ways {
                // The most specific rule applies.
                let rules = rules.iter().rev();
                let rules = rules.filter(|(_, rule)| way.facts.include(&rule.facts));
                let rule = rules.max_by_key(|(_, rule)| rule.facts.weight());
                // An active form continues after each action.
                let form = node.context.form.as_ref();
                let rule = rule.filter(|(expected, _)| {
                    let mut actions = edge.actions.iter().filter(|it| Some(*it) != form);
                    let mut expected = expected.actions.iter().filter(|it| Some(*it) != form);
                    !is_rule(way) && expected.any(|it| actions.next() != Some(it))
                });
                match rule {
                    Some(rule) => conflict(trigger, *rule, (edge, way), stories, found),
                    None => permitted.push(way),
                }
            }
            ways.push(permitted);
        }
        let taken = branches(&ways, |(first_edge, first), (second_edge, second)| {
            if let (Some(one), Some(other)) = (edges.get(first_edge), edges.get(second_edge)) {
                conflict(trigger, (one, first), (other, second), stories, found);
            }
        });
        let moves = taken.into_iter();
        let moves = moves.filter_map(|(when, edge)| Some((when, edges.get(edge)?.to)));
        all.insert(trigger.clone(), moves.collect());
    }
    all
}

/// Reports two stories with different answers.
fn conflict(
    trigger: &str,
    (expected, first): (&StoryEdge, &StoryWay),
    (edge, second): (&StoryEdge, &StoryWay),
    stories: &[Story],
    found: &mut Diagnostics,
) {
    let (Some(first), Some(second)) = (stories.get(first.story), stories.get(second.story)) else {
        return;
    };
    let title = format!(
        "story or rule `{}` contradicts `{}`",
        second.title, first.title
    );
    let shown = |edge: &StoryEdge| match edge.actions.as_slice() {
        [] => "no action".to_owned(),
        actions => format!("`{}`", joined(actions)),
    };
    let (expected, actions) = (shown(expected), shown(edge));
    Diagnostic::warning(Code::StoryConflict, title)
        .at(second.span, "different answer")
        .at(first.span, "contradicted")
        .note(format!(
            "after `{trigger}`, the flow takes {expected}, and not {actions}"
        ))
        .help("correct one of them, or distinguish them by a slot, an entity or an earlier step")
        .add_to(found);
}

/// The transitions of several nodes. Those of an earlier node come first.
fn merged(own: &IdVec<NodeId, StoryMoves>, nodes: &[NodeId]) -> StoryMoves {
    let mut merged = StoryMoves::new();
    for node in nodes {
        for (trigger, moves) in &own[*node] {
            extend(merged.entry(trigger.clone()).or_default(), moves);
        }
    }
    merged
}

/// Adds alternatives, unless one of the known alternatives is always taken.
fn extend(known: &mut Vec<StoryMove>, more: &[StoryMove]) {
    for step in more {
        let is_taken = |known: &StoryMove| known.0.is_empty() || known.0 == step.0;
        if !known.iter().any(is_taken) {
            known.push(step.clone());
        }
    }
}

fn targets(moves: &StoryMoves) -> impl Iterator<Item = NodeId> + '_ {
    moves.values().flatten().map(|(_, to)| *to)
}
