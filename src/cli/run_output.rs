//! Shows the progress and the results of a scenario run.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Context;
use super::limits::{DEFAULT_SLOW_SECONDS, MAX_NAMED};
use super::progress_line::ProgressLine;
use super::test_args::TestArgs;
use fsmsim_harness::flakiness::Flakiness;
use fsmsim_harness::scenario::{Suite, SuiteCounts};
use fsmsim_harness::suite::{SuiteEnd, SuiteObserver, SuitePart};
use fsmsim_reports::report::{Console, FlakinessReport, ReportTarget, ReportedCause};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::diagnostic::{Code, Diagnostics, Severity, SourceMap, plural};
use fsmsim_syntax::terminal::{Escaping, Joined, print_message, printable, quoted, results};

/// Shows a scenario run on the terminal.
pub(super) struct RunOutput<'a> {
    args: &'a TestArgs,
    pub context: &'a mut Context,
    /// Whether nothing is printed, because another run follows.
    is_silent: bool,
    console: Console<Box<dyn Write>>,
    progress: ProgressLine,
    /// The results that vary between trials.
    flakiness: Flakiness,
    /// The models with warnings.
    warned: BTreeSet<PathBuf>,
    /// The warnings about models, by code, title and location.
    warnings: BTreeSet<(Code, String, String)>,
    /// The durations of scenarios.
    durations: Vec<(Duration, String)>,
    /// The first write error.
    written: io::Result<()>,
}

impl<'a> RunOutput<'a> {
    /// The output of a suite that has not run yet.
    pub(super) fn new(
        args: &'a TestArgs,
        suite: &Suite<'_>,
        context: &'a mut Context,
        is_silent: bool,
    ) -> Self {
        let mut console = Console::new(text_output(args, is_silent), &args.again());
        console.lists_unsnapshotted = args.require_snapshots;
        console.is_quiet = args.quiet;
        console.is_verbose = args.verbose;
        let named = args.options.on(args.named());
        console.named = named.option("since", args.since.as_ref()).text();
        console.folder = context.project.prefix();
        console.slow = Duration::from_secs(args.slow.map_or(DEFAULT_SLOW_SECONDS, u64::from));
        Self {
            args,
            context,
            is_silent,
            console,
            progress: ProgressLine::over(suite.files.count(), "files"),
            flakiness: Flakiness::default(),
            warned: BTreeSet::new(),
            warnings: BTreeSet::new(),
            durations: Vec::new(),
            written: Ok(()),
        }
    }

    /// Ends the progress line, and prints the number of warnings about models. Returns the first write error.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.progress.finish();
        if !self.warnings.is_empty() && !self.is_silent {
            let warnings = plural(self.warnings.len(), "warning");
            let models = plural(self.warned.len(), "model");
            let paths = self.warned.iter();
            let named = paths.map(|path| format!(" {}", quoted(&path.display().to_string())));
            // A command with many names is hard to read. Without names, it checks the complete project.
            let named = if self.warned.len() > MAX_NAMED {
                String::new()
            } else {
                named.joined("")
            };
            print_message(&format!(
                "warning: {warnings} in {models}; `fsmsim lint{named}` shows details\n"
            ));
        }
        std::mem::replace(&mut self.written, Ok(()))
    }

    /// Shows the results. Returns the writer for further results, and the counts.
    pub(super) fn finish(
        mut self,
        causes: &[ReportedCause],
        end: &SuiteEnd,
    ) -> io::Result<(Box<dyn Write>, SuiteCounts)> {
        let counts = self.console.finish(causes, &end.left)?;
        if end.is_stopped {
            let paths = self.args.named().text();
            print_message(&format!(
                "stopped at the first failure; `fsmsim test --failed{paths}` runs the rest\n"
            ));
        }
        let mut out = text_output(self.args, self.is_silent);
        FlakinessReport {
            result: &self.flakiness.result(),
        }
        .write_below_run(&mut out)?;
        self.durations
            .sort_by(|(one, _), (other, _)| other.cmp(one));
        let most = self.args.durations.unwrap_or_default();
        for (elapsed, address) in self.durations.iter().take(most) {
            let seconds = elapsed.as_secs_f64();
            let address = printable(address);
            writeln!(out, "{seconds:9.3} s  {address}")?;
        }
        Ok((out, counts))
    }
}

impl SuiteObserver for RunOutput<'_> {
    fn found(&mut self, found: &Diagnostics, sources: &SourceMap) {
        self.progress.aside(|| self.context.report(found, sources));
    }

    fn found_in_model(&mut self, model: &Path, found: &Diagnostics, sources: &SourceMap) {
        if found.has_errors() {
            return self.found(found, sources);
        }
        self.context.record(found, sources);
        let items = found.items().iter();
        let warnings = items.filter(|item| item.severity == Severity::Warning);
        let known = self.warnings.len();
        self.warnings
            .extend(warnings.map(|item| sources.identity(item)));
        if self.warnings.len() > known {
            self.warned.insert(model.to_path_buf());
        }
    }

    fn finished(&mut self, part: &SuitePart, models: &mut ModelCache) {
        // The updates of this run are already made.
        if self.console.is_unfailed() && !self.args.update_expectations {
            let updates = &mut self.console.updates;
            updates.finished(part, models);
            updates.find();
        }
        for scenario in &part.scenarios {
            if self.args.durations.is_some() {
                let timed = (scenario.result.elapsed, scenario.address.clone());
                self.durations.push(timed);
            }
            if let Some(trials) = &scenario.result.trials {
                self.flakiness.add(&scenario.address, trials);
            }
        }
        let console = &mut self.console;
        let written = self.progress.aside(|| {
            for scenario in &part.scenarios {
                console.push(&scenario.result, &scenario.address)?;
            }
            if part.ends_file {
                console.end_file()?;
            }
            Ok(())
        });
        // Only the first error is kept.
        self.written = std::mem::replace(&mut self.written, Ok(())).and(written);
        if part.ends_file {
            self.progress.step(&self.console.counts());
        }
    }
}

/// The writer for the text of a run; a report can replace the text.
fn text_output(args: &TestArgs, is_silent: bool) -> Box<dyn Write> {
    if !is_silent && ReportTarget::shows_text(&args.report) {
        Box::new(results(Escaping::of_text()))
    } else {
        Box::new(io::sink())
    }
}
