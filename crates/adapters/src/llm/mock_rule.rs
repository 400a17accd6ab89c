//! Rules of a mock.

use std::sync::Arc;

use regex::Regex;
use serde_json::Value as Json;
use strum::VariantArray;

use super::answer_failure::FailureKind;
use super::kind::TaskKind;
use super::prompt::Prompt;
use super::seeded_rng::SeededRng;
use super::task::Task;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Node, PatternBudget, number_of, text_of, unknown_key};
use fsmsim_syntax::shapes;

/// The fault for a valid answer with a name that the machine does not define.
const UNKNOWN: &str = "unknown_state";

/// A rule: its conditions and its outcome.
#[derive(Debug)]
pub(super) struct MockRule {
    pub need: TaskKind,
    states: Vec<Box<str>>,
    say: Option<Regex>,
    /// Matches the context of the prompt.
    context: Option<Regex>,
    pub outcome: MockOutcome,
    /// Maximum number of uses per dialogue. `None` means no limit.
    pub times: Option<u32>,
    /// The probability that the rule applies, out of [`SeededRng::ALWAYS`]. `None` means always.
    pub rate: Option<u64>,
}

/// The outcome of a rule.
#[derive(Debug)]
pub(super) enum MockOutcome {
    Answer(Value),
    Fault(FailureKind),
    /// A valid answer with names that the machine does not define.
    Unknown,
}

impl MockRule {
    /// Parses a rule. Returns `None`, with findings, if it is invalid.
    pub(super) fn read(
        node: &Node,
        budget: &mut PatternBudget,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors = found.error_count();
        let mut fields = Fields::of(node, &shapes::MOCK_RULE, found)?;
        let [need_node, say, context] = fields.nodes(["need", "say", "context"]);
        let [answer, fault_node, rate] = fields.nodes(["answer", "fault", "rate"]);
        let need = fields.text("need").unwrap_or("classify");
        let states = fields.texts("state").into_iter().map(Into::into).collect();
        let fault = fields.text("fault");
        let times = fields.count("times");
        fields.finish();
        let kind = TaskKind::from_name(need);
        if kind.is_none() {
            let needs = TaskKind::ALL.iter().map(|need| need.name());
            let span = need_node.map_or(node.span, |node| node.span);
            Diagnostic::not_among(Code::BadMock, "need", need, span, needs).add_to(found);
        }
        let outcome = match (answer, fault) {
            (Some(answer), None) => kind.and_then(|need| answer_of(answer, need, found)),
            (None, Some(name)) => {
                fault_of(name, fault_node.map_or(node.span, |node| node.span), found)
            }
            _ => Diagnostic::error(
                Code::BadMock,
                "expected either `answer` or `fault` in a rule of a mock",
            )
            .at(node.span, "rule")
            .help("write `answer: {intent: NAME}` or `fault: time_out`")
            .refuse(found),
        };
        let mut pattern = |node: Option<&Node>, key| match node {
            Some(node) => pattern_of(node, key, budget, found).map(Some),
            None => Some(None),
        };
        let say = pattern(say, "say");
        let context = pattern(context, "context");
        let rate = rate.and_then(|node| chance_of(node, "rate", Code::BadMock, found));
        found.no_errors_since(errors).then_some(Self {
            need: kind?,
            states,
            say: say?,
            context: context?,
            outcome: outcome?,
            times,
            rate,
        })
    }

    /// Whether the conditions of the rule match this task. Ignores its rate.
    pub(super) fn applies(&self, task: &Task<'_>) -> bool {
        let here =
            self.states.is_empty() || self.states.iter().any(|state| **state == *task.place());
        let said = match (&self.say, task.said()) {
            (None, _) => true,
            (Some(pattern), Some(say)) => pattern.is_match(say),
            (Some(_), None) => false,
        };
        // The context is rendered only if a rule tests it.
        let matches_context = |pattern: &Regex| {
            Prompt::context_text(task).is_ok_and(|context| pattern.is_match(&context))
        };
        self.need == task.kind()
            && here
            && said
            && self.context.as_ref().is_none_or(matches_context)
    }

