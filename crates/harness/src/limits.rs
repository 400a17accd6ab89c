//! The crate's limits for scenarios, traces, datasets and runs, with their units and reasons.

use fsmsim_core::trace::MAX_TRACE_DIALOGUE_BYTES;

/// Maximum size of a scenario file in bytes. Its documents are read one at a time.
pub const MAX_SCENARIO_FILE: u64 = 256 << 20;

/// Maximum number of bytes and of nodes that parameter values can add to a document. Without it, a short text with many
/// placeholders could grow to gigabytes.
pub(crate) const MAX_FILLED_SIZE: usize = 64 << 20;

/// Number of names of closed dialogues after which a follower forgets earlier ones. Each takes about 16 bytes.
pub(crate) const MAX_CLOSED_DIALOGUES: usize = 500_000;

/// Maximum number of lines of incomplete dialogues in memory if their turns are sorted.
pub(crate) const MAX_SORTED_LINES: usize = 100_000;

/// Maximum number of cases of a scenario. Each case is run.
pub(crate) const MAX_CASES: usize = 100_000;

/// Maximum number of value pairs that `pairwise` combines. All of them are in memory.
pub(crate) const MAX_PAIRS: usize = 250_000;

/// Maximum number of examples that `lint` compares with each other. The time grows with the cube of the number.
pub(crate) const MAX_COMPARED_EXAMPLES: usize = 1000;

/// Maximum length of a value in the name of a case, in characters.
pub(crate) const MAX_SHOWN_VALUE: usize = 40;

/// Maximum depth of nested files of shared turns. Following them uses the stack.
pub(crate) const MAX_SHARED_DEPTH: usize = 16;

/// Maximum number of shared turns in a scenario. All of them are in memory.
pub(crate) const MAX_SHARED_TURNS: usize = 100_000;

/// Maximum length of a speaker label, in characters. A longer text before a colon is a sentence.
pub(crate) const MAX_SPEAKER_LABEL: usize = 40;

/// Maximum number of turns of a scenario that are kept in memory. Later turns of longer scenarios are read again
/// whenever they are needed.
pub(crate) const MAX_HELD_TURNS: usize = 1000;

/// Maximum number of turns of a scenario whose records are kept in memory.
pub(crate) const MAX_RECORDED_TURNS: usize = 1000;

/// Maximum number of trials of a scenario. Each trial can call a live model.
pub const MAX_TRIALS: u32 = 1_000;

/// Maximum number of votes on a rubric. Each vote calls a judge.
pub(crate) const MAX_VOTES: u32 = 15;

/// Maximum length of a judge's reason in a report, in characters.
pub(crate) const MAX_JUDGED_TEXT: usize = 400;

/// Maximum length of an answer that a failure quotes, in characters.
pub(crate) const MAX_QUOTED_ANSWER: usize = 200;

/// Maximum number of characters of an answer that are compared between trials.
pub(crate) const MAX_COMPARED_ANSWER: usize = 400;

/// Maximum number of different answers to a request that are counted separately. All further answers are counted as
/// one.
pub(crate) const MAX_ANSWERS: usize = 50;

/// Maximum size of a text whose distance to another text is computed, in bytes. The cost is the product of both
/// lengths.
pub(crate) const MAX_COMPARED_TEXT: usize = 512;

/// Maximum depth of nested parentheses in a filter. Parsing them uses the stack.
pub(crate) const MAX_FILTER_DEPTH: usize = 100;

/// Maximum size of a compiled regular expression in a filter, in bytes.
pub(crate) const MAX_COMPILED_PATTERN: usize = 1 << 20;

/// Maximum total size of the compiled regular expressions in the turns of a scenario that are in memory, in bytes.
pub(crate) const MAX_SCENARIO_PATTERNS: usize = 128 << 20;

/// Number of bytes by which the run history can grow before the file is rewritten without outdated results.
pub(crate) const MAX_HISTORY_GROWTH: u64 = 4 << 20;

/// Maximum number of bytes of the run history that are read.
pub(crate) const MAX_HISTORY: u64 = 64 << 20;

/// Maximum size of the stored results of mutants, in bytes. A larger file is replaced by the results of the last run.
pub(crate) const MAX_MUTANT_RESULTS: u64 = 32 << 20;

/// Maximum length of a replaced or new text in the description of a mutant, in characters.
pub(crate) const MAX_SHOWN_CHANGE: usize = 80;

/// Maximum number of mutants whose machines are in memory.
pub(crate) const MAX_HELD_MUTANTS: usize = 128;

