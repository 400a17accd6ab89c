//! The results of a run of scenarios on a terminal or in a log.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use colored::{Color, ColoredString, Colorize};

use super::count_words::words;
use super::more::write_more;
use super::run::{ReportedCause, ReportedCauseKind, write_addresses, write_cause};
use super::snapshot_lines::write_snapshot_difference;
use crate::limits::MAX_SHOWN_FAILURES;
use fsmsim_harness::scenario::{
    ExpectationFailure, PassThreshold, ScenarioEnd, ScenarioOutcome, ScenarioResult,
    ScenarioVerdict, StaleReason, SuiteCounts, UnreadTurn,
};
use fsmsim_harness::snapshot::{LeftSnapshots, Orphan, SnapshotOutcome, Successor};
use fsmsim_syntax::diagnostic::Place;
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, quoted};

/// Writes results as they come, in the order in which they come: a line a file, below it a line for each scenario that is
/// not well, and at the end what those are put down to, a summary and the list of failures.
pub struct Console<W: Write> {
    out: W,
    counts: SuiteCounts,
    file: Option<(String, SuiteCounts)>,
    /// What is written below the line of the file.
    below: Vec<u8>,
    listed: Vec<String>,
    /// What is told of each scenario that is not well, by address.
    details: BTreeMap<String, Vec<u8>>,
    /// The addresses of those of which a difference may be accepted.
    acceptable: BTreeSet<String>,
    /// What to do about the first expectation that is not met.
    remedy: Option<String>,
    /// Arguments of this run without which another would play something else.
    again: String,
    /// Scenarios that could have a snapshot and have none are listed.
    pub lists_unsnapshotted: bool,
    /// Files are left out: what is told is the causes and the sum.
    pub is_quiet: bool,
    /// Each scenario is told where it stands, and in full.
    pub is_verbose: bool,
    /// How long a scenario that asks somebody may take before it is marked.
    pub slow: Duration,
}

