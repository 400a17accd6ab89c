//! All limits of the crate: the maximum sizes of a definition, a dialogue or a file, with the unit and the reason.

/// Findings in the turns of a trace. A file with more is not a trace, and showing each finding keeps its line in
/// memory.
pub(crate) const MAX_TRACE_FINDINGS: usize = 50;

/// Bytes of a dialogue in a trace: one dialogue is in memory at a time.
pub const MAX_TRACE_DIALOGUE_BYTES: usize = 64 << 20;

/// Bytes of a line of a trace: one line is in memory at a time.
pub(crate) const MAX_TRACE_LINE_BYTES: usize = 16 << 20;

/// Unreadable lines and headers of a trace. A file with more is not a trace, so reading stops.
pub const MAX_FAULTS: usize = 20;

/// Width of a table cell in terminal columns, except for the last cell of a row: all columns fit on a wide terminal.
pub(crate) const MAX_CELL_WIDTH: usize = 44;

/// Values compared with a slot in conditions. All of them are tried, so their number must be small.
pub(crate) const MAX_COMPARED_VALUES: usize = 6;

/// Steps of validating a value against a schema (one part of the schema, one location of the value): they take a
/// fraction of a second.
pub(crate) const MAX_SCHEMA_STEPS: u32 = 200_000;

/// Nested steps of validating a value against a schema, by locations and by references: they use the stack.
pub(crate) const MAX_SCHEMA_STEP_DEPTH: u32 = 512;

/// Length of a chain of references in a schema: references are followed on the stack.
pub(crate) const MAX_SCHEMA_REFERENCES: usize = 64;

/// Parts of a schema that apply to one location of a value: a few bytes can produce any number of them.
pub(crate) const MAX_SCHEMA_PARTS: u64 = 20_000;

/// Nested regions. A machine with circular regions would recurse forever.
pub(crate) const MAX_REGION_DEPTH: usize = 64;

/// Open asides of a dialogue: with more of them, no user remembers the way back.
pub(crate) const MAX_ASIDES: usize = 8;

/// Go-back steps that a saved session counts without their history: each takes memory.
pub(crate) const MAX_SAVED_GO_BACKS: usize = 10_000;

/// Characters of a model's reasoning in a reason code: every record contains it.
pub(crate) const MAX_REASON_CHARS: usize = 50;

/// Sentences of a question in an interview: a longer question is a fault (docs/src/explanation/interviews.md).
pub(crate) const MAX_QUESTION_SENTENCES: u32 = 2;

/// Further goals of a state that a finding marks. More of them add no information.
pub(crate) const MAX_SHOWN_GOALS: usize = 3;

/// Turns to try when searching for a turn that matches two classes of a contract: lint checks every pair of classes.
pub(crate) const MAX_OVERLAP_TRIES: usize = 1 << 13;

/// Characters of a message about a schema violation: it quotes the value.
pub(crate) const MAX_BREACH_CHARS: usize = 200;

/// Maximum of any counter in a saved session: counting continues from there and must not overflow.
pub(crate) const MAX_SAVED_COUNT: u64 = 1_000_000_000;

/// Slots of a dialogue that its machine does not declare: every record contains all of them.
pub(crate) const MAX_UNDECLARED_SLOTS: u16 = 1000;

/// References to named conditions that one evaluation follows before it remembers their values: a definition of 2 kB can
/// need 2^60 of them.
pub(crate) const MAX_PLAIN_REFERENCES: u32 = 1000;

/// Lines of the explanation of a condition. After them, named conditions show only their values.
pub(crate) const MAX_EXPLAINED_STEPS: usize = 500;

/// Bytes of a message after which the values in it are shortened: a placeholder is shorter than its value.
pub(crate) const MAX_FILLED_BYTES: usize = 1 << 16;

/// Bytes of the local part of an email address (RFC 5321).
pub(crate) const MAX_EMAIL_LOCAL_BYTES: usize = 64;

/// Bytes of the domain of an email address (RFC 5321).
pub(crate) const MAX_EMAIL_DOMAIN_BYTES: usize = 255;

/// Characters at the start of an utterance in which values are searched: each value is compared with its context.
pub(crate) const MAX_READ_CHARS: usize = 1000;

/// Words at the start of an utterance that match other forms in phrases. Each is compared with all words of a phrase.
pub(crate) const MAX_SAID_WORDS: usize = 200;