/// Default of the maximum number of states of the searches of a model, and of its comparison with a mutant.
pub const MAX_MUTANT_STATES: usize = 4_000;

/// Number of turns that show each item in the dialogues that are played on a mutant.
pub(crate) const TURNS_OF_PROBED_ITEM: usize = 4;

/// Maximum number of turns of the search that compares a mutant with the original.
pub(crate) const MAX_MUTANT_TURNS: u64 = 400_000;

/// Maximum length of a value in the title of a generated scenario, in characters.
pub(crate) const MAX_TITLE_VALUE: usize = 40;

/// Default of the maximum number of states of the search for generated scenarios.
pub const MAX_GENERATED_STATES: usize = 20_000;

/// Maximum number of turns of the search for generated scenarios, per state of its maximum.
pub(crate) const MAX_TURNS_OF_STATE: usize = 20;

/// How many times as many turns a sample plays as the search that reached a bound.
pub(crate) const MORE_SAMPLED_TURNS: u64 = 2;

/// Default of the maximum number of turns of a generated scenario.
pub const MAX_GENERATED_TURNS: usize = 12;

/// Maximum number of turns with the same event that are kept of the states that one task plays again.
pub(crate) const MAX_KEPT_TURNS: u32 = 16;

/// Maximum number of dialogues of which the smallest sufficient set is searched.
pub(crate) const MAX_EXACT_COVER: usize = 60;

/// Maximum number of steps of the search for the smallest sufficient set of dialogues.
pub(crate) const MAX_COVER_STEPS: usize = 20_000;

/// Maximum number of turns that are followed to find items that do not share a dialogue.
pub(crate) const MAX_BOUND_TURNS: usize = 30_000_000;

/// Maximum number of items in the title of a generated scenario.
pub(crate) const MAX_TITLE_ITEMS: usize = 3;

/// Maximum size of a snapshot file in bytes. The file is read into memory.
pub(crate) const MAX_SNAPSHOT: u64 = 64 << 20;

/// Maximum depth of nested conditions that are analyzed for coverage. Analyzing them uses the stack.
pub(crate) const MAX_CONDITION_DEPTH: usize = 256;

/// Maximum number of edits that are reverted one by one. For each of them, every differing dialogue is run again. Of
/// more edits, several are reverted at a time.
pub(crate) const MAX_REVERSED_EDITS: usize = 32;

/// Maximum number of models without some of their edits that are kept in memory. Further models are built again.
pub(crate) const MAX_HELD_MODELS: usize = 1024;

/// Maximum number of turns of each dialogue that are aligned at a time. The cost is the product of both numbers. Longer
/// dialogues are aligned in windows.
pub(crate) const MAX_ALIGNED_TURNS: usize = 1024;

/// Maximum number of similar names listed for an unknown name.
pub(crate) const MAX_SIMILAR_NAMES: usize = 8;

/// Maximum number of invalid dialogues in a trace. A file with more is probably not a trace, so reading stops.
pub(crate) const MAX_INVALID_DIALOGUES: u64 = 20;

/// Maximum depth of nested regions.
pub(crate) const MAX_REGION_DEPTH: usize = 64;

/// Maximum size of the dialogues that are kept in memory while their lines are grouped, in bytes.
pub(crate) const MAX_HELD_BYTES: usize = 4 * MAX_TRACE_DIALOGUE_BYTES;

/// Maximum number of names in a field that keeps its value from turn to turn.
pub(crate) const MAX_FIELD_NAMES: usize = 1000;

/// Maximum number of values that a dialogue carries from turn to turn, counted again in each turn.
pub(crate) const MAX_CARRIED_VALUES: usize = 2_000_000;

/// Maximum size of a dataset file in bytes. The file is read into memory.
pub(crate) const MAX_DATASET_FILE: u64 = 16 << 20;

/// Maximum length of an utterance in a dataset, in characters.
pub(crate) const MAX_UTTERANCE: usize = 10_000;

/// Maximum number of distinct confidences, or distances, that are all tried as thresholds. If there are more, only
/// hundredths are tried.
pub(crate) const MAX_TRIED_THRESHOLDS: usize = 100;

/// Maximum number of utterances drawn for all samples together, unless this would result in too few samples.
pub(crate) const MAX_DRAWN: usize = 4_000_000;

/// Maximum number of turns of the search that proves items unattainable. They are counted per declared intent.
pub(crate) const MAX_PROOF_TURNS: u64 = 20_000_000;
