//! Runs one scenario.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::pass_threshold::PassThreshold;
use super::scenario::{ScenarioText, ScenarioTurns};
use super::scenario_outcome::ScenarioOutcome;
use super::scenario_run::ScenarioRun;
use super::source::ScenarioSource;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Place, SourceMap};
use crate::document::Node;
use crate::llm::{
    AnswerFailure, Answerer, AnswererConfig, AnswererSpec, CassettePath, DialogueKey, FailureKind, MockScript,
};
use crate::machine::{Machine, Profile, Variant};
use crate::project::{ModelCache, ModelName, Project};
use crate::runtime::{DialogueRunner, DialogueSetup};
use crate::snapshot::SnapshotText;
use crate::trace::RecordField;

/// What runs have in common.
pub struct Runner<'r> {
    /// The project.
    pub project: &'r Project,
    /// The models.
    pub library: &'r Mutex<ModelCache>,
    /// The profile, whatever scenarios say.
    pub profile: Option<Profile>,
    /// The fields of snapshots, where the project chooses them.
    pub snapshot_fields: Option<Vec<RecordField>>,
    /// Whom all scenarios ask, whatever they say.
    pub outside: Option<AnswererConfig>,
    /// How often scenarios that ask somebody are played, whatever they say.
    pub repeat: Option<u32>,
}

/// A model by path and profile.
pub type ModelKey = (PathBuf, Profile);

/// A scenario that is ready to be played.
#[derive(Debug)]
pub struct Prepared<'n> {
    /// The model's key.
    pub key: ModelKey,
    /// The machine.
    pub machine: Arc<Machine>,
    /// With what it starts.
    pub setup: DialogueSetup,
    /// The turns.
    pub turns: ScenarioTurns<'n>,
    /// Its title.
    pub title: String,
    /// Whom it asks what its turns do not say.
    pub outside: Option<AnswererConfig>,
    /// Its cassette, and the command that records it, where the run needs cassettes.
    pub cassette: Option<(PathBuf, String)>,
}

/// What became of a scenario.
#[derive(Debug)]
pub struct ScenarioResult {
    /// Its title; the place alone, where it could not be read.
    pub title: String,
    /// Where it is written.
    pub place: Place,
    /// Its model and profile, as they are shown.
    pub model: String,
    /// The model's key, for what was found while loading it.
    pub model_key: Option<ModelKey>,
    /// Its tags.
    pub tags: Vec<String>,
    /// What is wrong with its text; errors make it unusable.
    pub found: Diagnostics,
    /// What it did; nothing, where it could not be played.
    pub played: Option<ScenarioOutcome>,
    /// The mock that it names, for what was found while loading it.
    pub mock: Option<PathBuf>,
    /// Its cassette, where it was asked for one.
    pub cassette: Option<PathBuf>,
    /// Where nobody read what was said: the turn, and why. The scenario was not played to its end then.
    pub unavailable: Option<(u32, String)>,
}

/// Which scenarios are wanted.
pub trait Selection: Sync {
    /// Whether a scenario with this title and these tags is wanted.
    fn wants(&self, title: &str, tags: &[&str]) -> bool;
    /// Whether the text of its snapshot is wanted, given whether it expects anything.
    fn wants_snapshot(&self, path: &Path, title: &str, expects: bool) -> bool;
}

impl Prepared<'_> {
    /// What whoever is asked must know of one of its plays.
    fn occasion(&self, number: u32) -> DialogueKey<'_> {
        let cassette = self.cassette.as_ref().map(|(path, command)| CassettePath { path, command });
        DialogueKey { seed: 0, dialogue: &self.title, number: number.into(), cassette }
    }

    /// The dialogue, not yet begun, with whomever it asks.
    #[must_use]
    pub fn runner(&self) -> DialogueRunner {
        let runner = self.setup.clone().runner(&self.machine);
        match self.answerer() {
            Some(answerer) => runner.asking(answerer),
            None => runner,
        }
    }

    /// Somebody to ask what the turns do not say, where somebody is there.
    fn answerer(&self) -> Option<Box<dyn Answerer>> {
        self.outside.as_ref().map(|outside| outside.answerer(&self.occasion(0)))
    }

    /// Plays it as often as is needed. All plays are on one cassette.
    fn play(
        &self,
        mut outcome: ScenarioOutcome,
        mut snapshot: Option<SnapshotText>,
        sources: &SourceMap,
        result: &mut ScenarioResult,
        found: &mut Diagnostics,
    ) -> Option<ScenarioOutcome> {
        let mut answerer = self.answerer();
        let mut missed = None;
        while !outcome.is_decided() && missed.is_none() {
            let mut runner = self.setup.clone().runner(&self.machine);
            if let Some(mut somebody) = answerer.take() {
                if outcome.plays > 0 {
                    somebody.rewind(&self.occasion(outcome.plays));
                }
                runner = runner.asking(somebody);
            }
            let play = ScenarioRun::of(&self.turns, &mut runner, snapshot.take(), sources);
            if play.asked {
                result.cassette = self.cassette.as_ref().map(|(path, _)| path.clone());
            }
            // Other plays cannot make up for what was not recorded.
            let not_recorded = |failure: &AnswerFailure| failure.kind == FailureKind::NotRecorded;
            missed = play.unavailable.clone().filter(|_| runner.unread().is_some_and(not_recorded));
            outcome.add(play);
            answerer = Some(runner.into_answerer());
        }
        let errors = found.error_count();
        if let Some(mut somebody) = answerer {
            somebody.finish(found);
        }
        if found.error_count() > errors {
            return None;
        }
        let unavailable = match missed {
            Some(missed) => missed,
            None => match outcome.judge() {
                Ok(played) => return Some(played),
                Err(unavailable) => unavailable,
            },
        };
        result.unavailable = Some(unavailable);
        None
    }
}

