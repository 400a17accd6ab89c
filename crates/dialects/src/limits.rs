//! The sizes and depths that a user can reach.

/// How deep states may lie inside each other in a file of another tool: deeper ones are hard to follow, and are read by recursion.
pub(crate) const MAX_STATE_DEPTH: usize = 64;

/// Edges of an imported machine, those for all states (`*`) or of a state around others counted for each state.
pub(crate) const MAX_IMPORTED_EDGES: usize = 200_000;
