//! The arguments of `fsmsim mcp`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::CommandResult;
use super::help;
use super::limits::MAX_CALLS;
use super::mcp_access::McpAccessArgs;
use super::model_args::ModelArgs;
use super::twin::TwinArgs;
use fsmsim_server::mcp::{ServerLimits, TraceFile};

/// Arguments of `mcp`.
#[derive(Debug, Args)]
pub(super) struct McpArgs {
    #[arg(help = help::MODEL, required_unless_present = "author")]
    pub model: Option<String>,
    /// Serve the authoring tools for the project in this directory to a coding assistant
    ///
    /// The assistant can lint, run, test and draw the models that it writes. The default is the project in the working
    /// directory. The tools are served only over standard input and output
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".", conflicts_with_all = AUTHOR_HAS_NONE)]
    pub author: Option<PathBuf>,
    /// Permit the assistant to save scenarios in the scenario directory of the project
    #[arg(long, requires = "author")]
    pub write: bool,
    #[command(flatten)]
    pub access: McpAccessArgs,
    /// Reject undeclared transitions instead of marking them
    #[arg(long)]
    pub strict: bool,
    /// Write finished dialogues to this trace; running ones are in files next to it
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    #[arg(long, value_name = "YAML", help = help::START, default_value = "")]
    pub start: String,
    #[command(flatten)]
    pub twins: TwinArgs,
    #[arg(long, value_name = "PROVIDER", help = help::LLM, long_help = help::LLM_OF_SERVERS)]
    pub llm: Option<String>,
    #[arg(long, value_name = "FILE", help = help::MEMORY)]
    pub memory: Option<PathBuf>,
    /// Save dialogues or tasks as sessions of the project, and resume them after a restart
    #[arg(long)]
    pub persist: bool,
    /// Wait SECONDS for the user's consent to data access, if the client can ask
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u16).range(1..=3600))]
    pub consent_timeout: u16,
    /// Keep at most N dialogues open; the least recently used one ends first
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(1..))]
    pub max_sessions: u16,
    /// End a dialogue after MINUTES without a call
    #[arg(long, value_name = "MINUTES", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..))]
    pub idle_timeout: u16,
    #[command(flatten)]
    pub options: ModelArgs,
}

/// The options that `--author` excludes.
const AUTHOR_HAS_NONE: [&str; 20] = [
    "model",
    "http",
    "token_env",
    "allow_host",
    "allow_origin",
    "user_from",
    "rate_limit",
    "log_format",
    "strict",
    "trace",
    "start",
    "twin",
    "twin_from",
    "llm",
    "memory",
    "persist",
    "consent_timeout",
    "max_sessions",
    "idle_timeout",
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

    /// The trace file. With `--persist`, unfinished dialogues are kept in part files.
    pub(super) fn trace(&self) -> CommandResult<Option<TraceFile>> {
        let open = if self.persist {
            TraceFile::open_with_sessions
        } else {
            TraceFile::open
        };
        Ok(self.trace.as_deref().map(open).transpose()?)
    }

    /// The limits for the number and duration of dialogues.
    pub(super) fn limits(&self) -> ServerLimits {
        let idle = Duration::from_secs(u64::from(self.idle_timeout) * 60);
        ServerLimits {
            sessions: usize::from(self.max_sessions),
            idle,
            calls: MAX_CALLS,
        }
    }
}
