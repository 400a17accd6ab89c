//! `fsmsim diff`: what differs between two traces, or between two models over the same scenarios.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::{Args, ValueEnum};

use super::context::{Context, profile_of};
use super::exit::Exit;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, nearest};
use crate::diff::{
    DialogueStream, DiffOperand, DifferenceKind, Divergence, ModelDiff, Pairing, Side, Titles,
    TraceComparison, candidate,
};
use crate::document::read_file;
use crate::machine::Profile;
use crate::project::{GitCheckout, ModelCache, ModelName};
use crate::report::DifferenceReport;
use crate::scenario::{FILE_LIMIT, ModelKey, Runner, ScenarioSource, scenario_files};
use crate::trace::TracedDialogue;

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// A trace (`.jsonl`, `-` is standard input), scenarios (a file or folder), or a model: `PATH`, `PATH@PROFILE`,
    /// `git:REVISION:PATH[@PROFILE]`
    a: String,
    /// The same, to compare with
    b: String,
    /// Scenarios over which two models are compared: those that name one of them; without any, those of the project
    #[arg(long, value_name = "PATH", num_args = 1..)]
    scenarios: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = DiffFormat::Text)]
    format: DiffFormat,
    /// Turns that are shown before and behind the first difference of a dialogue
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(..=1000))]
    context: u16,
    /// Only differences of these kinds: turns, state, phase, class, carryover, action, effect, data, reason, input
    #[arg(long, value_name = "KIND,…", value_delimiter = ',')]
    only: Vec<String>,
    /// The profile, whatever the models and scenarios say
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
}

/// How to print a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// A page of HTML that needs nothing else
    Html,
}

/// What all comparisons need.
struct Differ<'a> {
    args: &'a DiffArgs,
    only: Vec<DifferenceKind>,
    profile: Option<Profile>,
    context: &'a mut Context,
    /// Something could not be read or played.
    troubled: bool,
    /// Nobody read what was said in some turn.
    unread: bool,
}

/// Runs the command.
pub(super) fn run(args: &DiffArgs, context: &mut Context) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::default();
    let profile = args.profile.as_deref().and_then(|name| profile_of(name, &mut diagnostics));
    let only = kinds(&args.only, &mut diagnostics);
    if args.a == "-" && args.b == "-" {
        let finding = Diagnostic::error(Code::BadArguments, "only one side can be read from standard input");
        diagnostics.push(finding.help("name a file for the other side"));
    }
    let sides = (DiffOperand::of(&args.a, &mut diagnostics), DiffOperand::of(&args.b, &mut diagnostics));
    context.report(&diagnostics, &SourceMap::default());
    let ((Some(a), Some(b)), false) = (sides, diagnostics.has_errors()) else { return Ok(Exit::Unusable) };
    let mut differ = Differ { args, only, profile, context, troubled: false, unread: false };
    let comparison = match (&a, &b) {
        (DiffOperand::Model(one, first), DiffOperand::Model(other, second)) => {
            differ.models((one, first.as_ref()), (other, second.as_ref()))
        }
        (DiffOperand::Model(..), _) | (_, DiffOperand::Model(..)) => {
            let title = format!("`{}` is {} and `{}` is {}", args.a, a.kind(), args.b, b.kind());
            let help = "compare models with models, and traces and scenarios with each other";
            return Ok(differ.context.fail(Diagnostic::error(Code::BadComparison, title).help(help)));
        }
        _ => differ.dialogues(&a, &b),
    };
    let Some(comparison) = comparison else { return Ok(Exit::Unusable) };
    let exit = match (differ.troubled, comparison.is_same(), differ.unread) {
        (true, ..) => Exit::Unusable,
        (_, false, _) => Exit::Failed,
        (.., true) => Exit::Unavailable,
        _ => Exit::Ok,
    };
    let report = DifferenceReport { a: args.a.clone(), b: args.b.clone(), comparison };
    let mut out = io::BufWriter::new(io::stdout().lock());
    match args.format {
        DiffFormat::Text => report.write_text(&mut out)?,
        DiffFormat::Json => report.write_json(&mut out)?,
        DiffFormat::Html => report.write_html(&mut out)?,
    }
    out.flush()?;
    Ok(exit)
}

