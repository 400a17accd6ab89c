//! `fsmsim verify`: checks a recorded trace against a model.

use std::io::{self, Write};
use std::path::Path;

use super::verify_args::{VerifyArgs, VerifyFormat};
use super::{CommandResult, Context, Exit};
use fsmsim_harness::verify::import::{ObservedReader, TraceMap};
use fsmsim_harness::verify::{Judgement, Verification, Verifier};
use fsmsim_reports::report::{
    FindingLine, HeadedReport, ReportHead, ReportKind, ReportTarget, ReportedRun,
    ReportedVerification, VerdictLine, VerificationReport,
};
use fsmsim_runtime::project::ModelName;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::InputStream;
use fsmsim_syntax::terminal::{Escaping, results};
use fsmsim_syntax::threads::Mutex;

/// Runs the command.
pub(super) fn run(args: &VerifyArgs, context: &mut Context) -> CommandResult {
    if let Some(file) = &args.audit {
        return audit(file, args.format);
    }
    let targets = targets(args)?;
    let trace = args.trace.as_deref().unwrap_or(Path::new("-"));
    let model = args.model.as_deref().unwrap_or_default();
    let mut diagnostics = Diagnostics::default();
    let profile = args.options.profile(&mut diagnostics);
    let model = ModelName::parse(model, &mut diagnostics);
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
    let profile = profile.or(model.profile);
    // The model is loaded even for a trace without dialogues, so that its errors are reported.
    let mut models = args.options.models(&context.project);
    let usual = profile.or(context.project.profile).unwrap_or_default();
    let machine = context.load_model(&model.path, usual, &mut models)?;
    let mut head = ReportHead::new(ReportedRun::Verify, args.shard);
    let path = context.path_from_root(&model.path);
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
    // With JSON Lines output, the command is used as a filter and can receive part of a trace.
    reader.is_part = args.format == VerifyFormat::Jsonl;
    let mut out = results(Escaping::Json);
    // Only the findings to be shown are kept.
    let mut first = Vec::new();
    let mut print = |verdict: Judgement<'_>| -> io::Result<()> {
        let findings = match verdict {
            Judgement::OfDialogue {
                name,
                profile,
                verdict,
            } => {
                let findings = verdict.as_ref().map(|verdict| verdict.findings.clone());
                if args.format == VerifyFormat::Jsonl {
                    serde_json::to_writer(&mut out, &VerdictLine::of(name, profile, verdict))?;
                    writeln!(out)?;
                }
                findings.unwrap_or_default()
            }
            Judgement::OfAll(findings) => findings,
        };
        for finding in findings {
            let line = FindingLine::of(finding, &name);
            FindingLine::keep_first(&mut first, [line], args.limit);
        }
        Ok(())
    };
    let mut report = |found: &Diagnostics, sources: &SourceMap| context.report(found, sources);
    let verification = verifier.run(reader, &threads, &sources, &mut report, &mut print)?;
    out.flush()?;
    // A report on standard output needs the lock.
    drop(out);
    let result = ReportedVerification::new(&verification, map_hash, args.limit, &first);
    let full_report = HeadedReport { head, result };
    let is_text = args.format == VerifyFormat::Text;
    write_verification(&targets, &full_report, &verification, is_text)?;
    Ok(verdict_on(&verification))
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
    full_report: &HeadedReport<ReportHead, ReportedVerification>,
    verification: &Verification,
    has_text: bool,
) -> CommandResult<()> {
    let text = VerificationReport {
        verification,
        shown: &full_report.result.first,
    };
    ReportTarget::write_all(targets, |kind, out| match kind {
        ReportKind::Json => full_report.write(out),
        _ if has_text && verification.turns > 0 => text.write_text(out),
        _ => Ok(()),
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
