//! The file of a snapshot: insta's format, a header between two lines `---`, then the text.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::snapshot_text::SnapshotRecord;
use crate::limits::MAX_SNAPSHOT;
use fsmsim_syntax::files::{ReadFence, write_whole};

/// What the file of a snapshot holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SnapshotFile {
    /// The file of the scenario, from the project.
    pub source: String,
    /// The title of the scenario.
    pub title: String,
    /// The records, with the rules that decided when it was accepted. These are told where the text differs, and are no part
    /// of it: their places change with every line above them.
    pub record: SnapshotRecord,
}

/// What the header says. Other tools may add keys of theirs.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Header {
    source: String,
    expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    info: Option<serde_yaml::Value>,
}

/// What is said beside, in our own files.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Info {
    rules: BTreeMap<u32, String>,
}

impl SnapshotFile {
    /// Writes it.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let SnapshotRecord { text, rules } = &self.record;
        let info = (!rules.is_empty()).then(|| Info {
            rules: rules.clone(),
        });
        let info = info.and_then(|info| serde_yaml::to_value(info).ok());
        let header = Header {
            source: self.source.clone(),
            expression: self.title.clone(),
            info,
        };
        let header = serde_yaml::to_string(&header).unwrap_or_default();
        write_whole(path, &format!("---\n{header}---\n{text}\n"))
    }

    /// Reads it. A file without a header is an error.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let file = ReadFence::read(path, MAX_SNAPSHOT)?.replace("\r\n", "\n");
        let parts = file
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---\n"));
        let (header, text) = parts.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "it is no snapshot: the header is missing",
            )
        })?;
        // What others say in the header is theirs, and whatever it is the text is compared.
        let Header {
            source,
            expression,
            info,
        } = serde_yaml::from_str(header).unwrap_or_default();
        let info: Info = info
            .and_then(|info| serde_yaml::from_value(info).ok())
            .unwrap_or_default();
        Ok(Self {
            source,
            title: expression,
            record: SnapshotRecord {
                rules: info.rules,
                text: text.trim_end().to_owned(),
            },
        })
    }
}

/// Removes a file that may not be there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
