//! What is told of a run while it goes on, and what is kept of it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::context::Context;
use super::coverage::{CoverageRun, Replay};
use super::exit::Stop;
use super::test::TestArgs;
use super::watch::UsedFiles;
use crate::diff::{FallenScenario, KnownCause};
use crate::project::{ArtifactLayout, ModelCache, Project};
use crate::report::{Console, ReportKind, ReportTarget, ReportedRun, RunCollector, RunPage, RunReport, RunWriter};
use crate::review::FormerModels;
use crate::scenario::{Runner, ScenarioResult, ScenarioVerdict, SuiteCounts, SuitePart, scenario_address};
use crate::selection::RunHistory;
use crate::snapshot::{LeftSnapshots, SnapshotMode};
use crate::terminal::{Escaping, printable, results, tell};
use crate::threads::Threads;

/// What is told of a run while it goes on, and kept of it.
pub(super) struct RunKeeper<'a> {
    pub(super) console: Console<Box<dyn Write>>,
    /// What was run: all of it where a report is wanted, else those scenarios that are not well.
    report: RunReport,
    /// The scenarios that fell short and ask nobody outside, by address.
    fallen: Vec<(String, FallenScenario)>,
    page: RunPage,
    history: RunHistory,
    layout: ArtifactLayout,
    pub(super) coverage: CoverageRun,
    /// How long scenarios took.
    durations: Vec<(Duration, String)>,
    args: &'a TestArgs,
    /// For whoever stays and watches them.
    used: Option<&'a mut UsedFiles>,
}

/// What a run came to.
pub(super) struct FinishedRun {
    pub(super) counts: SuiteCounts,
    /// Whatever has to be covered is.
    pub(super) covers: bool,
}

impl<'a> RunKeeper<'a> {
    /// Nothing came yet of a run of what is named.
    pub(super) fn new(
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
        let report = RunReport::new(ReportedRun::Test, args.selection.shard);
        let report = RunReport { checked: mode == SnapshotMode::Check, ..report };
        let layout = project.artifacts_in(&project.snapshots);
        let mut history = RunHistory::of(&project.root);
        if mode != SnapshotMode::Check {
            let under = named.iter().map(|path| layout.from_root(path)).collect();
            // Where it cannot be kept, `--failed` knows less the next time, and nothing else.
            let _ = history.begin(under);
        }
        Self {
            console,
            report,
            fallen: Vec::new(),
            page: RunPage::default(),
            history,
            layout,
            coverage: CoverageRun::default(),
            durations: Vec::new(),
            args,
            used,
        }
    }

    /// Adds results as they come.
    pub(super) fn add(&mut self, part: &SuitePart<RunCollector>, models: &mut ModelCache) -> io::Result<()> {
        let mut verdicts = Vec::with_capacity(part.results.len());
        if let (Some(used), Some((first, _))) = (&mut self.used, part.results.first()) {
            used.share(&first.place.path, &part.sources);
        }
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
            self.console.push(result, &self.address(result))?;
        }
        let _ = self.history.add(verdicts);
        if part.ends_file { self.console.end_file() } else { Ok(()) }
    }

    fn address(&self, result: &ScenarioResult) -> String {
        let file = self.layout.from_root(Path::new(&result.place.path));
        if result.title.is_empty() {
            return file;
        }
        scenario_address(&file, &result.title, result.case.as_deref())
    }

    fn add_to_report(&mut self, result: &ScenarioResult, collected: Option<&RunCollector>, models: &mut ModelCache) {
        let is_wanted = !self.args.report.is_empty();
        if !is_wanted && result.verdict().is_well() {
            return;
        }
        let layout = &self.layout;
        let from_root = |path: &str| layout.from_root(Path::new(path));
        self.report.push(result, collected.and_then(|collected| collected.records.as_ref()), &from_root);
        let Some(last) = self.report.scenarios.last_mut() else { return };
        if self.args.durations.is_some() {
            last.seconds = Some(result.elapsed.as_secs_f64());
        }
        let Some(model) = &result.model else { return };
        if result.verdict() == ScenarioVerdict::Failed {
            let (file, line) = (PathBuf::from(&result.place.path), result.place.line);
            let fallen = FallenScenario { model: model.clone(), file, name: result.name(), line, turn: last.fell_in() };
            self.fallen.push((last.id.clone(), fallen));
        }
        if is_wanted && let Some(machine) = models.load(&model.path, model.variant()) {
            let path = layout.from_root(&model.path);
            self.report.head.models.entry(path.clone()).or_insert_with(|| machine.files.fingerprint());
            self.page.add(path, &machine, &from_root);
        }
    }

    /// Puts those that fell short down to what was edited in their models, where that is known. Only they are played again.
    pub(super) fn put_down(&mut self, former: &FormerModels, runner: &Runner<'_>, threads: &Threads) {
        let (ids, fallen): (Vec<String>, Vec<FallenScenario>) = std::mem::take(&mut self.fallen).into_iter().unzip();
        let from_root = |path: &str| self.layout.from_root(Path::new(path));
        let known = former.causes(&fallen, runner, threads);
        let known: BTreeMap<String, KnownCause> =
            ids.into_iter().zip(known).filter_map(|(id, cause)| Some((id, cause?))).collect();
        self.report.put_down(&known, &former.prefix(), &from_root);
    }

    /// Tells what all came to, and writes the reports.
    pub(super) fn finish(
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
        self.report.finish();
        let counts = self.console.finish(&self.report.causes, left)?;
        if is_stopped {
            tell("stopped at the first that is not well; `fsmsim test --failed` goes on\n");
        }
        let mut out: Box<dyn Write> =
            if is_shown { Box::new(results(Escaping::of_text())) } else { Box::new(io::sink()) };
        if let Some(most) = self.args.durations {
            self.durations.sort_by(|(one, _), (other, _)| other.cmp(one));
            for (elapsed, address) in self.durations.iter().take(most) {
                writeln!(out, "{:9.3} s  {}", elapsed.as_secs_f64(), printable(address))?;
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
        if !self.args.report.is_empty() {
            let mut report = self.report;
            let from_root = |path: &Path| self.layout.from_root(path);
            report.orphans = left.orphans.iter().map(|orphan| from_root(&orphan.path)).collect();
            report.pending = left.pending.iter().map(|path| from_root(path)).collect();
            report.findings = findings;
            report.finish();
            if self.args.counts_coverage() {
                report.coverage = Some(self.coverage.report(again.project));
            }
            let sources = self.coverage.sources(again.project);
            let writer = RunWriter { report: &report, sources: &sources, page: &self.page };
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
