//! The dialogues of a run before and after an edit.

use std::collections::BTreeMap;

use super::reported_scenario::conversation;
use fsmsim_core::trace::TurnReport;
use fsmsim_harness::coverage::CoverageReport;
use fsmsim_harness::scenario::ScenarioVerdict;
use fsmsim_harness::suite::{SuiteObserver, SuitePart};
use fsmsim_runtime::project::ModelCache;
use fsmsim_syntax::document::text_diff;

/// The verdicts and conversations of a run, by the ID of the scenario.
#[derive(Debug, Default)]
pub struct RunDialogues {
    by_id: BTreeMap<String, (ScenarioVerdict, String)>,
}

/// A run at an earlier revision, and the current run.
#[derive(Debug)]
pub struct RunComparison {
    pub revision: String,
    pub before: RunDialogues,
    pub now: RunDialogues,
    /// The coverage at the revision, if it is measured.
    pub coverage: Option<CoverageReport>,
}

impl SuiteObserver for RunDialogues {
    fn finished(&mut self, part: &SuitePart, _: &mut ModelCache) {
        for scenario in &part.scenarios {
            let lines = scenario.records.lines.iter();
            let turns = lines.filter_map(|line| serde_json::from_str::<TurnReport>(line).ok());
            let dialogue = (scenario.result.verdict(), conversation(turns).join("\n"));
            self.by_id.insert(scenario.address.clone(), dialogue);
        }
    }
}

impl RunComparison {
    /// The numbers of scenarios whose verdict changed. A new scenario has no verdict before. Verdicts that depend on an
    /// external service are not compared.
    pub(super) fn verdicts(&self) -> BTreeMap<(Option<ScenarioVerdict>, ScenarioVerdict), usize> {
        let mut changes = BTreeMap::new();
        for (id, (now, _)) in &self.now.by_id {
            let before = self.before.by_id.get(id).map(|(before, _)| *before);
            let is_known = |verdict| {
                !matches!(
                    verdict,
                    ScenarioVerdict::Unavailable | ScenarioVerdict::Inconclusive
                )
            };
            if before != Some(*now) && [before, Some(*now)].into_iter().flatten().all(is_known) {
                *changes.entry((before, *now)).or_default() += 1;
            }
        }
        changes
    }

    /// The lines in which the dialogue of a scenario differs. `None` if it is new, equal, or has no turns on one side.
    pub(super) fn difference(&self, id: &str) -> Option<Vec<String>> {
        let (_, before) = self.before.by_id.get(id)?;
        let (_, now) = self.now.by_id.get(id)?;
        let differs = before != now && !before.is_empty() && !now.is_empty();
        differs.then(|| text_diff(before, now))
    }

    /// The IDs of the scenarios of the current run.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.now.by_id.keys().map(String::as_str)
    }
}
