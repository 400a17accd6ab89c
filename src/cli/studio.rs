//! `fsmsim studio`: opens the studio in a browser.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::help;
use super::jobs_args::threads;
use super::llm::AnswererFinder;
use super::model_args::ModelArgs;
use super::open_dialogue::open_dialogue;
use super::run_args::RunArgs;
use super::twin::TwinArgs;
use super::{CommandResult, Context, Exit, Stop, in_ci};
use fsmsim_core::machine::Profile;
use fsmsim_runtime::project::{ModelCache, ModelName, default_models};
use fsmsim_server::studio::{
    BrowserFile, DialogueOpener, EmptyProject, Studio, StudioDesk, StudioSettings, StudioState,
};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, render};
use fsmsim_syntax::terminal::{Escaping, Joined, print_message, results};

/// Arguments of `studio`.
#[derive(Clone, Debug, Args)]
pub(super) struct StudioArgs {
    #[arg(help = format!("{} [default: `model` in `fsmsim.toml`, or the first model of the project]", help::MODEL))]
    model: Option<String>,
    /// Listen on this port of the loopback interface; 0 selects a free port
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Print the address without opening a browser
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    options: ModelArgs,
    #[arg(long, value_name = "NAME", help = help::SESSION)]
    session: Option<String>,
    #[command(flatten)]
    twins: TwinArgs,
    #[arg(long, value_name = "PROVIDER", help = help::LLM, long_help = help::LLM_OF_SERVERS)]
    llm: Option<String>,
}

/// Runs the command.
pub(super) fn run(args: &StudioArgs, context: &mut Context) -> CommandResult {
    let desk = match open_studio(args, context)? {
        Some(bench) => StudioDesk::from(bench),
        None => StudioDesk::from(empty_project(args, context)),
    };
    let studio = Studio::open(args.port, desk)?;
    let address = studio.address();
    let mut out = results(Escaping::of_text());
    writeln!(out, "{address}")?;
    out.flush()?;
    drop(out);
    // The file exists while the studio is open.
    let file = if args.no_open { None } else { shown(&address) };
    studio.run()?;
    drop(file);
    Ok(Exit::Ok)
}

/// Opens a dialogue on the model of the project; `None` if the project has no model.
fn open_studio(args: &StudioArgs, context: &mut Context) -> CommandResult<Option<StudioState>> {
    let mut models = args.options.models(&context.project);
    let Some((path, profile)) = model(args, &mut models, context)? else {
        return Ok(None);
    };
    let help = "use `--llm mock:FILE`, `examples`, `live` or `provider:NAME`";
    let mut finder = AnswererFinder::new(&mut models, context);
    let asked = args.llm.clone().map(|who| {
        let answerers = finder.listed(&who, help)?;
        CommandResult::Ok((who, answerers))
    });
    let asked = asked.transpose()?;
    let settings = StudioSettings {
        project: context.project.clone(),
        config: args.options.config.clone(),
        asked,
        is_ci: in_ci(),
    };
    let opener = opener(args, context);
    let bench = StudioState::new(settings, &path, profile, opener, threads(None)?);
    bench.map(Some).map_err(Stop::rendered)
}

/// The project as long as it has no model. Each request reloads the project.
fn empty_project(args: &StudioArgs, context: &Context) -> EmptyProject {
    let args = args.clone();
    let mut context = context.clone();
    EmptyProject {
        folder: PathBuf::from("."),
        is_ci: in_ci(),
        opener: Box::new(move || {
            context.restart();
            let opened = open_studio(&args, &mut context);
            // A user of the page does not see the terminal.
            let findings = context.take_findings(&str::to_owned);
            opened.map_err(|stop| match &*findings {
                [] => in_page(stop),
                findings => findings.iter().map(ToString::to_string).joined("\n"),
            })
        }),
    }
}

/// The error for the page.
fn in_page(stop: Stop) -> String {
    match stop {
        Stop::Finding(finding) => render(&Diagnostics::of(*finding), &SourceMap::default(), false)
            .trim_end()
            .to_owned(),
        _ => "cannot start a dialogue; the terminal shows the reason".to_owned(),
    }
}

/// Opens the page in the browser through a redirect file.
fn shown(address: &str) -> Option<BrowserFile> {
    let opened = BrowserFile::leading_to(address).and_then(|file| file.open().map(|()| file));
    if let Err(error) = &opened {
        print_message(&format!(
            "note: cannot open a browser: {error}; open the address yourself\n"
        ));
    }
    opened.ok()
}

/// Starts dialogues, each with a new session name, as at a terminal.
fn opener(args: &StudioArgs, context: &Context) -> DialogueOpener {
    let mut context = context.clone();
    let config = args.options.config.clone();
    let mut session = args.session.clone();
    let mut first = None;
    let mut twins = args.twins.clone();
    Box::new(move |model, profile| {
        // The user data belongs to the first model, so dialogues on other models do not use it.
        let is_first = first.get_or_insert_with(|| model.to_path_buf()) == model;
        let model = format!("{}@{}", model.display(), profile.name());
        // Only the first dialogue uses the given session name. Later dialogues get new names.
        let args = RunArgs {
            twins: TwinArgs {
                twin: twins.twin.clone().filter(|_| is_first),
                twin_from: twins.twin_from.take(),
            },
            ..RunArgs::of_model(model, session.take(), config.clone())
        };
        let opened = open_dialogue(&args, true, &mut context);
        opened.map(|opened| opened.interactive).map_err(in_page)
    })
}

/// The initial model: the named one, otherwise the first valid one; `None` if the project has no model.
fn model(
    args: &StudioArgs,
    models: &mut ModelCache,
    context: &mut Context,
) -> CommandResult<Option<(PathBuf, Profile)>> {
    let mut found = Diagnostics::default();
    let wanted = args.options.profile(&mut found);
    let names = match &args.model {
        Some(model) => vec![model.clone()],
        None => default_models(&context.project, &mut found),
    };
    let parse = |name: &String| ModelName::parse(name, &mut found);
    let candidates: Vec<ModelName> = names.iter().filter_map(parse).collect();
    context.no_errors(&found)?;
    let profile = |name: &ModelName| {
        wanted
            .or(name.profile)
            .or(context.project.profile)
            .unwrap_or_default()
    };
    let Some(first) = candidates
        .iter()
        .find(|name| models.load(&name.path, profile(name)).is_some())
        .or(candidates.first())
    else {
        return Ok(None);
    };
    let chosen = (first.path.clone(), profile(first));
    context.load_model(&chosen.0, chosen.1, models)?;
    Ok(Some(chosen))
}
