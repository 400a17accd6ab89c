//! Answers to what the engine needs from outside: from a script, from a mock.

mod answerer;
mod mock;
mod mock_rule;

pub use answerer::{Answerer, Failure, FailureKind, Nobody, Request};
pub use mock::{Mock, MockScript};
