//! Reads operations on data and counters, which rules, edges, branches and classes perform.

use super::condition::{Conditions, field_named, keys, numbered, slot_named};
use fsmsim_core::machine::{
    Condition, ConditionId, CounterId, MachineBuilder, NeedKey, NeedKind, Op, OpKind, OriginId,
    RuleId, SlotId, Value, ValueSource,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Fields, Key, Node, entries_of, integer_of, text_of};

/// The keys of operations.
pub(super) const KEYS: [&str; 6] = ["sets", "appends", "clears", "counts", "effects", "says"];

/// The keywords for the source of a value. Each is the only key of its map.
const SOURCES: [&str; 8] = [
    "said",
    "slot",
    "was",
    "attempted",
    "outcome",
    "answer",
    "append",
    "among",
];

/// A reader of operations.
pub(super) struct OpsReader<'r, 'n> {
    pub conditions: &'r mut Conditions<'n>,
    pub builder: &'r mut MachineBuilder,
    pub found: &'r mut Diagnostics,
    pub origin: OriginId,
    /// The code of the findings.
    pub code: Code,
    /// Whether only fields of frames can be changed. Otherwise any slot can be.
    pub fields_only: bool,
}

impl OpsReader<'_, '_> {
    /// Reads the operations under one of the [`KEYS`].
    pub(super) fn read(&mut self, key: &str, node: &Node) -> Vec<Op> {
        match key {
            "clears" => node
                .items()
                .iter()
                .filter_map(|item| self.clear(item))
                .collect(),
            "counts" => entries_of(node, key, self.found)
                .iter()
                .filter_map(|(name, node)| self.count(&name.text, name.span, node))
                .collect(),
            "effects" => self.effects(node),
            "says" => self.says(node),
            _ => {
                let pairs = entries_of(node, key, self.found);
                self.puts(pairs, key == "appends")
            }
        }
    }

    /// Reads the operations under some of the [`KEYS`] of a map.
    pub(super) fn read_all(&mut self, node: &Node, keys: &[&str]) -> Vec<Op> {
        keys.iter()
            .filter_map(|key| Some((key, node.get(key)?)))
            .filter(|(_, node)| !node.is_null())
            .flat_map(|(key, node)| self.read(key, node))
            .collect()
    }

    /// Reads a map from slots to new values.
    pub(super) fn puts(&mut self, pairs: &[(Key, Node)], at_the_end: bool) -> Vec<Op> {
        let mut ops = Vec::new();
        for (key, node) in pairs {
            let Some(slot) = self.slot(&key.text, key.span) else {
                continue;
            };
            let rule = self.builder.rule(key.span, self.origin);
            if let Some(choices) = node.get("first") {
                ops.extend(self.first(slot, choices, at_the_end, rule));
                continue;
            }
            let (node, when) = self.conditional(node, "value");
            // The other field is stored first, so its value remains if the turn has no value.
            if let Some((said, other)) = said_or(node) {
                let said = self
                    .text(said, "said")
                    .map(|name| ValueSource::Said(self.builder.slot(name)));
                let other = self.source_slot(other, "or");
                if let (Some(other), Some(said)) = (other, said) {
                    let sources = [ValueSource::Was(other), said];
                    ops.extend(sources.map(|source| Op {
                        kind: OpKind::Set(slot, source),
                        when,
                        rule,
                    }));
                }
                continue;
            }
            let Some((source, append)) = self.source(node) else {
                continue;
            };
            let at_the_end = at_the_end || append;
            if at_the_end || self.admits(slot, &source, node.span) {
                ops.push(put(slot, source, at_the_end, when, rule));
            }
        }
        ops
    }

