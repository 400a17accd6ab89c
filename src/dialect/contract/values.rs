//! What is put into fields: constants, what the turn brings, what was there, what the backend gave.

use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::dialect::condition::field_named;
use crate::document::{Content, Map, Node, text_of};
use crate::engine::policy::contract::{Mutation, ValueSource};
use crate::machine::{MachineBuilder, OriginId, Value};

/// Words for where a value comes from, as the one key of a map.
const SOURCES: [&str; 6] = ["said", "was", "attempted", "outcome", "append", "among"];

/// Reads a map of fields and what is put there.
pub(super) fn mutations(
    map: &Map,
    origin: OriginId,
    code: Code,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> Box<[Mutation]> {
    let mut mutations = Vec::new();
    for (key, node) in &map.entries {
        let Some(slot) = field_named(&key.text, key.span, builder, found) else { continue };
        let rule = builder.rule(key.span, origin);
        // What the turn does not bring is taken from the other field: put there first, it stays.
        if let Some((said, other)) = said_or(node) {
            let said = text_of(said, "a source", found).map(|name| ValueSource::Said(builder.slot(name)));
            let name = text_of(other, "a source", found);
            let other = name.and_then(|name| field_named(name, other.span, builder, found));
            if let (Some(other), Some(said)) = (other, said) {
                let sources = [ValueSource::Was(other), said];
                mutations.extend(sources.map(|source| Mutation { slot, source, rule }));
            }
            continue;
        }
        let Some(source) = source(node, code, builder, found) else { continue };
        let kind = builder.frames.field(slot).map(|(_, field)| &field.kind);
        if let (ValueSource::Constant(value), Some(kind)) = (&source, kind)
            && !kind.admits(value)
        {
            Diagnostic::error(code, format!("`{}` cannot hold {value}", key.text))
                .at(node.span, "not allowed")
                .help("declare the value under `fields`, or put another one here")
                .add_to(found);
            continue;
        }
        mutations.push(Mutation { slot, source, rule });
    }
    mutations.into()
}

/// The name and the field of `{said: NAME, or: FIELD}`.
fn said_or(node: &Node) -> Option<(&Node, &Node)> {
    match node.map()?.entries.as_slice() {
        [(said, name), (or, field)] if &*said.text == "said" && &*or.text == "or" => Some((name, field)),
        _ => None,
    }
}

/// Reads where a value comes from. Everything that is no map with a known word is the value itself.
fn source(node: &Node, code: Code, builder: &mut MachineBuilder, found: &mut Diagnostics) -> Option<ValueSource> {
    let Content::Map(map) = &node.content else {
        return Some(match node.text() {
            Some("$turn") => ValueSource::Turn,
            Some("$reading") => ValueSource::Reading,
            _ => ValueSource::Constant(Value::from(node)),
        });
    };
    let (key, value) = match map.entries.as_slice() {
        [(key, value)] => (&*key.text, value),
        [(key, value), (of, list)] if &*key.text == "among" && &*of.text == "of" => {
            let said = builder.slot(text_of(value, "among", found)?);
            let list = field_named(text_of(list, "of", found)?, list.span, builder, found)?;
            return Some(ValueSource::Among(said, list));
        }
        _ => ("", node),
    };
    let name = if SOURCES.contains(&key) { text_of(value, "a source", found)? } else { "" };
    match key {
        "said" => Some(ValueSource::Said(builder.slot(name))),
        "was" => field_named(name, value.span, builder, found).map(ValueSource::Was),
        "attempted" => field_named(name, value.span, builder, found).map(ValueSource::Attempted),
        "outcome" => Some(ValueSource::Outcome(name.into())),
        "append" => Some(ValueSource::Append(name.into())),
        _ => Diagnostic::error(code, "nobody knows where this value comes from")
            .at(node.span, "not understood")
            .near(
                key,
                SOURCES,
                "write a value, `$turn`, `$reading`, or {said: NAME}, {said: NAME, or: FIELD}, {was: FIELD}, {attempted: FIELD}, {outcome: KEY}, {append: KEY}, {among: NAME, of: FIELD}",
            )
            .refuse(found),
    }
}
