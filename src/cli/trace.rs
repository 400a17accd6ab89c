//! `fsmsim trace`: runs dialogues and writes their traces.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::jobs_args::threads;
use super::limits::MAX_JOBS;
use super::llm::{AnswererFinder, tell_usage};
use super::model_args::ModelArgs;
use super::trust::consent_to_subjects;
use super::turns_player::{LineBatch, Played, PlayedDialogue, TurnsPlayer};
use super::{CommandResult, Context, Exit, Stop, refuse_file};
use fsmsim_core::machine::Profile;
use fsmsim_harness::limits::MAX_SCENARIO_FILE;
use fsmsim_harness::scenario::{
    Runner, ScenarioFiles, ScenarioLoader, ScenarioSource, ScenarioText, SubjectCensus,
};
use fsmsim_harness::selection::ScenarioFilter;
use fsmsim_reports::report::{TraceForm, TraceWriter};
use fsmsim_runtime::project::{ArtifactClaims, ModelCache, ModelName, Project};
use fsmsim_runtime::script::{DialogueNames, TurnsFile};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::read_file;
use fsmsim_syntax::terminal::{Escaping, printable, stream, tell};
use fsmsim_syntax::threads::{Mutex, Shard};

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    /// The model (a folder with `flow.yaml` or with markdown states, or a file; `PATH@PROFILE` fixes the profile); without --turns, a scenario file or transcript
    path: String,
    /// The dialogues, one JSON object a line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    turns: Option<PathBuf>,
    #[command(flatten)]
    options: ModelArgs,
    /// Whom the scenarios ask, as in `fsmsim test`: `mock`, `live`, `record`, `replay`, `bank`, `link:NAME` or
    /// `mock:FILE`
    #[arg(long, value_name = "WHO", conflicts_with = "turns")]
    llm: Option<String>,
    /// Only this share of the dialogues, such as 1/3: by the hash of the id, of scenarios of the address
    #[arg(long, value_name = "NUMBER/OF")]
    shard: Option<Shard>,
    /// How to print
    #[arg(long, value_enum, default_value_t = TraceFormat::Jsonl)]
    format: TraceFormat,
    /// Threads that play the dialogues of --turns; as many as there are processors, if not said
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_JOBS))]
    jobs: Option<u16>,
}

/// How to print a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TraceFormat {
    /// JSON lines: a header a dialogue, then a line a turn
    Jsonl,
    /// A JSON object a line for each dialogue, with its header, its turns and its end
    Dialogue,
    /// Aligned columns
    Table,
    /// What was said, as data sets of chats have it: `{"messages": [{"role", "content"}]}`, a line for each dialogue
    Chat,
    /// What was said, to be read
    Transcript,
}

/// Runs the command.
pub(super) fn run(args: &TraceArgs, context: &mut Context) -> CommandResult {
    let profile = context.profile(args.options.profile.as_deref())?;
    let (form, escaping) = match args.format {
        TraceFormat::Jsonl => (TraceForm::Lines, Escaping::Json),
        TraceFormat::Dialogue => (TraceForm::Dialogues, Escaping::Json),
        TraceFormat::Table => (TraceForm::Table, Escaping::of_text()),
        TraceFormat::Chat => (TraceForm::Chats, Escaping::Json),
        TraceFormat::Transcript => (TraceForm::Transcript, Escaping::of_text()),
    };
    let mut writer = TraceWriter::new(stream(escaping), form);
    let models = args.options.models(&context.project);
    let exit = match &args.turns {
        Some(turns) => turns_file(args, (turns, form), profile, models, context, &mut writer),
        None => scenarios(args, profile, models, context, &mut writer),
    };
    // Finished dialogues are written even if a later one fails.
    writer.flush()?;
    exit
}

/// Runs the dialogues of a turns file. An invalid one ends the run; the earlier ones are already written.
fn turns_file<W: Write>(
    args: &TraceArgs,
    (turns, form): (&Path, TraceForm),
    profile: Option<Profile>,
    mut models: ModelCache,
    context: &mut Context,
    writer: &mut TraceWriter<W>,
) -> CommandResult {
    let model = context.read(|_, found| ModelName::parse(&args.path, found))?;
    let usual = context.project.profile.unwrap_or_default();
    let fixed = profile.or(model.profile);
    let threads = threads(args.jobs)?;
    // The model is loaded even for a file without dialogues, so that its errors are reported.
    context.load_model(&model.path, fixed.unwrap_or(usual), &mut models)?;
    let mut file = TurnsFile::open(turns)?;
    let project = context.project.clone();
    let (models, shard) = (Mutex::new(models), args.shard);
    let player = TurnsPlayer {
        project: &project,
        models,
        model: &model.path,
        fixed,
        usual,
        turns,
        form,
        shard,
    };
    let mut names = DialogueNames::default();
    let mut reported = BTreeSet::new();
    threads.in_order(
        || LineBatch::read(&mut file),
        |batch| player.play(batch),
        |batch| {
            let mut start = 0;
            for PlayedDialogue {
                line,
                found,
                read,
                played,
            } in batch.dialogues
            {
                let Some((name, profile)) = read else {
                    context.report(&found, line.sources());
                    return Err(Stop::Told);
                };
                if let Err(finding) = names.take(&name) {
                    context.report(&Diagnostics::of(*finding), line.sources());
                    return Err(Stop::Told);
                }
                if matches!(played, Played::Elsewhere) {
                    continue;
                }
                if reported.insert(profile) {
                    let models = player.models.lock();
                    context.report_model(&models, &model.path, profile);
                }
                context.report(&found, line.sources());
                match played {
                    Played::Unusable => return Err(Stop::Told),
                    Played::Elsewhere => {}
                    Played::Until(end) => {
                        writer.append(batch.text.get(start..end).unwrap_or_default())?;
                        start = end;
                    }
                    Played::Ready(ready) => ready.play(&name, writer)?,
                }
            }
            if let Some(finding) = batch.fault {
                return Err(Stop::Finding(finding));
            }
            if batch.is_dry {
                writer.flush()?;
            }
            Ok(())
        },
    )?;
    Ok(Exit::Ok)
}

