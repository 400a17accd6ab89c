//! Checks whether providers answer.

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
    offer::Offer,
    reading_task::ReadingTask,
    slot_offer::SlotOffer,
    task::Task,
};
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
    /// The time until the answer or the last failure.
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
            AnswererSettings::Mock(file) => {
                Ok(Self::Local("mock", Some(file.display().to_string())))
            }
            AnswererSettings::ExampleClassifier => Ok(Self::Local("bank", None)),
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
        let connection = std::sync::Arc::new(Connection::new(
            &provider,
            question.seed,
            &std::sync::Arc::new(Budget::default()),
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
        let mut live = Live::new(std::sync::Arc::clone(&connection), question.prompts.clone());
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
        let budget = std::sync::Arc::default();
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
            FailureKind::Nobody => "set the variable, and start it again".to_owned(),
            FailureKind::TimeOut => {
                format!("give `timeout_s` of `{name}` more seconds, or look whether its server is well")
            }
            FailureKind::Refused if self.proxy.is_some() => {
                "look at the proxy; `NO_PROXY`, or `proxy = false` of the link, asks the server itself".to_owned()
            }
            FailureKind::Refused => format!("start the server, or look at `base_url` of `{name}`"),
            FailureKind::RateLimited => "wait, or give the link `max_per_minute`".to_owned(),
            FailureKind::ServerError if says("status 401") || says("status 403") => match &self.provider.api_key_env {
                Some(variable) => format!("look at the key in `{variable}`"),
                None => format!("name the variable with the key: `api_key_env`, or `headers`, of `{name}`"),
            },
            FailureKind::ServerError => {
                "do what the server says; see docs/models.md for settings of known ones".to_owned()
            }
            FailureKind::CutOff if says("tokens") => {
                format!("let it say more: `max_tokens`, or `max_completion_tokens`, in `params` of `{name}`")
            }
            FailureKind::Empty if says("thought") => {
                format!("let it think less, or say more: look at `params` of `{name}`")
            }
            _ => "try another model, or another way: `structured`".to_owned(),
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
    let offer = |intent, description| Offer {
        intent,
        description,
        examples: &[],
        confused_with: &[],
    };
    Task::Classify(ReadingTask {
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
    })
}
