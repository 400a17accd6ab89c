//! The limits of models, systems under test and stores. A size is in bytes unless its comment says otherwise.

use std::time::Duration;

/// Seconds that a project may give one request to a model: nobody waits longer for a turn.
pub const MAX_REQUEST_SECONDS: f64 = 600.0;
/// Further attempts after a failed request to a model.
pub const MAX_RETRIES: u32 = 10;
/// Requests to a model, in a minute or at a time, to which a project may limit itself.
pub const MAX_REQUEST_RATE: u32 = 100_000;
/// Bytes of the name of an environment variable: a longer one is probably the secret itself.
pub const MAX_VARIABLE_NAME: usize = 64;
/// The time for one request to a model, by default.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Requests to a model at a time, by default.
pub const MAX_OPEN_REQUESTS: u32 = 8;
/// Bytes of the cassette of one dialogue, which is read into memory.
pub const MAX_CASSETTE: u64 = 64 << 20;
/// Bytes of the cassette of a simulation, of which only the positions of the lines are in memory.
pub const MAX_SIMULATION_CASSETTE: u64 = 16 << 30;
/// Bytes of a line of a cassette.
pub const MAX_CASSETTE_LINE: u64 = 64 << 20;
/// Bytes of the first line that are read before a recording replaces a file.
pub const MAX_CASSETTE_HEADER: u64 = 64 << 10;
/// Recordings that are compared with a request that has none: a comparison takes the square of a length.
pub const MAX_COMPARED_RECORDINGS: usize = 100;
/// Characters of a request that are compared.
pub const MAX_COMPARED_CHARACTERS: usize = 8000;
/// Lines of a difference between two requests that a finding shows.
pub const MAX_DIFFERENCE_LINES: usize = 12;
/// Values of a slot that a prompt shows.
pub const MAX_SLOT_HINTS: usize = 8;
/// Characters of an earlier line of a dialogue in a prompt; the line that is read is complete.
pub const MAX_EARLIER_LINE: usize = 1000;
/// Steps of a template of a project, and what it makes. Nobody writes one that needs a hundredth of it.
pub const MAX_TEMPLATE_STEPS: u64 = 2_000_000;
/// Other readings that a model is asked for: one that is held to a schema without a limit may go on for ever.
pub const MAX_ALTERNATIVES: u32 = 3;
/// Characters of a broken answer that a failure quotes.
pub const MAX_QUOTED_FAULT: usize = 200;
/// Characters of a wrong name or value of an answer that a failure quotes.
pub const MAX_QUOTED_NAME: usize = 80;
/// Bytes of a file with certificates.
pub const MAX_CERTIFICATES: u64 = 4 << 20;
/// Different failures of a model that a run reports.
pub const MAX_REPORTED_FAILURES: usize = 5;
/// Seconds before another attempt. A server that asks for a longer pause is not asked again.
pub const MAX_PAUSE: f64 = 30.0;
/// Characters of a broken answer that the model is shown to repair it.
pub const MAX_REPAIRED_ANSWER: usize = 4000;
/// Characters of what a server or a model says about an answer that it does not give.
pub const MAX_SERVER_WORDS: usize = 300;
/// Characters of the reason why a model stopped.
pub const MAX_STOP_REASON: usize = 64;
/// Bytes of one answer of a model or of a system under test: no turn needs more.
pub const MAX_ANSWER: usize = 1 << 20;
/// Keys of an answer, or tools of a server, that a message names.
pub const MAX_NAMED: usize = 12;
/// Seconds that a scenario may give a system under test for a turn.
pub const MAX_SUBJECT_SECONDS: f64 = 3600.0;
/// Bytes that a system under test may answer in all turns of a dialogue.
pub const MAX_SUBJECT_DIALOGUE: usize = 64 << 20;
/// Characters of the reason why a system under test gave no answer.
pub const MAX_SUBJECT_FAILURE: usize = 400;
/// Characters of what a system under test says about a failure. Longer than what is shown: secrets are removed before it is cut.
pub const MAX_SUBJECT_WORDS: usize = 8000;
/// Bytes of the name that an MCP server gives a session.
pub const MAX_SESSION_HEADER: usize = 1024;
/// The time for an MCP server to hear that a session is over, or to exit when its input closes.
pub const FAREWELL_TIMEOUT: Duration = Duration::from_secs(2);
/// Messages of an MCP server that wait to be read; a server that writes more waits.
pub const MAX_WAITING_MESSAGES: usize = 16;
/// Last lines of standard error of an MCP server that a failure shows.
pub const MAX_ERROR_LINES: usize = 3;
/// Bytes of each of them.
pub const MAX_ERROR_LINE: u64 = 4096;
/// The time for an MCP server to start, if a turn may not take longer: a process has much to load.
pub const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Pages of tools of an MCP server that are read.
pub const MAX_TOOL_PAGES: usize = 100;
/// Characters of the name of a session.
pub const MAX_SESSION_NAME: usize = 64;
/// Words of one search in knowledge or memory.
pub const MAX_SEARCH_WORDS: usize = 64;
/// Artifacts that a search in memory finds, of the shared ones and of its own.
pub const MAX_RECALLED: usize = 8;
/// Dialogues of one name in a memory.
pub const MAX_SAME_NAME: u32 = 1_000_000;
/// Ids that are listed instead of one that is not found.
pub const MAX_LISTED_IDS: u32 = 10;
/// Links that are followed from a task to what began it.
pub const MAX_PROVENANCE_LINKS: usize = 64;
/// Tables, indexes, views and triggers of a database that are compared.
pub const MAX_STORE_PARTS: usize = 1000;
/// Looks at the budget of a connection to a store, until its work is stopped: about a second.
pub const MAX_STORE_ROUNDS: u32 = 5_000;
/// Last lines of a dialogue that a model is shown.
pub const MAX_HISTORY_LINES: usize = 6;
