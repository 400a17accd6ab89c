//! Whom a run asks.

use std::path::PathBuf;
use std::sync::Arc;

use super::answerer::{Answerer, Nobody};
use super::answerer_spec::AnswererSpec;
use super::budget::Usage;
use super::cassette::{PathClaims, Recorder, Redactions, Replayer};
use super::example_classifier::ExampleClassifier;
use super::mock::{Mock, MockScript};
use super::prompt::PromptTemplates;

/// Whom the dialogues of a run ask what their scripts do not say: one after the other, until somebody answers.
#[derive(Clone, Debug, Default)]
pub struct AnswererConfig {
    answerers: Vec<AnswererSpec>,
    cassettes: CassetteMode,
    /// What the project says in place of the built-in words.
    prompts: PromptTemplates,
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
        Self { answerers, cassettes, ..Self::default() }
    }

    /// A run that asks nobody but cassettes.
    pub fn replaying(redactions: Redactions) -> Self {
        Self { cassettes: CassetteMode::Replay(Arc::new(redactions)), ..Self::default() }
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

    /// Whether nobody but cassettes is asked.
    pub fn is_replay(&self) -> bool {
        matches!(self.cassettes, CassetteMode::Replay(_))
    }

    /// Whether its dialogues need cassettes.
    pub fn needs_cassettes(&self) -> bool {
        !matches!(self.cassettes, CassetteMode::None)
    }

    /// Somebody to ask, at the beginning of a dialogue.
    pub fn answerer(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        match (&self.cassettes, key.cassette) {
            (CassetteMode::Record(redactions, claims), Some(CassettePath { path, .. })) => {
                let (redactions, claims) = (Arc::clone(redactions), claims.clone());
                let recorder = Recorder::new(self.chain(key), key.dialogue, path, redactions, claims);
                Box::new(recorder.asking_by(self.prompts.clone()))
            }
            (CassetteMode::Replay(redactions), Some(CassettePath { path, command })) => {
                let replayer = Replayer::new(key.dialogue, path, command, Arc::clone(redactions));
                Box::new(replayer.asking_by(self.prompts.clone()))
            }
            (CassetteMode::Replay(_), None) => Box::new(Nobody),
            (CassetteMode::None | CassetteMode::Record(..), _) => self.chain(key),
        }
    }

    /// Those who are asked one after the other.
    fn chain(&self, key: &DialogueKey<'_>) -> Box<dyn Answerer> {
        let answerers = self.answerers.iter().map(|spec| -> Box<dyn Answerer> {
            match spec {
                AnswererSpec::Mock(script) => Box::new(Mock::new(Arc::clone(script), key)),
                AnswererSpec::ExampleClassifier => Box::new(ExampleClassifier),
                #[cfg(feature = "live")]
                AnswererSpec::Live(connection) => {
                    Box::new(super::live::Live::new(Arc::clone(connection), self.prompts.clone()))
                }
            }
        });
        Box::new(answerers.collect::<Vec<_>>())
    }

    /// What was used of each live model so far, in the order in which they are asked.
    pub fn usage(&self) -> Vec<(String, Usage)> {
        self.answerers.iter().filter_map(AnswererSpec::usage).collect()
    }
}
