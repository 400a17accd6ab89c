//! Opens scenario files and the files that they share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::not_run;
use super::scenario_result::ScenarioResult;
use super::shared::{OtherContent, ScenarioLoader, is_defaults};
use super::source::ScenarioSource;
use super::transcript::is_markdown;
use crate::limits::MAX_SCENARIO_FILE;
use fsmsim_runtime::project::{Project, unsupported_file};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Place, SourceMap, Span};
use fsmsim_syntax::document::read_file;
use fsmsim_syntax::files::real_path;

/// The number of documents in a file that are run before their results are reported.
const PART: usize = 64;

/// Scenarios that are consecutive in a file.
#[derive(Default)]
pub struct FilePart {
    pub sources: Arc<SourceMap>,
    pub documents: Vec<ScenarioSource>,
    /// The result for the file, if the whole file is invalid.
    pub invalid: Option<ScenarioResult>,
    /// Whether these are the last scenarios of the file.
    pub ends_file: bool,
}

impl FilePart {
    /// The result for an invalid file or directory.
    pub(super) fn invalid(path: &Path, found: Diagnostics) -> Self {
        Self::with_sources(path, found, SourceMap::default())
    }

    fn with_sources(path: &Path, found: Diagnostics, sources: SourceMap) -> Self {
        let place = Place {
            path: path.display().to_string(),
            line: 1,
            column: 1,
        };
        let mut result = ScenarioResult::at(place);
        result.found = found;
        result.is_whole_file = true;
        Self {
            sources: Arc::new(sources),
            documents: Vec::new(),
            invalid: Some(result),
            ends_file: true,
        }
    }
}

#[derive(Debug)]
/// Opens scenario files one after the other, and the files that they share.
pub struct FileOpener<'o> {
    loader: ScenarioLoader<'o>,
    /// The texts of the shared files. The first entry is the currently open file.
    shared: SourceMap,
    /// The files and directories that the user named.
    named: &'o [PathBuf],
    /// The files of shared turns that were skipped.
    skipped: Vec<PathBuf>,
}

impl<'o> FileOpener<'o> {
    /// Opens files in a project. `named` contains the paths that the user named.
    pub fn new(project: &'o Project, named: &'o [PathBuf]) -> Self {
        Self {
            loader: ScenarioLoader::new(project),
            shared: SourceMap::default(),
            named,
            skipped: Vec::new(),
        }
    }

    /// Findings about skipped files of shared turns that no opened scenario uses.
    pub(super) fn unused(&self) -> Diagnostics {
        let used: Vec<PathBuf> = self.loader.files.paths_of_turns().map(real_path).collect();
        let mut found = Diagnostics::default();
        for path in &self.skipped {
            if !used.contains(&real_path(path)) {
                let help = "add `use: FILE` to the turns of a scenario, or remove the file";
                found.push(not_run(path, "no scenario uses the shared turns", help));
            }
        }
        found
    }

    /// Uses the texts in these sources instead of reading the files.
    #[must_use]
    pub fn reading(mut self, sources: &SourceMap) -> Self {
        self.shared = sources.unread();
        self
    }

    /// The scenarios in a file, in parts.
    pub fn open(&mut self, path: &Path) -> Vec<FilePart> {
        let mut own = self.shared.unread();
        let mut found = Diagnostics::default();
        let Some(file) = read_file(path, MAX_SCENARIO_FILE, &mut own, &mut found) else {
            return vec![FilePart::with_sources(path, found, own)];
        };
        let text = own.text(file);
        // Files with defaults, shared turns or a model are skipped in a directory, but naming such a file is an error.
        let is_named = self.named.iter().any(|named| named == path);
        let other = OtherContent::of(path, file, &text);
        let not_run = match other {
            _ if is_defaults(path) => Some("the file contains directory defaults, not scenarios"),
            Some(OtherContent::Turns) => Some("the file contains shared turns, not scenarios"),
            Some(OtherContent::Model) => Some("the file contains a model, not scenarios"),
            None => None,
        };
        let is_other = is_named && !is_markdown(path) && !text.contains("scenario");
        if is_other && let Some(finding) = unsupported_file(path, &text) {
            found.push(finding);
            return vec![FilePart::with_sources(path, found, own)];
        }
        if let Some(title) = not_run {
            if !is_named {
                if matches!(other, Some(OtherContent::Turns)) && !is_defaults(path) {
                    self.skipped.push(path.to_path_buf());
                }
                return vec![FilePart {
                    ends_file: true,
                    ..FilePart::default()
                }];
            }
            Diagnostic::error(Code::EmptyFile, title)
                .at(Span::start_of(file), "selected to run")
                .help("select the scenario files, or their directory")
                .add_to(&mut found);
            return vec![FilePart::with_sources(path, found, own)];
        }
        self.shared.begin_use();
        let file = self.shared.put_first(path.display().to_string(), text);
        let documents = ScenarioSource::all(file, path, &mut self.shared, &mut self.loader);
        let sources = Arc::new(self.shared.clone());
        let faults = self.loader.take_faults();
        let mut parts: Vec<FilePart> = faults
            .into_iter()
            .map(|(path, found)| FilePart::with_sources(&path, found, self.shared.clone()))
            .collect();
        if documents.is_empty() {
            Diagnostic::error(Code::EmptyFile, "the file contains no scenario")
                .at(Span::start_of(file), "no scenario")
                .help("add a scenario, or remove the file: a file without scenarios does not pass")
                .add_to(&mut found);
            parts.push(FilePart::with_sources(path, found, self.shared.clone()));
            return parts;
        }
        let mut documents = documents.into_iter();
        while documents.len() > 0 {
            parts.push(FilePart {
                sources: Arc::clone(&sources),
                documents: documents.by_ref().take(PART).collect(),
                invalid: None,
                ends_file: documents.len() == 0,
            });
        }
        parts
    }
}
