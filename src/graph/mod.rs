//! The picture of a machine: what is drawn ([`Graph`]), where it stands ([`GraphLayout`]), and what lies over it
//! ([`GraphOverlay`]). Whoever writes it in a format stands in `report`.

#[expect(clippy::module_inception, reason = "the file is named after its one type")]
mod graph;
mod graph_builder;
mod graph_edge;
mod graph_layout;
mod graph_node;
mod graph_overlay;
mod layout;
mod phase_fold;
mod shared_edges;

pub use graph::{Graph, GraphGroup, GroupKind};
pub use graph_edge::{EdgeKind, EdgeLabel, GraphEdge, SharedEdge};
pub use graph_layout::{GraphLayout, PlacedEdge, PlacedGroup, PlacedNode, TextBlock};
pub use graph_node::{GraphNode, NodeKind};
pub use graph_overlay::{Covered, GraphOverlay, OverlayMark, OverlaySide};
