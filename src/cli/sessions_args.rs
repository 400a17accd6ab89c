//! The arguments of `fsmsim sessions`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::help;
use super::output::{TextOrJson, TextOrJsonl};

/// Arguments of `sessions`.
#[derive(Debug, Args)]
pub(super) struct SessionsArgs {
    #[command(subcommand)]
    pub verb: SessionsVerb,
}

/// The subcommands of `sessions`.
#[derive(Debug, Subcommand)]
pub(super) enum SessionsVerb {
    /// List the sessions of the project
    #[command(after_long_help = const { help::examples("sessions list") })]
    List {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: TextOrJsonl,
    },
    /// Show the model, the turns and the state of a session
    #[command(after_long_help = const { help::examples("sessions show") })]
    Show {
        /// Name of the session
        name: String,
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: TextOrJson,
    },
    /// Export a session as a trace or in another format
    #[command(after_long_help = const { help::examples("sessions export") })]
    Export(ExportedSession),
    /// Delete a session permanently
    #[command(after_long_help = const { help::examples("sessions delete") })]
    Delete {
        /// Name of the session
        name: String,
    },
}

/// Arguments of `sessions export`.
#[derive(Debug, Args)]
pub(super) struct ExportedSession {
    /// Name of the session
    pub name: String,
    /// Export format
    #[arg(long = "as", value_enum, value_name = "KIND")]
    pub kind: ExportKind,
    /// Write to this file or directory [default: standard output]
    #[arg(short = 'o', long = "output", value_name = "PATH")]
    pub to: Option<PathBuf>,
    /// New location of the model, if it was moved
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: TextOrJson,
    #[arg(long, value_name = "DIR", help = help::CONFIG)]
    pub config: Option<PathBuf>,
}

/// The formats of an exported session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportKind {
    /// JSON Lines, as `fsmsim trace` writes them
    Trace,
    /// Scenario that expects the recorded behavior
    Scenario,
    /// Completed questionnaire of an interview
    Questionnaire,
    /// Task state of an agent cycle; see `fsmsim schema agent-state`
    AgentState,
    /// Saved session, for `start: {session: FILE}`
    Session,
}
