//! Conditions as trees.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::MAX_CONDITIONS;
use fsmsim_core::engine::{ConditionExplainer, EvaluationStep, Machine};
use fsmsim_core::machine::{ChainTable, Condition, ConditionId, IntentId, StateId, Target};

/// A condition with its evaluation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConditionView {
    /// The name, or a description if the condition has no name.
    pub name: String,
    description: String,
    /// The value; null if the evaluation failed.
    pub value: Option<bool>,
    error: Option<String>,
    steps: Vec<StepView>,
}

/// A step of the evaluation.
#[derive(Debug, Serialize, JsonSchema)]
struct StepView {
    depth: usize,
    asked: String,
    value: Option<bool>,
    seen: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub enum WantedConditions<'w> {
    /// The conditions that a state tests for this intent.
    Of(StateId, Option<IntentId>),
    /// The conditions whose names contain this text.
    Named(&'w str),
}

/// The values of conditions in a turn.
pub fn conditions_in(
    machine: &Machine,
    explainer: &ConditionExplainer<'_>,
    wanted: WantedConditions<'_>,
) -> Vec<ConditionView> {
    match wanted {
        WantedConditions::Of(state, intent) => asked_by(machine, state, intent)
            .into_iter()
            .map(|id| ConditionView::of(machine, explainer, id))
            .collect(),
        WantedConditions::Named(part) => {
            let named = machine
                .named_conditions
                .pairs()
                .filter(|(id, _)| machine.names.conditions.name(*id).contains(part));
            named
                .take(MAX_CONDITIONS)
                .map(|(id, named)| {
                    let name = machine.names.conditions.name(id).to_owned();
                    ConditionView::new(name, named.description.to_string(), explainer.explain(id))
                })
                .collect()
        }
    }
}

/// The conditions that a state tests for an intent or for every intent. Without an intent, all conditions of the state.
fn asked_by(machine: &Machine, state: StateId, intent: Option<IntentId>) -> Vec<ConditionId> {
    let state = machine.state(state);
    let mut asked: Vec<ConditionId> = Vec::new();
    let tables = [&state.transitions, &state.rules].into_iter();
    let of_intents = tables
        .flat_map(ChainTable::iter)
        .filter(|(of, _)| intent.is_none_or(|intent| intent == *of))
        .map(|(_, chain)| chain);
    let of_any = state
        .targets()
        .into_iter()
        .filter_map(|target| match target {
            Target::Chain(chain) => Some(chain),
            Target::None | Target::State(..) => None,
        });
    let alternatives = of_intents
        .chain(of_any)
        .flat_map(|chain| machine.alternatives(chain));
    for condition in alternatives.filter_map(|alternative| alternative.when) {
        if !asked.contains(&condition) && asked.len() < MAX_CONDITIONS {
            asked.push(condition);
        }
    }
    asked
}

impl ConditionView {
    fn of(machine: &Machine, explainer: &ConditionExplainer<'_>, id: ConditionId) -> Self {
        match &machine.conditions[id] {
            Condition::Named(named) => {
                let description = machine.named_conditions[*named].description.to_string();
                let name = machine.names.conditions.name(*named).to_owned();
                Self::new(name, description, explainer.explain(*named))
            }
            _ => Self::new(
                explainer.in_words(id),
                String::new(),
                explainer.explain_any(id),
            ),
        }
    }

    fn new(name: String, description: String, steps: Vec<EvaluationStep>) -> Self {
        let value = steps.first().map(|step| step.value);
        Self {
            name,
            description,
            value: value.and_then(Result::ok),
            error: value.and_then(Result::err).map(|error| error.to_string()),
            steps: steps.into_iter().map(step_view).collect(),
        }
    }
}

/// The value, and below it each step with its input.
impl fmt::Display for ConditionView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        match (self.value, &self.error) {
            (Some(value), _) => write!(f, " = {value}")?,
            (None, error) => {
                write!(
                    f,
                    " cannot be evaluated: {}",
                    error.as_deref().unwrap_or_default()
                )?;
            }
        }
        if !self.description.is_empty() {
            write!(f, ": {}", self.description)?;
        }
        for step in self.steps.iter().skip(1) {
            let indent = "  ".repeat(step.depth);
            let asked = &step.asked;
            write!(f, "\n{indent}{asked} = {}", truth(step.value))?;
            if let Some(seen) = &step.seen {
                write!(f, " (is {seen})")?;
            }
        }
        Ok(())
    }
}

/// The value of a condition, as written in JSON.
pub fn truth(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "true",
        Some(false) => "false",
        None => "null",
    }
}

fn step_view(step: EvaluationStep) -> StepView {
    StepView {
        depth: step.depth,
        asked: step.asked,
        value: step.value.ok(),
        seen: step.seen,
    }
}
