//! One scenario, found by its ID.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_opener::FileOpener;
use super::files::{address, is_addressed};
use super::scenario_address::scenario_address;
use super::scenario_document::ScenarioDocument;
use super::scenario_text::ScenarioText;
use super::source::ScenarioSource;
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, SourceMap, listed, nearest, render};

/// The maximum number of titles that an error lists.
const MAX_LISTED_TITLES: usize = 5;

/// One scenario of a file, found by its ID: `FILE::TITLE`, or `FILE` if the file has only one. A dialogue of a trace is
/// also a scenario.
#[derive(Debug)]
pub struct AddressedScenario {
    /// The file, and the files that it uses.
    pub sources: Arc<SourceMap>,
    pub path: PathBuf,
    source: ScenarioSource,
}

impl AddressedScenario {
    /// Finds the scenario.
    pub fn find(wanted: &str, project: &Project) -> Result<Self, String> {
        let (path, title) = match address(Path::new(wanted)).filter(|(file, _)| file.is_file()) {
            Some((path, title)) => (path, Some(title)),
            None => (PathBuf::from(wanted), None),
        };
        let (titles, named) = (
            Vec::from_iter(title.map(|title| (path.clone(), title))),
            [path.clone()],
        );
        let (mut found, mut all, mut unread) = (Vec::new(), Vec::new(), None);
        for part in FileOpener::new(project, &named).open(&path) {
            if let Some(unusable) = part.unusable {
                return Err(render(&unusable.found, &part.sources, false)
                    .trim_end()
                    .to_owned());
            }
            for source in part.documents {
                let document = source.document(&part.sources, &mut Diagnostics::default());
                let read = document.as_ref().and_then(|document| {
                    let scenario = ScenarioText::read(document, &mut Diagnostics::default())?;
                    Some((scenario.name(), is_addressed(&titles, &scenario)))
                });
                let (name, is_wanted) = read.unzip();
                let scenario = Self {
                    sources: Arc::clone(&part.sources),
                    path: path.clone(),
                    source,
                };
                if is_wanted.unwrap_or(titles.is_empty()) {
                    found.push(scenario);
                } else if name.is_none() {
                    unread = unread.or(Some(scenario));
                }
                all.extend(name);
            }
        }
        if all.is_empty() {
            // Its own findings explain why it is invalid.
            found.extend(unread);
        }
        let only = found.pop();
        match only {
            Some(only) if found.is_empty() => Ok(only),
            several => Err(not_one(wanted, several.is_some(), &all)),
        }
    }

    /// The scenario as a tree.
    pub fn document(&self) -> Result<ScenarioDocument<'_>, String> {
        let mut found = Diagnostics::default();
        let document = self.source.document(&self.sources, &mut found);
        document
            .filter(|_| !found.has_errors())
            .ok_or_else(|| self.told(&found))
    }

    /// Findings about it, as text.
    pub fn told(&self, found: &Diagnostics) -> String {
        render(found, &self.sources, false).trim_end().to_owned()
    }
}

/// The error for an ID of no scenario, or of several.
fn not_one(wanted: &str, are_several: bool, all: &[String]) -> String {
    let (file, title) = wanted.split_once("::").unwrap_or((wanted, ""));
    let finding = if are_several {
        Diagnostic::bad_arguments(format!("`{wanted}` stands for several scenarios"))
    } else {
        Diagnostic::bad_arguments(format!("`{file}` has no scenario `{title}`"))
    };
    let near = nearest(title, all.iter().map(|name| &**name))
        .map(|near| scenario_address(file, near, None));
    let finding = finding.note(format!(
        "it has {}",
        listed(all.iter().map(|name| &**name), MAX_LISTED_TITLES)
    ));
    let finding = finding.suggest(near.as_deref(), "name one of them: FILE::TITLE");
    render(&Diagnostics::of(finding), &SourceMap::default(), false)
        .trim_end()
        .to_owned()
}
