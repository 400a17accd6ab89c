//! The coverage of one model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::all_dialogues::AllDialogues;
use super::coverage_item::ItemKey;
use super::coverage_kind::CoverageKind;
use super::coverage_map::CoverageMap;
use super::coverage_report::{CoverageProof, ModelReport};
use super::coverage_set::CoverageSet;
use super::reach::Reach;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::StateId;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::threads::Threads;

/// The machine of a profile.
#[derive(Debug)]
struct MappedMachine {
    machine: Arc<Machine>,
    map: CoverageMap,
    /// The states in which turns started. A scenario can start in an unreachable state, which makes the states after it
    /// reachable.
    begun: BTreeSet<StateId>,
}

/// The coverage of one model. Its profiles are counted together, by location.
#[derive(Debug, Default)]
pub struct ModelCoverage {
    /// The machines of the profiles, with their counted items. A model has only a few profiles.
    machines: Vec<MappedMachine>,
    counted: ModelReport,
    /// The items that no dialogue covers.
    unattainable: BTreeSet<ItemKey>,
}

impl ModelCoverage {
    /// The coverage before the first scenario.
    pub fn new(machine: &Arc<Machine>) -> Self {
        let mut coverage = Self::default();
        coverage.map(machine, std::iter::empty());
        coverage
    }

    /// Adds a machine in which turns started in these states. Returns its index.
    fn map(&mut self, machine: &Arc<Machine>, begun: impl Iterator<Item = StateId>) -> usize {
        let known = self
            .machines
            .iter()
            .position(|known| Arc::ptr_eq(&known.machine, machine));
        let number = known.unwrap_or(self.machines.len());
        if known.is_none() {
            self.machines.push(MappedMachine {
                machine: Arc::clone(machine),
                map: CoverageMap::of(machine),
                begun: BTreeSet::new(),
            });
        }
        let Some(mapped) = self.machines.get_mut(number) else {
            return number;
        };
        let before = mapped.begun.len();
        mapped.begun.extend(begun);
        let more = mapped.begun.len() > before;
        if more {
            mapped.map = CoverageMap::begun_in(machine, &mapped.begun);
        }
        if more || known.is_none() {
            self.counted.merge(ModelReport {
                items: mapped.map.without_counts().collect(),
                decisions: mapped.map.decisions.clone(),
                proof: None,
            });
        }
        number
    }

