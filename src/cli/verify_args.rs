//! The arguments of `fsmsim verify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help;
use super::jobs_args::JobsArgs;
use super::limits::MAX_GROUPED_LINES;
use super::model_args::ModelArgs;
use super::output::report_help;
use fsmsim_harness::verify::Mode;
use fsmsim_reports::report::{ReportKind, ReportTarget};
use fsmsim_syntax::threads::Shard;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// Trace (JSON Lines); `-` is standard input
    #[arg(required_unless_present = "audit")]
    pub trace: Option<PathBuf>,
    #[arg(long, value_name = "MODEL", help = help::MODEL, required_unless_present = "audit")]
    pub model: Option<String>,
    /// Check the audit in this memory of an agent cycle instead of a trace
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trace", "model", "map", "group", "profile", "config", "shard", "report"])]
    pub audit: Option<PathBuf>,
    /// Map the fields of another system's trace with this YAML file
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Group interleaved lines by dialogue, with at most LINES in memory [default: 100000]
    #[arg(long, value_name = "LINES", num_args = 0..=1, require_equals = true, default_missing_value = MAX_GROUPED_LINES, value_parser = clap::value_parser!(u32).range(1..))]
    pub group: Option<u32>,
    /// Check each transition against the model, or replay the inputs
    #[arg(long, value_enum, default_value_t = Mode::Structure)]
    pub mode: Mode,
    #[command(flatten)]
    pub options: ModelArgs,
    #[arg(long, value_name = "NUMBER/OF", help = help::SHARD)]
    pub shard: Option<Shard>,
    /// Output format
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub format: VerifyFormat,
    #[arg(long, value_name = "KIND[=FILE]", help = report_help(&KINDS), value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    pub report: Vec<ReportTarget>,
    /// Show the first N findings in text and reports; `--format jsonl` shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum VerifyFormat {
    /// Human-readable text
    Text,
    /// One JSON object, as in `--report json`
    Json,
    /// JSON Lines: only one object per dialogue
    Jsonl,
}

/// The report kinds of a verification.
pub(super) const KINDS: [ReportKind; 1] = [ReportKind::Json];
