//! The page of a run.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use super::page::{Page, PageGraph};
use crate::diagnostic::SourceFile;
use crate::engine::Machine;
use crate::graph::{Graph, GraphOverlay};
use crate::report::graph::{SvgUse, write_svg};
use crate::report::plural::plural;
use crate::report::run::{ReportedPlace, ReportedScenario, RunReport};
use crate::scenario::ScenarioVerdict;

/// How many lines are shown before and behind the one that a cause names.
const AROUND: usize = 2;

/// The page of a run: verdicts, causes, failures, and each dialogue that went wrong beside the picture of its model.
#[derive(Debug, Default)]
pub struct RunPage {
    /// The models by the names that the report gives them.
    models: BTreeMap<String, Arc<Machine>>,
}

/// What the page shows.
#[derive(Serialize)]
struct RunPageData<'r> {
    title: &'r str,
    report: &'r RunReport,
    sources: BTreeMap<String, SourceExcerpt>,
}

/// Lines of a file.
#[derive(Serialize)]
struct SourceExcerpt {
    /// The number of the first.
    first: usize,
    lines: Vec<String>,
}

impl RunPage {
    /// Adds a model, by its path from the project, as it is played first.
    pub fn add(&mut self, path: String, machine: &Arc<Machine>) {
        self.models.entry(path).or_insert_with(|| Arc::clone(machine));
    }

    /// Writes the page; `from_root` makes paths as people gave them paths from the project.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&self, report: &RunReport, from_root: &dyn Fn(&str) -> String, out: &mut dyn Write) -> io::Result<()> {
        let title = sentence(&report.scenarios);
        let picture =
            |machine: &Machine| write_svg(&Graph::of(machine).overview(), &GraphOverlay::default(), SvgUse::Inside);
        let graphs = self.models.iter().map(|(model, machine)| PageGraph { model, svg: picture(machine) }).collect();
        let page = Page { title: &title, template: include_str!("run.html"), script: include_str!("run.js"), graphs };
        let sources = self.sources(report, from_root);
        out.write_all(page.render(&RunPageData { title: &title, report, sources })?.as_bytes())
    }

    /// The lines that decided what went wrong.
    fn sources(&self, report: &RunReport, from_root: &dyn Fn(&str) -> String) -> BTreeMap<String, SourceExcerpt> {
        let files = self.models.values().flat_map(|machine| machine.files.files());
        let files: BTreeMap<String, &SourceFile> = files.map(|file| (from_root(file.path()), file)).collect();
        let failures = report.scenarios.iter().flat_map(|scenario| &scenario.failures);
        let rules =
            failures.flat_map(|failure| [failure.by.as_ref().and_then(|by| by.at.as_ref()), failure.was_by.as_ref()]);
        let excerpt = |place: &ReportedPlace| Some((place.to_string(), excerpt(files.get(&place.file)?, place.line?)));
        rules.flatten().filter_map(excerpt).collect()
    }
}

fn excerpt(file: &SourceFile, line: usize) -> SourceExcerpt {
    // A file may be a piece of a longer one.
    let (begins, _) = file.line_of(0);
    let first = line.saturating_sub(AROUND).max(begins);
    let lines = file.text().lines().skip(first - begins).take((line + AROUND + 1).saturating_sub(first));
    SourceExcerpt { first, lines: lines.map(str::to_owned).collect() }
}

/// What a run came to, in a sentence.
fn sentence(scenarios: &[ReportedScenario]) -> String {
    let is_well = |verdict| {
        matches!(verdict, ScenarioVerdict::Passed | ScenarioVerdict::ExpectedFailure | ScenarioVerdict::Skipped)
    };
    let all = scenarios.len();
    match scenarios.iter().filter(|scenario| !is_well(scenario.verdict)).count() {
        0 if all == 0 => "No scenario was run".to_owned(),
        0 if scenarios.iter().all(|scenario| scenario.verdict == ScenarioVerdict::Passed) => {
            format!("{} passed", plural(all, "scenario"))
        }
        0 => format!("{}, and nothing that was not expected", plural(all, "scenario")),
        short => format!("{short} of {} did not pass", plural(all, "scenario")),
    }
}
