//! The limits of the command line.

/// Threads of a command. More would only wait for each other.
pub(super) const MAX_JOBS: i64 = 256;

/// Bytes of a report that is read. Scenarios that did not pass bring their records along.
pub(super) const MAX_REPORT_BYTES: u64 = 256 << 20;

/// Names that a message lists, of unknown states or of models. More would hide what it says.
pub(super) const MAX_NAMED: usize = 5;

/// Dialogues of a persona that the page of a simulation shows whole. The page stays small enough to be opened.
pub(super) const MAX_SAMPLES: usize = 8;

/// Bytes of the lines of a turns file that a thread plays at once. Fewer would make threads wait for each other, more would hold back
/// what is played.
pub(super) const MAX_BATCH_BYTES: usize = 1 << 14;

/// Bytes of a line of a turns file that is played in memory. What comes of a line has a hundred times its size; that of a longer one is
/// written as it comes.
pub(super) const MAX_LINE_IN_MEMORY: usize = 1 << 20;

/// Lines that `fsmsim verify --group` holds, if it does not say.
pub(super) const MAX_GROUPED_LINES: &str = "100000";

/// Calls of one dialogue of `fsmsim mcp`, after which it ends: no assistant that works well comes so far.
#[cfg(feature = "serve")]
pub(super) const MAX_CALLS: u32 = 10_000;

/// Letters that a token has at least: shorter ones are guessed.
#[cfg(feature = "serve")]
pub(super) const MIN_TOKEN_LENGTH: usize = 16;
