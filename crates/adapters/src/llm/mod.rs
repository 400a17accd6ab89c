//! Providers for requests that the script does not answer: mocks, live models and an example classifier, and cassettes
//! that record answers.
//!
//! Randomness and network access are in this module only. The engine gets their results as input.

mod answer_failure;
mod answerer;
mod answerer_config;
mod answerer_settings;
mod answerer_spec;
mod body_parameters;
mod budget;
mod cassette;
mod chain_fault;
mod chain_settings;
mod default_recognizer;
mod dialogue_key;
mod example_classifier;
mod header_setting;
mod judged_answerer;
mod kind;
mod link_check;
#[cfg(feature = "live")]
mod live;
mod mock;
mod mock_name;
mod mock_rule;
mod need_settings;
mod play_answerers;
mod prompt;
mod provider;
mod reach;
mod reading_task;
mod seeded_rng;
mod task;
mod token_price;
mod tokens;
mod user_task;
mod utterance;

pub use answer_failure::{AnswerFailure, FailureKind};
pub use answerer::{Answerer, AnswererReply, Attempt, NoAnswerer, Request};
pub use answerer_config::AnswererConfig;
pub use answerer_settings::{AnswererSettings, RawAnswerer};
pub use answerer_spec::AnswererSpec;
pub use body_parameters::BodyParameters;
pub use budget::{Budget, Usage};
pub use cassette::{
    Cassette, CassetteCounts, Completer, CompletionLog, Interaction, PathClaims, Recorder,
    Redactions, Replayer, SimulationCassette, TapeUse,
};
pub use chain_fault::ChainFault;
pub use chain_settings::{ChainSettings, RawChain};
pub use default_recognizer::DefaultRecognizer;
pub use dialogue_key::{CassettePath, DialogueKey};
pub use example_classifier::ExampleClassifier;
pub use header_setting::{HeaderSetting, HeaderSource};
pub use kind::TaskKind;
pub use link_check::{CheckQuestion, LinkCheck, LiveCheck};
#[cfg(feature = "live")]
pub use live::Connection;
pub use mock::{Mock, MockScript};
pub use mock_name::{MockName, MockNameKind};
pub use mock_rule::{chance_of, fault_names};
pub use need_settings::NeedSettings;
pub use play_answerers::PlayAnswerers;
pub use prompt::{Prompt, PromptFailure, PromptTemplates};
pub use provider::{Provider, Structured, Wire};
pub use reach::ReachLine;
pub use reading_task::{Certainty, NEAREST_AT_MOST, ReadingTask};
pub use seeded_rng::SeededRng;
pub use task::{DecisionTarget, Goal, Scene, Task};
pub use token_price::TokenPrice;
pub use tokens::Tokens;
pub use user_task::UserTask;
pub use utterance::{Speaker, Utterance};

pub use crate::recognizer::{IntentOption, SlotOffer};