/// Asks for consent to the subjects of a file.
fn agree(
    path: &Path,
    project: &mut Project,
    models: &Mutex<ModelCache>,
    context: &mut Context,
) -> CommandResult<()> {
    let files = ScenarioFiles::under(&[path.to_path_buf()], &mut Diagnostics::default());
    let runner = Runner::new(project, models);
    let census = SubjectCensus::of(&files, &(), &runner);
    consent_to_subjects(census, project, context)
}

/// Runs the scenarios of a file. The first invalid one ends the run.
fn scenarios<W: Write>(
    args: &TraceArgs,
    profile: Option<Profile>,
    mut models: ModelCache,
    context: &mut Context,
    writer: &mut TraceWriter<W>,
) -> CommandResult {
    let path = Path::new(&args.path);
    if path.is_dir() {
        return refuse_file(
            &args.path,
            "a model is traced with the turns of a file",
            "add `--turns FILE`, or name a scenario file",
        );
    }
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let file = read_file(path, MAX_SCENARIO_FILE, &mut sources, &mut found);
    let file = context.usable(file, &found, &sources)?;
    let llm = args.llm.as_deref();
    let answerers = AnswererFinder::new(&mut models, context).of_scenarios(llm)?;
    let (mut project, models) = (context.project.clone(), Mutex::new(models));
    agree(path, &mut project, &models, context)?;
    let runner = Runner {
        profile,
        answerers,
        ..Runner::new(&project, &models)
    };
    let mut claims = ArtifactClaims::default();
    let mut unread = false;
    let mut loader = ScenarioLoader::new(&project);
    let documents = ScenarioSource::all(file, path, &mut sources, &mut loader);
    for (_, wrong) in loader.take_faults() {
        context.usable(Some(()), &wrong, &sources)?;
    }
    let filter = ScenarioFilter::new(&project, Vec::new());
    let mut skipped = 0;
    for source in documents {
        let document = source.document(&sources, &mut found);
        let scenario = document
            .as_ref()
            .and_then(|document| ScenarioText::read(document, &mut found));
        let is_elsewhere = |shard: Shard| {
            scenario
                .as_ref()
                .is_some_and(|scenario| !shard.has_name(&filter.address(scenario)))
        };
        if args.shard.is_some_and(is_elsewhere) {
            skipped += 1;
            found = Diagnostics::default();
            continue;
        }
        if let Some(reason) = scenario.as_ref().and_then(|scenario| scenario.skip) {
            tell(&format!(
                "note: a scenario is skipped: {}\n",
                printable(reason)
            ));
            skipped += 1;
            continue;
        }
        let prepared = scenario
            .as_ref()
            .map(|scenario| runner.prepare(scenario, &mut found));
        let mock = scenario
            .as_ref()
            .and_then(|scenario| runner.mock_of(scenario));
        let key = match &prepared {
            Some(Ok(prepared)) => Some(&prepared.model),
            Some(Err(key)) => key.as_ref(),
            None => None,
        };
        context.report_loaded(&mut models.lock(), key, &mock);
        context.report(&source.name_case(std::mem::take(&mut found)), &sources);
        let (Some(scenario), Some(Ok(prepared))) = (scenario, prepared) else {
            return Err(Stop::Told);
        };
        let outcome = writer.scenario(&prepared, &mut found)?;
        unread |= outcome.unread;
        if let Some(cassette) = prepared.cassette.filter(|_| outcome.asked) {
            let place = sources.place(scenario.span);
            if let Err(finding) = claims.take(cassette.path, "cassette", &scenario.name(), &place) {
                found.push(*finding);
            }
        }
        context.usable(Some(()), &std::mem::take(&mut found), &sources)?;
    }
    tell_usage(runner.answerers.as_ref());
    if writer.is_empty() && skipped == 0 {
        let finding =
            Diagnostic::error(Code::NoScenario, "the file holds no scenario").about(&args.path);
        return Err(finding
            .help("a scenario has `scenario: TITLE` and `turns`")
            .into());
    }
    Ok(if unread { Exit::Unavailable } else { Exit::Ok })
}
