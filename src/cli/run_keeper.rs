//! What is told of a run while it goes on, and what is kept of it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use super::context::Context;
use super::coverage::{CoverageRun, Replay};
use super::exit::Stop;
use super::test_args::TestArgs;
use super::used_files::UsedFiles;
use fsmsim_harness::flakiness::Flakiness;
use fsmsim_harness::review::FormerModels;
use fsmsim_harness::scenario::{Runner, ScenarioResult, SuiteCounts, SuitePart};
use fsmsim_harness::snapshot::{LeftSnapshots, SnapshotMode};
use fsmsim_reports::harness::KeptRun;
use fsmsim_reports::report::{
    Console, FlakinessReport, ReportKind, ReportTarget, RunCollector, RunPage, RunWriter,
};
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_syntax::terminal::{Escaping, printable, results, tell};
use fsmsim_syntax::threads::Threads;

/// What is told of a run while it goes on, and kept of it.
pub(super) struct RunKeeper<'a> {
    pub(super) console: Console<Box<dyn Write>>,
    /// What was run: all of it where a report is wanted, else those scenarios that are not well.
    kept: KeptRun,
    page: RunPage,
    pub(super) coverage: CoverageRun,
    /// What did not always come out the same.
    flakiness: Flakiness,
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
        let out: Box<dyn Write> = if is_shown {
            Box::new(results(Escaping::of_text()))
        } else {
            Box::new(io::sink())
        };
        let console =
            Console::new(out, &args.again()).listing_unsnapshotted(args.require_snapshots);
        let console = console
            .telling(args.quiet, args.verbose)
            .marking_slow(Duration::from_secs(args.slow.into()));
        Self {
            console,
            kept: KeptRun::begin(project, mode, args.selection.shard, named),
            page: RunPage::default(),
            coverage: CoverageRun::default(),
            flakiness: Flakiness::default(),
            durations: Vec::new(),
            args,
            used,
        }
    }

    /// Adds results as they come.
    pub(super) fn add(
        &mut self,
        part: &SuitePart<RunCollector>,
        models: &mut ModelCache,
    ) -> io::Result<()> {
        if let (Some(used), Some((first, _))) = (&mut self.used, part.results.first()) {
            used.share(&first.place.path, &part.sources);
        }
        for (result, collected) in &part.results {
            if self.args.durations.is_some() {
                self.durations
                    .push((result.elapsed, self.kept.address(result)));
            }
            self.add_to_report(result, collected.as_ref(), models);
            if let Some(plays) = &result.plays {
                self.flakiness.add(&self.kept.address(result), plays);
            }
            if let Some(used) = &mut self.used {
                used.add(result, models);
            }
            if self.args.counts_coverage() {
                let seen = collected
                    .as_ref()
                    .and_then(|collected| collected.coverage.as_ref());
                self.coverage.counted.add(result, seen, models);
            }
            self.console.push(result, &self.kept.address(result))?;
        }
        self.kept.remember(part);
        if part.ends_file {
            self.console.end_file()
        } else {
            Ok(())
        }
    }

    fn add_to_report(
        &mut self,
        result: &ScenarioResult,
        collected: Option<&RunCollector>,
        models: &mut ModelCache,
    ) {
        let is_wanted = !self.args.report.is_empty();
        if !is_wanted && result.verdict().is_well() {
            return;
        }
        self.kept.add(result, collected);
        if let Some(last) = self
            .kept
            .report
            .scenarios
            .last_mut()
            .filter(|_| self.args.durations.is_some())
        {
            last.seconds = Some(result.elapsed.as_secs_f64());
        }
        if is_wanted
            && let Some(model) = &result.model
            && let Some(path) = self.kept.add_model(result, models)
            && let Some(machine) = models.load(&model.path, model.variant())
        {
            self.page
                .add(path, &machine, &|path| self.kept.from_root(path));
        }
    }

    /// Puts those that fell short down to what was edited in their models, where that is known. Only they are played again.
    pub(super) fn put_down(
        &mut self,
        former: &FormerModels,
        runner: &Runner<'_>,
        threads: &Threads,
    ) {
        self.kept.put_down(former, runner, threads);
    }

    /// Tells what all came to, and writes the reports.
    pub(super) fn finish(
        mut self,
        left: &LeftSnapshots,
        is_stopped: bool,
        again: &Replay<'_>,
        context: &mut Context,
    ) -> Result<FinishedRun, Stop> {
        let is_shown = ReportTarget::shows_text(&self.args.report);
        self.kept.end(is_stopped);
        let counts = self.console.finish(&self.kept.report.causes, left)?;
        if is_stopped {
            tell("stopped at the first that is not well; `fsmsim test --failed` goes on\n");
        }
        let mut out: Box<dyn Write> = if is_shown {
            Box::new(results(Escaping::of_text()))
        } else {
            Box::new(io::sink())
        };
        FlakinessReport {
            result: &self.flakiness.result(),
        }
        .write_below_run(&mut out)?;
        if let Some(most) = self.args.durations {
            self.durations
                .sort_by(|(one, _), (other, _)| other.cmp(one));
            for (elapsed, address) in self.durations.iter().take(most) {
                writeln!(
                    out,
                    "{:9.3} s  {}",
                    elapsed.as_secs_f64(),
                    printable(address)
                )?;
            }
        }
        // What coverage finds is in the coverage, and in a shard it is not all that there is.
        let findings = context.take_findings(&|path| self.kept.from_root(path));
        let mut covers = true;
        if self.args.counts_coverage() {
            covers = self
                .coverage
                .finish(&self.args.coverage, again, &mut out, context)?;
        }
        out.flush()?;
        drop(out);
        if !self.args.report.is_empty() {
            let coverage = self
                .args
                .counts_coverage()
                .then(|| self.coverage.counted.report(again.project));
            let report = self.kept.close(left, findings, coverage);
            let sources = self.coverage.counted.sources(again.project);
            let writer = RunWriter {
                report: &report,
                sources: &sources,
                page: &self.page,
            };
            // The text was written while the run went on.
            let write = |kind, out: &mut dyn Write| {
                if kind == ReportKind::Text {
                    Ok(())
                } else {
                    writer.write(kind, out)
                }
            };
            if let Some(finding) = ReportTarget::write_all(&self.args.report, write)? {
                return Err(finding.into());
            }
        }
        Ok(FinishedRun { counts, covers })
    }
}
