//! `fsmsim run`: runs a dialogue interactively.

use std::io::IsTerminal;
use std::path::Path;

use super::llm::print_usage;
use super::mapped_log::MappedLog;
use super::open_dialogue::{OpenedDialogue, open_dialogue};
use super::run_args::RunArgs;
use super::{CommandResult, Context, Exit, Stop, refuse, refuse_as};
use crate::repl::{Repl, ReplFormat, run_loop};
use fsmsim_harness::interactive::ScenarioLookup;
use fsmsim_runtime::project::{Project, default_models};
use fsmsim_syntax::diagnostic::{Code, Diagnostics, SourceMap};

/// The arguments, completed with the start of the `--from` scenario.
fn from_scenario(args: &RunArgs, shelf: &ScenarioLookup) -> CommandResult<RunArgs> {
    let mut args = args.clone();
    if let Some(from) = &args.from {
        let begun = shelf.beginning(from).map_err(Stop::rendered)?;
        if args.model.is_empty() {
            args.model = begun.model;
        }
        args.start = begun.start;
        args.permissive |= begun.with_stubs;
    }
    Ok(args)
}

/// Converts the log of `--from`, and returns its trace.
fn from_log(args: &mut RunArgs, context: &mut Context) -> CommandResult<Option<MappedLog>> {
    let Some(from) = args.from.as_mut().filter(|_| args.log.map.is_some()) else {
        return Ok(None);
    };
    if args.model.is_empty() {
        args.model = model_of(&context.project)?;
    }
    let (path, title) = from.split_at(from.find("::").unwrap_or(from.len()));
    // The converted trace is in another directory.
    let model = std::path::absolute(&args.model)?;
    let model = model.to_str();
    let log = args.log.convert(Path::new(path), model, context)?;
    *from = format!("{}{title}", log.path.display());
    Ok(Some(log))
}

/// The default model: the model in `fsmsim.toml`, otherwise the only model of the project.
fn model_of(project: &Project) -> CommandResult<String> {
    let models = default_models(project, &mut Diagnostics::default());
    match models.as_slice() {
        [only] => Ok(only.clone()),
        [] => refuse_as(
            Code::MissingSetup,
            "missing MODEL: this project has no model",
            "create one with `fsmsim init .`",
        ),
        [first, ..] => refuse(
            format!("missing MODEL: this project has {} models", models.len()),
            format!("name one, for example `fsmsim run {first}`, or set `model` in fsmsim.toml"),
        ),
    }
}

/// Runs the command.
pub(super) fn run(args: &RunArgs, context: &mut Context) -> CommandResult {
    let shelf = ScenarioLookup::of(&context.project, args.options.config.clone());
    let mut args = args.clone();
    let log = from_log(&mut args, context)?;
    let mut args = from_scenario(&args, &shelf)?;
    if args.model.is_empty() {
        args.model = model_of(&context.project)?;
    }
    let args = &args;
    let is_typed = args.format == ReplFormat::Text && std::io::stdin().is_terminal();
    let OpenedDialogue {
        interactive,
        answerers,
    } = open_dialogue(args, is_typed, context)?;
    let machine = interactive.dialogue().machine();
    let loaded = args
        .from
        .as_ref()
        .map(|from| shelf.load(from, machine))
        .transpose()
        .map_err(Stop::rendered)?;
    let loaded = loaded.map(|mut loaded| {
        if let Some(log) = &log {
            let path = log.path.display().to_string();
            loaded.address = loaded.address.replace(&path, &log.name);
        }
        loaded
    });
    let interactive =
        interactive.loading(Box::new(move |wanted, machine| shelf.load(wanted, machine)));
    let mut repl = Repl::over(interactive);
    if let Some(loaded) = loaded {
        repl = repl.beginning_with(loaded);
    }
    let understood = run_loop(&mut repl, args.format)?;
    let mut diagnostics = Diagnostics::default();
    repl.finish(&mut diagnostics);
    context.report(&diagnostics, &SourceMap::default());
    print_usage(answerers.as_ref());
    Ok(Exit::of([
        (Exit::Unusable, !understood || diagnostics.has_errors()),
        // The cassette has no answer.
        (Exit::Unavailable, !diagnostics.is_empty()),
    ]))
}
