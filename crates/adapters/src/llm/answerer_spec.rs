//! A provider of a run.

use std::sync::Arc;

use super::answerer::Answerer;
use super::budget::{Budget, Usage};
use super::dialogue_key::DialogueKey;
use super::example_classifier::ExampleClassifier;

use super::mock::{Mock, MockScript};
use super::prompt::PromptTemplates;
use super::provider::Provider;
use super::token_price::TokenPrice;
use fsmsim_syntax::diagnostic::Checked;
#[cfg(not(feature = "live"))]
use fsmsim_syntax::diagnostic::{Code, Diagnostic};

/// A provider, shared by all dialogues of a run.
#[derive(Clone, Debug)]
pub enum AnswererSpec {
    /// A mock, and its name in records.
    Mock(Arc<MockScript>, Arc<str>),
    ExampleClassifier,
    /// A live model.
    #[cfg(feature = "live")]
    Live(Arc<super::live::Connection>),
}

/// A value of the connection to a live model; `None` for other providers.
macro_rules! of_live {
    ($spec:expr, $connection:ident => $value:expr) => {
        match $spec {
            Self::Mock(..) | Self::ExampleClassifier => None,
            #[cfg(feature = "live")]
            Self::Live($connection) => $value,
        }
    };
}

impl AnswererSpec {
    /// A mock. Without a name, it is `mock` in records.
    pub fn mock(script: Arc<MockScript>, name: Option<&str>) -> Self {
        Self::Mock(script, name.unwrap_or("mock").into())
    }

    /// A live model that is not connected yet.
    ///
    /// # Errors
    /// Returns an error if its certificates are unreadable, or if this build does not support live models.
    pub fn live(provider: &Provider, seed: u64, budget: &Arc<Budget>) -> Checked<Self> {
        #[cfg(feature = "live")]
        return Ok(Self::Live(Arc::new(super::live::Connection::new(
            provider, seed, budget,
        )?)));
        #[cfg(not(feature = "live"))]
        {
            let _ = (provider, seed, budget);
            Diagnostic::error(Code::NotBuilt, "this build does not support live models")
                .help("build fsmsim with the feature `live`")
                .fail()
        }
    }

    /// The provider for a new dialogue with the prompts of a project. Live models answer judge requests only if
    /// `judges` is set.
    #[cfg_attr(
        not(feature = "live"),
        expect(unused_variables, reason = "only live models need them")
    )]
    pub(super) fn answerer(
        &self,
        key: &DialogueKey<'_>,
        prompts: &PromptTemplates,
        judges: bool,
    ) -> Box<dyn Answerer> {
        match self {
            Self::Mock(script, name) => {
                Box::new(Mock::new(Arc::clone(script), Arc::clone(name), key))
            }
            Self::ExampleClassifier => Box::new(ExampleClassifier),
            #[cfg(feature = "live")]
            Self::Live(connection) => Box::new(super::live::Live {
                connection: Arc::clone(connection),
                prompts: prompts.clone(),
                judges,
            }),
        }
    }

    /// The budget, if the provider is a live model.
    pub(super) fn budget(&self) -> Option<Arc<Budget>> {
        of_live!(self, connection => Some(connection.budget()))
    }

    /// The name and the failures with counts, if the provider is a live model.
    pub(super) fn failures(&self) -> Option<(String, Vec<(String, u64)>)> {
        of_live!(self, connection => Some((connection.usage().0, connection.failures())))
    }

    /// The maximum number of parallel requests, if the provider is a live model.
    pub(super) fn open_requests(&self) -> Option<usize> {
        of_live!(self, connection => Some(connection.open_requests()))
    }

    /// The token price, if the provider is a live model with a price.
    pub(super) fn price(&self) -> Option<TokenPrice> {
        of_live!(self, connection => connection.price().cloned())
    }

    /// The name and the usage, if the provider is a live model.
    pub(super) fn usage(&self) -> Option<(String, Usage)> {
        of_live!(self, connection => Some(connection.usage()))
    }
}
