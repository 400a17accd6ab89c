//! The providers of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::answerer::{Answerer, NoAnswerer};
use super::answerer_spec::AnswererSpec;
use super::budget::{Budget, Usage};
use super::cassette::{
    CassetteCounts, CassetteTitle, Completer, CompletionLog, PathClaims, Recorder, Recording,
    Redactions, Replayer, SimulationCassette,
};
use super::dialogue_key::{CassettePath, DialogueKey};
use super::judged_answerer::JudgedAnswerer;
use super::kind::TaskKind;
use super::mock::MockScript;
use super::prompt::PromptTemplates;
use super::token_price::TokenPrice;
use crate::limits::MAX_CASSETTE;
use fsmsim_syntax::diagnostic::Diagnostics;

/// The providers for requests that scripts do not answer. They are called in order until one answers.
#[derive(Clone, Debug, Default)]
pub struct AnswererConfig {
    answerers: Vec<AnswererSpec>,
    pub(super) cassettes: CassetteMode,
    /// The separate judge, if any.
    pub(super) judge: Option<Arc<AnswererConfig>>,
    /// The prompt templates of the project, which replace the built-in ones.
    prompts: PromptTemplates,
}

/// How a run uses cassettes.
#[derive(Clone, Debug, Default)]
pub(super) enum CassetteMode {
    /// No cassettes.
    #[default]
    None,
    /// Records requests and answers.
    Record(Arc<Redactions>, PathClaims),
    /// Replays cassettes. Missing requests are sent to the providers and recorded.
    RecordMissing(Arc<Redactions>, PathClaims, CompletionLog),
    /// Records or replays all dialogues with one simulation cassette.
    Simulation(Arc<SimulationCassette>),
    /// Replays cassettes only.
    Replay(Arc<Redactions>),
}

/// Creates the recording of a dialogue for its cassette.
pub(super) fn recording_of(
    key: &DialogueKey<'_>,
    cassette: &CassettePath,
    claims: &PathClaims,
) -> Recording {
    Recording::new(
        CassetteTitle::Scenario(key.dialogue.into()),
        &cassette.path,
        MAX_CASSETTE,
        claims.clone(),
    )
}

impl CassettePath {
    /// Whether neither the cassette nor an interrupted recording of it exists.
    pub(super) fn is_nowhere(&self) -> bool {
        let is_gone = |path: &Path| matches!(path.try_exists(), Ok(false));
        is_gone(&self.path) && is_gone(&Recording::unfinished(&self.path))
    }
}

impl AnswererConfig {
    /// A run with these providers, in this order.
    pub fn new(answerers: Vec<AnswererSpec>) -> Self {
        Self {
            answerers,
            ..Self::default()
        }
    }

    /// A run with these providers, in this order, that records their answers.
    pub fn recording(answerers: Vec<AnswererSpec>, redactions: Redactions) -> Self {
        let cassettes = CassetteMode::Record(Arc::new(redactions), PathClaims::default());
        Self {
            answerers,
            cassettes,
            ..Self::default()
        }
    }

    /// A run that replays cassettes. Missing requests are sent to these providers, in this order, and recorded.
    pub fn recording_missing(answerers: Vec<AnswererSpec>, redactions: Redactions) -> Self {
        let redactions = Arc::new(redactions);
        let claims = PathClaims::default();
        let log = CompletionLog::default();
        Self {
            answerers,
            cassettes: CassetteMode::RecordMissing(redactions, claims, log),
            ..Self::default()
        }
    }

    /// A simulation with this cassette. The providers are used if the cassette mode allows it.
    pub fn on_tape(answerers: Vec<AnswererSpec>, tape: SimulationCassette) -> Self {
        Self {
            answerers,
            cassettes: CassetteMode::Simulation(Arc::new(tape)),
            ..Self::default()
        }
    }

    /// A run that replays cassettes only.
    pub fn replaying(redactions: Redactions) -> Self {
        Self {
            cassettes: CassetteMode::Replay(Arc::new(redactions)),
            ..Self::default()
        }
    }

    /// Adds a separate judge.
    pub fn judged_by(self, judge: Self) -> Self {
        Self {
            judge: Some(Arc::new(judge)),
            ..self
        }
    }

    /// Whether replies can be judged: by a judge, a cassette, or a mock with rules for judge requests.
    pub fn judges(&self) -> bool {
        let has_cassettes =
            self.is_replay() || matches!(self.cassettes, CassetteMode::RecordMissing(..));
        let mut mocks = self.mocks();
        self.judge.is_some() || has_cassettes || mocks.any(|mock| mock.answers(TaskKind::Judge))
    }

    /// Whether a provider can play a user: a live model, a mock with rules for it, or a recording.
    pub fn plays_users(&self) -> bool {
        let plays = |answerer: &AnswererSpec| match answerer {
            AnswererSpec::Mock(script, _) => script.answers(TaskKind::PlayUser),
            other => other.open_requests().is_some(),
        };
        self.answerers.is_empty() || self.answerers.iter().any(plays)
    }

    /// Uses the prompt templates of a project.
    #[must_use]
    pub fn asking_by(self, prompts: PromptTemplates) -> Self {
        Self { prompts, ..self }
    }

    /// The mocks among the providers.
    pub fn mocks(&self) -> impl Iterator<Item = &MockScript> {
        self.answerers.iter().filter_map(|answerer| match answerer {
            AnswererSpec::Mock(script, _) => Some(&**script),
            _ => None,
        })
    }

    /// Whether all answers come from cassettes, for the dialogue or for its judge.
    pub fn is_replay(&self) -> bool {
        matches!(self.cassettes, CassetteMode::Replay(_))
            || self.judge.as_deref().is_some_and(Self::is_replay)
    }

