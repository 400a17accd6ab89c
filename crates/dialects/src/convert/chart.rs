//! States within states, with edges between them: what most tools write.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use indexmap::{IndexMap, IndexSet};

use fsmsim_core::machine::{History, Id, IdVec};
use fsmsim_syntax::diagnostic::Span;

/// A chart of states within states.
#[derive(Debug)]
pub(super) struct Chart {
    /// What it is called.
    pub(super) name: String,
    /// The states; the first is the whole.
    pub(super) nodes: IdVec<NodeId, ChartNode>,
    /// Events that nobody says, in the order in which they were met.
    pub(super) events: IndexSet<String>,
    /// Data that a dialogue begins with: names, and values as YAML writes them.
    pub(super) data: Vec<(String, String)>,
    /// What events mean, where their names do not say it all.
    pub(super) meanings: IndexMap<String, String>,
    /// The states by what they are right inside of, and by name; of several of one name, the first.
    inside: BTreeMap<(NodeId, String), NodeId>,
    /// Whether the name of a state says enough, without what it is inside of.
    pub(super) has_flat_names: bool,
}

/// The number of a state of a chart.
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

/// A state of a chart.
#[derive(Debug)]
pub(super) struct ChartNode {
    pub(super) name: String,
    pub(super) span: Span,
    /// The state that it is inside of.
    pub(super) parent: Option<NodeId>,
    pub(super) children: Vec<NodeId>,
    pub(super) kind: NodeKind,
    /// Where one begins who comes to it.
    pub(super) initial: Option<NodeId>,
    pub(super) edges: Vec<ChartEdge>,
    /// What it is for.
    pub(super) goal: Option<String>,
}

/// What a state of a chart is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// A place, or one around others.
    Place,
    /// What it stands in ends here.
    Final,
    /// All that is inside runs side by side.
    Parallel,
    /// Goes on where what it stands in was left.
    Remembered(History),
}

#[derive(Clone, Debug)]
pub(super) struct ChartEdge {
    pub(super) trigger: ChartTrigger,
    pub(super) guard: Vec<GuardTerm>,
    /// Where it leads; nothing where one stays.
    pub(super) target: Option<NodeId>,
    pub(super) span: Span,
}

/// When an edge is taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ChartTrigger {
    /// This happens.
    Event(String),
    /// Something happens of which the state says nothing else.
    Any,
    /// At once.
    Always,
    /// What is inside the state has ended.
    Done,
}

/// One of the guards that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GuardTerm {
    pub(super) name: String,
    /// Whether it must hold, or must not.
    pub(super) holds: bool,
}

impl GuardTerm {
    /// A guard that must hold.
    pub(super) fn holds(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            holds: true,
        }
    }
}

impl Chart {
    /// A chart with nothing in it but the whole.
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

    /// The whole.
    pub(super) const ROOT: NodeId = NodeId(0);

    /// Adds a state inside another.
    pub(super) fn add(&mut self, name: &str, span: Span, parent: NodeId) -> NodeId {
        let id = self
            .nodes
            .push(ChartNode::new(name.to_owned(), span, Some(parent)));
        self[parent].children.push(id);
        self.inside.entry((parent, name.to_owned())).or_insert(id);
        id
    }

    /// Moves a state into another. It is not found by its name there.
    pub(super) fn adopt(&mut self, node: NodeId, parent: NodeId) {
        if let Some(before) = self[node].parent.replace(parent) {
            self[before].children.retain(|child| *child != node);
        }
        self[parent].children.push(node);
    }

    /// The state of this name right inside another.
    pub(super) fn child(&self, parent: NodeId, name: &str) -> Option<NodeId> {
        self.inside.get(&(parent, name.to_owned())).copied()
    }

    /// A state, what it is inside of, and so on to the whole.
    pub(super) fn outward(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |node| self[*node].parent)
    }

    /// Whether a state is another one, or inside of it.
    pub(super) fn is_inside(&self, node: NodeId, around: NodeId) -> bool {
        self.outward(node).any(|outer| outer == around)
    }

    pub(super) fn is_parallel(&self, node: NodeId) -> bool {
        self[node].kind == NodeKind::Parallel
    }

    /// Whether something right inside a state ends it.
    pub(super) fn has_end(&self, node: NodeId) -> bool {
        let mut children = self[node].children.iter();
        children.any(|child| self[*child].kind == NodeKind::Final)
    }

    /// Whether the dialogue ends in a state.
    pub(super) fn ends_all(&self, node: NodeId) -> bool {
        let node = &self[node];
        node.kind == NodeKind::Final && node.parent == Some(Self::ROOT)
    }

    /// A state and all that is inside of it.
    pub(super) fn within(&self, node: NodeId) -> Vec<NodeId> {
        let mut inside = vec![node];
        let mut at = 0;
        while let Some(node) = inside.get(at).copied() {
            inside.extend(&self[node].children);
            at += 1;
        }
        inside
    }

    /// The name of a state with all that it is inside of.
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

    /// What findings call a state.
    pub(super) fn shown(&self, node: NodeId) -> String {
        if node == Self::ROOT {
            "the machine".to_owned()
        } else {
            format!("`{}`", self.path(node))
        }
    }

    /// Moves all that is right inside a state into a new one inside it.
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

impl Index<NodeId> for Chart {
    type Output = ChartNode;

    fn index(&self, node: NodeId) -> &ChartNode {
        &self.nodes[node]
    }
}

impl IndexMut<NodeId> for Chart {
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

    /// The edges that are taken on this trigger, in their order.
    pub(super) fn on<'n>(
        &'n self,
        trigger: &'n ChartTrigger,
    ) -> impl Iterator<Item = &'n ChartEdge> {
        self.edges
            .iter()
            .filter(move |edge| edge.trigger == *trigger)
    }
}
