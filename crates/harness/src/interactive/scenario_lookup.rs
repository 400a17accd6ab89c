//! Finds dialogues in scenarios for interactive use.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::loaded::LoadedDialogue;
use crate::scenario::{AddressedScenario, ModelKey, Runner, ScenarioText};
use crate::snapshot::FlowStyle;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Value;
use fsmsim_runtime::project::{ModelCache, Project};
use fsmsim_runtime::runtime::{SIGNALS, START_FILES};
use fsmsim_syntax::diagnostic::{Diagnostic, Diagnostics, plural};
use fsmsim_syntax::threads::Mutex;

/// Finds and reads scenarios.
pub struct ScenarioLookup {
    project: Project,
    models: Mutex<ModelCache>,
}

/// The model and the start of the dialogue in a scenario.
pub struct ScenarioBeginning {
    /// The model and its profile.
    pub model: String,
    /// The start, in the syntax of `--start`.
    pub start: String,
    /// Missing states are replaced by stubs.
    pub with_stubs: bool,
}

impl ScenarioLookup {
    pub fn of(project: &Project, config: Option<PathBuf>) -> Self {
        Self {
            project: project.clone(),
            models: Mutex::new(ModelCache::new(project, config)),
        }
    }

    fn runner(&self) -> Runner<'_> {
        Runner::new(&self.project, &self.models)
    }

    /// Finds the model and the start of the dialogue `FILE::TITLE[@TURN]`.
    pub fn beginning(&self, wanted: &str) -> Result<ScenarioBeginning, String> {
        let scenario = AddressedScenario::find(parts(wanted).0, &self.project)?;
        let document = scenario.document()?;
        let mut found = Diagnostics::default();
        let text = ScenarioText::read(&document, &mut found);
        let key = text
            .as_ref()
            .and_then(|text| self.runner().model_of(text, &mut found));
        let (text, key) = text
            .zip(key)
            .ok_or_else(|| scenario.findings_text(&found))?;
        Ok(ScenarioBeginning {
            model: key.name(Some(key.variant.profile.name())),
            start: self.start_of(&text),
            with_stubs: key.variant.with_stubs,
        })
    }

    /// Loads the dialogue `FILE::TITLE[@TURN]`, ready to run on a machine.
    pub fn load(&self, wanted: &str, machine: &Arc<Machine>) -> Result<LoadedDialogue, String> {
        let (address, most) = parts(wanted);
        let scenario = AddressedScenario::find(address, &self.project)?;
        let document = scenario.document()?;
        let mut found = Diagnostics::default();
        let text = ScenarioText::read(&document, &mut found)
            .ok_or_else(|| scenario.findings_text(&found))?;
        let model = ModelKey {
            path: PathBuf::new(),
            variant: machine.settings().profile.into(),
        };
        let prepared = self
            .runner()
            .prepare_on(&text, model, machine, None, &mut found);
        let prepared = prepared.map_err(|_| scenario.findings_text(&found))?;
        let all = prepared.turns().count();
        if most.is_some_and(|most| most > all) {
            return Err(scenario.findings_text(&Diagnostics::of(
                Diagnostic::bad_arguments(format!("`{address}` has only {}", plural(all, "turn")))
                    .help("use a smaller number after `@`, or omit it to run all turns"),
            )));
        }
        let count = most.unwrap_or(all);
        Ok(LoadedDialogue {
            address: address.to_owned(),
            start: self.start_of(&text),
            turns: prepared
                .turns()
                .take(count)
                .map(std::borrow::Cow::into_owned)
                .collect(),
            left: all.saturating_sub(count),
            answerer: prepared.answerer(),
            sources: Arc::clone(&scenario.sources),
        })
    }

    /// The start of a scenario for an interactive dialogue. Its paths are relative to the working directory, and it
    /// includes the source of signals.
    fn start_of(&self, scenario: &ScenarioText<'_>) -> String {
        let start = scenario.start.map(Value::from).unwrap_or_default();
        let pairs = if let Value::Map(pairs) = &start {
            pairs.to_vec()
        } else {
            Vec::new()
        };
        let pairs = pairs.into_iter().map(|(key, value)| {
            let value = if START_FILES.contains(&&*key) {
                self.path_of(&value, scenario.file)
            } else {
                value
            };
            (key, value)
        });
        let signals = scenario
            .signals
            .map(|node| (SIGNALS.into(), Value::from(node)));
        let pairs: Arc<[(Arc<str>, Value)]> = pairs.chain(signals).collect();
        if pairs.is_empty() {
            String::new()
        } else {
            FlowStyle(&Value::Map(pairs)).to_string()
        }
    }

    /// A value under `start`. If it names a file, the path is relative to the working directory.
    fn path_of(&self, named: &Value, file: &Path) -> Value {
        match named {
            Value::Text(name) if **name != *"down" => {
                // A path that must not be read was already reported.
                let path = self.project.resolve(name, file).ok();
                path.map_or_else(
                    || named.clone(),
                    |path| Value::text(&path.display().to_string()),
                )
            }
            Value::Map(pairs) => {
                let pairs = pairs.iter().map(|(key, value)| {
                    (
                        Arc::clone(key),
                        if **key == *"file" {
                            self.path_of(value, file)
                        } else {
                            value.clone()
                        },
                    )
                });
                Value::Map(pairs.collect())
            }
            other => other.clone(),
        }
    }
}

/// Splits `ADDRESS@TURN` into the ID of a scenario and the number of turns.
fn parts(wanted: &str) -> (&str, Option<usize>) {
    let at = wanted
        .rsplit_once('@')
        .and_then(|(address, turn)| Some((address, Some(turn.parse().ok()?))));
    at.unwrap_or((wanted, None))
}
