//! `fsmsim explore`: searches every dialogue of models.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::explore_accept::{gone, mark, unknown_questions};
use super::explore_args::ExploreArgs;
use super::explore_pair;
use super::lint::model_names;
use super::model_args::ModelArgs;
use super::output::write_file;
use super::search_watch::watched;
use super::session::place_of;
use super::{CommandResult, Context, Exit, Stop};
use fsmsim_core::engine::Machine;
use fsmsim_core::trace::turn_line;
use fsmsim_harness::interactive::{InteractiveDialogue, SavedFormat, say_trigger};
use fsmsim_harness::scenario::ModelKey;
use fsmsim_harness::selection::ChangedSince;
use fsmsim_reports::report::{
    ExplorationReport, ExplorationRun, ReportTarget, ReportedRun, RunReport,
};
use fsmsim_runtime::project::ModelName;
use fsmsim_search::search::{Exploration, SearchFinding, SearchQuestion, explore};
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::terminal::print_message;
use fsmsim_syntax::threads::Threads;

/// A model of a command that takes several.
pub(super) struct LoadedModel {
    /// The model as the user named it.
    pub name: String,
    pub key: ModelKey,
    pub machine: Arc<Machine>,
}

/// Runs the command.
pub(super) fn run(args: &ExploreArgs, context: &mut Context) -> CommandResult {
    if let Some(names) = explore_pair::pair(args, context)? {
        return explore_pair::run(args, names, context);
    }
    let targets = ReportTarget::with_format(&args.report, args.format.report())?;
    let own = context.project.clone();
    let layout = own.artifacts_in(&own.snapshots);
    let from_root = |path: &str| layout.from_root(Path::new(path));
    let accepted = &own.explore.accept;
    context.no_errors(&unknown_questions(accepted))?;
    let models = load(args, context)?;
    let threads = args.jobs.threads()?;
    let began = Instant::now();
    let mut explored = Vec::new();
    for LoadedModel { name, key, machine } in models {
        let mut result = search(args, &machine, &threads, began);
        for finding in &mut result.findings {
            finding.is_required = args.requires(finding);
        }
        let path = layout.from_root(&key.path);
        let is_model = |other: &Path| layout.from_root(other) == path;
        mark(accepted, &mut result.findings, &is_model);
        explored.push(ExplorationReport {
            model: name,
            path: key.path,
            machine,
            result,
        });
    }
    for entry in accepted {
        let path = layout.from_root(&entry.model);
        let of_model = explored.iter();
        let of_model: Vec<&ExplorationReport> = of_model
            .filter(|one| layout.from_root(&one.path) == path)
            .collect();
        if let Some(warning) = gone(entry, &of_model, &path) {
            context.report_one(warning);
        }
    }
    let mut shared = RunReport::new(ReportedRun::Explore, None);
    shared.head.project = own.path_in_repository();
    shared.findings = context.take_findings(&from_root);
    let mut severities = shared.findings.iter().map(|finding| &*finding.severity);
    let has_warnings = severities.any(|severity| severity == "warning");
    let run = ExplorationRun::new(explored, shared, &from_root);
    ReportTarget::write_all::<Stop>(&targets, |kind, out| run.write(kind, out))?;
    if let Some(folder) = &args.save {
        for one in &run.models {
            save(one, folder, run.models.len() > 1, context)?;
        }
    }
    Ok(exit_of(args, &run.models, has_warnings))
}

/// Loads the models of the command. With `--changed`, only those that differ from the revision.
fn load(args: &ExploreArgs, context: &mut Context) -> CommandResult<Vec<LoadedModel>> {
    let changes = args
        .changed
        .as_deref()
        .map(ChangedSince::find)
        .transpose()?;
    let mut models = load_models(&args.models, &args.options, context)?;
    let properties: Vec<&str> = models
        .iter()
        .flat_map(|model| &model.machine.properties)
        .map(|property| &*property.name)
        .collect();
    context.no_errors(&args.unknown_names(&properties))?;
    if let Some(changes) = changes {
        models.retain(|model| changes.has_model(&model.key, &model.machine));
        if models.is_empty() {
            print_unchanged(args.changed.as_deref());
        }
    }
    Ok(models)
}

/// Prints that no model has to be looked at.
pub(super) fn print_unchanged(revision: Option<&str>) {
    let revision = revision.unwrap_or_default();
    print_message(&format!("no model differs from `{revision}`\n"));
}

