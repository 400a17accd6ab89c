//! Plays scenarios to learn what they come to.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::scenario_probe::ScenarioProbe;
use crate::coverage::{CoverageMap, Touched};
use crate::scenario::{ModelKey, PreparedScenario, Runner, ScenarioText};
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::threads::Mutex;

/// Plays scenarios to learn what they come to. Nobody outside is asked.
#[derive(Debug, Default)]
pub(super) struct Prober {
    /// What is counted of each model, by path, profile and whether it may have stubs.
    maps: Mutex<BTreeMap<ModelKey, Arc<CoverageMap>>>,
}

/// What a scenario came to.
pub(super) struct Probed {
    pub machine: Arc<Machine>,
    pub probe: ScenarioProbe,
    pub touched: Touched,
}

impl Prober {
    /// What a scenario comes to. Nothing, where it cannot be played to its end with nobody outside.
    pub(super) fn probe(
        &self,
        scenario: &ScenarioText<'_>,
        runner: &Runner<'_>,
        probe: ScenarioProbe,
    ) -> Option<Probed> {
        let runner = Runner {
            answerers: None,
            judge: None,
            ..*runner
        };
        let prepared = runner.prepare(scenario, &mut Diagnostics::default()).ok()?;
        self.play(&prepared, probe)
    }

    /// What a scenario that is ready comes to. Nothing, where it does not come to its end.
    pub(super) fn play(
        &self,
        prepared: &PreparedScenario<'_>,
        mut probe: ScenarioProbe,
    ) -> Option<Probed> {
        if !prepared.watch(&mut probe) {
            return None;
        }
        let machine = Arc::clone(&prepared.machine);
        let touched = self.map(&prepared.model, &machine).touched(&probe.coverage);
        Some(Probed {
            machine,
            probe,
            touched,
        })
    }

    fn map(&self, model: &ModelKey, machine: &Machine) -> Arc<CoverageMap> {
        let mut maps = self.maps.lock();
        Arc::clone(
            maps.entry(model.clone())
                .or_insert_with(|| Arc::new(CoverageMap::of(machine))),
        )
    }
}
