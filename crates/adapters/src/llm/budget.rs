//! The budget of a run for live models, and their usage.

use std::time::Duration;

use super::answer_failure::{AnswerFailure, FailureKind};
use super::tokens::Tokens;
use fsmsim_syntax::threads::Mutex;

/// The budget of a run for live models, shared by all of them.
#[derive(Debug, Default)]
pub struct Budget {
    max_calls: Option<u64>,
    max_tokens: Option<u64>,
    spent: Mutex<Spent>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    calls: u64,
    tokens: u64,
}

impl Budget {
    /// A budget of requests and tokens. `None` means no limit.
    pub fn new(max_calls: Option<u64>, max_tokens: Option<u64>) -> Self {
        Self {
            max_calls,
            max_tokens,
            spent: Mutex::default(),
        }
    }

    /// Checks whether another request is allowed now.
    pub fn check(&self) -> Result<(), AnswerFailure> {
        self.left(&self.spent.lock())
    }

    /// Counts a request, if the budget allows it.
    pub fn take(&self) -> Result<(), AnswerFailure> {
        let mut spent = self.spent.lock();
        self.left(&spent)?;
        spent.calls += 1;
        Ok(())
    }

    /// Adds the tokens of an answer.
    pub fn note(&self, tokens: Tokens) {
        let mut spent = self.spent.lock();
        spent.tokens = spent
            .tokens
            .saturating_add(tokens.asked)
            .saturating_add(tokens.answered);
    }

    fn left(&self, spent: &Spent) -> Result<(), AnswerFailure> {
        let limits = [
            ("max_calls", self.max_calls, spent.calls, "requests"),
            ("max_tokens", self.max_tokens, spent.tokens, "tokens"),
        ];
        for (key, limit, used, what) in limits {
            if let Some(limit) = limit.filter(|limit| used >= *limit) {
                let reason =
                    format!("the budget `{key}` of `[llm]` is spent: limit {limit} {what}");
                return Err(FailureKind::Spent.because(reason));
            }
        }
        Ok(())
    }
}

/// The usage of a live model in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The number of requests.
    pub calls: u64,
    /// The number of these requests that were retries.
    pub retries: u64,
    /// The tokens, as counted by the server.
    pub tokens: Tokens,
    /// The time spent waiting for answers, without pauses between attempts.
    pub time: Duration,
}
