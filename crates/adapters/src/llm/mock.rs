//! A mock: answers from a file, depending on the utterance and the state.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::answer_failure::{AnswerFailure, FailureKind};
use super::answerer::{Answerer, AnswererReply, Attempt, Request};
use super::dialogue_key::DialogueKey;
use super::kind::TaskKind;
use super::mock_name::{MockName, names_of};
use super::mock_rule::{MockOutcome, MockRule};
use super::seeded_rng::SeededRng;
use super::task::Task;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Fields, PatternBudget, read_yaml};
use fsmsim_syntax::shapes;

/// The rules of a mock file.
#[derive(Debug, Default)]
pub struct MockScript {
    /// Answers that are used once, in order, before the rules.
    queue: Vec<MockRule>,
    rules: Vec<MockRule>,
    /// The seed of random numbers.
    seed: u64,
    /// The names in the rules that the machine must define.
    pub names: Vec<MockName>,
}

impl MockScript {
    /// Loads a file with `queue` and `rules`. Invalid parts are omitted and reported. Returns `None`, with findings, if
    /// it cannot be read.
    pub fn load(path: &Path, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<Self> {
        let root = read_yaml(path, DEFINITION_LIMIT, sources, found)?;
        let mut fields = Fields::of(&root, &shapes::MOCK_FILE, found)?;
        fields.text("description");
        let queue = fields.list("queue").unwrap_or_default();
        let rules = fields.list("rules").unwrap_or_default();
        let seed = fields.count("seed").unwrap_or(0);
        fields.finish();
        let mut budget = PatternBudget::default();
        Some(Self {
            queue: queue
                .iter()
                .filter_map(|node| MockRule::read(node, &mut budget, found))
                .collect(),
            rules: rules
                .iter()
                .filter_map(|node| MockRule::read(node, &mut budget, found))
                .collect(),
            seed: seed.into(),
            names: queue
                .iter()
                .chain(rules)
                .flat_map(|rule| names_of(rule, sources))
                .collect(),
        })
    }
}

impl MockScript {
    /// Whether the mock has rules for requests of this kind.
    pub(super) fn answers(&self, kind: TaskKind) -> bool {
        let mut rules = self.queue.iter().chain(&self.rules);
        rules.any(|rule| rule.need == kind)
    }
}

/// A mock in one dialogue.
#[derive(Debug)]
pub struct Mock {
    script: Arc<MockScript>,
    /// The name in records.
    name: Arc<str>,
    /// The number of queue entries used.
    queued: usize,
    /// How many times each rule was used.
    used: Vec<u32>,
    rng: SeededRng,
}

impl Mock {
    /// A mock for a new dialogue.
    pub fn new(script: Arc<MockScript>, name: Arc<str>, key: &DialogueKey<'_>) -> Self {
        let rng = SeededRng::of(script.seed.wrapping_add(key.seed), key.dialogue, key.number);
        Self {
            queued: 0,
            used: vec![0; script.rules.len()],
            script,
            name,
            rng,
        }
    }
}

impl Answerer for Mock {
    fn rewind(&mut self, key: &DialogueKey<'_>) {
        *self = Self::new(Arc::clone(&self.script), Arc::clone(&self.name), key);
    }

    fn memory(&self) -> Json {
        serde_json::to_value((self.queued, &self.used, self.rng.position())).unwrap_or_default()
    }

    fn recall(&mut self, memory: &Json) {
        let Ok((queued, used, position)) = <(usize, Vec<u32>, _)>::deserialize(memory) else {
            return;
        };
        // Rules that were added since then are unused.
        for (now, before) in self.used.iter_mut().zip(used) {
            *now = before;
        }
        self.queued = queued;
        self.rng = SeededRng::at(position);
    }

    fn answer(
        &mut self,
        request: &Request<'_>,
        failed: &mut Vec<Attempt>,
    ) -> Option<AnswererReply> {
        let by = Arc::clone(&self.name);
        match self.outcome(&request.task) {
            Ok(value) => Some(AnswererReply::free(by, value)),
            Err(failure) => {
                failed.push(Attempt { by, failure });
                None
            }
        }
    }
}

impl Mock {
    fn outcome(&mut self, task: &Task<'_>) -> Result<Value, AnswerFailure> {
        let script = Arc::clone(&self.script);
        if let Some(rule) = script
            .queue
            .get(self.queued)
            .filter(|rule| rule.applies(task))
        {
            self.queued += 1;
            if self.happens(rule) {
                return outcome(rule, task);
            }
        }
        for (at, rule) in script.rules.iter().enumerate() {
            let used = self.used.get(at).copied().unwrap_or(0);
            if rule.applies(task)
                && rule.times.is_none_or(|times| used < times)
                && self.happens(rule)
            {
                if let Some(used) = self.used.get_mut(at) {
                    *used += 1;
                }
                return outcome(rule, task);
            }
        }
        Err(FailureKind::NoProvider.because("no rule of the mock matches"))
    }

    /// Decides at random whether a rule applies, according to its rate.
    fn happens(&mut self, rule: &MockRule) -> bool {
        rule.rate.is_none_or(|likely| self.rng.happens(likely))
    }
}

fn outcome(rule: &MockRule, task: &Task<'_>) -> Result<Value, AnswerFailure> {
    match &rule.outcome {
        MockOutcome::Answer(answer) => Ok(rule.fill(answer, task)),
        MockOutcome::Unknown => Ok(task.kind().unknown()),
        MockOutcome::Fault(kind) => Err(kind.failure()),
    }
}