impl Runner<'_> {
    /// Runs the scenario of a document; `None` where it is not wanted.
    pub fn run(
        &self,
        source: &ScenarioSource,
        sources: &SourceMap,
        selection: &dyn Selection,
    ) -> Option<ScenarioResult> {
        let mut found = Diagnostics::default();
        let mut result = ScenarioResult {
            title: String::new(),
            place: sources.place(source.start(sources)),
            model: String::new(),
            model_key: None,
            tags: Vec::new(),
            found: Diagnostics::default(),
            played: None,
            mock: None,
            cassette: None,
            unavailable: None,
        };
        let node = source.node(sources, &mut found);
        if let Some(scenario) = node.as_ref().and_then(|node| ScenarioText::read(node, &mut found)) {
            if !selection.wants(scenario.title, &scenario.tags) {
                return None;
            }
            scenario.title.clone_into(&mut result.title);
            result.place = sources.place(scenario.span);
            result.tags = scenario.tags.iter().map(|tag| (*tag).to_owned()).collect();
            result.mock = self.mock_of(&scenario, &source.path);
            if !found.has_errors() {
                result.played = self.play(&scenario, source, sources, selection, &mut result, &mut found);
            }
        }
        result.found = found;
        Some(result)
    }

    /// Makes a scenario ready to be played.
    ///
    /// # Errors
    /// Where that cannot be: the model's key, if it came so far. The findings tell why.
    pub fn prepare<'n>(
        &self,
        scenario: &ScenarioText<'n>,
        file: &Path,
        found: &mut Diagnostics,
    ) -> Result<Prepared<'n>, Option<ModelKey>> {
        let key = self.model_of(scenario, file, found).ok_or(None)?;
        self.prepare_with(scenario, file, (&key.0, key.1.into()), found)
    }

    /// The model that a scenario names, whether or not it is there, and the profile it is played with. `None`, with
    /// findings, where it names none.
    pub fn model_of(
        &self,
        scenario: &ScenarioText<'_>,
        file: &Path,
        found: &mut Diagnostics,
    ) -> Option<ModelKey> {
        let Some(model) = scenario.model.or(self.project.model.as_deref()) else {
            found.push(
                Diagnostic::error(Code::NoModel, "the scenario names no model")
                    .at(scenario.span, "needs `model: PATH`")
                    .help("add `model: flows/NAME`, or set `model` in `fsmsim.toml`"),
            );
            return None;
        };
        let model = ModelName::parse(model, found)?.within(self.project, file);
        let profile =
            self.profile.or(model.profile).or(scenario.profile).or(self.project.profile).unwrap_or_default();
        Some((model.path, profile))
    }

    /// Makes a scenario ready to be played with this model, whichever it names.
    ///
    /// # Errors
    /// Where that cannot be: the model's key, if it came so far. The findings tell why.
    pub fn prepare_with<'n>(
        &self,
        scenario: &ScenarioText<'n>,
        file: &Path,
        (path, variant): (&Path, Variant),
        found: &mut Diagnostics,
    ) -> Result<Prepared<'n>, Option<ModelKey>> {
        let key = (path.to_path_buf(), variant.profile);
        let machine = {
            let mut library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
            library.load(path, variant)
        };
        let Some(machine) = machine else {
            // What is wrong inside the model is told once for all its scenarios.
            if key.0.exists() {
                return Err(Some(key));
            }
            found.push(
                Diagnostic::error(Code::FileUnreadable, format!("`{}` does not exist", key.0.display()))
                    .at(scenario.model_span, "the model of the scenario")
                    .help("a path starts at the folder of `fsmsim.toml`, else at the working directory; `./` means beside this file"),
            );
            return Err(None);
        };
        let outside = match (&self.outside, scenario.llm) {
            (Some(outside), _) => Some(outside.clone()),
            (None, Some(node)) => {
                let script = self.mock(node, file, found).ok_or_else(|| Some(key.clone()))?;
                Some(AnswererConfig::new(vec![AnswererSpec::Mock(script)]))
            }
            (None, None) => None,
        };
        let setup = DialogueSetup::read(
            &machine,
            scenario.signals,
            scenario.start,
            &|path| self.project.resolve(path, file),
            found,
        );
        let turns = scenario.turns(&machine, outside.is_some(), found);
        match (setup, turns) {
            (Some(setup), Some(turns)) => {
                let cassette = outside.as_ref().filter(|outside| outside.needs_cassettes());
                let cassette = cassette.map(|_| self.cassette_of(scenario, file));
                let title = scenario.title.to_owned();
                Ok(Prepared { key, machine, setup, turns, title, outside, cassette })
            }
            _ => Err(Some(key)),
        }
    }

    /// How often a scenario is played, and how many plays must pass.
    fn requirement(&self, scenario: &ScenarioText<'_>, asks: bool) -> PassThreshold {
        let wanted = scenario.require.unwrap_or(PassThreshold::ONCE);
        if asks { wanted.of(self.repeat.unwrap_or(wanted.plays())) } else { PassThreshold::ONCE }
    }

    /// The cassette of a scenario, and the command that records it.
    fn cassette_of(&self, scenario: &ScenarioText<'_>, file: &Path) -> (PathBuf, String) {
        let path = self.project.artifacts_in(&self.project.cassettes).path_of(file, scenario.title);
        let (title, file) = (quoted(scenario.title), quoted(&file.display().to_string()));
        (path.path("jsonl"), format!("fsmsim test --llm record --filter {title} {file}"))
    }

    /// The file of the mock that a scenario asks; nothing where it names none, or all scenarios ask somebody else.
    #[must_use]
    pub fn mock_of(&self, scenario: &ScenarioText<'_>, file: &Path) -> Option<PathBuf> {
        let name = scenario.llm.filter(|_| self.outside.is_none())?.text()?;
        Some(self.project.resolve(name, file))
    }

    /// The mock that a scenario names.
    fn mock(&self, node: &Node, file: &Path, found: &mut Diagnostics) -> Option<Arc<MockScript>> {
        let name = crate::document::text_of(node, "llm", found)?;
        let path = self.project.resolve(name, file);
        let mut library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        let script = library.mock(&path);
        if script.is_none() {
            found.push(
                Diagnostic::error(Code::BadMock, format!("the mock `{}` cannot be used", path.display()))
                    .at(node.span, "see its own findings")
                    .help("mend the file, or name another one"),
            );
        }
        script
    }

    fn play(
        &self,
        scenario: &ScenarioText<'_>,
        source: &ScenarioSource,
        sources: &SourceMap,
        selection: &dyn Selection,
        result: &mut ScenarioResult,
        found: &mut Diagnostics,
    ) -> Option<ScenarioOutcome> {
        let prepared = match self.prepare(scenario, &source.path, found) {
            Ok(prepared) => prepared,
            Err(key) => {
                result.model_key = key;
                return None;
            }
        };
        let requirement = self.requirement(scenario, prepared.outside.is_some());
        result.model = format!("{}@{}", prepared.key.0.display(), prepared.key.1.name());
        result.model_key = Some(prepared.key.clone());
        let expects = prepared.turns.expects_something();
        if requirement.plays() > 1 && !expects {
            found.push(
                Diagnostic::error(
                    Code::MissingKey,
                    "the scenario is played several times and expects nothing",
                )
                .at(scenario.span, "expects nothing")
                .help("add `expect` to a turn; a snapshot is only compared where there is one play"),
            );
            return None;
        }
        // Where plays may differ, no one of them is what the scenario does.
        let wants_snapshot =
            requirement.plays() == 1 && selection.wants_snapshot(&source.path, scenario.title, expects);
        let snapshot = wants_snapshot.then(|| SnapshotText::new(self.snapshot_fields.as_deref()));
        prepared.play(ScenarioOutcome::new(requirement, expects), snapshot, sources, result, found)
    }
}

/// A word of a command line; in quotation marks where the shell would take it apart.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if word.starts_with(|c: char| c != '-') && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
