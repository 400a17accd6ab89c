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
use crate::project::ModelCache;
use crate::report::{Console, write_coverage};
use crate::scenario::{MOST_PLAYS, Runner, ScenarioFilter, Suite, SuitePart, scenario_files};
use crate::snapshot::{SnapshotChecker, SnapshotMode};
use crate::terminal::{Escaping, results};

/// Arguments of `test`.
#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// Scenario files and folders; without any, the folder of the project's scenarios
    paths: Vec<PathBuf>,
    /// Take what the scenarios do now as their snapshots
    #[arg(long, conflicts_with = "check")]
    accept: bool,
    /// Write nothing, as where `CI` is set
    #[arg(long)]
    check: bool,
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

/// Runs the command.
pub(super) fn run(args: &TestArgs, context: &mut Context) -> Result<Exit, Stop> {
    if args.accept {
        may_write("snapshots are not accepted", "accept them")?;
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
    let files = scenario_files(&paths, &mut diagnostics);
    context.usable(Some(()), &diagnostics, &SourceMap::default())?;
    let threads = threads(args.jobs)?;
    let mut models = ModelCache::new(&context.project, args.config.clone());
    let answerers = of_scenarios(args.llm.as_deref(), &mut models, context)?;
    let models = Mutex::new(models);
    let suite = Suite {
        runner: Runner { project: &project, models: &models, profile, answerers: answerers.clone() },
        filter: ScenarioFilter { titles: args.filter.clone(), tags: args.tag.clone() },
        repeat: args.repeat,
        snapshots,
    };
    let mut console = Console::new(results(Escaping::of_text()));
    let mut coverage: BTreeMap<PathBuf, ModelCoverage> = BTreeMap::new();
    let mut sources = SourceMap::default();
    let progress = ProgressLine::new(files.len());
    let mut written = Ok(());
    suite.run(&threads, &files, &mut diagnostics, &mut sources, &mut |part: SuitePart<CoverageSet>| {
        progress.aside(|| {
            for (result, seen) in part.results {
                let mut models = models.lock().unwrap_or_else(PoisonError::into_inner);
                context.report_loaded(&models, &result.model, &result.mock);
                if let (true, Some(model), Some(seen)) = (args.coverage, &result.model, seen)
                    && let Some(machine) = models.load(&model.path, model.variant())
                {
                    coverage.entry(model.path.clone()).or_insert_with(|| ModelCoverage::new(machine)).add(&seen);
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
    context.report(&diagnostics, &sources);
    written?;
    let counts = console.finish()?;
    tell_usage(answerers.as_ref());
    let mut covers = true;
    if args.coverage {
        let mut out = results(Escaping::of_text());
        covers = write_coverage(&coverage, &args.require, &mut out)?;
        out.flush()?;
        for model in coverage.values() {
            context.report(&model.findings(), &model.machine().files);
        }
    }
    if counts.is_empty() && !diagnostics.has_errors() {
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let finding = Diagnostic::error(Code::NoScenario, "no scenario was found").about(shown.join(", "));
        let help = "a run that tests nothing is not a pass: check the paths and the filters";
        return Err(finding.help(help).into());
    }
    Ok(Exit::of([
        (Exit::Unusable, counts.unusable > 0 || diagnostics.has_errors()),
        (Exit::Failed, counts.failed > 0 || !covers),
        (Exit::Unavailable, counts.unavailable > 0),
    ]))
}
