//! Prepares scenarios to run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::model_key::ModelKey;
use super::prepared_scenario::PreparedScenario;
use super::scenario_text::ScenarioText;
use super::scenario_turns::ScenarioTurns;
use fsmsim_adapters::llm::{
    AnswererConfig, AnswererSettings, AnswererSpec, CassettePath, MockNameKind, MockScript,
};
use fsmsim_adapters::subject::{AnswerField, SubjectReach, SubjectSpec};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Profile, Variant};
use fsmsim_runtime::project::{ModelCache, ModelName, Project};
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::KnownNames;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Node, text_of};
use fsmsim_syntax::shapes::NamedKind;
use fsmsim_syntax::terminal::quoted;
use fsmsim_syntax::threads::Mutex;

/// The extension of a cassette.
const CASSETTE: &str = "jsonl";

/// The reason if the user has not agreed to a subject.
pub const UNAGREED: &str =
    "nobody has agreed here that this subject is asked: `fsmsim test` asks in a terminal";

/// The settings of a run. Prepares each scenario to run with them.
pub struct Runner<'r> {
    pub project: &'r Project,
    pub models: &'r Mutex<ModelCache>,
    /// The profile. Overrides the profiles of the scenarios.
    pub profile: Option<Profile>,
    /// The providers of all scenarios. Overrides those of the scenarios.
    pub answerers: Option<AnswererConfig>,
    /// The judge of all scenarios. The default is the judge of the project, if it is a mock.
    pub judge: Option<AnswererConfig>,
}

impl<'r> Runner<'r> {
    /// Uses the models of a project, and the settings of the scenarios and the project.
    pub fn new(project: &'r Project, models: &'r Mutex<ModelCache>) -> Self {
        Self {
            project,
            models,
            profile: None,
            answerers: None,
            judge: None,
        }
    }

