//! One run of scenarios for the command line: what is played, what is told of it, and what it comes to.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::context::{Context, in_ci};
use super::coverage::{CoverageRun, Replay};
use super::exit::{Exit, Stop};
use super::llm::{judge_of_scenarios, of_scenarios, tell_usage};
use super::progress_line::ProgressLine;
use super::run_keeper::RunKeeper;
use super::selection::tell_untold;
use super::test_args::TestArgs;
use super::trust::consent_to_subjects;
use super::used_files::UsedFiles;
use fsmsim_adapters::llm::AnswererConfig;
use fsmsim_core::machine::Profile;
use fsmsim_harness::coverage::CoverageSet;
use fsmsim_harness::review::FormerModels;
use fsmsim_harness::scenario::{
    CaseFindings, RecordedTurns, Runner, ScenarioFiles, SubjectCensus, Suite, SuiteCounts,
    SuitePart,
};
use fsmsim_harness::selection::{NamePattern, ScenarioFilter};
use fsmsim_harness::snapshot::{LeftSnapshots, Pruning, SnapshotChecker, SnapshotMode};
use fsmsim_reports::report::RunCollector;
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::terminal::{quoted, tell};
use fsmsim_syntax::threads::{Mutex, Threads};

/// A run of scenarios that can begin.
pub(super) struct TestRun<'a> {
    args: &'a TestArgs,
    context: &'a mut Context,
    project: Project,
    profile: Option<Profile>,
    mode: SnapshotMode,
    snapshots: SnapshotChecker,
    /// The files and folders as they were named.
    paths: Vec<PathBuf>,
    files: ScenarioFiles,
    filter: ScenarioFilter,
    threads: Threads,
    models: Mutex<ModelCache>,
    answerers: Option<AnswererConfig>,
    judge: Option<AnswererConfig>,
    coverage: CoverageRun,
    former: FormerModels,
}

impl<'a> TestRun<'a> {
    /// Gets everything ready that a run needs.
    pub(super) fn prepare(args: &'a TestArgs, context: &'a mut Context) -> Result<Self, Stop> {
        let mut project = context.project.clone();
        let mode = match args {
            TestArgs { accept: true, .. } => SnapshotMode::Accept,
            TestArgs { check, .. } if *check || in_ci() => SnapshotMode::Check,
            _ => SnapshotMode::Propose,
        };
        let mut found = Diagnostics::default();
        let profile = args.options.profile(&mut found);
        let snapshots = SnapshotChecker::new(&project, mode, &mut found);
        let paths = args.selection.paths(context);
        let files = ScenarioFiles::under(&paths, &mut found);
        context.no_errors(&found)?;
        let filter = args.selection.filter(context)?;
        let mut begin =
            || CoverageRun::begin(&args.coverage, args.selection.shard.is_some(), context);
        let coverage = if args.counts_coverage() {
            begin()?
        } else {
            CoverageRun::default()
        };
        let mut models = args.options.models(&project);
        let llm = args.llm.as_deref();
        let answerers = of_scenarios(llm, &mut models, context)?;
        let judge = judge_of_scenarios(
            args.judge.as_deref(),
            (llm, answerers.as_ref()),
            &mut models,
            context,
        )?;
        let threads = args
            .jobs
            .threads_for(answerers.as_ref().or(judge.as_ref()))?;
        let models = Mutex::new(models);
        let runner = Runner {
            project: &project,
            models: &models,
            profile,
            answerers: answerers.clone(),
            judge: None,
        };
        let subjects = SubjectCensus::of(&files, &filter, &runner);
        consent_to_subjects(subjects, &mut project, context)?;
        let former = args
            .since
            .as_deref()
            .map_or_else(|| Ok(FormerModels::committed()), FormerModels::since)?;
        Ok(Self {
            args,
            context,
            project,
            profile,
            mode,
            snapshots,
            paths,
            files,
            filter,
            threads,
            models,
            answerers,
            judge,
            coverage,
            former,
        })
    }

    /// Of the files, only these.
    pub(super) fn only(mut self, wanted: &dyn Fn(&Path) -> bool) -> Self {
        self.files.files.retain(|file| wanted(file));
        self
    }

