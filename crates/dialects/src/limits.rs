//! Limits on sizes and depths in definitions.

/// Nesting depth of imported states, and length of chains of parents or includes. Longer chains are unreadable, and the
/// readers are recursive.
pub(crate) const MAX_DEPTH: usize = 64;

/// Nesting depth of conditions, including references to other conditions. Conditions are compiled and evaluated
/// recursively.
pub(crate) const MAX_CONDITION_DEPTH: usize = 200;

/// Total number of entries that inheritance and mixins copy. The largest real flow copies about twenty thousand.
pub(crate) const MAX_INHERITED_ENTRIES: usize = 500_000;

/// Bytes of a text with filled placeholders, and of a phrase with expanded patterns. Each name can double the length.
pub(crate) const MAX_FILLED_TEXT: usize = 1 << 16;

/// Levels of folders above a flow that are searched for its base flow.
pub(crate) const MAX_LEVELS_TO_BASE: usize = 2;

/// Edges of an imported machine. An edge of all states (`*`) or of a composite state counts once per state.
pub(crate) const MAX_IMPORTED_EDGES: usize = 200_000;

/// Intents of a parallel region in which a flow can start. Each of them copies the parallel state.
pub(crate) const MAX_REGION_INTENTS: usize = 100;

/// Bytes of a file whose content is compared with formats that no command can read.
pub(crate) const MAX_FOREIGN_FILE: u64 = 1 << 20;

/// Regions without an end that an import reports. Each search traverses the entire machine.
pub(crate) const MAX_REPORTED_REGIONS: usize = 10;

/// Rounds of merging story steps with equal continuations. Stories with longer common endings are not merged.
pub(crate) const MAX_STORY_ROUNDS: usize = 60;

/// Stories that are distinguished by facts after the same steps. The cost is quadratic.
pub(crate) const MAX_STORY_WAYS: usize = 100;

/// Conditions on entities and slots that hold at a point of a story. Older ones rarely matter.
pub(crate) const MAX_STORY_FACTS: usize = 20;

/// Transitions of a diagram, or of a row that applies to every state.
pub(crate) const MAX_DOCUMENT_MOVES: usize = 20_000;

/// Consecutive choices in a diagram. A longer chain is probably a cycle.
pub(crate) const MAX_CHOICES_IN_ROW: usize = 16;

/// Names in backticks in one line of a document.
pub(crate) const MAX_CODES_IN_LINE: usize = 64;

/// Knowledge sections of an interview.
pub(crate) const MAX_SECTIONS: usize = 10_000;

/// Files of one knowledge folder.
pub(crate) const MAX_FILES_IN_FOLDER: usize = 1_000;

/// Bytes of a heading that is compared with known headings.
pub(crate) const MAX_HEADING: usize = 120;

/// Bytes of a sentence that describes a transition, or a chain of transitions.
pub(crate) const MAX_MOVE_TEXT: usize = 2_000;

/// Targets without a row that are compared with all states.
pub(crate) const MAX_COMPARED_TARGETS: usize = 200;

/// Unknown targets for which a similar name is searched among all states.
pub(crate) const MAX_SUGGESTIONS: usize = 100;

/// Levels of folders below a configuration root in which files of flows are searched.
pub(crate) const MAX_FLOW_DEPTH: usize = 3;
