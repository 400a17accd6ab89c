//! `fsmsim mutate`: changes models, and reports the changes that no scenario notices.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::explore::{LoadedModel, load_models, print_unchanged};
use super::help;
use super::jobs_args::{JobsArgs, threads};
use super::model_args::ModelArgs;
use super::output::{report_help, save_scenario};
use super::progress_line::ProgressLine;
use super::session::place_of;
use super::{CommandResult, Context, Exit, Stop, refuse, refuse_as};
use fsmsim_harness::coverage::parse_percent;
use fsmsim_harness::limits::MAX_MUTANT_STATES;
use fsmsim_harness::mutate::{
    MutantResult, MutatedModel, MutationCache, MutationInput, MutationRun, MutationSuite,
};
use fsmsim_harness::scenario::{Runner, ScenarioFiles};
use fsmsim_harness::selection::ChangedSince;
use fsmsim_harness::snapshot::{SnapshotChecker, SnapshotMode};
use fsmsim_reports::report::{MutationReport, ReportTarget, ReportedRun, RunReport};
use fsmsim_syntax::diagnostic::{Code, Diagnostics};
use fsmsim_syntax::files::safe_stem;
use fsmsim_syntax::terminal::print_message;
use fsmsim_syntax::threads::{Mutex, Shard};