impl<W: Write> Console<W> {
    /// A console that writes to `out`. `again` are arguments of this run without which another would play something else.
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
            lists_unsnapshotted: false,
            is_quiet: false,
            is_verbose: false,
            slow: Duration::MAX,
        }
    }

    /// Adds a result of the scenario at this address, as reports name it.
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
        self.tell(result, id)?;
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

    /// Tells what there is to be told of a result.
    fn tell(&mut self, result: &ScenarioResult, id: &str) -> io::Result<()> {
        match &result.end {
            ScenarioEnd::Unusable => {
                self.list("UNUSABLE", result);
                Ok(())
            }
            ScenarioEnd::Skipped => {
                let (how, name) = ("SKIPPED".yellow().bold(), printable(&result.name()).bold());
                let (place, reason) = (&result.place, result.skip.as_deref().unwrap_or_default());
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
            // Nothing is said about the flow, since the outside was not there.
            ScenarioEnd::Unread(UnreadTurn {
                turn, what, reason, ..
            }) => {
                self.listed_title("UNAVAILABLE", Color::Yellow, result)?;
                let (what, reason) = (what.words(), printable(reason));
                writeln!(self.below, "    turn {turn}: {what}: {reason}")
            }
            ScenarioEnd::Played(outcome) => match result.verdict() {
                ScenarioVerdict::Failed => self.failed(result, outcome, id),
                ScenarioVerdict::Stale => {
                    self.listed_title("STALE", Color::Red, result)?;
                    self.stale(outcome)
                }
                ScenarioVerdict::ExpectedFailure => {
                    self.title("EXPECTED FAILURE".yellow(), result)?;
                    self.known(outcome)
                }
                _ => Ok(()),
            },
        }
    }

    /// Names a scenario below the line of its file, and in the list at the end.
    fn listed_title(
        &mut self,
        how: &str,
        colour: Color,
        result: &ScenarioResult,
    ) -> io::Result<()> {
        self.list(how, result);
        self.title(how.color(colour), result)
    }

    /// The line of a scenario below the line of its file.
    fn title(&mut self, how: ColoredString, result: &ScenarioResult) -> io::Result<()> {
        let model = result
            .model
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let (how, title) = (how.bold(), printable(&result.name()).bold());
        let Place { path, line, .. } = result.case_place.as_ref().unwrap_or(&result.place);
        writeln!(self.below, "  {how} {title}  ({path}:{line}, {model})")
    }

    /// A scenario that did not do what was expected.
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
        let PassThreshold { passes, plays } = outcome.threshold;
        if plays > 1 {
            let (good, played) = (outcome.passed, outcome.plays);
            writeln!(
                self.below,
                "    {passes} of {plays} plays must pass; {good} of {played} did"
            )?;
        }
        self.mismatches(outcome.failures.iter().map(|failure| (failure, None)))?;
        let first = outcome.failures.first().filter(|_| self.remedy.is_none());
        if let Some(failure) = first {
            let turn = failure
                .turn
                .map_or(String::new(), |turn| format!("@{turn}"));
            let address = quoted(&format!("{}{turn}", result.address()));
            let remedy = match failure.replacement {
                Some(_) if failure.standing.is_none() => {
                    "`fsmsim test --failed --update-expectations` changes the scenario".to_owned()
                }
                _ => format!("edit the expectation at {}", failure.place),
            };
            self.remedy = Some(format!(
                "`fsmsim run --from {address}` plays it up to there; if the new result is right, {remedy}"
            ));
        }
        self.stale(outcome)?;
        self.known(outcome)?;
        if let SnapshotOutcome::Differs {
            difference,
            pending,
        } = &result.snapshot
        {
            write_snapshot_difference(difference.as_ref(), &mut self.below)?;
            if let Some(pending) = pending {
                writeln!(self.below, "    waiting for your decision: {pending}")?;
            }
            // What was not as expected is not accepted.
            if pending.is_some() && !outcome.falls_short() {
                let address = quoted(&result.address());
                writeln!(
                    self.below,
                    "    `fsmsim test --accept {address}{}` takes it",
                    self.again
                )?;
                self.acceptable.insert(id.to_owned());
            }
        }
        Ok(())
    }

    /// What was not as expected, turn by turn, with the reason where it is known.
    fn mismatches<'f>(
        &mut self,
        failures: impl ExactSizeIterator<Item = (&'f ExpectationFailure, Option<&'f str>)>,
    ) -> io::Result<()> {
        let count = failures.len();
        let mut last = None;
        for (failure, reason) in failures.take(MAX_SHOWN_FAILURES) {
            // What is expected of every turn stands elsewhere.
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
                .filter(|standing| *standing != failure.mismatch.path);
            let standing = standing
                .map(|standing| format!("{standing} "))
                .unwrap_or_default();
            writeln!(
                self.below,
                "      {standing}{}: expected {}, got {}{known}",
                failure.mismatch.path,
                printable(&failure.mismatch.expected).green(),
                printable(&failure.mismatch.actual).red()
            )?;
            if let Some(nearest) = &failure.mismatch.nearest {
                writeln!(self.below, "        {}", printable(nearest).dimmed())?;
            }
        }
        write_more(count, MAX_SHOWN_FAILURES, "      ", &mut self.below)
    }
    /// What was not as expected, as is known.
    fn known(&mut self, outcome: &ScenarioOutcome) -> io::Result<()> {
        let known = outcome.known.iter();
        self.mismatches(known.map(|known| (&known.failure, Some(&*known.reason))))
    }

    /// What was expected to fail and did not.
    fn stale(&mut self, outcome: &ScenarioOutcome) -> io::Result<()> {
        for StaleReason {
            turn,
            field,
            place,
            reason,
        } in outcome.stale.iter().take(MAX_SHOWN_FAILURES)
        {
            let turn = turn
                .map(|turn| format!("turn {turn}, "))
                .unwrap_or_default();
            let what = field.map_or("nothing fails".to_owned(), |field| {
                format!("`{field}` is as expected")
            });
            writeln!(
                self.below,
                "    {turn}{place}: {what}, though a failure is expected: {}",
                printable(reason)
            )?;
        }
        let count = outcome.stale.len();
        write_more(count, MAX_SHOWN_FAILURES, "      ", &mut self.below)
    }

    /// Names a scenario in the list at the end.
    fn list(&mut self, how: &str, result: &ScenarioResult) {
        let Place { path, line, .. } = result.case_place.as_ref().unwrap_or(&result.place);
        self.listed
            .push(match (&*result.title, result.is_whole_file) {
                (_, true) => format!("{how} {path}"),
                ("", _) => format!("{how} {path}:{line} (no title)"),
                _ => format!("{how} {path}:{line} {}", printable(&result.name())),
            });
    }

    /// Writes what there is of the file whose results came last: no more of it will come.
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
            if !self.is_quiet {
                writeln!(self.out, "{path}: {}", words(&counts))?;
                self.out.write_all(&self.below)?;
            }
            self.below.clear();
        }
        Ok(())
    }

    /// Writes what those that are not well are put down to, each cause with one of them in full.
    fn causes(&mut self, causes: &[ReportedCause]) -> io::Result<()> {
        // What is wrong with the input was told where it was found.
        let told = causes
            .iter()
            .filter(|cause| cause.kind != ReportedCauseKind::Unusable);
        for (number, cause) in told.enumerate() {
            let Some((first, others)) = cause.scenarios.split_first() else {
                continue;
            };
            let detail = self.details.get(first).map_or(&[][..], Vec::as_slice);
            writeln!(self.out)?;
            // A scenario by itself says all that there is to say.
            if others.is_empty() && !cause.kind.is_of_model() && !self.is_verbose {
                write!(self.out, "{}. ", number + 1)?;
                self.out.write_all(detail.trim_ascii_start())?;
                continue;
            }
            write_cause(cause, number + 1, "scenario", &mut self.out)?;
            if self.is_verbose {
                write_addresses("", cause.scenarios.iter(), true, &mut self.out)?;
            } else {
                self.out.write_all(detail)?;
                write_addresses("also ", others.iter(), false, &mut self.out)?;
            }
            let acceptable = cause
                .scenarios
                .iter()
                .filter(|id| self.acceptable.contains(*id))
                .count();
            if acceptable > 1 {
                let (id, again) = (&cause.id, &self.again);
                writeln!(
                    self.out,
                    "  `fsmsim review --accept {id}{again}` takes all {acceptable}"
                )?;
            }
        }
        Ok(())
    }

    /// The command that a person most likely runs next; nothing if all is well.
    fn next_command(&self) -> Option<String> {
        if !self.acceptable.is_empty() {
            return Some("`fsmsim review` shows each change, to accept or reject it".to_owned());
        }
        // A scenario that cannot be run has one line: its errors are printed elsewhere.
        let has_more = |detail: &Vec<u8>| {
            detail
                .split_inclusive(|byte| *byte == b'\n')
                .nth(1)
                .is_some()
        };
        let details = (!self.is_verbose && self.details.values().any(has_more))
            .then(|| "`fsmsim test --failed -v` shows all details".to_owned());
        self.remedy.clone().or(details)
    }

    /// Writes the causes, the summary and the list of failures, and below it what is left in the folders of snapshots.
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

/// What is left in the folders of snapshots, a line each.
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
                ", renamed? It is what {}:{} {} does",
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
