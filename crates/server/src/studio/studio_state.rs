//! The dialogue of the studio and its related state.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::event_hub::EventHub;
use super::project_watch::ProjectWatch;
use super::refusal::Refusal;
use super::studio_model::StudioModel;
use super::studio_settings::StudioSettings;
use fsmsim_core::machine::Profile;
use fsmsim_harness::interactive::InteractiveDialogue;
use fsmsim_reports::harness::{ReviewRun, SuiteRunResult};
use fsmsim_runtime::simulate::SimulationResult;
use fsmsim_syntax::threads::{Mutex, Threads};

/// Starts a dialogue on a model, with its recognizer and storage.
pub type DialogueOpener = Box<dyn FnMut(&Path, Profile) -> Result<InteractiveDialogue, String>>;

/// The dialogue of the studio and its related state. Only the worker accesses it.
pub struct StudioState {
    pub(super) settings: StudioSettings,
    pub(super) model: StudioModel,
    /// The dialogue, on the last valid version of the model.
    pub(super) interactive: InteractiveDialogue,
    /// The version number of the turn tree; each new dialogue gets a new one.
    pub(super) tree: u64,
    pub(super) opener: DialogueOpener,
    /// The name of the selected recognizer, unless it is the default.
    pub(super) asks: Option<String>,
    pub(super) events: Arc<EventHub>,
    pub(super) suite: SuiteDesk,
    pub(super) review: ReviewDesk,
    pub(super) simulation: SimulationDesk,
    /// The threads for long operations.
    pub(super) threads: Arc<Threads>,
    /// The file watcher; `None` before the studio is open.
    pub(super) watch: Option<ProjectWatch>,
}

impl StudioState {
    /// Starts a dialogue on a model.
    pub fn new(
        settings: StudioSettings,
        model: &Path,
        profile: Profile,
        mut opener: DialogueOpener,
        threads: Threads,
    ) -> Result<Self, String> {
        let interactive = opener(model, profile)?;
        let model = StudioModel::of(model, profile, Arc::clone(interactive.dialogue().machine()));
        let events = Arc::new(EventHub::default());
        events.set_tree(1);
        let mut bench = Self {
            settings,
            model,
            interactive,
            tree: 1,
            opener,
            asks: None,
            events,
            suite: SuiteDesk::default(),
            review: ReviewDesk::default(),
            simulation: SimulationDesk::default(),
            threads: Arc::new(threads),
            watch: None,
        };
        bench.set_up_dialogue();
        Ok(bench)
    }

    /// The path of the model, relative to the project.
    pub(super) fn model_name(&self) -> String {
        self.settings.named_from_root(&self.model.path)
    }

    /// Updates the watched files after a change of the model.
    pub(super) fn watch_model(&self) {
        if let Some(watch) = &self.watch {
            watch.watch_model(self.model.files());
        }
    }
}

/// The pending snapshots of the last review. The lock allows one review or decision at a time.
pub(super) type ReviewDesk = Arc<Mutex<Option<ReviewRun>>>;

/// The simulation in progress. A new simulation stops it.
#[derive(Default)]
pub(super) struct SimulationDesk {
    pub stopped: Arc<AtomicBool>,
    /// The result of the last complete simulation, and the fingerprint of its model.
    pub last: Arc<Mutex<Option<(String, SimulationResult)>>>,
}

/// The last run of the scenarios, and whether one is in progress.
pub(super) type SuiteDesk = Arc<Mutex<SuiteState>>;

#[derive(Default)]
pub(super) struct SuiteState {
    pub is_running: bool,
    pub last: Option<Arc<SuiteRunResult>>,
    /// Why the last run failed.
    pub refused: Option<Refusal>,
}
