//! The arguments of `fsmsim verify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::help;
use super::jobs_args::JobsArgs;
use super::limits::MAX_GROUPED_LINES;
use super::model_args::ModelArgs;
use super::output::report_help;
use fsmsim_harness::verify::Mode;
use fsmsim_harness::verify::follow::Lateness;
use fsmsim_reports::report::{ReportKind, ReportTarget, VerificationReport};
use fsmsim_syntax::threads::Shard;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// Traces (JSON Lines) or quoted patterns, such as `'logs/*.jsonl'`; `-` is standard input
    #[arg(value_name = "TRACE", required_unless_present = "audit")]
    pub traces: Vec<PathBuf>,
    #[arg(long, value_name = "MODEL", help = help::MODEL, required_unless_present = "audit")]
    pub model: Option<String>,
    /// Check the audit in this memory of an agent cycle instead of a trace
    #[arg(long, value_name = "FILE", conflicts_with_all = ["traces", "model", "map", "group", "profile", "config", "shard", "report", "save", "known"])]
    pub audit: Option<PathBuf>,
    #[arg(long, value_name = "FILE", help = help::MAP)]
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
    #[arg(long, value_name = "KIND[=FILE]", help = report_help(&VerificationReport::KINDS), value_parser = |text: &str| ReportTarget::parse(text, &VerificationReport::KINDS))]
    pub report: Vec<ReportTarget>,
    /// Show the first N findings in text and reports; `--format jsonl` shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Save a dialogue with each kind of violation as a scenario in DIR, without personal data
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    /// Count the known violations in FILE, but do not fail because of them
    #[arg(long, value_name = "FILE")]
    pub known: Option<PathBuf>,
    /// Write the current violations to the file of `--known`
    #[arg(long, requires = "known", conflicts_with = "shard")]
    pub accept: bool,
    /// Follow a growing trace, and print each violation immediately
    #[arg(long, conflicts_with_all = ["audit", "group", "shard", "report", "save", "accept"])]
    pub follow: bool,
    /// Wait for lines that arrive late, by the `order` of the map: at most SECONDS, such as `5s`, or at most LINES
    #[arg(long, value_name = "SECONDS|LINES", requires = "follow")]
    pub lateness: Option<Lateness>,
    /// Report a dialogue as pending after this time without a line
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..))]
    pub idle: u64,
    /// Save the state in FILE, and continue from there after a restart
    #[arg(long, value_name = "FILE", requires = "follow")]
    pub journal: Option<PathBuf>,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

impl VerifyArgs {
    /// Whether reports contain dialogues. The report of a shard contains those for `fsmsim merge`.
    pub(super) fn has_dialogues(&self) -> bool {
        self.shard.is_some() || self.report.iter().any(|one| one.kind != ReportKind::Json)
    }
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
