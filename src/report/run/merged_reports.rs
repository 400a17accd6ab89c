//! One report of many shards.

use std::collections::BTreeMap;

use super::merge_error::{MergeError, Misfit};
use super::report_shards::union;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;

impl RunReport {
    /// The report of the whole run of which these are the shards, each with the file that it comes from.
    ///
    /// # Errors
    /// Where one is missing, there twice, or of something else.
    pub fn merged(parts: Vec<(String, Self)>) -> Result<Self, MergeError> {
        for ((one, first), (file, part)) in parts.iter().zip(parts.iter().skip(1)) {
            if part.kind != first.kind {
                let misfit = Misfit::OtherKind(part.kind.into(), first.kind.into(), one.clone());
                return Err(MergeError { file: Some(file.clone()), misfit });
            }
        }
        let shards: Vec<_> = parts.iter().map(|(file, part)| (file.clone(), part.shards.clone())).collect();
        let shards = union(&shards)?;
        let homes = homes(&parts)?;
        let mut parts = parts.into_iter();
        let (first, mut whole) = parts.next().ok_or(MergeError { file: None, misfit: Misfit::Nothing })?;
        whole.shards = shards;
        for (file, part) in parts {
            let misfit = |misfit| Err(MergeError { file: Some(file.clone()), misfit });
            if part.checked != whole.checked {
                return misfit(Misfit::Different("whether snapshots may wait for somebody", first));
            }
            for (path, hash) in part.models {
                let known = whole.models.entry(path.clone()).or_insert_with(|| hash.clone());
                if *known != hash {
                    let home = homes.get(&path).cloned().unwrap_or(first);
                    return misfit(Misfit::OtherModel(path, home));
                }
            }
            whole.scenarios.extend(part.scenarios);
            whole.causes.extend(part.causes);
            whole.findings.extend(part.findings);
            whole.orphans.extend(part.orphans);
            whole.pending.extend(part.pending);
            match (&mut whole.coverage, part.coverage) {
                (Some(coverage), Some(more)) => coverage.merge(more),
                (None, None) => {}
                _ => return misfit(Misfit::Different("whether coverage was counted", first)),
            }
        }
        whole.finish();
        // What stands for something without a title stands there in each shard.
        whole.scenarios.dedup_by(|one, other| one == other && is_untitled(one));
        Ok(whole)
    }
}

/// Whether something stands for a file, or a document, that has no title.
fn is_untitled(scenario: &ReportedScenario) -> bool {
    scenario.id == scenario.file
}

/// Which file names a model first.
///
/// # Errors
/// Where a scenario is in two files.
fn homes(parts: &[(String, RunReport)]) -> Result<BTreeMap<String, String>, MergeError> {
    let mut scenarios: BTreeMap<&str, &str> = BTreeMap::new();
    let mut models = BTreeMap::new();
    for (file, part) in parts {
        for scenario in part.scenarios.iter().filter(|scenario| !is_untitled(scenario)) {
            // One file may have a title twice: it is not usable, and its report says so.
            let home = *scenarios.entry(&scenario.id).or_insert(file);
            if home != file {
                let misfit = Misfit::RepeatedScenario(scenario.id.clone(), home.to_owned());
                return Err(MergeError { file: Some(file.clone()), misfit });
            }
        }
        for path in part.models.keys() {
            models.entry(path.clone()).or_insert_with(|| file.clone());
        }
    }
    Ok(models)
}
