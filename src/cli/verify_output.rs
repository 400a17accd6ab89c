//! What `fsmsim verify` prints, while the trace is read and in the end.

use std::io::{self, Write};

use super::exit::Stop;
use super::verify::{VerifyArgs, VerifyFormat};
use crate::report::{
    FindingLine, HeadedReport, ReportHead, ReportKind, ReportTarget, ReportedVerification, VerdictLine,
    VerificationReport,
};
use crate::terminal::{Escaping, Outlet, results};
use crate::verify::{Judgement, Verification};

/// What is printed.
pub(super) struct VerifyOutput<'a> {
    args: &'a VerifyArgs,
    /// What the trace is called.
    trace: String,
    out: Outlet,
    /// The first findings; people are shown these.
    first: Vec<FindingLine>,
}

impl<'a> VerifyOutput<'a> {
    /// Nothing is printed yet.
    pub(super) fn new(args: &'a VerifyArgs, trace: &str) -> Self {
        let out = results(match args.format {
            VerifyFormat::Text => Escaping::of_text(),
            VerifyFormat::Json | VerifyFormat::Jsonl => Escaping::Json,
        });
        Self { args, trace: trace.to_owned(), out, first: Vec::new() }
    }

    /// Prints what is said as it comes, where it is printed so. For people, only as many findings as are shown are kept.
    pub(super) fn push(&mut self, judgement: Judgement<'_>) -> io::Result<()> {
        let findings = match judgement {
            Judgement::OfDialogue { name, profile, verdict } => {
                let findings = verdict.as_ref().map(|verdict| verdict.findings.clone()).unwrap_or_default();
                if self.args.format == VerifyFormat::Jsonl {
                    self.write(&VerdictLine::of(name, profile, verdict))?;
                }
                findings
            }
            Judgement::OfAll(findings) => findings,
        };
        for finding in findings {
            let line = FindingLine::of(finding, &self.trace);
            if self.args.format == VerifyFormat::Json {
                self.write(&line)?;
            }
            FindingLine::keep_first(&mut self.first, [line], self.args.limit);
        }
        Ok(())
    }

    fn write(&mut self, line: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        writeln!(self.out)
    }

    /// Prints what all came to, and writes the reports.
    pub(super) fn finish(
        self,
        verification: &Verification,
        head: ReportHead,
        fields: Option<String>,
    ) -> Result<(), Stop> {
        let Self { args, first, mut out, .. } = self;
        let report = VerificationReport { verification, shown: &first };
        match args.format {
            VerifyFormat::Text | VerifyFormat::Jsonl => {}
            VerifyFormat::Json if verification.dialogues == 0 => {}
            VerifyFormat::Json => report.write_json(&mut out)?,
        }
        out.flush()?;
        // Whoever writes a report to standard output holds it.
        drop(out);
        let result = ReportedVerification::new(verification, fields, args.limit, &first);
        let whole = HeadedReport { head, result };
        let write = |kind, out: &mut dyn Write| match kind {
            ReportKind::Json => whole.write(out),
            _ if args.format == VerifyFormat::Text && verification.dialogues > 0 => report.write_text(out),
            _ => Ok(()),
        };
        ReportTarget::write_all(&args.report, write)?.map_or(Ok(()), |finding| Err(finding.into()))
    }
}
