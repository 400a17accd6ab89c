//! The models in a folder that is none itself.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::diagnostic::{Code, Diagnostics, SourceMap};
use crate::dialect::{is_definition_file, is_no_definition, is_surely_definition};
use crate::document::{DEFINITION_LIMIT, read_yaml, unreadable};
use crate::files::ReadFence;

/// The models below a folder, by path; nothing where the folder is a model. What begins with `_` or `.` is none, and a
/// markdown document is only one if it is named itself: most are none. A YAML file that cannot be read may be one.
pub fn models_below(folder: &Path, found: &mut Diagnostics) -> Vec<PathBuf> {
    let mut models = Vec::new();
    if !folder.is_dir() || !is_no_definition(folder) {
        return models;
    }
    let mut walk = WalkDir::new(folder).min_depth(1).follow_links(true).sort_by_file_name().into_iter();
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
        let is_model =
            !is_passed_over && if is_folder { is_definition_folder(path) } else { is_file && is_definition(path) };
        if is_folder && (is_passed_over || is_model) {
            walk.skip_current_dir();
        }
        if is_model {
            models.push(below(folder, path));
        }
    }
    models
}

/// Whether a folder is a definition. One of other things may have a folder of states, and no state of its own.
fn is_definition_folder(path: &Path) -> bool {
    is_surely_definition(path) && !is_no_definition(path)
}

/// Whether a file is a definition, or YAML that cannot be read.
fn is_definition(path: &Path) -> bool {
    let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    is_yaml && (is_definition_file(path) || has_broken_syntax(path))
}

fn has_broken_syntax(path: &Path) -> bool {
    let mut found = Diagnostics::default();
    let root = read_yaml(path, DEFINITION_LIMIT, &mut SourceMap::default(), &mut found);
    root.is_none() && found.items().iter().any(|finding| finding.code == Code::YamlSyntax)
}

/// The path as people name it: what lies in the working directory has no `./` before it.
fn below(folder: &Path, path: &Path) -> PathBuf {
    if folder == Path::new(".") { path.strip_prefix(folder).unwrap_or(path).to_path_buf() } else { path.to_path_buf() }
}
