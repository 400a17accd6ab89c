//! One run of scenarios for the command line: what is played, what is told of it, and what it comes to.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::context::{Context, in_ci, profile_of, threads};
use super::coverage::{CoverageRun, Replay};
use super::exit::{Exit, Stop};
use super::llm::{of_scenarios, tell_usage};
use super::progress_line::ProgressLine;
use super::test::TestArgs;
use super::watch::UsedFiles;
use crate::coverage::CoverageSet;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::llm::AnswererConfig;
use crate::machine::Profile;
use crate::project::{ArtifactLayout, ModelCache, Project};
use crate::report::{Console, ReportKind, ReportTarget, ReportedRun, RunCollector, RunReport, RunWriter};
use crate::scenario::{
    CaseFindings, RecordedTurns, Runner, ScenarioFiles, ScenarioResult, Suite, SuiteCounts, SuitePart,
};
use crate::selection::{NamePattern, RunHistory, ScenarioFilter};
use crate::snapshot::{LeftSnapshots, Pruning, SnapshotChecker, SnapshotMode};
use crate::terminal::{Escaping, quoted, results, tell};
use crate::threads::Threads;

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
    coverage: CoverageRun,
}

/// What is told of a run while it goes on, and kept of it.
struct RunKeeper<'a> {
    console: Console<Box<dyn Write>>,
    /// For the reports, where there are any.
    report: Option<RunReport>,
    history: RunHistory,
    layout: ArtifactLayout,
    coverage: CoverageRun,
    /// How long scenarios took.
    durations: Vec<(Duration, String)>,
    args: &'a TestArgs,
    /// For whoever stays and watches them.
    used: Option<&'a mut UsedFiles>,
}

impl<'a> TestRun<'a> {
    /// Gets everything ready that a run needs.
    pub(super) fn prepare(args: &'a TestArgs, context: &'a mut Context) -> Result<Self, Stop> {
        let project = context.project.clone();
        let mode = match args {
            TestArgs { accept: true, .. } => SnapshotMode::Accept,
            TestArgs { check, .. } if *check || in_ci() => SnapshotMode::Check,
            _ => SnapshotMode::Propose,
        };
        let mut found = Diagnostics::default();
        let profile = profile_of(args.profile.as_deref(), &mut found);
        let snapshots = SnapshotChecker::new(&project, mode, &mut found);
        let paths = args.selection.paths(context);
        let files = ScenarioFiles::under(&paths, &mut found);
        context.usable(Some(()), &found, &SourceMap::default())?;
        let filter = args.selection.filter(context)?;
        let mut begin = || CoverageRun::begin(&args.coverage, args.selection.shard.is_some(), context);
        let coverage = if args.counts_coverage() { begin()? } else { CoverageRun::default() };
        let threads = threads(args.jobs)?;
        let mut models = ModelCache::new(&project, args.config.clone());
        let answerers = of_scenarios(args.llm.as_deref(), &mut models, context)?;
        let models = Mutex::new(models);
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
            coverage,
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
            },
            selection: &self.filter,
            repeat: self.args.repeat,
            snapshots: self.snapshots,
            fails_fast: self.args.fail_fast,
            checks_determinism: self.args.check_determinism,
            time_limit: self.args.timeout.map(|seconds| Duration::from_secs(seconds.into())),
            watches: self.args.counts_coverage(),
        };
        let (args, context) = (self.args, self.context);
        let keeper = RunKeeper::new(args, &self.project, self.mode, &files.named, used);
        let mut keeper = RunKeeper { coverage: self.coverage, ..keeper };
        let (keeps_records, covers) = (keeper.report.is_some(), args.counts_coverage());
        let collector = || RunCollector {
            records: keeps_records.then(RecordedTurns::default),
            coverage: covers.then(CoverageSet::default),
        };
        let (named, count) = (files.named.clone(), files.files.len() + files.unusable.len());
        let progress = ProgressLine::new(count);
        let (mut written, mut cases) = (Ok(()), CaseFindings::default());
        let end = suite.run(&self.threads, files, &collector, &mut |part: SuitePart<RunCollector>| {
            progress.aside(|| {
                let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
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
        let pruning = if args.prune { Pruning::Orphans } else { Pruning::None };
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
        if args.counts_coverage() && self.filter.takes_whole_share() && args.selection.paths.is_empty() {
            let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
            keeper.coverage.add_untested(&self.filter.elsewhere(), &self.project, self.profile, &mut models, context);
        }
        let config = args.config.as_deref();
        let again = Replay { project: &self.project, profile: self.profile, config, threads: &self.threads };
        let finished = keeper.finish(&left, end.is_stopped, &again, context)?;
        tell_hints(args, self.mode, &left, &finished.counts);
        tell_usage(self.answerers.as_ref());
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
            (Exit::Unusable, counts.unusable > 0 || left.found.has_errors()),
            (Exit::Failed, counts.has_failures() || is_short || needs_somebody),
            (Exit::Unavailable, counts.unavailable + counts.inconclusive > 0),
        ]))
    }
}

