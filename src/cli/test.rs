//! `fsmsim test`: run scenarios.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::context::{Context, in_ci, may_write, profile_of, threads};
use super::coverage::{CoverageArgs, CoverageRun, Replay};
use super::exit::{Exit, Stop};
use super::llm::{RECORD, of_scenarios, tell_usage};
use super::progress_line::ProgressLine;
use crate::coverage::CoverageSet;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::project::ModelCache;
use crate::report::Console;
use crate::scenario::{MOST_PLAYS, Runner, ScenarioFiles, ScenarioFilter, Suite, SuiteCounts, SuitePart};
use crate::snapshot::{LeftSnapshots, Pruning, SnapshotChecker, SnapshotMode};
use crate::terminal::{Escaping, quoted, results, tell};

/// Arguments of `test`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct TestArgs {
    /// Scenario files and folders, and scenarios as `FILE::TITLE`; without any, the folder of the project's scenarios
    paths: Vec<PathBuf>,
    /// Take what the scenarios do now as their snapshots
    #[arg(long, conflicts_with = "check")]
    accept: bool,
    /// Write nothing, as where `CI` is set
    #[arg(long)]
    check: bool,
    /// Remove snapshots of scenarios that are there no more
    #[arg(long, conflicts_with = "check")]
    prune: bool,
    /// List the scenarios that have no snapshot, and fail where there are any
    #[arg(long)]
    require_snapshots: bool,
    /// Only scenarios with this text in their title
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Only scenarios with this tag
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// The profile, whatever the scenarios say
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// Whom to ask: `mock`, as the scenarios say (the default); or, whatever they say, `live`, the models of the project,
    /// `record`, the same and kept in cassettes, `replay`, the cassettes and nobody else, `bank`, the examples of the
    /// model, or `mock:FILE`
    #[arg(long, value_name = "WHO")]
    llm: Option<String>,
    /// How often to play each scenario that asks somebody; `require: 2 of 3` in it says which share must pass
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_PLAYS.into()))]
    repeat: Option<u32>,
    #[command(flatten)]
    coverage: CoverageArgs,
    /// Threads; as many as there are processors, if not said
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

impl TestArgs {
    /// The arguments without which another run would play something else.
    fn again(&self) -> String {
        let option = |name: &str, value: Option<String>| {
            value.map(|value| format!(" --{name} {}", quoted(&value))).unwrap_or_default()
        };
        let config = self.config.as_ref().map(|path| path.display().to_string());
        let llm = self.llm.clone().filter(|llm| llm != RECORD);
        [option("profile", self.profile.clone()), option("config", config), option("llm", llm)].concat()
    }

    /// Whether all scenarios of the project are wanted.
    fn is_whole(&self) -> bool {
        self.paths.is_empty() && self.filter.is_empty() && self.tag.is_empty()
    }
}

