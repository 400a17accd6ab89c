//! Runs scenarios to find out what they cover.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::scenario_probe::ScenarioProbe;
use crate::coverage::{CoverageMap, Touched};
use crate::scenario::{ModelKey, PreparedScenario, Runner, ScenarioText};
use fsmsim_core::engine::Machine;
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::threads::Mutex;

/// Runs scenarios to find out what they cover, without external calls.
#[derive(Debug, Default)]
pub(super) struct Prober {
    /// The counted items of each model, by path, profile, and whether stubs are allowed.
    maps: Mutex<BTreeMap<ModelKey, Arc<CoverageMap>>>,
}

/// The result of running a scenario.
pub(super) struct Probed {
    pub machine: Arc<Machine>,
    pub probe: ScenarioProbe,
    pub touched: Touched,
    pub map: Arc<CoverageMap>,
}

impl Prober {
    /// Runs a scenario. Returns `None` if it cannot run to its end without external calls.
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

    /// Runs a prepared scenario. Returns `None` if it does not run to its end.
    pub(super) fn play(
        &self,
        prepared: &PreparedScenario<'_>,
        mut probe: ScenarioProbe,
    ) -> Option<Probed> {
        if !prepared.watch(&mut probe) {
            return None;
        }
        let machine = Arc::clone(&prepared.machine);
        let map = self.map(&prepared.model, &machine);
        let touched = map.touched(&probe.coverage);
        Some(Probed {
            machine,
            probe,
            touched,
            map,
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
