//! `fsmsim verify`: does a recorded trace keep to a model.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::context::{Context, profile_of};
use super::exit::Exit;
use crate::analysis::{Finding, Ground, Mode, verify_replay, verify_structure};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use crate::document::{DEFINITION_LIMIT, Node, parse_yaml, read_file, unreadable};
use crate::drive::{Library, ModelName, Opening, read_profile, start_dialogue};
use crate::machine::{Machine, Profile};
use crate::report::VerificationReport;
use crate::trace::observed::{Json, ObservedDialogue, ObservedReader, ObservedText, TraceMap};

/// Dialogues that cannot be used, after which the rest of a trace is not read.
const PATIENCE: usize = 20;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The trace (JSON lines); `-` reads standard input
    trace: PathBuf,
    /// The model: a folder or file; `PATH@PROFILE` fixes the profile
    #[arg(long, value_name = "MODEL")]
    model: String,
    /// Where the fields of another system's trace are (YAML)
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Whether the trace keeps to what the model declares, or whether the model would have done the same
    #[arg(long, value_enum, default_value_t = ModeName::Structure)]
    mode: ModeName,
    /// The profile, whatever the dialogues say
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Findings that are shown as text; JSON has all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

/// How a trace is held against a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ModeName {
    /// By what the model declares
    Structure,
    /// By playing what went in
    Replay,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// A JSON object a line for each finding, and one in the end
    Json,
}

/// Runs the command.
pub(super) fn run(args: &VerifyArgs, context: &mut Context) -> io::Result<Exit> {
    let mut found = Diagnostics::default();
    let profile = args.profile.as_deref().and_then(|name| profile_of(name, &mut found));
    let model = ModelName::parse(&args.model, &mut found);
    let mut sources = SourceMap::default();
    let map = args.map.as_deref().map(|path| read_map(path, &mut sources, &mut found));
    context.tell(&found, &sources);
    let (Some(model), false) = (model, found.has_errors()) else { return Ok(Exit::Unusable) };
    let map = map.flatten();
    let profile = profile.or(model.profile);
    // The model is loaded even for a trace without dialogues, so that its mistakes are told.
    let mut library = Library::new(args.config.clone());
    let usual = profile.or(context.project.profile).unwrap_or_default();
    let loaded = library.load(&model.path, usual).is_some();
    context.tell_of_model(&library, &model.path, usual);
    if !loaded {
        return Ok(Exit::Unusable);
    }
    let reader = match open(&args.trace, map) {
        Ok(reader) => reader,
        Err(finding) => return Ok(context.refuse(*finding)),
    };
    let mode = match args.mode {
        ModeName::Structure => Mode::Structure,
        ModeName::Replay => Mode::Replay,
    };
    let name = model.path.display().to_string();
    let report = VerificationReport::new(reader.name().to_owned(), name, mode, args.limit);
    let mut verifier = Verifier {
        args,
        mode,
        library,
        model: model.path,
        profile,
        usual,
        report,
        out: io::BufWriter::new(io::stdout().lock()),
        unusable: 0,
    };
    verifier.run(reader, &mut sources, context)
}

/// Reads the file of `--map`. `None`, with findings, where it cannot be used.
fn read_map(path: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<TraceMap> {
    let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
    let text = sources.file(file).map(|file| file.text().clone())?;
    let node = parse_yaml(file, &text, 0, found).filter(|_| !found.has_errors())?;
    TraceMap::read(&node, found)
}

type Reader = ObservedReader<Box<dyn BufRead>>;

fn open(path: &Path, map: Option<TraceMap>) -> Result<Reader, Box<Diagnostic>> {
    if path == Path::new("-") {
        return Ok(ObservedReader::new(Box::new(io::stdin().lock()), "standard input", map));
    }
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    let input: Box<dyn BufRead> = Box::new(BufReader::with_capacity(1 << 18, file));
    Ok(ObservedReader::new(input, &path.display().to_string(), map))
}

/// Holds one dialogue after the other against the model.
struct Verifier<'a, W: Write> {
    args: &'a VerifyArgs,
    mode: Mode,
    library: Library,
    model: PathBuf,
    /// The profile, whatever the dialogues say.
    profile: Option<Profile>,
    /// The profile of dialogues that say nothing.
    usual: Profile,
    report: VerificationReport,
    out: W,
    /// Dialogues that could not be used.
    unusable: usize,
}

