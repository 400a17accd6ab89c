//! Errors of merging reports.

use std::fmt;

use fsmsim_syntax::threads::Shard;

/// Why reports cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeError {
    /// The file of the report that cannot be merged. `None` if the error is about all reports.
    pub file: Option<String>,
    /// The reason.
    pub misfit: Misfit,
}

/// Why a report cannot be merged with the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// There is no report.
    Nothing,
    /// The report is about a complete run, not a shard.
    Whole,
    /// This file contains the same shard.
    Repeated(Shard, String),
    /// These shards are missing.
    Missing(Vec<Shard>),
    /// The first shard has a different total than the second shard, which is in this file.
    OtherNumber(Shard, Shard, String),
    /// The first kind of run differs from the second kind, which is in this file.
    OtherKind(&'static str, &'static str, String),
    /// The hash of this model or file differs from the hash in this report.
    OtherFile(&'static str, String, String),
    /// The first selection of scenarios differs from the second, which is in this file.
    OtherSelection(String, String, String),
    /// This file contains the same scenario.
    RepeatedScenario(String, String),
    /// A complete run would have a different result.
    NoWhole(&'static str),
    /// This value differs from the value in this file.
    Different(&'static str, String),
}

impl Misfit {
    /// The error for the report in this file.
    pub(super) fn of(self, file: &str) -> MergeError {
        MergeError {
            file: Some(file.to_owned()),
            misfit: self,
        }
    }

    /// The error for all reports.
    pub(super) fn of_all(self) -> MergeError {
        MergeError {
            file: None,
            misfit: self,
        }
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.misfit {
            Misfit::Nothing => write!(f, "no reports to merge"),
            Misfit::Whole => write!(f, "the report is from a complete run, not from a shard"),
            Misfit::Repeated(shard, other) => {
                write!(f, "shard {shard} is already in `{other}`")
            }
            Misfit::Missing(shards) => {
                let shards: Vec<String> = shards.iter().map(Shard::to_string).collect();
                write!(f, "missing shards: {}", shards.join(", "))
            }
            Misfit::OtherNumber(shard, other, file) => {
                write!(
                    f,
                    "shard {shard} is not from the same run as {other} in `{file}`"
                )
            }
            Misfit::OtherKind(kind, other, file) => {
                write!(
                    f,
                    "the report is from `{kind}`, but `{file}` is from `{other}`"
                )
            }
            Misfit::OtherFile(kind, path, file) => {
                write!(f, "the {kind} `{path}` differs from the one in `{file}`")
            }
            Misfit::OtherSelection(here, there, file) => {
                write!(f, "the report is of {here}, but `{file}` is of {there}")
            }
            Misfit::RepeatedScenario(id, file) => {
                write!(f, "the scenario `{id}` is also in `{file}`")
            }
            Misfit::NoWhole(why) => write!(f, "cannot merge the shards: {why}"),
            Misfit::Different(what, file) => write!(f, "{what} differs from `{file}`"),
        }
    }
}

impl std::error::Error for MergeError {}
