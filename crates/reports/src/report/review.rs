//! Results to review, as text and as JSON.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::run::{ReportedCause, ReportedCauseKind, write_addresses, write_cause};
use super::snapshot_lines::write_review_entry;
use fsmsim_harness::review::{ReviewEntry, ReviewHindrance, ReviewList};
use fsmsim_harness::snapshot::PendingSnapshot;
use fsmsim_harness::suite::{ExpectationEdit, ExpectationUpdates, RefusedUpdate};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, quoted};

/// Pending snapshots and failed expectations with their causes.
#[derive(Debug)]
pub struct ReviewReport<'r> {
    pub list: &'r ReviewList,
    /// The causes of the results that can be accepted.
    pub causes: &'r [ReportedCause],
    pub updates: &'r ExpectationUpdates,
    /// The word for a result.
    pub noun: &'r str,
    /// Arguments that a follow-up command needs to run the same scenarios.
    pub again: &'r str,
    /// The paths that a follow-up command needs, too, unless it names a scenario.
    pub paths: &'r str,
    /// Whether the commands for accepting and rejecting results are shown.
    pub may_decide: bool,
    /// The prefix of paths in the project.
    pub folder: &'r str,
}

impl ReviewReport<'_> {
    /// A cause for the results that cannot be accepted, but rejected: snapshots.
    pub fn unacceptable(list: &ReviewList) -> Option<ReportedCause> {
        let title = "not as expected, or outdated".to_owned();
        let snapshots = list.hindered().filter(|entry| entry.snapshot.is_some());
        let scenarios: Vec<String> = snapshots.map(|entry| entry.id.clone()).collect();
        let cause = ReportedCause::new(ReportedCauseKind::Change, title, "review");
        (!scenarios.is_empty()).then_some(ReportedCause { scenarios, ..cause })
    }

    /// Writes the causes with the commands that accept or reject their results, then the results that cannot be
    /// accepted.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.list.is_empty() {
            writeln!(out, "no pending snapshots")?;
            return self.refusals(out);
        }
        let scenarios = self.causes.iter().flat_map(|cause| &cause.scenarios);
        // A scenario can have several causes.
        let count = scenarios.collect::<BTreeSet<_>>().len();
        if count > 0 {
            let snapshots = plural(count, &format!("pending {}", self.noun));
            let causes = plural(self.causes.len(), "cause");
            writeln!(out, "{snapshots} from {causes}")?;
        }
        for (number, cause) in self.causes.iter().enumerate() {
            writeln!(out)?;
            write_cause(&cause.below(self.folder), number + 1, self.noun, out)?;
            self.example(cause, out)?;
        }
        if count > 0 {
            writeln!(out)?;
        }
        self.undecidable(out)?;
        self.refusals(out)
    }

    /// Writes each failure that no edit repairs.
    pub fn refusals(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = self.updates.refusals().into_iter();
        lines.try_for_each(|line| writeln!(out, "{}", printable(&line)))
    }

    /// Writes the first snapshot of a cause in full, the IDs of the others, and the commands that accept or reject
    /// them.
    fn example(&self, cause: &ReportedCause, out: &mut dyn Write) -> io::Result<()> {
        let Some((first, others)) = cause.scenarios.split_first() else {
            return Ok(());
        };
        let Some(entry) = self.list.entry(first) else {
            return Ok(());
        };
        let first = &format!("{}{first}", self.folder);
        writeln!(out, "  {}", printable(first))?;
        write_review_entry(entry, self.updates, self.folder, out)?;
        let word = format!("also {}", self.folder);
        write_addresses(&word, others.iter(), false, out)?;
        if !self.may_decide {
            return Ok(());
        }
        let id = &cause.id;
        let (paths, again) = (self.paths, self.again);
        let count = cause.scenarios.len();
        let all = if count == 1 {
            "it".to_owned()
        } else {
            format!("all {count}")
        };
        for decision in ["accept", "reject"] {
            let command = format!("fsmsim review --{decision} {id}{paths}{again}");
            writeln!(out, "  to {decision} {all}, run `{command}`")?;
        }
        if count > 1 && self.updates.is_empty() {
            writeln!(
                out,
                "  to accept only the first, run `fsmsim test --accept {}{again}`",
                quoted(first)
            )?;
        }
        Ok(())
    }

    /// Writes the snapshots that cannot be accepted, with the reason and the next step.
    fn undecidable(&self, out: &mut dyn Write) -> io::Result<()> {
        for ReviewEntry {
            id,
            hindrance,
            snapshot,
            ..
        } in self.list.hindered()
        {
            let path = path_of(snapshot.as_ref());
            let id = &format!("{}{id}", self.folder);
            let (how, name, why) = match hindrance {
                Some(ReviewHindrance::FallsShort) => ("FAILED", id, "to see the failures"),
                Some(ReviewHindrance::Unplayed) => ("NOT RUN", id, "to see the reason"),
                _ => ("OUTDATED", &path, "to check the scenario again"),
            };
            let name = printable(name);
            let address = quoted(id);
            let again = self.again;
            writeln!(
                out,
                "{how} {name}: run `fsmsim test {address}{again}` {why}"
            )?;
        }
        if let Some(cause) = Self::unacceptable(self.list).filter(|_| self.may_decide) {
            let (id, paths, again) = (cause.id, self.paths, self.again);
            writeln!(
                out,
                "to reject them, run `fsmsim review --reject {id}{paths}{again}`"
            )?;
        }
        for path in &self.list.orphans {
            let path = printable(&path.display().to_string());
            let paths = self.paths;
            writeln!(
                out,
                "ORPHANED {path}: run `fsmsim test --prune{paths}` to remove it"
            )?;
        }
        Ok(())
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> Value {
        let edit = |edit: &ExpectationEdit| {
            let at = edit.checks.first().map(|(_, place)| place.to_string());
            json!({ "at": at, "old": edit.old, "new": edit.new })
        };
        let entry = |entry: &ReviewEntry| {
            json!({
                "scenario": entry.id,
                "pending": entry.snapshot.as_ref().map(|snapshot| path_of(Some(snapshot))),
                "expectations": self.updates.edits_for(&entry.id).map(edit).collect::<Value>(),
            })
        };
        let causes = self.causes.iter().map(|cause| {
            let entries = cause.scenarios.iter().filter_map(|id| self.list.entry(id));
            let mut value = json!(cause);
            if let Value::Object(keys) = &mut value {
                keys.insert("results".to_owned(), entries.map(entry).collect());
            }
            value
        });
        let refused = |RefusedUpdate { id, place, why }: &RefusedUpdate| json!({ "scenario": id, "at": place.to_string(), "reason": why });
        let hindered = |wanted: ReviewHindrance| -> Vec<&String> {
            let entries = self
                .list
                .hindered()
                .filter(|entry| entry.hindrance == Some(wanted));
            entries.map(|entry| &entry.id).collect()
        };
        json!({
            "fsmsim_review": 1,
            "causes": causes.collect::<Value>(),
            "not_as_expected": hindered(ReviewHindrance::FallsShort),
            "not_played": hindered(ReviewHindrance::Unplayed),
            "out_of_date": hindered(ReviewHindrance::Outdated),
            "refused": self.updates.refused().iter().map(refused).collect::<Value>(),
            "orphans": self.list.orphans.iter().map(|path| path.display().to_string()).collect::<Value>(),
        })
    }
}

fn path_of(snapshot: Option<&PendingSnapshot>) -> String {
    snapshot.map_or_else(String::new, |snapshot| snapshot.path.display().to_string())
}
