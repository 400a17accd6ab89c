//! What `fsmsim verify` prints, while the trace is read and in the end.

use std::io::{self, Write};

use super::exit::Stop;
use super::verify_args::{VerifyArgs, VerifyFormat};
use fsmsim_harness::verify::{Judgement, Verification};
use fsmsim_reports::report::{
    FindingLine, HeadedReport, ReportHead, ReportKind, ReportTarget, ReportedVerification,
    VerdictLine, VerificationReport,
};
use fsmsim_syntax::terminal::{Escaping, Outlet, results};

/// What is printed.
pub(super) struct VerifyOutput<'a> {
    args: &'a VerifyArgs,
    /// The reports that are written in the end.
    targets: Vec<ReportTarget>,
    /// What the trace is called.
    trace: String,
    out: Outlet,
    /// The first findings; people are shown these.
    first: Vec<FindingLine>,
}

impl<'a> VerifyOutput<'a> {
    /// Nothing is printed yet.
    pub(super) fn new(args: &'a VerifyArgs, targets: Vec<ReportTarget>, trace: &str) -> Self {
        Self {
            args,
            targets,
            out: results(Escaping::Json),
            trace: trace.to_owned(),
            first: Vec::new(),
        }
    }

    /// Prints what is said as it comes, where it is printed so. Only as many findings as are shown are kept.
    pub(super) fn push(&mut self, judgement: Judgement<'_>) -> io::Result<()> {
        let findings = match judgement {
            Judgement::OfDialogue {
                name,
                profile,
                verdict,
            } => {
                let findings = verdict
                    .as_ref()
                    .map(|verdict| verdict.findings.clone())
                    .unwrap_or_default();
                if self.args.format == VerifyFormat::Jsonl {
                    serde_json::to_writer(&mut self.out, &VerdictLine::of(name, profile, verdict))?;
                    writeln!(self.out)?;
                }
                findings
            }
            Judgement::OfAll(findings) => findings,
        };
        for finding in findings {
            let line = FindingLine::of(finding, &self.trace);
            FindingLine::keep_first(&mut self.first, [line], self.args.limit);
        }
        Ok(())
    }

    /// Prints what all came to, and writes the reports.
    pub(super) fn finish(
        self,
        verification: &Verification,
        head: ReportHead,
        fields: Option<String>,
    ) -> Result<(), Stop> {
        let Self {
            args,
            targets,
            first,
            mut out,
            ..
        } = self;
        let report = VerificationReport {
            verification,
            shown: &first,
        };
        out.flush()?;
        // Whoever writes a report to standard output holds it.
        drop(out);
        let result = ReportedVerification::new(verification, fields, args.limit, &first);
        let whole = HeadedReport { head, result };
        let write = |kind, out: &mut dyn Write| match kind {
            ReportKind::Json => whole.write(out),
            _ if args.format == VerifyFormat::Text && verification.dialogues > 0 => {
                report.write_text(out)
            }
            _ => Ok(()),
        };
        ReportTarget::write_all(&targets, write)?.map_or(Ok(()), |finding| Err(finding.into()))
    }
}
