//! `fsmsim simulate`: many dialogues with users who speak by chance.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::command_line::CommandLine;
use super::context::Context;
use super::exit::{Exit, Stop};
use super::jobs_args::JobsArgs;
use super::llm::{of_simulation, records, tell_usage};
use super::model_args::OneModelArgs;
use super::session::place_of;
use super::simulate_show::{ShownDialogue, Voice, samples, show};
use super::text_or_json::TextOrJson;
use fsmsim_harness::graph::MachineGraph;
use fsmsim_reports::report::{
    ReportHead, ReportKind, ReportTarget, ReportedRun, SimulationExtras, SimulationReport,
};
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::simulate::{CompiledPersona, PersonaFolder, Simulation, SimulationResult};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::threads::Shard;

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// The persona of the user; `all` for each of the folder; `built-in` for those that every model has, `cooperative`,
    /// `reluctant` and `wandering`. May be given several times
    #[arg(long, default_value = "built-in", value_name = "NAME|all")]
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
    /// Print one dialogue, by its number from 1, instead of the table: `--show buyer:3`
    #[arg(long, value_name = "PERSONA:N", value_parser = ShownDialogue::parse, conflicts_with_all = ["format", "report", "shard"])]
    show: Option<ShownDialogue>,
    /// Keep the dialogue that is shown as a scenario, `.yaml`, or `.md` for a transcript
    #[arg(long, value_name = "FILE", requires = "show")]
    save: Option<PathBuf>,
    /// Who plays the user and reads what it says: `mock:FILE`; `live`, the models of the project; `link:NAME`, one of them; `record:FILE`, the same and
    /// kept in a cassette; `replay:FILE`, the cassette and nobody else; `record-missing:FILE`, the cassette, and the models
    /// for what it lacks
    #[arg(long, value_name = "WHO")]
    llm: Option<String>,
    /// The folder of the personas [default: fixtures/personas of the project]
    #[arg(long, value_name = "DIR")]
    personas: Option<PathBuf>,
    #[command(flatten)]
    model: OneModelArgs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: TextOrJson,
    /// Write a report, `json` or `html`: to a file beside the table, or in place of the table
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    report: Vec<ReportTarget>,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// The reports that there are of a simulation.
pub(super) const KINDS: [ReportKind; 2] = [ReportKind::Json, ReportKind::Html];

impl SimulateArgs {
    /// The command that does the same, and asks these.
    fn command(&self, who: &str) -> String {
        let shown = self.show.as_ref();
        let personas =
            shown.map_or_else(|| self.persona.clone(), |shown| vec![shown.persona.clone()]);
        let personas = personas.iter().filter(|persona| *persona != "built-in");
        let line = CommandLine::new("simulate", &[&self.model.name]);
        let line = personas
            .fold(line, |line, persona| line.option("persona", Some(persona)))
            .option(
                "personas",
                self.personas.as_ref().map(|folder| folder.display()),
            )
            .option(
                "dialogues",
                Some(shown.map_or(self.dialogues, |shown| shown.number)),
            )
            .option("llm", Some(who))
            .option("seed", Some(self.seed).filter(|seed| *seed != 0))
            .option("shard", self.shard)
            .option("start", Some(&self.start));
        self.model.options.on(line).text()
    }

    /// Refuses to record one dialogue in the place of all.
    fn check_shown(&self, who: &str) -> Result<(), Stop> {
        if self.show.is_none() || !records(who) {
            return Ok(());
        }
        let finding =
            Diagnostic::bad_arguments("`--show` plays one dialogue, and a cassette is of all");
        Err(finding
            .help("record without `--show`, and show from the cassette: `--llm replay:FILE`")
            .into())
    }
}

