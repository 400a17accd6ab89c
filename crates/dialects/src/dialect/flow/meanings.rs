//! What intents mean, in words: `intents` of a flow over `intents.meanings` of the constants.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::layers::Layers;
use fsmsim_core::machine::{IntentDescription, MachineBuilder};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Key, Node, text_of, wrong_type};
use fsmsim_syntax::shapes;

/// What is written about intents, in the order of the files.
#[derive(Debug, Default)]
pub(super) struct Meanings<'a> {
    entries: IndexMap<&'a str, DescriptionEntry<'a>, FxBuildHasher>,
}

/// What is written about one intent. Each key of a flow wins over that of its root.
#[derive(Debug, Default)]
struct DescriptionEntry<'a> {
    description: Option<&'a str>,
    examples: Option<Vec<&'a str>>,
    confused_with: Option<Vec<(&'a Key, &'a str)>>,
    bypass: Option<bool>,
}

impl<'a> DescriptionEntry<'a> {
    fn others(&self) -> impl Iterator<Item = (&'a Key, &'a str)> {
        self.confused_with.iter().flatten().copied()
    }
}

impl<'a> Meanings<'a> {
    /// Reads what the flow says over what its constants say.
    pub(super) fn read(
        flow: Option<&'a Node>,
        constants: &Layers<'a>,
        found: &mut Diagnostics,
    ) -> Self {
        let mut meanings = Self::default();
        let mut below = constants.section("intents").all("meanings");
        below.reverse();
        for node in below {
            meanings.lay_over(node, "`meanings`", found);
        }
        if let Some(node) = flow {
            meanings.lay_over(node, "`intents`", found);
        }
        meanings
    }

    fn lay_over(&mut self, node: &'a Node, what: &str, found: &mut Diagnostics) {
        let Some(map) = node.map() else {
            if !node.is_null() {
                wrong_type(node, &format!("{what} is a map of intents"), found);
            }
            return;
        };
        for (key, node) in &map.entries {
            let entry = self.entries.entry(&key.text).or_default();
            // An intent may be named and nothing said about it.
            if node.is_null() {
                continue;
            }
            let Some(mut fields) = Fields::of(node, &shapes::INTENT_WORDS, found) else {
                continue;
            };
            entry.description = fields.text("description").or(entry.description);
            if fields.node("examples").is_some() {
                entry.examples = Some(fields.texts("examples"));
            }
            if fields.node("confused_with").is_some() {
                let others = fields.entries("confused_with").iter();
                let others = others.filter_map(|(other, node)| {
                    Some((other, text_of(node, "confused_with", fields.found())?))
                });
                entry.confused_with = Some(others.collect());
            }
            entry.bypass = fields.boolean("bypass_disambiguation").or(entry.bypass);
            fields.finish();
        }
    }

    /// Mints the intents with their meanings.
    pub(super) fn mint(&self, builder: &mut MachineBuilder) {
        for (name, entry) in &self.entries {
            let id = builder.intent(name);
            *builder.descriptions.grow(id) = IntentDescription {
                description: entry.description.unwrap_or_default().into(),
                examples: entry
                    .examples
                    .iter()
                    .flatten()
                    .map(|text| (*text).into())
                    .collect(),
                confused_with: entry
                    .others()
                    .map(|(other, text)| (other.text.clone(), text.into()))
                    .collect(),
            };
        }
    }

    /// Tells intents that others are said to be confused with and that nothing knows, in the files of the flow itself: constants
    /// are for several flows.
    pub(super) fn check(
        &self,
        own: Option<&Node>,
        builder: &MachineBuilder,
        found: &mut Diagnostics,
    ) {
        let own = own.map(|node| node.span.file);
        let others = self
            .entries
            .values()
            .flat_map(DescriptionEntry::others)
            .map(|(other, _)| other);
        for other in others.filter(|other| Some(other.span.file) == own) {
            if builder.names.intents.id(&other.text).is_none() {
                Diagnostic::warning(
                    Code::Stranger,
                    format!("nothing in the flow knows the intent `{}`", other.text),
                )
                .at(other.span, "named only here")
                .near(
                    &other.text,
                    builder.names.intents.iter(),
                    "name an intent of the flow",
                )
                .add_to(found);
            }
        }
    }

    /// The intents that are carried out however uncertain they are.
    pub(super) fn bypass(&self) -> Vec<Box<str>> {
        let sure = self
            .entries
            .iter()
            .filter(|(_, entry)| entry.bypass == Some(true));
        sure.map(|(name, _)| (*name).into()).collect()
    }
}
