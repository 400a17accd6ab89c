//! The simulations of the studio.

use fsmsim_core::engine::Machine;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph};
use fsmsim_reports::report::traffic_ways;
use fsmsim_runtime::simulate::SimulationResult;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// The simulation that is under way: who begins another one stops it.
#[derive(Default)]
pub(super) struct SimulationDesk {
    pub(super) stopped: Arc<AtomicBool>,
    /// What the last one came to that was played to its end, and the fingerprint of its model.
    pub(super) last: Arc<Mutex<Option<(String, SimulationResult)>>>,
}

impl SimulationDesk {
    /// Where the dialogues of the last one went, over the picture of their model; nothing where there was none.
    pub(super) fn traffic(&self, machine: &Machine, graph: &MachineGraph) -> Option<GraphOverlay> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, last) = last
            .as_ref()
            .filter(|(model, _)| *model == machine.files.fingerprint())?;
        Some(GraphOverlay::traffic(traffic_ways(&last.personas, graph)))
    }
}
