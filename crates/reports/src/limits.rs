//! Limits for long lists and texts in reports, and time limits of the file watch.

use std::time::Duration;

/// The time without changes after which files count as saved: editors write a file in several steps.
pub(crate) const QUIET_TIMEOUT: Duration = Duration::from_millis(15);

/// The number of pauses after which saved files are reported even if writing continues, because a program can write
/// permanently.
pub(crate) const MAX_PAUSES: usize = 20;

/// The duration of one wait for saved files. The wait is repeated, so that no single wait is unlimited.
pub(crate) const WATCH_TIMEOUT: Duration = Duration::from_hours(1);

/// Maximum length in bytes of a path from a page or an assistant. File systems have similar limits.
pub(crate) const MAX_PATH_LENGTH: usize = 200;

/// Maximum number of failures per scenario on a terminal. The first failures usually explain the others.
pub(crate) const MAX_SHOWN_FAILURES: usize = 8;

/// Maximum number of failures per scenario in a report that has more space than a terminal.
pub(crate) const MAX_LISTED_FAILURES: usize = 20;

/// Maximum number of scenario IDs per cause. The first scenario is shown in full.
pub(crate) const MAX_ADDRESSES: usize = 10;

/// Maximum number of changes shown per cause.
pub(crate) const MAX_CHANGES: usize = 5;

/// Maximum number of removed lines, and of added lines, shown per cause. The file contains the others.
pub(crate) const MAX_EDITED_LINES: usize = 3;

/// Maximum length of a value in a title or a comparison. Long lists of proposals and effects are for JSON.
pub(crate) const MAX_VALUE_LENGTH: usize = 100;

/// Maximum length of a value in a verification finding, which shows no other field of the turn.
pub(crate) const MAX_FOUND_LENGTH: usize = 200;

/// Maximum number of annotations of each level. GitHub shows no more per step.
pub(crate) const MAX_ANNOTATIONS: usize = 10;

/// Maximum number of scenarios named in an annotation, which is shown next to a source line.
pub(crate) const MAX_NAMED_SCENARIOS: usize = 5;

/// Maximum number of dialogue lines in a comment. The last lines are kept, because they contain the failure.
pub(crate) const MAX_DIALOGUE_LINES: usize = 60;

/// Maximum length of a comment in characters. GitHub accepts 65,536. The rest is for text that a workflow adds.
pub(crate) const MAX_COMMENT_LENGTH: usize = 60_000;

/// Maximum number of scenarios with varying results listed below a run. `fsmsim flaky` shows all.
pub(crate) const MAX_FLAKY_SCENARIOS: usize = 10;

/// Maximum number of requests listed below a run for each scenario with varying results.
pub(crate) const MAX_QUESTIONS: usize = 3;

/// Maximum number of answers listed per request, the most frequent first.
pub(crate) const MAX_ANSWERS: usize = 5;

/// Maximum length of an answer in characters, so that several answers fit into one line.
pub(crate) const MAX_ANSWER_LENGTH: usize = 80;

/// Maximum number of end causes per state in the table of a simulation, the most frequent first.
pub(crate) const MAX_CAUSES_OF_STATE: usize = 3;

/// Maximum number of end causes per persona on the simulation page, the most frequent first.
pub(crate) const MAX_CAUSES_OF_PERSONA: usize = 12;

/// Maximum number of lines in the tooltip of a source line. Browsers truncate longer tooltips.
pub(crate) const MAX_HOVER_LINES: usize = 12;

/// Maximum number of model lines listed as not covered. The source page shows all.
pub(crate) const MAX_MISSED_LINES: usize = 40;

/// Maximum number of coverage items named per source line, so that the names fit into one line.
pub(crate) const MAX_ITEMS_OF_LINE: usize = 4;

/// Maximum number of dialogues, changes and fields that a comparison names for each cause.
pub(crate) const MAX_NAMED_DIALOGUES: usize = 10;

/// Maximum number of words in a table cell of the reference. Longer texts are below the table.
pub(crate) const MAX_CELL_WORDS: usize = 25;

/// Maximum length of a prose line in the reference, in characters.
pub(crate) const MAX_PROSE_WIDTH: usize = 120;

/// Maximum number of intents in a drawn confusion matrix. A larger matrix fits on no screen.
pub(crate) const MAX_DRAWN_INTENTS: usize = 45;

/// Maximum number of utterances on the page that only one of two recognizers classifies correctly.
pub(crate) const MAX_PAGE_UTTERANCES: usize = 200;

/// Maximum number of utterances on a terminal that only one of two recognizers classifies correctly.
pub(crate) const MAX_TEXT_UTTERANCES: usize = 10;

/// Maximum length of an utterance on a terminal in characters, so that its location fits into the same line.
pub(crate) const MAX_UTTERANCE_LENGTH: usize = 70;

/// Maximum number of conditions evaluated for one view. Each condition is shown with all its steps.
pub(crate) const MAX_CONDITIONS: usize = 60;

/// Maximum number of slots in a form that the state does not use. Other slots can be set by name.
pub(crate) const MAX_OTHER_SLOTS: usize = 200;

/// Maximum number of confused intent pairs on a terminal. The evaluation page shows all.
pub(crate) const MAX_CONFUSED_PAIRS: usize = 15;

/// Maximum number of utterances shown per confused intent pair.
pub(crate) const MAX_CONFUSED_UTTERANCES: usize = 3;

/// Turns of a dialogue that `fsmsim explore` prints for a problem.
pub(crate) const MAX_WITNESS_TURNS: usize = 40;
/// States from which on `fsmsim explore` explains the size of a complete search.
pub(crate) const MIN_EXPLAINED_STATES: usize = 100_000;
/// Parts of a state that `fsmsim explore` lists by their number of values.
pub(crate) const MAX_SHOWN_PARTS: usize = 8;
