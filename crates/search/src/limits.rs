//! Limits of a search.

/// Number of inputs of a state above which a turn does not try all assignments of data with each intent.
pub const MAX_INPUTS: usize = 2_048;
/// Maximum number of assignments of data that a turn tries together with each intent. Above it, a turn tries single
/// slots, pairs of slots, and all slots together.
pub const MAX_ASSIGNMENTS: usize = 64;
/// Maximum number of assignments of two slots that a turn tries if it cannot try all assignments.
pub const MAX_PAIRS: usize = 256;
/// Maximum number of answers that are tried for one need.
pub const MAX_ANSWERS: usize = 32;
/// Maximum number of needs of one turn, so that a turn that never ends is cut.
pub const MAX_NEEDS: usize = 12;
/// Maximum number of inputs of one state: the link to the parent stores the edge in 16 bits.
pub const MAX_EDGES: usize = u16::MAX as usize;
/// Number of states that are expanded between two checks of the bounds.
pub const BATCH: usize = 32;
/// Number of states that one task expands.
pub const CHUNK: usize = 4;
/// Maximum number of values of one slot that a turn tries.
pub const MAX_VALUES: usize = 12;
/// Maximum number of turns that a search for one goal plays. A turn takes 2 to 10 µs, so the answer takes about 0.2 s.
pub const MAX_PURSUED_TURNS: usize = 30_000;
/// Number of states in which the report measures how much each part of a state multiplies them.
pub const MAX_MEASURED_STATES: usize = 20_000;
/// Number of states with the same position and observation, or position and depth, that a sample expands.
pub const MAX_SAMPLED: usize = 2;
/// Number of turns above which a sample expands no state only because of its depth.
pub const MAX_SAMPLED_DEPTH: u32 = 12;
/// Number of states whose turns one task plays again.
pub const REPLAY_CHUNK: usize = 64;
/// Number of turns above which a loop of a witness does not take every turn of its component.
pub const MAX_LOOP: usize = 64;
