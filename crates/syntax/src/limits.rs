//! The limits of documents and findings. A size is in bytes unless its comment specifies another unit.

/// Findings of a run that are stored; further ones are only counted.
pub const MAX_FINDINGS: usize = 200;
/// Bytes of a name for which a similar one is searched. The cost of a comparison is quadratic.
pub const MAX_COMPARED_NAME: usize = 256;
/// Names of a file for which a similar one is searched, if a name can be new. Each is compared with all known names,
/// and users do not read more findings.
pub const MAX_SEARCHED: usize = 500;
/// Keys that a note about ignored keys lists.
pub const MAX_NAMED_KEYS: usize = 8;
/// Bytes of a definition of a dialogue, and of most other files.
pub const DEFINITION_LIMIT: u64 = 4 << 20;
/// Levels of a document. Traces and saved sessions embed documents and add levels; JSON readers allow at most 128.
pub const LEVELS: usize = 100;
/// Bytes of a JSON key for the fast reader; the YAML reader accepts longer ones.
pub const MAX_KEY: usize = 256;
/// Levels of nested Markdown blocks.
pub const MAX_BLOCK_DEPTH: usize = 32;
/// Bytes of all compiled regular expressions of one file.
pub const MAX_PATTERNS: usize = 32 << 20;
/// Bytes of the cache of one regular expression.
pub const MAX_PATTERN_CACHE: usize = 256 << 10;
/// Values that aliases can add to one document.
pub const MAX_ALIASED_VALUES: usize = 100_000;
/// Values that all anchors of one document can store. A nested anchor counts for each anchor around it.
pub const MAX_ANCHORED_VALUES: usize = 400_000;
/// Threads that wait for external services.
pub const MAX_WAITING_THREADS: usize = 64;
/// Characters of a file name or session name that is derived from a text. Users must type session names.
pub const MAX_STEM_LENGTH: usize = 40;
/// Attempts to write a file while other processes write it.
pub const MAX_TRIES: usize = 100;
