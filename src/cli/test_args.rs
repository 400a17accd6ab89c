//! The arguments of `fsmsim test`.

use std::num::NonZeroU32;

use clap::Args;

use super::command_line::CommandLine;
use super::coverage::CoverageArgs;
use super::help;
use super::jobs_args::JobsArgs;
use super::llm::records;
use super::model_args::ModelArgs;
use super::output::report_help;
use super::selection::SelectionArgs;
use super::{CommandResult, in_ci, may_write, refuse};
use fsmsim_harness::limits::MAX_TRIALS;
use fsmsim_reports::report::{ReportKind, ReportTarget};
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// Arguments of `test`.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each flag is a separate option"
)]
pub(super) struct TestArgs {
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// Accept the current results as snapshots; failed scenarios only with `--update-expectations`
    #[arg(long, conflicts_with = "check")]
    pub accept: bool,
    /// Replace failed expectations with the current results, and run the scenarios again
    #[arg(long, conflicts_with = "check")]
    pub update_expectations: bool,
    /// Write no files, as if `CI` were set
    #[arg(long)]
    pub check: bool,
    /// Run as in continuous integration: use `[test.ci]` of `fsmsim.toml`, and write no files
    #[arg(long, conflicts_with_all = ["accept", "update_expectations", "prune"])]
    pub ci: bool,
    /// Remove snapshots of deleted scenarios
    #[arg(long, conflicts_with = "check")]
    pub prune: bool,
    /// List scenarios without a snapshot, and fail if there are any
    #[arg(long)]
    pub require_snapshots: bool,
    #[arg(long, value_name = "REV", help = help::SINCE)]
    pub since: Option<String>,
    #[command(flatten)]
    pub options: ModelArgs,
    #[arg(long, value_name = "PROVIDER", help = help::LLM, long_help = help::LLM_OF_SCENARIOS)]
    pub llm: Option<String>,
    /// Judge replies with this provider: `live`, `record`, `record-missing`, `replay` or `mock:FILE`
    ///
    /// `live` calls the judge of `fsmsim.toml`, `record` also records cassettes, `replay` replays them, and
    /// `record-missing` records only missing answers. By default the judge of `fsmsim.toml` judges if it is a mock or
    /// `--llm` is live
    #[arg(long, value_name = "PROVIDER")]
    pub judge: Option<String>,
    /// Run each scenario that sends requests N times; `require: 2 of 3` in a scenario sets how many must pass
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_TRIALS.into()))]
    pub repeat: Option<u32>,
    /// Run a failed scenario that calls a live provider or a system under test again, up to N times
    #[arg(long, value_name = "N")]
    pub retries: Option<u8>,
    /// Run all N trials, even if the result is already certain
    #[arg(long)]
    pub no_early_stop: bool,
    /// Stop at the first failure
    #[arg(long)]
    pub fail_fast: bool,
    /// Run scenarios without requests twice, and fail if their records differ
    #[arg(long)]
    pub check_determinism: bool,
    /// Limit the time of a scenario that sends requests; a slower one is inconclusive
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub timeout: Option<u32>,
    /// Mark scenarios that send requests and take longer than this as slow [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub slow: Option<u32>,
    /// List the durations of the N slowest scenarios [default: 10]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "10")]
    pub durations: Option<usize>,
    /// Print only failures and the summary
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print each scenario
    #[arg(short, long)]
    pub verbose: bool,
    /// Keep running, and run the affected scenarios when a file is saved
    #[arg(long, conflicts_with_all = ["accept", "update_expectations", "prune", "report", "durations"])]
    pub watch: bool,
    #[arg(long, value_name = "KIND[=FILE]", help = report_help(&ReportKind::RUN), value_parser = |text: &str| ReportTarget::parse(text, &ReportKind::RUN))]
    pub report: Vec<ReportTarget>,
    #[command(flatten)]
    pub coverage: CoverageArgs,
    #[command(flatten)]
    pub jobs: JobsArgs,
}

impl TestArgs {
    /// These arguments, completed by `[test]` of the project. Reports on the command line replace those of the same kind.
    pub(super) fn configured(&self, project: &Project) -> CommandResult<Self> {
        let mut args = self.clone();
        args.check |= args.ci;
        let mut settings = project.test.clone();
        if args.ci || in_ci() {
            settings = settings.in_ci();
        }
        args.since = args.since.or(settings.since);
        args.require_snapshots |= settings.require_snapshots.unwrap_or_default();
        args.timeout = args.timeout.or(settings.timeout.map(NonZeroU32::get));
        args.slow = args.slow.or(settings.slow.map(NonZeroU32::get));
        args.retries = args.retries.or(settings.retries);
        // A run with `--watch` has no end, so it has no reports.
        let reports = settings.reports.into_iter().flatten();
        for setting in reports.filter(|_| !self.watch) {
            match ReportTarget::of(&setting.kind, setting.file, &ReportKind::RUN) {
                Ok(target) if self.report.iter().any(|given| given.excludes(&target)) => {}
                Ok(target) => args.report.push(target),
                Err(error) => {
                    return Err(Diagnostic::error(Code::BadProject, error)
                        .about(setting.place)
                        .help("see docs/src/reference/formats/config.md for `[test]`")
                        .into());
                }
            }
        }
        Ok(args)
    }

    /// The arguments that a follow-up command needs to run the same scenarios.
    pub(super) fn again(&self) -> String {
        let named = |who: &Option<String>| who.clone().filter(|who| !records(who));
        self.options
            .on(CommandLine::default())
            .option("llm", named(&self.llm))
            .option("judge", named(&self.judge))
            .text()
    }

    /// The named paths, for a follow-up command.
    pub(super) fn named(&self) -> CommandLine {
        CommandLine::default().paths(&self.selection.paths)
    }

    /// Whether coverage is requested: a coverage report requires it, too.
    pub(super) fn shows_coverage(&self) -> bool {
        self.coverage.coverage
            || self
                .report
                .iter()
                .any(|target| target.kind.is_about_coverage())
    }

    /// Rejects contradictory arguments, and those that are impossible in continuous integration.
    pub(super) fn check(&self) -> CommandResult<()> {
        if self.accept {
            may_write("accept", "snapshots")?;
        }
        if self.update_expectations {
            may_write("update", "expectations")?;
        }
        if self.prune {
            may_write("remove", "snapshots")?;
        }
        let who = [
            ("llm", self.llm.as_deref()),
            ("judge", self.judge.as_deref()),
        ];
        let recording = who
            .into_iter()
            .find_map(|(option, who)| Some((option, who.filter(|who| records(who))?)));
        if let Some((option, who)) = recording.filter(|_| self.check) {
            let title = format!("cannot use `--check` with `--{option} {who}`");
            return refuse(title, "omit one of the two options");
        }
        if let Some(option) = self.coverage.dependent().filter(|_| !self.shows_coverage()) {
            let title = format!("cannot use `{option}` if coverage is not measured");
            let help = "add `--coverage`, or a coverage report, such as `--report lcov=FILE`";
            return refuse(title, help);
        }
        ReportTarget::with_format(&self.report, None)?;
        Ok(())
    }
}
