//! What of one model the scenarios came to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::coverage_item::ItemKey;
use super::coverage_kind::CoverageKind;
use super::coverage_map::CoverageMap;
use super::coverage_report::ModelReport;
use super::coverage_set::CoverageSet;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::engine::Machine;

/// What of one model the scenarios came to; its profiles count together, by what is written.
#[derive(Debug)]
pub struct ModelCoverage {
    /// The machines of the profiles, with what of them is counted. There are few.
    machines: Vec<(Arc<Machine>, CoverageMap)>,
    counted: ModelReport,
}

impl ModelCoverage {
    /// No scenario came to anything yet.
    pub fn new(machine: &Arc<Machine>) -> Self {
        let mut coverage = Self { machines: Vec::new(), counted: ModelReport::default() };
        coverage.map(machine);
        coverage
    }

    /// What is counted of a machine; it is known from now on.
    fn map(&mut self, machine: &Arc<Machine>) -> usize {
        if let Some(known) = self.machines.iter().position(|(known, _)| Arc::ptr_eq(known, machine)) {
            return known;
        }
        let map = CoverageMap::of(machine);
        let items = map.blank().collect();
        let decisions = map.blank_decisions().map(|(key, decision)| (key.clone(), decision.clone())).collect();
        self.counted.merge(ModelReport { items, decisions });
        self.machines.push((Arc::clone(machine), map));
        self.machines.len() - 1
    }

    /// Counts what a scenario came to that played this machine.
    pub fn add(&mut self, machine: &Arc<Machine>, seen: &CoverageSet) {
        let known = self.map(machine);
        let Some((_, map)) = self.machines.get(known) else { return };
        let items = &mut self.counted.items;
        let mut touched: BTreeSet<&ItemKey> = BTreeSet::new();
        map.each_shown(seen, |key, way, turns| {
            if let Some(count) = items.get_mut(key) {
                count.hits += turns;
                if let Some(on_way) = count.via.get_mut(way) {
                    *on_way += turns;
                }
            }
        });
        map.each_touched(seen, |key| {
            touched.insert(key);
        });
        for key in touched {
            if let Some(count) = items.get_mut(key) {
                count.scenarios += 1;
            }
        }
        let decisions = &mut self.counted.decisions;
        map.each_vector(seen, |key, vector, turns| {
            if let Some(decision) = decisions.get_mut(key) {
                *decision.vectors.entry(vector).or_default() += turns;
            }
        });
    }

    /// What was counted, with files as `shown` names them.
    pub fn report(&self, shown: impl Fn(&str) -> String) -> ModelReport {
        let key = |key: &ItemKey| ItemKey { file: shown(&key.file), ..key.clone() };
        let items = self.counted.items.iter().map(|(known, count)| (key(known), count.clone())).collect();
        let decisions = self.counted.decisions.iter().map(|(known, count)| (key(known), count.clone())).collect();
        let mut report = ModelReport { items, decisions };
        report.settle();
        report
    }

    /// The texts of the files in which something stands that is counted, by their paths.
    pub fn sources(&self) -> BTreeMap<String, Arc<str>> {
        let named: BTreeSet<&str> = self.counted.items.keys().map(|key| &*key.file).collect();
        let files = self.machines.iter().flat_map(|(machine, _)| machine.files.files());
        let files = files.filter(|file| named.contains(file.path()));
        files.map(|file| (file.path().to_owned(), Arc::clone(file.text()))).collect()
    }

    /// Findings about the classes that have no scenario, and the machine whose files they are about.
    pub fn findings(&self) -> Option<(Diagnostics, &Machine)> {
        let (machine, _) = self.machines.first()?;
        let mut found = Diagnostics::default();
        for class in machine.contract().into_iter().flat_map(|contract| &contract.classes) {
            let mut items = self.counted.of(CoverageKind::Classes);
            if items.any(|(key, count)| *key.name == *class.name && count.hits > 0) {
                continue;
            }
            let title = format!("no scenario has a turn of the class `{}`", class.name);
            Diagnostic::warning(Code::NoFamily, title)
                .at(machine.rules[class.rule].span, "not covered")
                .help("write scenarios for it: one where all is well, one at the boundary, one that is forbidden")
                .add_to(&mut found);
        }
        Some((found, machine))
    }
}
