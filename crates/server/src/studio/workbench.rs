//! All that the worker has before it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::event_hub::EventHub;
use super::project_watch::ProjectWatch;
use super::refusal::Refusal;
use super::studio_model::StudioModel;
use super::studio_settings::StudioSettings;
use fsmsim_core::machine::Profile;
use fsmsim_harness::rehearsal::Rehearsal;
use fsmsim_reports::harness::{ReviewRun, SuiteRunResult};
use fsmsim_runtime::simulate::SimulationResult;
use fsmsim_syntax::threads::{Mutex, Threads};

/// Begins a dialogue of a model, with those who are around it, and with where it is kept.
pub type DialogueOpener = Box<dyn FnMut(&Path, Profile) -> Result<Rehearsal, String>>;

/// All that the worker has before it: nobody else touches it.
pub struct Workbench {
    pub(super) settings: StudioSettings,
    pub(super) model: StudioModel,
    /// The dialogue, on the last version of the model that can be used.
    pub(super) rehearsal: Rehearsal,
    /// The number of its tree of turns: another one for each dialogue that begins.
    pub(super) tree: u64,
    /// Begins dialogues.
    pub(super) opener: DialogueOpener,
    /// Who reads plain text, by the name that the page shows.
    pub(super) asks: Option<String>,
    pub(super) events: Arc<EventHub>,
    pub(super) suite: SuiteDesk,
    pub(super) review: ReviewDesk,
    pub(super) simulation: SimulationDesk,
    /// Who does what takes long.
    pub(super) threads: Arc<Threads>,
    /// Who looks on while somebody edits; nobody before the studio is open.
    pub(super) watch: Option<ProjectWatch>,
}

impl Workbench {
    /// A dialogue of a model, still to begin.
    pub fn new(
        settings: StudioSettings,
        model: &Path,
        profile: Profile,
        mut opener: DialogueOpener,
        threads: Threads,
    ) -> Result<Self, String> {
        let rehearsal = opener(model, profile)?;
        let model = StudioModel::of(model, profile, Arc::clone(rehearsal.dialogue().machine()));
        let events = Arc::new(EventHub::default());
        events.set_tree(1);
        let mut bench = Self {
            settings,
            model,
            rehearsal,
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

    /// The model by its path from the project.
    pub(super) fn model_name(&self) -> String {
        self.settings.named_from_root(&self.model.path)
    }

    /// The model is another one, or made of other files.
    pub(super) fn watch_model(&self) {
        if let Some(watch) = &self.watch {
            watch.watch_model(self.model.files());
        }
    }
}

/// What waited when somebody looked last. Whoever looks or decides does so alone.
pub(super) type ReviewDesk = Arc<Mutex<Option<ReviewRun>>>;

/// The simulation that is under way: who begins another one stops it.
#[derive(Default)]
pub(super) struct SimulationDesk {
    pub(super) stopped: Arc<AtomicBool>,
    /// What the last one came to that was played to its end, and the fingerprint of its model.
    pub(super) last: Arc<Mutex<Option<(String, SimulationResult)>>>,
}

/// The last run of the scenarios, and whether one is under way.
pub(super) type SuiteDesk = Arc<Mutex<SuiteState>>;

#[derive(Default)]
pub(super) struct SuiteState {
    pub(super) is_running: bool,
    pub(super) last: Option<Arc<SuiteRunResult>>,
    /// Why the last run could not be made.
    pub(super) refused: Option<Refusal>,
}
