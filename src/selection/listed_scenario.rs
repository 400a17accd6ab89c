//! A scenario that would run.

use serde::Serialize;

use super::scenario_filter::ScenarioFilter;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::document::read_file;
use crate::scenario::{FILE_LIMIT, Runner, ScenarioFiles, ScenarioSelection, ScenarioSource, ScenarioText};

/// A scenario that would run.
#[derive(Clone, Debug, Serialize)]
pub struct ListedScenario {
    /// The address.
    pub id: String,
    /// The file, from the project.
    pub file: String,
    /// The line of the title.
    pub line: usize,
    /// The title.
    pub title: String,
    /// Which case it is.
    pub case: Option<String>,
    /// The model, from the project, where it names one.
    pub model: Option<String>,
    /// The profile.
    pub profile: Option<&'static str>,
    /// The tags.
    pub tags: Vec<String>,
    /// Whether somebody may be asked while it is played.
    pub asks: bool,
}

impl ListedScenario {
    /// Gives `each` the scenarios of files that are wanted, in their order, and `tell` what is wrong with them. No model is
    /// loaded, unless somebody asks for what can only be told by playing.
    pub fn each(
        files: &ScenarioFiles,
        filter: &ScenarioFilter,
        runner: &Runner<'_>,
        each: &mut dyn FnMut(Self),
        tell: &mut dyn FnMut(&Diagnostics, &SourceMap),
    ) {
        for (_, found) in &files.unusable {
            tell(found, &SourceMap::default());
        }
        for path in &files.files {
            let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
            let file = read_file(path, FILE_LIMIT, &mut sources, &mut found);
            for source in file.map(|file| ScenarioSource::all(file, path, &sources)).into_iter().flatten() {
                let document = source.document(&sources, &mut found);
                let scenario = document.as_ref().and_then(|document| ScenarioText::read(document, &mut found));
                let wanted = scenario
                    .filter(|scenario| files.wants(path, scenario) && filter.wants(scenario, path, runner, &sources));
                if let Some(scenario) = wanted {
                    let model = runner.model_of(&scenario, path, &mut Diagnostics::default());
                    each(Self {
                        id: filter.address(path, &scenario),
                        file: filter.from_root(path),
                        line: sources.place(scenario.span).line,
                        title: scenario.title.to_owned(),
                        case: None,
                        model: model.as_ref().map(|model| filter.from_root(&model.path)),
                        profile: model.as_ref().map(|model| model.profile.name()),
                        tags: scenario.tags.iter().map(|tag| (*tag).to_owned()).collect(),
                        asks: scenario.may_ask(),
                    });
                }
            }
            tell(&found, &sources);
        }
    }
}
