//! `fsmsim merge` of what `simulate` and `verify` counted.

use std::io::Write;
use std::sync::Arc;

use super::exit::{Exit, Stop};
use super::merge::{MergeArgs, read_all, refused};
use fsmsim_reports::report::{
    HeadedReport, ReportHead, ReportKind, ReportTarget, ReportedVerification, SimulationReport,
    VerificationReport,
};
use fsmsim_runtime::simulate::SimulationResult;

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
        shown: whole.result.first(),
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
