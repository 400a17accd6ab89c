//! Whom a run asks.

use std::path::PathBuf;
use std::sync::Arc;

use super::answerer::{Answerer, Nobody};
use super::answerer_spec::AnswererSpec;
use super::budget::{Budget, Usage};
use super::cassette::{PathClaims, Recorder, Redactions, Replayer};
use super::example_classifier::ExampleClassifier;
#[cfg(feature = "live")]
use super::judged_answerer::DialogueOnly;
use super::judged_answerer::JudgedAnswerer;
use super::mock::{Mock, MockScript};

/// Whom the dialogues of a run ask what their scripts do not say: one after the other, until somebody answers.
#[derive(Clone, Debug, Default)]
pub struct AnswererConfig {
    answerers: Vec<AnswererSpec>,
    cassettes: CassetteMode,
    /// Who judges what is said, where that is somebody of its own.
    judge: Option<Arc<AnswererConfig>>,
}

/// What is done with cassettes.
#[derive(Clone, Debug, Default)]
enum CassetteMode {
    /// Nothing.
    #[default]
    None,
    /// What is asked and answered is recorded.
    Record(Arc<Redactions>, PathClaims),
    /// Nobody but the cassettes is asked.
    Replay(Arc<Redactions>),
}

/// A dialogue that is about to begin, as far as whoever is asked must know it.
#[derive(Clone, Copy, Debug)]
pub struct DialogueKey<'a> {
    /// What the run's chance comes from.
    pub seed: u64,
    /// Its name. All chance of the dialogue comes from it, from the number and from seeds.
    pub dialogue: &'a str,
    /// Which dialogue of this name it is, from 0.
    pub number: u64,
    /// Its cassette, where it has one.
    pub cassette: Option<&'a CassettePath>,
}

/// The cassette of a dialogue.
#[derive(Clone, Debug)]
pub struct CassettePath {
    /// The file.
    pub path: PathBuf,
    /// The command that records it.
    pub command: String,
}

impl AnswererConfig {
    /// A run that asks these, in this order.
    pub fn new(answerers: Vec<AnswererSpec>) -> Self {
        Self { answerers, ..Self::default() }
    }

    /// A run that asks these, in this order, and records it.
    pub fn recording(answerers: Vec<AnswererSpec>, redactions: Redactions) -> Self {
        let cassettes = CassetteMode::Record(Arc::new(redactions), PathClaims::default());
        Self { answerers, cassettes, judge: None }
    }

    /// A run that asks nobody but cassettes.
    pub fn replaying(redactions: Redactions) -> Self {
        Self { cassettes: CassetteMode::Replay(Arc::new(redactions)), ..Self::default() }
    }

    /// The same, and it is recorded.
    pub fn recorded(self, redactions: Redactions) -> Self {
        Self { cassettes: CassetteMode::Record(Arc::new(redactions), PathClaims::default()), ..self }
    }

    /// The same, with somebody who judges what is said.
    pub fn judged_by(self, judge: Self) -> Self {
        Self { judge: Some(Arc::new(judge)), ..self }
    }

    /// Whether anybody judges what is said: a judge, a cassette, or a mock that has rules for it.
    pub fn judges(&self) -> bool {
        self.judge.is_some() || self.is_replay() || self.mocks().any(MockScript::judges)
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
        matches!(self.cassettes, CassetteMode::Replay(_)) || self.judge.as_deref().is_some_and(Self::is_replay)
    }

    /// Whether its dialogues need cassettes.
    pub fn needs_cassettes(&self) -> bool {
        !matches!(self.cassettes, CassetteMode::None) || self.judge.as_deref().is_some_and(Self::needs_cassettes)
    }

    /// Whether cassettes have only what was judged.
    pub fn is_judge_alone(&self) -> bool {
        matches!(self.cassettes, CassetteMode::None) && self.needs_cassettes()
    }

    /// Somebody to ask, at the beginning of a dialogue.
    pub fn answerer(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        let judge = self.judge.as_deref();
        match (&self.cassettes, key.cassette) {
            // What is judged stands in the recording of the dialogue.
            (CassetteMode::Record(redactions, claims), Some(CassettePath { path, .. })) => {
                let (redactions, claims) = (Arc::clone(redactions), claims.clone());
                let judge = judge.map(|judge| judge.chain(key, true));
                let inner = judged(self.chain(key, false), judge);
                Box::new(Recorder::new(inner, key.dialogue, path, redactions, claims))
            }
            _ => judged(self.unrecorded(key), judge.map(|judge| judge.as_judge(key))),
        }
    }

    /// A judge, at the beginning of a dialogue.
    fn as_judge(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        match (&self.cassettes, key.cassette) {
            (CassetteMode::Record(redactions, claims), Some(CassettePath { path, .. })) => {
                let (redactions, claims) = (Arc::clone(redactions), claims.clone());
                Box::new(Recorder::new(self.chain(key, true), key.dialogue, path, redactions, claims))
            }
            (CassetteMode::None, _) => self.chain(key, true),
            _ => self.unrecorded(key),
        }
    }

    /// Somebody to ask about the dialogue itself, of whom nothing is recorded.
    fn unrecorded(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        match (&self.cassettes, key.cassette) {
            (CassetteMode::Replay(redactions), Some(CassettePath { path, command })) => {
                Box::new(Replayer::new(key.dialogue, path, command, Arc::clone(redactions)))
            }
            (CassetteMode::Replay(_), None) => Box::new(Nobody),
            (CassetteMode::None | CassetteMode::Record(..), _) => self.chain(key, false),
        }
    }

    /// Those who are asked one after the other. Live models judge nothing, unless they are asked as judges.
    fn chain(&self, key: &DialogueKey<'_>, judges: bool) -> Box<dyn Answerer> {
        let answerers = self.answerers.iter().map(|spec| -> Box<dyn Answerer> {
            match spec {
                AnswererSpec::Mock(script) => Box::new(Mock::new(Arc::clone(script), key)),
                AnswererSpec::ExampleClassifier => Box::new(ExampleClassifier),
                #[cfg(feature = "live")]
                AnswererSpec::Live(connection) => {
                    let live = Box::new(super::live::Live::new(Arc::clone(connection)));
                    if judges { live } else { Box::new(DialogueOnly(live)) }
                }
            }
        });
        Box::new(answerers.collect::<Vec<_>>())
    }

    /// What they may spend together, where a live model is among them.
    pub fn budget(&self) -> Option<Arc<Budget>> {
        self.answerers.iter().find_map(AnswererSpec::budget)
    }

    /// What was used of each live model so far, in the order in which they are asked.
    pub fn usage(&self) -> Vec<(String, Usage)> {
        self.answerers.iter().filter_map(AnswererSpec::usage).collect()
    }
}

/// A dialogue's answerer with a judge beside it, where there is one.
fn judged(dialogue: Box<dyn Answerer>, judge: Option<Box<dyn Answerer>>) -> Box<dyn Answerer> {
    match judge {
        Some(judge) => Box::new(JudgedAnswerer { dialogue, judge }),
        None => dialogue,
    }
}
