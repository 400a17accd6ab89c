//! `fsmsim merge` of what `simulate` and `verify` counted.

use std::io::Write;
use std::sync::Arc;

use super::exit::{Exit, Stop};
use super::merge_args::MergeArgs;
use fsmsim_reports::report::{
    HeadedReport, MergeError, Misfit, ReportHead, ReportKind, ReportTarget, ReportedVerification,
    SimulationReport, VerificationReport,
};
use fsmsim_runtime::simulate::SimulationResult;
use fsmsim_syntax::diagnostic::Diagnostic;

/// Tells what a whole simulation came to, and writes its reports.
pub(super) fn simulations(args: &MergeArgs, texts: &[(String, Arc<str>)]) -> Result<Exit, Stop> {
    let parts = read_all(
        texts,
        HeadedReport::<ReportHead, SimulationResult>::from_json,
    )?;
    let HeadedReport { head, result } = HeadedReport::merged(parts).map_err(refused)?;
    let report = SimulationReport {
        head: &head,
        result: &result,
        extras: None,
    };
    if let Some(finding) =
        ReportTarget::write_all(&args.report, |kind, out| report.write(kind, out))?
    {
        return Err(finding.into());
    }
    Ok(Exit::of([(Exit::Unavailable, result.has_unanswered())]))
}

/// Tells what the verification of a whole trace came to, and writes its reports.
pub(super) fn verifications(args: &MergeArgs, texts: &[(String, Arc<str>)]) -> Result<Exit, Stop> {
    let parts = read_all(
        texts,
        HeadedReport::<ReportHead, ReportedVerification>::from_json,
    )?;
    let whole = HeadedReport::merged(parts).map_err(refused)?;
    let verification = whole.result.verification();
    let text = VerificationReport {
        verification: &verification,
        shown: &whole.result.first,
    };
    let write = |kind, out: &mut dyn Write| match kind {
        ReportKind::Json => whole.write(out),
        _ if verification.dialogues > 0 => text.write_text(out),
        _ => Ok(()),
    };
    if let Some(finding) = ReportTarget::write_all(&args.report, write)? {
        return Err(finding.into());
    }
    Ok(Exit::of([
        (Exit::Unusable, verification.unusable > 0),
        (Exit::Failed, verification.findings() > 0),
    ]))
}

/// The finding about reports that cannot be put together.
pub(super) fn refused(error: MergeError) -> Stop {
    let help = match &error.misfit {
        Misfit::Whole | Misfit::Nothing => {
            "name reports that were written with `--shard NUMBER/OF --report json=FILE`"
        }
        Misfit::Repeated(..) | Misfit::RepeatedScenario(..) => "name the report of each shard once",
        Misfit::Missing(_) => {
            "name the reports of all shards; one that was not written has to be run again"
        }
        Misfit::NoWhole(_) => "mend the input, and run all shards again",
        _ => "take the reports of one run: the same options, over the same files",
    };
    let finding = Diagnostic::bad_arguments(error.to_string()).help(help);
    match error.file {
        Some(file) => finding.about(file).into(),
        None => finding.into(),
    }
}

/// What reports say, each with its file.
pub(super) fn read_all<T>(
    texts: &[(String, Arc<str>)],
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<(String, T)>, Stop> {
    let read = |(file, text): &(String, Arc<str>)| match read(text) {
        Ok(report) => Ok((file.clone(), report)),
        Err(error) => {
            let title = format!("the file is no report of a run: {error}");
            let finding = Diagnostic::bad_arguments(title).about(file.clone());
            Err(finding.help("name what `--report json=FILE` wrote").into())
        }
    };
    texts.iter().map(read).collect()
}
