//! A snapshot file in the format of insta: a header between two `---` lines, then the text.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::snapshot_text::SnapshotRecord;
use crate::limits::MAX_SNAPSHOT;
use fsmsim_syntax::files::{ReadSandbox, write_whole};

/// The content of a snapshot file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SnapshotFile {
    /// The file of the scenario, relative to the project.
    pub source: String,
    /// The title of the scenario.
    pub title: String,
    /// The records, and the rules that decided when the snapshot was accepted. The rules are shown if the text differs,
    /// but not compared, because every edit above a rule changes its line number.
    pub record: SnapshotRecord,
}

/// The header. Other tools can add keys.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Header {
    source: String,
    expression: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    info: Option<serde_yaml::Value>,
}

/// Additional data in files that this program wrote.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Info {
    rules: BTreeMap<u32, String>,
}

impl SnapshotFile {
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

    /// Reads the file. Fails if there is no header.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let file = ReadSandbox::read(path, MAX_SNAPSHOT)?.replace("\r\n", "\n");
        let parts = file
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---\n"));
        let (header, text) = parts
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "missing snapshot header"))?;
        // Unknown data in the header is ignored. The text is always compared.
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

/// Removes a file if it exists.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