    /// Prepares a scenario to run.
    ///
    /// # Errors
    /// Returns an error if the scenario cannot run, with the key of its model if that is known. The findings have the
    /// reason.
    pub fn prepare<'n>(
        &self,
        scenario: &ScenarioText<'n>,
        found: &mut Diagnostics,
    ) -> Result<PreparedScenario<'n>, Option<ModelKey>> {
        let model = self.model_of(scenario, found).ok_or(None)?;
        self.prepare_with(scenario, model, None, found)
    }

    /// The model that a scenario names, whether or not it exists, and the profile of the run. Returns `None`, with
    /// findings, if it names no model.
    pub fn model_of(
        &self,
        scenario: &ScenarioText<'_>,
        found: &mut Diagnostics,
    ) -> Option<ModelKey> {
        let Some(model) = scenario.model.or(self.project.model.as_deref()) else {
            return Diagnostic::error(Code::NoModel, "the scenario names no model")
                .at(scenario.span, "needs `model: PATH`")
                .help("add `model: flows/NAME`, or set `model` in `fsmsim.toml`")
                .refuse(found);
        };
        let model = ModelName::parse(model, found)?.within(self.project, scenario.file);
        let model = found.take(model.map_err(|finding| {
            finding
                .at(scenario.model_span, "the model of the scenario")
                .into()
        }))?;
        let profile = self
            .profile
            .or(model.profile)
            .or(scenario.profile)
            .or(self.project.profile)
            .unwrap_or_default();
        Some(ModelKey {
            path: model.path,
            variant: Variant {
                with_stubs: scenario.is_permissive(),
                ..profile.into()
            },
        })
    }

    /// Prepares a scenario to run with this model instead of its own. Names of the second model are also valid.
    ///
    /// # Errors
    /// Returns an error if the scenario cannot run, with the key of its model if that is known. The findings have the
    /// reason.
    pub fn prepare_with<'n>(
        &self,
        scenario: &ScenarioText<'n>,
        mut model: ModelKey,
        second: Option<&Machine>,
        found: &mut Diagnostics,
    ) -> Result<PreparedScenario<'n>, Option<ModelKey>> {
        model.variant.with_stubs |= scenario.is_permissive();
        let machine = self.models.lock().load(&model.path, model.variant);
        let Some(machine) = machine else {
            // Errors in the model are reported once for all its scenarios.
            if model.path.exists() {
                return Err(Some(model));
            }
            Diagnostic::error(Code::FileUnreadable, format!("`{}` does not exist", model.path.display()))
                .at(scenario.model_span, "the model of the scenario")
                .help("a path starts at the folder of `fsmsim.toml`, else at the working directory; `./` means beside this file")
                .add_to(found);
            return Err(None);
        };
        self.prepare_on(scenario, model, &machine, second, found)
    }

    /// Prepares a scenario to run on this machine. Names of the second model are also valid.
    pub fn prepare_on<'n>(
        &self,
        scenario: &ScenarioText<'n>,
        mut model: ModelKey,
        machine: &Arc<Machine>,
        second: Option<&Machine>,
        found: &mut Diagnostics,
    ) -> Result<PreparedScenario<'n>, Option<ModelKey>> {
        model.variant.with_stubs |= scenario.is_permissive();
        self.ready(scenario, &model, machine, second, found)
            .ok_or(Some(model))
    }

    fn ready<'n>(
        &self,
        scenario: &ScenarioText<'n>,
        model: &ModelKey,
        machine: &Arc<Machine>,
        second: Option<&Machine>,
        found: &mut Diagnostics,
    ) -> Option<PreparedScenario<'n>> {
        let answerers = match (&self.answerers, scenario.llm) {
            (Some(answerers), _) => Some(answerers.clone()),
            (None, Some(node)) => Some(asking(self.mock(node, scenario.file, found)?)),
            (None, None) => None,
        };
        let subject = match scenario.subject {
            None => None,
            Some(node) => Some(SubjectSpec::read(node, found)?),
        };
        let names = (!scenario.is_recorded)
            .then(|| KnownNames::new(machine, scenario.start).beside(second));
        if let Some((names, config)) = names
            .as_ref()
            .zip(answerers.as_ref())
            .filter(|_| self.answerers.is_none())
        {
            config
                .mocks()
                .for_each(|script| check_mock(script, names, found));
        }
        let setup = DialogueSetup::read(
            machine,
            names.as_ref(),
            scenario.signals,
            scenario.start,
            &|path| self.project.resolve(path, scenario.file),
            found,
        );
        let is_unread = answerers.is_some() || subject.is_some();
        let turns = scenario.turns(machine, names.as_ref(), is_unread, found);
        let errors = found.error_count();
        if let Some((subject, turns)) = subject.as_ref().zip(turns.as_ref()) {
            check_subject(subject, names.as_ref(), found);
            turns.check_for(subject, machine, found);
        }
        let (setup, turns) = (setup?, turns.filter(|_| found.no_errors_since(errors))?);
        let unagreed = subject
            .as_ref()
            .filter(|subject| !self.project.subjects.has(&SubjectReach::of(subject).text()));
        let answerers = match found.take(self.judge(&turns))? {
            Some(judge) => Some(answerers.unwrap_or_default().judged_by(judge)),
            None => answerers,
        };
        let cassette = answerers
            .as_ref()
            .filter(|answerers| answerers.needs_cassettes());
        Some(PreparedScenario {
            model: model.clone(),
            machine: Arc::clone(machine),
            setup,
            turns,
            known_failure: scenario.known_failure.clone(),
            title: scenario.name(),
            cassette: cassette.map(|answerers| self.cassette_of(scenario, answerers)),
            unagreed: unagreed.map(|_| UNAGREED.to_owned()),
            answerers,
            subject,
            root: self.project.root.clone(),
            watches: false,
            compares_plays: false,
        })
    }

    /// The judge, if the scenario has rubrics.
    fn judge(&self, turns: &ScenarioTurns<'_>) -> Checked<Option<AnswererConfig>> {
        match (&self.judge, &self.project.chain.judge) {
            _ if !turns.is_judged => Ok(None),
            (Some(judge), _) => Ok(Some(judge.clone())),
            // The cassette of a replayed dialogue contains the verdicts.
            _ if self
                .answerers
                .as_ref()
                .is_some_and(AnswererConfig::is_replay) =>
            {
                Ok(None)
            }
            (None, Some(AnswererSettings::Mock(path))) => {
                let script = self.models.lock().mock(path);
                let Some(script) = script else {
                    let title = format!(
                        "the mock `{}` of `[llm.judge]` cannot be used",
                        path.display()
                    );
                    return Diagnostic::error(Code::BadMock, title)
                        .help("mend the file, or name another one")
                        .fail();
                };
                Ok(Some(asking(script)))
            }
            _ => Ok(None),
        }
    }

    fn cassette_of(&self, scenario: &ScenarioText<'_>, answerers: &AnswererConfig) -> CassettePath {
        let file = scenario.file;
        let layout = self.project.artifacts_in(&self.project.cassettes);
        let path = layout.path_of(file, &scenario.name(), CASSETTE);
        let address = scenario.address(&file.display().to_string());
        // The answers of live models and the verdicts are in one cassette.
        let is_judge = answerers.is_judge_alone() && !answerers.asks_models();
        let who = if is_judge {
            "--judge record-missing"
        } else {
            "--llm record-missing"
        };
        let command = format!("fsmsim test {who} {}", quoted(&address));
        CassettePath { path, command }
    }

    /// The file of the mock that a scenario names. `None` if it names none, or if the run overrides it.
    pub fn mock_of(&self, scenario: &ScenarioText<'_>) -> Option<PathBuf> {
        let name = scenario.llm.filter(|_| self.answerers.is_none())?.text()?;
        self.project.resolve(name, scenario.file).ok()
    }

    /// The mock that a scenario names.
    fn mock(&self, node: &Node, file: &Path, found: &mut Diagnostics) -> Option<Arc<MockScript>> {
        let name = text_of(node, "llm", found)?;
        let path = self.project.resolve(name, file);
        let path =
            found.take(path.map_err(|finding| finding.at(node.span, "named here").into()))?;
        let mut models = self.models.lock();
        models.mock(&path).or_else(|| {
            Diagnostic::error(
                Code::BadMock,
                format!("the mock `{}` cannot be used", path.display()),
            )
            .at(node.span, "see its own findings")
            .help("mend the file, or name another one")
            .refuse(found)
        })
    }
}

