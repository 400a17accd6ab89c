//! Limits of projects, scripts and simulations. Sizes are in bytes unless a comment says otherwise.

/// Maximum length of a file name in bytes. Every file system accepts it with an extension and a process ID added.
pub const MAX_FILE_NAME: usize = 120;
/// Bytes read from the start of a file to guess its kind if the file is too large to read.
pub const MAX_HEAD: u64 = 64 << 10;
/// Maximum length of a knowledge section in a prompt, in characters.
pub const MAX_SECTION: usize = 600;
/// Maximum number of knowledge sections in a prompt.
pub const MAX_SECTIONS: u32 = 3;
/// Number of dialogues per persona whose findings are shown in full.
pub const MAX_REPORTED_DIALOGUES: usize = 3;
/// Maximum weight in a persona.
pub const MAX_WEIGHT: u32 = 1_000_000;
/// Maximum number of weights in a persona, so that their sum stays below 2^32.
pub const MAX_WEIGHTS: usize = 4_096;
/// Maximum value of `max_turns` in a persona.
pub const MAX_TURNS: u32 = 10_000;
/// Default value of `max_turns` in a persona.
pub const DEFAULT_TURNS: u32 = 40;
/// Maximum time since the start of a dialogue, in seconds.
pub const MAX_ELAPSED_SECONDS: f64 = 1e9;
/// Maximum length of a line in a turns file, in bytes.
pub const MAX_TURNS_LINE: usize = 4 << 20;
/// Maximum number of model files read from a revision.
pub const MAX_MODEL_FILES: usize = 2000;
/// Maximum total size of these files, in bytes.
pub const MAX_MODEL_BYTES: u64 = 64 << 20;
/// Maximum number of project files read from a revision.
pub const MAX_PROJECT_FILES: usize = 20_000;
/// Maximum total size of these files, in bytes.
pub const MAX_PROJECT_BYTES: u64 = 512 << 20;
