//! The scenario selection of a call.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::author::author_answer::AuthorRefusal;
use crate::mcp::author::fenced_project::FencedProject;
use fsmsim_harness::selection::{FilterExpression, ScenarioFilter};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The scenarios that a call selects.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct WantedScenarios {
    /// Scenario files and directories, or scenarios as `FILE::TITLE` (default: the scenario directory of the project).
    #[serde(default)]
    #[schemars(length(max = 200), inner(length(min = 1, max = 4000)))]
    paths: Vec<String>,
    /// Only scenarios that match this expression, as for `fsmsim test -E`: `tag(smoke) & !model(bant*)`,
    /// `title(~price)`, `changed(HEAD)`.
    filter: Option<String>,
}

impl WantedScenarios {
    /// The selected files and folders inside the project. An empty list selects the scenario folder of the project.
    pub(super) fn paths(&self, fenced: &FencedProject) -> Result<Vec<PathBuf>, AuthorRefusal> {
        let paths = self.paths.iter().map(|named| {
            let (file, title) = named
                .split_once("::")
                .map_or((&**named, None), |(file, title)| (file, Some(title)));
            let file = fenced.admit(file)?;
            Ok(title.map_or_else(
                || file.clone(),
                |title| PathBuf::from(format!("{}::{title}", file.display())),
            ))
        });
        let paths = paths.collect::<Result<Vec<_>, AuthorRefusal>>()?;
        fenced.scenario_paths(paths.clone())?;
        Ok(paths)
    }

    /// The message if no scenario is selected.
    pub(super) fn nothing(&self) -> &'static str {
        if self.paths.is_empty() && self.filter.is_none() {
            return "no scenarios in the project: save a dialogue with save_scenario, or write a scenario \
                    (fsmsim://docs/how-to/write-scenarios)";
        }
        "no scenario matches: check `paths` and `filter`; call scenarios without them to list all"
    }

    /// The filter of the call.
    pub(super) fn filter(&self, fenced: &FencedProject) -> Result<ScenarioFilter, AuthorRefusal> {
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let read = |text: &String| FilterExpression::parse(text, &mut sources, &mut found);
        let wanted: Vec<_> = self.filter.iter().filter_map(read).collect();
        if found.has_errors() {
            return Err(AuthorRefusal::of(&found, &sources));
        }
        Ok(ScenarioFilter::new(&fenced.project, wanted).since()?)
    }
}