/// What a run came to.
struct FinishedRun {
    counts: SuiteCounts,
    /// Whatever has to be covered is.
    covers: bool,
}

impl<'a> RunKeeper<'a> {
    fn new(
        args: &'a TestArgs,
        project: &Project,
        mode: SnapshotMode,
        named: &[PathBuf],
        used: Option<&'a mut UsedFiles>,
    ) -> Self {
        let is_shown = ReportTarget::shows_text(&args.report);
        let out: Box<dyn Write> = if is_shown { Box::new(results(Escaping::of_text())) } else { Box::new(io::sink()) };
        let console = Console::new(out, &args.again()).listing_unsnapshotted(args.require_snapshots);
        let console = console.telling(args.quiet, args.verbose).marking_slow(Duration::from_secs(args.slow.into()));
        let report = (!args.report.is_empty()).then(|| {
            let report = RunReport::new(ReportedRun::Test, args.selection.shard);
            RunReport { checked: mode == SnapshotMode::Check, ..report }
        });
        let layout = project.artifacts_in(&project.snapshots);
        let mut history = RunHistory::of(&project.root);
        if mode != SnapshotMode::Check {
            let under = named.iter().map(|path| layout.from_root(path)).collect();
            // Where it cannot be kept, `--failed` knows less the next time, and nothing else.
            let _ = history.begin(under);
        }
        let (coverage, durations) = (CoverageRun::default(), Vec::new());
        Self { console, report, history, layout, coverage, durations, args, used }
    }

    /// Adds results as they come.
    fn add(&mut self, part: &SuitePart<RunCollector>, models: &mut ModelCache) -> io::Result<()> {
        let mut verdicts = Vec::with_capacity(part.results.len());
        for (result, collected) in &part.results {
            if !result.title.is_empty() {
                verdicts.push((self.address(result), result.verdict()));
            }
            if self.args.durations.is_some() {
                self.durations.push((result.elapsed, self.address(result)));
            }
            self.add_to_report(result, collected.as_ref(), models);
            if let Some(used) = &mut self.used {
                used.add(result, models);
            }
            if self.args.counts_coverage() {
                let seen = collected.as_ref().and_then(|collected| collected.coverage.as_ref());
                self.coverage.add(result, seen, models);
            }
            self.console.push(result)?;
        }
        let _ = self.history.add(verdicts);
        if part.ends_file { self.console.end_file() } else { Ok(()) }
    }

    fn address(&self, result: &ScenarioResult) -> String {
        let file = self.layout.from_root(Path::new(&result.place.path));
        crate::scenario::scenario_address(&file, &result.title, result.case.as_deref())
    }

    fn add_to_report(&mut self, result: &ScenarioResult, collected: Option<&RunCollector>, models: &mut ModelCache) {
        let Some(report) = &mut self.report else { return };
        let layout = &self.layout;
        let from_root = |path: &str| layout.from_root(Path::new(path));
        report.push(result, collected.and_then(|collected| collected.records.as_ref()), &from_root);
        if let (true, Some(last)) = (self.args.durations.is_some(), report.scenarios.last_mut()) {
            last.seconds = Some(result.elapsed.as_secs_f64());
        }
        if let Some(model) = &result.model
            && let Some(machine) = models.load(&model.path, model.variant())
        {
            let path = layout.from_root(&model.path);
            report.models.entry(path).or_insert_with(|| machine.files.fingerprint());
        }
    }