    /// Whether dialogues need cassettes.
    pub fn needs_cassettes(&self) -> bool {
        !matches!(self.cassettes, CassetteMode::None)
            || self.judge.as_deref().is_some_and(Self::needs_cassettes)
    }

    /// Whether cassettes contain only answers from the judge.
    pub fn is_judge_alone(&self) -> bool {
        matches!(self.cassettes, CassetteMode::None) && self.needs_cassettes()
    }

    /// Whether live models are called in the dialogue itself.
    pub fn asks_models(&self) -> bool {
        self.answerers
            .iter()
            .any(|spec| spec.open_requests().is_some())
    }

    /// The provider for a new dialogue.
    pub fn answerer(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        self.asked(key, false)
    }

    /// The provider for a dialogue, or for its judge. The recording of the dialogue also contains the answers from the
    /// judge, unless only the judge is recorded.
    fn asked(&self, key: &DialogueKey<'_>, judges: bool) -> Box<dyn Answerer> {
        let judge = || Some(self.judge.as_deref().filter(|_| !judges)?.asked(key, true));
        let recorder = |cassette, redactions, claims| {
            let inner = if judges {
                self.links(key, true)
            } else {
                self.chain(key)
            };
            let recording = Arc::new(recording_of(key, cassette, claims));
            Recorder::new(inner, recording, Arc::clone(redactions))
        };
        match (&self.cassettes, key.cassette) {
            (CassetteMode::Record(redactions, claims), Some(cassette)) => {
                Box::new(recorder(cassette, redactions, claims))
            }
            (CassetteMode::RecordMissing(redactions, claims, log), Some(cassette)) => Box::new(
                Completer::new(recorder(cassette, redactions, claims), log.clone(), judges),
            ),
            (CassetteMode::Simulation(tape), _) if !judges => {
                let chain = if tape.asks() {
                    self.chain(key)
                } else {
                    Box::new(NoAnswerer)
                };
                tape.answerer(chain, key)
            }
            (CassetteMode::Replay(redactions), cassette) => {
                judged(replayer(key, cassette, redactions), judge())
            }
            _ => judged(self.links(key, judges), judge()),
        }
    }

    /// The providers in order, with a judge, without recording.
    pub(super) fn chain(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        judged(
            self.links(key, false),
            self.judge.as_deref().map(|judge| judge.links(key, true)),
        )
    }

    /// The providers in order.
    fn links(&self, key: &DialogueKey<'_>, judges: bool) -> Box<dyn Answerer> {
        let answerers = self
            .answerers
            .iter()
            .map(|spec| spec.answerer(key, &self.prompts, judges));
        Box::new(answerers.collect::<Vec<_>>())
    }

    /// The shared budget of the live models, if there are any.
    pub fn budget(&self) -> Option<Arc<Budget>> {
        self.answerers.iter().find_map(AnswererSpec::budget)
    }

    /// The failures of each live model so far, with counts, in the order of the providers.
    pub fn failures(&self) -> Vec<(String, Vec<(String, u64)>)> {
        self.answerers
            .iter()
            .filter_map(AnswererSpec::failures)
            .collect()
    }

    /// The maximum number of parallel requests to all live models. `None` without live models.
    pub fn open_requests(&self) -> Option<usize> {
        let is_replay = match &self.cassettes {
            CassetteMode::Replay(_) => true,
            CassetteMode::Simulation(tape) => !tape.asks(),
            _ => false,
        };
        self.answerers
            .iter()
            .filter(|_| !is_replay)
            .filter_map(AnswererSpec::open_requests)
            .chain(self.judge.as_deref().and_then(Self::open_requests))
            .reduce(usize::saturating_add)
    }

    /// Whether answers may differ in the next run: live models are called, or their recordings are replayed.
    pub fn is_of_models(&self) -> bool {
        self.needs_cassettes() || self.open_requests().is_some()
    }

    /// Ends the simulation: assembles its cassette and reports findings.
    pub fn close(&self, found: &mut Diagnostics) {
        if let CassetteMode::Simulation(tape) = &self.cassettes {
            tape.close(found);
        }
    }

    /// The recording counts of each completed cassette, by path.
    pub fn completed(&self) -> Vec<(PathBuf, CassetteCounts)> {
        match &self.cassettes {
            CassetteMode::RecordMissing(_, _, log) => log.all(),
            CassetteMode::Simulation(tape) => tape.log().all(),
            _ => Vec::new(),
        }
    }

    /// The usage of each live model so far, in the order of the providers.
    pub fn usage(&self) -> Vec<(String, Usage)> {
        self.answerers
            .iter()
            .filter_map(AnswererSpec::usage)
            .collect()
    }

    /// The token price of the live model with this name, if set.
    pub fn price(&self, link: &str) -> Option<TokenPrice> {
        self.answerers
            .iter()
            .find(|spec| spec.usage().is_some_and(|(name, _)| name == link))
            .and_then(AnswererSpec::price)
    }
}

/// The provider that replays a cassette, if there is one.
fn replayer(
    key: &DialogueKey<'_>,
    cassette: Option<&CassettePath>,
    redactions: &Arc<Redactions>,
) -> Box<dyn Answerer> {
    match cassette {
        Some(CassettePath { path, command }) => Box::new(Replayer::new(
            key.dialogue,
            path,
            command,
            Arc::clone(redactions),
        )),
        None => Box::new(NoAnswerer),
    }
}

/// Adds a judge to the provider of a dialogue, if there is one.
fn judged(dialogue: Box<dyn Answerer>, judge: Option<Box<dyn Answerer>>) -> Box<dyn Answerer> {
    match judge {
        Some(judge) => Box::new(JudgedAnswerer { dialogue, judge }),
        None => dialogue,
    }
}
