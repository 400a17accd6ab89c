//! A turn for the inspector.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::condition_view::{ConditionView, WantedConditions, conditions_in};
use crate::report::SourceExcerpt;
use fsmsim_core::trace::{LostProposal, TurnReport};
use fsmsim_harness::interactive::{InteractiveDialogue, TurnWhy, WinningRule};
use fsmsim_syntax::diagnostic::SourceMap;

/// A turn with its explanation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TurnView {
    /// The explanation in one sentence; empty if unknown.
    pub why: String,
    /// How the utterance was recognized, if a recognizer answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recognized: Option<String>,
    /// The rejected proposals, one sentence each.
    pub lost: Vec<String>,
    /// The errors of sources that therefore proposed nothing.
    pub faults: Vec<String>,
    /// The deciding rules.
    pub rules: Vec<RuleView>,
    rejected: Vec<RejectedView>,
    /// The slots before and after the turn.
    pub data: Vec<DataView>,
    counters: Vec<CounterView>,
    /// The conditions that the state tested.
    pub conditions: Vec<ConditionView>,
    /// The turn record; omitted if the turn has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<TurnReport>,
}

/// A deciding rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RuleView {
    /// The rule.
    #[serde(flatten)]
    pub rule: WinningRule,
    /// The source lines of the rule.
    pub excerpt: Option<SourceExcerpt>,
}

/// A rejected proposal.
#[derive(Debug, Serialize, JsonSchema)]
struct RejectedView {
    #[serde(flatten)]
    proposal: LostProposal,
    /// The reason in one sentence; null if unknown.
    explanation: Option<String>,
}

/// A slot before and after the turn.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DataView {
    /// The slot.
    pub slot: String,
    /// The value before; null if missing.
    pub before: Json,
    /// The value after; null if missing.
    pub after: Json,
    /// `added`, `dropped`, `kept` or `changed`.
    pub how: &'static str,
}

/// A counter before and after the turn.
#[derive(Debug, Serialize, JsonSchema)]
struct CounterView {
    name: String,
    before: Json,
    after: Json,
}

impl TurnView {
    /// The turn at a moment.
    pub fn of(interactive: &InteractiveDialogue, number: u32) -> Result<Self, String> {
        let tree = interactive.tree();
        let moment = tree
            .moment(number)
            .ok_or_else(|| format!("unknown moment {number}"))?;
        let record = moment.report();
        let before = tree
            .moment(moment.before)
            .and_then(fsmsim_runtime::runtime::TurnNode::report)
            .unwrap_or_default();
        let nothing = TurnReport::default();
        let after = record.as_ref().unwrap_or(&nothing);
        let TurnWhy {
            sentence,
            lost,
            faults,
            rules,
        } = interactive.why_at(number).cloned().unwrap_or_default();
        let files = &interactive.dialogue().machine().files;
        let rules = rules.into_iter().map(|rule| RuleView {
            excerpt: rule.at.as_deref().and_then(|at| excerpt_at(at, files)),
            rule,
        });
        let rejected = after
            .rejected()
            .into_iter()
            .enumerate()
            .map(|(number, proposal)| RejectedView {
                proposal,
                explanation: lost.get(number).cloned(),
            });
        let counters = after.counters.iter().map(|(name, value)| CounterView {
            name: name.clone(),
            before: before.counters.get(name).cloned().unwrap_or_default(),
            after: value.clone(),
        });
        Ok(Self {
            rules: rules.collect(),
            rejected: rejected.collect(),
            data: data(&before, after),
            counters: counters.collect(),
            conditions: turn_conditions(interactive, number),
            why: sentence.to_string(),
            recognized: after.interpretation(),
            lost,
            faults,
            record,
        })
    }
}

/// The lines around `FILE:LINE`, if `files` contains the file.
pub fn excerpt_at(at: &str, files: &SourceMap) -> Option<SourceExcerpt> {
    let (file, line) = at.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Some(SourceExcerpt::of(files.named(file)?, line))
}

fn data(before: &TurnReport, after: &TurnReport) -> Vec<DataView> {
    let names: BTreeSet<&String> = before.data.keys().chain(after.data.keys()).collect();
    let rows = names.into_iter().map(|slot| {
        let [before, after] = [before, after].map(|turn| turn.data.get(slot).cloned());
        let how = match (&before, &after) {
            (None, _) => "added",
            (_, None) => "dropped",
            (before, after) if before == after => "kept",
            _ => "changed",
        };
        DataView {
            slot: slot.clone(),
            how,
            before: before.unwrap_or_default(),
            after: after.unwrap_or_default(),
        }
    });
    rows.collect()
}

/// The conditions that the source state of a turn tests, with their values in the turn.
pub fn turn_conditions(interactive: &InteractiveDialogue, number: u32) -> Vec<ConditionView> {
    // A turn of a previous model might be invalid in this model.
    let Ok(explainer) = interactive.explain_conditions(Some(number), None) else {
        return Vec::new();
    };
    let machine = interactive.dialogue().machine();
    let intent = machine.names.intents.id(explainer.intent_name());
    let wanted = WantedConditions::Of(explainer.session().position.state, intent);
    conditions_in(machine, &explainer, wanted)
}
