//! The results of a run of scenarios on a terminal or in a log.

use std::fmt::Write as _;
use std::io::{self, Write};

use colored::Colorize;
use similar::{ChangeTag, TextDiff};

use crate::diagnostic::escape_control;
use crate::scenario::{FailureCause, ScenarioOutcome, ScenarioResult};

/// Failures of one scenario that are shown; the rest are counted.
const SHOWN: usize = 8;

/// What happened to the snapshot of a scenario.
#[derive(Debug)]
pub enum SnapshotOutcome {
    /// There is none, and none is needed.
    None,
    /// It is the same.
    Same,
    /// It was written.
    Accepted,
    /// It differs, or is missing where it is needed: the old text, the new one, and the file that waits.
    Differs {
        /// The text that was accepted; nothing where there is none.
        old: Option<String>,
        /// The text now.
        new: String,
        /// The file that waits for a decision, where it was written.
        pending: Option<String>,
    },
}

/// How many of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// Scenarios that passed.
    pub passed: usize,
    /// Scenarios that failed.
    pub failed: usize,
    /// Failed scenarios in which a model had a part, so that another run may pass.
    pub failed_with_model: usize,
    /// Scenarios that could not be read or played.
    pub unusable: usize,
    /// Scenarios in which somebody was asked and did not answer.
    pub unavailable: usize,
    /// Passed scenarios without a snapshot.
    pub unsnapshotted: usize,
    /// Snapshots that were written.
    pub accepted: usize,
    /// Turns that were played.
    pub turns: usize,
}

/// Writes results as they come, in the order in which they come: a line a file, the failures below it, and at the end a
/// summary and the list of failures.
pub struct Console<W: Write> {
    out: W,
    tally: TestCounts,
    file: Option<(String, TestCounts)>,
    /// What is written below the line of the file.
    below: Vec<u8>,
    fallen: Vec<String>,
}

impl<W: Write> Console<W> {
    /// A console that writes to `out`.
    pub fn new(out: W) -> Self {
        Self { out, tally: TestCounts::default(), file: None, below: Vec::new(), fallen: Vec::new() }
    }

    /// Adds a result.
    ///
    /// # Errors
    /// Those of writing.
    pub fn push(&mut self, result: &ScenarioResult, snapshot: &SnapshotOutcome) -> io::Result<()> {
        if self.file.as_ref().is_none_or(|(path, _)| *path != result.place.path) {
            self.close_file()?;
            self.file = Some((result.place.path.clone(), TestCounts::default()));
        }
        let before = self.tally;
        match &result.played {
            None if result.unavailable.is_some() => {
                self.tally.unavailable += 1;
                self.unavailable(result)?;
            }
            None => {
                self.tally.unusable += 1;
                self.fall("UNUSABLE", result);
            }
            Some(played) => {
                self.tally.turns += played.turns;
                self.judge(result, played, snapshot)?;
            }
        }
        if let Some((_, tally)) = &mut self.file {
            tally.passed += self.tally.passed - before.passed;
            tally.failed += self.tally.failed - before.failed;
            tally.failed_with_model += self.tally.failed_with_model - before.failed_with_model;
            tally.unusable += self.tally.unusable - before.unusable;
            tally.unavailable += self.tally.unavailable - before.unavailable;
        }
        Ok(())
    }

    /// A scenario that says nothing about the flow, since the outside was not there.
    fn unavailable(&mut self, result: &ScenarioResult) -> io::Result<()> {
        let Some((turn, reason)) = &result.unavailable else { return Ok(()) };
        self.fall("UNAVAILABLE", result);
        writeln!(
            self.below,
            "  {} {}  ({}:{}, {})\n    turn {turn}: nobody could read what was said: {}",
            "UNAVAILABLE".yellow().bold(),
            escape_control(&result.title).bold(),
            result.place.path,
            result.place.line,
            result.model,
            escape_control(reason)
        )
    }

