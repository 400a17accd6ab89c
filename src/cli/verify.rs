//! `fsmsim verify`: does a recorded trace keep to a model.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::{Args, ValueEnum};

use super::context::{Context, profile_of, threads};
use super::exit::{Exit, Stop};
use super::verify_audit;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use crate::document::InputStream;
use crate::project::{ModelCache, ModelName};
use crate::report::VerificationReport;
use crate::terminal::{Escaping, results};
use crate::verify::import::{ObservedReader, TraceMap};
use crate::verify::{Finding, Mode, Verifier};

/// Lines that `--group` holds at most, if it does not say.
const GROUP: &str = "100000";

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The trace (JSON lines); `-` reads standard input
    #[arg(required_unless_present = "audit")]
    trace: Option<PathBuf>,
    /// The model: a folder or file; `PATH@PROFILE` fixes the profile
    #[arg(long, value_name = "MODEL", required_unless_present = "audit")]
    model: Option<String>,
    /// Instead: the memory of a cycle, whose audit is to be whole
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trace", "model", "map", "group", "profile", "config"])]
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
    /// How to print
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    format: VerifyFormat,
    /// Findings that are shown as text; JSON has all
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Threads; as many as there are processors, if not said
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum VerifyFormat {
    /// For people
    Text,
    /// A JSON object a line for each finding, and one in the end
    Json,
}

/// Runs the command.
pub(super) fn run(args: &VerifyArgs, context: &mut Context) -> Result<Exit, Stop> {
    if let Some(file) = &args.audit {
        return verify_audit::run(file, args.format);
    }
    let (trace, model) = (args.trace.as_deref().unwrap_or(Path::new("-")), args.model.as_deref().unwrap_or_default());
    let mut diagnostics = Diagnostics::default();
    let profile = profile_of(args.profile.as_deref(), &mut diagnostics);
    let model = ModelName::parse(model, &mut diagnostics);
    let mut sources = SourceMap::default();
    let map = args.map.as_deref().map(|path| TraceMap::load(path, &mut sources, &mut diagnostics));
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
    context.load_model(&model.path, usual, &mut models)?;
    let threads = threads(args.jobs)?;
    let (input, name) = InputStream::open(trace)?;
    let project = context.project.clone();
    let models = Mutex::new(models);
    let verifier =
        Verifier { project: &project, models: &models, model: &model.path, profile, usual, mode: args.mode, trace };
    let reader = match (map, args.group) {
        (Some(map), Some(held)) => ObservedReader::grouping(input, &name, map, held as usize),
        (map, _) => ObservedReader::new(input, &name, map),
    };
    let mut out = results(match args.format {
        VerifyFormat::Text => Escaping::of_text(),
        VerifyFormat::Json => Escaping::Json,
    });
    let mut shown = Vec::new();
    // Findings are lines of JSON as they come; for people, only as many as are shown are kept.
    let mut broken = |findings: Vec<Finding>| {
        if args.format == VerifyFormat::Json {
            return VerificationReport::write_findings(&name, &findings, &mut out);
        }
        let room = args.limit.saturating_sub(shown.len());
        shown.extend(findings.into_iter().take(room));
        Ok(())
    };
    let mut tell = |found: &Diagnostics, sources: &SourceMap| context.report(found, sources);
    let verification = verifier.run(reader, &threads, &sources, &mut tell, &mut broken)?;
    let report = VerificationReport { verification: &verification, shown: &shown };
    match args.format {
        _ if verification.dialogues == 0 => {}
        VerifyFormat::Text => report.write_text(&mut out)?,
        VerifyFormat::Json => report.write_json(&mut out)?,
    }
    out.flush()?;
    Ok(Exit::of([(Exit::Unusable, verification.unusable > 0), (Exit::Failed, verification.findings() > 0)]))
}

/// The finding about `--group` where nothing is gathered: without a map, or by one in which a line is a whole dialogue.
fn ungrouped(is_mapped: bool) -> Diagnostic {
    let help = if is_mapped {
        "by the map, a line is a whole dialogue: leave it out"
    } else {
        "lines of a trace of ours do not say whose they are; of another system's, `--map FILE` says where"
    };
    Diagnostic::error(Code::BadArguments, "`--group` has nothing to gather").help(help)
}
