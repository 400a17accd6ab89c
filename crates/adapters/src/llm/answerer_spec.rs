//! One of those who are asked one after the other.

use std::sync::Arc;

use super::answerer::Answerer;
use super::budget::{Budget, Usage};
use super::dialogue_key::DialogueKey;
use super::example_classifier::ExampleClassifier;
use super::judged_answerer::DialogueOnly;
use super::mock::{Mock, MockScript};
use super::prompt::PromptTemplates;
use super::provider::Provider;
use super::token_price::TokenPrice;
use fsmsim_syntax::diagnostic::Checked;
#[cfg(not(feature = "live"))]
use fsmsim_syntax::diagnostic::Diagnostic;

/// One of those who are asked one after the other, shared by all dialogues of a run.
#[derive(Clone, Debug)]
pub enum AnswererSpec {
    Mock(Arc<MockScript>),
    /// The classifier by examples.
    ExampleClassifier,
    /// A live model.
    #[cfg(feature = "live")]
    Live(Arc<super::live::Connection>),
}

impl AnswererSpec {
    /// A live model that is not yet connected.
    ///
    /// # Errors
    /// Where its certificates cannot be read; always in a build without live models.
    pub fn live(provider: &Provider, seed: u64, budget: &Arc<Budget>) -> Checked<Self> {
        #[cfg(feature = "live")]
        return Ok(Self::Live(Arc::new(super::live::Connection::new(
            provider, seed, budget,
        )?)));
        #[cfg(not(feature = "live"))]
        {
            let _ = (provider, seed, budget);
            let title = "this program was built without live models";
            Diagnostic::bad_arguments(title)
                .help("build it with the feature `live`")
                .fail()
        }
    }

    /// Somebody to ask in the words of a project, at the beginning of a dialogue; with `judges` also about what was said.
    /// Live models judge nothing, unless they are asked as judges.
    #[cfg_attr(
        not(feature = "live"),
        expect(unused_variables, reason = "only live models are asked in words")
    )]
    pub(super) fn answerer(
        &self,
        key: &DialogueKey<'_>,
        prompts: &PromptTemplates,
        judges: bool,
    ) -> Box<dyn Answerer> {
        let asked: Box<dyn Answerer> = match self {
            Self::Mock(script) => Box::new(Mock::new(Arc::clone(script), key)),
            Self::ExampleClassifier => Box::new(ExampleClassifier),
            #[cfg(feature = "live")]
            Self::Live(connection) => Box::new(super::live::Live::new(
                Arc::clone(connection),
                prompts.clone(),
            )),
        };
        if judges || self.open_requests().is_none() {
            asked
        } else {
            Box::new(DialogueOnly(asked))
        }
    }

    /// What it may spend, where it is a live model.
    pub(super) fn budget(&self) -> Option<Arc<Budget>> {
        match self {
            Self::Mock(_) | Self::ExampleClassifier => None,
            #[cfg(feature = "live")]
            Self::Live(connection) => Some(connection.budget()),
        }
    }

    /// The name, and what came to nothing and how often, where it is a live model.
    pub(super) fn failures(&self) -> Option<(String, Vec<(String, u64)>)> {
        match self {
            Self::Mock(_) | Self::ExampleClassifier => None,
            #[cfg(feature = "live")]
            Self::Live(connection) => Some((connection.usage().0, connection.failures())),
        }
    }

    /// The most requests that it takes at a time, where it is a live model.
    pub(super) fn open_requests(&self) -> Option<usize> {
        match self {
            Self::Mock(_) | Self::ExampleClassifier => None,
            #[cfg(feature = "live")]
            Self::Live(connection) => Some(connection.open_requests()),
        }
    }

    /// What its tokens cost, where it is a live model and that is said.
    pub(super) fn price(&self) -> Option<TokenPrice> {
        match self {
            Self::Mock(_) | Self::ExampleClassifier => None,
            #[cfg(feature = "live")]
            Self::Live(connection) => connection.price().cloned(),
        }
    }

    /// The name and what was used of it, where it is a live model.
    pub(super) fn usage(&self) -> Option<(String, Usage)> {
        match self {
            Self::Mock(_) | Self::ExampleClassifier => None,
            #[cfg(feature = "live")]
            Self::Live(connection) => Some(connection.usage()),
        }
    }
}
