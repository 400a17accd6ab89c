//! What the texts of a contract are called and what they decide.

use super::contract::Contract;
use crate::engine::Machine;
use crate::engine::policy::{DecidedTurn, DecidingTexts};
use crate::machine::{ConditionId, Op, RuleId};
use fsmsim_syntax::diagnostic::Span;

/// How conditions are called that have no name of their own: by the class that tests them.
pub(super) fn condition_names(
    contract: &Contract,
    machine: &Machine,
) -> Vec<(ConditionId, String)> {
    let mut names = Vec::new();
    for class in &contract.classes {
        let mut add = |id, word| names.push((id, format!("{} {word}", class.name)));
        for (word, condition) in [("takes", class.entry), ("requires", class.requires)] {
            if let Some(id) = condition {
                add(id, word.to_owned());
            }
        }
        for property in &class.properties {
            add(property.condition, format!("keeps {}", property.name));
        }
        for preserved in &class.preserves {
            if let Some(id) = preserved.when {
                let slot = machine.names.slots.name(preserved.slot);
                add(id, format!("preserves {slot}"));
            }
        }
    }
    names
}

/// What decided a turn: what writes the field in which it differs, its class, and the outcome.
pub(super) fn deciding(
    contract: &Contract,
    machine: &Machine,
    turn: &DecidedTurn<'_>,
) -> DecidingTexts {
    let class = contract.class(turn.class).map(|(_, class)| class);
    let outcome = turn
        .outcome
        .and_then(|status| contract.outcome(machine, status));
    let rules = class
        .map(|class| class.does)
        .into_iter()
        .chain(outcome.map(|rule| machine.outcomes[rule.outcome].rule));
    let writes = |op: &&Op| turn.slot.is_some() && op.slot() == turn.slot;
    let span = |rule: RuleId| machine.rules[rule].span;
    let ops = rules.flat_map(|rule| machine.ops(rule)).filter(writes);
    let mut written: Vec<Span> = ops.map(|op| span(op.rule)).collect();
    if turn.slot.is_some() && turn.slot == contract.answer {
        let answers = outcome
            .filter(|rule| rule.answer.is_some())
            .map(|rule| rule.body);
        written.extend(answers.or(class.map(|class| class.body)));
    }
    DecidingTexts {
        file: contract.classes.iter().next().map(|class| class.body.file),
        is_whole: contract.is_whole,
        ranks: [
            written,
            class.map(|class| class.body).into_iter().collect(),
            outcome.map(|rule| rule.body).into_iter().collect(),
        ],
    }
}
