//! The explanation of a turn.

use schemars::JsonSchema;
use serde::Serialize;

use super::explain::{WhySentence, is_entry_action, rejected};
use fsmsim_core::engine::{RecordView, Won};
use fsmsim_core::machine::RuleId;
use fsmsim_core::trace::JsonLine;

/// The explanation of a turn, including the rules that decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnWhy {
    /// The outcome and the reason for it.
    pub sentence: WhySentence,
    /// Rejected proposals, one sentence each, in the order of the record.
    pub lost: Vec<String>,
    /// Sources that made no proposal because they failed.
    pub faults: Vec<String>,
    /// The rules that decided the action and the transition.
    pub rules: Vec<WinningRule>,
}

/// A rule that decided the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WinningRule {
    /// The kind of decision: `action` or `transition`.
    pub what: &'static str,
    /// The chosen action, or the state that results.
    pub value: String,
    /// The source that made the proposal.
    pub by: Option<&'static str>,
    /// The location of the rule, as `FILE:LINE`.
    pub at: Option<String>,
    /// The mixin that adds the rule.
    pub mixin: Option<String>,
}

impl TurnWhy {
    /// The record of a turn as a line (empty if the turn has no outcome), and the explanation of the turn.
    pub(super) fn with_record(line: &RecordView<'_>) -> (String, Self) {
        let mut json = JsonLine::default();
        if line.record.outcome.is_some() {
            line.write(&mut json);
        }
        (json.into_string(), Self::of(line))
    }

    fn of(line: &RecordView<'_>) -> Self {
        let faults = line.record.errors.iter();
        let faults =
            faults.map(|(source, error)| format!("{} made no proposal: {error}", source.name()));
        Self {
            sentence: WhySentence::of(line),
            lost: rejected(line, |_| true),
            faults: faults.collect(),
            rules: rules(line),
        }
    }
}

fn rules(line: &RecordView<'_>) -> Vec<WinningRule> {
    let Some(outcome) = &line.record.outcome else {
        return Vec::new();
    };
    let rule = |what, value: &str, won: Option<Won>| {
        let won = won?;
        let mixin = |rule: RuleId| {
            line.machine
                .origin_of(rule)
                .mixin
                .as_ref()
                .map(ToString::to_string)
        };
        Some(WinningRule {
            what,
            value: value.to_owned(),
            by: won.by.map(fsmsim_core::engine::SourceKind::name),
            at: won.rule.map(|rule| line.rule_place(rule)),
            mixin: won.rule.and_then(mixin),
        })
    };
    let by_action = outcome.by_action.filter(|_| !is_entry_action(line));
    let action = rule("action", line.action(outcome.action), by_action);
    let transition = rule(
        "transition",
        line.state(outcome.state.to),
        outcome.by_transition,
    );
    action.into_iter().chain(transition).collect()
}
