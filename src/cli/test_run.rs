//! A scenario run on the command line: selection, output, exit code.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::coverage::{required_of_run, run_revision, write_coverage_of_run, write_required};
use super::llm::{AnswererFinder, print_usage};
use super::run_output::RunOutput;
use super::selection::{print_missing, print_unevaluated};
use super::test_args::TestArgs;
use super::trust::consent_to_subjects;
use super::{CommandResult, Context, Exit, Stop, in_ci};
use fsmsim_harness::coverage::CoverageRequirement;
use fsmsim_harness::review::FormerModels;
use fsmsim_harness::scenario::{KeptRecords, Runner, ScenarioFiles, SubjectInventory, Suite};
use fsmsim_harness::selection::{NamePattern, ScenarioFilter};
use fsmsim_harness::snapshot::{LeftSnapshots, Pruning, SnapshotChecker, SnapshotMode};
use fsmsim_harness::suite::{SuiteEnd, SuiteObserver};
use fsmsim_reports::harness::RunRecorder;
use fsmsim_reports::report::{
    ReportKind, ReportTarget, RunComparison, RunDialogues, RunPage, RunReport, RunWriter,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::files::InputFiles;
use fsmsim_syntax::terminal::{Joined, print_message, quoted};
use fsmsim_syntax::threads::{Mutex, Threads};

/// Runs the scenarios of the files that satisfy `wanted`. `follower` is another observer of the run.
pub(super) fn run_scenarios(
    args: &TestArgs,
    context: &mut Context,
    wanted: &dyn Fn(&Path) -> bool,
    follower: Option<&mut dyn SuiteObserver>,
) -> CommandResult {
    let mut project = context.project.clone();
    let mode = match args {
        TestArgs { accept: true, .. } => SnapshotMode::Accept,
        TestArgs { check, .. } if *check || in_ci() => SnapshotMode::Check,
        _ => SnapshotMode::Propose,
    };
    let mut found = Diagnostics::default();
    let profile = args.options.profile(&mut found);
    let snapshots = SnapshotChecker::new(&project, mode);
    let mut files = ScenarioFiles::of(&project, &args.selection.paths, &mut found);
    context.no_errors(&found)?;
    let filter = args.selection.filter(context)?;
    // Without a filter, the run is complete, so thresholds hold where it decides.
    let holds_thresholds = mode == SnapshotMode::Check
        && !project.coverage.is_empty()
        && files.is_project
        && !args.selection.is_filtered();
    let counts_coverage = args.shows_coverage() || holds_thresholds;
    let required = if counts_coverage {
        required_of_run(&args.coverage, args.selection.shard.is_some(), context)?
    } else {
        Vec::new()
    };
    let mut models = args.options.models(&project);
    let llm = args.llm.as_deref();
    let mut finder = AnswererFinder::new(&mut models, context);
    let answerers = finder.of_scenarios(llm)?;
    let judge = finder.judge_of_scenarios(args.judge.as_deref(), llm)?;
    let threads = args
        .jobs
        .threads_for(answerers.as_ref().or(judge.as_ref()))?;
    let models = Mutex::new(models);
    let runner = Runner {
        profile,
        answerers: answerers.clone(),
        ..Runner::new(&project, &models)
    };
    let subjects = SubjectInventory::of(&files, &filter, &runner);
    consent_to_subjects(subjects, &mut project, context)?;
    for path in &files.files {
        InputFiles::add(path);
    }
    ReportTarget::check(&args.report)?;
    files.retain(wanted);
    let former = FormerModels::since(args.since.as_deref(), &project)?;
    let mut reports = args.report.iter();
    // A live LLM might answer differently in a second run.
    let is_compared = answerers.is_none() && reports.any(|one| one.kind == ReportKind::Markdown);
    let runner = Runner {
        profile,
        answerers,
        judge,
        ..Runner::new(&project, &models)
    };
    let suite = Suite {
        selection: &filter,
        pruning: if args.prune {
            Pruning::Orphans
        } else {
            Pruning::None
        },
        fails_fast: args.fail_fast,
        checks_determinism: args.check_determinism,
        time_limit: args
            .timeout
            .map(|seconds| Duration::from_secs(seconds.into())),
        repeat: args.repeat,
        retries: args.retries.unwrap_or_default(),
        no_early_stop: args.no_early_stop,
        keeps_records: if is_compared {
            KeptRecords::All
        } else {
            KeptRecords::Unpassed
        },
        counts_coverage,
        ..Suite::new(runner, files, snapshots)
    };
    let run = TestRun {
        args,
        suite,
        filter: &filter,
        required,
        former,
        threads,
    };
    run.run(context, follower)
}

/// A scenario run that is ready to start.
struct TestRun<'r> {
    args: &'r TestArgs,
    suite: Suite<'r>,
    filter: &'r ScenarioFilter,
    required: Vec<CoverageRequirement>,
    /// The earlier models to compare with the models of failed scenarios.
    former: FormerModels,
    threads: Threads,
}

