//! Limits of the command line.

/// Threads of a command. More threads would only wait for each other.
pub(super) const MAX_JOBS: i64 = 256;

/// The default number of seconds after which a scenario is slow.
pub(super) const DEFAULT_SLOW_SECONDS: u64 = 10;

/// Bytes of a report that is read. It contains the records of failed scenarios.
pub(super) const MAX_REPORT_BYTES: u64 = 256 << 20;

/// Turns that `fsmsim diff --prove` plays with each model.
pub(super) const MAX_PROVED_TURNS: u64 = 2_000_000;

/// Names of unknown states or models in a message. More would hide the message.
pub(super) const MAX_NAMED: usize = 5;

/// Sample dialogues per persona on a simulation page, so that the page stays small.
pub(super) const MAX_SAMPLES: usize = 8;

/// Bytes of the lines of a turns file that a thread processes in one batch. Smaller batches make threads wait for each
/// other, larger ones delay the output.
pub(super) const MAX_BATCH_BYTES: usize = 1 << 14;

/// Bytes of a line of a turns file that is processed in memory. The output has about a hundred times the size; for
/// longer lines it is written immediately.
pub(super) const MAX_LINE_IN_MEMORY: usize = 1 << 20;

/// The default number of lines that `fsmsim verify --group` keeps in memory.
pub(super) const MAX_GROUPED_LINES: &str = "100000";

/// Calls after which a dialogue of `fsmsim mcp` ends: no correct assistant needs that many.
#[cfg(feature = "serve")]
pub(super) const MAX_CALLS: u32 = 10_000;

/// The minimum length of a token in bytes: shorter ones can be guessed.
#[cfg(feature = "serve")]
pub(super) const MIN_TOKEN_LENGTH: usize = 16;
