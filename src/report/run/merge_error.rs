//! Why reports cannot be put together.

use std::fmt;

use crate::threads::Shard;

/// Why reports cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// There is none.
    Nothing,
    /// One of several is no shard.
    Whole,
    /// A shard is there twice.
    Repeated(Shard),
    /// These shards are not there.
    Missing(Vec<Shard>),
    /// Shards of runs with different numbers of them.
    OtherNumber(Shard, Shard),
    /// They are reports of different kinds.
    OtherKind(String, String),
    /// A model was another one in another shard.
    OtherModel(String),
    /// A scenario is in two shards.
    RepeatedScenario(String),
    /// Something that must be the same in all shards is not.
    Different(&'static str),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => write!(f, "there is no report to put together"),
            Self::Whole => write!(f, "one of them is a report of a whole run, and no shard"),
            Self::Repeated(shard) => write!(f, "the shard {shard} is there twice"),
            Self::Missing(shards) => {
                let shards: Vec<String> = shards.iter().map(Shard::to_string).collect();
                write!(f, "not all shards are there: {} missing", shards.join(", "))
            }
            Self::OtherNumber(one, other) => write!(f, "{one} and {other} are shards of different runs"),
            Self::OtherKind(one, other) => write!(f, "one is a report of `{one}`, another of `{other}`"),
            Self::OtherModel(path) => write!(f, "`{path}` was not the same in all shards"),
            Self::RepeatedScenario(id) => write!(f, "`{id}` is in two shards"),
            Self::Different(what) => write!(f, "{what} is not the same in all shards"),
        }
    }
}

impl std::error::Error for MergeError {}
