//! Whom a dialogue asks.

use std::sync::Arc;

use super::answerer::Answerer;
use super::bank::Bank;
use super::chain::Chain;
use super::mock::{Mock, MockScript};
use super::provider::Provider;

/// Whom a dialogue asks what its script does not say.
#[derive(Clone, Debug)]
pub enum Outside {
    /// A mock.
    Mock(Arc<MockScript>),
    /// Live models, one after the other.
    Live(Arc<[Provider]>),
    /// The bank of examples.
    Bank,
}

impl Outside {
    /// Somebody to ask, at the beginning of a dialogue.
    #[must_use]
    pub fn answerer(&self) -> Box<dyn Answerer> {
        match self {
            Self::Mock(script) => Box::new(Mock::new(Arc::clone(script))),
            Self::Live(providers) => Box::new(Chain::of(providers)),
            Self::Bank => Box::new(Bank),
        }
    }
}