    /// Runs the scenarios, and notes in `used` which files each file of scenarios needs.
    pub(super) fn run(mut self, used: Option<&mut UsedFiles>) -> Result<Exit, Stop> {
        let files = std::mem::take(&mut self.files);
        let suite = Suite {
            runner: Runner {
                project: &self.project,
                models: &self.models,
                profile: self.profile,
                answerers: self.answerers.clone(),
                judge: self.judge.clone(),
            },
            selection: &self.filter,
            repeat: self.args.repeat,
            plays_all: self.args.every_play,
            snapshots: self.snapshots,
            fails_fast: self.args.fail_fast,
            checks_determinism: self.args.check_determinism,
            time_limit: self
                .args
                .timeout
                .map(|seconds| Duration::from_secs(seconds.into())),
            watches: self.args.counts_coverage(),
        };
        let (args, context) = (self.args, self.context);
        let mut keeper = RunKeeper::new(args, &self.project, self.mode, &files.named, used);
        keeper.coverage = self.coverage;
        let covers = args.counts_coverage();
        let collector = || RunCollector {
            // What decided is told of whatever falls short, and that is known at its end.
            records: Some(RecordedTurns::default()),
            coverage: covers.then(CoverageSet::default),
        };
        let (named, count) = (
            files.named.clone(),
            files.files.len() + files.unusable.len(),
        );
        let progress = ProgressLine::new(count);
        let (mut written, mut cases) = (Ok(()), CaseFindings::default());
        let end = suite.run(&self.threads, files, &collector, &mut |part: SuitePart<
            RunCollector,
        >| {
            progress.aside(|| {
                let mut models = self.models.lock();
                for (result, _) in &part.results {
                    context.report_loaded(&mut models, &result.model, &result.mock);
                }
                for (result, _) in &part.results {
                    context.report(&cases.of(result, &part.sources), &part.sources);
                }
                let told = keeper.add(&part, &mut models);
                written = std::mem::replace(&mut written, Ok(())).and(told);
            });
            if part.ends_file {
                progress.step(&keeper.console.counts());
            }
        });
        progress.finish();
        written?;
        let pruning = if args.prune {
            Pruning::Orphans
        } else {
            Pruning::None
        };
        let mut left = if end.is_stopped {
            // What was not come to is not known to be gone.
            LeftSnapshots::default()
        } else {
            LeftSnapshots::find(&suite.snapshots, end.ledger, &named, pruning)
        };
        if self.mode != SnapshotMode::Check {
            // They wait for whoever works here.
            left.pending.clear();
        }
        context.report(&left.found, &SourceMap::default());
        if args.counts_coverage()
            && self.filter.takes_whole_share()
            && args.selection.paths.is_empty()
        {
            let mut models = self.models.lock();
            keeper.coverage.add_untested(
                &self.filter.elsewhere(),
                &self.project,
                self.profile,
                &mut models,
                context,
            );
        }
        let config = args.options.config.as_deref();
        let again = Replay {
            project: &self.project,
            profile: self.profile,
            config,
            threads: &self.threads,
        };
        if self.answerers.is_none() {
            keeper.put_down(&self.former, &suite.runner, &self.threads);
        }
        let finished = keeper.finish(&left, end.is_stopped, &again, context)?;
        tell_hints(args, self.mode, &left, &finished.counts);
        tell_untold(&self.filter);
        tell_usage(self.answerers.as_ref());
        tell_usage(self.judge.as_ref());
        let counts = finished.counts;
        if counts.is_empty() {
            if !self.filter.may_be_empty() {
                return Err(nothing_found(&self.paths));
            }
            tell("nothing is selected, and nothing was run\n");
        }
        let is_short = !finished.covers || (args.require_snapshots && counts.lacking > 0);
        let needs_somebody = self.mode == SnapshotMode::Check && left.needs_somebody();
        Ok(Exit::of([
            (
                Exit::Unusable,
                counts.unusable > 0 || left.found.has_errors(),
            ),
            (
                Exit::Failed,
                counts.has_failures() || is_short || needs_somebody,
            ),
            (
                Exit::Unavailable,
                counts.unavailable + counts.inconclusive > 0,
            ),
        ]))
    }
}

/// No scenario was found under these paths.
fn nothing_found(paths: &[PathBuf]) -> Stop {
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let finding =
        Diagnostic::error(Code::NoScenario, "no scenario was found").about(shown.join(", "));
    finding
        .help("a run that tests nothing is not a pass: check the paths and the filters")
        .into()
}

/// Tells what can be done about snapshots that are left, where something can be done here.
fn tell_hints(args: &TestArgs, mode: SnapshotMode, left: &LeftSnapshots, counts: &SuiteCounts) {
    if mode == SnapshotMode::Check {
        return;
    }
    let paths: Vec<String> = args
        .selection
        .paths
        .iter()
        .map(|path| quoted(&path.display().to_string()))
        .collect();
    let paths = paths
        .iter()
        .flat_map(|path| [" ", path])
        .collect::<String>();
    let again = args.again();
    if counts.former > 0 && mode == SnapshotMode::Propose {
        tell(&format!(
            "`fsmsim test --accept{paths}{again}` writes snapshots of an earlier version anew\n"
        ));
    }
    for successor in left
        .orphans
        .iter()
        .filter_map(|orphan| orphan.successor.as_ref())
    {
        let only = quoted(&format!(
            "title({})",
            NamePattern::written(&successor.title)
        ));
        tell(&format!(
            "`fsmsim test --accept{paths} -E {only}{again}` takes the snapshot along\n"
        ));
    }
    if left.orphans.iter().any(|orphan| orphan.successor.is_none()) {
        tell(&format!(
            "`fsmsim test --prune{paths}` removes orphaned snapshots\n"
        ));
    }
}
