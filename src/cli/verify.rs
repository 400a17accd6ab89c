//! `fsmsim verify`: checks a recorded trace against a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_pattern::named_files;
use super::output::write_file;
use super::session::place_of;
use super::verify_args::{VerifyArgs, VerifyFormat};
use super::verify_follow::follow;
use super::verify_output::VerdictOutput;
use super::{CommandResult, Context, Exit, may_write};
use fsmsim_harness::verify::import::{ObservedReader, TraceMap};
use fsmsim_harness::verify::{Judgement, KnownViolations, OpenTrace, Verification, Verifier};
use fsmsim_reports::report::{
    HeadedReport, ReportHead, ReportKind, ReportTarget, ReportedRun, ReportedVerification, RunPage,
    VerificationReport,
};
use fsmsim_runtime::project::ModelName;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap, plural};
use fsmsim_syntax::document::InputStream;
use fsmsim_syntax::terminal::{Escaping, results};
use fsmsim_syntax::threads::Mutex;

/// Runs the command.
pub(super) fn run(args: &VerifyArgs, context: &mut Context) -> CommandResult {
    if let Some(file) = &args.audit {
        return audit(file, args.format);
    }
    if args.accept {
        may_write("accept", "violations")?;
    }
    let targets = targets(args)?;
    let model_name = args.model.as_deref().unwrap_or_default();
    let mut diagnostics = Diagnostics::default();
    let profile = args.options.profile(&mut diagnostics);
    let model = ModelName::parse(model_name, &mut diagnostics);
    let mut sources = SourceMap::default();
    let map = args
        .map
        .as_deref()
        .and_then(|path| TraceMap::load(path, &mut sources, &mut diagnostics));
    let is_gathered = args.map.is_some() && map.as_ref().is_none_or(|map| !map.is_of_dialogues());
    if args.group.is_some() && !is_gathered {
        diagnostics.push(ungrouped(map.is_some()));
    }
    let model = context.usable(model, &diagnostics, &sources)?;
    let known = known(args, context)?;
    let profile = profile.or(model.profile);
    // The model is loaded even for a trace without dialogues, so that its errors are reported.
    let mut models = args.options.models(&context.project);
    let usual = profile.or(context.project.profile).unwrap_or_default();
    let machine = context.load_model(&model.path, usual, &mut models)?;
    let mut head = ReportHead::new(ReportedRun::Verify, args.shard);
    let path = context.path_from_root(&model.path);
    head.models
        .insert(path.clone(), machine.files.fingerprint());
    let threads = args.jobs.threads()?;
    let files = named_files(&args.traces)?;
    let name = name_of(args, &files);
    let project = context.project.clone();
    let models = Mutex::new(models);
    let verifier = Verifier {
        project: &project,
        models: &models,
        model: &model.path,
        profile,
        usual,
        mode: args.mode,
        name: &name,
        // With JSON Lines output, the command is used as a filter and can receive part of a trace.
        is_part: args.format == VerifyFormat::Jsonl,
        known,
        shard: args.shard,
    };
    let map_hash = map.is_some().then(|| sources.fingerprint());
    let map = map.map(Arc::new);
    if args.follow {
        let versions = (machine.files.fingerprint(), map_hash.clone());
        let verification = follow(args, &verifier, map, &versions, context)?;
        let result = ReportedVerification::new(&verification, map_hash, 0, &[]);
        let report = VerificationReport {
            full: &HeadedReport { head, result },
            verification: &verification,
            dialogues: &[],
            page: &RunPage::default(),
            from_root: &str::to_owned,
        };
        write_verification(&targets, &report, args.format == VerifyFormat::Text)?;
        return Ok(verdict_on(&verification));
    }
    let traces = files.iter().map(|path| {
        let (input, name) = InputStream::open(path)?;
        let reader = match (map.clone(), args.group) {
            (Some(map), Some(lines)) => ObservedReader::grouping(input, &name, map, lines as usize),
            (map, _) => ObservedReader::new(input, &name, map),
        };
        let path = path.clone();
        Ok(OpenTrace { path, reader })
    });
    let mut output = VerdictOutput::new(
        args,
        (&name, files.len() > 1),
        path.clone(),
        project.clone(),
        results(Escaping::Json),
    );
    let mut report = |found: &Diagnostics, sources: &SourceMap| context.report(found, sources);
    let verification = {
        let mut judged = |verdict: Judgement<'_>| output.judge(verdict);
        verifier.run(traces, &threads, &sources, &mut report, &mut judged)?
    };
    // A report on standard output needs the lock of the output.
    let place = place_of(model_name, &project);
    let (first, dialogues) = output.finish(&models, (&model.path, &place), usual, context)?;
    if let Some(file) = args.known.as_deref().filter(|_| args.accept) {
        write_file(file, &verification.known.to_text())?;
    }
    let mut result = ReportedVerification::new(&verification, map_hash, args.limit, &first);
    if args.shard.is_some() {
        result.examples.clone_from(&dialogues);
    }
    let mut page = RunPage::default();
    page.add(path, &machine, &|path| context.path_from_root(path));
    let report = VerificationReport {
        full: &HeadedReport { head, result },
        verification: &verification,
        dialogues: &dialogues,
        page: &page,
        from_root: &|path| context.path_from_root(path),
    };
    let is_text = args.format == VerifyFormat::Text;
    write_verification(&targets, &report, is_text)?;
    Ok(verdict_on(&verification))
}

