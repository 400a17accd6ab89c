//! Prepares scenarios for running.

use std::path::PathBuf;
use std::sync::Arc;

use super::model_key::ModelKey;
use super::prepared_scenario::PreparedScenario;
use super::scenario_text::ScenarioText;
use super::scenario_turns::ScenarioTurns;
use super::transcript::is_markdown;
use fsmsim_adapters::llm::{
    AnswererConfig, AnswererSettings, AnswererSpec, CassettePath, DefaultRecognizer, MockNameKind,
    MockScript,
};
use fsmsim_adapters::subject::{AnswerField, SubjectReach, SubjectSpec};
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Profile, Variant};
use fsmsim_runtime::project::{ModelCache, ModelName, Project, model_file};
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::KnownNames;
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Node, text_of};
use fsmsim_syntax::shapes::NamedKind;
use fsmsim_syntax::terminal::quoted;
use fsmsim_syntax::threads::Mutex;

/// The file extension of cassettes.
const CASSETTE: &str = "jsonl";

/// The reason that is shown if the user has not confirmed calls to a subject.
pub const UNAGREED: &str =
    "calls to this subject are not confirmed: run `fsmsim test` in a terminal to confirm them";

/// The settings of a run, used to prepare each scenario.
pub struct Runner<'r> {
    pub project: &'r Project,
    pub models: &'r Mutex<ModelCache>,
    /// The profile, which overrides the profiles in the scenarios.
    pub profile: Option<Profile>,
    /// The providers for all scenarios, which override those in the scenarios.
    pub answerers: Option<AnswererConfig>,
    /// The judge for all scenarios. By default, the project's judge is used if it is a mock.
    pub judge: Option<AnswererConfig>,
}

impl<'r> Runner<'r> {
    /// Creates a runner that uses the models of a project, and the settings in the scenarios and the project.
    pub fn new(project: &'r Project, models: &'r Mutex<ModelCache>) -> Self {
        Self {
            project,
            models,
            profile: None,
            answerers: None,
            judge: None,
        }
    }

