//! The results of a scenario run for a terminal or a log.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use colored::{Color, ColoredString, Colorize};

use super::count_words::words;
use super::more::write_more;
use super::run::{ReportedCause, ReportedCauseKind, accepted, write_addresses, write_cause};
use super::snapshot_lines::{write_diff, write_snapshot_difference};
use crate::limits::MAX_SHOWN_FAILURES;
use fsmsim_harness::scenario::{
    ExpectationFailure, PassThreshold, ScenarioEnd, ScenarioOutcome, ScenarioResult,
    ScenarioVerdict, SuiteCounts, UnexpectedPass, UnreadTurn, scenario_address,
};
use fsmsim_harness::snapshot::{LeftSnapshots, Orphan, SnapshotOutcome, Successor};
use fsmsim_harness::suite::ExpectationUpdates;
use fsmsim_syntax::diagnostic::Place;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, quoted};

/// Writes results in the order in which they arrive: one line per file, with one line per failed scenario below it. At
/// the end it writes the causes, a summary and the list of failures.
pub struct Console<W: Write> {
    out: W,
    counts: SuiteCounts,
    file: Option<(String, SuiteCounts)>,
    /// The lines below the line of the file.
    below: Vec<u8>,
    listed: Vec<String>,
    /// The details of each failed scenario, by scenario ID.
    details: BTreeMap<String, Vec<u8>>,
    /// The IDs of scenarios whose snapshot difference can be accepted.
    acceptable: BTreeSet<String>,
    /// The next step for the first unmet expectation.
    remedy: Option<String>,
    /// Arguments of this run that a follow-up command needs to run the same scenarios.
    again: String,
    /// The paths and arguments of this run that a follow-up command needs if it names no scenario.
    pub named: String,
    /// Whether scenarios without a snapshot are listed.
    pub lists_unsnapshotted: bool,
    /// Whether only the causes and the summary are written.
    pub is_quiet: bool,
    /// Whether each scenario is written in full below its file.
    pub is_verbose: bool,
    /// The updates of failed expectations, up to the first failed scenario.
    pub updates: ExpectationUpdates,
    /// The prefix of paths in the project.
    pub folder: String,
    /// The duration after which a scenario with a recognizer is marked as slow.
    pub slow: Duration,
}

impl<W: Write> Console<W> {
    /// A console that writes to `out`. `again` contains the arguments that a follow-up command needs to run the same
    /// scenarios.
    pub fn new(out: W, again: &str) -> Self {
        Self {
            out,
            counts: SuiteCounts::default(),
            file: None,
            below: Vec::new(),
            listed: Vec::new(),
            details: BTreeMap::new(),
            acceptable: BTreeSet::new(),
            remedy: None,
            again: again.to_owned(),
            named: String::new(),
            lists_unsnapshotted: false,
            is_quiet: false,
            is_verbose: false,
            updates: ExpectationUpdates::default(),
            folder: String::new(),
            slow: Duration::MAX,
        }
    }

    /// Adds the result of the scenario with this ID.
    pub fn push(&mut self, result: &ScenarioResult, id: &str) -> io::Result<()> {
        if self
            .file
            .as_ref()
            .is_none_or(|(path, _)| *path != result.place.path)
        {
            self.close_file()?;
            self.file = Some((result.place.path.clone(), SuiteCounts::default()));
        }
        self.counts.push(result);
        if let Some((_, counts)) = &mut self.file {
            counts.push(result);
        }
        if self.lists_unsnapshotted && result.lacks_snapshot() {
            self.list("NO SNAPSHOT", result);
        }
        if result.asks && result.elapsed >= self.slow {
            let how = format!("SLOW {:.1} s", result.elapsed.as_secs_f64());
            self.list(&how, result);
        }
        if self.is_verbose && result.verdict() == ScenarioVerdict::Passed {
            self.title("PASSED".green(), result)?;
        }
        let begin = self.below.len();
        self.details(result, id)?;
        let is_well = result.verdict().is_well();
        if !is_well || result.verdict() == ScenarioVerdict::ExpectedFailure {
            let detail = self.below.split_off(begin);
            let lines = if self.is_verbose { usize::MAX } else { 1 };
            for line in detail.split_inclusive(|byte| *byte == b'\n').take(lines) {
                self.below.extend_from_slice(line);
            }
            if !is_well {
                self.details.insert(id.to_owned(), detail);
            }
        }
        Ok(())
    }

