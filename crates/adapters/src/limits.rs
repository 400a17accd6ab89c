//! Limits of models, systems under test and stores. Sizes are in bytes unless a comment says otherwise.

use std::time::Duration;

/// Maximum timeout for a request to a model, in seconds.
pub const MAX_REQUEST_SECONDS: f64 = 600.0;
/// Maximum number of retries for a request to a model.
pub const MAX_RETRIES: u32 = 10;
/// Maximum value that a project can set for requests to a model, per minute or in parallel.
pub const MAX_REQUEST_RATE: u32 = 100_000;
/// Maximum length of an environment variable name, in bytes. A longer value is probably the secret itself.
pub const MAX_VARIABLE_NAME: usize = 64;
/// Default timeout for a request to a model.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Default number of parallel requests to a model.
pub const MAX_OPEN_REQUESTS: u32 = 8;
/// Maximum size of a cassette for one dialogue, which is loaded into memory.
pub const MAX_CASSETTE: u64 = 64 << 20;
/// Maximum size of a simulation cassette. Only the positions of its lines are kept in memory.
pub const MAX_SIMULATION_CASSETTE: u64 = 16 << 30;
/// Maximum length of a cassette line, in bytes.
pub const MAX_CASSETTE_LINE: u64 = 64 << 20;
/// Bytes read from the first line of a file before a recording overwrites it.
pub const MAX_CASSETTE_HEADER: u64 = 64 << 10;
/// Maximum number of recordings compared with an unrecorded request. The cost of a comparison is quadratic.
pub const MAX_COMPARED_RECORDINGS: usize = 100;
/// Maximum number of characters of a request that are compared.
pub const MAX_COMPARED_CHARACTERS: usize = 8000;
/// Maximum number of lines in the diff of two requests.
pub const MAX_DIFFERENCE_LINES: usize = 12;
/// Maximum number of example values for a slot in a prompt.
pub const MAX_SLOT_HINTS: usize = 8;
/// Maximum length of an earlier utterance in a prompt, in characters. The current utterance is never truncated.
pub const MAX_EARLIER_LINE: usize = 1000;
/// Maximum number of recognizers that are ready for use: one per model, and one per state of a state set.
pub const MAX_RECOGNIZERS: usize = 64;
/// Maximum number of steps (fuel) for rendering a project template. Real templates need less than 1% of it.
pub const MAX_TEMPLATE_STEPS: u64 = 2_000_000;
/// Maximum number of alternative interpretations requested from a model. If the schema had no limit, a model might
/// never stop.
pub const MAX_ALTERNATIVES: u32 = 3;
/// Maximum length of an invalid answer quoted in a failure, in characters.
pub const MAX_QUOTED_FAULT: usize = 200;
/// Maximum length of an invalid name or value quoted in a failure, in characters.
pub const MAX_QUOTED_NAME: usize = 80;
/// Maximum size of a certificate file.
pub const MAX_CERTIFICATES: u64 = 4 << 20;
/// Maximum number of different model failures reported per run.
pub const MAX_REPORTED_FAILURES: usize = 5;
/// Maximum pause before a retry, in seconds. If a server requests a longer pause, there is no retry.
pub const MAX_PAUSE: f64 = 30.0;
/// Maximum length of an invalid answer that is sent back to the model for repair, in characters.
pub const MAX_REPAIRED_ANSWER: usize = 4000;
/// Maximum length of the message from a server or a model that returns no answer, in characters.
pub const MAX_SERVER_WORDS: usize = 300;
/// Maximum length of the reason why a model stopped, in characters.
pub const MAX_STOP_REASON: usize = 64;
/// Maximum size of an answer from a model or a system under test.
pub const MAX_ANSWER: usize = 1 << 20;
/// Maximum number of keys or tools that a message lists.
pub const MAX_NAMED: usize = 12;
/// Maximum timeout for a turn of a system under test, in seconds.
pub const MAX_SUBJECT_SECONDS: f64 = 3600.0;
/// Maximum total size of the answers from a system under test in one dialogue.
pub const MAX_SUBJECT_DIALOGUE: usize = 64 << 20;
/// Maximum number of messages by which a system shortens the start of its history from one turn to the next.
pub const MAX_FORGOTTEN_REPLIES: usize = 16;
/// Maximum length of the reason why a system under test failed, in characters.
pub const MAX_SUBJECT_FAILURE: usize = 400;
/// Maximum length of an error message from a system under test, in characters. It exceeds the displayed length, because
/// secrets are removed before truncation.
pub const MAX_SUBJECT_WORDS: usize = 8000;
/// Maximum length of a session ID from an MCP server, in bytes.
pub const MAX_SESSION_HEADER: usize = 1024;
/// Timeout for an MCP server to end a session, or to exit after its input closes.
pub const FAREWELL_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum number of unread messages from an MCP server. A server that writes more is blocked.
pub const MAX_WAITING_MESSAGES: usize = 16;
/// Maximum number of lines from the standard error of an MCP server that a failure shows.
pub const MAX_ERROR_LINES: usize = 3;
/// Maximum length of each of these lines, in bytes.
pub const MAX_ERROR_LINE: u64 = 4096;
/// Minimum timeout for an MCP server to start. Loading a process can take longer than a turn.
pub const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of tool pages read from an MCP server.
pub const MAX_TOOL_PAGES: usize = 100;
/// Maximum length of a session name, in characters.
pub const MAX_SESSION_NAME: usize = 64;
/// Maximum number of words in a knowledge or memory search.
pub const MAX_SEARCH_WORDS: usize = 64;
/// Maximum number of shared artifacts, and of artifacts of the session itself, that a memory search returns.
pub const MAX_RECALLED: usize = 8;
/// Maximum number of dialogues with the same name in a memory.
pub const MAX_SAME_NAME: u32 = 1_000_000;
/// Maximum number of IDs listed if the requested ID is not found.
pub const MAX_LISTED_IDS: u32 = 10;
/// Maximum number of causes traced back from a task.
pub const MAX_PROVENANCE_LINKS: usize = 64;
/// Maximum number of tables, indexes, views and triggers compared in a database.
pub const MAX_STORE_PARTS: usize = 1000;
/// Maximum number of limit checks before the work of a store connection is stopped: about one second.
pub const MAX_STORE_ROUNDS: u32 = 5_000;
/// Maximum number of previous dialogue lines in a prompt.
pub const MAX_HISTORY_LINES: usize = 6;
