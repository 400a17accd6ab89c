//! The layout of a diagram.

use super::graph_direction::GraphDirection;

/// The layout of a diagram, in pixels from the upper left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphLayout {
    pub width: f64,
    pub height: f64,
    /// The main direction of the edges.
    pub direction: GraphDirection,
    /// The columns that have a name.
    pub groups: Vec<PlacedGroup>,
    /// The nodes, in their order in the graph.
    pub nodes: Vec<PlacedNode>,
    /// The edges, in their order in the graph. Transitions from a state to itself are shown in its node.
    pub edges: Vec<PlacedEdge>,
}

/// The position of a phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedGroup {
    /// Its index in the graph.
    pub group: usize,
    /// The left edge.
    pub x: f64,
    /// The top edge.
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub name: Vec<String>,
    /// The center of the name, and the baseline of its first line.
    pub name_at: (f64, f64),
}

/// The position and the texts of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedNode {
    pub column: usize,
    /// The center of the shape.
    pub x: f64,
    /// The center of the shape.
    pub y: f64,
    /// The width of the shape.
    pub width: f64,
    /// The height of the shape.
    pub height: f64,
    /// The name, in the shape or next to it.
    pub name: Vec<String>,
    /// The center of the name, and the baseline of its first line.
    pub name_at: (f64, f64),
    /// The required slots.
    pub slots: Vec<String>,
    /// The triggers of transitions to itself.
    pub loops: Vec<String>,
    /// The built-in outgoing transitions, which are not drawn as edges.
    pub built_in: Vec<String>,
    /// The transitions from nearly every state, above or to the left of the shape: center and top edge.
    pub port: Option<TextBlock>,
}

/// A block of text lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextBlock {
    /// The center.
    pub x: f64,
    /// The top edge.
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// The lines, and whether each has a subdued style.
    pub lines: Vec<(String, bool)>,
}

/// The route of an edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedEdge {
    /// Its index in the graph.
    pub edge: usize,
    /// The points. The first segment is straight, the second is curved, and so on.
    pub points: Vec<(f64, f64)>,
    pub label: TextBlock,
    /// It runs against the direction of the diagram.
    pub backward: bool,
}
