//! Why reports cannot be put together.

use std::fmt;

use fsmsim_syntax::threads::Shard;

/// Why reports cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeError {
    /// The report that does not go with the others, by its file; nothing where it is about all of them.
    pub file: Option<String>,
    /// Why it does not.
    pub misfit: Misfit,
}

/// Why a report does not go with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// There is none.
    Nothing,
    /// It is of a whole run, and no shard.
    Whole,
    /// The shard is there already, in this file.
    Repeated(Shard, String),
    /// These shards are not there.
    Missing(Vec<Shard>),
    /// It is the shard of a run with another number of them than the run of this shard, in this file.
    OtherNumber(Shard, Shard, String),
    /// It is of another kind than this one, in this file.
    OtherKind(&'static str, &'static str, String),
    /// This model was another one in this file.
    OtherModel(String, String),
    /// This scenario is in this file, too.
    RepeatedScenario(String, String),
    /// The whole run would not have come to what the shards came to.
    NoWhole(&'static str),
    /// This is not as it is in this file.
    Different(&'static str, String),
}

impl Misfit {
    /// A report does not go with the others for this, by its file.
    pub(super) fn of(self, file: &str) -> MergeError {
        MergeError {
            file: Some(file.to_owned()),
            misfit: self,
        }
    }

    /// The reports do not go together for this.
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
            Misfit::Nothing => write!(f, "there is no report to put together"),
            Misfit::Whole => write!(f, "the report is of a whole run, and no shard"),
            Misfit::Repeated(shard, other) => {
                write!(f, "the shard {shard} is there twice: `{other}` has it, too")
            }
            Misfit::Missing(shards) => {
                let shards: Vec<String> = shards.iter().map(Shard::to_string).collect();
                write!(f, "not all shards are there: {} missing", shards.join(", "))
            }
            Misfit::OtherNumber(shard, other, file) => {
                write!(
                    f,
                    "{shard} is no shard of the same run as {other} of `{file}`"
                )
            }
            Misfit::OtherKind(kind, other, file) => {
                write!(f, "the report is of `{kind}`, and `{file}` of `{other}`")
            }
            Misfit::OtherModel(path, file) => {
                write!(f, "the model `{path}` was another one than in `{file}`")
            }
            Misfit::RepeatedScenario(id, file) => {
                write!(f, "the scenario `{id}` is in `{file}`, too")
            }
            Misfit::NoWhole(why) => write!(f, "the shards do not come to a whole run: {why}"),
            Misfit::Different(what, file) => write!(f, "{what} is not as in `{file}`"),
        }
    }
}

impl std::error::Error for MergeError {}
