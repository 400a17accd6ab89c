//! What every report begins with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::merge_error::{MergeError, Misfit};
use fsmsim_syntax::threads::Shard;

/// What every report begins with: what was run, which shards of it, with which models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportHead {
    /// The version of the format.
    pub fsmsim_report: u32,
    /// What was run.
    pub kind: ReportedRun,
    /// Of which shards it is; none, where it is whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<Shard>,
    /// The models, by path from the project, each with the hash of all its files.
    #[serde(default)]
    pub models: BTreeMap<String, String>,
}

impl ReportHead {
    /// The head of a report without models yet.
    pub fn new(kind: ReportedRun, shard: Option<Shard>) -> Self {
        Self {
            fsmsim_report: VERSION,
            kind,
            shards: shard.into_iter().collect(),
            models: BTreeMap::new(),
        }
    }

    /// Reads the head of a report, and nothing else of it.
    pub fn from_json(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct HeadVersion {
            fsmsim_report: u32,
        }
        // What another version says need not even have the shape of this one.
        match serde_json::from_str::<HeadVersion>(text) {
            Ok(HeadVersion { fsmsim_report }) if fsmsim_report != VERSION => Err(format!(
                "it is of version {fsmsim_report}, and this program reads version {VERSION}"
            )),
            _ => serde_json::from_str(text).map_err(|error| error.to_string()),
        }
    }

    /// What was run in all of these, each with the file that it comes from.
    pub fn kind_of(parts: &[(String, Self)]) -> Result<ReportedRun, MergeError> {
        let Some((first, head)) = parts.first() else {
            return Err(Misfit::Nothing.of_all());
        };
        match parts.iter().find(|(_, part)| part.kind != head.kind) {
            None => Ok(head.kind),
            Some((file, part)) => {
                let misfit = Misfit::OtherKind(part.kind.into(), head.kind.into(), first.clone());
                Err(misfit.of(file))
            }
        }
    }

    /// The head of the whole run of which these are the shards, each with the file that it comes from.
    pub(super) fn merged(parts: &[(String, Self)]) -> Result<Self, MergeError> {
        let kind = Self::kind_of(parts)?;
        let shards: Vec<_> = parts
            .iter()
            .map(|(file, part)| (file.clone(), part.shards.clone()))
            .collect();
        let mut whole = Self {
            shards: union(&shards)?,
            ..Self::new(kind, None)
        };
        let mut homes: BTreeMap<&String, &String> = BTreeMap::new();
        for (file, part) in parts {
            for (path, hash) in &part.models {
                let home = *homes.entry(path).or_insert(file);
                if whole
                    .models
                    .entry(path.clone())
                    .or_insert_with(|| hash.clone())
                    != hash
                {
                    let misfit = Misfit::OtherModel(path.clone(), home.clone());
                    return Err(misfit.of(file));
                }
            }
        }
        Ok(whole)
    }
}

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// What was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportedRun {
    /// Scenarios.
    Test,
    /// Dialogues with simulated users.
    Simulate,
    /// Recorded dialogues.
    Verify,
    /// Labelled utterances.
    Eval,
    /// The definitions alone.
    Lint,
}

/// Puts shards together, which must be all: none are left then. Each part has the file that it comes from.
///
/// # Errors
/// Where a shard is missing or there twice, shards of different runs are together, or something whole is beside a shard.
pub(super) fn union(parts: &[(String, Vec<Shard>)]) -> Result<Vec<Shard>, MergeError> {
    if let [(_, only)] = parts
        && only.is_empty()
    {
        return Ok(Vec::new());
    }
    let mut seen: BTreeMap<Shard, &str> = BTreeMap::new();
    for (file, shards) in parts {
        if shards.is_empty() {
            return Err(Misfit::Whole.of(file));
        }
        for shard in shards {
            if let Some((other, home)) = seen
                .first_key_value()
                .filter(|(other, _)| other.of() != shard.of())
            {
                let misfit = Misfit::OtherNumber(*shard, *other, (*home).to_owned());
                return Err(misfit.of(file));
            }
            if let Some(other) = seen.insert(*shard, file) {
                return Err(Misfit::Repeated(*shard, other.to_owned()).of(file));
            }
        }
    }
    let of = seen.keys().next().map_or(0, |shard| shard.of());
    let missing: Vec<Shard> = Shard::all(of)
        .filter(|shard| !seen.contains_key(shard))
        .collect();
    if missing.is_empty() {
        Ok(Vec::new())
    } else {
        Err(Misfit::Missing(missing).of_all())
    }
}
