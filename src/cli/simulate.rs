//! `fsmsim simulate`: many dialogues with users who speak by chance.

use std::path::{Path, PathBuf};

use clap::Args;

use super::context::{Context, threads};
use super::exit::{Exit, Stop};
use super::llm::{answerers, tell_usage};
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::project::ModelCache;
use crate::report::{ReportHead, ReportKind, ReportTarget, ReportedRun, SimulationReport};
use crate::runtime::DialogueSetup;
use crate::simulate::{CompiledPersona, PersonaFolder, Simulation, SimulationResult};
use crate::threads::Shard;

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
    /// Only this share of the dialogues of each persona, such as 1/3: by their numbers
    #[arg(long, value_name = "NUMBER/OF")]
    shard: Option<Shard>,
    /// How each dialogue starts, as under `start` of a scenario: `{backend: FILE}`
    #[arg(long, value_name = "YAML", default_value = "")]
    start: String,
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
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    report: Vec<ReportTarget>,
    /// Threads; as many as there are processors, if not said
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

/// The reports that there are of a simulation.
pub(super) const KINDS: [ReportKind; 2] = [ReportKind::Json, ReportKind::Html];

/// Runs the command.
pub(super) fn run(args: &SimulateArgs, context: &mut Context) -> Result<Exit, Stop> {
    if let Some(finding) = ReportTarget::conflict(&args.report) {
        return Err(finding.into());
    }
    let mut models = ModelCache::new(&context.project, args.config.clone());
    let machine = context.load(&args.model, args.profile.as_deref(), &mut models)?;
    DialogueSetup::parse(&machine, &args.start).map_err(|findings| Stop::told(&findings))?;
    let (mut diagnostics, mut sources) = (Diagnostics::default(), SourceMap::default());
    let folder = args.personas.clone().unwrap_or_else(|| context.project.root.join("fixtures/personas"));
    let personas = PersonaFolder::open(&folder, &mut diagnostics)
        .and_then(|folder| folder.select(&args.persona, &mut sources, &mut diagnostics));
    let help = "write `--llm mock:FILE`, `--llm live` or `--llm bank`";
    let answerers = args.llm.as_deref().map(|who| answerers(who, help, &mut models, context)).transpose()?;
    // Whoever is played by a model finds its own words.
    let by_chance = personas.iter().flatten().filter(|_| answerers.is_none());
    let compiled: Vec<_> =
        by_chance.filter_map(|persona| CompiledPersona::new(persona, &machine, &mut diagnostics)).collect();
    let personas = context.usable(personas, &diagnostics, &sources)?;
    let threads = threads(args.jobs)?;
    let pool = threads.pool();
    let mut result = SimulationResult::new(&machine, args.seed, args.dialogues);
    result.start.clone_from(&args.start);
    result.llm.clone_from(&args.llm);
    result.persona_files = sources.fingerprint();
    let mut head = ReportHead::new(ReportedRun::Simulate, args.shard);
    let layout = context.project.artifacts_in(&context.project.snapshots);
    head.models.insert(layout.from_root(Path::new(&machine.header.source)), machine.files.fingerprint());
    let (seed, dialogues, start) = (args.seed, args.dialogues, args.start.clone());
    let simulation = Simulation { machine, seed, dialogues, start, shard: args.shard };
    for (number, persona) in personas.iter().enumerate() {
        let summary = match (&answerers, compiled.get(number)) {
            (Some(answerers), _) => simulation.run_with_model(persona, answerers, pool),
            (None, Some(compiled)) => simulation.run(compiled, pool),
            (None, None) => continue,
        };
        result.push(&persona.name.text, &persona.description, &summary, &simulation.machine);
    }
    tell_usage(answerers.as_ref());
    if args.shard.is_none() {
        result.close();
    }
    let report = SimulationReport { head: &head, result: &result };
    if let Some(finding) = ReportTarget::write_all(&args.report, |kind, out| report.write(kind, out))? {
        return Err(finding.into());
    }
    Ok(if result.has_unanswered() { Exit::Unavailable } else { Exit::Ok })
}