    /// The answer. For recognition, adds the named groups of the pattern as data.
    pub(super) fn fill(&self, answer: &Value, task: &Task<'_>) -> Value {
        let reads = self.need == TaskKind::Classify;
        let (Some(pattern), Some(say), Value::Map(pairs)) =
            (&self.say, task.said().filter(|_| reads), answer)
        else {
            return answer.clone();
        };
        let Some(caught) = pattern.captures(say) else {
            return answer.clone();
        };
        let mut data: Vec<(Arc<str>, Value)> = match answer.get("data") {
            Some(Value::Map(data)) => data.to_vec(),
            _ => Vec::new(),
        };
        for name in pattern.capture_names().flatten() {
            if let Some(text) = caught.name(name) {
                let text = text.as_str().trim();
                let value = text.parse().map_or_else(|_| Value::text(text), Value::Int);
                data.push((name.into(), value));
            }
        }
        if data.is_empty() {
            return answer.clone();
        }
        let rest = pairs.iter().filter(|(key, _)| &**key != "data").cloned();
        Value::Map(
            rest.chain([("data".into(), Value::Map(data.into()))])
                .collect(),
        )
    }
}

fn answer_of(node: &Node, need: TaskKind, found: &mut Diagnostics) -> Option<MockOutcome> {
    let value = Value::of_answer(node);
    let schema = need.schema();
    let known: Vec<&str> = schema
        .get("properties")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
        .map(|(key, _)| &**key)
        .collect();
    for (key, _) in node
        .entries()
        .iter()
        .filter(|(key, _)| !known.contains(&&*key.text))
    {
        unknown_key(
            key,
            &format!("an answer to `{}`", need.name()),
            &known,
            found,
        );
    }
    if let Err(failure) = need.check(&value) {
        return Diagnostic::error(
            Code::BadMock,
            format!("invalid answer to `{}`: {}", need.name(), failure.reason),
        )
        .at(node.span, "answer")
        .help(format!(
            "write `answer: {}`, or inject a `fault`",
            need.example()
        ))
        .refuse(found);
    }
    Some(MockOutcome::Answer(value))
}

/// Parses a probability. Reports a value outside of 0 to 1 with this code.
pub fn chance_of(node: &Node, what: &str, code: Code, found: &mut Diagnostics) -> Option<u64> {
    let chance = number_of(node, what, found)?;
    SeededRng::likely(chance).or_else(|| {
        Diagnostic::error(
            code,
            format!("expected a probability from 0 to 1 for `{what}`, found {chance}"),
        )
        .at(node.span, "out of range")
        .help("use 0 for never, 1 for always")
        .refuse(found)
    })
}

pub fn fault_names() -> impl Iterator<Item = &'static str> {
    FailureKind::VARIANTS
        .iter()
        .map(<&str>::from)
        .chain([UNKNOWN])
}

fn fault_of(name: &str, span: Span, found: &mut Diagnostics) -> Option<MockOutcome> {
    if name == UNKNOWN {
        return Some(MockOutcome::Unknown);
    }
    name.parse().ok().map(MockOutcome::Fault).or_else(|| {
        Diagnostic::not_among(Code::BadMock, "fault", name, span, fault_names()).refuse(found)
    })
}

/// Compiles a pattern for the utterance or the context. It ignores case.
fn pattern_of(
    node: &Node,
    key: &'static str,
    budget: &mut PatternBudget,
    found: &mut Diagnostics,
) -> Option<Regex> {
    let text = text_of(node, key, found)?;
    let pattern = budget.compile(text, false);
    found.take(pattern.or_else(|error| {
        Diagnostic::error(
            Code::BadMock,
            format!("invalid pattern in `{key}`: {error}"),
        )
        .at(node.span, "invalid pattern")
        .help("write a regular expression, for example `сколько.*стоит|цена`")
        .fail()
    }))
}