/// The known violations. The accepted violations replace those of the file.
fn known(args: &VerifyArgs, context: &mut Context) -> CommandResult<KnownViolations> {
    match args.known.as_deref().filter(|_| !args.accept) {
        Some(path) => context.read(|sources, found| KnownViolations::load(path, sources, found)),
        None => Ok(KnownViolations::accepting(args.accept)),
    }
}

/// The name of all traces together.
fn name_of(args: &VerifyArgs, files: &[PathBuf]) -> String {
    match (&*args.traces, files) {
        (_, [only]) if only == Path::new("-") => "standard input".to_owned(),
        (_, [only]) => only.display().to_string(),
        ([pattern], _) => pattern.display().to_string(),
        (_, files) => plural(files.len(), "trace"),
    }
}

/// The reports, one of which can be on standard output.
fn targets(args: &VerifyArgs) -> CommandResult<Vec<ReportTarget>> {
    let shown = (args.format != VerifyFormat::Text).then_some(ReportKind::Json);
    let all = ReportTarget::with_format(&args.report, shown)?;
    // JSON Lines are not a report: they are written during the run.
    Ok(if args.format == VerifyFormat::Jsonl {
        args.report.clone()
    } else {
        all
    })
}

/// Writes the reports of a verification; the text is only written if `has_text`.
pub(super) fn write_verification(
    targets: &[ReportTarget],
    report: &VerificationReport<'_>,
    has_text: bool,
) -> CommandResult<()> {
    ReportTarget::write_all(targets, |kind, out| match kind {
        ReportKind::Text if !has_text => Ok(()),
        kind => report.write(kind, out),
    })
}

/// The exit code of a verification.
pub(super) fn verdict_on(verification: &Verification) -> Exit {
    Exit::of([
        (Exit::Unusable, verification.invalid > 0),
        (Exit::Failed, verification.findings() > 0),
    ])
}

/// The finding for a `--group` that has no effect: there is no map, or its lines contain complete dialogues.
fn ungrouped(is_mapped: bool) -> Diagnostic {
    let help = if is_mapped {
        "omit `--group`: each line of this map is a complete dialogue"
    } else {
        "omit `--group`, or add `--map FILE` for the trace of another system"
    };
    Diagnostic::bad_arguments("`--group` requires a map in which each line is a turn").help(help)
}

/// Checks the hash chain of an audit.
#[cfg(feature = "sqlite")]
fn audit(file: &Path, format: VerifyFormat) -> CommandResult {
    use super::output::TextOrJson;
    use fsmsim_adapters::stores::{AuditCheck, MemoryFile};
    use fsmsim_reports::report::{audit_json, write_audit};

    let file = MemoryFile::new(file);
    let check = AuditCheck::of(&file)?;
    let format = match format {
        VerifyFormat::Text => TextOrJson::Text,
        VerifyFormat::Json | VerifyFormat::Jsonl => TextOrJson::Json,
    };
    format.print(
        |out| write_audit(&file.shown(), &check, out),
        || audit_json(&file.shown(), &check),
    )?;
    Ok(Exit::of([(Exit::Failed, check.fault.is_some())]))
}

/// A build without databases has no audit.
#[cfg(not(feature = "sqlite"))]
fn audit(_: &Path, _: VerifyFormat) -> CommandResult {
    Err(super::session::not_kept("check an audit").into())
}
