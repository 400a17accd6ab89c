//! The limits of the crate for scenarios, traces, datasets and runs, with their units and reasons.

use fsmsim_core::trace::MAX_TRACE_DIALOGUE_BYTES;

/// Bytes of a scenario file. Its documents are read one at a time.
pub const MAX_SCENARIO_FILE: u64 = 256 << 20;

/// Bytes of text and number of nodes that the values of parameters can add to one document: a short text with many
/// placeholders must not grow to gigabytes.
pub(crate) const MAX_FILLED_SIZE: usize = 64 << 20;

/// Cases of a scenario: each is run.
pub(crate) const MAX_CASES: usize = 100_000;

/// Pairs of values that `pairwise` combines: all are in memory.
pub(crate) const MAX_PAIRS: usize = 250_000;

/// Characters of a value in the name of a case.
pub(crate) const MAX_SHOWN_VALUE: usize = 40;

/// Nested files of shared turns: they are followed on the stack.
pub(crate) const MAX_SHARED_DEPTH: usize = 16;

/// Shared turns of one scenario: all are in memory.
pub(crate) const MAX_SHARED_TURNS: usize = 100_000;

/// Characters of the label of a speaker: a longer text before a colon is a sentence.
pub(crate) const MAX_SPEAKER_LABEL: usize = 40;

/// Turns of a scenario that are in memory. The further turns of longer scenarios are read again each time they are
/// needed.
pub(crate) const MAX_HELD_TURNS: usize = 1000;

/// Turns of a scenario whose records are in memory.
pub(crate) const MAX_RECORDED_TURNS: usize = 1000;

/// Trials of one scenario: each can call a live model.
pub const MAX_TRIALS: u32 = 1_000;

/// Votes on one rubric: each calls a judge.
pub(crate) const MAX_VOTES: u32 = 15;

/// Characters of a judge's reason that a report shows.
pub(crate) const MAX_JUDGED_TEXT: usize = 400;

/// Characters of an answer that a failure quotes.
pub(crate) const MAX_QUOTED_ANSWER: usize = 200;

/// Characters of an answer that are compared between trials.
pub(crate) const MAX_COMPARED_ANSWER: usize = 400;

/// Different answers to one question that are counted separately. All further answers count as one.
pub(crate) const MAX_ANSWERS: usize = 50;

/// Bytes of a text whose distance to another text is computed: the cost is the product of their lengths.
pub(crate) const MAX_COMPARED_TEXT: usize = 512;

/// Nested parentheses in a filter: they are parsed on the stack.
pub(crate) const MAX_FILTER_DEPTH: usize = 100;

/// Bytes of a compiled regular expression of a filter.
pub(crate) const MAX_COMPILED_PATTERN: usize = 1 << 20;

/// Bytes of the run history after which the file is rewritten without outdated results.
pub(crate) const MAX_HISTORY_GROWTH: u64 = 4 << 20;

/// Bytes of the run history that are read.
pub(crate) const MAX_HISTORY: u64 = 64 << 20;

/// Bytes of the file of a snapshot, which is read into memory.
pub(crate) const MAX_SNAPSHOT: u64 = 64 << 20;

/// Nested conditions that are analyzed for coverage: they use the stack.
pub(crate) const MAX_CONDITION_DEPTH: usize = 256;

/// Differing turns of a dialogue that are searched for further causes.
pub(crate) const MAX_CAUSE_TURNS: usize = 100;

/// Edits that are undone one by one: each runs every differing dialogue again.
pub(crate) const MAX_REVERSED_EDITS: usize = 32;

/// Turns of each dialogue that are aligned at a time: the cost is the product of both. Longer dialogues are aligned in
/// pieces.
pub(crate) const MAX_ALIGNED_TURNS: usize = 1024;

/// Similar names that are listed for an unknown name.
pub(crate) const MAX_SIMILAR_NAMES: usize = 8;

/// Input lines of a path that `:why-not` searches for.
pub const MAX_DETOUR: usize = 3;

/// Turns of each length and kind that `:why-not` tries. This takes a few seconds.
pub(crate) const MAX_TRIED_TURNS: usize = 40_000;

/// Invalid dialogues of a trace. After this number the file is probably not a trace, and the rest is not read.
pub(crate) const MAX_INVALID_DIALOGUES: u64 = 20;

/// Nested regions.
pub(crate) const MAX_REGION_DEPTH: usize = 64;

/// Bytes of the dialogues that are in memory while their lines are grouped.
pub(crate) const MAX_HELD_BYTES: usize = 4 * MAX_TRACE_DIALOGUE_BYTES;

/// Names in a field that keeps its value from turn to turn.
pub(crate) const MAX_FIELD_NAMES: usize = 1000;

/// Values that a dialogue carries from turn to turn, counted again in each turn.
pub(crate) const MAX_CARRIED_VALUES: usize = 2_000_000;

/// Bytes of a dataset file, which is read into memory.
pub(crate) const MAX_DATASET_FILE: u64 = 16 << 20;

/// Characters of an utterance in a dataset.
pub(crate) const MAX_UTTERANCE: usize = 10_000;

/// Distinct confidences, or distances, that are all tried as thresholds. If there are more, only hundredths are tried.
pub(crate) const MAX_TRIED_THRESHOLDS: usize = 100;

/// Utterances that are drawn in all samples together, unless that results in too few samples.
pub(crate) const MAX_DRAWN: usize = 4_000_000;