    /// Writes the details of a result.
    fn details(&mut self, result: &ScenarioResult, id: &str) -> io::Result<()> {
        match &result.end {
            ScenarioEnd::Invalid => {
                self.list("INVALID", result);
                Ok(())
            }
            ScenarioEnd::Skipped => {
                let how = "SKIPPED".yellow().bold();
                let name = printable(&result.name()).bold();
                let place = &result.place;
                let reason = result.skip.as_deref().unwrap_or_default();
                writeln!(
                    self.below,
                    "  {how} {name}  ({}:{}): {}",
                    place.path,
                    place.line,
                    printable(reason)
                )
            }
            ScenarioEnd::Undecided(reason) => {
                self.listed_title("INCONCLUSIVE", Color::Yellow, result)?;
                writeln!(self.below, "    {}", printable(reason))
            }
            // An unavailable service does not indicate an error of the flow.
            ScenarioEnd::Unread(UnreadTurn {
                turn, what, reason, ..
            }) => {
                self.listed_title("UNAVAILABLE", Color::Yellow, result)?;
                let what = what.words();
                let reason = printable(reason);
                writeln!(self.below, "    turn {turn}: {what}: {reason}")
            }
            ScenarioEnd::Played(outcome) => match result.verdict() {
                ScenarioVerdict::Failed => self.failed(result, outcome, id),
                ScenarioVerdict::UnexpectedPass => {
                    self.listed_title("UNEXPECTED PASS", Color::Red, result)?;
                    self.unexpected_passes(outcome)
                }
                ScenarioVerdict::ExpectedFailure => {
                    self.title("EXPECTED FAILURE".yellow(), result)?;
                    self.known(outcome)
                }
                _ => Ok(()),
            },
        }
    }

    /// Writes the title of a scenario below the line of its file, and adds it to the list at the end.
    fn listed_title(&mut self, how: &str, color: Color, result: &ScenarioResult) -> io::Result<()> {
        self.list(how, result);
        self.title(how.color(color), result)
    }

    /// Writes the title of a scenario below the line of its file.
    fn title(&mut self, how: ColoredString, result: &ScenarioResult) -> io::Result<()> {
        let model = result.model.as_ref();
        let model = model.map_or_else(String::new, |model| model.name(result.profile));
        let (how, title) = (how.bold(), printable(&result.name()).bold());
        let Place { path, line, .. } = result.case_place.as_ref().unwrap_or(&result.place);
        writeln!(self.below, "  {how} {title}  ({path}:{line}, {model})")
    }

    /// Writes a failed scenario.
    fn failed(
        &mut self,
        result: &ScenarioResult,
        outcome: &ScenarioOutcome,
        id: &str,
    ) -> io::Result<()> {
        let how = if result.failed_with_model() {
            "FAILED (model)"
        } else {
            "FAILED"
        };
        self.listed_title(how, Color::Red, result)?;
        let PassThreshold { passes, trials } = outcome.threshold;
        if trials > 1 {
            let good = outcome.passed;
            let played = outcome.trials;
            writeln!(
                self.below,
                "    {passes} of {trials} trials must pass; {good} of {played} did"
            )?;
        }
        self.mismatches(outcome.failures.iter().map(|failure| (failure, None)))?;
        let first = outcome.failures.first().filter(|_| self.remedy.is_none());
        if let Some(failure) = first {
            let turn = failure
                .turn
                .map_or(String::new(), |turn| format!("@{turn}"));
            let address = quoted(&format!("{}{turn}", result.address()));
            let remedy = if self.updates.edits_for(id).next().is_some() {
                // An update can change the name of the case.
                let name = scenario_address(&result.place.path, &result.title, None);
                let (name, again) = (quoted(&name), &self.again);
                format!(
                    "update the scenario with `fsmsim test --update-expectations {name}{again}`"
                )
            } else {
                format!("edit the expectation at {}", failure.place)
            };
            self.remedy = Some(format!(
                "run `fsmsim run --from {address}` to replay the scenario up to the failure; if the new result is correct, {remedy}"
            ));
        }
        self.unexpected_passes(outcome)?;
        self.known(outcome)?;
        if let SnapshotOutcome::Differs {
            difference,
            pending,
        } = &result.snapshot
        {
            write_snapshot_difference(difference.as_ref(), &self.folder, &mut self.below)?;
            if let Some(pending) = pending {
                writeln!(self.below, "    pending snapshot: {pending}")?;
            }
            // A scenario with unmet expectations cannot be accepted.
            if pending.is_some() && !outcome.is_failure() {
                let address = quoted(&result.address());
                writeln!(
                    self.below,
                    "    to accept it, run `fsmsim test --accept {address}{}`",
                    self.again
                )?;
                self.acceptable.insert(id.to_owned());
            }
        }
        Ok(())
    }

