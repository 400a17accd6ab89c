//! The dialogue on the workbench: how it begins, whom it asks, on which model.

use std::path::Path;
use std::sync::Arc;

use super::refusal::Refusal;
use super::studio_model::StudioModel;
use super::workbench::Workbench;
use fsmsim_adapters::llm::{AnswererConfig, AnswererSpec, DialogueKey};
use fsmsim_core::machine::Profile;
use fsmsim_harness::graph::{GraphOverlay, MachineGraph};
use fsmsim_harness::rehearsal::ScenarioShelf;
use fsmsim_reports::report::{coverage_overlay, traffic_ways};
use fsmsim_runtime::project::{ModelName, project_models};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::files::real_path;

/// The dialogue, for those whom it asks.
const DIALOGUE: &str = "repl";
/// The word for nobody who reads plain text.
const NOBODY: &str = "nobody";
/// The word for the examples of the model.
const BANK: &str = "bank";

impl Workbench {
    /// What every dialogue has here: scenarios that can be loaded, and whom it asks at first; what comes before anything is said
    /// is played.
    pub(super) fn set_up_dialogue(&mut self) {
        let scenarios = ScenarioShelf::of(&self.settings.project, self.settings.config.clone());
        self.rehearsal.load_by(Box::new(move |wanted, machine| {
            scenarios.load(wanted, machine)
        }));
        self.asks = self.settings.asked.as_ref().map(|(who, _)| who.clone());
        if let Some((_, answerers)) = &self.settings.asked {
            self.rehearsal
                .ask_from_now(Some(answerers.answerer(&DialogueKey::named(DIALOGUE))));
        }
        // What was interrupted goes on, and what speaks first has spoken when somebody looks. Where it cannot, it is said then.
        let _ = self.rehearsal.play_first();
    }

    /// The dialogue is another one: what the page knows of the former one is to be forgotten.
    pub(super) fn began_anew(&mut self) {
        self.tree += 1;
        self.events.set_tree(self.tree);
    }

    /// Begins a dialogue on a model, which is the model from now on.
    ///
    /// # Errors
    /// Why none can begin; the former one goes on.
    pub(super) fn begin_on(&mut self, model: StudioModel) -> Result<(), Refusal> {
        let begun = (self.opener)(&model.path, model.profile)?;
        let revision = self.model.revision + 1;
        self.model = StudioModel {
            revision,
            machine: Arc::clone(begun.dialogue().machine()),
            ..model
        };
        self.rehearsal = begun;
        self.set_up_dialogue();
        self.began_anew();
        self.watch_model();
        Ok(())
    }

    /// The model as its files have it now.
    pub(super) fn model_now(&self, path: &Path, profile: Profile) -> Result<StudioModel, Refusal> {
        let model = StudioModel::load(&self.settings, path, profile);
        model.map_err(|broken| Refusal::cannot(broken.text, "mend it, and try again"))
    }

    /// Whether a file that a page names lies in the project, links resolved.
    pub(super) fn has(&self, file: &Path) -> bool {
        let root = real_path(self.settings.project.folder());
        file.canonicalize().is_ok_and(|file| file.starts_with(root))
    }

    /// Takes another model of the project.
    pub(super) fn choose_model(&mut self, name: &str) -> Result<(), Refusal> {
        let mut found = Diagnostics::default();
        let model = ModelName::parse(name, &mut found);
        let refused = |found: &Diagnostics| {
            let title = found.items().first().map(|finding| finding.title.clone());
            Refusal::cannot(
                title.unwrap_or_else(|| "that is no model".to_owned()),
                "choose a model of the project",
            )
        };
        let model = model.ok_or_else(|| refused(&found))?;
        let path = model
            .path
            .to_string_lossy()
            .replace(std::path::MAIN_SEPARATOR, "/");
        // Only what the project has can be chosen: a page names no other file.
        if !self.models().contains(&path) {
            return Err(Refusal::cannot(
                format!("the project has no model `{path}`"),
                "choose one that it has",
            ));
        }
        let profile = model
            .profile
            .or(self.settings.project.profile)
            .unwrap_or_default();
        let path = self.settings.project.root.join(&model.path);
        self.begin_on(self.model_now(&path, profile)?)
    }

    /// The models of the project, by path from its root, and the one that is played.
    fn models(&self) -> Vec<String> {
        // What cannot be looked at is none.
        let models = project_models(&self.settings.project, &mut Diagnostics::default());
        let names = models
            .iter()
            .map(|path| self.settings.named_from_root(path));
        names.chain([self.model_name()]).collect()
    }

    /// The folder of the project.
    pub(super) fn project_name(&self) -> String {
        let folder = real_path(self.settings.project.folder());
        folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// Who can be asked for what plain text means.
    pub(super) fn can_ask(&self) -> Vec<&str> {
        let machine = &self.model.machine;
        let mut intents = machine
            .names
            .intents
            .iter()
            .filter_map(|name| machine.names.intents.id(name));
        let has_examples = intents.any(|id| !machine.description(id).examples.is_empty());
        let named = self.settings.asked.as_ref().map(|(who, _)| &**who);
        let bank = (has_examples && named != Some(BANK)).then_some(BANK);
        let mut all: Vec<&str> = [NOBODY].into_iter().chain(bank).chain(named).collect();
        // A scenario that was loaded may have brought somebody.
        all.extend(self.asks.as_deref().filter(|who| !all.contains(who)));
        all
    }

    /// Asks somebody else from now on.
    pub(super) fn ask(&mut self, who: &str) -> Result<(), Refusal> {
        let answerer = match who {
            NOBODY => None,
            _ if !self.can_ask().contains(&who) => {
                return Err(Refusal::cannot(
                    format!("nobody is called `{who}`"),
                    "choose one whom the page offers",
                ));
            }
            _ if self.asks.as_deref() == Some(who) => return Ok(()),
            BANK => Some(
                AnswererConfig::new(vec![AnswererSpec::ExampleClassifier])
                    .answerer(&DialogueKey::named(DIALOGUE)),
            ),
            _ => self
                .settings
                .asked
                .as_ref()
                .map(|(_, answerers)| answerers.answerer(&DialogueKey::named(DIALOGUE))),
        };
        self.asks = answerer.is_some().then(|| who.to_owned());
        self.rehearsal.ask_from_now(answerer);
        Ok(())
    }

    /// The files of the model that are not as the dialogue has them, by path from the project.
    pub(super) fn edited_files(&self) -> Vec<String> {
        self.model
            .edited
            .edited()
            .map(|path| self.settings.named_from_root(Path::new(path)))
            .collect()
    }

    /// What the scenarios came to, over a picture.
    pub(super) fn coverage_overlay(&self, graph: &MachineGraph) -> Result<GraphOverlay, Refusal> {
        // Lines are named as people gave their paths, and so from the root.
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
        covered.ok_or_else(|| {
            Refusal::cannot("the scenarios were not run with coverage yet", "run them")
        })
    }

    /// Where simulated dialogues went, over a picture.
    pub(super) fn traffic_overlay(&self, graph: &MachineGraph) -> Result<GraphOverlay, Refusal> {
        let last = self.simulation.last.lock();
        let is_ours = |model: &str| model == self.model.machine.files.fingerprint();
        let last = last.as_ref().filter(|(model, _)| is_ours(model));
        let traffic =
            last.map(|(_, last)| GraphOverlay::traffic(traffic_ways(&last.personas, graph)));
        traffic.ok_or_else(|| {
            Refusal::cannot(
                "no dialogues of this model were simulated yet",
                "simulate some",
            )
        })
    }
}
