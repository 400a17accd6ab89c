//! A mock: answers from a file, by what was said and where.

use std::path::Path;
use std::sync::Arc;

use super::answerer::{Answerer, Attempt, Failure, FailureKind, Reply, Request};
use super::mock_rule::{MockOutcome, MockRule};
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::document::{DEFINITION_LIMIT, Fields, parse_yaml, read_file};
use crate::machine::Value;

/// The rules of a mock as its file gives them.
#[derive(Debug, Default)]
pub struct MockScript {
    /// Taken one after the other, before the rules.
    queue: Vec<MockRule>,
    rules: Vec<MockRule>,
}

impl MockScript {
    /// Reads a file with `queue` and `rules`. `None`, with findings, where it cannot be used.
    pub fn load(path: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
        let text = sources.file(file)?.text().clone();
        let root = parse_yaml(file, &text, 0, found)?;
        let mut fields = Fields::open(&root, "a mock", found)?;
        fields.text("description");
        let queue = fields.list("queue").unwrap_or_default();
        let rules = fields.list("rules").unwrap_or_default();
        fields.finish();
        let script = Self {
            queue: queue.iter().filter_map(|node| MockRule::read(node, found)).collect(),
            rules: rules.iter().filter_map(|node| MockRule::read(node, found)).collect(),
        };
        (found.error_count() == errors).then_some(script)
    }
}

/// A mock during one dialogue.
#[derive(Debug)]
pub struct Mock {
    script: Arc<MockScript>,
    /// How far the queue was used.
    queued: usize,
    /// How often each rule was used.
    used: Vec<u32>,
}

impl Mock {
    /// A mock at the beginning of a dialogue.
    #[must_use]
    pub fn new(script: Arc<MockScript>) -> Self {
        Self { queued: 0, used: vec![0; script.rules.len()], script }
    }
}

impl Answerer for Mock {
    fn answer(&mut self, request: &Request<'_>, failed: &mut Vec<Attempt>) -> Option<Reply> {
        let by: Arc<str> = "mock".into();
        match self.outcome(request) {
            Ok(value) => Some(Reply { by, value }),
            Err(failure) => {
                failed.push(Attempt { by, failure });
                None
            }
        }
    }
}

impl Mock {
    fn outcome(&mut self, request: &Request<'_>) -> Result<Value, Failure> {
        let script = Arc::clone(&self.script);
        if let Some(rule) = script.queue.get(self.queued).filter(|rule| rule.applies(request)) {
            self.queued += 1;
            return outcome(rule, request);
        }
        for (rule, used) in script.rules.iter().zip(&mut self.used) {
            if rule.applies(request) && rule.times.is_none_or(|times| *used < times) {
                *used += 1;
                return outcome(rule, request);
            }
        }
        Err(Failure { kind: FailureKind::Nobody, reason: "no rule of the mock applies".to_owned() })
    }
}

fn outcome(rule: &MockRule, request: &Request<'_>) -> Result<Value, Failure> {
    match &rule.outcome {
        MockOutcome::Answer(answer) => Ok(rule.fill(answer, request.say)),
        MockOutcome::Fault(kind) => Err(kind.failure()),
    }
}
