//! Compiles outcomes of the backend: the coverage gate, the answer, and the class of the turn.

use crate::dialect::effects::read_mark;
use fsmsim_core::engine::policy::contract::{Contract, OutcomeRule, TransitionClass};
use fsmsim_core::machine::{
    ClassId, EffectId, IdVec, MachineBuilder, NeedKind, NextState, Op, Outcome, RuleId, Value,
    ValueSource,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Map, text_of};
use fsmsim_syntax::shapes;

use super::classes::{Classes, mode_named};

/// The value of a coverage gate that blocks everything.
const BLOCKED: &str = "blocked";
/// The answer mode for facts.
const CONFIRMED: &str = "confirmed";

/// Compiles the outcomes of executed routes.
pub(super) fn compile(
    map: &Map,
    execute: EffectId,
    classes: &IdVec<ClassId, TransitionClass>,
    text: &mut Classes<'_, '_>,
) -> Box<[OutcomeRule]> {
    let mut rules = Vec::new();
    for (key, node) in &map.entries {
        let Some(mut fields) = Fields::of(node, &shapes::OUTCOME, text.found) else {
            continue;
        };
        fields.text("about");
        let answer = fields.node("answer").map(Value::from);
        let [becomes, mode, mark] = fields.nodes(["becomes", "mode", "mark"]);
        fields.finish();
        let keys = ["sets", "appends", "counts", "says"];
        let sets = text.ops(Code::BadOutcome).read_all(node, &keys);
        let Classes {
            origin,
            builder,
            found,
            ..
        } = &mut *text;
        let becomes = becomes.and_then(|node| {
            let name = text_of(node, "becomes", found)?;
            classes
                .pairs()
                .find(|(_, class)| &*class.name == name)
                .map(|(id, _)| id)
                .or_else(|| {
                    Diagnostic::undefined(Code::UnknownClass, "class", name, node.span)
                        .near(
                            name,
                            classes.iter().map(|class| &*class.name),
                            "declare it under `classes`",
                        )
                        .refuse(found)
                })
        });
        let mode = mode.and_then(|node| mode_named(node, "mode", builder, found));
        let mark = mark.and_then(|node| read_mark(node, found));
        let rule = builder.rule(key.span, *origin);
        builder.give_ops(rule, sets);
        let outcome = builder.outcomes.push(Outcome {
            name: key.text.clone(),
            status: key.text.clone(),
            when: None,
            leads: mode.map_or(NextState::On, NextState::To),
            mark: mark.unwrap_or_default(),
            code: format!("{}_{}", NeedKind::EXECUTE, key.text).into(),
            words: format!("the backend returned `{}`", key.text).into(),
            rule,
        });
        rules.push(OutcomeRule {
            outcome,
            answer,
            becomes,
        });
    }
    text.builder.effects[execute].outcomes = rules.iter().map(|rule| rule.outcome).collect();
    rules.into()
}

/// Reports classes and outcomes that block the gate but answer with a fact (docs/src/explanation/contracts.md). An
/// outcome also blocks the gate if its `becomes` class does.
pub(super) fn check(contract: &Contract, builder: &MachineBuilder, found: &mut Diagnostics) {
    let mut report = |what: String, rule: RuleId| {
        Diagnostic::error(
            Code::UnsupportedAnswer,
            format!("{what} is blocked, but its answer is `confirmed`"),
        )
        .at(builder.rule_span(rule), "blocked here")
        .help("use an answer such as `limited` or `unsupported`, or ask a question")
        .add_to(found);
    };
    let confirms = |value: &Value| value.as_text() == Some(CONFIRMED);
    let sets_word = |rule: RuleId, word: &str| sets_word(builder.ops(rule), word);
    for class in contract
        .classes
        .iter()
        .filter(|class| sets_word(class.does, BLOCKED))
    {
        if sets_word(class.does, CONFIRMED) || class.answers.iter().any(confirms) {
            report(format!("class `{}`", class.name), class.rule);
        }
    }
    for outcome in &contract.outcomes {
        let Outcome { name, rule, .. } = &builder.outcomes[outcome.outcome];
        let next_class = outcome
            .becomes
            .and_then(|class| contract.classes.lookup(class));
        let blocks = sets_word(*rule, BLOCKED)
            || next_class.is_some_and(|class| sets_word(class.does, BLOCKED));
        if blocks && (outcome.answer.as_ref().is_some_and(confirms) || sets_word(*rule, CONFIRMED))
        {
            report(format!("outcome `{name}`"), *rule);
        }
    }
}

/// Checks that the answer field can contain each answer mode of a class or an outcome.
pub(super) fn check_answers(
    contract: &Contract,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) {
    let Some((frame, field)) = contract.answer.and_then(|slot| builder.frames.field(slot)) else {
        return;
    };
    let classes = contract
        .classes
        .iter()
        .flat_map(|class| class.answers.iter().map(|mode| (mode, class.rule)));
    let outcomes = contract
        .outcomes
        .iter()
        .filter_map(|rule| Some((rule.answer.as_ref()?, builder.outcomes[rule.outcome].rule)));
    for (mode, rule) in classes
        .chain(outcomes)
        .filter(|(mode, _)| !field.kind.admits(mode))
    {
        Diagnostic::error(
            Code::BadClass,
            format!(
                "field `{}.{}` does not allow {mode}",
                frame.name, field.name
            ),
        )
        .at(builder.rule_span(rule), "has this answer")
        .help("add the answer under `fields` of the frame, or use another answer")
        .add_to(found);
    }
}

/// Whether an operation sets a slot to this word.
fn sets_word(sets: &[Op], word: &str) -> bool {
    sets.iter().any(|set| matches!(set.source(), Some(ValueSource::Constant(value)) if value.as_text() == Some(word)))
}