    /// Reads the first value whose condition is true: `{first: [{value: VALUE, when: CONDITION}, VALUE]}`.
    fn first(&mut self, slot: SlotId, choices: &Node, at_the_end: bool, rule: RuleId) -> Vec<Op> {
        let mut ops = Vec::new();
        let mut none_before: Vec<ConditionId> = Vec::new();
        for node in choices.items() {
            let (node, when) = self.conditional(node, "value");
            let Some((source, append)) = self.source(node) else {
                continue;
            };
            if !self.admits(slot, &source, node.span) {
                continue;
            }
            let mut parts = none_before.clone();
            parts.extend(when);
            let all =
                (!parts.is_empty()).then(|| self.builder.condition(Condition::And(parts.into())));
            ops.push(put(slot, source, at_the_end || append, all, rule));
            none_before.extend(when.map(|when| self.builder.condition(Condition::Not(when))));
        }
        ops
    }

    /// Reads a slot to clear: its name, or `{slot: NAME, when: CONDITION}`.
    fn clear(&mut self, node: &Node) -> Option<Op> {
        let (name, when) = self.conditional(node, "slot");
        let slot = self.source_slot(name, "a slot")?;
        Some(Op {
            kind: OpKind::Clear(slot),
            when,
            rule: self.builder.rule(node.span, self.origin),
        })
    }

    /// Reads a change of a counter: an integer or `{by: NUMBER, when: CONDITION}` for an increment, or `{to: NUMBER,
    /// when: CONDITION}` for a new value.
    fn count(&mut self, name: &str, span: Span, node: &Node) -> Option<Op> {
        let counter = self.counter(name, span);
        let (key, kind): (_, fn(CounterId, i64) -> OpKind) = if node.get("to").is_some() {
            ("to", OpKind::Recount)
        } else {
            ("by", OpKind::Count)
        };
        let (number, when) = self.conditional(node, key);
        let number = integer_of(number, name, self.found);
        Some(Op {
            kind: kind(counter?, number?),
            when,
            rule: self.builder.rule(span, self.origin),
        })
    }

    /// The declared counter with this name.
    fn counter(&mut self, name: &str, span: Span) -> Option<CounterId> {
        let builder = &*self.builder;
        let declared = |id: &CounterId| builder.counters[*id].is_declared;
        let names = &builder.names.counters;
        names.id(name).filter(declared).or_else(|| {
            let known = numbered(names.iter()).filter(|(id, _)| declared(id));
            Diagnostic::undefined(Code::UnknownCounter, "counter", name, span)
                .near(
                    name,
                    known.map(|(_, name)| name),
                    "declare it under `counters`",
                )
                .refuse(self.found)
        })
    }

