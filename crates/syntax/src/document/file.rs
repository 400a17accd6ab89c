//! Reads complete files as UTF-8 into the source map, with a size limit.

use std::fs;
use std::io::Read;
use std::path::{Component, Path};

use super::compressed::unpacked;
use crate::diagnostic::{Checked, Code, Diagnostic, Diagnostics, FileId, SourceMap, Span, nearest};
use crate::files::{InputFiles, ReadSandbox};

/// Whether a file has a YAML extension.
pub fn is_yaml(path: &Path) -> bool {
    let is = |expected: &str| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(expected))
    };
    is("yaml") || is("yml")
}

/// Reads a text file into the source map. Removes a byte order mark.
///
/// Returns `None`, with a finding, if the file is missing, is not a file, exceeds `limit` bytes or is not UTF-8.
pub fn read_file(
    path: &Path,
    limit: u64,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<FileId> {
    let shown = path.display().to_string();
    if let Some(text) = sources.instead(&shown) {
        if text.len() as u64 > limit {
            return too_large(path, text.len() as u64, limit).refuse(found);
        }
        return Some(sources.add_used(shown, text));
    }
    if !ReadSandbox::holds(path) {
        // Add the path, for findings, but not the content.
        sources.add(shown, String::new());
        return leads_out(path).refuse(found);
    }
    let bytes = found.take(read_bytes(path, limit))?;
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text = text
                .strip_prefix('\u{feff}')
                .map(str::to_owned)
                .unwrap_or(text);
            Some(sources.add_used(shown, text))
        }
        Err(error) => {
            let good = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let bad = error.as_bytes().get(good).copied().unwrap_or_default();
            let file = sources.add(shown.clone(), text);
            Diagnostic::error(Code::NotUtf8, format!("`{shown}` is not UTF-8 text"))
                .at(
                    Span::new(file, good, good + 3),
                    format!("invalid byte 0x{bad:02X}"),
                )
                .help("save the file as UTF-8")
                .refuse(found)
        }
    }
}

/// The finding about a file outside of the folders that can be read.
pub fn leads_out(path: &Path) -> Diagnostic {
    let shown = path.display().to_string();
    let is_above = path.components().any(|part| part == Component::ParentDir);
    let help = if is_above {
        "serve the directory that contains this file"
    } else {
        "replace the link with a copy of the file"
    };
    Diagnostic::error(
        Code::OutsideProject,
        format!("`{shown}` is outside the project"),
    )
    .about(shown)
    .help(help)
}

/// Reads and decompresses a complete file.
///
/// # Errors
/// Returns a finding if the file is missing, is not a file, or exceeds `limit` bytes.
pub fn read_bytes(path: &Path, limit: u64) -> Checked<Vec<u8>> {
    let refused = |error: std::io::Error| Box::new(unreadable(path, &error));
    if !ReadSandbox::holds(path) {
        return leads_out(path).fail();
    }
    InputFiles::add(path);
    let file = ReadSandbox::open(path).map_err(refused)?;
    let size = file.metadata().map_err(refused)?.len();
    if size > limit {
        return too_large(path, size, limit).fail();
    }
    // The size of a compressed file or a pipe is unknown, so the limit also applies to reading.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    unpacked(file)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(refused)?;
    if bytes.len() as u64 > limit {
        return too_large(path, bytes.len() as u64, limit).fail();
    }
    Ok(bytes)
}

/// At most `length` bytes from the start of a file, decompressed.
pub fn read_start(path: &Path, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    unpacked(ReadSandbox::open(path)?)?
        .take(length)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn too_large(path: &Path, size: u64, limit: u64) -> Diagnostic {
    let shown = path.display().to_string();
    Diagnostic::error(
        Code::FileTooLarge,
        format!(
            "`{shown}` is too large: {}, limit {}",
            mebibytes(size),
            mebibytes(limit)
        ),
    )
    .about(shown)
    .help("split the file, or check the path")
}

/// The finding about an unreadable path. If the path does not exist, suggests the most similar file name in its folder.
pub fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let shown = path.display();
    let (title, help) = match error.kind() {
        std::io::ErrorKind::NotFound => (
            format!("cannot find `{shown}`"),
            "check the spelling of the path",
        ),
        std::io::ErrorKind::IsADirectory => (
            format!("expected a file, found the directory `{shown}`"),
            "use the path of a file",
        ),
        _ => (
            format!("cannot read `{shown}`: {error}"),
            "check the permissions, and whether the file is complete",
        ),
    };
    let finding = Diagnostic::error(Code::FileUnreadable, title).about(shown.to_string());
    match sibling(path).filter(|_| error.kind() == std::io::ErrorKind::NotFound) {
        Some(near) => finding.suggest_kind("path", &near),
        None => finding.help(help),
    }
}

fn sibling(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut names: Vec<String> = fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|other| other != name)
        .collect();
    names.sort_unstable();
    let near = nearest(name, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

/// A human-readable size in MiB with one decimal.
fn mebibytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10).div_ceil(1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}
