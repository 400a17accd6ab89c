//! The limits of documents and findings. A size is in bytes unless its comment specifies another unit.

/// Maximum number of findings that a run stores. Further findings are only counted.
pub const MAX_FINDINGS: usize = 200;
/// Maximum length of a name for which a similar name is searched. The cost of a comparison is quadratic.
pub const MAX_COMPARED_NAME: usize = 256;
/// Maximum number of possibly new names in a file for which similar names are searched. Each name is compared with all
/// known names, and users do not read more findings.
pub const MAX_SEARCHED: usize = 500;
/// Maximum length of the lines around a finding that are shown, in bytes. Each finding in a long line shows it again.
pub const MAX_SNIPPET: usize = 1 << 16;
/// Maximum number of keys that a note about ignored keys lists.
pub const MAX_NAMED_KEYS: usize = 8;
/// Maximum size of a dialogue definition, and of most other files.
pub const DEFINITION_LIMIT: u64 = 4 << 20;
/// Maximum number of nesting levels in a document. Traces and saved sessions embed documents and add levels; JSON
/// readers allow at most 128.
pub const LEVELS: usize = 100;
/// Maximum length of a JSON key for the fast reader. The YAML reader accepts longer keys.
pub const MAX_KEY: usize = 256;
/// Maximum number of nesting levels of Markdown blocks.
pub const MAX_BLOCK_DEPTH: usize = 32;
/// Maximum total size of the compiled regular expressions of one file.
pub const MAX_PATTERNS: usize = 32 << 20;
/// Maximum cache size of one regular expression.
pub const MAX_PATTERN_CACHE: usize = 256 << 10;
/// Maximum number of values that aliases can add to one document.
pub const MAX_ALIASED_VALUES: usize = 100_000;
/// Maximum number of values that all anchors of one document can store. Values in nested anchors count once per anchor.
pub const MAX_ANCHORED_VALUES: usize = 400_000;
/// Maximum number of threads that wait for external services.
pub const MAX_WAITING_THREADS: usize = 64;
/// Maximum length of a file name or session name that is derived from a text, in characters. Users must type session
/// names.
pub const MAX_STEM_LENGTH: usize = 40;
/// Maximum number of lines, or of words, of two texts that are aligned to show their difference. The cost is quadratic.
pub const MAX_ALIGNED_PARTS: usize = 2_000;
/// Maximum number of attempts to write a file while other processes write it.
pub const MAX_TRIES: usize = 100;
