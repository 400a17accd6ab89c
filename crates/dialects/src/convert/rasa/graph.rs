//! The graph of all stories and rules. Stories share equal beginnings.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::facts::{StoryFacts, StoryWay};
use super::story::{Story, StoryContext, StoryTurn};
use super::utterance::NamedValues;
use crate::convert::statechart::NodeId;
use crate::limits::{MAX_IMPORTED_EDGES, MAX_STORY_WAYS};
use fsmsim_core::machine::IdVec;

/// A point of the stories: after a turn, or at the start of stories.
#[derive(Debug, Default)]
pub(super) struct StoryNode {
    pub context: StoryContext,
    /// The actions of the turn before.
    pub did: Vec<String>,
    /// The edges by intent.
    pub edges: IndexMap<String, Vec<StoryEdge>>,
}

/// One answer to an intent.
#[derive(Debug)]
pub(super) struct StoryEdge {
    pub actions: Vec<String>,
    pub to: NodeId,
    pub ways: Vec<StoryWay>,
}

/// A graph of all stories and rules.
#[derive(Debug, Default)]
pub(super) struct StoryGraph {
    pub nodes: IdVec<NodeId, StoryNode>,
    /// The nodes of stories and rules that start in a context.
    pub anchors: BTreeMap<StoryContext, NodeId>,
    /// Turns that are possible in all contexts of a form, but less important than its own stories and rules.
    bases: BTreeMap<String, NodeId>,
    ways: usize,
}

impl StoryGraph {
    /// Merges the stories and rules. Rules come first, because they overrule stories.
    pub(super) fn of(stories: &[Story]) -> Self {
        let mut graph = Self::default();
        graph.nodes.push(StoryNode::default());
        let mut sorted: Vec<(usize, &Story)> = stories.iter().enumerate().collect();
        sorted.sort_by_key(|(_, story)| !story.is_rule);
        for (number, story) in sorted {
            let nodes = &mut graph.nodes;
            let new = || {
                nodes.push(StoryNode {
                    context: story.start.clone(),
                    ..StoryNode::default()
                })
            };
            let anchor = graph.anchors.entry(story.start.clone());
            let begin = *anchor.or_insert_with(new);
            graph.add(begin, number, start_of(story), &story.turns);
        }
        graph.add_forms(stories);
        graph
    }

    /// Whether the graph has more edges than a flow can have.
    pub(super) fn is_too_large(&self) -> bool {
        self.ways > MAX_IMPORTED_EDGES
    }

    /// Adds turns of a story, with the facts before them.
    fn add(&mut self, begin: NodeId, story: usize, mut facts: StoryFacts, turns: &[StoryTurn]) {
        let mut places = vec![begin];
        for turn in turns {
            let mut next = Vec::new();
            let mut new = None;
            for place in places {
                for (trigger, entities) in &turn.triggers {
                    let way = StoryWay {
                        facts: turn.facts(entities, &facts),
                        story,
                    };
                    let to = self.edge(place, trigger, turn, way, &mut new);
                    if !next.contains(&to) {
                        next.push(to);
                    }
                }
            }
            places = next;
            if let Some((_, entities)) = turn.triggers.first() {
                facts = turn.facts(entities, &facts).after_turn();
            }
            if self.is_too_large() {
                return;
            }
        }
    }

    /// Adds an edge, or finds the edge with the same actions. `new` is the node after the turn, if it is new.
    fn edge(
        &mut self,
        from: NodeId,
        trigger: &str,
        turn: &StoryTurn,
        way: StoryWay,
        new: &mut Option<NodeId>,
    ) -> NodeId {
        self.ways += 1;
        let edges = &mut self.nodes[from].edges;
        let edges = edges.entry(trigger.to_owned()).or_default();
        let size: usize = edges.iter().map(|edge| edge.ways.len()).sum();
        let is_full = size >= MAX_STORY_WAYS;
        let mut known = edges.iter_mut();
        if let Some(edge) = known.find(|edge| edge.actions == turn.actions) {
            if !is_full && edge.ways.iter().all(|known| known.facts != way.facts) {
                edge.ways.push(way);
            }
            return edge.to;
        }
        let node = || StoryNode {
            context: StoryContext {
                form: turn.form.clone(),
                last: turn.checkpoint.as_ref().or(turn.actions.last()).cloned(),
            },
            did: turn.actions.clone(),
            ..StoryNode::default()
        };
        let to = *new.get_or_insert_with(|| self.nodes.push(node()));
        if !is_full {
            let edges = &mut self.nodes[from].edges;
            edges
                .entry(trigger.to_owned())
                .or_default()
                .push(StoryEdge {
                    actions: turn.actions.clone(),
                    to,
                    ways: vec![way],
                });
        }
        to
    }

    /// Adds the turns that are possible in all contexts of a form: rules that answer and continue with the form, and
    /// its end.
    fn add_forms(&mut self, stories: &[Story]) {
        let forms = self.nodes.iter();
        let forms = forms.filter_map(|node| node.context.form.clone());
        for form in forms.collect::<BTreeSet<String>>() {
            if self.is_too_large() {
                return;
            }
            let base = self.nodes.push(StoryNode::default());
            self.bases.insert(form.clone(), base);
            let mut end = None;
            for (number, story) in stories.iter().enumerate() {
                let is_general = story.is_rule
                    && !story.excludes_forms
                    && story.start == StoryContext::default();
                if let (true, Some(turn)) = (is_general, story.turns.first()) {
                    let mut turn = turn.clone();
                    let is_leaving = turn
                        .actions
                        .iter()
                        .any(|it| it.starts_with("action_deactivate_"));
                    if turn.form.is_none() && !is_leaving {
                        turn.actions.push(form.clone());
                        turn.form = Some(form.clone());
                    }
                    self.add(base, number, start_of(story), &[turn]);
                }
                let mut turns = story.turns.iter();
                let ended = turns.find(|turn| turn.ended.as_ref() == Some(&form));
                end = end.or(ended.map(|turn| (number, turn.clone())));
            }
            let (number, turn) = end.unwrap_or_else(|| (stories.len(), StoryTurn::end(&form)));
            self.add(base, number, StoryFacts::default(), &[turn]);
        }
    }

    /// The nodes with the edges of a state, the most specific first, without those that many states share.
    pub(super) fn own(&self, id: NodeId) -> Vec<NodeId> {
        let node = &self.nodes[id];
        let anchor = self.anchors.get(&node.context);
        let anchor = anchor.filter(|_| node.context.last.is_some());
        std::iter::once(id).chain(anchor.copied()).collect()
    }

    /// The nodes with the edges that all states without a form, or with this form, share.
    pub(super) fn shared(&self, form: Option<&String>) -> Vec<NodeId> {
        let context = StoryContext {
            form: form.cloned(),
            last: None,
        };
        let base = form.and_then(|form| self.bases.get(form));
        let nodes = self.anchors.get(&context).into_iter().chain(base);
        nodes.copied().collect()
    }
}

/// The facts before the first turn.
fn start_of(story: &Story) -> StoryFacts {
    let turn = StoryTurn {
        slots: story.slots.clone(),
        ..StoryTurn::default()
    };
    turn.facts(&NamedValues::new(), &StoryFacts::default())
}
