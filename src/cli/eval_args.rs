//! The arguments of `fsmsim eval`.

use std::path::PathBuf;

use clap::Args;

use super::jobs_args::JobsArgs;
use super::model_args::ModelArgs;
use super::output::TextOrJson;
use fsmsim_harness::eval::{EvalRequirement, UtteranceFilter};
use fsmsim_reports::report::{ReportKind, ReportTarget};

/// Arguments of `eval`.
#[derive(Debug, Args)]
pub(super) struct EvalArgs {
    /// The model: a folder with `flow.yaml`, or a file (a flow, a contract); `PATH@PROFILE` fixes the profile
    pub(super) model: String,
    /// The labelled utterances: a list in `.yaml`, lines of JSON in `.jsonl`, or a table in `.csv`
    #[arg(value_name = "LABELLED")]
    pub(super) labelled: PathBuf,
    /// Who reads: `bank`, the examples of the model, `live`, the models of the project, `link:NAME`, one of them, `mock:FILE`,
    /// `record:FILE`, `record-missing:FILE` or `replay:FILE`
    #[arg(long, value_name = "WHO", default_value = "bank")]
    pub(super) llm: String,
    /// Who else reads, to put the two side by side: as of `--llm`, or the JSON report of another evaluation
    #[arg(long, value_name = "WHO|REPORT")]
    pub(super) against: Option<String>,
    /// A former JSON report: reading worse than it falls short
    #[arg(long, value_name = "REPORT")]
    pub(super) baseline: Option<PathBuf>,
    /// How much worse than the baseline is no matter, in points of percent; if not said, only what is surely worse counts
    #[arg(long, value_name = "POINTS", requires = "baseline", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) tolerance: Option<u32>,
    /// What has to be reached: `accuracy=85%`, `f1=80%`, of one intent `price_question:recall=90%`, of a state, language or
    /// tag `ru:accuracy=80%`. There are accuracy, f1, `weighted_f1`, precision, recall, read, slots and `slots_exact`
    #[arg(long, value_name = "[NAME:]KIND=PERCENT")]
    pub(super) require: Vec<EvalRequirement>,
    /// How much of what is carried out may be wrong, for the thresholds that are implied
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) max_error: u32,
    /// Only utterances of which this holds: `lang=ru`, `intent=objection_*`, `state=greeting`, `tag=typo`, `id=…`, `say=~…`
    #[arg(long, value_name = "KEY=PATTERN")]
    pub(super) filter: Vec<UtteranceFilter>,
    /// Only so many of the utterances, by chance
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) sample: Option<u32>,
    /// What all chance comes from: the same seed gives the same results
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(super) seed: u64,
    /// Ask also where a phrase of the model reads what is said, which a dialogue does not
    #[arg(long)]
    pub(super) ask_always: bool,
    #[command(flatten)]
    pub(super) options: ModelArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: TextOrJson,
    /// Write a report, `json` or `html`: to a file beside the text, or in place of the text
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    pub(super) report: Vec<ReportTarget>,
    #[command(flatten)]
    pub(super) jobs: JobsArgs,
}

/// The report kinds of an evaluation.
pub(super) const KINDS: [ReportKind; 2] = [ReportKind::Json, ReportKind::Html];
