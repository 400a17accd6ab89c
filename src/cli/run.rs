//! `fsmsim run`: play a dialogue by hand.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::context::Context;
use super::exit::{Exit, Stop};
use super::llm::{DIALOGUE, RECORD, of_repl, tell_usage};
use super::memory::LastingMemory;
use super::run_from::ScenarioShelf;
use super::session::{SessionSlot, place_of};
use super::twin::persistent_twin;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, render};
use crate::llm::{CassettePath, DialogueKey};
use crate::machine::Profile;
use crate::project::{ModelCache, ModelName, Project};
use crate::repl::{ModelReader, Repl, ReplFormat, run_loop};
use crate::script::AcceptedInputs;

/// Arguments of `run`.
#[derive(Clone, Debug, Args)]
pub(super) struct RunArgs {
    /// The model: a folder with `flow.yaml` or with states in markdown, or a file (a flow, an interview, a contract, a cycle; a
    /// document with a table of transitions); `PATH@PROFILE` fixes the profile. Without it, that of `--from`
    #[arg(required_unless_present = "from", default_value = "", hide_default_value = true)]
    pub(super) model: String,
    /// The profile
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// The name under which the dialogue is kept, in `.fsmsim/sessions.sqlite` of the project: it goes on where it was, also
    /// in the middle of a turn. At a terminal it gets one of its own, if nothing is said
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// How the dialogue starts, as under `start` of a scenario: `{state: close, flags: {circular_flow: true}}`
    #[arg(long, value_name = "YAML", default_value = "", conflicts_with = "from")]
    pub(super) start: String,
    /// Play a scenario first, or a dialogue of a trace, and go on from there: `FILE::TITLE`, or `FILE` where it holds only one;
    /// with `@3` its first three turns
    #[arg(long, value_name = "SCENARIO[@TURN]")]
    from: Option<String>,
    /// What is written for a line: `text` for people, or `jsonl`, the records of the turns as JSON lines
    #[arg(long, value_enum, default_value = "text")]
    format: RunFormat,
    /// Take moves that the state does not declare, and mark them; for sets of states, as `{permissive: true}` of `--start`.
    /// States that are missing play as stubs
    #[arg(long)]
    pub(super) permissive: bool,
    /// The store of the user's data: a database (`.sqlite`, `.sqlite3`, `.db`), created where there is none, in which what
    /// the dialogue writes stays, and the user in it; or a JSON file, which is only read
    #[arg(long, value_name = "FILE[:USER]")]
    pub(super) twin: Option<String>,
    /// A JSON object with the data that the user has at first; only for a user who has none yet
    #[arg(long, value_name = "FILE", requires = "twin")]
    twin_from: Option<PathBuf>,
    /// The memory of a cycle, and its audit: a database, created where there is none, which all tasks share that name it. A
    /// dialogue with `--session` has one in `.fsmsim/memory.sqlite` of the project, if nothing is said
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// Who reads plain text: `mock:FILE`; `bank`, the examples of the model; `live`, the models of the project;
    /// `record:FILE`, the same and kept in a cassette; or `replay:FILE`, the cassette and nobody else
    #[arg(long, value_name = "WHO")]
    pub(super) llm: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
}

/// What is written for a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RunFormat {
    /// For people.
    Text,
    /// JSON lines.
    Jsonl,
}

/// Reads the model of the dialogue again.
fn model_reader(args: &RunArgs, profile: Profile, permissive: bool, project: &Project) -> ModelReader {
    let (project, config) = (project.clone(), args.config.clone());
    let path = ModelName::parse(&args.model, &mut Diagnostics::default()).map(|name| name.path).unwrap_or_default();
    Box::new(move || {
        let mut models = ModelCache::new(&project, config.clone()).with_stubs(permissive);
        let machine = models.load(&path, profile);
        machine.ok_or_else(|| {
            let found = models.findings(&path, profile).map(Diagnostics::without_key_notes).unwrap_or_default();
            render(&found, models.sources(), false)
        })
    })
}

/// The arguments with what the scenario says that they begin from.
fn from_scenario(args: &RunArgs, shelf: &ScenarioShelf) -> Result<RunArgs, Stop> {
    let mut args = args.clone();
    if let Some(from) = &args.from {
        let begun = shelf.beginning(from).map_err(|why| Stop::told(&why))?;
        if args.model.is_empty() {
            args.model = begun.model;
        }
        args.start = begun.start;
        args.permissive |= begun.with_stubs;
    }
    Ok(args)
}

