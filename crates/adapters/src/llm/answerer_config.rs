//! Whom a run asks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::answerer::{Answerer, Nobody};
use super::answerer_spec::AnswererSpec;
use super::budget::{Budget, Usage};
use super::cassette::{
    CassetteCounts, CassetteTitle, Completer, CompletionLog, PathClaims, Recorder, Recording,
    Redactions, Replayer, SimulationTape,
};
use super::dialogue_key::{CassettePath, DialogueKey};
use super::judged_answerer::JudgedAnswerer;
use super::mock::MockScript;
use super::prompt::PromptTemplates;
use super::token_price::TokenPrice;
use crate::limits::MAX_CASSETTE;
use fsmsim_syntax::diagnostic::Diagnostics;

/// Whom the dialogues of a run ask what their scripts do not say: one after the other, until somebody answers.
#[derive(Clone, Debug, Default)]
pub struct AnswererConfig {
    answerers: Vec<AnswererSpec>,
    pub(super) cassettes: CassetteMode,
    /// Who judges what is said, where that is somebody of its own.
    pub(super) judge: Option<Arc<AnswererConfig>>,
    /// What the project says in place of the built-in words.
    prompts: PromptTemplates,
}

/// What is done with cassettes.
#[derive(Clone, Debug, Default)]
pub(super) enum CassetteMode {
    /// Nothing.
    #[default]
    None,
    /// What is asked and answered is recorded.
    Record(Arc<Redactions>, PathClaims),
    /// Cassettes are asked, and what they lack is asked for and recorded.
    RecordMissing(Arc<Redactions>, PathClaims, CompletionLog),
    /// All dialogues are on the cassette of a simulation.
    Simulation(Arc<SimulationTape>),
    /// Nobody but the cassettes is asked.
    Replay(Arc<Redactions>),
}

/// A recording of a dialogue on its cassette.
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
    /// Whether there is none, nor what a run has left that was broken off.
    pub(super) fn is_nowhere(&self) -> bool {
        let is_gone = |path: &Path| matches!(path.try_exists(), Ok(false));
        is_gone(&self.path) && is_gone(&Recording::unfinished(&self.path))
    }
}

impl AnswererConfig {
    /// A run that asks these, in this order.
    pub fn new(answerers: Vec<AnswererSpec>) -> Self {
        Self {
            answerers,
            ..Self::default()
        }
    }

    /// A run that asks these, in this order, and records it.
    pub fn recording(answerers: Vec<AnswererSpec>, redactions: Redactions) -> Self {
        let cassettes = CassetteMode::Record(Arc::new(redactions), PathClaims::default());
        Self {
            answerers,
            cassettes,
            ..Self::default()
        }
    }

    /// A run that asks cassettes, and these, in this order, for what they lack, which is recorded.
    pub fn recording_missing(answerers: Vec<AnswererSpec>, redactions: Redactions) -> Self {
        let (redactions, claims, log) = (
            Arc::new(redactions),
            PathClaims::default(),
            CompletionLog::default(),
        );
        Self {
            answerers,
            cassettes: CassetteMode::RecordMissing(redactions, claims, log),
            ..Self::default()
        }
    }

    /// A simulation whose dialogues are on this cassette; these are asked where it may ask somebody.
    pub fn on_tape(answerers: Vec<AnswererSpec>, tape: SimulationTape) -> Self {
        Self {
            answerers,
            cassettes: CassetteMode::Simulation(Arc::new(tape)),
            ..Self::default()
        }
    }

    /// A run that asks nobody but cassettes.
    pub fn replaying(redactions: Redactions) -> Self {
        Self {
            cassettes: CassetteMode::Replay(Arc::new(redactions)),
            ..Self::default()
        }
    }

    /// The same, with somebody who judges what is said.
    pub fn judged_by(self, judge: Self) -> Self {
        Self {
            judge: Some(Arc::new(judge)),
            ..self
        }
    }

    /// Whether anybody judges what is said: a judge, a cassette, or a mock that has rules for it.
    pub fn judges(&self) -> bool {
        let has_cassettes =
            self.is_replay() || matches!(self.cassettes, CassetteMode::RecordMissing(..));
        self.judge.is_some() || has_cassettes || self.mocks().any(MockScript::judges)
    }

    /// The same, asked in the words of a project, where it has some.
    #[must_use]
    pub fn asking_by(self, prompts: PromptTemplates) -> Self {
        Self { prompts, ..self }
    }

    /// The mocks that are asked.
    pub fn mocks(&self) -> impl Iterator<Item = &MockScript> {
        self.answerers.iter().filter_map(|answerer| match answerer {
            AnswererSpec::Mock(script) => Some(&**script),
            _ => None,
        })
    }

    /// Whether nobody but cassettes is asked, in the dialogue or about it.
    pub fn is_replay(&self) -> bool {
        matches!(self.cassettes, CassetteMode::Replay(_))
            || self.judge.as_deref().is_some_and(Self::is_replay)
    }