impl<W: Write> Verifier<'_, W> {
    fn run(
        &mut self,
        mut reader: Reader,
        sources: &mut SourceMap,
        context: &mut Context,
    ) -> io::Result<Exit> {
        let mut grounds: BTreeMap<Profile, Option<Ground>> = BTreeMap::new();
        let mut read = 0_u64;
        while self.unusable < PATIENCE {
            let mut found = Diagnostics::default();
            let mut pieces = SourceMap::default();
            let text = reader.read(&mut found, &mut pieces);
            self.unusable += found.error_count();
            context.tell(&found, &pieces);
            let Some(text) = text else { break };
            read += 1;
            let mut found = Diagnostics::default();
            let dialogue = reader.open(&text, &mut found, &mut pieces);
            if let Some(dialogue) = dialogue.filter(|_| !found.has_errors()) {
                let mut place = |line| piece(reader.name(), &text, line, &mut pieces);
                let profile = self.profile_of(&dialogue, &mut place, &mut found);
                if let Some(profile) = profile {
                    let ground = grounds.entry(profile).or_insert_with(|| self.ground(profile, context));
                    let findings = ground
                        .as_ref()
                        .and_then(|ground| self.verify(ground, &dialogue, &mut place, &mut found, context));
                    match findings {
                        Some(findings) => self.tell(dialogue.turns.len(), profile, findings)?,
                        None => self.unusable += usize::from(!found.has_errors()),
                    }
                }
            }
            self.unusable += found.error_count();
            context.tell(&found, &pieces);
        }
        let mut found = Diagnostics::default();
        reader.check(&mut found);
        if read == 0 && self.unusable == 0 {
            let finding = Diagnostic::error(Code::EmptyTrace, "the trace holds no dialogue");
            found.push(finding.about(reader.name().to_owned()).help("name a trace with dialogues"));
        }
        self.unusable += found.error_count();
        context.tell(&found, sources);
        self.report.tally().unusable = self.unusable as u64;
        if self.report.tally().dialogues > 0 {
            match self.args.format {
                Format::Text => self.report.write_text(&mut self.out)?,
                Format::Json => self.report.write_closing(&mut self.out)?,
            }
        }
        self.out.flush()?;
        Ok(match (self.unusable, self.report.tally().broken) {
            (0, 0) => Exit::Ok,
            (0, _) => Exit::Failed,
            _ => Exit::Unusable,
        })
    }

    /// What the model can do in a profile; nothing, once told, where it cannot be used.
    fn ground(&mut self, profile: Profile, context: &mut Context) -> Option<Ground> {
        let machine = self.library.load(&self.model, profile);
        context.tell_of_model(&self.library, &self.model, profile);
        machine.map(Ground::of)
    }

    /// The profile of a dialogue; nothing, with findings, where it names one that there is not.
    fn profile_of(
        &self,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        found: &mut Diagnostics,
    ) -> Option<Profile> {
        let named = dialogue.profile.as_ref().filter(|named| !named.is_null());
        match (self.profile, named) {
            (Some(profile), _) => Some(profile),
            (None, Some(named)) => {
                let known = named.text().and_then(Profile::from_name);
                known.or_else(|| read_profile(&named.to_node(place(dialogue.line)), found))
            }
            (None, None) => Some(self.usual),
        }
    }

    /// All findings about a dialogue. `None`, with findings of their own, where it cannot be held against the model.
    fn verify(
        &self,
        ground: &Ground,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        found: &mut Diagnostics,
        context: &Context,
    ) -> Option<Vec<Finding>> {
        let machine = ground.machine();
        let opening = self.begin(machine, dialogue, place, found, context)?;
        match self.mode {
            Mode::Structure => Some(verify_structure(ground, &opening.settings, dialogue)),
            Mode::Replay => {
                let divergence = verify_replay(machine, opening, dialogue, found, place).ok()?;
                Some(divergence.into_iter().collect())
            }
        }
    }

    /// With what a dialogue starts.
    fn begin(
        &self,
        machine: &Machine,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        found: &mut Diagnostics,
        context: &Context,
    ) -> Option<Opening> {
        let path = |path: &str| context.project.resolve(path, &self.args.trace);
        let mut trial = Diagnostics::default();
        let at = Span::start_of(SourceMap::default().add("", ""));
        let start = |span: Span, found: &mut Diagnostics| {
            let node = |json: Option<&Json<'_>>| json.map(|json| json.to_node(span));
            let (signals, start): (Option<Node>, Option<Node>) =
                (node(dialogue.signals.as_ref()), node(dialogue.start.as_ref()));
            let signals = signals.filter(|signals| !signals.is_null());
            start_dialogue(machine, signals.as_ref(), start.as_ref(), &path, found)
        };
        // Places are worked out only where they are told.
        start(at, &mut trial).or_else(|| start(place(dialogue.line), found))
    }

    /// Tells what was found about a dialogue.
    fn tell(&mut self, turns: usize, profile: Profile, findings: Vec<Finding>) -> io::Result<()> {
        self.report.tally().push(turns, profile, &findings);
        match self.args.format {
            Format::Json => self.report.write_findings(&findings, &mut self.out)?,
            Format::Text => self.report.keep(findings),
        }
        Ok(())
    }
}

/// The place of a line of a dialogue.
fn piece(name: &str, text: &ObservedText, line: usize, pieces: &mut SourceMap) -> Span {
    let content = text.line(line);
    Span::new(pieces.add_piece(name, content, line), 0, content.len())
}
