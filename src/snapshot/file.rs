//! The file of a snapshot: insta's format, a header between two lines `---`, then the text.

use std::io;
use std::path::Path;

use serde::Serialize;

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

/// Writes a file whole or not at all: under a temporary name, synced, renamed.
///
/// # Errors
/// Those of the file system; the file is then as it was.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let temporary = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let result = std::fs::File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&temporary, path));
    if result.is_err() {
        // Nothing is left behind; the error that matters is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    result
}
