//! The arguments of `fsmsim sessions`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::output::{TextOrJson, TextOrJsonl};

/// Arguments of `sessions`.
#[derive(Debug, Args)]
pub(super) struct SessionsArgs {
    #[command(subcommand)]
    pub(super) verb: SessionsVerb,
}

/// What is done with sessions.
#[derive(Debug, Subcommand)]
pub(super) enum SessionsVerb {
    /// The sessions of the project
    List {
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: TextOrJsonl,
    },
    /// What is kept of a session: its model, its turns, where it is, what is unfinished
    Show {
        /// The name of the session
        name: String,
        /// How to print
        #[arg(long, value_enum, default_value_t)]
        format: TextOrJson,
    },
    /// Write a session as a trace, as a scenario that expects what happened, as the anketa of an interview, or as the state of a task
    Export(ExportedSession),
    /// Take a session out of the store for good
    Delete {
        /// The name of the session
        name: String,
    },
}

/// Which session is written, as what, and where.
#[derive(Debug, Args)]
pub(super) struct ExportedSession {
    /// The name of the session
    pub(super) name: String,
    /// As what
    #[arg(long = "as", value_enum, value_name = "KIND")]
    pub(super) kind: ExportKind,
    /// The file, written whole or not at all; or a folder, in which it gets a name of its own. Standard output, if not said
    #[arg(short = 'o', long = "output", value_name = "PATH")]
    pub(super) to: Option<PathBuf>,
    /// Where the model lies by now, if not where it lay
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// How an anketa is written
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: TextOrJson,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    pub(super) config: Option<PathBuf>,
}

/// As what a session is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportKind {
    /// JSON lines, as `fsmsim trace` writes them
    Trace,
    /// A scenario that expects what happened
    Scenario,
    /// What an interview has found out
    Anketa,
    /// How far the task of a cycle is: one JSON object, as `fsmsim schema agent-state` has it
    AgentState,
}