/// The kinds of these names.
fn kinds(names: &[String], diagnostics: &mut Diagnostics) -> Vec<DifferenceKind> {
    let known = || DifferenceKind::ALL.iter().map(|kind| kind.name());
    let mut kinds = Vec::new();
    for name in names {
        match DifferenceKind::from_name(name) {
            Some(kind) => kinds.push(kind),
            None => {
                let title = format!("`--only` names `{name}`, which is no kind of difference");
                let all = known().collect::<Vec<_>>().join(", ");
                let finding = Diagnostic::error(Code::BadArguments, title);
                diagnostics.push(finding.suggest(nearest(name, known()), format!("kinds: {all}")));
            }
        }
    }
    kinds
}

impl Differ<'_> {
    /// Compares dialogues of traces and of scenarios. `None`, once told, where a side cannot be read.
    fn dialogues(&mut self, a: &DiffOperand, b: &DiffOperand) -> Option<TraceComparison> {
        let only_traces = matches!((a, b), (DiffOperand::Trace(_), DiffOperand::Trace(_)));
        let mut useless = Vec::new();
        useless.extend((!self.args.scenarios.is_empty()).then_some("--scenarios"));
        useless.extend((only_traces && self.profile.is_some()).then_some("--profile"));
        useless.extend((only_traces && self.args.config.is_some()).then_some("--config"));
        if let [option, ..] = useless.as_slice() {
            let title = format!("`{option}` is for models, and these are {} and {}", a.kind(), b.kind());
            self.context.fail(Diagnostic::error(Code::BadArguments, title).help("leave it out"));
            return None;
        }
        let project = self.context.project.clone();
        let library = Mutex::new(ModelCache::new(self.args.config.clone()));
        let runner = runner(&project, &library, self.profile);
        let (mut diagnostics, mut sources) = (Diagnostics::default(), SourceMap::default());
        let open = |side: &DiffOperand, diagnostics: &mut Diagnostics| match side {
            DiffOperand::Trace(path) => DialogueStream::trace(path, diagnostics),
            DiffOperand::Scenarios(path) => Some(DialogueStream::scenarios(path, &runner, diagnostics)),
            DiffOperand::Model(..) => None,
        };
        let (stream_a, stream_b) = (open(a, &mut diagnostics), open(b, &mut diagnostics));
        let (Some(mut stream_a), Some(mut stream_b)) = (stream_a, stream_b) else {
            self.context.report(&diagnostics, &sources);
            return None;
        };
        let names = [stream_a.name(), stream_b.name()];
        let mut comparison = TraceComparison::default();
        let mut pairing = Pairing::default();
        loop {
            let next = [
                stream_a.next(&mut diagnostics, &mut sources),
                stream_b.next(&mut diagnostics, &mut sources),
            ];
            if next.iter().all(Option::is_none) {
                break;
            }
            for (side, dialogue) in [Side::A, Side::B].into_iter().zip(next) {
                let paired = dialogue.and_then(|dialogue| pairing.push(side, dialogue));
                if let Some((place, a, b)) = paired {
                    self.pair(place, [&a, &b], &names, &mut comparison, (&mut diagnostics, &mut sources));
                }
            }
        }
        for (side, place, dialogue) in pairing.finish() {
            let name = if side == Side::A { &names[0] } else { &names[1] };
            dialogue.turns(name, &mut diagnostics, &mut sources);
            comparison.push_only(side, place, dialogue.header.dialogue);
        }
        let mut unreadable = false;
        for stream in [&stream_a, &stream_b] {
            match stream {
                DialogueStream::Trace(_) => unreadable = true,
                DialogueStream::Scenarios(scenarios) => {
                    self.tell_of_models(&library, &scenarios.models);
                    let library = library.lock().unwrap_or_else(PoisonError::into_inner);
                    for mock in &scenarios.mocks {
                        self.context.report_mock(&library, mock);
                    }
                    comparison.counts.unplayable += scenarios.unplayable;
                    self.unread |= scenarios.unread;
                }
            }
        }
        self.context.report(&diagnostics, &sources);
        self.troubled = diagnostics.has_errors() || comparison.counts.unplayable > 0;
        // Half of a trace says nothing about the rest.
        (!(unreadable && diagnostics.has_errors())).then(|| comparison.finish())
    }

    /// Compares a dialogue that both sides have.
    fn pair(
        &self,
        place: usize,
        [a, b]: [&TracedDialogue; 2],
        names: &[String; 2],
        comparison: &mut TraceComparison,
        (diagnostics, sources): (&mut Diagnostics, &mut SourceMap),
    ) {
        let turns_a = a.turns(&names[0], diagnostics, sources);
        if a.is_written_like(b) {
            comparison.counts.same += 1;
            return;
        }
        let turns_b = b.turns(&names[1], diagnostics, sources);
        let (Some(turns_a), Some(turns_b)) = (turns_a, turns_b) else { return };
        match Divergence::find(&turns_a, &turns_b, &self.only, self.args.context.into()) {
            Some(divergence) => comparison.push(place, a.header.dialogue.clone(), divergence, None),
            None => comparison.counts.same += 1,
        }
    }

    /// Compares two models over scenarios. `None`, once told, where nothing could be compared.
    fn models(
        &mut self,
        a: (&ModelName, Option<&GitCheckout>),
        b: (&ModelName, Option<&GitCheckout>),
    ) -> Option<TraceComparison> {
        let candidates = [a, b].map(|(model, revision)| candidate(model, revision));
        for candidate in &candidates {
            self.context.rename(&candidate.names);
        }
        let project = self.context.project.clone();
        let library = Mutex::new(ModelCache::new(self.args.config.clone()));
        let runner = runner(&project, &library, self.profile);
        let (mut diagnostics, mut sources) = (Diagnostics::default(), SourceMap::default());
        let given = &self.args.scenarios;
        let paths = if given.is_empty() { vec![project.scenarios.clone()] } else { given.clone() };
        let files = scenario_files(&paths, &mut diagnostics);
        let only = std::mem::take(&mut self.only);
        let versus =
            ModelDiff { runner: &runner, candidates, only: &only, context: self.args.context.into() };
        let mut comparison = TraceComparison::default();
        let mut titles = Titles::default();
        let mut models = Vec::new();
        let mut place = 0;
        for path in &files {
            let Some(file) = read_file(path, FILE_LIMIT, &mut sources, &mut diagnostics) else { continue };
            for source in ScenarioSource::all(file, path, &sources) {
                let mut name = |title: &str| titles.name(title, &beside(path, &paths));
                let at = (&mut sources, &mut diagnostics);
                let outcome = versus.run(&source, &mut name, place, &mut comparison, at);
                models.extend(outcome.models);
                self.unread |= outcome.unread.is_some();
                place += 1;
            }
        }
        self.tell_of_models(&library, &models);
        self.context.report(&diagnostics, &sources);
        self.troubled = diagnostics.has_errors() || comparison.counts.unplayable > 0;
        let counts = comparison.counts;
        if counts.same + counts.different + counts.unplayable == 0 && !self.troubled {
            let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            let mut names = vec![a.0.path.display().to_string(), b.0.path.display().to_string()];
            names.dedup();
            let title = format!("no scenario names `{}`", names.join("` or `"));
            let finding = Diagnostic::error(Code::NoScenario, title).about(shown.join(", "));
            self.context.fail(
                finding
                    .help("`model:` of a scenario names the model; `--scenarios PATH…` names the scenarios"),
            );
            return None;
        }
        Some(comparison.finish())
    }

    /// Tells what was found while loading models.
    fn tell_of_models(&mut self, library: &Mutex<ModelCache>, models: &[ModelKey]) {
        let library = library.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, profile) in models {
            self.context.report_model(&library, path, *profile);
        }
    }
}

/// What plays scenarios, each as it says itself.
fn runner<'r>(
    project: &'r crate::project::Project,
    library: &'r Mutex<ModelCache>,
    profile: Option<Profile>,
) -> Runner<'r> {
    Runner { project, library, profile, snapshot_fields: None, outside: None, repeat: None }
}

/// A file, seen from the path under which it was found.
fn beside(file: &Path, paths: &[PathBuf]) -> PathBuf {
    let inner = paths.iter().find_map(|path| file.strip_prefix(path).ok());
    inner.filter(|inner| !inner.as_os_str().is_empty()).unwrap_or(file).to_path_buf()
}
