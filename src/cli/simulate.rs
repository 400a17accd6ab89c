//! `fsmsim simulate`: many dialogues with users who speak by chance.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use super::context::Context;
use super::exit::Exit;
use super::llm::{of_users, tell_usage};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::machine::Machine;
use crate::project::ModelCache;
use crate::report::SimulationReport;
use crate::simulate::{Actor, CompiledPersona, Persona, PersonaFolder, Simulation};
use crate::snapshot::write_whole;

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// The model: a folder with `flow.yaml`, or a file; `PATH@PROFILE` fixes the profile
    model: String,
    /// The persona of the user; `all` for each of the folder. May be given several times
    #[arg(long, required = true, value_name = "NAME|all")]
    persona: Vec<String>,
    /// Dialogues of each persona
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    dialogues: u64,
    /// What all chance comes from: the same seed gives the same results
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Who plays the user and reads what it says: `mock:FILE`, or `live`, the models of the project
    #[arg(long, value_name = "WHO")]
    llm: Option<String>,
    /// The folder of the personas [default: fixtures/personas of the project]
    #[arg(long, value_name = "DIR")]
    personas: Option<PathBuf>,
    /// The profile
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// Write a report, `json` or `html`: to a file beside the table, or in place of the table
    #[arg(long, value_name = "KIND[=FILE]")]
    report: Vec<ReportWish>,
    /// Threads; as many as there are processors, if not said
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

/// A report that is wanted: of which kind, and where.
#[derive(Clone, Debug)]
struct ReportWish {
    kind: ReportKind,
    /// The file; nothing for standard output.
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug)]
enum ReportKind {
    Json,
    Html,
}

impl FromStr for ReportWish {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, file) = match text.split_once('=') {
            Some((kind, file)) => (kind, Some(file)),
            None => (text, None),
        };
        let kind = match kind {
            "json" => ReportKind::Json,
            "html" => ReportKind::Html,
            other => return Err(format!("there is no report `{other}`: the kinds are `json` and `html`")),
        };
        if file.is_some_and(str::is_empty) {
            return Err("the name of the file is missing behind `=`".to_owned());
        }
        Ok(Self { kind, file: file.map(PathBuf::from) })
    }
}

/// Runs the command.
pub(super) fn run(args: &SimulateArgs, context: &mut Context) -> io::Result<Exit> {
    if args.report.iter().filter(|wish| wish.file.is_none()).count() > 1 {
        let finding = Diagnostic::error(Code::BadArguments, "two reports cannot both go to standard output");
        return Ok(context.fail(finding.help("give one of them a file: `--report json=FILE`")));
    }
    let mut library = ModelCache::new(args.config.clone());
    let Some(machine) = context.load(&args.model, args.profile.as_deref(), &mut library) else {
        return Ok(Exit::Unusable);
    };
    let mut diagnostics = Diagnostics::default();
    let folder = args.personas.clone().unwrap_or_else(|| context.project.root.join("fixtures/personas"));
    let mut sources = SourceMap::default();
    let cast = cast(&folder, &args.persona, &mut sources, &mut diagnostics);
    let Ok(outside) = of_users(args.llm.as_deref(), &mut library, context) else {
        return Ok(Exit::Unusable);
    };
    let actors: Vec<Actor> = match &outside {
        Some(_) => Vec::new(),
        None => {
            cast.iter().flatten().filter_map(|persona| actor(persona, &machine, &mut diagnostics)).collect()
        }
    };
    context.report(&diagnostics, &sources);
    let Some(cast) = cast.filter(|_| !diagnostics.has_errors()) else { return Ok(Exit::Unusable) };
    let Some(pool) = context.threads(args.jobs) else { return Ok(Exit::Unusable) };
    let simulation = Simulation { machine: machine.clone(), seed: args.seed, dialogues: args.dialogues };
    let mut report = SimulationReport::new(&machine, args.seed, args.dialogues);
    for (number, persona) in cast.iter().enumerate() {
        let tally = match (&outside, actors.get(number)) {
            (Some(outside), _) => simulation.run_with_model(persona, outside, &pool),
            (None, Some(actor)) => simulation.run(actor, &pool),
            (None, None) => continue,
        };
        report.push(&persona.name.text, &persona.description, &tally, &machine);
    }
    tell_usage(outside.as_ref());
    let exit = write_reports(&args.report, &report, context)?;
    Ok(if exit == Exit::Ok && report.has_unanswered() { Exit::Unavailable } else { exit })
}

/// What a persona says to the machine.
fn actor(persona: &Persona, machine: &Machine, diagnostics: &mut Diagnostics) -> Option<Actor> {
    let repertoire = CompiledPersona::new(persona, machine, diagnostics)?;
    Some(Actor { name: persona.name.text.to_string(), repertoire })
}

/// The personas of these names. `None`, with findings, where there is none.
fn cast(
    folder: &Path,
    names: &[String],
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Persona>> {
    let shelf = PersonaFolder::open(folder, diagnostics)?;
    let mut wanted: Vec<&String> = Vec::new();
    for name in names {
        let these = if name == "all" { shelf.names() } else { std::slice::from_ref(name) };
        for name in these {
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
    }
    if wanted.is_empty() {
        let finding = Diagnostic::error(Code::UnknownPersona, "the folder holds no persona");
        diagnostics.push(finding.about(folder.display().to_string()).help("a persona is a file `NAME.yaml`"));
        return None;
    }
    Some(wanted.into_iter().filter_map(|name| shelf.read(name, sources, diagnostics)).collect())
}

/// Writes the reports to their files, and one report or the table to standard output.
fn write_reports(
    wishes: &[ReportWish],
    report: &SimulationReport,
    context: &mut Context,
) -> io::Result<Exit> {
    let mut shown = None;
    for wish in wishes {
        let mut text = Vec::new();
        match wish.kind {
            ReportKind::Json => report.write_json(&mut text)?,
            ReportKind::Html => report.write_html(&mut text)?,
        }
        let Some(file) = &wish.file else {
            shown = Some(text);
            continue;
        };
        if let Err(error) = write_whole(file, &String::from_utf8_lossy(&text)) {
            let path = file.display().to_string();
            let finding =
                Diagnostic::error(Code::CannotWrite, format!("`{path}` cannot be written: {error}"));
            return Ok(context.fail(finding.about(path).help("check the path and the rights of the folder")));
        }
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    match shown {
        Some(text) => out.write_all(&text)?,
        None => report.write_table(&mut out)?,
    }
    out.flush()?;
    Ok(Exit::Ok)
}
