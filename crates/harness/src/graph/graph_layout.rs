//! The layout of a diagram.

use super::graph_direction::GraphDirection;

/// The layout of a diagram, in pixels from the upper left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphLayout {
    pub width: f64,
    pub height: f64,
    /// The main direction of the edges.
    pub direction: GraphDirection,
    /// The columns that have a name, which are phases.
    pub groups: Vec<PlacedGroup>,
    /// The nodes, in the same order as in the graph.
    pub nodes: Vec<PlacedNode>,
    /// The edges, in the same order as in the graph. Transitions from a state to itself are shown in the node.
    pub edges: Vec<PlacedEdge>,
}

/// The position of a phase in the diagram.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedGroup {
    /// The index in the graph.
    pub group: usize,
    /// The left edge.
    pub x: f64,
    /// The top edge.
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub name: Vec<String>,
    /// The horizontal center of the name, and the baseline of its first line.
    pub name_at: (f64, f64),
}

/// The position and texts of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedNode {
    pub column: usize,
    /// The horizontal center of the shape.
    pub x: f64,
    /// The vertical center of the shape.
    pub y: f64,
    /// The width of the shape.
    pub width: f64,
    /// The height of the shape.
    pub height: f64,
    /// The lines of the name, which is in the shape or next to it.
    pub name: Vec<String>,
    /// The horizontal center of the name, and the baseline of its first line.
    pub name_at: (f64, f64),
    /// The lines that list the required slots.
    pub slots: Vec<String>,
    /// The lines that list the triggers of transitions from the state to itself.
    pub loops: Vec<String>,
    /// The lines about built-in outgoing transitions, which are not drawn as edges.
    pub built_in: Vec<String>,
    /// The transitions from nearly every state, shown above or to the left of the shape.
    pub port: Option<TextBlock>,
}

/// A block of text lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextBlock {
    /// The horizontal center.
    pub x: f64,
    /// The top edge.
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// The lines, and whether each is shown in a subdued style.
    pub lines: Vec<(String, bool)>,
}

/// The route of an edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedEdge {
    /// The index in the graph.
    pub edge: usize,
    /// The points. Straight and curved segments alternate, and the first one is straight.
    pub points: Vec<(f64, f64)>,
    pub label: TextBlock,
    /// The edge runs against the direction of the diagram.
    pub backward: bool,
}