    /// Whether its dialogues need cassettes.
    pub fn needs_cassettes(&self) -> bool {
        !matches!(self.cassettes, CassetteMode::None)
            || self.judge.as_deref().is_some_and(Self::needs_cassettes)
    }

    /// Whether cassettes have only what was judged.
    pub fn is_judge_alone(&self) -> bool {
        matches!(self.cassettes, CassetteMode::None) && self.needs_cassettes()
    }

    /// Whether live models are asked in the dialogue itself.
    pub fn asks_models(&self) -> bool {
        self.answerers
            .iter()
            .any(|spec| spec.open_requests().is_some())
    }

    /// Somebody to ask, at the beginning of a dialogue.
    pub fn answerer(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        self.asked(key, false)
    }

    /// Somebody to ask in a dialogue, or about it. What is judged stands in the recording of the dialogue, unless only that is
    /// recorded.
    fn asked(&self, key: &DialogueKey<'_>, judges: bool) -> Box<dyn Answerer> {
        let judge = || {
            let judge = self.judge.as_deref().filter(|_| !judges)?;
            Some(judge.asked(key, true))
        };
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
            (CassetteMode::RecordMissing(redactions, claims, log), Some(cassette)) => {
                let recorder = recorder(cassette, redactions, claims);
                Box::new(Completer::new(recorder, log.clone(), judges))
            }
            (CassetteMode::Simulation(tape), _) if !judges => {
                let chain = if tape.asks() {
                    self.chain(key)
                } else {
                    Box::new(Nobody)
                };
                tape.answerer(chain, key)
            }
            (CassetteMode::Replay(redactions), cassette) => {
                judged(replayer(key, cassette, redactions), judge())
            }
            _ => judged(self.links(key, judges), judge()),
        }
    }

    /// Those who are asked one after the other, with a judge beside them, and nothing recorded of either.
    pub(super) fn chain(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        judged(
            self.links(key, false),
            self.judge.as_deref().map(|judge| judge.links(key, true)),
        )
    }

    /// Those who are asked one after the other.
    fn links(&self, key: &DialogueKey<'_>, judges: bool) -> Box<dyn Answerer> {
        let answerers = self
            .answerers
            .iter()
            .map(|spec| spec.answerer(key, &self.prompts, judges));
        Box::new(answerers.collect::<Vec<_>>())
    }

    /// What they may spend together, where a live model is among them.
    pub fn budget(&self) -> Option<Arc<Budget>> {
        self.answerers.iter().find_map(AnswererSpec::budget)
    }

    /// What came to nothing of each live model so far, and how often, in the order in which they are asked.
    pub fn failures(&self) -> Vec<(String, Vec<(String, u64)>)> {
        self.answerers
            .iter()
            .filter_map(AnswererSpec::failures)
            .collect()
    }

    /// The most requests that live models take at a time, all together; nothing where none is asked.
    pub fn open_requests(&self) -> Option<usize> {
        let is_replay = match &self.cassettes {
            CassetteMode::Replay(_) => true,
            CassetteMode::Simulation(tape) => !tape.asks(),
            _ => false,
        };
        let links = self
            .answerers
            .iter()
            .filter(|_| !is_replay)
            .filter_map(AnswererSpec::open_requests);
        let links = links.chain(self.judge.as_deref().and_then(Self::open_requests));
        links.reduce(usize::saturating_add)
    }

    /// Whether what is answered may be another answer in the next run: live models are asked, or what they said is played again.
    pub fn is_of_models(&self) -> bool {
        self.needs_cassettes() || self.open_requests().is_some()
    }

    /// The simulation is over: its cassette is put together, and what is to be said about it is told.
    pub fn close(&self, found: &mut Diagnostics) {
        if let CassetteMode::Simulation(tape) = &self.cassettes {
            tape.close(found);
        }
    }

    /// What became of the recordings of each cassette that was completed, by path.
    pub fn completed(&self) -> Vec<(PathBuf, CassetteCounts)> {
        match &self.cassettes {
            CassetteMode::RecordMissing(_, _, log) => log.all(),
            CassetteMode::Simulation(tape) => tape.log().all(),
            _ => Vec::new(),
        }
    }

    /// What was used of each live model so far, in the order in which they are asked.
    pub fn usage(&self) -> Vec<(String, Usage)> {
        self.answerers
            .iter()
            .filter_map(AnswererSpec::usage)
            .collect()
    }

    /// What tokens of the live model of this name cost, where that is said.
    pub fn price(&self, link: &str) -> Option<TokenPrice> {
        let named = self
            .answerers
            .iter()
            .find(|spec| spec.usage().is_some_and(|(name, _)| name == link));
        named.and_then(AnswererSpec::price)
    }
}

/// Whoever answers from a cassette, where there is one.
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
        None => Box::new(Nobody),
    }
}

/// A dialogue's answerer with a judge beside it, where there is one.
fn judged(dialogue: Box<dyn Answerer>, judge: Option<Box<dyn Answerer>>) -> Box<dyn Answerer> {
    match judge {
        Some(judge) => Box::new(JudgedAnswerer { dialogue, judge }),
        None => dialogue,
    }
}
