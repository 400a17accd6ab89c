//! Whether the links of a chain answer.

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

/// What came of asking a link of a chain one small question.
#[derive(Clone, Debug)]
pub enum LinkCheck {
    /// A link that needs no server: what it is, and its file.
    Local(&'static str, Option<String>),
    /// A live model.
    Live(Box<LiveCheck>),
}

/// What came of asking a live model.
#[derive(Clone, Debug)]
pub struct LiveCheck {
    /// How it is set up.
    pub provider: Provider,
    /// Whether it gave the answer that was asked for.
    pub answers: bool,
    /// The way of asking that worked, or that was tried last.
    pub structured: Structured,
    /// Stricter ways that its server refused, and why.
    pub refused: Vec<(Structured, String)>,
    /// How long it took until there was an answer, or none.
    pub latency: Duration,
    /// What it cost.
    pub tokens: Tokens,
    /// The proxy that leads there, without its password.
    pub proxy: Option<String>,
    /// What came to nothing.
    pub failed: Vec<Attempt>,
}

/// What a link is asked.
#[derive(Clone, Copy, Debug)]
pub struct CheckQuestion<'c> {
    /// What the chance of its requests comes from.
    pub seed: u64,
    /// What the project says in place of the built-in words.
    pub prompts: &'c PromptTemplates,
    /// Whether it is to judge, and not to read.
    pub judges: bool,
}

impl LinkCheck {
    /// Asks a link. Nothing is tried twice, so that it is known soon.
    ///
    /// # Errors
    /// Where its certificates cannot be read; always for live models in a build without them.
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

    /// Whether it answers, or needs no server to do so.
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

    /// What to do about it where it does not answer.
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

/// What a slot may hold of which nobody says it.
#[cfg(feature = "live")]
static ANYTHING: LazyLock<SlotDeclaration> = LazyLock::new(SlotDeclaration::default);

/// The question to a judge.
#[cfg(feature = "live")]
fn rubric() -> Task<'static> {
    Task::Judge {
        state: "greeting",
        rubric: "The reply says hello",
        history: &[],
        replies: "Hello!",
    }
}

/// The question to whoever reads.
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
