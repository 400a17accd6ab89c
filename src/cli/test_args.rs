//! The arguments of `fsmsim test`.

use clap::Args;

use super::command_line::CommandLine;
use super::coverage::CoverageArgs;
use super::jobs_args::JobsArgs;
use super::llm::records;
use super::model_args::ModelArgs;
use super::selection::SelectionArgs;
use super::{CommandResult, may_write, refuse};
use fsmsim_harness::limits::MAX_PLAYS;
use fsmsim_reports::report::{ReportKind, ReportTarget};

/// Arguments of `test`.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(super) struct TestArgs {
    #[command(flatten)]
    pub(super) selection: SelectionArgs,
    /// Take what the scenarios do now as their snapshots
    #[arg(long, conflicts_with = "check")]
    pub(super) accept: bool,
    /// Replace each expectation that fails by what happens now, then run the scenarios again
    #[arg(long, conflicts_with = "check")]
    pub(super) update_expectations: bool,
    /// Write nothing, as where `CI` is set
    #[arg(long)]
    pub(super) check: bool,
    /// Remove snapshots of scenarios that are there no more
    #[arg(long, conflicts_with = "check")]
    pub(super) prune: bool,
    /// List the scenarios that have no snapshot, and fail where there are any
    #[arg(long)]
    pub(super) require_snapshots: bool,
    /// The revision to whose models those of failures are compared, to tell what was edited [default: HEAD]
    #[arg(long, value_name = "REV")]
    pub(super) since: Option<String>,
    #[command(flatten)]
    pub(super) options: ModelArgs,
    /// Whom to ask: `mock`, as the scenarios say (the default); or, whatever they say, `live`, the models of the project,
    /// `record`, the same and kept in cassettes, `replay`, the cassettes and nobody else, `record-missing`, the cassettes,
    /// and the models for what they lack, `bank`, the examples of the model, `link:NAME`, one model of
    /// the project, or `mock:FILE`
    #[arg(long, value_name = "WHO")]
    pub(super) llm: Option<String>,
    /// Who judges replies: `live`, the judge of the project, `record`, the same and kept in cassettes, `replay`, the cassettes
    /// and nobody else, `record-missing`, the cassettes, and the judge for what they lack, or `mock:FILE`
    /// [default: the judge of the project where it is a mock or `--llm` goes live]
    #[arg(long, value_name = "WHO")]
    pub(super) judge: Option<String>,
    /// How often to play each scenario that asks somebody; `require: 2 of 3` in it says which share must pass
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_PLAYS.into()))]
    pub(super) repeat: Option<u32>,
    /// Play them as often also where the result is certain before: what differs between plays is told more surely
    #[arg(long)]
    pub(super) every_play: bool,
    /// Stop at the first scenario that is not as is said of it
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Play everything twice that asks nobody: the records must be the same, byte for byte
    #[arg(long)]
    pub(super) check_determinism: bool,
    /// How long a scenario that asks somebody may take; one that takes longer is inconclusive
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(super) timeout: Option<u32>,
    /// From how long on a scenario that asks somebody is marked as slow
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(super) slow: u32,
    /// Tell how long the scenarios took that took longest, so many of them [default: 10]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "10")]
    pub(super) durations: Option<usize>,
    /// Tell only what is not well, and the sum
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Tell each scenario
    #[arg(short, long)]
    pub(super) verbose: bool,
    /// Stay, and run what an edit touches whenever a file is saved
    #[arg(long, conflicts_with_all = ["accept", "update_expectations", "prune", "report", "durations"])]
    pub(super) watch: bool,
    /// Write a report, to a file or in place of the text; `github` without a file stands below the text
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &ReportKind::RUN))]
    pub(super) report: Vec<ReportTarget>,
    #[command(flatten)]
    pub(super) coverage: CoverageArgs,
    #[command(flatten)]
    pub(super) jobs: JobsArgs,
}

impl TestArgs {
    /// The arguments that a follow-up command needs to run the same scenarios.
    pub(super) fn again(&self) -> String {
        let named = |who: &Option<String>| who.clone().filter(|who| !records(who));
        let line = self.options.on(CommandLine::default());
        line.option("llm", named(&self.llm))
            .option("judge", named(&self.judge))
            .text()
    }

    /// Whether coverage is measured: a coverage report requires it, too.
    pub(super) fn counts_coverage(&self) -> bool {
        self.coverage.coverage
            || self
                .report
                .iter()
                .any(|target| target.kind.is_about_coverage())
    }

    /// Rejects contradictory arguments, and those that are impossible in continuous integration.
    pub(super) fn check(&self) -> CommandResult<()> {
        if self.accept {
            may_write("snapshots are not accepted", "accept them")?;
        }
        if self.update_expectations {
            may_write("expectations are not updated", "update them")?;
        }
        if self.prune {
            may_write("snapshots are not removed", "remove them")?;
        }
        let who = [
            ("llm", self.llm.as_deref()),
            ("judge", self.judge.as_deref()),
        ];
        let recording = who
            .into_iter()
            .find_map(|(option, who)| Some((option, who.filter(|who| records(who))?)));
        if let Some((option, who)) = recording.filter(|_| self.check) {
            let title = format!("`--check` writes nothing, and `--{option} {who}` does");
            return refuse(title, "leave one of the two out");
        }
        ReportTarget::with_format(&self.report, None)?;
        Ok(())
    }
}
