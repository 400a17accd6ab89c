//! The dialogue of the studio: its start, recognizer and model.

use std::path::Path;
use std::sync::Arc;

use super::refusal::Refusal;
use super::studio_model::StudioModel;
use super::studio_state::StudioState;
use fsmsim_adapters::llm::{DefaultRecognizer, DialogueKey};
use fsmsim_core::machine::Profile;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph};
use fsmsim_harness::interactive::ScenarioLookup;
use fsmsim_reports::report::{coverage_overlay, traffic_ways};
use fsmsim_runtime::project::{ModelName, project_models};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::files::real_path;

/// The dialogue key for recognizers.
const DIALOGUE: &str = "repl";
/// The name that selects no recognizer.
const NO_RECOGNIZER: &str = "none";
/// The name that selects the examples of the model.
const EXAMPLES: &str = DefaultRecognizer::NAME;

impl StudioState {
    /// Configures a new dialogue: scenario lookup and recognizer. Runs its opening.
    pub(super) fn set_up_dialogue(&mut self) {
        let scenarios = ScenarioLookup::of(&self.settings.project, self.settings.config.clone());
        self.interactive.load_by(Box::new(move |wanted, machine| {
            scenarios.load(wanted, machine)
        }));
        self.asks = self.settings.asked.as_ref().map(|(who, _)| who.clone());
        if let Some((_, answerers)) = &self.settings.asked {
            self.interactive
                .ask_from_now(Some(answerers.answerer(&DialogueKey::named(DIALOGUE))));
        }
        // Resumes an interrupted turn, or runs the opening of a model that speaks first. An error is ignored, because
        // the next turn reports it again.
        let _ = self.interactive.play_first();
    }

    /// Marks the dialogue as replaced: the page must discard its data about the previous one.
    pub(super) fn restarted(&mut self) {
        self.tree += 1;
        self.events.set_tree(self.tree);
    }

    /// Starts a dialogue on a model, which becomes the current model.
    ///
    /// # Errors
    /// If no dialogue can start, returns an error and keeps the previous dialogue.
    pub(super) fn begin_on(&mut self, model: StudioModel) -> Result<(), Refusal> {
        let begun = (self.opener)(&model.path, model.profile)?;
        let revision = self.model.revision + 1;
        self.model = StudioModel {
            revision,
            machine: Arc::clone(begun.dialogue().machine()),
            ..model
        };
        self.interactive = begun;
        self.set_up_dialogue();
        self.restarted();
        self.watch_model();
        Ok(())
    }

    /// Loads a model from its current files.
    pub(super) fn model_now(&self, path: &Path, profile: Profile) -> Result<StudioModel, Refusal> {
        let model = StudioModel::load(&self.settings, path, profile);
        model.map_err(|broken| Refusal::cannot(broken.text, "fix the model, then try again"))
    }

    /// Whether a file from a request is inside the project, after resolving links.
    pub(super) fn has(&self, file: &Path) -> bool {
        let root = real_path(self.settings.project.folder());
        file.canonicalize().is_ok_and(|file| file.starts_with(root))
    }

    /// Selects another model of the project.
    pub(super) fn choose_model(&mut self, name: &str) -> Result<(), Refusal> {
        let mut found = Diagnostics::default();
        let model = ModelName::parse(name, &mut found);
        let refused = |found: &Diagnostics| {
            let title = found.items().first().map(|finding| finding.title.clone());
            Refusal::cannot(
                title.unwrap_or_else(|| "invalid model name".to_owned()),
                "choose a model in the project",
            )
        };
        let model = model.ok_or_else(|| refused(&found))?;
        let path = model
            .path
            .to_string_lossy()
            .replace(std::path::MAIN_SEPARATOR, "/");
        // A request can select only models in the project, not other files.
        if !self.models().contains(&path) {
            return Err(Refusal::cannot(
                format!("unknown model `{path}`"),
                "choose a model in the project",
            ));
        }
        let profile = model
            .profile
            .or(self.settings.project.profile)
            .unwrap_or_default();
        let path = self.settings.project.root.join(&model.path);
        self.begin_on(self.model_now(&path, profile)?)
    }

