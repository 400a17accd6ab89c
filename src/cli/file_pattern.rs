//! Files that a quoted pattern of the command line names.

use std::path::{Component, Path, PathBuf};

use super::{CommandResult, refuse};
use fsmsim_harness::selection::NamePattern;

/// The files that these paths name, in order. A path with `*` or `?` that does not exist is a pattern; `**` stands for
/// any number of folders. The files of a pattern are sorted by path.
pub(super) fn named_files(paths: &[PathBuf]) -> CommandResult<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !is_pattern(path) || path.exists() {
            files.push(path.clone());
            continue;
        }
        let mut found = vec![PathBuf::new()];
        for part in path.components() {
            found = found
                .iter()
                .flat_map(|folder| inside(folder, part))
                .collect();
        }
        found.retain(|path| path.is_file());
        found.sort();
        found.dedup();
        if found.is_empty() {
            let title = format!("no file matches `{}`", path.display());
            return refuse(title, "correct the pattern, or name the files");
        }
        files.extend(found);
    }
    Ok(files)
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?'])
}

/// The paths in a folder that match a part of a pattern.
fn inside(folder: &Path, part: Component<'_>) -> Vec<PathBuf> {
    let name = part.as_os_str();
    if !is_pattern(Path::new(name)) {
        return vec![folder.join(name)];
    }
    let read = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = || std::fs::read_dir(read).into_iter().flatten().flatten();
    if name == "**" {
        let below = entries().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let below = below.flat_map(|entry| inside(&folder.join(entry.file_name()), part));
        return std::iter::once(folder.to_path_buf()).chain(below).collect();
    }
    let Ok(pattern) = NamePattern::parse(&name.to_string_lossy()) else {
        return Vec::new();
    };
    let names = entries().map(|entry| entry.file_name());
    let names = names.filter(|name| pattern.matches(&name.to_string_lossy()));
    names.map(|name| folder.join(name)).collect()
}
