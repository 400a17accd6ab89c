//! A scenario that a run would select.

use serde::Serialize;

use super::scenario_filter::ScenarioFilter;
use crate::scenario::{FileOpener, Runner, ScenarioFiles, ScenarioSelection, ScenarioText};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// A scenario that a run would select.
#[derive(Clone, Debug, Serialize)]
pub struct ListedScenario {
    pub id: String,
    /// The file, relative to the project.
    pub file: String,
    /// The line with the title or the case.
    pub line: usize,
    pub title: String,
    /// The case, if the scenario has cases.
    pub case: Option<String>,
    /// The model, relative to the project, if the scenario names one.
    pub model: Option<String>,
    pub profile: Option<&'static str>,
    pub tags: Vec<String>,
    /// Whether the scenario can call a provider.
    pub asks: bool,
    /// Why the scenario is skipped, if it is.
    pub skip: Option<String>,
}

impl ListedScenario {
    /// Calls `each` with the selected scenarios in order, and `emit` with the findings about them. Loads no models
    /// unless a filter requires running scenarios.
    pub fn each(
        files: &ScenarioFiles,
        filter: &ScenarioFilter,
        runner: &Runner<'_>,
        each: &mut dyn FnMut(Self),
        emit: &mut dyn FnMut(&Diagnostics, &SourceMap),
    ) {
        for (_, found) in &files.invalid {
            emit(found, &SourceMap::default());
        }
        let mut opener = FileOpener::new(runner.project, &files.named);
        for path in &files.files {
            for part in opener.open(path) {
                if let Some(invalid) = &part.invalid {
                    emit(&invalid.found, &part.sources);
                }
                for source in &part.documents {
                    let mut found = Diagnostics::default();
                    let document = if filter.reads_turns() {
                        source.document(&part.sources, &mut found)
                    } else {
                        source.outline(&part.sources, &mut found)
                    };
                    let scenario = document
                        .as_ref()
                        .and_then(|document| ScenarioText::read(document, &mut found));
                    let wanted = scenario.filter(|scenario| {
                        files.wants(scenario) && filter.wants(scenario, runner, &part.sources)
                    });
                    if let Some(scenario) = wanted {
                        each(Self::of(&scenario, filter, runner, &part.sources));
                    }
                    emit(&found, &part.sources);
                }
            }
        }
    }

    fn of(
        scenario: &ScenarioText<'_>,
        filter: &ScenarioFilter,
        runner: &Runner<'_>,
        sources: &SourceMap,
    ) -> Self {
        let model = runner.model_of(scenario, &mut Diagnostics::default());
        Self {
            id: filter.address(scenario),
            file: filter.from_root(scenario.file),
            line: sources
                .place(scenario.case.map_or(scenario.span, |case| case.span))
                .line,
            title: scenario.title.to_owned(),
            case: scenario.case.map(|case| case.name.clone()),
            model: model.as_ref().map(|model| filter.from_root(&model.path)),
            profile: model.as_ref().map(|model| model.variant.profile.name()),
            tags: scenario.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            asks: scenario.may_ask(),
            skip: scenario.skip.map(str::to_owned),
        }
    }
}
