//! The models in a folder that is none itself.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::project::Project;
use crate::limits::MAX_HEAD;
use fsmsim_dialects::dialect::{
    is_definition_file, is_no_definition, is_surely_definition, is_yaml,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, read_start, read_yaml, unreadable};
use fsmsim_syntax::files::ReadFence;

/// The models below a folder, by path; nothing where the folder is a model. What begins with `_` or `.` is none, and a
/// markdown document is only one if it is named itself: most are none. A YAML file that cannot be read may be one.
pub fn models_below(folder: &Path, found: &mut Diagnostics) -> Vec<PathBuf> {
    let mut models = Vec::new();
    if !folder.is_dir() || !is_no_definition(folder) {
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
                // What leads back is looked at already.
                if let (Some(path), Some(error)) = (error.path(), error.io_error()) {
                    found.push(unreadable(path, error));
                }
                continue;
            }
        };
        let (path, is_folder) = (entry.path(), entry.file_type().is_dir());
        // A link may lead anywhere.
        if !ReadFence::holds(path) {
            if is_folder {
                walk.skip_current_dir();
            }
            continue;
        }
        let is_passed_over = entry.file_name().to_string_lossy().starts_with(['_', '.']);
        // A pipe would be waited for.
        let is_file = entry.file_type().is_file();
        let is_model = !is_passed_over
            && if is_folder {
                is_definition_folder(path)
            } else {
                is_file && is_definition(path)
            };
        if is_folder && (is_passed_over || is_model) {
            walk.skip_current_dir();
        }
        if is_model {
            models.push(below(folder, path));
        }
    }
    models
}

/// The models of a project outside its excluded folders, by path; its folder, if that is a model.
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

/// The models that a command plays if it names none, as `PATH` or `PATH@PROFILE`: the one that `fsmsim.toml` sets, else
/// all of the project.
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

/// Whether a folder is a definition. One of other things may have a folder of states, and no state of its own.
fn is_definition_folder(path: &Path) -> bool {
    is_surely_definition(path) && !is_no_definition(path)
}

/// Whether a file is a definition, or YAML of which nobody knows what it was to be.
fn is_definition(path: &Path) -> bool {
    is_yaml(path) && (is_definition_file(path) || cannot_be_told(path))
}

/// Whether nothing can be read in a file: a model that is passed over in silence would count as one that is well.
fn cannot_be_told(path: &Path) -> bool {
    let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
    let Some(root) = read_yaml(path, DEFINITION_LIMIT, &mut sources, &mut found) else {
        return found.items().iter().all(|finding| match finding.code {
            // Of what lies elsewhere nothing is told, not even that.
            Code::OutsideProject => false,
            // Scenarios and recordings may be larger than a definition.
            Code::FileTooLarge => begins_as_definition(path),
            _ => true,
        });
    };
    // Who has commented all of a file out knows that it says nothing.
    root.is_null() && sources.files().all(|file| file.text().trim().is_empty())
}

/// Whether a file that is too large to be read begins as a definition does.
fn begins_as_definition(path: &Path) -> bool {
    // What cannot be read begins with nothing.
    let head = read_start(path, MAX_HEAD).unwrap_or_default();
    let head = String::from_utf8_lossy(&head);
    let has = |keys: &[&str]| {
        head.lines()
            .any(|line| keys.iter().any(|key| line.starts_with(key)))
    };
    has(&["kind:", "flow:", "states:"]) && !has(&["scenario:", "turns:"])
}

/// The path as people name it: what lies in the working directory has no `./` before it.
fn below(folder: &Path, path: &Path) -> PathBuf {
    if folder == Path::new(".") {
        path.strip_prefix(folder).unwrap_or(path).to_path_buf()
    } else {
        path.to_path_buf()
    }
}
