//! Answers to what the engine needs from outside: from a mock, from a live model, from one after the other.

mod answerer;
mod chain;
#[cfg(feature = "live")]
mod live;
mod mock;
mod mock_rule;
mod outside;
#[cfg(feature = "live")]
mod prompt;
mod provider;

pub use answerer::{Answerer, Attempt, Failure, FailureKind, Nobody, Reply, Request};
pub use chain::Chain;
pub use mock::{Mock, MockScript};
pub use outside::Outside;
pub use provider::Provider;
