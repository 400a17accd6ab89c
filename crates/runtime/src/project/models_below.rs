//! Finds the models in a directory that is not a model itself.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::project::Project;
use crate::limits::MAX_HEAD;
use fsmsim_dialects::dialect::{has_no_definition, is_definition_file, is_surely_definition};
use fsmsim_syntax::diagnostic::{Code, Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, is_yaml, read_start, read_yaml, unreadable};
use fsmsim_syntax::files::ReadSandbox;

/// The models below a directory, by path. Empty if the directory is a model. Skips names that start with `_` or `.`.
/// Skips Markdown documents, because most are not models: they must be named explicitly. Includes unreadable YAML
/// files, because they might be models.
pub fn models_below(folder: &Path, found: &mut Diagnostics) -> Vec<PathBuf> {
    let mut models = Vec::new();
    if !folder.is_dir() || !has_no_definition(folder) {
        return models;
    }
    let mut walk = WalkDir::new(folder)
        .min_depth(1)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter();
    while let Some(entry) = walk.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                // In a cycle of links, the target has already been visited.
                if let (Some(path), Some(error)) = (error.path(), error.io_error()) {
                    found.push(unreadable(path, error));
                }
                continue;
            }
        };
        let path = entry.path();
        let is_folder = entry.file_type().is_dir();
        // A symbolic link can lead anywhere.
        if !ReadSandbox::holds(path) {
            if is_folder {
                walk.skip_current_dir();
            }
            continue;
        }
        let is_skipped = entry.file_name().to_string_lossy().starts_with(['_', '.']);
        // Reading a pipe would block.
        let is_file = entry.file_type().is_file();
        let is_model = !is_skipped
            && if is_folder {
                is_definition_folder(path)
            } else {
                is_file && is_definition(path)
            };
        if is_folder && (is_skipped || is_model) {
            walk.skip_current_dir();
        }
        if is_model {
            models.push(below(folder, path));
        }
    }
    models
}

/// The models of a project by path, except those in excluded directories. If the project directory contains no models
/// but is a model itself, returns the directory.
pub fn project_models(project: &Project, found: &mut Diagnostics) -> Vec<PathBuf> {
    let folder = project.folder();
    let mut models = models_below(folder, found);
    models.retain(|model| {
        let excluded = &mut project.excluded.iter();
        !excluded.any(|folder| model.starts_with(folder))
    });
    if models.is_empty() && is_surely_definition(folder) {
        vec![folder.to_path_buf()]
    } else {
        models
    }
}

/// The default models of a command, as `PATH` or `PATH@PROFILE`: the one set in `fsmsim.toml`, otherwise all models of
/// the project.
pub fn default_models(project: &Project, found: &mut Diagnostics) -> Vec<String> {
    let paths = match &project.model {
        Some(model) => vec![project.root.join(model)],
        None => project_models(project, found),
    };
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect()
}

/// Whether a directory is a definition. A directory that contains a directory of states, but no definition of its own,
/// is not.
fn is_definition_folder(path: &Path) -> bool {
    is_surely_definition(path) && !has_no_definition(path)
}

/// Whether a file is a definition, or YAML whose kind is unknown.
fn is_definition(path: &Path) -> bool {
    is_yaml(path) && (is_definition_file(path) || is_unreadable(path))
}

/// Whether the kind of a file is unknown because it is unreadable. A model that is skipped silently would count as
/// correct.
fn is_unreadable(path: &Path) -> bool {
    let mut sources = SourceMap::default();
    let mut found = Diagnostics::default();
    let Some(root) = read_yaml(path, DEFINITION_LIMIT, &mut sources, &mut found) else {
        return found.items().iter().all(|finding| match finding.code {
            // Report nothing about files outside of the project.
            Code::OutsideProject => false,
            // Scenarios and recordings may be larger than a definition.
            Code::FileTooLarge => starts_like_definition(path),
            _ => true,
        });
    };
    // A file in which everything is commented out is empty on purpose.
    root.is_null() && sources.files().all(|file| file.text().trim().is_empty())
}

/// Whether a file that is too large to read starts like a definition.
fn starts_like_definition(path: &Path) -> bool {
    // An unreadable file counts as empty.
    let head = read_start(path, MAX_HEAD).unwrap_or_default();
    let head = String::from_utf8_lossy(&head);
    let has = |keys: &[&str]| {
        head.lines()
            .any(|line| keys.iter().any(|key| line.starts_with(key)))
    };
    has(&["kind:", "flow:", "states:"]) && !has(&["scenario:", "turns:"])
}

/// The path as users write it: without `./` in the working directory.
fn below(folder: &Path, path: &Path) -> PathBuf {
    if folder == Path::new(".") {
        path.strip_prefix(folder).unwrap_or(path).to_path_buf()
    } else {
        path.to_path_buf()
    }
}
