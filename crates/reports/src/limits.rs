//! The limits of the reports: how much is shown of what a user can make long, and how long a watch waits.

use std::time::Duration;

/// How long nothing must happen before files count as saved: editors write a file in several steps.
pub(crate) const QUIET_TIMEOUT: Duration = Duration::from_millis(15);

/// Pauses after which saved files are reported although more are written: a program may write all the time.
pub(crate) const MAX_PAUSES: usize = 20;

/// How long one wait for a saved file takes; then the next one begins, so no wait has to be endless.
pub(crate) const WATCH_TIMEOUT: Duration = Duration::from_hours(1);

/// Bytes of a path that a page or an assistant gives: no file system takes much longer ones.
pub(crate) const MAX_PATH_LENGTH: usize = 200;

/// Failures of one scenario on a terminal: the first ones say why the others are there.
pub(crate) const MAX_SHOWN_FAILURES: usize = 8;

/// Failures of one scenario in a report that has more room than a terminal.
pub(crate) const MAX_LISTED_FAILURES: usize = 20;

/// Scenarios of a cause that are named: the first one is shown in full.
pub(crate) const MAX_ADDRESSES: usize = 10;

/// Changes of a cause: all have the same reason.
pub(crate) const MAX_CHANGES: usize = 5;

/// Edited lines of each side of a cause: the others are in the file.
pub(crate) const MAX_EDITED_LINES: usize = 3;

/// Characters of a value in a title or a comparison: lists of proposals and effects are read in JSON.
pub(crate) const MAX_VALUE_LENGTH: usize = 100;

/// Characters of a value in a finding of a verification, where it is all that is shown of the turn.
pub(crate) const MAX_FOUND_LENGTH: usize = 200;

/// Annotations of each kind: GitHub keeps no more of a job.
pub(crate) const MAX_ANNOTATIONS: usize = 50;

/// Scenarios that an annotation names: it is read beside a line.
pub(crate) const MAX_NAMED_SCENARIOS: usize = 5;

/// Lines of a dialogue in a comment; the last ones, since those are about what was not as expected.
pub(crate) const MAX_DIALOGUE_LINES: usize = 60;

/// Characters of a comment. GitHub takes 65,536; whoever posts it may add a word.
pub(crate) const MAX_COMMENT_LENGTH: usize = 60_000;

/// Scenarios with varying results below a run: `fsmsim flaky` shows all.
pub(crate) const MAX_FLAKY_SCENARIOS: usize = 10;

/// Questions of a scenario with varying results below a run.
pub(crate) const MAX_QUESTIONS: usize = 3;

/// Answers to a question, the most frequent first.
pub(crate) const MAX_ANSWERS: usize = 5;

/// Characters of an answer, so that several fit into a line.
pub(crate) const MAX_ANSWER_LENGTH: usize = 80;

/// Ways of ending in a state in the table of a simulation, the most frequent first.
pub(crate) const MAX_CAUSES_OF_STATE: usize = 3;

/// Ways of ending of a persona on the page of a simulation, the most frequent first.
pub(crate) const MAX_CAUSES_OF_PERSONA: usize = 12;

/// Lines that the hover of a source line has: a browser cuts longer ones.
pub(crate) const MAX_HOVER_LINES: usize = 12;

/// Lines of a model that are listed as not covered: the page of the sources shows all.
pub(crate) const MAX_MISSED_LINES: usize = 40;

/// Items of a line that are named, so that they fit into a line.
pub(crate) const MAX_ITEMS_OF_LINE: usize = 4;

/// Dialogues, changes and fields of a cause that a comparison names.
pub(crate) const MAX_NAMED_DIALOGUES: usize = 10;

/// Intents whose confusions are drawn as a square: a larger one fits on no screen.
pub(crate) const MAX_DRAWN_INTENTS: usize = 45;

/// Utterances that only one of two readers has right, on the page.
pub(crate) const MAX_PAGE_UTTERANCES: usize = 200;

/// Utterances that only one of two readers has right, on a terminal.
pub(crate) const MAX_TEXT_UTTERANCES: usize = 10;

/// Characters of an utterance on a terminal, so that its place fits into the same line.
pub(crate) const MAX_UTTERANCE_LENGTH: usize = 70;

/// Conditions that are evaluated for one view: each is shown with all its steps.
pub(crate) const MAX_CONDITIONS: usize = 60;

/// Slots that a state does not ask for in a form: the others can be filled by name.
pub(crate) const MAX_OTHER_SLOTS: usize = 200;

/// Pairs of intents that were confused on a terminal: the page of the evaluation has all.
pub(crate) const MAX_CONFUSED_PAIRS: usize = 15;

/// Utterances of each such pair.
pub(crate) const MAX_CONFUSED_UTTERANCES: usize = 3;
