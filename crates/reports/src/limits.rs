//! Limits of the reports for parts with many items, and time limits of the file watch.

use std::time::Duration;

/// The time without changes after which files count as saved: editors write a file in several steps.
pub(crate) const QUIET_TIMEOUT: Duration = Duration::from_millis(15);

/// The number of pauses after which saved files are reported even if writing continues: a program can write permanently.
pub(crate) const MAX_PAUSES: usize = 20;

/// The duration of one wait for saved files. The wait is repeated, so that none needs to be unlimited.
pub(crate) const WATCH_TIMEOUT: Duration = Duration::from_hours(1);

/// Bytes of a path that a page or an assistant gives: file systems limit paths to a similar length.
pub(crate) const MAX_PATH_LENGTH: usize = 200;

/// Failures of one scenario on a terminal: the first ones usually explain the others.
pub(crate) const MAX_SHOWN_FAILURES: usize = 8;

/// Failures of one scenario in a report that has more space than a terminal.
pub(crate) const MAX_LISTED_FAILURES: usize = 20;

/// Scenario IDs of a cause: the first scenario is shown in full.
pub(crate) const MAX_ADDRESSES: usize = 10;

/// Changes of a cause: all have the same cause.
pub(crate) const MAX_CHANGES: usize = 5;

/// Edited lines of each side of a cause: the others are in the file.
pub(crate) const MAX_EDITED_LINES: usize = 3;

/// Characters of a value in a title or a comparison: long lists of proposals and effects are for JSON.
pub(crate) const MAX_VALUE_LENGTH: usize = 100;

/// Characters of a value in a finding of a verification, which shows nothing else of the turn.
pub(crate) const MAX_FOUND_LENGTH: usize = 200;

/// Annotations of each kind: GitHub keeps no more per job.
pub(crate) const MAX_ANNOTATIONS: usize = 50;

/// Scenarios that an annotation names: it is shown next to a source line.
pub(crate) const MAX_NAMED_SCENARIOS: usize = 5;

/// Lines of a dialogue in a comment: the last ones, because they contain the failure.
pub(crate) const MAX_DIALOGUE_LINES: usize = 60;

/// Characters of a comment. GitHub accepts 65,536; the rest is for text that a workflow adds.
pub(crate) const MAX_COMMENT_LENGTH: usize = 60_000;

/// Scenarios with varying results below a run: `fsmsim flaky` shows all.
pub(crate) const MAX_FLAKY_SCENARIOS: usize = 10;

/// Questions of a scenario with varying results below a run.
pub(crate) const MAX_QUESTIONS: usize = 3;

/// Answers to a question, the most frequent first.
pub(crate) const MAX_ANSWERS: usize = 5;

/// Characters of an answer, so that several fit into a line.
pub(crate) const MAX_ANSWER_LENGTH: usize = 80;

/// Causes of endings in a state in the table of a simulation, the most frequent first.
pub(crate) const MAX_CAUSES_OF_STATE: usize = 3;

/// Causes of endings of a persona on the simulation page, the most frequent first.
pub(crate) const MAX_CAUSES_OF_PERSONA: usize = 12;

/// Lines in the tooltip of a source line: browsers cut longer ones.
pub(crate) const MAX_HOVER_LINES: usize = 12;

/// Lines of a model that are listed as not covered: the source page shows all.
pub(crate) const MAX_MISSED_LINES: usize = 40;

/// Items of a line that are named, so that they fit into one line.
pub(crate) const MAX_ITEMS_OF_LINE: usize = 4;

/// Dialogues, changes and fields of a cause that a comparison names.
pub(crate) const MAX_NAMED_DIALOGUES: usize = 10;

/// Words of a cell in a table of the reference: longer texts are below the table.
pub(crate) const MAX_CELL_WORDS: usize = 25;

/// Characters of a line of prose in the reference.
pub(crate) const MAX_PROSE_WIDTH: usize = 120;

/// Intents in a drawn confusion matrix: a larger one fits on no screen.
pub(crate) const MAX_DRAWN_INTENTS: usize = 45;

/// Utterances that only one of two recognizers classifies correctly, on the page.
pub(crate) const MAX_PAGE_UTTERANCES: usize = 200;

/// Utterances that only one of two recognizers classifies correctly, on a terminal.
pub(crate) const MAX_TEXT_UTTERANCES: usize = 10;

/// Characters of an utterance on a terminal, so that its location fits into the same line.
pub(crate) const MAX_UTTERANCE_LENGTH: usize = 70;

/// Conditions that are evaluated for one view: each is shown with all its steps.
pub(crate) const MAX_CONDITIONS: usize = 60;

/// Slots in a form that the state does not use: the others can be set by name.
pub(crate) const MAX_OTHER_SLOTS: usize = 200;

/// Pairs of confused intents on a terminal: the evaluation page has all.
pub(crate) const MAX_CONFUSED_PAIRS: usize = 15;

/// Utterances of each such pair.
pub(crate) const MAX_CONFUSED_UTTERANCES: usize = 3;
