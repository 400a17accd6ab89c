//! The results of a run of scenarios on a terminal or in a log.

use std::fmt::Write as _;
use std::io::{self, Write};

use colored::{ColoredString, Colorize};
use similar::{ChangeTag, TextDiff};

use super::plural::plural;
use crate::diagnostic::escape_control;
use crate::scenario::{
    PassThreshold, ScenarioEnd, ScenarioOutcome, ScenarioResult, ScenarioVerdict, SuiteCounts, UnreadTurn,
};
use crate::snapshot::SnapshotOutcome;

/// Failures of one scenario that are shown; the rest are counted.
const SHOWN: usize = 8;

/// Writes results as they come, in the order in which they come: a line a file, the failures below it, and at the end a
/// summary and the list of failures.
pub struct Console<W: Write> {
    out: W,
    counts: SuiteCounts,
    file: Option<(String, SuiteCounts)>,
    /// What is written below the line of the file.
    below: Vec<u8>,
    listed: Vec<String>,
}

impl<W: Write> Console<W> {
    /// A console that writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, counts: SuiteCounts::default(), file: None, below: Vec::new(), listed: Vec::new() }
    }

    /// Adds a result.
    ///
    /// # Errors
    /// Those of writing.
    pub fn push(&mut self, result: &ScenarioResult) -> io::Result<()> {
        if self.file.as_ref().is_none_or(|(path, _)| *path != result.place.path) {
            self.close_file()?;
            self.file = Some((result.place.path.clone(), SuiteCounts::default()));
        }
        self.counts.push(result);
        if let Some((_, counts)) = &mut self.file {
            counts.push(result);
        }
        match &result.end {
            ScenarioEnd::Unusable => {
                self.list("UNUSABLE", result);
                Ok(())
            }
            ScenarioEnd::Unread(unread) => self.unavailable(result, unread),
            ScenarioEnd::Played(outcome) if result.verdict() == ScenarioVerdict::Failed => self.failed(result, outcome),
            ScenarioEnd::Played(_) => Ok(()),
        }
    }

    /// A scenario that says nothing about the flow, since the outside was not there.
    fn unavailable(&mut self, result: &ScenarioResult, unread: &UnreadTurn) -> io::Result<()> {
        self.list("UNAVAILABLE", result);
        self.title("UNAVAILABLE".yellow(), result)?;
        let (turn, reason) = (unread.turn, escape_control(&unread.reason));
        writeln!(self.below, "    turn {turn}: nobody could read what was said: {reason}")
    }

    /// The line of a scenario below the line of its file.
    fn title(&mut self, how: ColoredString, result: &ScenarioResult) -> io::Result<()> {
        let model = result.model.as_ref().map(ToString::to_string).unwrap_or_default();
        let (how, title) = (how.bold(), escape_control(&result.title).bold());
        writeln!(self.below, "  {how} {title}  ({}:{}, {model})", result.place.path, result.place.line)
    }

    /// A scenario that did not do what was expected.
    fn failed(&mut self, result: &ScenarioResult, outcome: &ScenarioOutcome) -> io::Result<()> {
        let how = if result.failed_with_model() { "FAILED (model)" } else { "FAILED" };
        self.list(how, result);
        self.title(how.red(), result)?;
        let PassThreshold { passes, plays } = outcome.threshold;
        if plays > 1 {
            let (good, played) = (outcome.passed, outcome.plays);
            writeln!(self.below, "    {passes} of {plays} plays must pass; {good} of {played} did")?;
        }
        let mut last = None;
        for failure in outcome.failures.iter().take(SHOWN) {
            if last != Some(failure.turn) {
                let turn = failure.turn.map_or("end".to_owned(), |turn| format!("turn {turn}"));
                writeln!(self.below, "    {turn}, {}: {}", failure.place, escape_control(&failure.why).dimmed())?;
                last = Some(failure.turn);
            }
            writeln!(
                self.below,
                "      {}: expected {}, got {}",
                failure.mismatch.path,
                escape_control(&failure.mismatch.expected).green(),
                escape_control(&failure.mismatch.actual).red()
            )?;
        }
        if outcome.failures.len() > SHOWN {
            writeln!(self.below, "      and {} more", outcome.failures.len() - SHOWN)?;
        }
        if let SnapshotOutcome::Differs { old, new, pending } = &result.snapshot {
            self.difference(old.as_deref(), new, pending.as_deref())?;
        }
        Ok(())
    }

    /// A snapshot that differs, line by line.
    fn difference(&mut self, old: Option<&str>, new: &str, pending: Option<&str>) -> io::Result<()> {
        match old {
            None => {
                writeln!(self.below, "    there is no snapshot, and nothing is expected: nothing is tested")?;
            }
            Some(old) => {
                writeln!(self.below, "    the snapshot differs ({} accepted, {} now)", "-".red(), "+".green())?;
                let diff = TextDiff::from_lines(old, new);
                for group in diff.grouped_ops(2) {
                    for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                        let line = escape_control(change.value().trim_end_matches('\n'));
                        match change.tag() {
                            ChangeTag::Delete => writeln!(self.below, "    {}", format!("- {line}").red())?,
                            ChangeTag::Insert => writeln!(self.below, "    {}", format!("+ {line}").green())?,
                            ChangeTag::Equal => writeln!(self.below, "      {line}")?,
                        }
                    }
                    writeln!(self.below)?;
                }
            }
        }
        if let Some(pending) = pending {
            writeln!(self.below, "    waiting for your decision: {pending} (`fsmsim test --accept` takes it)")?;
        }
        Ok(())
    }

    /// Names a scenario in the list at the end.
    fn list(&mut self, how: &str, result: &ScenarioResult) {
        let title = if result.title.is_empty() { "(no title)".to_owned() } else { escape_control(&result.title) };
        self.listed.push(format!("{how} {}:{} {title}", result.place.path, result.place.line));
    }

    /// Writes what there is of the file whose results came last: no more of it will come.
    ///
    /// # Errors
    /// Those of writing.
    pub fn end_file(&mut self) -> io::Result<()> {
        self.close_file()?;
        self.out.flush()
    }

    /// What the results so far come to.
    pub fn counts(&self) -> SuiteCounts {
        self.counts
    }

    fn close_file(&mut self) -> io::Result<()> {
        if let Some((path, counts)) = self.file.take() {
            writeln!(self.out, "{path}: {}", words(&counts))?;
            self.out.write_all(&self.below)?;
            self.below.clear();
        }
        Ok(())
    }

    /// Writes the summary and the list of failures.
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(mut self) -> io::Result<SuiteCounts> {
        self.close_file()?;
        let counts = self.counts;
        let mut line = format!("\n{} in {}", words(&counts), plural(counts.turns, "turn"));
        if counts.unsnapshotted > 0 {
            let _ = write!(line, "; {} unsnapshotted", counts.unsnapshotted);
        }
        if counts.accepted > 0 {
            let _ = write!(line, "; {} accepted", plural(counts.accepted, "snapshot"));
        }
        writeln!(self.out, "{line}")?;
        for line in &self.listed {
            writeln!(self.out, "{line}")?;
        }
        self.out.flush()?;
        Ok(counts)
    }
}

/// The scenarios in words.
fn words(counts: &SuiteCounts) -> String {
    let mut parts = vec![format!("{} passed", counts.passed)];
    if counts.failed > 0 {
        let mut failed = format!("{} failed", counts.failed);
        if counts.failed_with_model > 0 {
            let _ = write!(failed, " ({} with a model)", counts.failed_with_model);
        }
        parts.push(failed.red().to_string());
    }
    if counts.unusable > 0 {
        parts.push(format!("{} unusable", counts.unusable).red().to_string());
    }
    if counts.unavailable > 0 {
        parts.push(format!("{} unavailable", counts.unavailable).yellow().to_string());
    }
    parts.join(", ")
}
