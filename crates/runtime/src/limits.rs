//! The limits of projects, scripts and simulations. A size is in bytes unless its comment says otherwise.

/// Bytes of the name of a file: with an extension and a process number, every file system takes it.
pub const MAX_FILE_NAME: usize = 120;
/// Bytes of a file that are read to guess its kind if it is too large to be read.
pub const MAX_HEAD: u64 = 64 << 10;
/// Characters of a section of knowledge in a prompt.
pub const MAX_SECTION: usize = 600;
/// Sections of knowledge in a prompt.
pub const MAX_SECTIONS: u32 = 3;
/// Dialogues of a persona whose findings are shown in full.
pub const MAX_REPORTED_DIALOGUES: usize = 3;
/// The heaviest weight of a persona.
pub const MAX_WEIGHT: u32 = 1_000_000;
/// Weights of a persona: together they stay below 2^32.
pub const MAX_WEIGHTS: usize = 4_096;
/// Turns of a simulated dialogue that a persona may ask for.
pub const MAX_TURNS: u32 = 10_000;
/// Turns of a simulated dialogue, by default.
pub const DEFAULT_TURNS: u32 = 40;
/// Bytes of a line of a turns file.
pub const MAX_TURNS_LINE: usize = 4 << 20;
/// Files of a model that are taken out of a revision.
pub const MAX_MODEL_FILES: usize = 2000;
/// Bytes of these files together.
pub const MAX_MODEL_BYTES: u64 = 64 << 20;
/// Files of a project that are taken out of a revision.
pub const MAX_PROJECT_FILES: usize = 20_000;
/// Bytes of these files together.
pub const MAX_PROJECT_BYTES: u64 = 512 << 20;