    /// Adds the coverage of a scenario that ran on this machine.
    pub fn add(&mut self, machine: &Arc<Machine>, seen: &CoverageSet) {
        // The target states of transitions are known to be reachable.
        let known = self.map(machine, std::iter::empty());
        let Some(MappedMachine { map, .. }) = self.machines.get(known) else {
            return;
        };
        let begun: Vec<StateId> = seen
            .begun()
            .filter(|state| map.unreached.contains(state))
            .collect();
        self.map(machine, begun.into_iter());
        let Some(MappedMachine { map, .. }) = self.machines.get(known) else {
            return;
        };
        let items = &mut self.counted.items;
        let mut touched: BTreeSet<&ItemKey> = BTreeSet::new();
        map.each_shown(seen, |key, way, turns| {
            touched.insert(key);
            if let Some(count) = items.get_mut(key) {
                count.hits += turns;
                if let Some(on_way) = count.via.get_mut(way) {
                    *on_way += turns;
                }
            }
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

    /// The report, with file names as `shown` returns them.
    pub fn report(&self, shown: impl Fn(&str) -> String) -> ModelReport {
        let key = |key: &ItemKey| ItemKey {
            file: shown(&key.file),
            ..key.clone()
        };
        let ModelReport {
            items,
            decisions,
            proof,
        } = self.counted.clone();
        let items = items.into_iter();
        let decisions = decisions.into_iter();
        let mut report = ModelReport {
            items: items.map(|(known, count)| (key(&known), count)).collect(),
            decisions: decisions
                .map(|(known, count)| (key(&known), count))
                .collect(),
            proof,
        };
        report.settle();
        let Some(CoverageProof::Complete(states)) = report.proof else {
            return report;
        };
        for known in &self.unattainable {
            if let Some(count) = report.items.get_mut(&key(known))
                && matches!(count.reach, Reach::Possible | Reach::Unknown)
            {
                count.reach = Reach::Unattainable(states);
            }
        }
        report
    }

    /// Searches all dialogues of each machine. An item is unattainable if no machine that has the item reaches it.
    pub(super) fn prove(&mut self, most: usize, threads: &Threads) {
        self.prove_by(|machine| AllDialogues::of(machine, most, threads));
    }

    /// The same with the results of these searches.
    pub(crate) fn prove_by(
        &mut self,
        search: impl FnMut(&Machine) -> Result<AllDialogues, String>,
    ) {
        let proof = self.unattainable_items(search);
        self.counted.proof = Some(match proof {
            Ok((states, items)) => {
                self.unattainable = items;
                CoverageProof::Complete(states)
            }
            Err(reason) => CoverageProof::Open(reason),
        });
    }

    fn unattainable_items(
        &self,
        mut search: impl FnMut(&Machine) -> Result<AllDialogues, String>,
    ) -> Result<(usize, BTreeSet<ItemKey>), String> {
        let mut states = 0;
        let mut parts = Vec::new();
        for MappedMachine { machine, map, .. } in &self.machines {
            let all = search(machine)?;
            states += all.states;
            let mut coverage = Self::new(machine);
            coverage.add(machine, &all.seen);
            let undecided = map.items_of(|event| all.is_undecided(event), &all.undecided);
            let items = coverage.report(str::to_owned).items.into_iter();
            let never = items.filter(|(key, count)| {
                count.hits == 0 && key.kind.is_searched() && !undecided.contains(key)
            });
            let never: BTreeSet<ItemKey> = never.map(|(key, _)| key).collect();
            parts.push((map, never));
        }
        let mut never: BTreeSet<ItemKey> = parts
            .iter()
            .flat_map(|(_, never)| never.iter().cloned())
            .collect();
        never.retain(|key| {
            let mut parts = parts.iter();
            parts.all(|(map, never)| never.contains(key) || !map.has(key))
        });
        // A scenario can start in any state, and set limits and sources.
        let counted = self.report(str::to_owned);
        let is_covered = |key: &&ItemKey| counted.items.get(key).is_some_and(|item| item.hits > 0);
        match never.iter().find(is_covered) {
            Some(ItemKey { kind, name, .. }) => Err(format!(
                "a scenario covers the {} `{name}`, which no dialogue from the start reaches",
                kind.singular()
            )),
            None => Ok((states, never)),
        }
    }

    /// The texts of the files with counted items, by path.
    pub fn sources(&self) -> BTreeMap<String, Arc<str>> {
        let named: BTreeSet<&str> = self.counted.items.keys().map(|key| &*key.file).collect();
        let files = self
            .machines
            .iter()
            .flat_map(|mapped| mapped.machine.files.used_files())
            .filter(|file| named.contains(file.path()));
        files
            .map(|file| (file.path().to_owned(), Arc::clone(file.text())))
            .collect()
    }

    /// Findings about classes without a scenario, and the machine that defines the classes.
    pub fn findings(&self) -> Option<(Diagnostics, &Machine)> {
        let MappedMachine { machine, .. } = self.machines.first()?;
        let mut found = Diagnostics::default();
        let classes = CoverageKind::Classes;
        let items = machine.policies.coverage_items(machine);
        for class in items.filter(|item| item.kind == classes.name()) {
            let mut items = self.counted.of(classes);
            let Some(span) = class.span else { continue };
            if items.any(|(key, count)| key.name == class.name && count.hits > 0) {
                continue;
            }
            Diagnostic::warning(Code::NoFamily, format!("no scenario covers the class `{}`", class.name))
                .at(span, "not covered")
                .help("write three scenarios: one that succeeds, one at the boundary and one that is forbidden")
                .add_to(&mut found);
        }
        Some((found, machine))
    }
}