/// Loads models, or all models of the project if none is named, and reports the findings.
pub(super) fn load_models(
    names: &[String],
    options: &ModelArgs,
    context: &mut Context,
) -> CommandResult<Vec<LoadedModel>> {
    let chosen = context.profile(options.profile.as_deref())?;
    let mut cache = options.models(&context.project);
    let mut models = Vec::new();
    let mut is_broken = false;
    for name in model_names(names, context)? {
        let model = context.read(|_, found| ModelName::parse(&name, found))?;
        let profile = chosen.or(model.profile).or(context.project.profile);
        let key = ModelKey {
            path: model.path,
            variant: profile.unwrap_or_default().into(),
        };
        match context.load_model(&key.path, key.variant.profile, &mut cache) {
            Ok(machine) => models.push(LoadedModel { name, key, machine }),
            // One run reports the errors of all models.
            Err(Stop::Told) => is_broken = true,
            Err(other) => return Err(other),
        }
    }
    if is_broken {
        return Err(Stop::Told);
    }
    Ok(models)
}

/// Searches all dialogues of a model.
fn search(args: &ExploreArgs, machine: &Machine, threads: &Threads, began: Instant) -> Exploration {
    let (settings, bounds) = (machine.settings(), args.bounds());
    let wanted = |name: &str| args.checks(name);
    watched(args.time, began, |watch| {
        explore(machine, settings, &wanted, &bounds, threads, watch)
    })
}

/// Found problems fail; a bound without a problem leaves the result open. With requirements, only their answers count.
fn exit_of(args: &ExploreArgs, explored: &[ExplorationReport], has_warnings: bool) -> Exit {
    let findings = || explored.iter().flat_map(|one| &one.result.findings);
    let is_bounded = explored.iter().any(|one| one.result.bound.is_some());
    Exit::of([
        (
            Exit::Failed,
            findings().any(SearchFinding::fails) || args.deny_warnings && has_warnings,
        ),
        (
            Exit::Unavailable,
            findings().any(SearchFinding::is_open) || args.require.is_empty() && is_bounded,
        ),
    ])
}

/// Saves the dialogues of a model as scenarios. If there are several models, the names of files contain the model.
fn save(
    explored: &ExplorationReport,
    folder: &Path,
    is_one_of_several: bool,
    context: &Context,
) -> CommandResult<()> {
    let place = place_of(&explored.model, &context.project);
    let stem = explored.path.file_stem().filter(|_| is_one_of_several);
    let stem = stem.map(|stem| format!("{}_", stem.to_string_lossy()));
    let stem = stem.unwrap_or_default();
    for (number, finding) in explored.result.findings.iter().enumerate() {
        if let Some(text) = scenario(finding, &explored.machine, &place)? {
            let question = finding.question.name();
            let path = folder.join(format!("{stem}{:02}_{question}.yaml", number + 1));
            std::fs::create_dir_all(folder)
                .map_err(|error| Diagnostic::unwritten(folder, &error))?;
            write_file(&path, &text)?;
            print_message(&format!("saved {}\n", path.display()));
        }
    }
    Ok(())
}

/// The dialogue of a finding as a scenario.
fn scenario(
    finding: &SearchFinding,
    machine: &Arc<Machine>,
    model: &str,
) -> CommandResult<Option<String>> {
    let Some(witness) = finding
        .witness
        .as_ref()
        .filter(|witness| !witness.steps.is_empty())
    else {
        return Ok(None);
    };
    let cannot =
        |why: String| Diagnostic::bad_arguments(format!("cannot save the dialogue: {why}"));
    let mut dialogue = InteractiveDialogue::new(machine, "", false)
        .map_err(cannot)?
        .of_model(model);
    for step in &witness.steps {
        let mut turn = step.turn.clone();
        say_trigger(&mut turn, machine);
        dialogue.play(&turn_line(&turn, machine), turn)?;
    }
    let title = finding.question.problem(&finding.subject);
    let text = dialogue
        .to_scenario(&title, SavedFormat::Yaml)
        .map_err(cannot)?;
    // A scenario fails on a violation that it does not expect. The other problems are not visible in a single turn.
    let is_violation = matches!(
        finding.question,
        SearchQuestion::Property
            | SearchQuestion::ExceededLimit
            | SearchQuestion::ContractViolation
    );
    let is_kept = |line: &&str| !is_violation || !line.starts_with("    expect:");
    Ok(Some(
        text.lines()
            .filter(is_kept)
            .flat_map(|line| [line, "\n"])
            .collect(),
    ))
}
