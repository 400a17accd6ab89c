//! The arguments of `fsmsim verify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::jobs_args::JobsArgs;
use super::limits::MAX_GROUPED_LINES;
use super::model_args::ModelArgs;
use fsmsim_harness::verify::Mode;
use fsmsim_reports::report::{ReportKind, ReportTarget};
use fsmsim_syntax::threads::Shard;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The trace (JSON lines); `-` reads standard input
    #[arg(required_unless_present = "audit")]
    pub(super) trace: Option<PathBuf>,
    /// The model: a folder with `flow.yaml` or with states in markdown, or a file (a flow, an interview, a contract, a cycle; a
    /// document with a table of transitions); `PATH@PROFILE` fixes the profile
    #[arg(long, value_name = "MODEL", required_unless_present = "audit")]
    pub(super) model: Option<String>,
    /// Instead: the memory of a cycle, whose audit is to be whole
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trace", "model", "map", "group", "profile", "config", "shard", "report"])]
    pub(super) audit: Option<PathBuf>,
    /// Where the fields of another system's trace are (YAML)
    #[arg(long, value_name = "FILE")]
    pub(super) map: Option<PathBuf>,
    /// The lines of dialogues are mixed: gather those of each. At most so many lines are held, 100000 if not said
    #[arg(long, value_name = "LINES", num_args = 0..=1, require_equals = true, default_missing_value = MAX_GROUPED_LINES, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) group: Option<u32>,
    /// Whether the trace keeps to what the model declares, or whether the model would have done the same
    #[arg(long, value_enum, default_value_t = Mode::Structure)]
    pub(super) mode: Mode,
    #[command(flatten)]
    pub(super) options: ModelArgs,
    /// Only this share of the dialogues, such as 1/3: by the hash of the name
    #[arg(long, value_name = "NUMBER/OF")]
    pub(super) shard: Option<Shard>,
    /// How to print
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(super) format: VerifyFormat,
    /// Write a report, `json`: to a file, or in place of the text
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    pub(super) report: Vec<ReportTarget>,
    /// Findings that are shown as text and in a report, the first of the trace; `--format jsonl` has all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) limit: usize,
    #[command(flatten)]
    pub(super) jobs: JobsArgs,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum VerifyFormat {
    /// For people
    Text,
    /// One JSON object, as `--report json` has it
    Json,
    /// A JSON object a line for each dialogue, and nothing else
    Jsonl,
}

/// The report kinds of a verification.
pub(super) const KINDS: [ReportKind; 1] = [ReportKind::Json];
