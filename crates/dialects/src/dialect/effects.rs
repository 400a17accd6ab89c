//! Reads the declarations and uses of effects, and the texts of the assistant.

use std::sync::Arc;

use super::ops::{KEYS, OpsReader};
use crate::dialect::condition::{effect_named, state_named, state_names};
use fsmsim_core::machine::{
    EffectDefinition, EffectId, EffectKind, EffectUse, Gate, MachineBuilder, NextState, Op, OpKind,
    Outcome, OutcomeId, OutcomeMark, Payload, Schema, SchemaId, Speech, StateId, Value,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{
    Fields, Key, Node, entries_of, one_of, text_of, word_of, wrong_type,
};
use fsmsim_syntax::shapes;

/// The marks of outcomes and their names.
const MARKS: [(OutcomeMark, &str); 2] = [
    (OutcomeMark::WhyNotResult, "detour"),
    (OutcomeMark::Degrade, "degrade"),
];
/// The outcome of an effect that a gate blocks, unless the gate names another one.
const DENIED: &str = "denied";

/// Declares kinds of effects: their names, their type, and the schemas of their payload and their result.
pub(super) fn declare(
    kinds: &[(Key, Node)],
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) {
    for (key, node) in kinds {
        let id = builder.effect(&key.text);
        let kind = node
            .get("does")
            .and_then(|node| word_of::<EffectKind>(node, "does", found));
        let schema = node
            .get("schema")
            .and_then(|node| schema(&key.text, node, builder, found));
        let returns = node
            .get("returns")
            .and_then(|node| self::schema(&key.text, node, builder, found));
        let declared = &mut builder.effects[id];
        declared.kind = kind.unwrap_or_default();
        declared.schema = schema;
        declared.returns = returns;
    }
}

/// Reads a schema: the name of a declared schema, or an inline JSON Schema.
fn schema(
    effect: &str,
    node: &Node,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> Option<SchemaId> {
    if node.map().is_some() {
        let schema = serde_json::to_value(Value::from(node)).unwrap_or_default();
        return match Schema::new(effect, schema) {
            Ok(schema) => Some(builder.schemas.push(schema)),
            Err(why) => Diagnostic::error(
                Code::BadEffect,
                format!("invalid schema of `{effect}`: {why}"),
            )
            .at(node.span, "schema")
            .help("write a JSON Schema, such as `{type: object, required: [date]}`")
            .refuse(found),
        };
    }
    let name = text_of(node, "schema", found)?;
    builder
        .schemas
        .pairs()
        .find(|(_, schema)| &*schema.name == name)
        .map(|(id, _)| id)
        .or_else(|| {
            let names = builder.schemas.iter().map(|schema| &*schema.name);
            Diagnostic::undefined(Code::UnknownSchema, "schema", name, node.span)
                .near(
                    name,
                    names,
                    "write the schema as a map, or add it to `schemas/` of a state set",
                )
                .refuse(found)
        })
}

impl OpsReader<'_, '_> {
    /// Reads the gates and outcomes of a declared kind: `{gates: […], outcomes: {…}}`.
    pub(super) fn kind(&mut self, key: &Key, node: &Node) {
        let id = self.builder.effect(&key.text);
        let Some(mut fields) = Fields::of(node, &shapes::EFFECT_KIND, self.found) else {
            return;
        };
        let gates = fields.list("gates");
        let outcomes = fields.entries("outcomes");
        fields.finish();
        if let Some([]) = gates {
            Diagnostic::error(
                Code::BadEffect,
                "expected at least one gate, found an empty list",
            )
            .at(node.get("gates").unwrap_or(node).span, "no gate")
            .help("add the name of a condition, or remove `gates`")
            .add_to(self.found);
        }
        let gates: Vec<Gate> = gates
            .unwrap_or_default()
            .iter()
            .filter_map(|node| self.gate(node))
            .collect();
        let outcomes = self.outcomes(id, outcomes);
        // The dialect can already have declared gates and outcomes for this kind.
        let declared = &mut self.builder.effects[id];
        declared.gates = declared.gates.iter().cloned().chain(gates).collect();
        declared.outcomes = declared.outcomes.iter().copied().chain(outcomes).collect();
    }

    /// Reads a gate: the name of a condition, or `{when: CONDITION, or: OUTCOME, says: WORDS}`.
    fn gate(&mut self, node: &Node) -> Option<Gate> {
        let mut keys = shapes::GATE_WITH_WORDS.key_names();
        let (condition, outcome, words) = if keys.any(|key| node.get(key).is_some()) {
            let mut fields = Fields::of(node, &shapes::GATE_WITH_WORDS, self.found)?;
            let condition = fields.required("when");
            let outcome = fields.text("or");
            let words = fields.text("says");
            fields.finish();
            (condition?, outcome, words)
        } else {
            (node, None, None)
        };
        let words = match (words, condition.text()) {
            (Some(words), _) => words.into(),
            (None, Some(name)) => format!("`{name}` does not hold").into(),
            (None, None) => "the condition of a gate does not hold".into(),
        };
        let holds = self
            .conditions
            .compile_when(condition, self.builder, self.found);
        Some(Gate {
            holds,
            outcome: outcome.unwrap_or(DENIED).into(),
            words,
        })
    }

    /// Reads the outcomes of an effect, in order.
    pub(super) fn outcomes(&mut self, effect: EffectId, entries: &[(Key, Node)]) -> Vec<OutcomeId> {
        let mut outcomes = Vec::new();
        for (key, node) in entries {
            let outcome = self.outcome(effect, key, node);
            outcomes.extend(outcome.map(|outcome| self.builder.outcomes.push(outcome)));
        }
        outcomes
    }

    fn outcome(&mut self, effect: EffectId, key: &Key, node: &Node) -> Option<Outcome> {
        let mut fields = Fields::of(node, &shapes::EFFECT_OUTCOME, self.found)?;
        fields.text("about");
        let status = fields.text("status").unwrap_or(&key.text);
        let [when, mark, next, digress] = fields.nodes(["when", "mark", "next", "digress"]);
        let holds = fields.boolean("hold");
        let op_nodes: Vec<_> = KEYS
            .into_iter()
            .filter_map(|key| Some((key, fields.node(key)?)))
            .collect();
        let span = fields.span();
        fields.finish();
        let leads = match (next, digress, holds.unwrap_or(false)) {
            (None, None, false) => NextState::On,
            (None, None, true) => NextState::Nowhere,
            (Some(next), None, false) => NextState::To(self.state(next)?),
            (None, Some(digress), false) => NextState::Digress(self.state(digress)?),
            _ => {
                return Diagnostic::error(Code::BadEffect, "several targets in an outcome")
                    .at(span, "outcome")
                    .help("keep one of `next: STATE`, `digress: STATE` and `hold: true`")
                    .refuse(self.found);
            }
        };
        let mark = mark.and_then(|node| read_mark(node, self.found));
        let when = self.when(when);
        let rule = self.builder.rule(key.span, self.origin);
        let mut ops = Vec::new();
        for (key, node) in op_nodes {
            if key == "effects" {
                return Diagnostic::error(Code::BadEffect, "unknown key `effects` in an outcome")
                    .at(node.span, "not supported")
                    .help("move the effects to `on_enter` of a state, and go there with `next: STATE`")
                    .refuse(self.found);
            }
            ops.extend(self.read(key, node));
        }
        self.builder.give_ops(rule, ops);
        let effect = self.builder.names.effects.name(effect);
        let code = format!("{effect}_{}", key.text).into();
        let words = format!("`{effect}` returned `{}`", key.text).into();
        let name = key.text.clone();
        let status = status.into();
        let mark = mark.unwrap_or_default();
        Some(Outcome {
            name,
            status,
            when,
            leads,
            mark,
            code,
            words,
            rule,
        })
    }

    /// The target state of an outcome.
    fn state(&mut self, node: &Node) -> Option<StateId> {
        let name = text_of(node, "state", self.found)?;
        state_named(name, self.builder).or_else(|| {
            let known = state_names(self.builder);
            Diagnostic::unknown(Code::UnknownState, "state", name)
                .at(node.span, "target of the outcome")
                .near(name, known, format!("define the state `{name}`"))
                .refuse(self.found)
        })
    }

    /// Reads uses of effects: a list of names, or of `{effect: NAME, with: {…}, outcomes: {…}, when: CONDITION}`.
    pub(super) fn effects(&mut self, node: &Node) -> Vec<Op> {
        node.items()
            .iter()
            .filter_map(|item| self.effect(item))
            .collect()
    }

    fn effect(&mut self, node: &Node) -> Option<Op> {
        let rule = self.builder.rule(node.span, self.origin);
        let mut name = Some(node);
        let mut with = None;
        let mut when = None;
        let mut outcomes: &[_] = &[];
        let mut always = None;
        if node.map().is_some() {
            let mut fields = Fields::of(node, &shapes::EFFECT_CALL, self.found)?;
            name = fields.required("effect");
            with = fields.node("with");
            when = fields.node("when");
            outcomes = fields.entries("outcomes");
            always = fields.boolean("always");
            fields.finish();
        }
        let effect = self.effect_named(name?)?;
        let used = EffectUse {
            effect,
            payload: self.payload(effect, with, node.span)?,
            outcomes: self.outcomes(effect, outcomes).into(),
            always: always.unwrap_or(false),
        };
        Some(Op {
            kind: OpKind::Effect(Arc::new(used)),
            when: self.when(when),
            rule,
        })
    }

    fn effect_named(&mut self, node: &Node) -> Option<EffectId> {
        effect_named(
            text_of(node, "effect", self.found)?,
            node.span,
            self.builder,
            self.found,
        )
    }

    /// The payload of an effect. A read effect lists the names of the data to read. Other effects have values by name,
    /// by default the slots named like the properties of the schema.
    fn payload(&mut self, effect: EffectId, with: Option<&Node>, span: Span) -> Option<Payload> {
        let EffectDefinition { kind, schema, .. } = self.builder.effects[effect];
        match (with, kind) {
            (Some(with), EffectKind::Read) if with.map().is_none() => {
                let slots = with.items().iter().filter_map(|node| {
                    let name = text_of(node, "an item of `with`", self.found)?;
                    Some(self.builder.slot(name))
                });
                Some(Payload::Names(slots.collect()))
            }
            (_, EffectKind::Read) => {
                Diagnostic::error(Code::BadEffect, "missing data names in a read effect")
                    .at(with.map_or(span, |node| node.span), "reads nothing")
                    .help("list the names of the data: `with: [NAME]`")
                    .refuse(self.found)
            }
            (Some(with), _) => {
                if with.map().is_none() {
                    wrong_type(with, "`with` is a map of values", self.found);
                    return None;
                }
                let values = entries_of(with, "with", self.found)
                    .iter()
                    .filter_map(|(key, node)| Some((key.text.clone(), self.source(node)?.0)));
                Some(Payload::Values(values.collect()))
            }
            (None, _) => {
                Some(schema.map_or_else(|| Payload::Values(Box::default()), Payload::Known))
            }
        }
    }

    /// Reads texts of the assistant: strings, or `{phrase: WHAT, or: TEXT}`, each optionally with `when`.
    pub(super) fn says(&mut self, node: &Node) -> Vec<Op> {
        node.items()
            .iter()
            .filter_map(|item| self.say(item))
            .collect()
    }

    fn say(&mut self, node: &Node) -> Option<Op> {
        let rule = self.builder.rule(node.span, self.origin);
        let (speech, when) = self.speech(node)?;
        Some(Op {
            kind: OpKind::Say(Arc::new(speech)),
            when: self.when(when),
            rule,
        })
    }

    fn speech<'t>(&mut self, node: &'t Node) -> Option<(Speech, Option<&'t Node>)> {
        if node.map().is_none() {
            let text = text_of(node, "says", self.found)?;
            return Some((Speech::Text(text.into()), None));
        }
        let mut fields = Fields::of(node, &shapes::SPEECH, self.found)?;
        let text = fields.text("text");
        let about = fields.text("phrase");
        let otherwise = fields.text("or");
        let when = fields.node("when");
        fields.finish();
        let speech = match (text, about, otherwise) {
            (Some(text), None, None) => Speech::Text(text.into()),
            (None, Some(about), otherwise) => Speech::Phrase {
                about: about.into(),
                missing: None,
                otherwise: otherwise.map(Into::into),
            },
            _ => {
                return Diagnostic::error(Code::BadEffect, "missing text in a message")
                    .at(node.span, "no text to say")
                    .help("write a string, `{text: TEXT, when: CONDITION}`, or `{phrase: WHAT, or: TEXT}`")
                    .refuse(self.found);
            }
        };
        Some((speech, when))
    }
}

/// The mark of an outcome.
pub(super) fn read_mark(node: &Node, found: &mut Diagnostics) -> Option<OutcomeMark> {
    let name = text_of(node, "mark", found)?;
    found.take(one_of(name, node.span, &MARKS))
}