/// Runs the command.
pub(super) fn run(args: &RunArgs, context: &mut Context) -> Result<Exit, Stop> {
    let shelf = ScenarioShelf::of(&context.project, args.config.clone());
    let args = &from_scenario(args, &shelf)?;
    let mut session = args.session.as_deref().map(|name| SessionSlot::find(name, &context.project)).transpose()?;
    let records = args.llm.as_deref().is_some_and(|who| who.starts_with(RECORD));
    let is_typed = args.format == RunFormat::Text && std::io::stdin().is_terminal();
    if session.is_none() && !records && is_typed {
        session = SessionSlot::unnamed(args, &context.project);
    }
    if let (Some(_), Some(slot)) = (&args.from, session.as_ref().filter(|slot| slot.stored.is_some())) {
        let title = format!("the session `{}` goes on, and cannot begin from a scenario", slot.name());
        return Err(Diagnostic::error(Code::BadArguments, title).help("give another name, or `:load` it there").into());
    }
    let stored = session.as_ref().and_then(|slot| slot.stored.as_ref());
    let (start, permissive) =
        stored.map_or((&args.start, args.permissive), |stored| (&stored.start, stored.permissive));
    let start = start.clone();
    let mut models = ModelCache::new(&context.project, args.config.clone()).with_stubs(permissive);
    let profile = session.as_ref().map_or(args.profile.as_deref(), |slot| slot.profile(args));
    let machine = context.load(&args.model, profile, &mut models)?;
    if args.permissive && !AcceptedInputs::of(&machine).moves {
        let finding = Diagnostic::error(Code::BadArguments, "`--permissive` is for sets of states");
        return Err(finding.help("the moves of this model are decided by its rules; leave it out").into());
    }
    if let Some(slot) = &mut session {
        slot.check(args, &machine, context)?;
    }
    let machine_profile = machine.settings().profile;
    let answerers = args.llm.as_deref().map(|who| of_repl(who, &mut models, context)).transpose()?;
    let mut repl = Repl::new(&machine, &start, permissive).map_err(|findings| Stop::told(&findings))?;
    repl = repl.of_model(&place_of(&args.model, &context.project));
    repl = repl.reading_again(model_reader(args, machine_profile, permissive, &context.project));
    let (twin, from) = (args.twin.as_deref(), args.twin_from.as_deref());
    if let Some(twin) = persistent_twin(twin, from, &machine, repl.names_twin(), context)? {
        repl = repl.keeping(twin);
    }
    if let Some((answerers, file)) = &answerers {
        let named = file.as_deref().unwrap_or(Path::new("FILE")).display();
        let command = format!("fsmsim run {} --llm record:{named}", args.model);
        let cassette = file.clone().map(|path| CassettePath { path, command });
        let key = DialogueKey { seed: 0, dialogue: DIALOGUE, number: 0, cassette: cassette.as_ref() };
        repl = repl.asking(answerers.answerer(&key));
    }
    let named = session.as_ref().map(|slot| (slot.name(), slot.stored.is_some()));
    let memory = LastingMemory::find(args.memory.as_deref(), named, &machine, &context.project)?;
    if let Some(memory) = &memory {
        repl = memory.join(repl)?;
    }
    if let Some(slot) = session {
        repl = slot.join(repl, args, &context.project)?;
    }
    if let Some(memory) = &memory {
        repl = memory.audit(repl)?;
    }
    if let Some(from) = &args.from {
        let loaded = shelf.load(from, &machine).map_err(|why| Stop::told(&why))?;
        repl = repl.beginning_with(loaded);
    }
    let mut repl = repl.loading(Box::new(move |wanted, machine| shelf.load(wanted, machine)));
    let format = if args.format == RunFormat::Jsonl { ReplFormat::JsonLines } else { ReplFormat::Text };
    let understood = run_loop(&mut repl, format)?;
    let mut diagnostics = Diagnostics::default();
    repl.finish(&mut diagnostics);
    context.report(&diagnostics, &SourceMap::default());
    tell_usage(answerers.as_ref().map(|(answerers, _)| answerers));
    Ok(if !understood || diagnostics.has_errors() {
        Exit::Unusable
    } else if diagnostics.is_empty() {
        Exit::Ok
    } else {
        // The cassette had no answer.
        Exit::Unavailable
    })
}
