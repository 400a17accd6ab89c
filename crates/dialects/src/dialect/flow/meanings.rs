//! Descriptions of intents. `intents` in a flow overrides `intents.meanings` in the constants.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::layers::Layers;
use crate::dialect::contract::{check_similar, differences, located};
use fsmsim_core::machine::{IntentDescription, MachineBuilder};
use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Fields, Key, Node, wrong_type};
use fsmsim_syntax::shapes::{self, Shape};

/// The descriptions of intents, in the order of the files.
#[derive(Debug, Default)]
pub(super) struct Meanings<'a> {
    entries: IndexMap<&'a str, DescriptionEntry<'a>, FxBuildHasher>,
}

/// The description of one intent. Keys of a flow override keys of its root.
#[derive(Debug, Default)]
struct DescriptionEntry<'a> {
    description: Option<&'a str>,
    examples: &'a [Node],
    confused_with: &'a [(Key, Node)],
    differences: Box<[(Box<str>, Box<str>)]>,
    bypass: Option<bool>,
}

impl<'a> Meanings<'a> {
    /// Reads the descriptions in the constants, and overrides them with those in the flow.
    pub(super) fn read(
        flow: Option<&'a Node>,
        constants: &Layers<'a>,
        found: &mut Diagnostics,
    ) -> Self {
        let mut meanings = Self::default();
        let mut below = constants.section("intents").all("meanings");
        below.reverse();
        for node in below {
            meanings.merge_over(node, ("`meanings`", &shapes::INTENT_WORDS), found);
        }
        if let Some(node) = flow {
            meanings.merge_over(node, ("`intents`", &shapes::DESCRIBED_INTENT), found);
        }
        meanings
    }

    fn merge_over(
        &mut self,
        node: &'a Node,
        (what, shape): (&str, &'static Shape),
        found: &mut Diagnostics,
    ) {
        let Some(map) = node.map() else {
            if !node.is_null() {
                wrong_type(node, &format!("{what} is a map of intents"), found);
            }
            return;
        };
        for (key, node) in &map.entries {
            let entry = self.entries.entry(&key.text).or_default();
            // An intent can be listed without a description.
            if node.is_null() {
                continue;
            }
            let Some(mut fields) = Fields::of(node, shape, found) else {
                continue;
            };
            entry.description = fields.text("description").or(entry.description);
            if let Some(node) = fields.node("examples") {
                fields.texts("examples");
                entry.examples = node.items();
            }
            if fields.node("confused_with").is_some() {
                entry.confused_with = fields.entries("confused_with");
                entry.differences = differences(entry.confused_with, fields.found());
            }
            entry.bypass = fields.boolean("bypass_disambiguation").or(entry.bypass);
            fields.finish();
        }
    }

    /// Declares the intents with their descriptions.
    pub(super) fn mint(&self, builder: &mut MachineBuilder) {
        for (name, entry) in &self.entries {
            let id = builder.intent(name);
            let (examples, example_spans) = located(entry.examples);
            *builder.descriptions.grow(id) = IntentDescription {
                description: entry.description.unwrap_or_default().into(),
                examples,
                example_spans,
                confused_with: entry.differences.clone(),
            };
        }
    }

    /// Reports unknown intents under `confused_with` in the files of the flow. Constants are not checked, because
    /// several flows share them.
    pub(super) fn check(
        &self,
        own: Option<&Node>,
        builder: &MachineBuilder,
        found: &mut Diagnostics,
    ) {
        let own = own.map(|node| node.span.file);
        for other in self
            .entries
            .values()
            .flat_map(|entry| entry.confused_with)
            .map(|(other, _)| other)
            .filter(|other| Some(other.span.file) == own)
        {
            check_similar(other, builder, found);
        }
    }

    /// The intents that are accepted with any confidence.
    pub(super) fn bypass(&self) -> Vec<Box<str>> {
        self.entries
            .iter()
            .filter(|(_, entry)| entry.bypass == Some(true))
            .map(|(name, _)| (*name).into())
            .collect()
    }
}
