//! Merges the reports of shards.

use std::collections::BTreeMap;

use super::merge_error::{MergeError, Misfit};
use super::report_head::ReportHead;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;

impl RunReport {
    /// Merges the shards of a run, each with its file.
    pub fn merged(parts: Vec<(String, Self)>) -> Result<Self, MergeError> {
        let heads: Vec<_> = parts
            .iter()
            .map(|(file, part)| (file.clone(), part.head.clone()))
            .collect();
        let head = ReportHead::merged(&heads)?;
        none_repeated(&parts)?;
        let mut parts = parts.into_iter();
        let (first, mut merged) = parts.next().ok_or(Misfit::Nothing.of_all())?;
        merged.head = head;
        for (file, part) in parts {
            let differs = |what| Err(Misfit::Different(what, first.clone()).of(&file));
            if part.checked != merged.checked {
                return differs("the handling of pending snapshots");
            }
            merged.scenarios.extend(part.scenarios);
            merged.causes.extend(part.causes);
            merged.findings.extend(part.findings);
            merged.orphans.extend(part.orphans);
            merged.pending.extend(part.pending);
            match (&mut merged.coverage, part.coverage) {
                (Some(coverage), Some(more)) => coverage.merge(more),
                (None, None) => {}
                _ => return differs("the use of coverage"),
            }
        }
        merged.finish();
        // The report of each shard contains the entry for a file without titles.
        merged.scenarios.dedup_by(|one, other| {
            // The durations of the shards differ.
            let seconds = other.seconds;
            is_untitled(one)
                && (ReportedScenario {
                    seconds,
                    ..one.clone()
                }) == *other
        });
        Ok(merged)
    }
}

/// Whether an entry is for a file or document without a title.
fn is_untitled(scenario: &ReportedScenario) -> bool {
    scenario.id == scenario.file
}

/// Checks that no scenario is in two reports.
fn none_repeated(parts: &[(String, RunReport)]) -> Result<(), MergeError> {
    let mut files: BTreeMap<&str, &str> = BTreeMap::new();
    for (file, part) in parts {
        for scenario in part
            .scenarios
            .iter()
            .filter(|scenario| !is_untitled(scenario))
        {
            // A file with a duplicate title is invalid, which its report shows.
            let known_file = *files.entry(&scenario.id).or_insert(file);
            if known_file != file {
                let misfit = Misfit::RepeatedScenario(scenario.id.clone(), known_file.to_owned());
                return Err(misfit.of(file));
            }
        }
    }
    Ok(())
}