/// Arguments of `mutate`.
#[derive(Debug, Args)]
pub(super) struct MutateArgs {
    #[arg(value_name = "MODEL", required_unless_present = "changed", help = format!("{}; other directories stand for all models below them", help::MODEL))]
    models: Vec<String>,
    /// Run these scenarios [default: the scenarios of the project]
    #[arg(long, value_name = "PATH")]
    scenarios: Vec<PathBuf>,
    /// Change only lines that differ from this revision
    #[arg(long, value_name = "REV")]
    changed: Option<String>,
    #[arg(long, value_name = "NUMBER/OF", help = help::SHARD)]
    shard: Option<Shard>,
    /// Fail if scenarios notice fewer of the changes, for example `90%`
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    require: Option<u32>,
    /// Let only expectations notice changes, not snapshots
    #[arg(long)]
    no_snapshots: bool,
    /// Visit at most N states
    #[arg(long, value_name = "N", default_value_t = MAX_MUTANT_STATES)]
    states: usize,
    #[arg(long, value_name = "KIND[=FILE]", help = report_help(&MutationReport::KINDS), value_parser = |text: &str| ReportTarget::parse(text, &MutationReport::KINDS))]
    report: Vec<ReportTarget>,
    /// Save each scenario that notices another change in DIR
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    #[command(flatten)]
    options: ModelArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// Runs the command.
pub(super) fn run(args: &MutateArgs, context: &mut Context) -> CommandResult {
    let targets = ReportTarget::with_format(&args.report, None)?;
    let project = context.project.clone();
    let layout = project.artifacts_in(&project.snapshots);
    let from_root = |path: &str| layout.from_root(Path::new(path));
    let inputs = inputs(args, context)?;
    if inputs.is_empty() {
        print_unchanged(args.changed.as_deref());
        return Ok(Exit::Ok);
    }
    let mut found = Diagnostics::default();
    let profile = args.options.profile(&mut found);
    let files = ScenarioFiles::of(&project, &args.scenarios, &mut found);
    context.no_errors(&found)?;
    let models = Mutex::new(args.options.models(&project));
    let runner = Runner {
        profile,
        ..Runner::new(&project, &models)
    };
    let snapshots = SnapshotChecker::new(&project, SnapshotMode::Check);
    let (several, alone) = (args.jobs.threads()?, threads(Some(1))?);
    let paths: Vec<&Path> = inputs.iter().map(|input| &*input.key.path).collect();
    let suite = MutationSuite::load(runner, snapshots, &files, &paths, &several);
    if suite.is_empty() {
        return refuse_as(
            Code::NoScenario,
            "no scenario of the models passes",
            "add scenarios, for example with `fsmsim generate MODEL`, or fix those that fail in `fsmsim test`",
        );
    }
    let cache = MutationCache::of(&project.root);
    let mut run = MutationRun {
        suite: &suite,
        cache: &cache,
        config: args.options.config.clone(),
        states: args.states,
        with_snapshots: !args.no_snapshots,
        shard: args.shard,
        threads: &several,
        alone: &alone,
        canceled: None,
        each: &|| {},
    };
    let wanted: Vec<Vec<MutantResult>> = inputs.iter().map(|input| run.wanted(input)).collect();
    let count: usize = wanted.iter().map(Vec::len).sum();
    if count == 0 {
        if args.changed.is_some() || args.shard.is_some() {
            print_message("no change is possible in the selected lines\n");
            return Ok(Exit::Ok);
        }
        return refuse(
            "no change of the models is possible",
            "name models with states, rules or conditions in YAML or Markdown",
        );
    }
    let line = ProgressLine::over(count, "mutants");
    let advance = || line.advance();
    run.each = &advance;
    let mutated = inputs.iter().zip(wanted);
    let mutated: Vec<MutatedModel> = mutated
        .map(|(input, wanted)| run.mutate(input, wanted))
        .collect();
    line.finish();
    // Without the stored results, the next run is only slower.
    let _ = cache.save();
    let mut shared = RunReport::new(ReportedRun::Mutate, args.shard);
    shared.head.project = project.path_in_repository();
    shared.findings = context.take_findings(&from_root);
    let report = MutationReport::new(&mutated, shared, &from_root);
    ReportTarget::write_all::<Stop>(&targets, |kind, out| report.write(kind, out))?;
    if let Some(folder) = &args.save {
        for model in &mutated {
            save(model, folder, &from_root)?;
        }
    }
    let score = report.counts().score();
    let required = args.require.unwrap_or(0);
    if score.reaches(required) {
        return Ok(Exit::Ok);
    }
    let percent = score.percent();
    print_message(&format!("score {percent}%, required {required}%\n"));
    Ok(Exit::Failed)
}

/// The models to change, and their changed lines if only those are wanted.
fn inputs(args: &MutateArgs, context: &mut Context) -> CommandResult<Vec<MutationInput>> {
    let changes = args.changed.as_deref().map(ChangedSince::find);
    let changes = changes.transpose()?;
    let mut inputs = Vec::new();
    for LoadedModel { name, key, machine } in load_models(&args.models, &args.options, context)? {
        let lines = match &changes {
            Some(changes) if !changes.has_model(&key, &machine) => continue,
            Some(changes) => changes.lines(&key, &machine),
            None => None,
        };
        inputs.push(MutationInput {
            place: place_of(&name, &context.project),
            name,
            key,
            machine,
            lines,
        });
    }
    Ok(inputs)
}

/// Saves the proposed scenarios of a model. A scenario can kill several mutants.
fn save(
    model: &MutatedModel,
    folder: &Path,
    from_root: &dyn Fn(&str) -> String,
) -> CommandResult<()> {
    let mut kills: BTreeMap<&str, Vec<&MutantResult>> = BTreeMap::new();
    for result in &model.mutants {
        if let Some(scenario) = &result.scenario {
            kills.entry(scenario).or_default().push(result);
        }
    }
    for (scenario, mutants) in kills {
        let mut text = "# It expects the current behavior, and notices these changes:\n".to_owned();
        for result in mutants {
            let file = from_root(&result.file());
            let ((line, _), _) = result.place;
            let _ = writeln!(text, "#   {file}:{line}: {}", result.change());
        }
        text.push_str(scenario);
        let title = scenario.lines().next().unwrap_or_default();
        let stem = safe_stem(title.trim_start_matches("scenario:"), "mutant");
        save_scenario(folder, &stem, &text)?;
    }
    Ok(())
}
