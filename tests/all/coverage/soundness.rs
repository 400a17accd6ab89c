//! No scenario of the project and no random dialogue covers an item that is reported as unreachable.

use std::path::PathBuf;
use std::sync::Arc;

use fsmsim_core::engine::{Input, Machine, ScriptedTurn, Session, Symbol, TurnData};
use fsmsim_core::machine::{Float, Id, IntentId, Profile, SlotId, Value};
use fsmsim_dialects::dialect::Loader;
use fsmsim_harness::coverage::{CoverageReport, CoverageSet, ModelCoverage, Reach};
use fsmsim_harness::scenario::TurnCollector;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::diagnostic::Diagnostics;

use crate::support::{Project, home, tries_everything, walk};

/// Covered items that are reported as unreachable.
fn wrong(report: &CoverageReport) -> Vec<String> {
    let items = report
        .models
        .iter()
        .flat_map(|(path, model)| model.items.iter().map(move |item| (path, item)));
    let wrong =
        items.filter(|(_, (_, count))| count.hits > 0 && matches!(count.reach, Reach::Never(_)));
    wrong
        .map(|(path, (key, count))| format!("{path}: {key:?}: {:?}", count.reach))
        .collect()
}

/// All loadable models of the project, under each profile.
fn machines() -> Vec<Arc<Machine>> {
    let files = walk(&home("flows")).into_iter().filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
    });
    let folders = ["flows/bant", "flows/spin_selling", "states/student"].map(home);
    let mut loader = Loader::default();
    let mut machines = Vec::new();
    for path in files.chain(folders).collect::<Vec<PathBuf>>() {
        for profile in Profile::ALL {
            machines.extend(
                loader
                    .load(&path, profile, None, &mut Diagnostics::default())
                    .map(Arc::new),
            );
        }
    }
    assert!(machines.len() > 40, "{}", machines.len());
    machines
}

/// A deterministic source of random turns.
struct RandomTurns(u64);

impl RandomTurns {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }

    fn turn(&mut self, machine: &Machine) -> ScriptedTurn {
        let intent = IntentId::from_index(self.below(machine.names.intents.len()));
        let values = [
            Value::Bool(true),
            Value::Bool(false),
            Value::Int(5),
            Value::Int(50_000),
            Value::text("анна@пример.рф"),
            Value::text("anna@example.com"),
        ];
        let data = (0..self.below(3))
            .map(|_| {
                let slot = SlotId::from_index(self.below(machine.names.slots.len()));
                (
                    Symbol::Known(slot),
                    values[self.below(values.len())].clone(),
                )
            })
            .collect();
        let goto = self.below(8) == 0;
        let states: Vec<_> = machine.declared_states().map(|(id, _)| id).collect();
        let input = Input {
            intent: Some(Symbol::Known(intent)),
            data: TurnData::Given(data),
            confidence: Some(Float::new(0.9)),
            goto: (goto && machine.policies.guidance().is_some())
                .then(|| Symbol::Known(states[self.below(states.len())])),
            ..Input::default()
        };
        ScriptedTurn {
            input,
            ..ScriptedTurn::default()
        }
    }
}

#[test]
fn random_dialogues_never_cover_unreachable_items() {
    let dialogues = if tries_everything() { 2_000 } else { 25 };
    let mut random = RandomTurns(7);
    let (mut turns, mut proven, mut faults) = (0, 0, Vec::new());
    for machine in machines() {
        let mut seen = CoverageSet::default();
        let mut runner =
            DialogueRunner::new(&machine, machine.settings().clone(), Session::new(&machine))
                .watched();
        for _ in 0..dialogues {
            runner.restart(Session::new(&machine));
            for _ in 0..=random.below(25) {
                let turn = random.turn(&machine);
                seen.turn(&runner.play(&turn).view);
                turns += 1;
            }
        }
        let mut coverage = ModelCoverage::new(&machine);
        coverage.add(&machine, &seen);
        let model = coverage.report(str::to_owned);
        proven += model
            .items
            .values()
            .filter(|count| matches!(count.reach, Reach::Never(_)))
            .count();
        let report = CoverageReport {
            models: [(machine.header.source.clone(), model)].into(),
        };
        faults.extend(wrong(&report));
    }
    assert!(
        turns > 5_000 && proven > 0,
        "{turns} turns, {proven} unreachable items"
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn scenarios_never_cover_unreachable_items() {
    let project = Project::library();
    project
        .fsmsim(["test", "--coverage", "--report", "json=c.json"])
        .run();
    let report: serde_json::Value = serde_json::from_str(&project.read("c.json")).unwrap();
    let report: CoverageReport = serde_json::from_value(report["coverage"].clone()).unwrap();
    assert!(report.models.len() > 20, "{}", report.models.len());
    let faults = wrong(&report);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