    fn judge(
        &mut self,
        result: &ScenarioResult,
        played: &ScenarioOutcome,
        snapshot: &SnapshotOutcome,
    ) -> io::Result<()> {
        let differs = matches!(snapshot, SnapshotOutcome::Differs { .. });
        match snapshot {
            SnapshotOutcome::None => self.tally.unsnapshotted += 1,
            SnapshotOutcome::Accepted => self.tally.accepted += 1,
            _ => {}
        }
        if played.failures.is_empty() && !differs {
            self.tally.passed += 1;
            return Ok(());
        }
        self.tally.failed += 1;
        let with_model = played.failures.iter().any(|failure| failure.cause == FailureCause::Model);
        self.tally.failed_with_model += usize::from(with_model);
        let how = if with_model { "FAILED (model)" } else { "FAILED" };
        self.fall(how, result);
        writeln!(
            self.below,
            "  {} {}  ({}:{}, {})",
            how.red().bold(),
            escape_control(&result.title).bold(),
            result.place.path,
            result.place.line,
            result.model
        )?;
        if played.requirement.plays() > 1 {
            let (passes, plays) = (played.requirement.passes(), played.requirement.plays());
            writeln!(
                self.below,
                "    {passes} of {plays} plays must pass; {} of {} did",
                played.passed, played.plays
            )?;
        }
        let mut last = None;
        for failure in played.failures.iter().take(SHOWN) {
            if last != Some(failure.turn) {
                let turn = failure.turn.map_or("end".to_owned(), |turn| format!("turn {turn}"));
                writeln!(
                    self.below,
                    "    {turn}, {}: {}",
                    failure.place,
                    escape_control(&failure.why).dimmed()
                )?;
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
        if played.failures.len() > SHOWN {
            writeln!(self.below, "      and {} more", played.failures.len() - SHOWN)?;
        }
        if let SnapshotOutcome::Differs { old, new, pending } = snapshot {
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
                writeln!(
                    self.below,
                    "    the snapshot differs ({} accepted, {} now)",
                    "-".red(),
                    "+".green()
                )?;
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
            writeln!(
                self.below,
                "    waiting for your decision: {pending} (`fsmsim test --accept` takes it)"
            )?;
        }
        Ok(())
    }

    fn fall(&mut self, how: &str, result: &ScenarioResult) {
        let title =
            if result.title.is_empty() { "(no title)".to_owned() } else { escape_control(&result.title) };
        self.fallen.push(format!("{how} {}:{} {title}", result.place.path, result.place.line));
    }

    fn close_file(&mut self) -> io::Result<()> {
        if let Some((path, tally)) = self.file.take() {
            writeln!(self.out, "{path}: {}", tally.words())?;
            self.out.write_all(&self.below)?;
            self.below.clear();
        }
        Ok(())
    }

    /// Writes the summary and the list of failures.
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(mut self) -> io::Result<TestCounts> {
        self.close_file()?;
        let tally = self.tally;
        let mut line = format!("\n{} in {}", tally.words(), plural(tally.turns, "turn"));
        if tally.unsnapshotted > 0 {
            let _ = write!(line, "; {} unsnapshotted", tally.unsnapshotted);
        }
        if tally.accepted > 0 {
            let _ = write!(line, "; {} accepted", plural(tally.accepted, "snapshot"));
        }
        writeln!(self.out, "{line}")?;
        for line in &self.fallen {
            writeln!(self.out, "{line}")?;
        }
        self.out.flush()?;
        Ok(tally)
    }
}

impl TestCounts {
    /// The scenarios in words.
    fn words(&self) -> String {
        let mut parts = vec![format!("{} passed", self.passed)];
        if self.failed > 0 {
            let mut failed = format!("{} failed", self.failed);
            if self.failed_with_model > 0 {
                let _ = write!(failed, " ({} with a model)", self.failed_with_model);
            }
            parts.push(failed.red().to_string());
        }
        if self.unusable > 0 {
            parts.push(format!("{} unusable", self.unusable).red().to_string());
        }
        if self.unavailable > 0 {
            parts.push(format!("{} unavailable", self.unavailable).yellow().to_string());
        }
        parts.join(", ")
    }
}

/// A number with its noun.
fn plural(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
