//! A report whose result is of a kind of its own.

use std::io::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::merge_error::{MergeError, Misfit};
use super::report_head::ReportHead;

/// A report whose result is of a kind of its own, behind what every report begins with. It is written as one object; keys
/// always come in the same order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeadedReport<H, R> {
    /// What it is of.
    #[serde(flatten)]
    pub head: H,
    /// What that came to.
    #[serde(flatten)]
    pub result: R,
}

/// What shards come to together.
pub trait SharedResult: DeserializeOwned {
    /// Adds what another shard came to.
    fn join(&mut self, other: Self) -> Result<(), &'static str>;

    /// Says that nothing is missing any more.
    fn finish(&mut self) -> Result<(), &'static str>;
}

impl<H: Serialize, R: Serialize> HeadedReport<H, R> {
    /// Writes it as JSON.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }
}

impl<R: SharedResult> HeadedReport<ReportHead, R> {
    /// Reads what [`write`](Self::write) wrote.
    pub fn from_json(text: &str) -> Result<Self, String> {
        // Each part passes over the keys of the other.
        let head = ReportHead::from_json(text)?;
        let result = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(Self { head, result })
    }

    /// The report of the whole run of which these are the shards, each with the file that it comes from.
    pub fn merged(parts: Vec<(String, Self)>) -> Result<Self, MergeError> {
        let heads: Vec<_> = parts
            .iter()
            .map(|(file, part)| (file.clone(), part.head.clone()))
            .collect();
        let head = ReportHead::merged(&heads)?;
        let is_shared = heads.iter().any(|(_, head)| !head.shards.is_empty());
        let mut parts = parts.into_iter();
        let first = parts.next().ok_or(Misfit::Nothing.of_all())?;
        let (first, Self { mut result, .. }) = first;
        for (file, part) in parts {
            result
                .join(part.result)
                .map_err(|what| Misfit::Different(what, first.clone()).of(&file))?;
        }
        if is_shared {
            result
                .finish()
                .map_err(|why| Misfit::NoWhole(why).of_all())?;
        }
        Ok(Self { head, result })
    }
}
