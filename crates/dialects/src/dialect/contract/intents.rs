//! Intents of a contract and their phrases.

use std::collections::BTreeMap;

use regex::Regex;

use super::patterns::Patterns;
use crate::dialect::condition::Conditions;
use fsmsim_core::machine::{IntentPhrases, MachineBuilder, Phrase};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Key, Map, Node, text_of};
use fsmsim_syntax::shapes::Shape;

/// Whether an intent has phrases, or is the fallback intent.
pub(in crate::dialect) fn has_phrases(node: &Node) -> bool {
    ["say", "when", "fallback"]
        .into_iter()
        .any(|key| node.get(key).is_some())
}

/// Compiles the intents. Phrases can be grouped by language, and an intent can have a condition.
pub(super) fn compile(
    map: &Map,
    shape: &'static Shape,
    parts: &mut Patterns<'_>,
    conditions: &mut Conditions<'_>,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) -> Box<[IntentPhrases]> {
    let mut intents = Vec::new();
    languages(map, found);
    // The flow dialect reads the descriptions of intents itself.
    let has_descriptions = shape.key("about").is_some();
    let mut similar = Vec::new();
    for (key, node) in &map.entries {
        if !has_descriptions && !has_phrases(node) {
            continue;
        }
        let intent = builder.intent(&key.text);
        let Some(mut fields) = Fields::of(node, shape, found) else {
            continue;
        };
        if has_descriptions {
            let about = fields.text("about");
            fields.texts("examples");
            let examples = fields.node("examples");
            let others = fields.entries("confused_with");
            // Recognizers receive the descriptions of the intents.
            let described = builder.descriptions.grow(intent);
            if let Some(about) = about {
                described.description = about.into();
            }
            if let Some(node) = examples {
                (described.examples, described.example_spans) = located(node.items());
            }
            described.confused_with = differences(others, fields.found());
            similar.extend(others.iter().map(|(other, _)| other));
        }
        let [say, when] = fields.nodes(["say", "when"]);
        let fallback = fields.boolean("fallback").unwrap_or(false);
        fields.finish();
        let phrases: Vec<&Node> = match say.and_then(Node::map) {
            Some(languages) => languages
                .entries
                .iter()
                .flat_map(|(_, node)| node.items())
                .collect(),
            None => say.map(Node::items).unwrap_or_default().iter().collect(),
        };
        let when = when.map(|node| conditions.compile_when(node, builder, found));
        let mut patterns: Vec<Regex> = Vec::new();
        for node in phrases {
            let Some((_, pattern)) = parts.phrase(node, "a phrase", found) else {
                continue;
            };
            if pattern.is_match("") {
                Diagnostic::error(Code::InvalidIntent, "pattern matches every text")
                    .at(node.span, "matches empty text")
                    .help("write the words of the phrase")
                    .add_to(found);
            } else {
                patterns.push(pattern);
            }
        }
        for name in patterns.iter().flat_map(Regex::capture_names).flatten() {
            builder.slot(name);
        }
        intents.push(IntentPhrases {
            intent,
            span: key.span,
            when,
            fallback,
            patterns: patterns.into_iter().map(Phrase::new).collect(),
        });
    }
    for other in similar {
        check_similar(other, builder, found);
    }
    intents.into()
}

/// The intents under `confused_with`, each with the difference.
pub(in crate::dialect) fn differences(
    others: &[(Key, Node)],
    found: &mut Diagnostics,
) -> Box<[(Box<str>, Box<str>)]> {
    let difference = |(other, node): &(Key, Node)| {
        let text = text_of(node, &other.text, found)?;
        Some((other.text.clone(), text.into()))
    };
    others.iter().filter_map(difference).collect()
}

/// Examples, and their locations.
pub(in crate::dialect) fn located(examples: &[Node]) -> (Box<[Box<str>]>, Box<[Span]>) {
    let located = examples
        .iter()
        .filter_map(|node| Some((node.text()?.into(), node.span)));
    let (texts, spans): (Vec<Box<str>>, Vec<Span>) = located.unzip();
    (texts.into(), spans.into())
}

/// Reports an unknown intent under `confused_with`.
pub(in crate::dialect) fn check_similar(
    other: &Key,
    builder: &MachineBuilder,
    found: &mut Diagnostics,
) {
    if builder.names.intents.id(&other.text).is_none() {
        Diagnostic::warning(
            Code::UnknownReference,
            format!("unknown intent `{}`", other.text),
        )
        .at(other.span, "used only here")
        .near(
            &other.text,
            builder.names.intents.iter(),
            "use an intent of the model",
        )
        .add_to(found);
    }
}

/// Reports intents without phrases in a language, if at least two other intents have phrases in it.
fn languages(map: &Map, found: &mut Diagnostics) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (key, _) in map
        .entries
        .iter()
        .filter_map(|(_, node)| node.get("say")?.map())
        .flat_map(|say| &say.entries)
    {
        *counts.entry(&key.text).or_default() += 1;
    }
    for (intent, node) in &map.entries {
        let Some(present) = node.get("say").and_then(Node::map) else {
            continue;
        };
        let present: Vec<&str> = present.entries.iter().map(|(key, _)| &*key.text).collect();
        let lacking = counts
            .iter()
            .find(|(name, count)| **count > 1 && !present.contains(*name));
        let Some((name, _)) = lacking else { continue };
        Diagnostic::warning(
            Code::MissingLanguage,
            format!("intent `{}` has no phrases in `{name}`", intent.text),
        )
        .at(intent.span, format!("only {}", present.join(", ")))
        .help(format!(
            "add phrases under `{name}`, or correct the language"
        ))
        .add_to(found);
    }
}
