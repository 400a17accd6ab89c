//! The common head of all reports.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::merge_error::{MergeError, Misfit};
use fsmsim_runtime::project::path_in_repository;
use fsmsim_syntax::threads::Shard;

/// The common head of all reports: the kind of the run, its shards and models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportHead {
    pub fsmsim_report: u32,
    pub kind: ReportedRun,
    /// The path of the project in its git repository. Empty if the project is the root of the repository.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub project: String,
    /// The shards of the report; empty for a complete run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shards: Vec<Shard>,
    /// The models by relative path, each with the hash of all its files.
    #[serde(default)]
    pub models: BTreeMap<String, String>,
    /// The other files from which scenarios were read, by relative path, each with its hash.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The scenarios from which the run selected. `None` if the run stopped early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<ReportedSelection>,
}

/// The scenarios from which a run selected, and the command that selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedSelection {
    /// The number of scenarios before filters and shards.
    pub scenarios: usize,
    /// A hash of their IDs.
    pub hash: String,
    /// The command with the arguments that select scenarios or change their results, without the shard.
    pub command: String,
}

/// Formats the selection for the message that it differs.
impl fmt::Display for ReportedSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let command = &self.command;
        let scenarios = self.scenarios;
        let hash = &self.hash;
        write!(f, "`{command}` from {scenarios} scenarios (hash {hash})")
    }
}

impl ReportHead {
    /// The head of a report without models.
    pub fn new(kind: ReportedRun, shard: Option<Shard>) -> Self {
        Self {
            fsmsim_report: VERSION,
            kind,
            shards: shard.into_iter().collect(),
            ..Self::default()
        }
    }

    /// A path of the report from the root of the git repository, for viewers that know no project.
    pub(super) fn in_repository(&self, path: &str) -> String {
        if Path::new(path).is_absolute() {
            let inner = path_in_repository(Path::new(path), Path::new(""));
            inner.unwrap_or_else(|| path.to_owned())
        } else if path.is_empty() {
            String::new()
        } else {
            self.prefix() + path
        }
    }

    /// The prefix of paths in the project, from the root of the git repository.
    pub(super) fn prefix(&self) -> String {
        if self.project.is_empty() {
            String::new()
        } else {
            format!("{}/", self.project)
        }
    }

    /// Parses only the head of a report.
    pub fn from_json(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct HeadVersion {
            fsmsim_report: u32,
        }
        // A report of another version can have a different structure.
        match serde_json::from_str::<HeadVersion>(text) {
            Ok(HeadVersion { fsmsim_report }) if fsmsim_report != VERSION => Err(format!(
                "expected report version {VERSION}, found {fsmsim_report}"
            )),
            _ => serde_json::from_str(text).map_err(|error| error.to_string()),
        }
    }

    /// The kind of run that all reports have in common. `parts` contains the reports with their files.
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

    /// Merges the heads of the shards of a run, each with its file.
    pub(super) fn merged(parts: &[(String, Self)]) -> Result<Self, MergeError> {
        let kind = Self::kind_of(parts)?;
        check_shards(parts)?;
        let mut merged = Self::new(kind, None);
        let first = parts.first().map(|(_, part)| part.project.clone());
        merged.project = first.unwrap_or_default();
        let mut seen: BTreeMap<(&str, &String), (&String, &String)> = BTreeMap::new();
        let mut whole: Option<(&String, &ReportedSelection)> = None;
        for (file, part) in parts {
            for (kind, hashes) in [("model", &part.models), ("file", &part.files)] {
                for (path, hash) in hashes {
                    let (known_file, known) = *seen.entry((kind, path)).or_insert((file, hash));
                    if known != hash {
                        let misfit = Misfit::OtherFile(kind, path.clone(), known_file.clone());
                        return Err(misfit.of(file));
                    }
                }
            }
            if let Some(selection) = &part.selection {
                let (first, whole) = *whole.get_or_insert((file, selection));
                if selection != whole {
                    let here = selection.to_string();
                    let there = whole.to_string();
                    return Err(Misfit::OtherSelection(here, there, first.clone()).of(file));
                }
            }
            merged.models.extend(part.models.clone());
            merged.files.extend(part.files.clone());
        }
        merged.selection = whole.map(|(_, selection)| selection.clone());
        Ok(merged)
    }
}

pub(super) const VERSION: u32 = 2;

/// The kind of a run.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportedRun {
    #[default]
    Test,
    /// Dialogues with simulated users.
    Simulate,
    /// Recorded traces.
    Verify,
    /// Labeled utterances.
    Eval,
    /// Models without dialogues.
    Lint,
    /// All dialogues of models.
    Explore,
    /// Changed models.
    Mutate,
}

impl ReportedRun {
    /// The noun for an item of the run.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Verify => "dialogue",
            _ => "scenario",
        }
    }

    /// Whether the run reports findings about models, and no scenarios.
    pub(super) fn is_about_models(self) -> bool {
        matches!(self, Self::Lint | Self::Explore | Self::Mutate)
    }
}

/// Checks that the reports contain all shards of a run.
///
/// # Errors
/// Returns an error if a shard is missing or duplicate, or if reports of different runs, or of a complete run and
/// shards, are mixed.
fn check_shards(parts: &[(String, ReportHead)]) -> Result<(), MergeError> {
    if let [(_, only)] = parts
        && only.shards.is_empty()
    {
        return Ok(());
    }
    let mut seen: BTreeMap<Shard, &str> = BTreeMap::new();
    for (file, part) in parts {
        if part.shards.is_empty() {
            return Err(Misfit::Whole.of(file));
        }
        for shard in &part.shards {
            if let Some((other, known_file)) = seen
                .first_key_value()
                .filter(|(other, _)| other.of() != shard.of())
            {
                let misfit = Misfit::OtherNumber(*shard, *other, (*known_file).to_owned());
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
        Ok(())
    } else {
        Err(Misfit::Missing(missing).of_all())
    }
}
