//! The arguments of `fsmsim mcp`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::CommandResult;
use super::limits::MAX_CALLS;
use super::mcp_access::McpAccessArgs;
use super::model_args::ModelArgs;
use fsmsim_server::mcp::{ServerLimits, TraceFile};

/// Arguments of `mcp`.
#[derive(Debug, Args)]
pub(super) struct McpArgs {
    /// The model: a folder of markdown states, a document with a table of transitions, a flow, an interview, or a cycle;
    /// `PATH@PROFILE` fixes the profile
    #[arg(required_unless_present = "author")]
    pub(super) model: Option<String>,
    /// Serve the project in this folder, or that of the working directory, to a coding assistant: it lints, plays, tests and draws
    /// the models that it writes. Over standard input and output alone
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = AUTHOR_HAS_NONE)]
    pub(super) author: Option<PathBuf>,
    /// Let an author save scenarios, below the folder of the project's scenarios; nothing else is ever written
    #[arg(long, requires = "author")]
    pub(super) write: bool,
    #[command(flatten)]
    pub(super) access: McpAccessArgs,
    /// Refuse moves that the state does not declare, instead of marking them
    #[arg(long)]
    pub(super) strict: bool,
    /// Write the dialogues that have ended to this trace; those that go on stand beside it
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,
    /// How each dialogue starts, as under `start` of a scenario: `{twin: twins/full.json, consent: {read: true}}`
    #[arg(long, value_name = "YAML", default_value = "")]
    pub(super) start: String,
    /// The store of the user's data, as in `fsmsim run`: what the dialogues write to a database stays
    #[arg(long, value_name = "FILE[:USER]")]
    pub(super) twin: Option<String>,
    /// A JSON object with the data that the user has at first; only for a user who has none yet
    #[arg(long, value_name = "FILE", requires = "twin")]
    pub(super) twin_from: Option<PathBuf>,
    /// Who reads what is said in a flow, or works for the tasks of a cycle where the client does not: `mock:FILE`, `bank`,
    /// `live`, the models of the project, or `link:NAME`, one of them
    #[arg(long, value_name = "WHO")]
    pub(super) llm: Option<String>,
    /// The memory of a cycle, and its audit: a database, created where there is none. If nothing is said, and the project
    /// names none, all tasks of the server share one that is gone with it
    #[arg(long, value_name = "FILE")]
    pub(super) memory: Option<PathBuf>,
    /// Keep dialogues, or the tasks of a cycle, as sessions of the project: they go on where they were when the server is
    /// started again
    #[arg(long)]
    pub(super) keep: bool,
    /// Seconds in which a user who is asked about the data answers, where the client can ask
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u16).range(1..=3600))]
    pub(super) consent_within: u16,
    /// Dialogues at once; where there are as many, the one that was idle longest ends
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) sessions: u16,
    /// Minutes without a call after which a dialogue ends
    #[arg(long, value_name = "MINUTES", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) idle: u16,
    #[command(flatten)]
    pub(super) options: ModelArgs,
}

/// The options that `--author` excludes.
const AUTHOR_HAS_NONE: [&str; 20] = [
    "model",
    "http",
    "token_env",
    "allow_host",
    "allow_origin",
    "user_from",
    "rate",
    "log",
    "strict",
    "trace",
    "start",
    "twin",
    "twin_from",
    "llm",
    "memory",
    "keep",
    "consent_within",
    "sessions",
    "idle",
    "profile",
];

impl McpArgs {
    /// Whether the authoring tools are served.
    pub(super) fn is_for_author(&self) -> bool {
        self.author.is_some()
    }

    /// The name of the model.
    pub(super) fn model(&self) -> &str {
        self.model.as_deref().unwrap_or_default()
    }

    /// The trace file. With `--keep`, unfinished dialogues stay in part files.
    pub(super) fn trace(&self) -> CommandResult<Option<TraceFile>> {
        let open = if self.keep {
            TraceFile::open_beside_sessions
        } else {
            TraceFile::open
        };
        Ok(self.trace.as_deref().map(open).transpose()?)
    }

    /// The limits for the number and duration of dialogues.
    pub(super) fn limits(&self) -> ServerLimits {
        let idle = Duration::from_secs(u64::from(self.idle) * 60);
        ServerLimits {
            sessions: usize::from(self.sessions),
            idle,
            calls: MAX_CALLS,
        }
    }
}
