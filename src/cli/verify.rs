//! `fsmsim verify`: does a recorded trace keep to a model.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::context::{Context, profile_of};
use super::exit::Exit;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use crate::document::{DEFINITION_LIMIT, Node, parse_yaml, read_file, unreadable};
use crate::machine::{Machine, Profile};
use crate::project::{ModelCache, ModelName};
use crate::report::VerificationReport;
use crate::runtime::DialogueSetup;
use crate::script::read_profile;
use crate::verify::import::{BorrowedJson, ObservedDialogue, ObservedReader, ObservedText, TraceMap};
use crate::verify::{Finding, Mode, Reachability, verify_replay, verify_structure};

/// Dialogues that cannot be used, after which the rest of a trace is not read.
const MAX_FAULTS: usize = 20;

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
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    format: VerifyFormat,
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
enum VerifyFormat {
    /// For people
    Text,
    /// A JSON object a line for each finding, and one in the end
    Json,
}

/// Runs the command.
pub(super) fn run(args: &VerifyArgs, context: &mut Context) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::default();
    let profile = args.profile.as_deref().and_then(|name| profile_of(name, &mut diagnostics));
    let model = ModelName::parse(&args.model, &mut diagnostics);
    let mut sources = SourceMap::default();
    let map = args.map.as_deref().map(|path| read_map(path, &mut sources, &mut diagnostics));
    context.report(&diagnostics, &sources);
    let (Some(model), false) = (model, diagnostics.has_errors()) else { return Ok(Exit::Unusable) };
    let map = map.flatten();
    let profile = profile.or(model.profile);
    // The model is loaded even for a trace without dialogues, so that its mistakes are told.
    let mut library = ModelCache::new(args.config.clone());
    let usual = profile.or(context.project.profile).unwrap_or_default();
    let loaded = library.load(&model.path, usual).is_some();
    context.report_model(&library, &model.path, usual);
    if !loaded {
        return Ok(Exit::Unusable);
    }
    let reader = match open(&args.trace, map) {
        Ok(reader) => reader,
        Err(finding) => return Ok(context.fail(*finding)),
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
fn read_map(path: &Path, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<TraceMap> {
    let file = read_file(path, DEFINITION_LIMIT, sources, diagnostics)?;
    let text = sources.file(file).map(|file| file.text().clone())?;
    let node = parse_yaml(file, &text, 0, diagnostics).filter(|_| !diagnostics.has_errors())?;
    TraceMap::read(&node, diagnostics)
}

type TraceInput = ObservedReader<Box<dyn BufRead>>;

fn open(path: &Path, map: Option<TraceMap>) -> Result<TraceInput, Box<Diagnostic>> {
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
    library: ModelCache,
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
        mut reader: TraceInput,
        sources: &mut SourceMap,
        context: &mut Context,
    ) -> io::Result<Exit> {
        let mut grounds: BTreeMap<Profile, Option<Reachability>> = BTreeMap::new();
        let mut read = 0_u64;
        while self.unusable < MAX_FAULTS {
            let mut diagnostics = Diagnostics::default();
            let mut pieces = SourceMap::default();
            let text = reader.read(&mut diagnostics, &mut pieces);
            self.unusable += diagnostics.error_count();
            context.report(&diagnostics, &pieces);
            let Some(text) = text else { break };
            read += 1;
            let mut diagnostics = Diagnostics::default();
            let dialogue = reader.open(&text, &mut diagnostics, &mut pieces);
            if let Some(dialogue) = dialogue.filter(|_| !diagnostics.has_errors()) {
                let mut place = |line| piece(reader.name(), &text, line, &mut pieces);
                let profile = self.profile_of(&dialogue, &mut place, &mut diagnostics);
                if let Some(profile) = profile {
                    let ground = grounds.entry(profile).or_insert_with(|| self.ground(profile, context));
                    let findings = ground.as_ref().and_then(|ground| {
                        self.verify(ground, &dialogue, &mut place, &mut diagnostics, context)
                    });
                    match findings {
                        Some(findings) => self.report(dialogue.turns.len(), profile, findings)?,
                        None => self.unusable += usize::from(!diagnostics.has_errors()),
                    }
                }
            }
            self.unusable += diagnostics.error_count();
            context.report(&diagnostics, &pieces);
        }
        let mut diagnostics = Diagnostics::default();
        reader.check(&mut diagnostics);
        if read == 0 && self.unusable == 0 {
            let finding = Diagnostic::error(Code::EmptyTrace, "the trace holds no dialogue");
            diagnostics.push(finding.about(reader.name().to_owned()).help("name a trace with dialogues"));
        }
        self.unusable += diagnostics.error_count();
        context.report(&diagnostics, sources);
        self.report.tally().unusable = self.unusable as u64;
        if self.report.tally().dialogues > 0 {
            match self.args.format {
                VerifyFormat::Text => self.report.write_text(&mut self.out)?,
                VerifyFormat::Json => self.report.write_closing(&mut self.out)?,
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
    fn ground(&mut self, profile: Profile, context: &mut Context) -> Option<Reachability> {
        let machine = self.library.load(&self.model, profile);
        context.report_model(&self.library, &self.model, profile);
        machine.map(Reachability::of)
    }

    /// The profile of a dialogue; nothing, with findings, where it names one that there is not.
    fn profile_of(
        &self,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<Profile> {
        let named = dialogue.profile.as_ref().filter(|named| !named.is_null());
        match (self.profile, named) {
            (Some(profile), _) => Some(profile),
            (None, Some(named)) => {
                let known = named.text().and_then(Profile::from_name);
                known.or_else(|| read_profile(&named.to_node(place(dialogue.line)), diagnostics))
            }
            (None, None) => Some(self.usual),
        }
    }

    /// All findings about a dialogue. `None`, with findings of their own, where it cannot be held against the model.
    fn verify(
        &self,
        ground: &Reachability,
        dialogue: &ObservedDialogue<'_>,
        place: &mut dyn FnMut(usize) -> Span,
        diagnostics: &mut Diagnostics,
        context: &Context,
    ) -> Option<Vec<Finding>> {
        let machine = ground.machine();
        let setup = self.begin(machine, dialogue, place, diagnostics, context)?;
        match self.mode {
            Mode::Structure => Some(verify_structure(ground, &setup.settings, dialogue)),
            Mode::Replay => {
                let divergence = verify_replay(machine, setup, dialogue, diagnostics, place).ok()?;
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
        diagnostics: &mut Diagnostics,
        context: &Context,
    ) -> Option<DialogueSetup> {
        let path = |path: &str| context.project.resolve(path, &self.args.trace);
        let mut trial = Diagnostics::default();
        let at = Span::start_of(SourceMap::default().add("", ""));
        let start = |span: Span, diagnostics: &mut Diagnostics| {
            let node = |json: Option<&BorrowedJson<'_>>| json.map(|json| json.to_node(span));
            let (signals, start): (Option<Node>, Option<Node>) =
                (node(dialogue.signals.as_ref()), node(dialogue.start.as_ref()));
            let signals = signals.filter(|signals| !signals.is_null());
            DialogueSetup::read(machine, signals.as_ref(), start.as_ref(), &path, diagnostics)
        };
        // Places are worked out only where they are told.
        start(at, &mut trial).or_else(|| start(place(dialogue.line), diagnostics))
    }

    /// Tells what was found about a dialogue.
    fn report(&mut self, turns: usize, profile: Profile, findings: Vec<Finding>) -> io::Result<()> {
        self.report.tally().push(turns, profile, &findings);
        match self.args.format {
            VerifyFormat::Json => self.report.write_findings(&findings, &mut self.out)?,
            VerifyFormat::Text => self.report.keep(findings),
        }
        Ok(())
    }
}

/// The place of a line of a dialogue.
fn piece(name: &str, text: &ObservedText, line: usize, pieces: &mut SourceMap) -> Span {
    let content = text.line(line);
    Span::new(pieces.add_piece(name, content, line), 0, content.len())
}
