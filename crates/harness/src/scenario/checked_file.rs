//! Findings about the scenarios in a file, without running them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_opener::FileOpener;
use super::runner::Runner;
use super::scenario_text::ScenarioText;
use super::source::ScenarioSource;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// The findings about the scenarios in a file, and the models that they use.
#[derive(Debug, Default)]
pub struct CheckedFile {
    /// The findings about each part of the file, with the source texts.
    pub found: Vec<(Arc<SourceMap>, Diagnostics)>,
    /// The models that the scenarios name.
    pub models: Vec<PathBuf>,
    /// The mocks that the scenarios use.
    pub mocks: Vec<PathBuf>,
}

impl CheckedFile {
    /// Reads and prepares the scenarios in a file, without running them.
    pub fn of(path: &Path, opener: &mut FileOpener<'_>, runner: &Runner<'_>) -> Self {
        let mut file = Self::default();
        for part in opener.open(path) {
            let mut all = part.invalid.map(|result| result.found).unwrap_or_default();
            for source in &part.documents {
                let mut found = Diagnostics::default();
                file.read(source, &part.sources, runner, &mut found);
                all.extend(found);
            }
            file.found.push((part.sources, all));
        }
        file.models.sort();
        file.models.dedup();
        file.mocks.sort();
        file.mocks.dedup();
        file
    }

    fn read(
        &mut self,
        source: &ScenarioSource,
        sources: &SourceMap,
        runner: &Runner<'_>,
        found: &mut Diagnostics,
    ) {
        let Some(document) = source.document(sources, found) else {
            return;
        };
        let Some(scenario) = ScenarioText::parse(&document, found) else {
            return;
        };
        let model = runner.model_of(&scenario, &mut Diagnostics::default());
        self.models.extend(model.map(|model| model.path));
        self.mocks.extend(runner.mock_of(&scenario));
        runner.check(&scenario, found);
    }
}
