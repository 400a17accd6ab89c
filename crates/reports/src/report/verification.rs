//! The report of a trace verification, as text and as JSON.

use std::io::{self, Write};

use super::finding_line::FindingLine;
use super::profile_in_title::profile_in_title;
use crate::limits::MAX_FOUND_LENGTH;
use fsmsim_harness::verify::{PropertyTally, Verification};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, shortened};

/// The report of a verification.
#[derive(Clone, Copy, Debug)]
pub struct VerificationReport<'v> {
    pub verification: &'v Verification,
    /// The first findings, which the text shows.
    pub shown: &'v [FindingLine],
}

impl VerificationReport<'_> {
    /// Writes the number of violations of each rule, the first findings, and the result.
    pub fn write_text(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
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
        for finding in self.shown {
            self.write_finding(finding, out)?;
        }
        let hidden = verification
            .findings()
            .saturating_sub(self.shown.len() as u64);
        if hidden > 0 {
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
                format!("field `{}` in {}", printable(name), plural(*turns, "turn"))
            });
        let verification = self.verification;
        let not_checked = verification.not_checked().map(not_checked).chain(fields);
        section("pending", verification.pending().map(pending).collect())
            + &section("not checked", not_checked.collect())
    }

    fn write_finding(
        &self,
        finding: &FindingLine,
        out: &mut (impl Write + ?Sized),
    ) -> io::Result<()> {
        let name = match &finding.field {
            Some(field) => format!("{} in {}", printable(&finding.rule), printable(field)),
            None => printable(&finding.rule),
        };
        let trace = printable(&self.verification.trace);
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
