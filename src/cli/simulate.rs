//! `fsmsim simulate`: runs many dialogues with simulated users.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::command_line::CommandLine;
use super::help;
use super::jobs_args::JobsArgs;
use super::limits::MAX_SAMPLES;
use super::llm::{AnswererFinder, print_usage, records};
use super::model_args::OneModelArgs;
use super::output::OutputArgs;
use super::session::place_of;
use super::{CommandResult, Context, Exit, Stop, refuse, refuse_as};
use crate::repl::Repl;
use fsmsim_core::trace::TurnReport;
use fsmsim_harness::graph::MachineGraph;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_reports::report::{
    ReportHead, ReportKind, ReportTarget, ReportedRun, SampleDialogue, SimulationExtras,
    SimulationReport, most_frequent,
};
use fsmsim_runtime::project::Project;
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::missing_examples;
use fsmsim_runtime::simulate::{
    CompiledPersona, Ending, PersonaFolder, SimulatedDialogue, Simulation, SimulationResult,
    SpokenIntents,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::terminal::{Escaping, print_message, stream};
use fsmsim_syntax::threads::Shard;

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// Persona of the user; repeatable
    ///
    /// `all` selects each persona in the directory, and `built-in` selects `cooperative`, `reluctant` and `wandering`
    #[arg(long, default_value = "built-in", value_name = "NAME|all")]
    persona: Vec<String>,
    /// Run N dialogues per persona
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    dialogues: u64,
    #[arg(long, value_name = "N", help = help::SEED, default_value_t = 0)]
    seed: u64,
    #[arg(long, value_name = "NUMBER/OF", help = help::SHARD)]
    shard: Option<Shard>,
    #[arg(long, value_name = "YAML", help = help::START, default_value = "")]
    start: String,
    /// Print dialogue N (from 1) of a persona instead of the table
    #[arg(long, value_name = "PERSONA:N", value_parser = ShownDialogue::parse, conflicts_with_all = ["format", "report", "shard"])]
    show: Option<ShownDialogue>,
    /// Save the dialogue of `--show` as a scenario (`.yaml`) or a transcript (`.md`)
    #[arg(long, value_name = "FILE", requires = "show")]
    save: Option<PathBuf>,
    #[arg(long, value_name = "PROVIDER", help = help::LLM, long_help = help::LLM_OF_DIALOGUES)]
    llm: Option<String>,
    /// Recognize the users' sentences by the examples of the model
    ///
    /// The report counts the dialogues that misread sentences spoil, by intent: without the misreading, they would have
    /// ended in a final state
    #[arg(long, conflicts_with = "llm")]
    recognize: bool,
    #[arg(long, value_name = "DIR", help = help::PERSONAS)]
    personas: Option<PathBuf>,
    #[command(flatten)]
    model: OneModelArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

impl SimulateArgs {
    /// The command that runs the same simulation with these recognizers.
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

    /// Rejects recording a single dialogue, because it would replace the cassette of all dialogues.
    fn check_shown(&self, who: &str) -> CommandResult<()> {
        if self.show.is_none() || !records(who) {
            return Ok(());
        }
        refuse(
            "cannot record with `--show`: a cassette contains all dialogues",
            "record without `--show`, then use `--show` with `--llm replay:FILE`",
        )
    }
}

/// The persona folder: the named folder, or the folder of the project.
pub(super) fn persona_folder(
    named: Option<&Path>,
    project: &Project,
    found: &mut Diagnostics,
) -> Option<PersonaFolder> {
    match named {
        Some(folder) => PersonaFolder::open(folder, found),
        None => PersonaFolder::open_if_there(&project.root.join("fixtures/personas"), found),
    }
}

/// Runs the command.
pub(super) fn run(args: &SimulateArgs, context: &mut Context) -> CommandResult {
    let targets = args.output.targets()?;
    let (machine, mut models) = args.model.load(context)?;
    DialogueSetup::parse(&machine, &args.start).map_err(Stop::rendered)?;
    if let Some(lines) = missing_examples(&machine).filter(|_| args.recognize) {
        let title = "cannot recognize users: the model has no examples";
        let help = format!("add examples to the model:\n{lines}");
        return refuse_as(Code::MissingSetup, title, help);
    }
    let mut diagnostics = Diagnostics::default();
    let mut sources = SourceMap::default();
    let wanted = args
        .show
        .as_ref()
        .map_or_else(|| args.persona.clone(), |shown| vec![shown.persona.clone()]);
    let folder = persona_folder(args.personas.as_deref(), &context.project, &mut diagnostics);
    let personas = folder.and_then(|folder| folder.select(&wanted, &mut sources, &mut diagnostics));
    let answerers = args.llm.as_deref().map(|who| {
        args.check_shown(who)?;
        let mut finder = AnswererFinder::new(&mut models, context);
        finder.of_simulation(who, &machine, |who| args.command(who))
    });
    let (answerers, asked) = answerers.transpose()?.unzip();
    // A persona that an LLM plays needs no compiled utterances.
    let by_chance = personas.iter().flatten().filter(|_| answerers.is_none());
    let spoken = Arc::new(SpokenIntents::of(&machine));
    let compiled: Vec<_> = by_chance
        .filter_map(|persona| CompiledPersona::new(persona, &machine, &spoken, &mut diagnostics))
        .collect();
    let personas = context.usable(personas, &diagnostics, &sources)?;
    let simulation = Simulation {
        machine: Arc::clone(&machine),
        seed: args.seed,
        dialogues: args.dialogues,
        start: args.start.clone(),
        shard: args.shard,
        recognizes: args.recognize,
    };
    if let Some((shown, persona)) = args.show.as_ref().zip(personas.first()) {
        let dialogue = match (&answerers, compiled.first()) {
            (Some(answerers), _) => {
                simulation.dialogue_with_model(persona, answerers, shown.number)
            }
            (None, Some(compiled)) => simulation.dialogue(compiled, shown.number),
            (None, None) => return Ok(Exit::Unusable),
        };
        let place = place_of(&args.model.name, &context.project);
        let exit = show(&simulation, &dialogue, &place, args.save.as_ref(), context);
        print_usage(answerers.as_ref());
        return exit;
    }
    let threads = args.jobs.threads_for(answerers.as_ref())?;
    let mut result = SimulationResult::new(&machine, args.seed, args.dialogues);
    result.start.clone_from(&args.start);
    result.llm = asked;
    result.recognized = args.recognize;
    result.persona_files = sources.fingerprint();
    let mut head = ReportHead::new(ReportedRun::Simulate, args.shard);
    let path = context.path_from_root(&machine.header.source);
    head.models.insert(path, machine.files.fingerprint());
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
    print_usage(answerers.as_ref());
    if args.shard.is_none() {
        result.close();
    }
    // An HTML page shows sample dialogues, too.
    let has_page = targets.iter().any(|target| target.kind == ReportKind::Html);
    let extras = has_page.then(|| SimulationExtras {
        graph: MachineGraph::of(&simulation.machine),
        samples: samples(&simulation, &result, &compiled),
    });
    let report = SimulationReport {
        head: &head,
        result: &result,
        extras: extras.as_ref(),
    };
    ReportTarget::write_all::<Stop>(&targets, |kind, out| report.write(kind, out))?;
    Ok(Exit::of([(Exit::Unavailable, result.has_unanswered())]))
}

/// A dialogue of a persona, by its number from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ShownDialogue {
    persona: String,
    number: u64,
}

