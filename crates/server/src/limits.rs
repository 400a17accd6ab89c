//! The limits of the servers: what anybody who reaches one, or whoever edits a file, can make large or long, is bounded here.

use std::time::Duration;

// HTTP

/// Bytes of a request. The longest that makes sense are much shorter.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// The head of a request must be there so long after the connection or the request before it: who only knocks holds no place.
pub(crate) const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// All of a body must be there so long after its head: who sends it byte by byte holds no place.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections at once, above those that wait for news.
pub(crate) const MAX_CONNECTIONS: usize = 128;
/// Connections have so long to end when a server does: whoever started it waits for that.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);
/// Letters that are logged of what anybody may have written: a line is to be read.
pub(crate) const MAX_LOGGED_LETTERS: usize = 200;

// MCP

/// How long a connection is kept whose client does not use it: it takes the place of another one.
pub(crate) const UNUSED_CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of a refusal of the transport that are read, to say it in other words.
pub(crate) const MAX_REFUSAL_BODY: usize = 4096;
/// Letters that are shown of what is wrong: it goes into the head of a model.
pub(crate) const MAX_SHOWN_LETTERS: usize = 300;
/// Letters of a name: of a session, a state, a tool or a user. Longer ones are refused before anything looks for them.
pub(crate) const MAX_NAME: usize = 200;
/// Letters of what somebody said: it is kept with each turn.
pub(crate) const MAX_TEXT: usize = 20_000;
/// Clients whose calls are counted apart: each takes memory, and anybody can be many.
pub(crate) const MAX_RATED_CLIENTS: usize = 10_000;
/// Bytes of traces that are kept while they cannot be written.
pub(crate) const MAX_UNWRITTEN_TRACE: usize = 64 << 20;
/// Bytes of an over-long line that are kept, to find its request ID.
pub(crate) const MAX_LINE_HEAD: usize = 4096;
/// Characters of schemas that the description of a tool quotes. Those that are longer are told where they are wanted.
pub(crate) const MAX_QUOTED_SCHEMAS: usize = 4_000;
/// Names that the description of a tool lists: clients send it with every question.
pub(crate) const MAX_LISTED_NAMES: usize = 200;
/// Dialogues that are kept, and of which files are open. The others are read again when they are called for.
pub(crate) const MAX_OPEN_SESSIONS: usize = 64;
/// Dialogues that have ended of which a caller is told why.
pub(crate) const MAX_ENDED_SESSIONS: usize = 1_000;
/// What is being played when a server ends has so long to come to its end.
pub(crate) const LAST_WORK_TIMEOUT: Duration = Duration::from_secs(2);
/// Intents that are told to lead on: a model reads them with every turn.
pub(crate) const MAX_LISTED_INTENTS: usize = 50;
/// Letters of a text among arguments, unless its type declares another limit.
pub(crate) const MAX_ARGUMENT: usize = 2_000;
/// Bytes of the text of an answer: what is longer fills the head of whoever reads it.
pub(crate) const MAX_ANSWER_TEXT: usize = 60_000;
/// Letters of an argument of a prompt, which is a text of a person.
pub(crate) const MAX_PROMPT_ARGUMENT: usize = 10_000;
/// Files of a model that are told at once.
pub(crate) const MAX_RESOURCE_FILES: usize = 200;
/// Bytes of a model that are told at once.
pub(crate) const MAX_RESOURCE_BYTES: usize = 4 << 20;
/// Dialogues of an author at once: where there are as many, the one that was idle longest ends.
pub(crate) const MAX_AUTHOR_SESSIONS: usize = 32;
/// Bytes of the parts of an answer: clients refuse what is much longer.
pub(crate) const MAX_PARTS_BYTES: usize = 400_000;
/// Bytes of a text in an answer that is too long.
pub(crate) const MAX_PART_TEXT: usize = 4_000;
/// Entries of a folder that are looked at for links that lead out.
pub(crate) const MAX_FOLDER_ENTRIES: usize = 100_000;
/// Bytes of a text that are told at once; the rest is told behind a cursor.
pub(crate) const MAX_TEXT_PAGE: usize = 40_000;
/// Scenarios that could not be played that are told one by one.
pub(crate) const MAX_LISTED_UNAVAILABLE: usize = 20;
/// Turns of one dialogue, also those that were taken back: all of them are kept.
pub(crate) const MAX_AUTHOR_TURNS: usize = 1000;
/// Notes that are told of a call.
pub(crate) const MAX_NOTES: usize = 100;
/// Slots and intents of a state that are told.
pub(crate) const MAX_LISTED_HERE: usize = 60;
/// Bytes of findings that are told in a text; all of them are among its parts.
pub(crate) const MAX_TOLD_FINDINGS: usize = 20_000;
/// Faults that are told of a task; the newest are.
#[cfg(feature = "sqlite")]
pub(crate) const MAX_TASK_FAULTS: usize = 20;
/// IDs that are tried for a task without one.
#[cfg(feature = "sqlite")]
pub(crate) const MAX_TRIED_IDS: u32 = 1_000_000;

// Language server

/// Names that are offered for completion: an editor sorts them at each key.
pub(crate) const MAX_OFFERED_NAMES: usize = 1000;
/// Lines above the cursor that are looked at for its keys.
pub(crate) const MAX_LINES_ABOVE: usize = 20_000;
/// Lines of a table that are shown where the mouse is.
pub(crate) const MAX_TABLE_LINES: usize = 40;
/// Rows of a table in markdown that are looked at for its header.
pub(crate) const MAX_TABLE_ROWS: usize = 5_000;
/// Lines of a document that are passed over; one with more is not read at all.
pub(crate) const MAX_MENDED_LINES: usize = 4;
/// Lines above an error that it may come from.
pub(crate) const MAX_LINES_ABOVE_ERROR: usize = 500;
/// How long the scenarios of open models may be played in all. Of models whose scenarios take longer nothing is told.
pub(crate) const VISITS_TIMEOUT: Duration = Duration::from_secs(5);
/// Entries of a workspace folder that are looked at.
pub(crate) const MAX_WORKSPACE_FILES: usize = 20_000;
/// Bytes of a file of a workspace that is read.
pub(crate) const MAX_SCANNED_FILE: u64 = 4 << 20;

// Studio

/// Events that wait for a tab. One that is so far behind has to ask for everything anew.
pub(crate) const MAX_WAITING_EVENTS: usize = 64;
/// Tabs at once: each holds a connection.
pub(crate) const MAX_TABS: usize = 32;
/// Folders of a project that are watched: systems bound how many can be.
pub(crate) const MAX_WATCHED_FOLDERS: usize = 4096;
/// Snapshots of a cause that are shown.
pub(crate) const MAX_CAUSE_EXAMPLES: usize = 3;
/// Dialogues of a persona that the page plays.
pub(crate) const MAX_DIALOGUES: u64 = 10_000;
/// Requests that wait for the worker of the studio.
pub(crate) const MAX_WAITING_REQUESTS: usize = 64;
