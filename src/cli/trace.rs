//! `fsmsim trace`: play dialogues and print what happened.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};

use super::context::{Context, profile_of};
use super::exit::Exit;
use super::llm::{of_scenarios, tell_usage};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::{LineReader, Node, parse_json, read_file};
use crate::engine::ScriptedTurn;
use crate::machine::{Profile, Value};
use crate::project::{ArtifactClaims, ModelCache, ModelName};
use crate::runtime::{DialogueRunner, read_setup};
use crate::scenario::{FILE_LIMIT, Runner, ScenarioSource, ScenarioText};
use crate::script::{ScriptedDialogue, TurnOptions, duplicate_dialogue, parse_turn};
use crate::trace::{HeaderLine, JsonLine, RecordView, TraceTable};

/// The longest line of a turns file, in bytes.
const LINE_LIMIT: usize = 4 << 20;

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
    let mut printer =
        Printer { out, format: args.format, line: JsonLine::default(), printed: 0, unread: false };
    let exit = match &args.turns {
        Some(turns) => {
            let tracer = Tracer {
                library: ModelCache::new(args.config.clone()),
                profile,
                model: PathBuf::new(),
                turns: turns.clone(),
                seen: BTreeSet::new(),
            };
            tracer.run(&args.path, context, &mut printer)?
        }
        None => scenarios(args, profile, context, &mut printer)?,
    };
    printer.out.flush()?;
    Ok(exit)
}

/// Plays the scenarios of a file. The first that cannot be played ends the run.
fn scenarios<W: Write>(
    args: &TraceArgs,
    profile: Option<Profile>,
    context: &mut Context,
    printer: &mut Printer<W>,
) -> io::Result<Exit> {
    let path = Path::new(&args.path);
    if path.is_dir() {
        let finding = Diagnostic::error(Code::BadArguments, "a model is traced with the turns of a file");
        return Ok(context.fail(
            finding.about(path.display().to_string()).help("add `--turns FILE`, or name a scenario file"),
        ));
    }
    let mut sources = SourceMap::default();
    let mut diagnostics = Diagnostics::default();
    let Some(file) = read_file(path, FILE_LIMIT, &mut sources, &mut diagnostics) else {
        context.report(&diagnostics, &sources);
        return Ok(Exit::Unusable);
    };
    let project = context.project.clone();
    let mut library = ModelCache::new(args.config.clone());
    let Ok(outside) = of_scenarios(args.llm.as_deref(), &mut library, context) else {
        return Ok(Exit::Unusable);
    };
    let asked = outside.clone();
    let library = Mutex::new(library);
    let runner = Runner { project: &project, models: &library, profile, outside };
    let mut claims = ArtifactClaims::default();
    for source in ScenarioSource::all(file, path, &sources) {
        let node = source.node(&sources, &mut diagnostics);
        let scenario = node.as_ref().and_then(|node| ScenarioText::read(node, &mut diagnostics));
        let prepared = scenario.as_ref().map(|scenario| runner.prepare(scenario, path, &mut diagnostics));
        let key = match &prepared {
            Some(Ok(prepared)) => Some(prepared.model.clone()),
            Some(Err(key)) => key.clone(),
            None => None,
        };
        let mock = scenario.as_ref().and_then(|scenario| runner.mock_of(scenario, path));
        let loaded = library.lock().unwrap_or_else(PoisonError::into_inner);
        context.tell_of_loaded(&loaded, &key, &mock);
        drop(loaded);
        context.report(&diagnostics, &sources);
        let (Some(scenario), Some(Ok(prepared))) = (scenario, prepared) else {
            return Ok(Exit::Unusable);
        };
        diagnostics = Diagnostics::default();
        let answerer = prepared.answerer();
        let start = prepared.opening.start.clone();
        let mut player = prepared.opening.player(&prepared.machine);
        if let Some(answerer) = answerer {
            player = player.asking(answerer);
        }
        let turns = prepared.turns.turns.iter().map(|(turn, _)| &turn.scripted);
        let asks = printer.dialogue(scenario.title, &start, &mut player, turns)?;
        if let Some(cassette) = prepared.cassette.filter(|_| asks) {
            let place = sources.place(scenario.span);
            let place = format!("{}:{}", place.path, place.line);
            if let Err(finding) = claims.take(cassette.path, "cassette", scenario.title, place) {
                diagnostics.push(*finding);
            }
        }
        player.into_company().answerer.finish(&mut diagnostics);
        context.report(&diagnostics, &sources);
        if diagnostics.has_errors() {
            return Ok(Exit::Unusable);
        }
        diagnostics = Diagnostics::default();
    }
    tell_usage(asked.as_ref());
    if printer.printed == 0 {
        let finding = Diagnostic::error(Code::NoScenario, "the file holds no scenario");
        return Ok(context.fail(
            finding.about(path.display().to_string()).help("a scenario has `scenario: TITLE` and `turns`"),
        ));
    }
    Ok(if printer.unread { Exit::Unavailable } else { Exit::Ok })
}

/// Plays the dialogues of a turns file.
struct Tracer {
    library: ModelCache,
    model: PathBuf,
    /// The file of the turns, for paths that start beside it.
    turns: PathBuf,
    profile: Option<Profile>,
    seen: BTreeSet<String>,
}