    /// Prepares a scenario for running.
    ///
    /// # Errors
    /// Returns an error if the scenario cannot be run, with the key of its model if that is known. The findings say
    /// why.
    pub fn prepare<'n>(
        &self,
        scenario: &ScenarioText<'n>,
        found: &mut Diagnostics,
    ) -> Result<PreparedScenario<'n>, Option<ModelKey>> {
        scenario.reads(self.project.file());
        let Some(model) = self.model_of(scenario, found) else {
            scenario.check_keys(found);
            return Err(None);
        };
        self.prepare_with(scenario, model, None, found)
    }

    /// Reports all findings about a scenario that is not run. Returns the key of its model, if that is known.
    pub(crate) fn check(
        &self,
        scenario: &ScenarioText<'_>,
        found: &mut Diagnostics,
    ) -> Option<ModelKey> {
        if scenario.skip.is_some() || scenario.unreadable.settings {
            scenario.check_keys(found);
            return None;
        }
        match self.prepare(scenario, found) {
            Ok(prepared) => Some(prepared.model),
            Err(model) => model,
        }
    }

    /// The key of the model that a scenario names, whether or not the model exists. Returns `None`, with findings, if
    /// the scenario names no model.
    pub fn model_of(
        &self,
        scenario: &ScenarioText<'_>,
        found: &mut Diagnostics,
    ) -> Option<ModelKey> {
        let Some(model) = scenario.model.or(self.project.model.as_deref()) else {
            return Diagnostic::error(Code::NoModel, "missing `model` in the scenario")
                .at(scenario.span, "no `model`")
                .help("add `model: flows/NAME`, or set `model` in `fsmsim.toml`")
                .refuse(found);
        };
        let model = ModelName::parse(model, found)?.within(self.project, scenario.file);
        let model = found.take(model.map_err(|finding| {
            finding
                .at(scenario.model_span, "model of the scenario")
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

    /// Prepares a scenario for running with this model instead of its own. Names from the second model are also valid.
    ///
    /// # Errors
    /// Returns an error if the scenario cannot be run, with the key of its model if that is known. The findings say
    /// why.
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
            scenario.check_keys(found);
            // Errors in a model are reported once for all scenarios that use it.
            if model_file(&model.path).exists() {
                return Err(Some(model));
            }
            Diagnostic::error(Code::FileUnreadable, format!("cannot find `{}`", model.path.display()))
                .at(scenario.model_span, "model of the scenario")
                .help("use a path relative to `fsmsim.toml` (without one, to the working directory), or `./` for a path relative to this file")
                .add_to(found);
            return Err(None);
        };
        self.prepare_on(scenario, model, &machine, second, found)
    }

    /// Prepares a scenario for running on this machine. Names from the second model are also valid.
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
            (None, llm) => llm
                .and_then(|node| self.mock(scenario, node, found))
                .map(|script| asking(script, None)),
        };
        let subject = scenario
            .subject
            .and_then(|node| SubjectSpec::read(node, found));
        let is_complete = (scenario.llm.is_none() || answerers.is_some())
            && (scenario.subject.is_none() || subject.is_some());
        let names = (!scenario.is_recorded).then(|| {
            KnownNames::new(machine, scenario.start)
                .or_of(second)
                .or_foreign(&self.project.foreign)
        });
        if let Some((names, path)) = names.as_ref().zip(self.mock_of(scenario))
            && let Some(script) = self.models.lock().mock_with_errors(&path)
        {
            check_mock(&script, names, found);
        }
        let setup = DialogueSetup::read(
            machine,
            names.as_ref(),
            scenario.signals,
            scenario.start,
            &|path| {
                let path = self.project.resolve(path, scenario.file)?;
                scenario.reads(path.clone());
                Ok(path)
            },
            found,
        );
        let is_unread = !is_complete
            || answerers.is_some()
            || subject.is_some()
            || scenario.may_say() && DefaultRecognizer::can_learn(machine);
        let turns = scenario.turns(machine, names.as_ref(), is_unread, found);
        let errors = found.error_count();
        if let Some(subject) = &subject {
            check_subject(subject, names.as_ref(), found);
            if let Some(turns) = &turns {
                turns.check_for(subject, machine, found);
            }
        }
        let is_complete = is_complete && found.no_errors_since(errors);
        let setup = setup?;
        let turns = turns.filter(|_| is_complete)?;
        let unagreed = subject
            .as_ref()
            .filter(|subject| !self.project.subjects.has(&SubjectReach::of(subject).text()));
        let answerers = match found.take(self.judge(scenario, &turns))? {
            Some(judge) => Some(answerers.unwrap_or_default().judged_by(judge)),
            None => answerers,
        };
        let cassette = answerers
            .as_ref()
            .filter(|answerers| answerers.needs_cassettes())
            .map(|answerers| self.cassette_of(scenario, answerers));
        Some(PreparedScenario {
            model: model.clone(),
            machine: Arc::clone(machine),
            setup,
            turns,
            known_failure: scenario.known_failure.clone(),
            title: scenario.name(),
            cassette,
            unagreed: unagreed.map(|_| UNAGREED.to_owned()),
            answerers,
            subject,
            root: self.project.root.clone(),
            watches: false,
            compares_trials: false,
            is_transcript: is_markdown(scenario.file),
        })
    }

    /// The judge, if the scenario contains rubrics.
    fn judge(
        &self,
        scenario: &ScenarioText<'_>,
        turns: &ScenarioTurns<'_>,
    ) -> Checked<Option<AnswererConfig>> {
        match (&self.judge, &self.project.chain.judge) {
            _ if !turns.is_judged => Ok(None),
            (Some(judge), _) => Ok(Some(judge.clone())),
            // If a dialogue is replayed, its cassette contains the verdicts.
            _ if self
                .answerers
                .as_ref()
                .is_some_and(AnswererConfig::is_replay) =>
            {
                Ok(None)
            }
            (None, Some(AnswererSettings::Mock(path, name))) => {
                scenario.reads(path.clone());
                let script = self.models.lock().mock(path);
                let Some(script) = script else {
                    return Diagnostic::error(
                        Code::BadMock,
                        format!("cannot use the mock `{}` of `[llm.judge]`", path.display()),
                    )
                    .help("fix the file, or use another one")
                    .fail();
                };
                Ok(Some(asking(script, name.as_deref())))
            }
            _ => Ok(None),
        }
    }

    fn cassette_of(&self, scenario: &ScenarioText<'_>, answerers: &AnswererConfig) -> CassettePath {
        let file = scenario.file;
        let layout = self.project.artifacts_in(&self.project.cassettes);
        let path = layout.path_of(file, &scenario.name(), CASSETTE);
        // A run that records writes the cassette, so it does not depend on it.
        if answerers.is_replay() {
            scenario.reads(path.clone());
        }
        let address = scenario.address(&file.display().to_string());
        // The answers of live models and the judge's verdicts are in the same cassette.
        let is_judge = answerers.is_judge_alone() && !answerers.asks_models();
        let who = if is_judge {
            "--judge record-missing"
        } else {
            "--llm record-missing"
        };
        let command = format!("fsmsim test {who} {}", quoted(&address));
        CassettePath { path, command }
    }

    /// The file of the mock that a scenario names. `None` if the scenario names none, or if the run overrides it.
    pub fn mock_of(&self, scenario: &ScenarioText<'_>) -> Option<PathBuf> {
        let name = scenario.llm.filter(|_| self.answerers.is_none())?.text()?;
        self.project.resolve(name, scenario.file).ok()
    }

    /// The mock that a scenario names.
    fn mock(
        &self,
        scenario: &ScenarioText<'_>,
        node: &Node,
        found: &mut Diagnostics,
    ) -> Option<Arc<MockScript>> {
        let name = text_of(node, "llm", found)?;
        let path = self.project.resolve(name, scenario.file);
        let path =
            found.take(path.map_err(|finding| finding.at(node.span, "named here").into()))?;
        scenario.reads(path.clone());
        let mut models = self.models.lock();
        models.mock(&path).or_else(|| {
            Diagnostic::error(
                Code::BadMock,
                format!("cannot use the mock `{}`", path.display()),
            )
            .at(node.span, "the mock has findings")
            .help("fix the file, or use another one")
            .refuse(found)
        })
    }
}

/// A configuration whose only provider is a mock.
fn asking(script: Arc<MockScript>, name: Option<&str>) -> AnswererConfig {
    AnswererConfig::new(vec![AnswererSpec::mock(script, name)])
}

/// Reports names in a mock that are similar to names in the model.
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

/// Reports names in a scenario's subject that the model does not define.
fn check_subject(spec: &SubjectSpec, names: Option<&KnownNames<'_>>, found: &mut Diagnostics) {
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
