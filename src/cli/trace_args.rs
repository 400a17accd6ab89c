//! The arguments of `fsmsim trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help;
use super::jobs_args::JobsArgs;
use super::mapped_log::LogArgs;
use super::model_args::ModelArgs;
use fsmsim_syntax::threads::Shard;

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    /// Scenario file or transcript; with `--turns`, the model (`PATH@PROFILE` sets the profile); with `--map`, the log
    pub path: String,
    /// Run the dialogues in this file (JSON Lines); `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "map")]
    pub turns: Option<PathBuf>,
    #[command(flatten)]
    pub log: LogArgs,
    #[arg(long, value_name = "MODEL", help = help::MODEL, requires = "map")]
    pub model: Option<String>,
    /// Replace the values of slots in scenarios with samples
    #[arg(long, requires = "model")]
    pub redact: bool,
    #[command(flatten)]
    pub options: ModelArgs,
    #[arg(long, value_name = "PROVIDER", help = help::LLM, long_help = help::LLM_OF_SCENARIOS, conflicts_with = "turns")]
    pub llm: Option<String>,
    #[arg(long, value_name = "NUMBER/OF", help = help::SHARD)]
    pub shard: Option<Shard>,
    /// Output format
    #[arg(long, value_enum, default_value_t = TraceFormat::Jsonl)]
    pub format: TraceFormat,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

/// The formats of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TraceFormat {
    /// JSON Lines: a header per dialogue, then one line per turn
    Jsonl,
    /// JSON Lines: one object per dialogue with its header, turns and end
    Dialogue,
    /// Aligned columns
    Table,
    /// JSON Lines: the messages of one dialogue per line, as `{"messages": [{"role", "content"}]}`
    Chat,
    /// Messages as human-readable text
    Transcript,
    /// CSV with a row per turn
    Csv,
    /// Scenarios that expect the states of a log (only with `--map`)
    Scenario,
}
