//! The diagram of a machine: its content ([`MachineGraph`]), its layout ([`GraphLayout`]) and its highlights
//! ([`GraphOverlay`]). The module `report` writes diagrams in various formats.

mod graph_builder;
mod graph_direction;
mod graph_edge;
mod graph_layout;
mod graph_node;
mod graph_overlay;
mod layout;
mod machine_graph;
mod phase_fold;
mod shared_edges;
mod traversed_transitions;

pub use graph_direction::GraphDirection;
pub use graph_edge::{EdgeKind, EdgeLabel, GraphEdge, SharedEdge};
pub use graph_layout::{GraphLayout, PlacedEdge, PlacedGroup, PlacedNode, TextBlock};
pub use graph_node::{GraphNode, GraphNodeKind};
pub use graph_overlay::{Covered, GraphOverlay, OverlayMark, OverlaySide};
pub use machine_graph::{GraphGroup, GroupKind, MachineGraph};
pub use traversed_transitions::TraversedTransitions;
