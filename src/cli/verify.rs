//! `fsmsim verify`: does a recorded trace keep to a model.

use std::path::Path;

use super::context::Context;
use super::exit::{Exit, Stop};
use super::verify_args::{VerifyArgs, VerifyFormat};
use super::verify_audit;
use super::verify_output::VerifyOutput;
use fsmsim_harness::verify::import::{ObservedReader, TraceMap};
use fsmsim_harness::verify::{Judgement, Verifier};
use fsmsim_reports::report::{ReportHead, ReportKind, ReportTarget, ReportedRun};
use fsmsim_runtime::project::ModelName;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::InputStream;
use fsmsim_syntax::threads::Mutex;

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
    let profile = args.options.profile(&mut diagnostics);
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
    let mut models = args.options.models(&context.project);
    let usual = profile.or(context.project.profile).unwrap_or_default();
    let machine = context.load_model(&model.path, usual, &mut models)?;
    let mut head = ReportHead::new(ReportedRun::Verify, args.shard);
    let path = context
        .project
        .artifacts_in(&context.project.snapshots)
        .from_root(&model.path);
    head.models.insert(path, machine.files.fingerprint());
    let threads = args.jobs.threads()?;
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
    let mut reader = match (map, args.group) {
        (Some(map), Some(lines)) => ObservedReader::grouping(input, &name, map, lines as usize),
        (map, _) => ObservedReader::new(input, &name, map),
    };
    // What a filter reads is whatever part of a trace it is given.
    reader.is_part = args.format == VerifyFormat::Jsonl;
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
