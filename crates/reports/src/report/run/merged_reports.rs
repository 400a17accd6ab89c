//! One report of many shards.

use std::collections::BTreeMap;

use super::merge_error::{MergeError, Misfit};
use super::report_head::ReportHead;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;

impl RunReport {
    /// The report of the whole run of which these are the shards, each with the file that it comes from.
    pub fn merged(parts: Vec<(String, Self)>) -> Result<Self, MergeError> {
        let heads: Vec<_> = parts
            .iter()
            .map(|(file, part)| (file.clone(), part.head.clone()))
            .collect();
        let head = ReportHead::merged(&heads)?;
        none_repeated(&parts)?;
        let mut parts = parts.into_iter();
        let (first, mut whole) = parts.next().ok_or(Misfit::Nothing.of_all())?;
        whole.head = head;
        for (file, part) in parts {
            let differs = |what| Err(Misfit::Different(what, first.clone()).of(&file));
            if part.checked != whole.checked {
                return differs("whether snapshots may wait for somebody");
            }
            whole.scenarios.extend(part.scenarios);
            whole.causes.extend(part.causes);
            whole.findings.extend(part.findings);
            whole.orphans.extend(part.orphans);
            whole.pending.extend(part.pending);
            match (&mut whole.coverage, part.coverage) {
                (Some(coverage), Some(more)) => coverage.merge(more),
                (None, None) => {}
                _ => return differs("whether coverage was counted"),
            }
        }
        whole.finish();
        // What stands for something without a title stands there in each shard.
        whole
            .scenarios
            .dedup_by(|one, other| one == other && is_untitled(one));
        Ok(whole)
    }
}

/// Whether something stands for a file, or a document, that has no title.
fn is_untitled(scenario: &ReportedScenario) -> bool {
    scenario.id == scenario.file
}

/// Sees to it that no scenario is in two reports.
fn none_repeated(parts: &[(String, RunReport)]) -> Result<(), MergeError> {
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    for (file, part) in parts {
        for scenario in part
            .scenarios
            .iter()
            .filter(|scenario| !is_untitled(scenario))
        {
            // One file may have a title twice: it is not usable, and its report says so.
            let home = *homes.entry(&scenario.id).or_insert(file);
            if home != file {
                let misfit = Misfit::RepeatedScenario(scenario.id.clone(), home.to_owned());
                return Err(misfit.of(file));
            }
        }
    }
    Ok(())
}