impl Tracer {
    fn run<W: Write>(
        mut self,
        model: &str,
        context: &mut Context,
        printer: &mut Printer<W>,
    ) -> io::Result<Exit> {
        let mut diagnostics = Diagnostics::default();
        let Some(model) = ModelName::parse(model, &mut diagnostics) else {
            context.report(&diagnostics, &SourceMap::default());
            return Ok(Exit::Unusable);
        };
        self.profile = self.profile.or(model.profile);
        self.model = model.path;
        // The model is loaded even for a file without dialogues, so that its mistakes are told.
        let first = self.profile.or(context.project.profile).unwrap_or_default();
        let loaded = self.library.load(&self.model, first).is_some();
        context.tell_of_model(&self.library, &self.model, first);
        if !loaded {
            return Ok(Exit::Unusable);
        }
        let turns = self.turns.clone();
        if turns == Path::new("-") {
            return self.lines(&mut io::stdin().lock(), "standard input", context, printer);
        }
        match std::fs::File::open(&turns) {
            Ok(file) => {
                self.lines(&mut io::BufReader::new(file), &turns.display().to_string(), context, printer)
            }
            Err(error) => Ok(context.fail(crate::document::unreadable(&turns, &error))),
        }
    }

    /// Plays line by line. A line that cannot be read ends the run; what came before it is already written.
    fn lines<W: Write>(
        &mut self,
        input: &mut dyn BufRead,
        name: &str,
        context: &mut Context,
        printer: &mut Printer<W>,
    ) -> io::Result<Exit> {
        let mut lines = LineReader::new(input, name, LINE_LIMIT);
        loop {
            let (number, text) = match lines.read() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(Exit::Ok),
                Err(finding) => return Ok(context.fail(*finding)),
            };
            let mut diagnostics = Diagnostics::default();
            let mut sources = SourceMap::default();
            let file = sources.add_piece(name, text, number);
            let text = sources.file(file).map(|file| file.text().clone()).unwrap_or_default();
            let played = match parse_json(file, &text, 0, &mut diagnostics) {
                Some(node) => self.dialogue(&node, context, &mut diagnostics, printer)?,
                None => false,
            };
            context.report(&diagnostics, &sources);
            if !played {
                return Ok(Exit::Unusable);
            }
        }
    }

    /// Plays one dialogue. `false`, with findings, where it cannot be read.
    fn dialogue<W: Write>(
        &mut self,
        node: &Node,
        context: &mut Context,
        diagnostics: &mut Diagnostics,
        printer: &mut Printer<W>,
    ) -> io::Result<bool> {
        let Some(dialogue) = ScriptedDialogue::read(node, diagnostics).filter(|_| !diagnostics.has_errors())
        else {
            return Ok(false);
        };
        if !self.seen.insert(dialogue.id.to_owned()) {
            diagnostics.push(duplicate_dialogue(dialogue.id, node));
            return Ok(false);
        }
        let profile = self.profile.or(dialogue.profile).or(context.project.profile).unwrap_or_default();
        let machine = self.library.load(&self.model, profile);
        context.tell_of_model(&self.library, &self.model, profile);
        let Some(machine) = machine else { return Ok(false) };
        let start = {
            let project = &context.project;
            let file = |path: &str| project.resolve(path, &self.turns);
            read_setup(&machine, dialogue.signals, dialogue.start, &file, diagnostics)
        };
        let turns: Vec<_> = dialogue
            .turns
            .iter()
            .map(|turn| parse_turn(turn, &machine, TurnOptions::default(), diagnostics))
            .collect();
        let Some(opening) = start.filter(|_| !diagnostics.has_errors()) else {
            return Ok(false);
        };
        let start = opening.start.clone();
        let mut player = opening.player(&machine);
        printer.dialogue(
            dialogue.id,
            &start,
            &mut player,
            turns.iter().flatten().map(|turn| &turn.scripted),
        )?;
        Ok(true)
    }
}

/// Prints dialogues as they are played.
struct Printer<W: Write> {
    out: W,
    format: TraceFormat,
    /// A line in the making, used again from turn to turn.
    line: JsonLine,
    printed: usize,
    /// Nobody read what was said in some turn.
    unread: bool,
}

impl<W: Write> Printer<W> {
    /// Prints a dialogue; whether somebody was asked in it.
    fn dialogue<'t>(
        &mut self,
        id: &str,
        start: &Value,
        player: &mut DialogueRunner<'_>,
        turns: impl Iterator<Item = &'t ScriptedTurn>,
    ) -> io::Result<bool> {
        let mut asks = false;
        let machine = player.machine();
        let mut table = TraceTable::default();
        if self.format == TraceFormat::Jsonl {
            let header = HeaderLine { dialogue: id, machine, settings: player.settings(), start };
            self.write_line(|line| header.write(line))?;
        }
        for scripted in turns {
            player.play(scripted);
            asks |= player.has_asked();
            self.unread |= player.unread().is_some();
            let line = RecordView { machine, session: player.session(), scripted, record: player.record() };
            match self.format {
                TraceFormat::Jsonl => self.write_line(|json| line.write(json))?,
                TraceFormat::Table => table.push(&line),
            }
        }
        if self.format == TraceFormat::Table {
            if self.printed > 0 {
                writeln!(self.out)?;
            }
            let id = crate::diagnostic::escape_control(id);
            writeln!(
                self.out,
                "{id} ({}, profile {})",
                machine.header.name,
                player.settings().profile.name()
            )?;
            write!(self.out, "{}", table.render())?;
        }
        self.printed += 1;
        Ok(asks)
    }

    fn write_line(&mut self, write: impl FnOnce(&mut JsonLine)) -> io::Result<()> {
        self.line.clear();
        write(&mut self.line);
        self.out.write_all(self.line.as_bytes())?;
        self.out.write_all(b"\n")
    }
}
