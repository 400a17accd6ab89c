//! One report of many shards.

use std::collections::BTreeSet;

use super::merge_error::MergeError;
use super::report_shards::union;
use super::run_report::RunReport;

impl RunReport {
    /// The report of the whole run of which these are the shards.
    ///
    /// # Errors
    /// Where one is missing, there twice, or of something else.
    pub fn merged(parts: Vec<Self>) -> Result<Self, MergeError> {
        let shards: Vec<_> = parts.iter().map(|part| part.shards.clone()).collect();
        let mut parts = parts.into_iter();
        let mut whole = parts.next().ok_or(MergeError::Nothing)?;
        whole.shards = union(&shards)?;
        for part in parts {
            if part.kind != whole.kind {
                let name = |kind: super::run_report::ReportedRun| <&str>::from(kind).to_owned();
                return Err(MergeError::OtherKind(name(whole.kind), name(part.kind)));
            }
            for (path, hash) in part.models {
                if whole.models.insert(path.clone(), hash.clone()).is_some_and(|other| other != hash) {
                    return Err(MergeError::OtherModel(path));
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
                _ => return Err(MergeError::Different("whether coverage was counted")),
            }
        }
        whole.finish();
        let mut seen = BTreeSet::new();
        // What stands for a whole file has no title, and stands there in each shard.
        whole.scenarios.dedup_by(|one, other| one == other && one.id == one.file);
        match whole.scenarios.iter().find(|scenario| scenario.id != scenario.file && !seen.insert(&scenario.id)) {
            Some(scenario) => Err(MergeError::RepeatedScenario(scenario.id.clone())),
            None => Ok(whole),
        }
    }
}
