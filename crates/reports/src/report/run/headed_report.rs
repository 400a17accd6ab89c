//! A report with a common head and a specific result.

use std::io::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::merge_error::{MergeError, Misfit};
use super::report_head::ReportHead;

/// A report with the common head and a specific result. It is written as one object; the order of the keys is fixed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeadedReport<H, R> {
    #[serde(flatten)]
    pub head: H,
    #[serde(flatten)]
    pub result: R,
}

/// A result that can be merged from shards.
pub trait SharedResult: DeserializeOwned {
    /// Adds the result of another shard.
    fn join(&mut self, other: Self) -> Result<(), &'static str>;

    /// Completes the result after the last shard.
    fn finish(&mut self) -> Result<(), &'static str>;
}

impl<H: Serialize, R: Serialize> HeadedReport<H, R> {
    /// Writes the report as JSON.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }
}

impl<R: SharedResult> HeadedReport<ReportHead, R> {
    /// Parses the output of [`write`](Self::write).
    pub fn from_json(text: &str) -> Result<Self, String> {
        // The head and the result each ignore the keys of the other.
        let head = ReportHead::from_json(text)?;
        let result = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(Self { head, result })
    }

    /// Merges the shards of a run, each with its file.
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