    /// Writes the unmet expectations turn by turn. For known failures, writes the reason too.
    fn mismatches<'f>(
        &mut self,
        failures: impl ExactSizeIterator<Item = (&'f ExpectationFailure, Option<&'f str>)>,
    ) -> io::Result<()> {
        let count = failures.len();
        let mut last = None;
        for (failure, reason) in failures.take(MAX_SHOWN_FAILURES) {
            // Invariant expectations are elsewhere in the file.
            let group = (failure.turn, failure.standing.map(|_| &failure.place));
            if last != Some(group) {
                let turn = failure
                    .turn
                    .map_or("end".to_owned(), |turn| format!("turn {turn}"));
                write!(self.below, "    {turn}, {}", failure.place)?;
                for place in &failure.used_at {
                    write!(self.below, " (used at {place})")?;
                }
                writeln!(self.below, ": {}", printable(&failure.why).dimmed())?;
                last = Some(group);
            }
            let known = reason
                .map(|reason| format!(" (known: {})", printable(reason)))
                .unwrap_or_default();
            let standing = failure
                .standing
                .filter(|standing| *standing != failure.mismatch.path)
                .map(|standing| format!("{standing} "))
                .unwrap_or_default();
            let path = &failure.mismatch.path;
            let diff = failure.mismatch.diff();
            if diff.is_empty() {
                writeln!(
                    self.below,
                    "      {standing}{path}: expected {}, got {}{}{known}",
                    printable(&failure.mismatch.expected).green(),
                    printable(&failure.mismatch.actual).red(),
                    accepted(failure.accepted.as_deref())
                )?;
            } else {
                let expected = "-".red();
                let actual = "+".green();
                writeln!(
                    self.below,
                    "      {standing}{path} differs ({expected} expected, {actual} actual){known}"
                )?;
                write_diff(diff, &mut self.below)?;
            }
            if let Some(nearest) = &failure.mismatch.nearest {
                writeln!(self.below, "        {}", printable(nearest).dimmed())?;
            }
        }
        write_more(count, MAX_SHOWN_FAILURES, "      ", &mut self.below)
    }
    /// Writes known failures.
    fn known(&mut self, outcome: &ScenarioOutcome) -> io::Result<()> {
        let known = outcome.known.iter();
        self.mismatches(known.map(|known| (&known.failure, Some(&*known.reason))))
    }

    /// Writes expected failures that did not occur.
    fn unexpected_passes(&mut self, outcome: &ScenarioOutcome) -> io::Result<()> {
        for UnexpectedPass {
            turn,
            field,
            place,
            reason,
        } in outcome.unexpected_passes.iter().take(MAX_SHOWN_FAILURES)
        {
            let turn = turn
                .map(|turn| format!("turn {turn}, "))
                .unwrap_or_default();
            let what = field.map_or("nothing failed".to_owned(), |field| {
                format!("`{field}` matches")
            });
            writeln!(
                self.below,
                "    {turn}{place}: {what}, but a failure is expected: {}",
                printable(reason)
            )?;
        }
        let count = outcome.unexpected_passes.len();
        write_more(count, MAX_SHOWN_FAILURES, "      ", &mut self.below)
    }

    /// Adds a scenario to the list at the end.
    fn list(&mut self, how: &str, result: &ScenarioResult) {
        let Place { path, line, .. } = result.case_place.as_ref().unwrap_or(&result.place);
        self.listed
            .push(match (&*result.title, result.is_whole_file) {
                (_, true) => format!("{how} {path}"),
                ("", _) => format!("{how} {path}:{line} (no title)"),
                _ => format!("{how} {path}:{line} {}", printable(&result.name())),
            });
    }

    /// Writes the results of the current file, which is complete.
    pub fn end_file(&mut self) -> io::Result<()> {
        self.close_file()?;
        self.out.flush()
    }

    /// Whether no expectation has failed so far.
    pub fn is_unfailed(&self) -> bool {
        self.remedy.is_none()
    }

    /// The number of results so far.
    pub fn counts(&self) -> SuiteCounts {
        self.counts
    }

    fn close_file(&mut self) -> io::Result<()> {
        if let Some((path, counts)) = self.file.take() {
            if !self.is_quiet {
                writeln!(self.out, "{path}: {}", words(&counts))?;
                self.out.write_all(&self.below)?;
            }
            self.below.clear();
        }
        Ok(())
    }

    /// Writes the causes of failures, each with one scenario in full.
    fn causes(&mut self, causes: &[ReportedCause]) -> io::Result<()> {
        // Findings about the input are already written.
        let shown = causes
            .iter()
            .filter(|cause| cause.kind != ReportedCauseKind::Invalid);
        for (number, cause) in shown.enumerate() {
            let Some((first, others)) = cause.scenarios.split_first() else {
                continue;
            };
            let detail = self.details.get(first).map_or(&[][..], Vec::as_slice);
            writeln!(self.out)?;
            // For a single scenario, its details contain the cause.
            if others.is_empty() && !cause.kind.is_of_model() && !self.is_verbose {
                write!(self.out, "{}. ", number + 1)?;
                self.out.write_all(detail.trim_ascii_start())?;
                continue;
            }
            let shown = cause.below(&self.folder);
            write_cause(&shown, number + 1, "scenario", &mut self.out)?;
            if self.is_verbose {
                write_addresses(&self.folder, cause.scenarios.iter(), true, &mut self.out)?;
            } else {
                self.out.write_all(detail)?;
                let word = format!("also {}", self.folder);
                write_addresses(&word, others.iter(), false, &mut self.out)?;
            }
            let acceptable = cause
                .scenarios
                .iter()
                .filter(|id| self.acceptable.contains(*id))
                .count();
            if acceptable > 1 {
                let (id, named) = (&cause.id, &self.named);
                writeln!(
                    self.out,
                    "  to accept the results of this cause, run `fsmsim review --accept {id}{named}`"
                )?;
            }
        }
        Ok(())
    }

    /// The most likely next command; `None` if all scenarios passed.
    fn next_command(&self) -> Option<String> {
        if !self.acceptable.is_empty() {
            let named = &self.named;
            return Some(format!(
                "run `fsmsim review{named}` to accept or reject each change"
            ));
        }
        // A scenario that cannot run has one line: its errors are written elsewhere.
        let has_more = |detail: &Vec<u8>| {
            detail
                .split_inclusive(|byte| *byte == b'\n')
                .nth(1)
                .is_some()
        };
        let details = !self.is_verbose && self.details.values().any(has_more);
        let named = &self.named;
        let details =
            details.then(|| format!("run `fsmsim test --failed -v{named}` for all details"));
        self.remedy.clone().or(details)
    }

    /// Writes the causes, the summary, the list of failures, and the leftover files in the snapshot folders.
    pub fn finish(
        mut self,
        causes: &[ReportedCause],
        left: &LeftSnapshots,
    ) -> io::Result<SuiteCounts> {
        self.close_file()?;
        self.causes(causes)?;
        let counts = self.counts;
        let turns = plural(counts.turns, "turn");
        write!(self.out, "\n{} in {turns}", words(&counts))?;
        if counts.unsnapshotted > 0 && (self.lists_unsnapshotted || self.is_verbose) {
            write!(self.out, "; {} without a snapshot", counts.unsnapshotted)?;
        }
        for (count, what) in [
            (counts.accepted, "accepted"),
            (left.orphans.len(), "orphaned"),
            (left.pending.len(), "pending"),
        ] {
            if count > 0 {
                write!(self.out, "; {} {what}", plural(count, "snapshot"))?;
            }
        }
        writeln!(self.out)?;
        for line in &self.listed {
            writeln!(self.out, "{line}")?;
        }
        write_left(left, &mut self.out)?;
        if let Some(next) = self.next_command() {
            writeln!(self.out, "next: {next}")?;
        }
        self.out.flush()?;
        Ok(counts)
    }
}

/// Lists the leftover files in the snapshot folders, one per line.
fn write_left(left: &LeftSnapshots, out: &mut impl Write) -> io::Result<()> {
    let shown = |path: &Path| printable(&path.display().to_string());
    for (from, to) in &left.moved {
        writeln!(out, "MOVED {} -> {}", shown(from), shown(to))?;
    }
    for path in &left.removed {
        writeln!(out, "REMOVED {}", shown(path))?;
    }
    for Orphan { path, successor } in &left.orphans {
        write!(out, "ORPHANED {}", shown(path))?;
        if let Some(Successor { place, title }) = successor {
            write!(
                out,
                ", matches {}:{} {}",
                place.path,
                place.line,
                printable(title)
            )?;
        }
        writeln!(out)?;
    }
    for path in &left.pending {
        writeln!(out, "PENDING {}", shown(path))?;
    }
    Ok(())
}
