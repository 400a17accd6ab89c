//! A statechart: nested states with edges. Most tools use this model.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use indexmap::{IndexMap, IndexSet};

use fsmsim_core::machine::{History, Id, IdVec};
use fsmsim_syntax::diagnostic::Span;

/// A statechart.
#[derive(Debug)]
pub(super) struct Statechart {
    pub name: String,
    /// The states. The first one is the root.
    pub nodes: IdVec<NodeId, ChartNode>,
    /// Engine events, in the order of their first use.
    pub events: IndexSet<String>,
    /// The initial data of a dialogue: names with values in YAML syntax.
    pub data: Vec<(String, String)>,
    /// Descriptions of events, if their names do not explain them.
    pub meanings: IndexMap<String, String>,
    /// Maps parents and names to states. If two children have the same name, the map contains the first one.
    inside: BTreeMap<(NodeId, String), NodeId>,
    /// Whether the names of states are unique without the names of their parents.
    pub has_flat_names: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(usize);

impl Id for NodeId {
    fn from_index(index: usize) -> Self {
        Self(index)
    }

    fn index(self) -> usize {
        self.0
    }
}

#[derive(Debug)]
pub(super) struct ChartNode {
    pub name: String,
    pub span: Span,
    pub parent: Option<NodeId>,
    pub children: Vec<NodeId>,
    pub kind: NodeKind,
    /// The child state that a dialogue enters by default.
    pub initial: Option<NodeId>,
    pub edges: Vec<ChartEdge>,
    pub goal: Option<String>,
}

/// The kind of a state in a statechart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// An atomic or a composite state.
    Place,
    /// A final state; entering it completes the parent state.
    Final,
    /// A state whose children are parallel regions.
    Parallel,
    /// A history state, which restores the last active child of its parent.
    Remembered(History),
}

#[derive(Clone, Debug)]
pub(super) struct ChartEdge {
    pub trigger: ChartTrigger,
    pub guard: Vec<GuardTerm>,
    /// The target state; `None` if the edge does not change the state.
    pub target: Option<NodeId>,
    pub span: Span,
}

/// The trigger of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ChartTrigger {
    Event(String),
    /// Any event that no other edge of the state handles.
    Any,
    /// No event: the edge is taken immediately.
    Always,
    /// The child states have reached a final state.
    Done,
}

/// A term of a conjunction of guards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GuardTerm {
    pub name: String,
    /// Whether the guard must be true, rather than false.
    pub holds: bool,
}

impl GuardTerm {
    /// Creates a guard that must be true.
    pub(super) fn holds(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            holds: true,
        }
    }
}

impl Statechart {
    /// Creates a statechart with only a root state.
    pub(super) fn new(name: &str, span: Span) -> Self {
        let mut nodes = IdVec::default();
        nodes.push(ChartNode::new(String::new(), span, None));
        Self {
            name: name.to_owned(),
            nodes,
            events: IndexSet::new(),
            data: Vec::new(),
            meanings: IndexMap::new(),
            inside: BTreeMap::new(),
            has_flat_names: false,
        }
    }

    /// The root state.
    pub(super) const ROOT: NodeId = NodeId(0);

    /// Adds a child state.
    pub(super) fn add(&mut self, name: &str, span: Span, parent: NodeId) -> NodeId {
        let id = self
            .nodes
            .push(ChartNode::new(name.to_owned(), span, Some(parent)));
        self[parent].children.push(id);
        self.inside.entry((parent, name.to_owned())).or_insert(id);
        id
    }

    /// Moves a state to another parent. [`Self::child`] does not find the state there.
    pub(super) fn adopt(&mut self, node: NodeId, parent: NodeId) {
        if let Some(before) = self[node].parent.replace(parent) {
            self[before].children.retain(|child| *child != node);
        }
        self[parent].children.push(node);
    }

    /// The child state with this name.
    pub(super) fn child(&self, parent: NodeId, name: &str) -> Option<NodeId> {
        self.inside.get(&(parent, name.to_owned())).copied()
    }

    /// The state, followed by its ancestors up to the root.
    pub(super) fn outward(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |node| self[*node].parent)
    }

    /// Whether a state is `around` or one of its descendants.
    pub(super) fn is_inside(&self, node: NodeId, around: NodeId) -> bool {
        self.outward(node).any(|outer| outer == around)
    }

    pub(super) fn is_parallel(&self, node: NodeId) -> bool {
        self[node].kind == NodeKind::Parallel
    }

    /// Whether one of the children is a final state.
    pub(super) fn has_end(&self, node: NodeId) -> bool {
        let mut children = self[node].children.iter();
        children.any(|child| self[*child].kind == NodeKind::Final)
    }

    /// Whether the state ends the dialogue.
    pub(super) fn ends_all(&self, node: NodeId) -> bool {
        let node = &self[node];
        node.kind == NodeKind::Final && node.parent == Some(Self::ROOT)
    }

    /// The state and all its descendants.
    pub(super) fn within(&self, node: NodeId) -> Vec<NodeId> {
        let mut inside = vec![node];
        let mut at = 0;
        while let Some(node) = inside.get(at).copied() {
            inside.extend(&self[node].children);
            at += 1;
        }
        inside
    }

    /// The name of a state, preceded by the names of its ancestors.
    pub(super) fn path(&self, node: NodeId) -> String {
        if self.has_flat_names {
            return self[node].name.clone();
        }
        let mut names: Vec<&str> = self
            .outward(node)
            .filter(|id| *id != Self::ROOT)
            .map(|id| &*self[id].name)
            .collect();
        names.reverse();
        names.join("_")
    }

    /// The name of a state as findings show it.
    pub(super) fn shown(&self, node: NodeId) -> String {
        if node == Self::ROOT {
            "the machine".to_owned()
        } else {
            format!("`{}`", self.path(node))
        }
    }

    /// Moves all children of a state into a new child.
    pub(super) fn wrap(&mut self, around: NodeId, name: &str, span: Span) -> NodeId {
        let children = std::mem::take(&mut self[around].children);
        let wrapped = self.add(name, span, around);
        for child in &children {
            self[*child].parent = Some(wrapped);
        }
        self[wrapped].children = children;
        self[wrapped].initial = self[around].initial.take();
        wrapped
    }
}

impl Index<NodeId> for Statechart {
    type Output = ChartNode;

    fn index(&self, node: NodeId) -> &ChartNode {
        &self.nodes[node]
    }
}

impl IndexMut<NodeId> for Statechart {
    fn index_mut(&mut self, node: NodeId) -> &mut ChartNode {
        &mut self.nodes[node]
    }
}

impl ChartNode {
    fn new(name: String, span: Span, parent: Option<NodeId>) -> Self {
        Self {
            name,
            span,
            parent,
            children: Vec::new(),
            kind: NodeKind::Place,
            initial: None,
            edges: Vec::new(),
            goal: None,
        }
    }

    /// The edges with this trigger, in the order of the file.
    pub(super) fn on<'n>(
        &'n self,
        trigger: &'n ChartTrigger,
    ) -> impl Iterator<Item = &'n ChartEdge> {
        self.edges
            .iter()
            .filter(move |edge| edge.trigger == *trigger)
    }
}