/// Configures a mock as the only provider.
fn asking(script: Arc<MockScript>) -> AnswererConfig {
    AnswererConfig::new(vec![AnswererSpec::Mock(script)])
}

/// Reports names in a mock that are similar to names of the model.
fn check_mock(script: &MockScript, names: &KnownNames<'_>, found: &mut Diagnostics) {
    for used in &script.names {
        let kind = match used.kind {
            MockNameKind::Intent => NamedKind::Intent,
            MockNameKind::State => NamedKind::State,
            MockNameKind::Slot => NamedKind::Slot,
        };
        names.check_near(kind, &used.name, &used.place, found);
    }
}

/// Reports names in the subject of a scenario that the model does not have.
pub(super) fn check_subject(
    spec: &SubjectSpec,
    names: Option<&KnownNames<'_>>,
    found: &mut Diagnostics,
) {
    let Some(names) = names else { return };
    for (field, kind) in [
        (AnswerField::State, NamedKind::State),
        (AnswerField::Phase, NamedKind::Phase),
        (AnswerField::Intent, NamedKind::Intent),
        (AnswerField::Action, NamedKind::Action),
        (AnswerField::Class, NamedKind::TurnClass),
        (AnswerField::ContractClass, NamedKind::Class),
    ] {
        spec.map
            .names(field)
            .for_each(|(name, span)| names.check(kind, name, span, found));
    }
    spec.map
        .slots()
        .for_each(|(slot, span)| names.check(NamedKind::Slot, slot, span, found));
}
