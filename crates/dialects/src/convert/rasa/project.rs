//! Finds and reads the files of a Rasa project.

use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::domain::RasaDomain;
use super::story::{Story, StoryReader, items};
use crate::convert::omission::Omissions;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Node, is_yaml, read_yaml, unreadable};

/// The folders of a project that Rasa reads.
const FOLDERS: [&str; 5] = ["data", "domain", "domains", "tests", "test"];

/// A Rasa project.
#[derive(Debug, Default)]
pub(super) struct RasaProject {
    pub domain: RasaDomain,
    pub stories: Vec<Story>,
    pub tests: Vec<Story>,
}

impl RasaProject {
    /// Reads all files. Errors of all files are reported.
    pub(super) fn read(
        path: &Path,
        sources: &mut SourceMap,
        left: &mut Omissions,
        found: &mut Diagnostics,
    ) -> Self {
        let mut project = Self::default();
        let mut files: Vec<(Node, bool)> = Vec::new();
        for file in project_files(path, left, found) {
            let root = read_yaml(&file, DEFINITION_LIMIT, sources, found);
            let in_project = file.strip_prefix(path).unwrap_or(&file);
            files.extend(root.map(|root| (root, is_test(in_project))));
        }
        // Stories need the forms of the domain, which can be in another file.
        for (file, is_test) in &files {
            let keys = file.map().filter(|_| !is_test);
            if let Some(keys) = keys {
                project.domain.read(keys, left);
            }
        }
        for (file, is_test) in &files {
            let Some(map) = file.map() else {
                left.count("file without keys", file.span, file.kind());
                continue;
            };
            let RasaProject {
                domain,
                stories,
                tests,
            } = &mut project;
            let stories = if *is_test { tests } else { stories };
            for (key, kind) in [("rules", "rule"), ("stories", "story")] {
                for node in items(map, key, found) {
                    stories.extend(StoryReader::read(node, kind, domain, left, found));
                }
            }
        }
        project
    }
}

/// The files to read: the path itself if it is a file, otherwise those of the domain, the data and the tests.
fn project_files(path: &Path, left: &mut Omissions, found: &mut Diagnostics) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let has_data = path.join("data").is_dir();
    let is_read = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        match entry.depth() {
            0 => true,
            1 if entry.file_type().is_dir() => FOLDERS.contains(&&*name),
            1 => !has_data || name.starts_with("domain."),
            _ => !name.starts_with('.'),
        }
    };
    let mut files = Vec::new();
    let walk = WalkDir::new(path).follow_links(true).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(is_read) {
        match entry {
            Ok(entry) => {
                let file = entry.into_path();
                let is_markdown = file.extension().is_some_and(|end| end == "md");
                if is_yaml(&file) && file.is_file() {
                    files.push(file);
                } else if is_markdown {
                    let name = file.to_string_lossy();
                    left.count("file in another format", None::<Span>, &name);
                }
            }
            Err(error) => {
                if let (Some(path), Some(error)) = (error.path(), error.io_error()) {
                    found.push(unreadable(path, error));
                }
            }
        }
    }
    files
}

/// Whether a file of a project has test stories, judging by its path in the project.
fn is_test(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.starts_with("tests") || file.starts_with("test") || name.starts_with("test_")
}
