//! `fsmsim verify`: does a recorded trace keep to a model.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::context::{Context, profile_of, threads};
use super::exit::{Exit, Stop};
use super::verify_audit;
use super::verify_output::VerifyOutput;
use fsmsim_harness::verify::import::{ObservedReader, TraceMap};
use fsmsim_harness::verify::{Judgement, Mode, Verifier};
use fsmsim_reports::report::{ReportHead, ReportKind, ReportTarget, ReportedRun};
use fsmsim_runtime::project::{ModelCache, ModelName};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::InputStream;
use fsmsim_syntax::threads::{Mutex, Shard};

/// Lines that `--group` holds at most, if it does not say.
const GROUP: &str = "100000";

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The trace (JSON lines); `-` reads standard input
    #[arg(required_unless_present = "audit")]
    trace: Option<PathBuf>,
    /// The model: a folder with `flow.yaml` or with states in markdown, or a file (a flow, an interview, a contract, a cycle; a
    /// document with a table of transitions); `PATH@PROFILE` fixes the profile
    #[arg(long, value_name = "MODEL", required_unless_present = "audit")]
    model: Option<String>,
    /// Instead: the memory of a cycle, whose audit is to be whole
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trace", "model", "map", "group", "profile", "config", "shard", "report"])]
    audit: Option<PathBuf>,
    /// Where the fields of another system's trace are (YAML)
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// The lines of dialogues are mixed: gather those of each. At most so many lines are held, 100000 if not said
    #[arg(long, value_name = "LINES", num_args = 0..=1, require_equals = true, default_missing_value = GROUP, value_parser = clap::value_parser!(u32).range(1..))]
    group: Option<u32>,
    /// Whether the trace keeps to what the model declares, or whether the model would have done the same
    #[arg(long, value_enum, default_value_t = Mode::Structure)]
    mode: Mode,
    /// The profile, whatever the dialogues say
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The configuration root, instead of the nearest folder with `constants.yaml`
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// Only this share of the dialogues, such as 1/3: by the hash of the name
    #[arg(long, value_name = "NUMBER/OF")]
    shard: Option<Shard>,
    /// How to print
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub(super) format: VerifyFormat,
    /// Write a report, `json`: to a file, or in place of the text
    #[arg(long, value_name = "KIND[=FILE]", value_parser = |text: &str| ReportTarget::parse(text, &KINDS))]
    pub(super) report: Vec<ReportTarget>,
    /// Findings that are shown as text and in a report, the first of the trace; `--format jsonl` has all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) limit: usize,
    /// Threads; as many as there are processors, if not said
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum VerifyFormat {
    /// For people
    Text,
    /// One JSON object, as `--report json` has it
    Json,
    /// A JSON object a line for each dialogue, and nothing else
    Jsonl,
}

/// The reports that there are of a verification.
pub(super) const KINDS: [ReportKind; 1] = [ReportKind::Json];

/// Runs the command.
pub(super) fn run(args: &VerifyArgs, context: &mut Context) -> Result<Exit, Stop> {
    if let Some(file) = &args.audit {
        return verify_audit::run(file, args.format);
    }
    let targets = targets(args)?;
    let (trace, model) = (
        args.trace.as_deref().unwrap_or(Path::new("-")),
        args.model.as_deref().unwrap_or_default(),
    );
    let mut diagnostics = Diagnostics::default();
    let profile = profile_of(args.profile.as_deref(), &mut diagnostics);
    let model = ModelName::parse(model, &mut diagnostics);
    let mut sources = SourceMap::default();
    let map = args
        .map
        .as_deref()
        .map(|path| TraceMap::load(path, &mut sources, &mut diagnostics));
    let map = map.flatten();
    let is_gathered = args.map.is_some() && map.as_ref().is_none_or(|map| !map.is_of_dialogues());
    if args.group.is_some() && !is_gathered {
        diagnostics.push(ungrouped(map.is_some()));
    }
    let model = context.usable(model, &diagnostics, &sources)?;
    let profile = profile.or(model.profile);
    // The model is loaded even for a trace without dialogues, so that its mistakes are told.
    let mut models = ModelCache::new(&context.project, args.config.clone());
    let usual = profile.or(context.project.profile).unwrap_or_default();
    let machine = context.load_model(&model.path, usual, &mut models)?;
    let mut head = ReportHead::new(ReportedRun::Verify, args.shard);
    let path = context
        .project
        .artifacts_in(&context.project.snapshots)
        .from_root(&model.path);
    head.models.insert(path, machine.files.fingerprint());
    let threads = threads(args.jobs)?;
    let (input, name) = InputStream::open(trace)?;
    let project = context.project.clone();
    let models = Mutex::new(models);
    let verifier = Verifier {
        project: &project,
        models: &models,
        model: &model.path,
        profile,
        usual,
        mode: args.mode,
        trace,
        shard: args.shard,
    };
    let map_hash = map.is_some().then(|| sources.fingerprint());
    let reader = match (map, args.group) {
        (Some(map), Some(lines)) => ObservedReader::grouping(input, &name, map, lines as usize),
        (map, _) => ObservedReader::new(input, &name, map),
    };
    // What a filter reads is whatever part of a trace it is given.
    let reader = if args.format == VerifyFormat::Jsonl {
        reader.of_part()
    } else {
        reader
    };
    let mut output = VerifyOutput::new(args, targets, &name);
    let mut print = |judgement: Judgement<'_>| output.push(judgement);
    let mut tell = |found: &Diagnostics, sources: &SourceMap| context.report(found, sources);
    let verification = verifier.run(reader, &threads, &sources, &mut tell, &mut print)?;
    output.finish(&verification, head, map_hash)?;
    Ok(Exit::of([
        (Exit::Unusable, verification.unusable > 0),
        (Exit::Failed, verification.findings() > 0),
    ]))
}

/// The reports, one of which may be what stands on standard output.
fn targets(args: &VerifyArgs) -> Result<Vec<ReportTarget>, Stop> {
    let shown = (args.format != VerifyFormat::Text).then_some(ReportKind::Json);
    let all = ReportTarget::with_format(&args.report, shown)?;
    // Lines are no report: they stand there as they come.
    Ok(if args.format == VerifyFormat::Jsonl {
        args.report.clone()
    } else {
        all
    })
}

/// The finding about `--group` where nothing is gathered: without a map, or by one in which a line is a whole dialogue.
fn ungrouped(is_mapped: bool) -> Diagnostic {
    let help = if is_mapped {
        "by the map, a line is a whole dialogue: leave it out"
    } else {
        "lines of a trace of ours do not say whose they are; of another system's, `--map FILE` says where"
    };
    Diagnostic::bad_arguments("`--group` has nothing to gather").help(help)
}
