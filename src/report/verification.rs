//! What a recorded trace came to that was held against a model: for people, and for programs.

use std::io::{self, Write};

use serde::Serialize;

use super::usage::counted;
use crate::diagnostic::escape_control;
use crate::verify::{Finding, Mode, VerificationTally};

/// Characters of a value that are shown.
const LONGEST: usize = 200;

/// Tells findings as they come, and in the end what all came to. Only as many findings are kept as are shown.
#[derive(Debug)]
pub struct VerificationReport {
    trace: String,
    model: String,
    mode: Mode,
    /// Findings that are shown, to people; programs get all.
    limit: usize,
    shown: Vec<Finding>,
    tally: VerificationTally,
}

#[derive(Serialize)]
struct FindingObject<'f> {
    dialogue: &'f str,
    turn: u32,
    file: &'f str,
    line: usize,
    rule: &'f str,
    field: Option<&'f str>,
    found: &'f str,
    model: &'f str,
    place: Option<&'f str>,
    also: &'f [&'static str],
    not_compared: usize,
}

#[derive(Serialize)]
struct Closing<'c> {
    keeps: bool,
    mode: &'c str,
    trace: &'c str,
    model: &'c str,
    profiles: Vec<&'c str>,
    dialogues: u64,
    broken: u64,
    unusable: u64,
    turns: u64,
    not_compared: u64,
    findings: u64,
    counts: &'c std::collections::BTreeMap<&'static str, u64>,
}

impl VerificationReport {
    /// A report about a trace and a model; people are shown at most `limit` findings.
    #[must_use]
    pub fn new(trace: String, model: String, mode: Mode, limit: usize) -> Self {
        Self { trace, model, mode, limit, shown: Vec::new(), tally: VerificationTally::default() }
    }

    /// What was counted so far.
    pub fn tally(&mut self) -> &mut VerificationTally {
        &mut self.tally
    }

    /// Keeps findings of a dialogue, as far as they will be shown.
    pub fn keep(&mut self, findings: Vec<Finding>) {
        let room = self.limit.saturating_sub(self.shown.len());
        self.shown.extend(findings.into_iter().take(room));
    }

    /// Writes findings of a dialogue as JSON, one object a line; keys always in this order.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write_findings(&self, findings: &[Finding], out: &mut impl Write) -> io::Result<()> {
        for finding in findings {
            let object = FindingObject {
                dialogue: &finding.dialogue,
                turn: finding.turn,
                file: &self.trace,
                line: finding.line,
                rule: finding.rule,
                field: finding.field,
                found: &finding.found,
                model: &finding.declared,
                place: finding.place.as_deref(),
                also: &finding.also,
                not_compared: finding.not_compared,
            };
            serde_json::to_writer(&mut *out, &object)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes what all came to as one object.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write_closing(&self, out: &mut impl Write) -> io::Result<()> {
        let tally = &self.tally;
        let closing = Closing {
            keeps: tally.broken == 0 && tally.unusable == 0,
            mode: self.mode.name(),
            trace: &self.trace,
            model: &self.model,
            profiles: tally.profiles.iter().map(|profile| profile.name()).collect(),
            dialogues: tally.dialogues,
            broken: tally.broken,
            unusable: tally.unusable,
            turns: tally.turns,
            not_compared: tally.not_compared,
            findings: tally.findings(),
            counts: &tally.counts,
        };
        serde_json::to_writer(&mut *out, &closing)?;
        out.write_all(b"\n")
    }

    /// Writes text for people: how often each rule was broken, the first findings, and what all came to.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let tally = &self.tally;
        let profiles: Vec<&str> = tally.profiles.iter().map(|profile| profile.name()).collect();
        let (dialogues, turns) =
            (counted(tally.dialogues, "dialogue", "dialogues"), counted(tally.turns, "turn", "turns"));
        let about = format!(
            "{} (profile {}, {})",
            escape_control(&self.model),
            profiles.join(" and "),
            self.mode.name()
        );
        let unusable = match tally.unusable {
            0 => String::new(),
            more => format!("; {more} could not be used"),
        };
        if tally.broken == 0 {
            let keeps = if tally.dialogues == 1 { "keeps" } else { "keep" };
            return writeln!(out, "{dialogues}, {turns}: {keeps} to {about}{unusable}");
        }
        let mut counts: Vec<_> = tally.counts.iter().collect();
        counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), **name));
        let width = counts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, count) in counts {
            writeln!(out, "{name:width$}  {count}")?;
        }
        for finding in &self.shown {
            self.write_finding(finding, out)?;
        }
        let hidden = tally.findings() - self.shown.len() as u64;
        if hidden > 0 {
            let more = counted(hidden, "more finding", "more findings");
            writeln!(out, "\n{more}; `--limit N` shows more")?;
        }
        let left = match tally.not_compared {
            0 => String::new(),
            left => format!("; {} not compared", counted(left, "turn", "turns")),
        };
        let breaks = match (self.mode, tally.broken) {
            (Mode::Replay, 1) => "parts from",
            (Mode::Replay, _) => "part from",
            (Mode::Structure, 1) => "breaks",
            (Mode::Structure, _) => "break",
        };
        writeln!(out, "\n{} of {dialogues}, {turns}: {breaks} {about}{left}{unusable}", tally.broken)
    }

    fn write_finding(&self, finding: &Finding, out: &mut impl Write) -> io::Result<()> {
        let dialogue = escape_control(&finding.dialogue);
        let name = match finding.field {
            Some(field) => format!("{} in {field}", finding.rule),
            None => finding.rule.to_owned(),
        };
        let at = escape_control(&self.trace);
        writeln!(out, "\n{dialogue}, turn {}: {name}  ({at}:{})", finding.turn, finding.line)?;
        writeln!(out, "  trace  {}", shortened(&finding.found))?;
        let place =
            finding.place.as_ref().map(|place| format!("  ({})", escape_control(place))).unwrap_or_default();
        writeln!(out, "  model  {}{place}", shortened(&finding.declared))?;
        if !finding.also.is_empty() {
            writeln!(out, "  also   {}", finding.also.join(", "))?;
        }
        if finding.not_compared > 0 {
            writeln!(out, "  left   {} not compared", counted(finding.not_compared as u64, "turn", "turns"))?;
        }
        Ok(())
    }
}

/// A text that fits into a line.
fn shortened(text: &str) -> String {
    let text = escape_control(text);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
