//! `fsmsim prompt`: prints a prompt without sending it.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::help;
use super::llm::prompts;
use super::model_args::OneModelArgs;
use super::output::TextOrJson;
use super::simulate::persona_folder;
use super::{CommandResult, Context, Exit, Stop, refuse};
use fsmsim_adapters::llm::TaskKind;
use fsmsim_core::engine::Machine;
use fsmsim_harness::interactive::{PreviewedPrompt, PromptPreview, ScenarioLookup};
use fsmsim_reports::report::write_prompt;
use fsmsim_runtime::script::{KnownNames, read_values};
use fsmsim_runtime::simulate::Persona;
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::document::parse_yaml;
use fsmsim_syntax::shapes::NamedKind;
use fsmsim_syntax::terminal::results;

/// Arguments of `prompt`.
#[derive(Debug, Args)]
pub(super) struct PromptArgs {
    /// User message
    #[arg(long, value_name = "TEXT")]
    say: Option<String>,
    /// State of the dialogue [default: its current state]
    #[arg(long, value_name = "NAME")]
    state: Option<String>,
    /// Kind of request: classify, navigate, assess, phrase, decide, work or `play_user` [default: the first request of
    /// the turn]
    #[arg(long, value_name = "NEED")]
    need: Option<String>,
    /// Add slot values, for example `{company_size: 50}`
    #[arg(long, value_name = "YAML")]
    data: Option<String>,
    #[arg(long, value_name = "YAML", help = help::START, default_value = "", conflicts_with = "from")]
    start: String,
    #[arg(long, value_name = "SCENARIO[@TURN]", help = help::FROM)]
    from: Option<String>,
    /// Persona of the user, for `play_user`
    #[arg(long, value_name = "NAME|all")]
    persona: Option<String>,
    #[arg(long, value_name = "DIR", help = help::PERSONAS)]
    personas: Option<PathBuf>,
    #[command(flatten)]
    model: OneModelArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
}

/// Runs the command.
pub(super) fn run(args: &PromptArgs, context: &mut Context) -> CommandResult {
    let shown = preview(args, context)?;
    let mut out = results(args.format.escaping());
    match args.format {
        TextOrJson::Text => write_prompt(&shown, &mut out)?,
        TextOrJson::Json => writeln!(out, "{:#}", shown.to_json())?,
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// The prompt that a turn would send.
fn preview(args: &PromptArgs, context: &mut Context) -> CommandResult<PreviewedPrompt> {
    let need = args.need.as_deref().map(need_of).transpose()?;
    let (machine, _) = args.model.load(context)?;
    let templates = prompts(context)?;
    let shelf = ScenarioLookup::of(&context.project, args.model.options.config.clone());
    let loaded = args
        .from
        .as_ref()
        .map(|from| shelf.load(from, &machine))
        .transpose()
        .map_err(Stop::rendered)?;
    let mut preview = PromptPreview::new(&machine, &args.start, loaded).map_err(Stop::rendered)?;
    if let Some(name) = &args.state {
        let Some(state) = machine.state_id(name) else {
            let states = machine.declared_names();
            return Err(Diagnostic::unknown_argument("state", name)
                .offer(name, "states", states)
                .into());
        };
        preview.put_at(state);
    }
    if let Some(data) = &args.data {
        let names = KnownNames::new(&machine, None);
        preview.make_known(context.read(|sources, found| {
            let node = parse_yaml(sources.add("data", data.as_str()), data, 0, found)?;
            names.check_keys(NamedKind::Slot, &node, found);
            Some(read_values(&node, &machine, Some(&names), found))
        })?);
    }
    let say = args.say.as_deref();
    let need = need.unwrap_or_else(|| preview.first_need(say.is_some()));
    if need == TaskKind::PlayUser {
        let persona = persona(args, context)?;
        let preview = preview.of_user(say, &templates, persona.task(&[]));
        return preview.map_err(|failure| failure.finding().into());
    }
    let preview = preview
        .prompt(need, say, &templates)
        .map_err(|failure| failure.finding())?;
    preview.ok_or_else(|| asks_nothing(need, &machine).into())
}

/// The request with this name.
fn need_of(name: &str) -> CommandResult<TaskKind> {
    TaskKind::from_name(name).ok_or_else(|| {
        let needs = TaskKind::ALL.iter().map(|kind| kind.name());
        Diagnostic::unknown_argument("need", name)
            .offer(name, "needs", needs)
            .into()
    })
}

fn asks_nothing(need: TaskKind, machine: &Machine) -> Diagnostic {
    let help = match need {
        TaskKind::Navigate => "use a state set",
        TaskKind::Assess => "use an interview",
        TaskKind::Work => "use an agent cycle, and name a node with `--state`",
        TaskKind::Phrase => "name a state with a reply: `--state NAME`",
        TaskKind::Judge => "write a rubric in a scenario: `expect: {replies: {judge: TEXT}}`",
        _ => "use a model with intents",
    };
    Diagnostic::bad_arguments(format!(
        "`{}` sends no `{}` request in this state",
        machine.header.source,
        need.name()
    ))
    .help(help)
}

/// The persona of the simulated user.
fn persona(args: &PromptArgs, context: &mut Context) -> CommandResult<Persona> {
    let Some(name) = &args.persona else {
        return refuse(
            "missing `--persona` for `--need play_user`",
            "name a persona with `--persona NAME`, and its directory with `--personas DIR`",
        );
    };
    let project = context.project.clone();
    let personas = context.read(|sources, found| {
        let folder = persona_folder(args.personas.as_deref(), &project, found)?;
        folder.select(std::slice::from_ref(name), sources, found)
    })?;
    personas.into_iter().next().ok_or(Stop::Told)
}