/// Runs the command.
pub(super) fn run(args: &SimulateArgs, context: &mut Context) -> Result<Exit, Stop> {
    let shown = args.format.report();
    let targets = ReportTarget::with_format(&args.report, shown)?;
    let (machine, mut models) = args.model.load(context)?;
    DialogueSetup::parse(&machine, &args.start).map_err(|findings| Stop::told(&findings))?;
    let (mut diagnostics, mut sources) = (Diagnostics::default(), SourceMap::default());
    let wanted = args
        .show
        .as_ref()
        .map_or_else(|| args.persona.clone(), |shown| vec![shown.persona.clone()]);
    let folder = match &args.personas {
        Some(folder) => PersonaFolder::open(folder, &mut diagnostics),
        None => PersonaFolder::open_if_there(
            &context.project.root.join("fixtures/personas"),
            &mut diagnostics,
        ),
    };
    let personas = folder.and_then(|folder| folder.select(&wanted, &mut sources, &mut diagnostics));
    let answerers = args.llm.as_deref().map(|who| {
        args.check_shown(who)?;
        of_simulation(
            who,
            &machine,
            &|who| args.command(who),
            &mut models,
            context,
        )
    });
    let (answerers, asked) = answerers.transpose()?.unzip();
    // Whoever is played by a model finds its own words.
    let by_chance = personas.iter().flatten().filter(|_| answerers.is_none());
    let compiled: Vec<_> = by_chance
        .filter_map(|persona| CompiledPersona::new(persona, &machine, &mut diagnostics))
        .collect();
    let personas = context.usable(personas, &diagnostics, &sources)?;
    let (seed, dialogues, start) = (args.seed, args.dialogues, args.start.clone());
    let simulation = Simulation {
        machine: Arc::clone(&machine),
        seed,
        dialogues,
        start,
        shard: args.shard,
    };
    if let Some((shown, persona)) = args.show.as_ref().zip(personas.first()) {
        let voice = match (&answerers, compiled.first()) {
            (None, Some(compiled)) => Voice::Chance(compiled),
            (Some(answerers), _) => Voice::Models(persona, answerers),
            (None, None) => return Ok(Exit::Unusable),
        };
        let place = place_of(&args.model.name, &context.project);
        let exit = show(
            &simulation,
            &voice,
            shown,
            &place,
            args.save.as_ref(),
            context,
        );
        tell_usage(answerers.as_ref());
        return exit;
    }
    let threads = args.jobs.threads_for(answerers.as_ref())?;
    let mut result = SimulationResult::new(&machine, args.seed, args.dialogues);
    result.start.clone_from(&args.start);
    result.llm = asked;
    result.persona_files = sources.fingerprint();
    let mut head = ReportHead::new(ReportedRun::Simulate, args.shard);
    let layout = context.project.artifacts_in(&context.project.snapshots);
    head.models.insert(
        layout.from_root(Path::new(&machine.header.source)),
        machine.files.fingerprint(),
    );
    let mut found = Diagnostics::default();
    for (number, persona) in personas.iter().enumerate() {
        let summary = match (&answerers, compiled.get(number)) {
            (Some(answerers), _) => {
                simulation.run_with_model(persona, answerers, &threads, &mut found)
            }
            (None, Some(compiled)) => simulation.run(compiled, threads.pool()),
            (None, None) => continue,
        };
        result.push(
            &persona.name.text,
            &persona.description,
            &summary,
            &simulation.machine,
        );
    }
    if let Some(answerers) = &answerers {
        answerers.close(&mut found);
    }
    context.no_errors(&found)?;
    tell_usage(answerers.as_ref());
    if args.shard.is_none() {
        result.close();
    }
    // A page shows dialogues as well.
    let extras = args
        .report
        .iter()
        .any(|target| target.kind == ReportKind::Html)
        .then(|| {
            let voices = compiled
                .iter()
                .filter(|_| answerers.is_none())
                .map(Voice::Chance)
                .collect::<Vec<_>>();
            let graph = MachineGraph::of(&simulation.machine);
            SimulationExtras {
                graph,
                samples: samples(&simulation, &result, &voices),
            }
        });
    let report = SimulationReport {
        head: &head,
        result: &result,
        extras: extras.as_ref(),
    };
    if let Some(finding) = ReportTarget::write_all(&targets, |kind, out| report.write(kind, out))? {
        return Err(finding.into());
    }
    Ok(if result.has_unanswered() {
        Exit::Unavailable
    } else {
        Exit::Ok
    })
}