    /// The relative paths of the models in the project and of the current model.
    fn models(&self) -> Vec<String> {
        // Folders that cannot be read have no models.
        let models = project_models(&self.settings.project, &mut Diagnostics::default());
        let names = models
            .iter()
            .map(|path| self.settings.named_from_root(path));
        names.chain([self.model_name()]).collect()
    }

    /// The name of the project folder.
    pub(super) fn project_name(&self) -> String {
        let folder = real_path(self.settings.project.folder());
        folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// The available recognizers.
    pub(super) fn can_ask(&self) -> Vec<&str> {
        let has_examples = DefaultRecognizer::can_learn(&self.model.machine);
        let named = self.settings.asked.as_ref().map(|(who, _)| &**who);
        let examples = (has_examples && named != Some(EXAMPLES)).then_some(EXAMPLES);
        let mut all: Vec<&str> = [NO_RECOGNIZER]
            .into_iter()
            .chain(examples)
            .chain(named)
            .collect();
        // A loaded scenario can have its own recognizer.
        all.extend(self.asks.as_deref().filter(|who| !all.contains(who)));
        all
    }

    /// The name of the recognizer. Without a named one, the examples of the model are used.
    pub(super) fn asked(&self) -> Option<&str> {
        let by_default = || self.interactive.recognizes().then_some(EXAMPLES);
        self.asks.as_deref().or_else(by_default)
    }

    /// Selects another recognizer.
    pub(super) fn ask(&mut self, who: &str) -> Result<(), Refusal> {
        let answerer = match who {
            NO_RECOGNIZER => None,
            _ if !self.can_ask().contains(&who) => {
                return Err(Refusal::cannot(
                    format!("unknown recognizer `{who}`"),
                    "choose one of the offered recognizers",
                ));
            }
            _ if self.asked() == Some(who) => return Ok(()),
            EXAMPLES => {
                self.asks = None;
                self.interactive.use_examples();
                return Ok(());
            }
            _ => self
                .settings
                .asked
                .as_ref()
                .map(|(_, answerers)| answerers.answerer(&DialogueKey::named(DIALOGUE))),
        };
        self.asks = answerer.is_some().then(|| who.to_owned());
        self.interactive.ask_from_now(answerer);
        Ok(())
    }

    /// The relative paths of model files that have changed since the dialogue loaded the model.
    pub(super) fn edited_files(&self) -> Vec<String> {
        self.model
            .edited
            .edited()
            .map(|path| self.settings.named_from_root(Path::new(path)))
            .collect()
    }

    /// The scenario coverage, as a diagram overlay.
    pub(super) fn coverage_overlay(&self, graph: &MachineGraph) -> Result<GraphOverlay, Refusal> {
        // Covered lines have paths as given on the command line; the overlay needs relative paths.
        let from_root = |at: &str| match at.rsplit_once(':') {
            Some((file, line)) => {
                format!("{}:{line}", self.settings.named_from_root(Path::new(file)))
            }
            None => self.settings.named_from_root(Path::new(at)),
        };
        let last = self.suite.lock().last.clone();
        let counted = last.as_ref().and_then(|last| {
            last.report
                .coverage
                .as_ref()?
                .models
                .get(&self.model_name())
        });
        let covered = counted.map(|model| coverage_overlay(model, graph, &from_root));
        covered.ok_or_else(|| Refusal::cannot("no coverage was measured yet", "run the suite"))
    }

    /// The traffic of simulated dialogues, as a diagram overlay.
    pub(super) fn traffic_overlay(&self, graph: &MachineGraph) -> Result<GraphOverlay, Refusal> {
        let last = self.simulation.last.lock();
        let is_ours = |model: &str| model == self.model.machine.files.fingerprint();
        let last = last.as_ref().filter(|(model, _)| is_ours(model));
        let traffic =
            last.map(|(_, last)| GraphOverlay::traffic(traffic_ways(&last.personas, graph)));
        traffic.ok_or_else(|| {
            Refusal::cannot(
                "this model has no simulated dialogues yet",
                "run a simulation",
            )
        })
    }
}
