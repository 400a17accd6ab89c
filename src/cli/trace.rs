//! `fsmsim trace`: play dialogues and print what happened.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};

use super::context::{Context, profile_of};
use super::exit::Exit;
use super::llm::{of_scenarios, tell_usage};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::read_file;
use crate::machine::Profile;
use crate::project::{ArtifactClaims, ModelCache, ModelName};
use crate::report::TraceWriter;
use crate::runtime::DialogueSetup;
use crate::scenario::{FILE_LIMIT, Runner, ScenarioSource, ScenarioText};
use crate::script::TurnsFile;

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    /// The model (a folder with `flow.yaml` or with markdown states, or a file; `PATH@PROFILE` fixes the profile); without --turns, a scenario file or transcript
    path: String,
    /// The dialogues, one JSON object a line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    turns: Option<PathBuf>,
    /// The profile, whatever the dialogues say
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// Whom the scenarios ask, as in `fsmsim test`: `mock`, `live`, `record`, `replay`, `bank` or `mock:FILE`
    #[arg(long, value_name = "WHO", conflicts_with = "turns")]
    llm: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = TraceFormat::Jsonl)]
    format: TraceFormat,
}

/// How to print a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TraceFormat {
    /// JSON lines: a header a dialogue, then a line a turn
    Jsonl,
    /// Aligned columns
    Table,
}

/// Runs the command.
pub(super) fn run(args: &TraceArgs, context: &mut Context) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::default();
    let profile = args.profile.as_deref().and_then(|name| profile_of(name, &mut diagnostics));
    if diagnostics.has_errors() {
        context.report(&diagnostics, &SourceMap::default());
        return Ok(Exit::Unusable);
    }
    let out = io::BufWriter::new(io::stdout().lock());
    let mut writer = TraceWriter::new(out, args.format == TraceFormat::Table);
    let models = ModelCache::new(args.config.clone());
    let exit = match &args.turns {
        Some(turns) => turns_file(args, turns, profile, models, context, &mut writer)?,
        None => scenarios(args, profile, models, context, &mut writer)?,
    };
    writer.finish()?;
    Ok(exit)
}

/// Plays the dialogues of a turns file. One that cannot be read ends the run; what came before it is already written.
fn turns_file<W: Write>(
    args: &TraceArgs,
    turns: &Path,
    profile: Option<Profile>,
    mut models: ModelCache,
    context: &mut Context,
    writer: &mut TraceWriter<W>,
) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::default();
    let Some(model) = ModelName::parse(&args.path, &mut diagnostics) else {
        context.report(&diagnostics, &SourceMap::default());
        return Ok(Exit::Unusable);
    };
    let usual = context.project.profile.unwrap_or_default();
    let fixed = profile.or(model.profile);
    // The model is loaded even for a file without dialogues, so that its mistakes are reported.
    if context.load_model(&model.path, fixed.unwrap_or(usual), &mut models).is_none() {
        return Ok(Exit::Unusable);
    }
    let Some(mut file) = context.checked(TurnsFile::open(turns)) else { return Ok(Exit::Unusable) };
    while let Some(dialogue) = file.next_dialogue(&mut diagnostics) {
        let profile = fixed.or(dialogue.profile).unwrap_or(usual);
        let machine = context.load_model(&model.path, profile, &mut models);
        let path = |path: &str| context.project.resolve(path, turns);
        let ready = machine.and_then(|machine| {
            let setup = DialogueSetup::read(&machine, dialogue.signals, dialogue.start, &path, &mut diagnostics);
            let turns = dialogue.turns(&machine, &mut diagnostics);
            let mut setup = setup?;
            let start = std::mem::take(&mut setup.start);
            Some((start, setup.runner(&machine), turns?))
        });
        let is_played = ready.is_some();
        if let Some((start, mut runner, turns)) = ready {
            writer.play(dialogue.id, &start, &mut runner, turns.iter())?;
        }
        context.report(&diagnostics, file.sources());
        diagnostics = Diagnostics::default();
        if !is_played {
            return Ok(Exit::Unusable);
        }
    }
    context.report(&diagnostics, file.sources());
    Ok(if diagnostics.has_errors() { Exit::Unusable } else { Exit::Ok })
}

/// Plays the scenarios of a file. The first that cannot be played ends the run.
fn scenarios<W: Write>(
    args: &TraceArgs,
    profile: Option<Profile>,
    mut models: ModelCache,
    context: &mut Context,
    writer: &mut TraceWriter<W>,
) -> io::Result<Exit> {
    let path = Path::new(&args.path);
    if path.is_dir() {
        let finding = Diagnostic::error(Code::BadArguments, "a model is traced with the turns of a file");
        return Ok(
            context.fail(finding.about(path.display().to_string()).help("add `--turns FILE`, or name a scenario file"))
        );
    }
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let Some(file) = read_file(path, FILE_LIMIT, &mut sources, &mut diagnostics) else {
        context.report(&diagnostics, &sources);
        return Ok(Exit::Unusable);
    };
    let Ok(answerers) = of_scenarios(args.llm.as_deref(), &mut models, context) else {
        return Ok(Exit::Unusable);
    };
    let (project, models) = (context.project.clone(), Mutex::new(models));
    let runner = Runner { project: &project, models: &models, profile, answerers };
    let mut claims = ArtifactClaims::default();
    let mut unread = false;
    for source in ScenarioSource::all(file, path, &sources) {
        let node = source.node(&sources, &mut diagnostics);
        let scenario = node.as_ref().and_then(|node| ScenarioText::read(node, &mut diagnostics));
        let prepared = scenario.as_ref().map(|scenario| runner.prepare(scenario, path, &mut diagnostics));
        let key = match &prepared {
            Some(Ok(prepared)) => Some(&prepared.model),
            Some(Err(key)) => key.as_ref(),
            None => None,
        };
        let mock = scenario.as_ref().and_then(|scenario| runner.mock_of(scenario, path));
        let cache = models.lock().unwrap_or_else(PoisonError::into_inner);
        context.report_loaded(&cache, key, &mock);
        drop(cache);
        context.report(&std::mem::take(&mut diagnostics), &sources);
        let (Some(scenario), Some(Ok(prepared))) = (scenario, prepared) else {
            return Ok(Exit::Unusable);
        };
        let outcome = writer.scenario(&prepared, &mut diagnostics)?;
        unread |= outcome.unread;
        if let Some(cassette) = prepared.cassette.filter(|_| outcome.asked) {
            let place = sources.place(scenario.span);
            let place = format!("{}:{}", place.path, place.line);
            if let Err(finding) = claims.take(cassette.path, "cassette", scenario.title, place) {
                diagnostics.push(*finding);
            }
        }
        context.report(&diagnostics, &sources);
        if diagnostics.has_errors() {
            return Ok(Exit::Unusable);
        }
        diagnostics = Diagnostics::default();
    }
    tell_usage(runner.answerers.as_ref());
    if writer.is_empty() {
        let finding = Diagnostic::error(Code::NoScenario, "the file holds no scenario");
        return Ok(context
            .fail(finding.about(path.display().to_string()).help("a scenario has `scenario: TITLE` and `turns`")));
    }
    Ok(if unread { Exit::Unavailable } else { Exit::Ok })
}
