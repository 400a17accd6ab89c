//! Limits of the servers. They bound everything that a client or the author of a file can make large or slow.

use std::time::Duration;

// HTTP

/// Bytes of a request body. Valid requests are much shorter.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// Time to receive a request head, from the connection or the previous request. Idle clients must not occupy a
/// connection.
pub(crate) const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Time to receive a request body after its head. Clients that send it byte by byte must not occupy a connection.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Concurrent connections, not counting those that wait for events.
pub(crate) const MAX_CONNECTIONS: usize = 128;
/// Time that open connections have to end when a server stops: the user who stops it waits this long.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);
/// Characters of untrusted text in a log line.
pub(crate) const MAX_LOGGED_LETTERS: usize = 200;

// MCP

/// Idle time after which a connection is closed, so that another client can connect.
pub(crate) const UNUSED_CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes to read from an error response of the transport before it is replaced.
pub(crate) const MAX_REFUSAL_BODY: usize = 4096;
/// Characters of an error text: it becomes part of the context of an LLM.
pub(crate) const MAX_SHOWN_LETTERS: usize = 300;
/// Characters in the name of a session, a state, a tool or a user. Longer names are rejected before any lookup.
pub(crate) const MAX_NAME: usize = 200;
/// Characters in an utterance: it is stored with each turn.
pub(crate) const MAX_TEXT: usize = 20_000;
/// Clients with a separate call rate. Each needs memory, and an attacker can use many addresses.
pub(crate) const MAX_RATED_CLIENTS: usize = 10_000;
/// Bytes of traces kept in memory while they cannot be written.
pub(crate) const MAX_UNWRITTEN_TRACE: usize = 64 << 20;
/// Bytes to read from a line above the size limit, to find its request ID.
pub(crate) const MAX_LINE_HEAD: usize = 4096;
/// Characters of schemas to quote in a tool description. Longer schemas are shown on request.
pub(crate) const MAX_QUOTED_SCHEMAS: usize = 4_000;
/// Names to list in a tool description: clients send it with every request to their LLM.
pub(crate) const MAX_LISTED_NAMES: usize = 200;
/// Dialogues kept in memory with open files. Other dialogues are loaded again when a call names them.
pub(crate) const MAX_OPEN_SESSIONS: usize = 64;
/// Ended dialogues for which a caller can still learn why they ended.
pub(crate) const MAX_ENDED_SESSIONS: usize = 1_000;
/// Time that running turns have to end when a server stops.
pub(crate) const LAST_WORK_TIMEOUT: Duration = Duration::from_secs(2);
/// Intents to list as options: an LLM reads them with every turn.
pub(crate) const MAX_LISTED_INTENTS: usize = 50;
/// Characters in a string argument, unless its type declares another limit.
pub(crate) const MAX_ARGUMENT: usize = 2_000;
/// Bytes of text in an answer: longer text fills the context window of the LLM that reads it.
pub(crate) const MAX_ANSWER_TEXT: usize = 60_000;
/// Characters in a prompt argument, which is text from a user.
pub(crate) const MAX_PROMPT_ARGUMENT: usize = 10_000;
/// Model files in one result.
pub(crate) const MAX_RESOURCE_FILES: usize = 200;
/// Bytes of model files in one result.
pub(crate) const MAX_RESOURCE_BYTES: usize = 4 << 20;
/// Concurrent dialogues of an author. Above the limit, the least recently used one ends.
pub(crate) const MAX_AUTHOR_SESSIONS: usize = 32;
/// Bytes of structured content in an answer: clients reject much larger content.
pub(crate) const MAX_PARTS_BYTES: usize = 400_000;
/// Bytes to keep of each string if an answer is too long.
pub(crate) const MAX_PART_TEXT: usize = 4_000;
/// Folder entries to check for links that lead outside the folder.
pub(crate) const MAX_FOLDER_ENTRIES: usize = 100_000;
/// Bytes of text in one result; the rest follows on the next pages.
pub(crate) const MAX_TEXT_PAGE: usize = 40_000;
/// Scenarios to list individually if their service is unavailable.
pub(crate) const MAX_LISTED_UNAVAILABLE: usize = 20;
/// Turns in one dialogue, including undone turns: all of them are stored.
pub(crate) const MAX_AUTHOR_TURNS: usize = 1000;
/// Notes in the result of a call.
pub(crate) const MAX_NOTES: usize = 100;
/// Slots and intents to list for a state.
pub(crate) const MAX_LISTED_HERE: usize = 60;
/// Bytes of findings in the text of an answer; the structured content has all findings.
pub(crate) const MAX_TOLD_FINDINGS: usize = 20_000;
/// Violations to list for a task: the newest ones.
#[cfg(feature = "sqlite")]
pub(crate) const MAX_TASK_FAULTS: usize = 20;
/// IDs to try for a task that has no ID.
#[cfg(feature = "sqlite")]
pub(crate) const MAX_TRIED_IDS: u32 = 1_000_000;

// Language server

/// Bytes of a message of the editor. A document is at most as long as a file that can be read.
pub(crate) const MAX_MESSAGE: u64 = 64 << 20;
/// Bytes of the header of such a message.
pub(crate) const MAX_MESSAGE_HEAD: u64 = 4096;
/// Names in a completion list: an editor sorts them at each keystroke.
pub(crate) const MAX_OFFERED_NAMES: usize = 1000;
/// Lines above the cursor to search for its parent keys.
pub(crate) const MAX_LINES_ABOVE: usize = 20_000;
/// Table lines to show in a hover.
pub(crate) const MAX_TABLE_LINES: usize = 40;
/// Rows of a Markdown table to search for its header.
pub(crate) const MAX_TABLE_ROWS: usize = 5_000;
/// Invalid lines to skip in a document. A document with more invalid lines is not read.
pub(crate) const MAX_MENDED_LINES: usize = 4;
/// Lines above a syntax error to search for its cause.
pub(crate) const MAX_LINES_ABOVE_ERROR: usize = 500;
/// Total time to run the scenarios of open models. Models with slower scenarios have no visit counts.
pub(crate) const VISITS_TIMEOUT: Duration = Duration::from_secs(5);
/// Entries of a workspace folder to scan.
pub(crate) const MAX_WORKSPACE_FILES: usize = 20_000;
/// Bytes in a workspace file. Larger files are not scanned.
pub(crate) const MAX_SCANNED_FILE: u64 = 4 << 20;

// Studio

/// Events queued for a tab. If there are more, the tab must reload everything.
pub(crate) const MAX_WAITING_EVENTS: usize = 64;
/// Concurrent tabs: each occupies a connection.
pub(crate) const MAX_TABS: usize = 32;
/// Watched folders of a project: operating systems limit their number.
pub(crate) const MAX_WATCHED_FOLDERS: usize = 4096;
/// Example snapshots to show per cause.
pub(crate) const MAX_CAUSE_EXAMPLES: usize = 3;
/// Dialogues per persona that the page can simulate.
pub(crate) const MAX_DIALOGUES: u64 = 10_000;
/// Requests queued for the worker of the studio.
pub(crate) const MAX_WAITING_REQUESTS: usize = 64;
