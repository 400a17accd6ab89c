//! What a run may spend on live models, and what it used of each.

use std::time::Duration;

use super::answer_failure::{AnswerFailure, FailureKind};
use super::tokens::Tokens;
use fsmsim_syntax::threads::Mutex;

/// What a run may spend on live models, shared by all of them.
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
    /// A budget of so many requests and tokens; nothing is no limit.
    pub fn new(max_calls: Option<u64>, max_tokens: Option<u64>) -> Self {
        Self {
            max_calls,
            max_tokens,
            spent: Mutex::default(),
        }
    }

    /// Whether another request could be taken now.
    pub fn check(&self) -> Result<(), AnswerFailure> {
        self.left(&self.spent.lock())
    }

    /// Takes one request.
    pub fn take(&self) -> Result<(), AnswerFailure> {
        let mut spent = self.spent.lock();
        self.left(&spent)?;
        spent.calls += 1;
        Ok(())
    }

    /// Notes what an answer cost.
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
                let reason = format!("`{key}` of `[llm]` is spent: the run may use {limit} {what}");
                return Err(FailureKind::Spent.because(reason));
            }
        }
        Ok(())
    }
}

/// What a run used of a live model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests that were made.
    pub calls: u64,
    /// Those of them that were made again after a failure.
    pub retries: u64,
    /// Tokens, as the server counts them.
    pub tokens: Tokens,
    /// Time spent waiting for answers, pauses between attempts left out.
    pub time: Duration,
}
