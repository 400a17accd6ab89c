//! Pending snapshots, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::run::{ReportedCause, write_addresses, write_cause};
use super::snapshot_lines::write_snapshot_difference;
use fsmsim_harness::review::{ReviewEntry, ReviewHindrance, ReviewList};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::{printable, quoted};

/// Pending snapshots with their causes.
#[derive(Debug)]
pub struct ReviewReport<'r> {
    pub list: &'r ReviewList,
    /// The causes of the snapshots that can be accepted or rejected.
    pub causes: &'r [ReportedCause],
    /// Arguments that a follow-up command needs to run the same scenarios.
    pub again: &'r str,
    /// Whether the commands for accepting and rejecting snapshots are shown.
    pub may_decide: bool,
}

impl ReviewReport<'_> {
    /// Writes the causes with the commands that accept or reject their snapshots, then the snapshots that can be
    /// neither accepted nor rejected.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.list.is_empty() {
            return writeln!(out, "no pending snapshots");
        }
        let count: usize = self.causes.iter().map(|cause| cause.scenarios.len()).sum();
        if count > 0 {
            let snapshots = plural(count, "pending snapshot");
            let causes = plural(self.causes.len(), "cause");
            writeln!(out, "{snapshots} from {causes}")?;
        }
        for (number, cause) in self.causes.iter().enumerate() {
            writeln!(out)?;
            write_cause(cause, number + 1, "snapshot", out)?;
            self.example(cause, out)?;
        }
        if count > 0 {
            writeln!(out)?;
        }
        self.undecidable(out)
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
        writeln!(out, "  {}", printable(first))?;
        write_snapshot_difference(entry.snapshot.difference().as_ref(), out)?;
        write_addresses("also ", others.iter(), false, out)?;
        if !self.may_decide {
            return Ok(());
        }
        let id = &cause.id;
        let again = self.again;
        let count = cause.scenarios.len();
        let all = if count == 1 {
            "it".to_owned()
        } else {
            format!("all {count}")
        };
        for decision in ["accept", "reject"] {
            let command = format!("fsmsim review --{decision} {id}{again}");
            writeln!(out, "  to {decision} {all}, run `{command}`")?;
        }
        if count > 1 {
            writeln!(
                out,
                "  to accept only the first, run `fsmsim test --accept {}{again}`",
                quoted(first)
            )?;
        }
        Ok(())
    }

    /// Writes the snapshots that can be neither accepted nor rejected, with the reason and the next step.
    fn undecidable(&self, out: &mut dyn Write) -> io::Result<()> {
        for ReviewEntry {
            id,
            hindrance,
            snapshot,
            ..
        } in self.list.hindered()
        {
            let path = snapshot.path.display().to_string();
            let (how, name, why) = match hindrance {
                Some(ReviewHindrance::FallsShort) => (
                    "FAILED",
                    id,
                    "to see the failures, or with `--update-expectations` to update the scenario",
                ),
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
        for path in &self.list.orphans {
            let path = printable(&path.display().to_string());
            writeln!(
                out,
                "ORPHANED {path}: run `fsmsim test --prune` to remove it"
            )?;
        }
        Ok(())
    }

    /// The report as one JSON object.
    pub fn to_json(&self) -> Value {
        let waiting = |cause: &ReportedCause| -> Vec<Value> {
            let entries = cause.scenarios.iter().filter_map(|id| self.list.entry(id));
            let path = |entry: &ReviewEntry| entry.snapshot.path.display().to_string();
            entries
                .map(|entry| json!({ "scenario": entry.id, "pending": path(entry) }))
                .collect()
        };
        let causes = self
            .causes
            .iter()
            .map(|cause| json!({ "cause": cause, "snapshots": waiting(cause) }));
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
            "orphans": self.list.orphans.iter().map(|path| path.display().to_string()).collect::<Value>(),
        })
    }
}
