//! `fsmsim trace`: runs dialogues and writes their traces.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use super::llm::{AnswererFinder, print_usage};
use super::trace_args::{TraceArgs, TraceFormat};
use super::trust::consent_to_subjects;
use super::turns_player::{LineBatch, Played, PlayedDialogue, TurnsPlayer};
use super::{CommandResult, Context, Exit, Stop, refuse, trace_log};
use fsmsim_core::machine::Profile;
use fsmsim_harness::limits::MAX_SCENARIO_FILE;
use fsmsim_harness::scenario::{
    Runner, ScenarioFiles, ScenarioLoader, ScenarioSource, ScenarioText, SubjectInventory,
};
use fsmsim_harness::selection::ScenarioFilter;
use fsmsim_reports::report::{TraceForm, TraceWriter};
use fsmsim_runtime::project::{ArtifactClaims, ModelCache, ModelName, Project};
use fsmsim_runtime::script::{DialogueNames, TurnsFile};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::read_file;
use fsmsim_syntax::terminal::{Escaping, print_message, printable, stream};
use fsmsim_syntax::threads::{Mutex, Shard};

/// Runs the command.
pub(super) fn run(args: &TraceArgs, context: &mut Context) -> CommandResult {
    let profile = context.profile(args.options.profile.as_deref())?;
    let (form, escaping) = match args.format {
        TraceFormat::Jsonl => (TraceForm::Lines, Escaping::Json),
        TraceFormat::Dialogue => (TraceForm::Dialogues, Escaping::Json),
        TraceFormat::Table => (TraceForm::Table, Escaping::of_text()),
        TraceFormat::Chat => (TraceForm::Chats, Escaping::Json),
        TraceFormat::Transcript => (TraceForm::Transcript, Escaping::of_text()),
        TraceFormat::Csv => (TraceForm::Csv, Escaping::Plain),
        TraceFormat::Scenario if args.log.map.is_some() => (TraceForm::Lines, Escaping::Json),
        TraceFormat::Scenario => {
            return refuse(
                "cannot use `--format scenario` without `--map`",
                "name the map of the log, or use another format",
            );
        }
    };
    let mut writer = TraceWriter::new(stream(escaping), form);
    let models = args.options.models(&context.project);
    let exit = match &args.turns {
        None if args.log.map.is_some() => trace_log::run(args, &mut writer, context),
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
    let threads = args.jobs.threads()?;
    // The model is loaded even for a file without dialogues, so that its errors are reported.
    context.load_model(&model.path, fixed.unwrap_or(usual), &mut models)?;
    let mut file = TurnsFile::open(turns)?;
    let project = context.project.clone();
    let models = Mutex::new(models);
    let shard = args.shard;
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
    let census = SubjectInventory::of(&files, &(), &runner);
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
        return Err(Diagnostic::error(
            Code::FileUnreadable,
            "expected a scenario file, found a directory",
        )
        .about(&args.path)
        .help("name a scenario file, or add `--turns FILE` to run a model")
        .into());
    }
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let file = read_file(path, MAX_SCENARIO_FILE, &mut sources, &mut found);
    let file = context.usable(file, &found, &sources)?;
    let llm = args.llm.as_deref();
    let answerers = AnswererFinder::new(&mut models, context).of_scenarios(llm)?;
    let mut project = context.project.clone();
    let models = Mutex::new(models);
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
            print_message(&format!(
                "note: skipped a scenario: {}\n",
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
    print_usage(runner.answerers.as_ref());
    if writer.is_empty() && skipped == 0 {
        return Err(
            Diagnostic::error(Code::NoScenario, "the file contains no scenario")
                .about(&args.path)
                .help("add a scenario with `scenario: TITLE` and `turns`")
                .into(),
        );
    }
    Ok(if unread { Exit::Unavailable } else { Exit::Ok })
}