impl ShownDialogue {
    /// Parses `PERSONA:N`.
    fn parse(text: &str) -> Result<Self, String> {
        let (persona, number) = text
            .rsplit_once(':')
            .ok_or("expected a persona and a dialogue number, for example `buyer:3`")?;
        match number.parse() {
            Ok(number) if number > 0 && !persona.is_empty() => Ok(Self {
                persona: persona.to_owned(),
                number,
            }),
            _ => Err("expected a number from 1, for example `buyer:3`".to_owned()),
        }
    }
}

/// Prints a dialogue, and saves it as a scenario if `file` is given; `model` is the path of its model for the scenario.
fn show(
    simulation: &Simulation,
    dialogue: &SimulatedDialogue,
    model: &str,
    file: Option<&PathBuf>,
    context: &mut Context,
) -> CommandResult {
    let interactive = InteractiveDialogue::new(&simulation.machine, &simulation.start, false)
        .map_err(Stop::rendered)?;
    let mut repl = Repl::over(interactive.of_model(model));
    let mut out = stream(Escaping::of_text());
    let (text, _) = repl.list_turns(&dialogue.turns)?;
    out.write_all(text.as_bytes())?;
    if let Some(cause) = dialogue.cause {
        let how = match cause.how {
            Ending::Finished => "the dialogue ended",
            Ending::Abandoned => "the user abandoned the dialogue",
            Ending::Looped => "the dialogue looped",
            Ending::TurnLimit => "the dialogue reached the turn limit",
            Ending::Unanswered => "the dialogue could not continue",
        };
        write!(out, "{how} in {}", repl.state())?;
        match cause.how {
            Ending::Finished | Ending::TurnLimit => writeln!(out)?,
            _ => writeln!(out, ": {}", cause.reason.description())?,
        }
    }
    out.flush()?;
    context.no_errors(&dialogue.found)?;
    if let Some(file) = file {
        let refused = |why| {
            Diagnostic::error(
                Code::CannotWrite,
                format!("cannot save the dialogue: {why}"),
            )
        };
        let note = repl
            .save_as(&file.display().to_string(), false)
            .map_err(refused)?;
        print_message(note.trim_start());
    }
    // The cassette has no answer.
    Ok(Exit::of([(Exit::Unavailable, !dialogue.found.is_empty())]))
}

/// Sample dialogues of each persona for a page: one for each ending in each state, the most frequent first.
fn samples(
    simulation: &Simulation,
    result: &SimulationResult,
    compiled: &[CompiledPersona],
) -> Vec<SampleDialogue> {
    let mut samples = Vec::new();
    // Personas that LLMs play are not compiled: their samples would require new LLM calls.
    for (persona, compiled) in result.personas.iter().zip(compiled) {
        let mut endings: BTreeSet<(&str, &str)> = BTreeSet::new();
        for cause in most_frequent(&persona.causes) {
            if endings.len() < MAX_SAMPLES && endings.insert((&cause.how, &cause.state)) {
                let dialogue = simulation.dialogue(compiled, cause.first);
                let repl = Repl::new(&simulation.machine, &simulation.start, false).ok();
                let played = repl.and_then(|mut repl| repl.list_turns(&dialogue.turns).ok());
                let lines = played.map(|(_, lines)| lines).unwrap_or_default();
                let records = lines.lines().filter_map(TurnReport::read).collect();
                samples.push(SampleDialogue {
                    persona: persona.persona.clone(),
                    number: cause.first,
                    records,
                });
            }
        }
    }
    samples
}