    /// The value under `key` and the condition under `when`, if `node` is a map with one of these keys. Otherwise the
    /// node itself.
    fn conditional<'t>(
        &mut self,
        node: &'t Node,
        key: &'static str,
    ) -> (&'t Node, Option<ConditionId>) {
        if node.get("when").is_none() && node.get(key).is_none() {
            return (node, None);
        }
        let Some(mut fields) = Fields::open(node, "an operation", self.found) else {
            return (node, None);
        };
        let value = fields.raw(key);
        let when = fields.node("when");
        if value.is_none() {
            fields.missing(key);
        }
        fields.finish();
        (value.unwrap_or(node), self.when(when))
    }

    /// The condition of an operation, an outcome or a text.
    pub(super) fn when(&mut self, node: Option<&Node>) -> Option<ConditionId> {
        let Self {
            conditions,
            builder,
            found,
            ..
        } = self;
        node.map(|node| conditions.compile_when(node, builder, found))
    }

    fn text<'t>(&mut self, node: &'t Node, what: &str) -> Option<&'t str> {
        text_of(node, what, self.found)
    }

    fn source_slot(&mut self, node: &Node, what: &str) -> Option<SlotId> {
        let name = self.text(node, what)?;
        self.slot(name, node.span)
    }

    /// The slot with this name. If `fields_only` is set, it must be a field of a frame.
    fn slot(&mut self, name: &str, span: Span) -> Option<SlotId> {
        if self.fields_only {
            field_named(name, span, self.builder, self.found)
        } else {
            slot_named(name, span, self.builder, self.found)
        }
    }

    /// Whether a field can contain a constant.
    fn admits(&mut self, slot: SlotId, source: &ValueSource, span: Span) -> bool {
        let kind = self
            .builder
            .frames
            .field(slot)
            .map(|(_, field)| &field.kind);
        let (ValueSource::Constant(value), Some(kind)) = (source, kind) else {
            return true;
        };
        if kind.admits(value) {
            return true;
        }
        Diagnostic::error(
            self.code,
            format!(
                "field `{}` does not allow {value}",
                self.builder.names.slots.name(slot)
            ),
        )
        .at(span, "not allowed")
        .help("add the value under `fields`, or use an allowed one")
        .add_to(self.found);
        false
    }

    /// Reads the source of a value, and whether the value is appended to a list. A node is the value itself, unless it
    /// is a map with a known keyword.
    pub(super) fn source(&mut self, node: &Node) -> Option<(ValueSource, bool)> {
        let Content::Map(map) = &node.content else {
            let source = match node.text() {
                Some("$turn") => ValueSource::Turn,
                Some("$reading") => ValueSource::Reading,
                _ => ValueSource::Constant(Value::from(node)),
            };
            return Some((source, false));
        };
        let (key, value) = match map.entries.as_slice() {
            [(key, value)] => (&*key.text, value),
            [(key, value), (of, list)] if &*key.text == "among" && &*of.text == "of" => {
                let said = self.text(value, "among")?;
                let said = self.builder.slot(said);
                return Some((
                    ValueSource::Among(said, self.source_slot(list, "of")?),
                    false,
                ));
            }
            _ => ("", node),
        };
        let source = match key {
            "said" => {
                let name = self.text(value, key)?;
                ValueSource::Said(self.builder.slot(name))
            }
            "slot" => ValueSource::Slot(self.source_slot(value, key)?),
            "was" => ValueSource::Was(self.source_slot(value, key)?),
            "attempted" => ValueSource::Attempted(self.source_slot(value, key)?),
            "outcome" | "append" => ValueSource::Outcome(keys(self.text(value, key)?)),
            "answer" => self.answer(value)?,
            _ => {
                return Diagnostic::error(self.code, "unknown source of a value")
                    .at(node.span, "invalid source")
                    .near(
                        key,
                        SOURCES,
                        "write a value, `$turn`, `$reading`, or {said: NAME}, {said: NAME, or: FIELD}, {slot: NAME}, {was: FIELD}, {attempted: FIELD}, {outcome: KEY}, {answer: NEED.KEY}, {append: KEY}, {among: NAME, of: FIELD}",
                    )
                    .refuse(self.found);
            }
        };
        Some((source, key == "append"))
    }

    /// Reads a path into an answer: a kind of request or effect, followed by the nested keys.
    fn answer(&mut self, node: &Node) -> Option<ValueSource> {
        let path = self.text(node, "answer")?;
        let (need, path) = path.split_once('.').unwrap_or((path, ""));
        let effects = &self.builder.names.effects;
        match NeedKind::judgment(need).or_else(|| effects.id(need).map(NeedKind::Effect)) {
            Some(kind) => Some(ValueSource::Answer(NeedKey::first(kind), keys(path))),
            None => {
                let mut known: Vec<&str> = effects.iter().collect();
                known.extend(NeedKind::JUDGEMENTS.map(NeedKind::name));
                Diagnostic::undefined(self.code, "need", need, node.span)
                    .offer(need, "one of", known)
                    .refuse(self.found)
            }
        }
    }
}

/// Sets a slot, or appends to the list in the slot.
fn put(
    slot: SlotId,
    source: ValueSource,
    at_the_end: bool,
    when: Option<ConditionId>,
    rule: RuleId,
) -> Op {
    let kind = if at_the_end {
        OpKind::Append(slot, source)
    } else {
        OpKind::Set(slot, source)
    };
    Op { kind, when, rule }
}

/// The name and the field of `{said: NAME, or: FIELD}`.
fn said_or(node: &Node) -> Option<(&Node, &Node)> {
    match node.map()?.entries.as_slice() {
        [(said, name), (or, field)] if &*said.text == "said" && &*or.text == "or" => {
            Some((name, field))
        }
        _ => None,
    }
}