impl TestRun<'_> {
    fn run(
        &self,
        context: &mut Context,
        follower: Option<&mut dyn SuiteObserver>,
    ) -> CommandResult {
        let Self {
            args,
            suite,
            threads,
            ..
        } = self;
        let mut recorder = RunRecorder::new(suite, args.selection.shard, !args.report.is_empty())
            .remembering(suite);
        recorder.with_times = args.durations.is_some();
        let line = args.selection.command(context);
        let line = line.option("profile", args.options.profile.as_ref());
        let line = line.option("llm", args.llm.as_ref());
        recorder.command = line.option("judge", args.judge.as_ref()).text();
        let is_silent = args.update_expectations && follower.is_some();
        let mut output = RunOutput::new(args, suite, context, is_silent);
        let is_compared = suite.keeps_records == KeptRecords::All;
        let mut dialogues = is_compared.then(RunDialogues::default);
        let mut observers: Vec<&mut dyn SuiteObserver> = vec![&mut output, &mut recorder];
        if let Some(follower) = follower {
            observers.push(follower);
        }
        if let Some(dialogues) = &mut dialogues {
            observers.push(dialogues);
        }
        let mut end = suite.run(threads, &mut observers);
        drop(observers);
        if let Some(states) = args.coverage.prove {
            end.coverage.prove(states, threads);
        }
        output.end()?;
        let from_root = |path: &str| recorder.from_root(path);
        let findings = output.context.take_findings(&from_root);
        let page = recorder.page();
        // A live LLM might answer differently in a second run.
        let former = Some(&self.former).filter(|_| suite.runner.answerers.is_none());
        let report = recorder.finish(suite, &end, former, threads, findings);
        let (mut out, counts) = output.finish(&report.causes, &end)?;
        let covers = self.write_coverage(&report, &end, &mut *out, context)?;
        out.flush()?;
        drop(out);
        if !report.causes.is_empty()
            && let Some(note) = former.and_then(FormerModels::note)
        {
            let mut found = Diagnostics::default();
            found.push(note);
            context.report(&found, &SourceMap::default());
        }
        let comparison = dialogues.and_then(|now| self.compare(now, context));
        self.write_reports(&report, &end, &page, comparison.as_ref())?;
        let mode = suite.snapshots.mode();
        if !is_silent {
            print_hints(args, mode, &end.left);
        }
        print_unevaluated(self.filter);
        print_usage(suite.runner.answerers.as_ref());
        print_usage(suite.runner.judge.as_ref());
        // Names are known only if all scenarios were tested.
        if !args.fail_fast && !args.watch {
            print_missing(self.filter);
            context.no_errors(&self.filter.unknown_names())?;
        }
        if counts.is_empty() {
            if !self.filter.may_be_empty() {
                return Err(nothing_found(&args.selection.paths(context)));
            }
            print_message("no scenario is selected\n");
        }
        let lacks_snapshots = args.require_snapshots && counts.lacking > 0;
        let has_undecided = mode == SnapshotMode::Check && end.left.needs_decision();
        Ok(Exit::of_scenarios(
            &counts,
            end.left.found.has_errors(),
            !covers || lacks_snapshots || has_undecided,
        ))
    }

    /// Writes the coverage, if it was measured. Returns whether all requirements are met.
    fn write_coverage(
        &self,
        report: &RunReport,
        end: &SuiteEnd,
        out: &mut dyn Write,
        context: &mut Context,
    ) -> CommandResult<bool> {
        let Some(coverage) = &report.coverage else {
            return Ok(true);
        };
        if !self.args.shows_coverage() {
            let required = (&*self.required, false);
            return write_required(coverage, required, Diagnostics::default(), out, context);
        }
        let covers = write_coverage_of_run(
            &self.args.coverage,
            &self.required,
            coverage,
            out,
            (&self.args.options, &self.threads),
            context,
        )?;
        out.flush()?;
        for (findings, machine) in end.coverage.findings() {
            context.report(&findings, &machine.files);
        }
        Ok(covers)
    }

    /// Runs the scenarios of the earlier revision. `None` without a repository or this revision.
    fn compare(&self, now: RunDialogues, context: &mut Context) -> Option<RunComparison> {
        if self.former.note().is_some() {
            return None;
        }
        let revision = self.former.revision().to_owned();
        let mut before = RunDialogues::default();
        let options = (&self.args.options, &self.threads);
        let coverage = run_revision(&revision, Some(&mut before), options, context).ok();
        coverage.is_some().then_some(RunComparison {
            revision,
            before,
            now,
            coverage,
        })
    }

    /// Writes the requested reports.
    fn write_reports(
        &self,
        report: &RunReport,
        end: &SuiteEnd,
        page: &RunPage,
        comparison: Option<&RunComparison>,
    ) -> CommandResult<()> {
        let targets = &self.args.report;
        if targets.is_empty() {
            return Ok(());
        }
        let sources = end.coverage.sources(self.suite.runner.project);
        let writer = RunWriter {
            report,
            sources: &sources,
            page,
            comparison,
        };
        let write = |kind, out: &mut dyn Write| match kind {
            // The text was written during the run.
            ReportKind::Text => Ok(()),
            kind => writer.write(kind, out),
        };
        ReportTarget::write_all(targets, write)
    }
}

/// The error if the paths contain no scenario.
fn nothing_found(paths: &[PathBuf]) -> Stop {
    let shown = paths.iter().map(|path| path.display().to_string());
    Diagnostic::error(Code::NoScenario, "no scenario was found")
        .about(shown.joined(", "))
        .help("check the paths and the filters, use `-C DIRECTORY` for another project, or create one with `fsmsim init .`")
        .into()
}

/// Prints the commands for leftover snapshots, unless the run only checks.
fn print_hints(args: &TestArgs, mode: SnapshotMode, left: &LeftSnapshots) {
    if mode == SnapshotMode::Check {
        return;
    }
    let paths = args.named().text();
    let again = args.again();
    for successor in left
        .orphans
        .iter()
        .filter_map(|orphan| orphan.successor.as_ref())
    {
        let only = quoted(&format!(
            "title({})",
            NamePattern::written(&successor.title)
        ));
        print_message(&format!(
            "accept the snapshot under the new name: `fsmsim test --accept{paths} -E {only}{again}`\n"
        ));
    }
    if left.orphans.iter().any(|orphan| orphan.successor.is_none()) {
        print_message(&format!(
            "remove orphaned snapshots: `fsmsim test --prune{paths}`\n"
        ));
    }
}
