//! Where everything of a picture stands.

use super::graph_direction::GraphDirection;

/// Where everything of a picture stands, in pixels from the upper left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphLayout {
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// Where ways lead on to.
    pub direction: GraphDirection,
    /// The columns that have a name.
    pub groups: Vec<PlacedGroup>,
    /// The nodes, in their order in the graph.
    pub nodes: Vec<PlacedNode>,
    /// The edges, in their order in the graph; a way from a state to itself stands in its node.
    pub edges: Vec<PlacedEdge>,
}

/// Where a phase stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedGroup {
    /// Its number in the graph.
    pub group: usize,
    /// The left side.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    pub name: Vec<String>,
    /// The middle of the name, and the foot of its first line.
    pub name_at: (f64, f64),
}

/// Where a node stands, and what stands in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedNode {
    pub column: usize,
    /// The middle of the shape.
    pub x: f64,
    /// The middle of the shape.
    pub y: f64,
    /// How wide the shape is.
    pub width: f64,
    /// How high the shape is.
    pub height: f64,
    /// The name, in the shape or next to it.
    pub name: Vec<String>,
    /// The middle of the name, and the foot of its first line.
    pub name_at: (f64, f64),
    /// What must be collected.
    pub slots: Vec<String>,
    /// What leads back to it at once.
    pub loops: Vec<String>,
    /// The built-in ways out, which are not drawn as edges.
    pub built_in: Vec<String>,
    /// What leads here from nearly everywhere, above or to the left of the shape; its middle and its upper side.
    pub port: Option<TextBlock>,
}

/// Lines of text that stand together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextBlock {
    /// The middle.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// The lines, and whether each is quiet.
    pub lines: Vec<(String, bool)>,
}

/// How an edge runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacedEdge {
    /// Its number in the graph.
    pub edge: usize,
    /// The points: between the first and the second it is straight, between the second and the third it bends, and so on.
    pub points: Vec<(f64, f64)>,
    /// What stands on it.
    pub label: TextBlock,
    /// It runs against the direction of the picture.
    pub backward: bool,
}
