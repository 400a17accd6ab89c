//! Outcomes of the backend: what they mean for the coverage gate, for the answer, and for the class of the turn.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::document::{Fields, Map, text_of};
use crate::engine::policy::contract::{Contract, OutcomeRule, TransitionClass};
use crate::machine::{ClassId, IdVec, MachineBuilder, Op, RuleId, Value, ValueSource};

use super::classes::{Classes, mode_named};

/// The value of a coverage gate that lets nothing through.
const BLOCKED: &str = "blocked";
/// The mode of an answer that states a fact.
const CONFIRMED: &str = "confirmed";

/// Compiles the outcomes.
pub(super) fn compile(
    map: &Map,
    classes: &IdVec<ClassId, TransitionClass>,
    text: &mut Classes<'_, '_>,
) -> Box<[OutcomeRule]> {
    let mut outcomes = Vec::new();
    for (key, node) in &map.entries {
        let Some(mut fields) = Fields::open(node, "an outcome", text.found) else { continue };
        fields.text("about");
        let (sets, counts) = (fields.map("sets"), fields.node("counts"));
        let answer = fields.node("answer").map(Value::from);
        let becomes = fields.node("becomes");
        let mode = fields.node("mode");
        fields.finish();
        let mut sets = sets.map(|map| text.ops(Code::BadOutcome).puts(&map.entries, false)).unwrap_or_default();
        sets.extend(counts.map(|node| text.ops(Code::BadOutcome).read("counts", node)).unwrap_or_default());
        let Classes { origin, builder, found, .. } = &mut *text;
        let becomes = becomes.and_then(|node| {
            let name = text_of(node, "becomes", found)?;
            classes.pairs().find(|(_, class)| &*class.name == name).map(|(id, _)| id).or_else(|| {
                Diagnostic::error(Code::UnknownClass, format!("there is no class `{name}`"))
                    .at(node.span, "not known")
                    .near(name, classes.iter().map(|class| &*class.name), "declare it under `classes`")
                    .refuse(found)
            })
        });
        let mode = mode.and_then(|node| mode_named(node, "mode", builder, found));
        let rule = builder.rule(key.span, *origin);
        outcomes.push(OutcomeRule { name: key.text.clone(), sets: sets.into(), answer, becomes, mode, rule });
    }
    outcomes.into()
}

/// What blocks the gate is never answered as a fact (docs/contracts.md, "Outcomes"): no outcome that blocks it, itself
/// or by the class that takes over, and no class that blocks it.
pub(super) fn check(contract: &Contract, builder: &MachineBuilder, found: &mut Diagnostics) {
    let mut tell = |what: String, rule: RuleId| {
        Diagnostic::error(Code::BoldAnswer, format!("{what} is blocked, and answered as confirmed"))
            .at(builder.rule_span(rule), "this one")
            .help("answer it as limited, unsupported, or with a question")
            .add_to(found);
    };
    let confirms = |value: &Value| value.as_text() == Some(CONFIRMED);
    for class in contract.classes.iter().filter(|class| puts(&class.sets, BLOCKED)) {
        if puts(&class.sets, CONFIRMED) || class.answers.iter().any(confirms) {
            tell(format!("the class `{}`", class.name), class.rule);
        }
    }
    for outcome in &contract.outcomes {
        let taker = outcome.becomes.and_then(|class| contract.classes.lookup(class));
        let blocks = puts(&outcome.sets, BLOCKED) || taker.is_some_and(|class| puts(&class.sets, BLOCKED));
        if blocks && (outcome.answer.as_ref().is_some_and(confirms) || puts(&outcome.sets, CONFIRMED)) {
            tell(format!("the outcome `{}`", outcome.name), outcome.rule);
        }
    }
}

/// Whether a word is put somewhere.
fn puts(sets: &[Op], word: &str) -> bool {
    sets.iter().any(|set| matches!(set.source(), Some(ValueSource::Constant(value)) if value.as_text() == Some(word)))
}
