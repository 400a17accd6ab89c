//! Scenarios that fell short in the same way.

use std::collections::BTreeMap;

use super::failure_words::{decided, mismatch, reason};
use super::reported_failure::{FailedAgainst, ReportedFailure};
use super::reported_place::ReportedPlace;
use super::reported_scenario::ReportedScenario;
use super::run_report::RunReport;
use crate::scenario::ScenarioVerdict;

/// Scenarios that fell short in the same way, for what is probably one cause.
#[derive(Debug)]
pub(super) struct FailureGroup<'r> {
    /// What was not as expected.
    pub(super) title: String,
    /// What decided.
    pub(super) decided: Option<String>,
    /// The scenarios, in their order.
    pub(super) scenarios: Vec<&'r ReportedScenario>,
}

/// What is the same of scenarios with one cause: the verdict, against what it was held, the field, both values, and the
/// place of the rule that decided.
type Likeness<'r> = (ScenarioVerdict, Option<Mismatch<'r>>);
type Mismatch<'r> = (FailedAgainst, &'r str, Option<&'r str>, Option<&'r str>, Option<&'r ReportedPlace>);

impl<'r> FailureGroup<'r> {
    /// The failed and stale scenarios, those together of which the first failure is the same: the largest group first, then
    /// as they come.
    pub(super) fn all(report: &'r RunReport) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        let mut known: BTreeMap<Likeness<'r>, usize> = BTreeMap::new();
        let fell_short = |verdict| matches!(verdict, ScenarioVerdict::Failed | ScenarioVerdict::Stale);
        for scenario in report.scenarios.iter().filter(|scenario| fell_short(scenario.verdict)) {
            let failure = scenario.failures.iter().find(|failure| failure.known.is_none());
            let number = *known.entry((scenario.verdict, failure.map(likeness))).or_insert(groups.len());
            match groups.get_mut(number) {
                Some(group) => group.scenarios.push(scenario),
                None => {
                    let title = failure.map_or_else(|| reason(scenario), mismatch);
                    groups.push(Self { title, decided: failure.and_then(decided), scenarios: vec![scenario] });
                }
            }
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.scenarios.len()));
        groups
    }
}

fn likeness(failure: &ReportedFailure) -> Mismatch<'_> {
    let at = failure.by.as_ref().and_then(|by| by.at.as_ref());
    (failure.against, &failure.field, failure.expected.as_deref(), failure.got.as_deref(), at)
}
