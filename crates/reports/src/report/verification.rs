//! The report of a trace verification, as text and as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::finding_line::FindingLine;
use super::profile_in_title::profile_in_title;
use super::report_kind::ReportKind;
use super::run::{
    HeadedReport, ReportHead, ReportedScenario, ReportedVerification, RunPage, RunReport, RunWriter,
};
use crate::limits::MAX_FOUND_LENGTH;
use fsmsim_core::trace::RecordField;
use fsmsim_harness::scenario::{ScenarioVerdict, SuiteCounts};
use fsmsim_harness::verify::{PropertyTally, Verification, ViolationKind};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, shortened};

/// The report of a verification, in any format.
#[derive(Clone, Copy)]
pub struct VerificationReport<'v> {
    pub full: &'v HeadedReport<ReportHead, ReportedVerification>,
    pub verification: &'v Verification,
    /// The first violating dialogues.
    pub dialogues: &'v [ReportedScenario],
    /// The model, for its diagram.
    pub page: &'v RunPage,
    /// Converts command-line paths to relative paths.
    pub from_root: &'v dyn Fn(&str) -> String,
}

impl VerificationReport<'_> {
    /// The kinds of `--report`.
    pub const KINDS: [ReportKind; 6] = [
        ReportKind::Json,
        ReportKind::Html,
        ReportKind::Junit,
        ReportKind::Github,
        ReportKind::Gitlab,
        ReportKind::Markdown,
    ];

    /// Writes the report in this format.
    pub fn write(&self, kind: ReportKind, out: &mut dyn Write) -> io::Result<()> {
        match kind {
            ReportKind::Text if self.verification.turns == 0 => Ok(()),
            ReportKind::Text => self.write_text(out),
            ReportKind::Json => self.full.write(out),
            kind => {
                let writer = RunWriter {
                    report: &self.shared(),
                    sources: &BTreeMap::new(),
                    page: self.page,
                    comparison: None,
                };
                writer.write(kind, out)
            }
        }
    }

    /// The violating dialogues as test cases, for formats that all commands share. If all dialogues conform, the trace
    /// is the only case.
    fn shared(&self) -> RunReport {
        let verification = self.verification;
        let mut report = RunReport {
            head: self.full.head.clone(),
            scenarios: self.dialogues.to_vec(),
            ..RunReport::default()
        };
        let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let turns: usize = self.dialogues.iter().map(|one| one.turns_run).sum();
        report.unlisted = SuiteCounts {
            passed: number(
                verification
                    .dialogues
                    .saturating_sub(verification.violating),
            ),
            failed: number(verification.violating).saturating_sub(self.dialogues.len()),
            turns: number(verification.turns).saturating_sub(turns),
            ..SuiteCounts::default()
        };
        let all = self
            .full
            .result
            .first
            .iter()
            .filter(|one| one.dialogue.is_none());
        let all: Vec<FindingLine> = all.cloned().collect();
        let trace = ReportedScenario::of_findings("all dialogues", &all, self.from_root);
        let name = (self.from_root)(&verification.trace);
        if verification.invalid > 0 {
            report.scenarios.push(ReportedScenario {
                id: name.clone(),
                file: name,
                verdict: ScenarioVerdict::Invalid,
                reason: Some(plural(verification.invalid, "input error")),
                ..trace
            });
        } else if !all.is_empty() {
            report.scenarios.push(trace);
        } else if report.scenarios.is_empty() {
            report.unlisted.passed = report.unlisted.passed.saturating_sub(1);
            report.scenarios.push(ReportedScenario {
                id: name.clone(),
                file: name,
                verdict: ScenarioVerdict::Passed,
                ..trace
            });
        }
        report.finish();
        report
    }

    /// Writes the number of violations of each rule, the first findings, and the result.
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let verification = self.verification;
        let profiles: Vec<&str> = verification
            .profiles
            .iter()
            .map(|profile| profile.name())
            .collect();
        let profiles = (!profiles.is_empty()).then(|| profiles.join(" and "));
        let (dialogues, turns) = (
            plural(verification.dialogues, "dialogue"),
            plural(verification.turns, "turn"),
        );
        let about = format!(
            "{} ({}{})",
            printable(&verification.model),
            profile_in_title(profiles.as_deref(), "", ", "),
            verification.mode.name()
        );
        let invalid = match verification.invalid {
            0 => String::new(),
            more => format!("; {}", plural(more, "input error")),
        };
        let open = self.open();
        if verification.findings() == 0 {
            let conforms = if verification.dialogues == 1 {
                "conforms"
            } else {
                "conform"
            };
            return writeln!(
                out,
                "{dialogues}, {turns}: {conforms} to {about}{open}{invalid}"
            );
        }
        let mut counts: Vec<_> = verification.counts.iter().collect();
        counts.sort_by(|(one, more), (other, less)| less.cmp(more).then_with(|| one.cmp(other)));
        let width = counts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, count) in counts {
            writeln!(out, "{:width$}  {count}", printable(name))?;
        }
        let shown = &self.full.result.first;
        for finding in shown {
            Self::write_finding(finding, out)?;
        }
        let hidden = verification.findings().saturating_sub(shown.len() as u64);
        if hidden > 0 && !shown.is_empty() {
            let more = plural(hidden, "more finding");
            writeln!(out, "\n{more}; `--limit N` shows more")?;
        }
        let left = match verification.not_compared {
            0 => String::new(),
            left => format!("; {} not compared", plural(left, "turn")),
        };
        // A finding without a turn is about all dialogues, not about a certain one.
        let (violating, dialogues) = match verification.violating {
            0 => (verification.dialogues, dialogues),
            violating => (violating, format!("{violating} of {dialogues}")),
        };
        let violates = match (verification.parts(), violating) {
            (true, 1) => "diverges from",
            (true, _) => "diverge from",
            (false, 1) => "violates",
            (false, _) => "violate",
        };
        writeln!(
            out,
            "\n{dialogues}, {turns}: {violates} {about}{left}{open}{invalid}"
        )
    }

    /// Properties without a final result, and what could not be checked: pending obligations of unfinished dialogues,
    /// properties without enough data, and fields of a wrong type.
    fn open(&self) -> String {
        let name = |tally: &PropertyTally| format!("`{}`", printable(&tally.name));
        let pending = |tally: &PropertyTally| {
            format!("{} in {}", name(tally), plural(tally.pending, "dialogue"))
        };
        let not_checked = |tally: &PropertyTally| match tally.not_checked {
            0 => name(tally),
            turns => format!("{} in {}", name(tally), plural(turns, "turn")),
        };
        let section = |what: &str, list: Vec<String>| match list.as_slice() {
            [] => String::new(),
            list => format!("; {what}: {}", list.join(", ")),
        };
        let fields = self
            .verification
            .not_checked_fields
            .iter()
            .map(|(name, turns)| {
                let turns = plural(*turns, "turn");
                match RecordField::from_name(name) {
                    Some(_) => format!("field `{name}` in {turns}"),
                    None => format!("{} in {turns}", printable(&name.replace('_', " "))),
                }
            });
        let verification = self.verification;
        let known = match verification.known.findings() {
            0 => Vec::new(),
            known => vec![plural(known, "finding")],
        };
        let kind = |kind: &ViolationKind| printable(&format!("{} ({})", kind.kind, kind.place));
        // Another shard can contain a known violation.
        let is_all = self.full.head.shards.len() != 1;
        let vanished = verification.known.vanished().filter(|_| is_all);
        let not_checked = verification.not_checked().map(not_checked).chain(fields);
        section("pending", verification.pending().map(pending).collect())
            + &section("not checked", not_checked.collect())
            + &section("known", known)
            + &section("no longer found", vanished.map(kind).collect())
    }

    fn write_finding(finding: &FindingLine, out: &mut dyn Write) -> io::Result<()> {
        let name = match &finding.field {
            Some(field) => format!("{} in {}", printable(&finding.rule), printable(field)),
            None => printable(&finding.rule),
        };
        let trace = printable(&finding.file);
        match (&finding.dialogue, finding.turn, finding.line) {
            (Some(dialogue), Some(turn), Some(line)) => {
                writeln!(
                    out,
                    "\n{}, turn {turn}: {name}  ({trace}:{line})",
                    printable(dialogue)
                )?;
            }
            _ => writeln!(out, "\nall dialogues: {name}  ({trace})")?,
        }
        writeln!(
            out,
            "  trace  {}",
            shortened(&printable(&finding.found), MAX_FOUND_LENGTH)
        )?;
        let place = finding
            .place
            .as_ref()
            .map(|place| format!("  ({})", printable(place)))
            .unwrap_or_default();
        writeln!(
            out,
            "  model  {}{place}",
            shortened(&printable(&finding.model), MAX_FOUND_LENGTH)
        )?;
        if !finding.also.is_empty() {
            writeln!(out, "  also   {}", finding.also.join(", "))?;
        }
        if finding.not_compared > 0 {
            writeln!(
                out,
                "  rest   {} not compared",
                plural(finding.not_compared, "turn")
            )?;
        }
        Ok(())
    }
}
