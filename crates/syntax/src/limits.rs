//! The limits of documents and of what is said about them. A size is in bytes unless its comment says otherwise.

/// Findings of a run that are kept; more than a person reads are only counted.
pub const MAX_FINDINGS: usize = 200;
/// Bytes of a name for which a similar one is searched: a comparison takes the square of a length.
pub const MAX_COMPARED_NAME: usize = 256;
/// Names of a file for which a similar one is searched if a name may be a new one: each is compared with all known names, and
/// nobody reads more findings.
pub const MOST_SOUGHT: usize = 500;
/// Keys that a note about ignored keys names.
pub const MAX_NAMED_KEYS: usize = 8;
/// Bytes of a definition of a dialogue, and of most other files.
pub const DEFINITION_LIMIT: u64 = 4 << 20;
/// Levels of a document. What is written of it again, in traces and saved sessions, adds some, and readers of JSON know no more
/// than 128.
pub const LEVELS: usize = 100;
/// Bytes of a key of JSON for the fast reader; YAML reads longer ones.
pub const MAX_KEY: usize = 256;
/// Levels of blocks of Markdown in each other.
pub const MAX_BLOCK_DEPTH: usize = 32;
/// Bytes of all regular expressions of one file, compiled.
pub const MAX_PATTERNS: usize = 32 << 20;
/// Bytes that one regular expression may keep to run faster.
pub const MAX_PATTERN_CACHE: usize = 256 << 10;
/// Values that aliases may add to one document.
pub const MAX_ALIASED_VALUES: usize = 100_000;
/// Values that all anchors of one document may keep; those inside others are kept more than once.
pub const MAX_ANCHORED_VALUES: usize = 400_000;
/// Threads that wait for something outside.
pub const MAX_WAITING_THREADS: usize = 64;
/// Characters of the name of a file or a session that is made from a text. A session name has to be typed.
pub const MAX_STEM_LENGTH: usize = 40;
/// Attempts to write a file while other processes write it.
pub const MAX_TRIES: usize = 100;
