//! The arguments of `fsmsim eval`.

use std::path::PathBuf;

use clap::Args;

use super::help;
use super::jobs_args::JobsArgs;
use super::model_args::ModelArgs;
use super::output::OutputArgs;
use fsmsim_harness::eval::{EvalRequirement, UtteranceFilter};

/// Arguments of `eval`.
#[derive(Debug, Args)]
pub(super) struct EvalArgs {
    #[arg(help = help::MODEL)]
    pub model: String,
    /// Labeled utterances: a list in `.yaml`, JSON Lines in `.jsonl`, or a table in `.csv`
    #[arg(value_name = "DATASET")]
    pub dataset: PathBuf,
    #[arg(long, value_name = "PROVIDER", help = help::LLM, long_help = help::LLM_OF_DIALOGUES, default_value = "examples")]
    pub llm: String,
    /// Compare with another provider, or with the JSON report of another evaluation
    #[arg(long, value_name = "PROVIDER|REPORT")]
    pub against: Option<String>,
    /// Fail if recognition is worse than in this JSON report
    #[arg(long, value_name = "REPORT")]
    pub baseline: Option<PathBuf>,
    /// Tolerate results that are N percentage points worse [default: only significantly worse results fail]
    #[arg(long, value_name = "N", requires = "baseline", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub tolerance: Option<u32>,
    /// Fail if quality is below a threshold, for example `accuracy=85%` or `price_question:recall=90%`
    ///
    /// NAME is an intent, a state, a language or a tag. KIND is `accuracy`, `f1`, `weighted_f1`, `precision`, `recall`,
    /// `predicted`, `slots` or `slots_exact`
    #[arg(long, value_name = "[NAME:]KIND=PERCENT")]
    pub require: Vec<EvalRequirement>,
    /// Suggest thresholds that accept at most this share of wrong interpretations
    #[arg(long, value_name = "PERCENT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub max_error: u32,
    /// Evaluate only utterances that match: `lang=ru`, `intent=objection_*`, `state=greeting`, `tag=typo`, `id=…`,
    /// `say=~…`
    #[arg(long, value_name = "KEY=PATTERN")]
    pub filter: Vec<UtteranceFilter>,
    /// Evaluate only N random utterances
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub sample: Option<u32>,
    #[arg(long, value_name = "N", help = help::SEED, default_value_t = 0)]
    pub seed: u64,
    /// Also send utterances that a phrase of the model recognizes to the provider
    #[arg(long)]
    pub ignore_phrases: bool,
    #[command(flatten)]
    pub options: ModelArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
}
