//! Checks whether providers answer.

use std::sync::Arc;
#[cfg(feature = "live")]
use std::sync::LazyLock;
use std::time::Duration;
#[cfg(feature = "live")]
use std::time::Instant;

use super::answer_failure::FailureKind;
use super::answerer::Attempt;
use super::answerer_settings::AnswererSettings;
use super::prompt::PromptTemplates;
use super::provider::{Provider, Structured};
use super::tokens::Tokens;
#[cfg(feature = "live")]
use super::{
    answerer::{Answerer, Request},
    budget::Budget,
    live::{Connection, Live},
    reading_task::ReadingTask,
    task::Task,
};
#[cfg(feature = "live")]
use crate::recognizer::{IntentOption, SlotOffer};
#[cfg(feature = "live")]
use fsmsim_core::machine::SlotDeclaration;
use fsmsim_syntax::diagnostic::Checked;

/// The result of checking a provider with one small request.
#[derive(Clone, Debug)]
pub enum LinkCheck {
    /// A provider without a server: its kind and its file.
    Local(&'static str, Option<String>),
    /// A live model.
    Live(Box<LiveCheck>),
}

/// The result of checking a live model.
#[derive(Clone, Debug)]
pub struct LiveCheck {
    /// The settings of the provider.
    pub provider: Provider,
    /// Whether its answer was valid.
    pub answers: bool,
    /// The structured output mode that worked, or the last one tried.
    pub structured: Structured,
    /// Stricter modes that the server refused, with the reasons.
    pub refused: Vec<(Structured, String)>,
    /// The time from the request to the answer or the last failure.
    pub latency: Duration,
    /// The tokens used.
    pub tokens: Tokens,
    /// The proxy used, without its password.
    pub proxy: Option<String>,
    /// The failed attempts.
    pub failed: Vec<Attempt>,
}

/// The options of a check.
#[derive(Clone, Copy, Debug)]
pub struct CheckQuestion<'c> {
    /// The seed of random numbers for requests.
    pub seed: u64,
    /// The prompt templates of the project.
    pub prompts: &'c PromptTemplates,
    /// Whether to check a judge request instead of recognition.
    pub judges: bool,
}

impl LinkCheck {
    /// Checks a provider, without retries, so that the result is available soon.
    ///
    /// # Errors
    /// Returns an error if its certificates are unreadable, or if it is a live model and this build does not support
    /// them.
    pub fn of(settings: &AnswererSettings, question: &CheckQuestion<'_>) -> Checked<Self> {
        match settings {
            AnswererSettings::Mock(file, _) => {
                Ok(Self::Local("mock", Some(file.display().to_string())))
            }
            AnswererSettings::ExampleClassifier => Ok(Self::Local("examples", None)),
            AnswererSettings::Live(provider) => {
                LiveCheck::of(provider, question).map(|check| Self::Live(Box::new(check)))
            }
        }
    }

    /// Whether the provider answers, or needs no server.
    pub fn is_well(&self) -> bool {
        match self {
            Self::Local(..) => true,
            Self::Live(check) => check.answers,
        }
    }
}

impl LiveCheck {
    #[cfg(feature = "live")]
    fn of(provider: &Provider, question: &CheckQuestion<'_>) -> Checked<Self> {
        let provider = Provider {
            retries: 0,
            ..provider.clone()
        };
        let connection = Arc::new(Connection::new(
            &provider,
            question.seed,
            &Arc::new(Budget::default()),
        )?);
        let request = Request {
            task: if question.judges {
                rubric()
            } else {
                greeting()
            },
            turn: 1,
        };
        let mut failed = Vec::new();
        let begun = Instant::now();
        let mut live = Live {
            connection: Arc::clone(&connection),
            prompts: question.prompts.clone(),
            judges: true,
        };
        let reply = live.answer(&request, &mut failed);
        Ok(Self {
            answers: reply.is_some(),
            structured: connection.structured(request.task.kind()),
            refused: connection.refused_ways(),
            latency: begun.elapsed(),
            tokens: connection.usage().1.tokens,
            proxy: connection.proxy(),
            failed,
            provider,
        })
    }

    #[cfg(not(feature = "live"))]
    fn of(provider: &Provider, question: &CheckQuestion<'_>) -> Checked<Self> {
        let budget = Arc::default();
        super::answerer_spec::AnswererSpec::live(provider, question.seed, &budget).map(|_| Self {
            provider: provider.clone(),
            answers: false,
            structured: provider.structured,
            refused: Vec::new(),
            latency: Duration::ZERO,
            tokens: Tokens::default(),
            proxy: None,
            failed: Vec::new(),
        })
    }

    /// The advice for a provider that does not answer.
    pub fn remedy(&self) -> Option<String> {
        let failure = &self.failed.last().filter(|_| !self.answers)?.failure;
        let name = &self.provider.name;
        let says = |words: &str| failure.reason.contains(words);
        Some(match failure.kind {
            FailureKind::NoProvider => "correct the environment variable or the prompt, then run the check again".to_owned(),
            FailureKind::TimeOut => {
                format!("increase `timeout_s` of `{name}`, or check its server")
            }
            FailureKind::Refused if self.proxy.is_some() => {
                "check the proxy, or bypass it with `NO_PROXY` or with `proxy = false` for the provider".to_owned()
            }
            FailureKind::Refused => format!("start the server, or check `base_url` of `{name}`"),
            FailureKind::RateLimited => "wait, or set `max_per_minute` for the provider".to_owned(),
            FailureKind::ServerError if says("status 401") || says("status 403") => match &self.provider.api_key_env {
                Some(variable) => format!("check the key in `{variable}`"),
                None => format!("set `api_key_env` or `headers` of `{name}` to the environment variable with the key"),
            },
            FailureKind::ServerError => {
                "follow the message of the server; docs/src/reference/llm-servers.md lists settings for known servers".to_owned()
            }
            FailureKind::CutOff if says("token limit") => {
                format!("allow a longer answer: set `max_tokens` or `max_completion_tokens` in `params` of `{name}`")
            }
            FailureKind::Empty if says("reasoning") => {
                format!("limit the reasoning, or allow a longer answer, in `params` of `{name}`")
            }
            _ => "try another model, or another `structured` mode".to_owned(),
        })
    }
}

/// A slot without a declaration.
#[cfg(feature = "live")]
static ANYTHING: LazyLock<SlotDeclaration> = LazyLock::new(SlotDeclaration::default);

/// The request to a judge.
#[cfg(feature = "live")]
fn rubric() -> Task<'static> {
    Task::Judge {
        state: "greeting",
        rubric: "The reply says hello",
        history: &[],
        replies: "Hello!",
    }
}

/// The request to a recognizer.
#[cfg(feature = "live")]
fn greeting() -> Task<'static> {
    let offer = |intent, description| IntentOption {
        intent,
        description,
        examples: &[],
        confused_with: &[],
    };
    Task::Classify(ReadingTask {
        machine: None,
        about: "",
        intents: vec![
            offer("greeting", "The user says hello"),
            offer("farewell", "The user says goodbye"),
        ],
        slots: vec![SlotOffer {
            name: "name",
            declared: &ANYTHING,
            hints: Vec::new(),
            is_number: false,
        }],
        unclear: None,
        certainty: None,
        state: "greeting",
        goal: "Say hello",
        here: vec!["greeting", "farewell"],
        wanted: Vec::new(),
        known: Vec::new(),
        history: &[],
        utterance: "Hello!",
        at: None,
    })
}
