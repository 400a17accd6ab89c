//! The domain of a Rasa project: intents with examples, slots, forms and responses.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::utterance::{each_named, intent_name, read_utterance, value_of};
use crate::convert::names::{clean, slot_name};
use crate::convert::omission::Omissions;
use fsmsim_syntax::diagnostic::Span;
use fsmsim_syntax::document::{Map, Node};

/// The domain and the NLU examples.
#[derive(Debug, Default)]
pub(super) struct RasaDomain {
    /// Examples by intent.
    pub intents: IndexMap<String, Vec<String>>,
    /// The initial values of slots and entities, in YAML syntax.
    pub slots: IndexMap<String, Option<String>>,
    /// Required slots by form.
    pub forms: IndexMap<String, Vec<String>>,
    /// The first text of each response.
    pub responses: BTreeMap<String, (String, Span)>,
}

impl RasaDomain {
    /// Reads the keys of a file that are not about stories.
    pub(super) fn read(&mut self, file: &Map, left: &mut Omissions) {
        for (key, node) in &file.entries {
            match &*key.text {
                "intents" => each_named(node, |name, span, options| {
                    self.intents.entry(intent_name(name)).or_default();
                    if options.is_some_and(|options| options.get("triggers").is_some()) {
                        left.count("action that an intent triggers in the domain", span, name);
                    }
                }),
                "entities" => each_named(node, |name, _, _| {
                    self.slots.entry(slot_name(name, "entity")).or_default();
                }),
                "slots" => each_named(node, |name, _, options| {
                    let initial = options.and_then(|options| options.get("initial_value"));
                    let initial = initial.and_then(value_of);
                    self.slots.insert(slot_name(name, "slot"), initial);
                }),
                "forms" => each_named(node, |name, _, options| {
                    let slots = options.map(required_slots).unwrap_or_default();
                    for slot in &slots {
                        self.slots.entry(slot.clone()).or_default();
                    }
                    self.forms.insert(clean(name, "action"), slots);
                }),
                "responses" | "templates" => each_named(node, |name, span, variants| {
                    self.response(name, span, variants, left);
                }),
                "nlu" => {
                    for item in node.items() {
                        self.examples(item, left);
                    }
                }
                "stories" | "rules" | "version" | "actions" | "session_config" => {}
                other => left.count("key of a file", key.span, other),
            }
        }
    }

    fn response(&mut self, name: &str, span: Span, texts: Option<&Node>, left: &mut Omissions) {
        let variants = texts.map(Node::items).unwrap_or_default();
        for (key, _) in variants.iter().flat_map(Node::entries) {
            if &*key.text != "text" {
                let kind = "part of a response other than text";
                left.count(kind, key.span, &key.text);
            }
        }
        let mut texts = variants
            .iter()
            .filter_map(|variant| variant.get("text")?.text());
        if let Some(text) = texts.next() {
            let text = (text.trim().to_owned(), span);
            self.responses.insert(clean(name, "action"), text);
        }
        if texts.next().is_some() {
            left.count("text of a response after the first one", span, name);
        }
    }

    fn examples(&mut self, item: &Node, left: &mut Omissions) {
        let Some(intent) = item.get("intent").and_then(Node::text) else {
            if let Some((key, value)) = item.entries().first() {
                let kind = "NLU entry that is not an intent";
                left.count(kind, key.span, value.text().unwrap_or(&key.text));
            }
            return;
        };
        let known = self.intents.entry(intent_name(intent)).or_default();
        for example in item.get("examples").map(Node::items).unwrap_or_default() {
            let text = example.text().or_else(|| example.get("text")?.text());
            for line in text.unwrap_or_default().lines() {
                let line = line.trim();
                let (said, entities) = read_utterance(line.strip_prefix("- ").unwrap_or(line));
                for entity in entities.into_keys() {
                    self.slots.entry(entity).or_default();
                }
                known.extend(Some(said).filter(|said| !said.is_empty()));
            }
        }
    }
}

/// The required slots of a form. In Rasa 2.0, they are the keys of the form.
fn required_slots(options: &Node) -> Vec<String> {
    let mut slots = Vec::new();
    let required = options.get("required_slots");
    each_named(required.unwrap_or(options), |name, _, mappings| {
        if required.is_some() || mappings.is_some_and(|it| it.list().is_some()) {
            slots.push(slot_name(name, "slot"));
        }
    });
    slots.retain(|slot| slot != "ignored_intents");
    slots
}