/// Runs the command.
pub(super) fn run(args: &TestArgs, context: &mut Context) -> Result<Exit, Stop> {
    if args.accept {
        may_write("snapshots are not accepted", "accept them")?;
    }
    if args.prune {
        may_write("snapshots are not removed", "remove them")?;
    }
    if args.check && args.llm.as_deref() == Some(RECORD) {
        let finding = Diagnostic::error(Code::BadArguments, "`--check` writes nothing, and `--llm record` does");
        return Err(finding.help("leave one of the two out").into());
    }
    let project = context.project.clone();
    let mode = match args {
        TestArgs { accept: true, .. } => SnapshotMode::Accept,
        TestArgs { check, .. } if *check || in_ci() => SnapshotMode::Check,
        _ => SnapshotMode::Propose,
    };
    let mut diagnostics = Diagnostics::default();
    let profile = profile_of(args.profile.as_deref(), &mut diagnostics);
    let snapshots = SnapshotChecker::new(&project, mode, &mut diagnostics);
    let paths = if args.paths.is_empty() { vec![project.scenarios.clone()] } else { args.paths.clone() };
    let files = ScenarioFiles::under(&paths, &mut diagnostics);
    context.usable(Some(()), &diagnostics, &SourceMap::default())?;
    let threads = threads(args.jobs)?;
    let mut coverage = CoverageRun::begin(&args.coverage, context)?;
    let mut models = ModelCache::new(&context.project, args.config.clone());
    let answerers = of_scenarios(args.llm.as_deref(), &mut models, context)?;
    let models = Mutex::new(models);
    let filter =
        ScenarioFilter { titles: args.filter.clone(), tags: args.tag.clone(), addresses: files.titles.clone() };
    let suite = Suite {
        runner: Runner { project: &project, models: &models, profile, answerers: answerers.clone() },
        filter,
        repeat: args.repeat,
        snapshots,
        watches: args.coverage.is_wanted(),
    };
    let console = Console::new(results(Escaping::of_text()), &args.again());
    let mut console = console.listing_unsnapshotted(args.require_snapshots);
    let (named, count) = (files.named.clone(), files.files.len() + files.unusable.len());
    let progress = ProgressLine::new(count);
    let mut written = Ok(());
    let ledger = suite.run(&threads, files, &mut |part: SuitePart<CoverageSet>| {
        progress.aside(|| {
            for (result, seen) in part.results {
                let mut models = models.lock().unwrap_or_else(PoisonError::into_inner);
                context.report_loaded(&mut models, &result.model, &result.mock);
                if args.coverage.is_wanted() {
                    coverage.add(&result, seen.as_ref(), &mut models);
                }
                drop(models);
                context.report(&result.found, &part.sources);
                if written.is_ok() {
                    written = console.push(&result);
                }
            }
            if written.is_ok() && part.ends_file {
                written = console.end_file();
            }
        });
        if part.ends_file {
            progress.step(&console.counts());
        }
    });
    progress.finish();
    written?;
    let pruning = if args.prune { Pruning::Orphans } else { Pruning::None };
    let mut left = LeftSnapshots::find(&suite.snapshots, ledger, &named, pruning);
    if mode != SnapshotMode::Check {
        // They wait for whoever works here.
        left.pending.clear();
    }
    context.report(&left.found, &SourceMap::default());
    let counts = console.finish(&left)?;
    tell_hints(args, mode, &left, &counts);
    tell_usage(answerers.as_ref());
    let mut covers = true;
    if args.coverage.is_wanted() {
        if args.is_whole() {
            let mut models = models.lock().unwrap_or_else(PoisonError::into_inner);
            coverage.add_untested(&project, profile, &mut models, context);
        }
        let config = args.config.as_deref();
        let again = Replay { project: &project, profile, config, threads: &threads };
        covers = coverage.finish(&args.coverage, &again, context)?;
    }
    if counts.is_empty() {
        return Err(nothing_found(&paths));
    }
    let is_short = !covers || (args.require_snapshots && counts.lacking > 0);
    Ok(Exit::of([
        (Exit::Unusable, counts.unusable > 0 || left.found.has_errors()),
        (Exit::Failed, counts.has_failures() || is_short || (mode == SnapshotMode::Check && left.needs_somebody())),
        (Exit::Unavailable, counts.unavailable > 0),
    ]))
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
    let paths: Vec<String> = args.paths.iter().map(|path| quoted(&path.display().to_string())).collect();
    let paths = paths.iter().flat_map(|path| [" ", path]).collect::<String>();
    let again = args.again();
    if counts.former > 0 && mode == SnapshotMode::Propose {
        tell(&format!("`fsmsim test --accept{paths}{again}` writes snapshots of an earlier version anew\n"));
    }
    for successor in left.orphans.iter().filter_map(|orphan| orphan.successor.as_ref()) {
        let title = quoted(&successor.title);
        tell(&format!("`fsmsim test --accept{paths} --filter {title}{again}` takes the snapshot along\n"));
    }
    if left.orphans.iter().any(|orphan| orphan.successor.is_none()) {
        tell(&format!("`fsmsim test --prune{paths}` removes orphaned snapshots\n"));
    }
}
