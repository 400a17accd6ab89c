//! The files of scenarios.

use std::path::{Path, PathBuf};

use super::source::ScenarioSource;
use super::transcript::{is_markdown, is_transcript};
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::document::{Node, read_file};

/// The largest scenario file, in bytes. Its documents are read one at a time.
pub const FILE_LIMIT: u64 = 256 << 20;

/// The scenario files under paths: a file as it is, of a folder every `.yaml` and `.yml` and every
/// transcript, in the order of their names.
///
/// Findings for paths that cannot be read.
pub fn scenario_files(paths: &[PathBuf], found: &mut Diagnostics) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        match std::fs::metadata(path) {
            Err(error) => found.push(crate::document::unreadable(path, &error)),
            Ok(kind) if kind.is_dir() => {
                let walk = walkdir::WalkDir::new(path).sort_by_file_name().into_iter();
                let shown = walk.filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.path()));
                let inside = shown.filter_map(Result::ok);
                let inside = inside.filter(|entry| entry.file_type().is_file() && is_scenario(entry.path()));
                files.extend(inside.map(walkdir::DirEntry::into_path));
            }
            Ok(_) => files.push(path.clone()),
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    files
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn is_scenario(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
        || (is_markdown(path) && is_transcript(path))
}

/// Whether a file holds scenarios, by its first document.
pub fn holds_scenarios(path: &Path) -> bool {
    if is_markdown(path) {
        return is_transcript(path);
    }
    first_document(path).is_some_and(|node| node.get("scenario").is_some() || node.get("turns").is_some())
}

/// The first document of a YAML file, where it can be read.
fn first_document(path: &Path) -> Option<Node> {
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let file = read_file(path, FILE_LIMIT, &mut sources, &mut found)?;
    ScenarioSource::all(file, path, &sources).first()?.node(&sources, &mut found)
}
