//! A rule of a mock: when it applies, and what it answers.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use super::answerer::{FailureKind, Request};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use crate::document::{Fields, Node};
use crate::machine::Value;

/// The kinds of need that a rule can be for.
const NEEDS: [&str; 2] = ["classify", "decide"];
/// A pattern may not grow beyond this when it is compiled, in bytes.
const PATTERN_LIMIT: usize = 1 << 20;

/// A rule: when it applies, and what it answers.
#[derive(Debug)]
pub(super) struct MockRule {
    need: &'static str,
    states: Vec<Box<str>>,
    say: Option<Regex>,
    pub(super) outcome: MockOutcome,
    /// How often it applies in one dialogue; nothing is always.
    pub(super) times: Option<u32>,
}

/// What a rule answers.
#[derive(Debug)]
pub(super) enum MockOutcome {
    /// This value.
    Answer(Value),
    /// A failure.
    Fault(FailureKind),
}

impl MockRule {
    /// Reads a rule. `None`, with findings, where it means nothing.
    pub(super) fn read(node: &Node, found: &mut Diagnostics) -> Option<Self> {
        let errors = found.error_count();
        let mut fields = Fields::open(node, "a rule of a mock", found)?;
        let need_node = fields.node("need");
        let need = fields.text("need").unwrap_or("classify");
        let states = fields.texts("state").into_iter().map(Into::into).collect();
        let say = fields.node("say");
        let answer = fields.node("answer");
        let fault_node = fields.node("fault");
        let fault = fields.text("fault");
        let times = fields.count("times");
        fields.finish();
        let Some(need) = NEEDS.into_iter().find(|known| *known == need) else {
            let span = need_node.map_or(node.span, |node| node.span);
            found.push(
                Diagnostic::error(Code::BadMock, format!("there is no need `{need}`"))
                    .at(span, "not known")
                    .suggest(nearest(need, NEEDS), format!("needs: {}", NEEDS.join(", "))),
            );
            return None;
        };
        let outcome = match (answer, fault) {
            (Some(answer), None) => answer_of(answer, need, found)?,
            (None, Some(name)) => {
                let span = fault_node.map_or(node.span, |node| node.span);
                MockOutcome::Fault(fault_of(name, span, found)?)
            }
            _ => {
                found.push(
                    Diagnostic::error(Code::BadMock, "a rule of a mock has either an `answer` or a `fault`")
                        .at(node.span, "this rule")
                        .help("write `answer: {intent: NAME}` or `fault: time_out`"),
                );
                return None;
            }
        };
        let say = match say {
            Some(node) => Some(pattern_of(node, found)?),
            None => None,
        };
        (found.error_count() == errors).then_some(Self { need, states, say, outcome, times })
    }

    /// Whether the rule is for this request.
    pub(super) fn applies(&self, request: &Request<'_>) -> bool {
        let here = self.states.is_empty() || self.states.iter().any(|state| **state == *request.state());
        let said = match (&self.say, request.say) {
            (None, _) => true,
            (Some(pattern), Some(say)) => pattern.is_match(say),
            (Some(_), None) => false,
        };
        self.need == request.need.kind() && here && said
    }

    /// The answer, with what the groups of the pattern caught as its data.
    pub(super) fn fill(&self, answer: &Value, say: Option<&str>) -> Value {
        let (Some(pattern), Some(say), Value::Map(pairs)) = (&self.say, say, answer) else {
            return answer.clone();
        };
        let Some(caught) = pattern.captures(say) else { return answer.clone() };
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
        Value::Map(rest.chain([("data".into(), Value::Map(data.into()))]).collect())
    }
}

fn answer_of(node: &Node, need: &str, found: &mut Diagnostics) -> Option<MockOutcome> {
    let value = Value::from(node);
    if need == "classify" && value.get("intent").and_then(Value::as_text).is_none() {
        found.push(
            Diagnostic::error(Code::BadMock, "a reading needs an `intent`")
                .at(node.span, "no intent")
                .help("write `answer: {intent: NAME, confidence: 0.9, data: {…}}`"),
        );
        return None;
    }
    Some(MockOutcome::Answer(value))
}

fn fault_of(name: &str, span: crate::diagnostic::Span, found: &mut Diagnostics) -> Option<FailureKind> {
    let kind = FailureKind::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind);
    if kind.is_none() {
        let names = FailureKind::ALL.map(|(_, name)| name);
        found.push(
            Diagnostic::error(Code::BadMock, format!("there is no fault `{name}`"))
                .at(span, "not known")
                .suggest(nearest(name, names), format!("faults: {}", names.join(", "))),
        );
    }
    kind
}

/// A pattern over the utterance, whatever its case.
fn pattern_of(node: &Node, found: &mut Diagnostics) -> Option<Regex> {
    let text = crate::document::text_of(node, "say", found)?;
    match RegexBuilder::new(text).case_insensitive(true).size_limit(PATTERN_LIMIT).build() {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let reason = error.to_string();
            let reason =
                reason.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned();
            found.push(
                Diagnostic::error(Code::BadMock, format!("`say` is no pattern: {reason}"))
                    .at(node.span, "not understood")
                    .help("write a regular expression, such as `сколько.*стоит|цена`"),
            );
            None
        }
    }
}
