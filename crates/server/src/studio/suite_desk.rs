//! The runs of scenarios in the studio.

use super::refusal::Refusal;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph};
use fsmsim_reports::harness::SuiteRunResult;
use fsmsim_reports::report::coverage_overlay;
use std::sync::{Arc, Mutex, PoisonError};

/// The last run of the scenarios, and whether one is under way.
#[derive(Clone, Default)]
pub(super) struct SuiteDesk(Arc<Mutex<SuiteState>>);

#[derive(Default)]
pub(super) struct SuiteState {
    pub(super) is_running: bool,
    pub(super) last: Option<Arc<SuiteRunResult>>,
    /// Why the last run could not be made.
    pub(super) refused: Option<Refusal>,
}

impl SuiteDesk {
    /// What the last run came to of a model, over its picture; nothing where none counted it.
    pub(super) fn covered(
        &self,
        model: &str,
        graph: &MachineGraph,
        from_root: &dyn Fn(&str) -> String,
    ) -> Option<GraphOverlay> {
        let last = self.state().last.clone()?;
        let model = last.report.coverage.as_ref()?.models.get(model)?;
        Some(coverage_overlay(model, graph, from_root))
    }

    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, SuiteState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
