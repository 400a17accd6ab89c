//! The sizes and depths that a definition can reach.

/// How deep imported states lie inside each other, and how many parents or includes follow each other: people do not follow
/// longer chains, and the readers are recursive.
pub(crate) const MAX_DEPTH: usize = 64;

/// How deep conditions nest, references to other conditions included: they are compiled and evaluated by recursion.
pub(crate) const MAX_CONDITION_DEPTH: usize = 200;

/// Entries that inheritance and mixins copy in all. The largest real flow copies some twenty thousand.
pub(crate) const MAX_INHERITED_ENTRIES: usize = 500_000;

/// Bytes of a text with its placeholders filled in, and of a phrase with its patterns written out: both can double with each name.
pub(crate) const MAX_FILLED_TEXT: usize = 1 << 16;

/// Folders above a flow in which its base is expected.
pub(crate) const MAX_LEVELS_TO_BASE: usize = 2;

/// Edges of an imported machine, those for all states (`*`) or of a state around others counted for each state.
pub(crate) const MAX_IMPORTED_EDGES: usize = 200_000;

/// Regions without an end that one import reports; each search costs as much as the whole machine.
pub(crate) const MAX_REPORTED_REGIONS: usize = 10;

/// Rounds in which places of stories are told apart by where they lead: stories with longer common ends stay apart.
pub(crate) const MAX_STORY_ROUNDS: usize = 60;

/// Moves of a diagram, or of a row that holds in every state: people write fewer.
pub(crate) const MAX_DOCUMENT_MOVES: usize = 20_000;

/// Choices of a diagram that follow each other at once; more are probably a circle.
pub(crate) const MAX_CHOICES_IN_ROW: usize = 16;

/// Names in backticks of one line of a document; people write fewer.
pub(crate) const MAX_CODES_IN_LINE: usize = 64;

/// Sections of knowledge of an interview.
pub(crate) const MAX_SECTIONS: usize = 10_000;

/// Files of one folder of knowledge.
pub(crate) const MAX_FILES_IN_FOLDER: usize = 1_000;

/// Bytes of a heading that can be one of the known ones.
pub(crate) const MAX_HEADING: usize = 120;

/// Bytes of a sentence that says a move, or a chain of moves.
pub(crate) const MAX_MOVE_TEXT: usize = 2_000;

/// Tables of a document that are compared, each with each.
pub(crate) const MAX_COMPARED_TABLES: usize = 64;

/// Targets without a row that are compared with all states.
pub(crate) const MAX_COMPARED_TARGETS: usize = 200;

/// Unknown targets for which a similar name is searched among all states.
pub(crate) const MAX_SUGGESTIONS: usize = 100;
