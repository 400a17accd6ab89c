//! The file of a snapshot: insta's format, a header between two lines `---`, then the text.

use std::io;
use std::path::Path;

use serde::Serialize;

use crate::files::write_whole;

/// What the header says. Readers take other keys for granted, so that other tools may add theirs.
#[derive(Debug, Serialize)]
struct SnapshotHeader<'a> {
    source: &'a str,
    expression: &'a str,
}

/// Writes the file of a snapshot.
pub(super) fn write(path: &Path, source: &str, title: &str, text: &str) -> io::Result<()> {
    let header = SnapshotHeader { source, expression: title };
    let header = serde_yaml::to_string(&header).unwrap_or_default();
    write_whole(path, &format!("---\n{header}---\n{text}\n"))
}

/// The text of a snapshot's file. A file without a header is an error.
pub(super) fn read(path: &Path) -> io::Result<String> {
    let file = std::fs::read_to_string(path)?.replace("\r\n", "\n");
    let text = file.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let (_, text) =
        text.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is no snapshot: the header is missing"))?;
    Ok(text.trim_end().to_owned())
}

/// Removes a file that may not be there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
