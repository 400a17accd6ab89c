//! A scenario that would run.

use serde::Serialize;

use super::scenario_filter::ScenarioFilter;
use crate::scenario::{FileOpener, Runner, ScenarioFiles, ScenarioSelection, ScenarioText};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

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
    /// Why it is skipped, where it is.
    pub skip: Option<String>,
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
        let mut opener = FileOpener::new(runner.project, &files.named);
        for path in &files.files {
            for part in opener.open(path) {
                if let Some(unusable) = &part.unusable {
                    tell(&unusable.found, &part.sources);
                }
                for source in &part.documents {
                    let mut found = Diagnostics::default();
                    let document = source.document(&part.sources, &mut found);
                    let scenario = document
                        .as_ref()
                        .and_then(|document| ScenarioText::read(document, &mut found));
                    let wanted = scenario.filter(|scenario| {
                        files.wants(scenario) && filter.wants(scenario, runner, &part.sources)
                    });
                    if let Some(scenario) = wanted {
                        each(Self::of(&scenario, filter, runner, &part.sources));
                    }
                    tell(&found, &part.sources);
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
