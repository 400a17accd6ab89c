//! The limits of the crate: what scenarios, traces, labelled utterances and runs can reach, with the unit and the reason.

use fsmsim_core::trace::MAX_TRACE_DIALOGUE_BYTES;

/// Bytes of a scenario file. Its documents are read one at a time.
pub const MAX_SCENARIO_FILE: u64 = 256 << 20;

/// Bytes of texts and number of nodes that values of parameters take together in one document: a short text with many
/// placeholders must not grow into gigabytes.
pub(crate) const MAX_FILLED_SIZE: usize = 64 << 20;

/// Cases of a scenario: each is played.
pub(crate) const MAX_CASES: usize = 100_000;

/// Pairs of values that `pairwise` puts together: each is in memory.
pub(crate) const MAX_PAIRS: usize = 250_000;

/// Characters of a value in the name of a case.
pub(crate) const MAX_SHOWN_VALUE: usize = 40;

/// Files of shared turns that use each other: they are followed on the stack.
pub(crate) const MAX_SHARED_DEPTH: usize = 16;

/// Shared turns of one scenario: they are in memory together.
pub(crate) const MAX_SHARED_TURNS: usize = 100_000;

/// Characters of the label of a speaker: a longer text before a colon is a sentence.
pub(crate) const MAX_SPEAKER_LABEL: usize = 40;

/// Turns of a scenario that are in memory. Those of longer scenarios are read again, one by one, each time they are needed.
pub(crate) const MAX_HELD_TURNS: usize = 1000;

/// Turns of a scenario whose records are in memory.
pub(crate) const MAX_RECORDED_TURNS: usize = 1000;

/// Plays of one scenario: each can ask a live model.
pub const MAX_PLAYS: u32 = 1_000;

/// Votes about one rubric: each asks a judge.
pub(crate) const MAX_VOTES: u32 = 15;

/// Characters of the reason of a judge that a report shows.
pub(crate) const MAX_JUDGED_TEXT: usize = 400;

/// Characters of an answer that a failure quotes.
pub(crate) const MAX_QUOTED_ANSWER: usize = 200;

/// Characters of an answer that are compared between plays.
pub(crate) const MAX_COMPARED_ANSWER: usize = 400;

/// Different answers to one question that are counted separately; all others count as one.
pub(crate) const MAX_ANSWERS: usize = 50;

/// Bytes of a text whose distance to another is measured: that takes the product of their lengths.
pub(crate) const MAX_COMPARED_TEXT: usize = 512;

/// Brackets inside each other in a filter: they are parsed on the stack.
pub(crate) const MAX_FILTER_DEPTH: usize = 100;

/// Bytes of a compiled regular expression of a filter.
pub(crate) const MAX_COMPILED_PATTERN: usize = 1 << 20;

/// Bytes of the results of earlier runs after which the file is rewritten without what was replaced.
pub(crate) const MAX_HISTORY_GROWTH: u64 = 4 << 20;

/// Bytes of the results of earlier runs that are read.
pub(crate) const MAX_HISTORY: u64 = 64 << 20;

/// Bytes of the file of a snapshot, which is read into memory.
pub(crate) const MAX_SNAPSHOT: u64 = 64 << 20;

/// Conditions inside each other that are analyzed for coverage: they use the stack.
pub(crate) const MAX_CONDITION_DEPTH: usize = 256;

/// Differing turns of a dialogue in which further causes are looked for.
pub(crate) const MAX_CAUSE_TURNS: usize = 100;

/// Edits that are undone one by one: each plays every dialogue that differs once more.
pub(crate) const MAX_REVERSED_EDITS: usize = 32;

/// Turns of each dialogue that are aligned at a time, which takes the product of both; longer dialogues are aligned piece by
/// piece.
pub(crate) const MAX_ALIGNED_TURNS: usize = 1024;

/// Similar names that are listed for an unknown one.
pub(crate) const MAX_SIMILAR_NAMES: usize = 8;

/// Lines of the way that `:why-not` looks for.
pub const MAX_DETOUR: usize = 3;

/// Turns of each length and kind that `:why-not` tries: a few seconds.
pub(crate) const MAX_TRIED_TURNS: usize = 40_000;

/// Dialogues of a trace that cannot be used. After so many the file is something else, and the rest is not read.
pub(crate) const MAX_UNUSABLE_DIALOGUES: u64 = 20;

/// Regions inside each other.
pub(crate) const MAX_REGION_DEPTH: usize = 64;

/// Bytes of the dialogues that are in memory while their lines are grouped.
pub(crate) const MAX_HELD_BYTES: usize = 4 * MAX_TRACE_DIALOGUE_BYTES;

/// Names in a field that keeps its value from turn to turn.
pub(crate) const MAX_FIELD_NAMES: usize = 1000;

/// Values that a dialogue carries from turn to turn, counted again in each turn.
pub(crate) const MAX_CARRIED_VALUES: usize = 2_000_000;

/// Bytes of a file of labelled utterances, which is read into memory.
pub(crate) const MAX_LABELLED_FILE: u64 = 16 << 20;

/// Characters of a labelled utterance.
pub(crate) const MAX_UTTERANCE: usize = 10_000;

/// Different confidences, or distances, all of which are tried as thresholds. Of more of them hundredths are near enough.
pub(crate) const MAX_TRIED_THRESHOLDS: usize = 100;

/// Utterances that are drawn in all samples together, unless that were too few samples.
pub(crate) const MAX_DRAWN: usize = 4_000_000;
