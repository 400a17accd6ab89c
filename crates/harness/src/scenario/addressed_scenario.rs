//! A single scenario, found by its ID.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_opener::FileOpener;
use super::files::{address, is_addressed};
use super::scenario_address::scenario_address;
use super::scenario_document::ScenarioDocument;
use super::scenario_text::ScenarioText;
use super::source::ScenarioSource;
use fsmsim_runtime::project::Project;
use fsmsim_syntax::diagnostic::{
    Code, Diagnostic, Diagnostics, SourceMap, listed, nearest, render,
};

/// The maximum number of titles that an error lists.
const MAX_LISTED_TITLES: usize = 5;

/// One scenario in a file, found by its ID: `FILE::TITLE`, or `FILE` if the file contains only one. A dialogue in a
/// trace is also a scenario.
#[derive(Debug)]
pub struct AddressedScenario {
    /// The source texts of the file and of the files that it uses.
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
        let titles = Vec::from_iter(title.map(|title| (path.clone(), title)));
        let named = [path.clone()];
        let mut found = Vec::new();
        let mut all = Vec::new();
        let mut unread = None;
        for part in FileOpener::new(project, &named).open(&path) {
            if let Some(invalid) = part.invalid {
                return Err(render(&invalid.found, &part.sources, false)
                    .trim_end()
                    .to_owned());
            }
            for source in part.documents {
                let document = source.outline(&part.sources, &mut Diagnostics::default());
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
            // The findings about the scenario itself explain why it is invalid.
            found.extend(unread);
        }
        let only = found.pop();
        match only {
            Some(only) if found.is_empty() => Ok(only),
            several => Err(not_one(wanted, several.is_some(), &all)),
        }
    }

    /// The scenario as a document tree.
    pub fn document(&self) -> Result<ScenarioDocument<'_>, String> {
        let mut found = Diagnostics::default();
        let document = self.source.document(&self.sources, &mut found);
        document
            .filter(|_| !found.has_errors())
            .ok_or_else(|| self.findings_text(&found))
    }

    /// Findings about the scenario, as text.
    pub fn findings_text(&self, found: &Diagnostics) -> String {
        render(found, &self.sources, false).trim_end().to_owned()
    }
}

/// The error for an ID that matches no scenario, or more than one.
fn not_one(wanted: &str, are_several: bool, all: &[String]) -> String {
    let (file, title) = wanted.split_once("::").unwrap_or((wanted, ""));
    let finding = if are_several {
        Diagnostic::bad_arguments(format!("`{wanted}` matches several scenarios"))
    } else {
        Diagnostic::error(
            Code::UnknownArgument,
            format!("unknown scenario `{title}` in `{file}`"),
        )
    };
    let near = nearest(title, all.iter().map(|name| &**name))
        .map(|near| scenario_address(file, near, None));
    let finding = finding.note(format!(
        "known scenarios: {}",
        listed(all.iter().map(|name| &**name), MAX_LISTED_TITLES)
    ));
    let finding = finding.suggest(near.as_deref(), "use the ID of one scenario: FILE::TITLE");
    render(&Diagnostics::of(finding), &SourceMap::default(), false)
        .trim_end()
        .to_owned()
}
