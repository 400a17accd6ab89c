//! Finds models next to the named models of a project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fsmsim_dialects::dialect::{is_definition_file, is_surely_definition};

/// The models in the directories of the named models that are not named, by path. Skips names that start with `_` or
/// `.`.
pub fn neighboring_models<'p>(named: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
    let named: BTreeSet<&Path> = named.collect();
    let folders: BTreeSet<&Path> = named.iter().filter_map(|path| path.parent()).collect();
    let mut models = BTreeSet::new();
    for folder in folders {
        let listed = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let paths = listed
            .read_dir()
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| !entry.file_name().to_string_lossy().starts_with(['_', '.']))
            .map(|entry| folder.join(entry.file_name()));
        let is_model = |path: &PathBuf| {
            if path.is_dir() {
                is_surely_definition(path)
            } else {
                is_definition_file(path)
            }
        };
        models.extend(
            paths
                .filter(|path| !named.contains(path.as_path()))
                .filter(is_model),
        );
    }
    models.into_iter().collect()
}