    /// Tells what all came to, and writes the reports.
    fn finish(
        mut self,
        left: &LeftSnapshots,
        is_stopped: bool,
        again: &Replay<'_>,
        context: &mut Context,
    ) -> Result<FinishedRun, Stop> {
        if !is_stopped {
            let _ = self.history.finish();
        }
        let is_shown = ReportTarget::shows_text(&self.args.report);
        let counts = self.console.finish(left)?;
        if is_stopped {
            tell("stopped at the first that is not well; `fsmsim test --failed` goes on\n");
        }
        let mut out: Box<dyn Write> =
            if is_shown { Box::new(results(Escaping::of_text())) } else { Box::new(io::sink()) };
        if let Some(most) = self.args.durations {
            self.durations.sort_by(|(one, _), (other, _)| other.cmp(one));
            for (elapsed, address) in self.durations.iter().take(most) {
                writeln!(out, "{:9.3} s  {}", elapsed.as_secs_f64(), crate::terminal::printable(address))?;
            }
        }
        // What coverage finds is in the coverage, and in a shard it is not all that there is.
        let findings = context.take_findings(&|path| self.layout.from_root(Path::new(path)));
        let mut covers = true;
        if self.args.counts_coverage() {
            covers = self.coverage.finish(&self.args.coverage, again, &mut out, context)?;
        }
        out.flush()?;
        drop(out);
        if let Some(mut report) = self.report {
            let from_root = |path: &Path| self.layout.from_root(path);
            report.orphans = left.orphans.iter().map(|orphan| from_root(&orphan.path)).collect();
            report.pending = left.pending.iter().map(|path| from_root(path)).collect();
            report.findings = findings;
            report.finish();
            if self.args.counts_coverage() {
                report.coverage = Some(self.coverage.report(again.project));
            }
            let sources = self.coverage.sources(again.project);
            let writer = RunWriter { report: &report, sources: &sources };
            // The text was written while the run went on.
            let write =
                |kind, out: &mut dyn Write| if kind == ReportKind::Text { Ok(()) } else { writer.write(kind, out) };
            if let Some(finding) = ReportTarget::write_all(&self.args.report, write)? {
                return Err(finding.into());
            }
        }
        Ok(FinishedRun { counts, covers })
    }
}

/// No scenario was found under these paths.
fn nothing_found(paths: &[PathBuf]) -> Stop {
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let finding = Diagnostic::error(Code::NoScenario, "no scenario was found").about(shown.join(", "));
    finding.help("a run that tests nothing is not a pass: check the paths and the filters").into()
}

/// Tells what can be done about snapshots that are left, where something can be done here.
fn tell_hints(args: &TestArgs, mode: SnapshotMode, left: &LeftSnapshots, counts: &SuiteCounts) {
    if mode == SnapshotMode::Check {
        return;
    }
    let paths: Vec<String> = args.selection.paths.iter().map(|path| quoted(&path.display().to_string())).collect();
    let paths = paths.iter().flat_map(|path| [" ", path]).collect::<String>();
    let again = args.again();
    if counts.former > 0 && mode == SnapshotMode::Propose {
        tell(&format!("`fsmsim test --accept{paths}{again}` writes snapshots of an earlier version anew\n"));
    }
    for successor in left.orphans.iter().filter_map(|orphan| orphan.successor.as_ref()) {
        let only = quoted(&format!("title({})", NamePattern::written(&successor.title)));
        tell(&format!("`fsmsim test --accept{paths} -E {only}{again}` takes the snapshot along\n"));
    }
    if left.orphans.iter().any(|orphan| orphan.successor.is_none()) {
        tell(&format!("`fsmsim test --prune{paths}` removes orphaned snapshots\n"));
    }
}
