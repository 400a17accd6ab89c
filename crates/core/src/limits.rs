//! All limits of the crate: what a definition, a dialogue or a file can reach, with the unit and the reason.

/// Findings in the turns of a trace. After so many the file is something else, and all its lines would be kept to show
/// them.
pub(crate) const MAX_TRACE_FINDINGS: usize = 50;

/// Bytes of a dialogue in a trace: one dialogue is in memory at a time.
pub const MAX_TRACE_DIALOGUE_BYTES: usize = 64 << 20;

/// Bytes of a line of a trace: one line is in memory at a time.
pub(crate) const MAX_TRACE_LINE_BYTES: usize = 16 << 20;

/// Lines and headers of a trace that cannot be read. After so many the file is something else, and the rest is not
/// read.
pub const MAX_FAULTS: usize = 20;

/// Terminal cells of a table cell with another behind it: a row of all columns fits on a wide terminal.
pub(crate) const MAX_CELL_WIDTH: usize = 44;

/// Values of a slot that conditions compare it with: what is tried with all of them must end.
pub(crate) const MAX_COMPARED_VALUES: usize = 6;

/// Steps to hold a value against a schema, each of one part of the schema against one place of the value: a fraction of
/// a second.
pub(crate) const MAX_SCHEMA_STEPS: u32 = 200_000;

/// Steps inside each other while a value is held against a schema, by places and by references: they use the stack.
pub(crate) const MAX_SCHEMA_STEP_DEPTH: u32 = 512;

/// References of a schema that lead from one to the next: they are followed on the stack.
pub(crate) const MAX_SCHEMA_REFERENCES: usize = 64;

/// Parts of a schema that are held against one place of a value: a few bytes can stand for any number of them.
pub(crate) const MAX_SCHEMA_PARTS: u64 = 20_000;

/// Regions inside each other. A machine whose regions lead back to themselves would never end.
pub(crate) const MAX_REGION_DEPTH: usize = 64;

/// Steps back that a saved session counts without their history: each takes memory.
pub(crate) const MAX_SAVED_GO_BACKS: usize = 10_000;

/// Characters of a model's reasoning that a reason code keeps: it stands in every record.
pub(crate) const MAX_REASON_CHARS: usize = 50;

/// Sentences of a question in an interview: more are not answered (docs/interviews.md).
pub(crate) const MAX_QUESTION_SENTENCES: u32 = 2;

/// Further goals of a state that a finding points at: the others are no news.
pub(crate) const MAX_SHOWN_GOALS: usize = 3;

/// Turns that are tried to find one that two classes of a contract take: lint looks at every pair of classes.
pub(crate) const MAX_OVERLAP_TRIES: usize = 1 << 13;

/// Characters of a message about a broken schema: it quotes what would be written.
pub(crate) const MAX_BREACH_CHARS: usize = 200;

/// Anything that a saved session counts: counting goes on from there and must not overflow.
pub(crate) const MAX_SAVED_COUNT: u64 = 1_000_000_000;

/// Slots of a dialogue besides those of its machine: every record holds them all.
pub(crate) const MAX_UNDECLARED_SLOTS: u16 = 1000;

/// Bytes of the local part of an email address (RFC 5321).
pub(crate) const MAX_EMAIL_LOCAL_BYTES: usize = 64;

/// Bytes of the domain of an email address (RFC 5321).
pub(crate) const MAX_EMAIL_DOMAIN_BYTES: usize = 255;
