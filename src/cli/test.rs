//! `fsmsim test`: run scenarios.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::context::{Context, in_ci, may_write, profile_of, threads};
use super::exit::{Exit, Stop};
use super::llm::{RECORD, of_scenarios, tell_usage};
use super::progress_line::ProgressLine;
use crate::coverage::{CoverageRequirement, CoverageSet, ModelCoverage};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::machine::Profile;
use crate::project::{ModelCache, Project, models_beside};
use crate::report::{Console, write_coverage};
use crate::scenario::{
    CaseFindings, MOST_PLAYS, Runner, ScenarioFiles, ScenarioFilter, ScenarioVerdict, Suite, SuiteCounts, SuitePart,
};
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
    /// Count at the end to which states and classes of transitions the scenarios came
    #[arg(long)]
    coverage: bool,
    /// What share has to be covered: `classes=100%`, `states=80%`
    #[arg(long, value_name = "KIND=PERCENT", requires = "coverage")]
    require: Vec<CoverageRequirement>,
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
    };
    let console = Console::new(results(Escaping::of_text()), &args.again());
    let mut console = console.listing_unsnapshotted(args.require_snapshots);
    let mut coverage: BTreeMap<PathBuf, ModelCoverage> = BTreeMap::new();
    let (named, count) = (files.named.clone(), files.files.len() + files.unusable.len());
    let progress = ProgressLine::new(count);
    let (mut written, mut cases) = (Ok(()), CaseFindings::default());
    let ledger = suite.run(&threads, files, &mut |part: SuitePart<CoverageSet>| {
        progress.aside(|| {
            for (result, seen) in part.results {
                let mut models = models.lock().unwrap_or_else(PoisonError::into_inner);
                context.report_loaded(&mut models, &result.model, &result.mock);
                if let (true, Some(model)) = (args.coverage, &result.model)
                    && let Some(machine) = models.load(&model.path, model.variant())
                {
                    let counted = coverage.entry(model.path.clone()).or_insert_with(|| ModelCoverage::new(machine));
                    // What a failed scenario came to is not tested.
                    if let Some(seen) = seen.filter(|_| result.verdict() == ScenarioVerdict::Passed) {
                        counted.add(&seen);
                    }
                }
                drop(models);
                context.report(&cases.of(&result, &part.sources), &part.sources);
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
    if args.coverage {
        if args.is_whole() {
            let mut models = models.lock().unwrap_or_else(PoisonError::into_inner);
            add_untested(&mut coverage, &project, profile, &mut models, context);
        }
        let mut out = results(Escaping::of_text());
        covers = write_coverage(&coverage, &args.require, &mut out)?;
        out.flush()?;
        for model in coverage.values() {
            context.report(&model.findings(), &model.machine().files);
        }
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

/// Adds the models of the project that no scenario names, with nothing covered.
fn add_untested(
    coverage: &mut BTreeMap<PathBuf, ModelCoverage>,
    project: &Project,
    profile: Option<Profile>,
    models: &mut ModelCache,
    context: &mut Context,
) {
    let profile = profile.or(project.profile).unwrap_or_default();
    for path in models_beside(coverage.keys().map(PathBuf::as_path)) {
        let machine = models.load(&path, profile);
        context.report_model(models, &path, profile);
        if let Some(machine) = machine {
            coverage.insert(path, ModelCoverage::new(machine));
        }
    }
}
