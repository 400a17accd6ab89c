//! Base categories and composed categories of intents (docs/src/explanation/flows.md).

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::layers::{Layers, names_of};
use crate::dialect::NameTable;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Key, Node};
use fsmsim_syntax::shapes;

/// The intents of all categories in the section `intents` of the constants, in the order of definition.
pub(super) fn resolve<'a>(
    intents: &Layers<'a>,
    found: &mut Diagnostics,
) -> NameTable<'a, Vec<&'a str>> {
    let base: NameTable<'a, Vec<&'a str>> = intents
        .section("categories")
        .entries()
        .into_iter()
        .map(|(key, node)| (&*key.text, names_of(node, &key.text, found)))
        .collect();
    let mut all = base.clone();
    for (key, node) in intents.section("composed_categories").entries() {
        if let Some(members) = compose(key, node, &base, &all, found) {
            all.insert(&key.text, members);
        }
    }
    all
}

/// The intents of a composed category: first its direct intents, then intents of base categories with a prefix, then
/// the intents of included categories. Duplicates are removed.
fn compose<'a>(
    key: &'a Key,
    node: &'a Node,
    base: &NameTable<'a, Vec<&'a str>>,
    all: &NameTable<'a, Vec<&'a str>>,
    found: &mut Diagnostics,
) -> Option<Vec<&'a str>> {
    let mut fields = Fields::of(node, &shapes::COMPOSED_PARTS, found)?;
    let includes = fields.node("includes");
    let direct = fields.texts("direct_intents");
    let auto = fields.node("auto_include");
    fields.raw("description");
    fields.finish();
    if includes.is_none() && direct.is_empty() && auto.is_none() {
        return None;
    }
    let mut members: IndexSet<&'a str, FxBuildHasher> = direct.into_iter().collect();
    if let Some(auto) = auto {
        let mut fields = Fields::of(auto, &shapes::AUTO_INCLUDE, found)?;
        let prefix = fields.text("intent_prefix").unwrap_or_default();
        let excluded = fields.texts("exclude_categories");
        fields.finish();
        let chosen = base.iter().filter(|(name, intents)| {
            !prefix.is_empty()
                && **name != &*key.text
                && !excluded.contains(name)
                && intents.iter().any(|intent| intent.starts_with(prefix))
        });
        members.extend(chosen.flat_map(|(_, intents)| intents.iter().copied()));
    }
    for item in includes.map(Node::items).unwrap_or_default() {
        let Some(name) = item.text() else { continue };
        match all.get(name) {
            Some(intents) => members.extend(intents.iter().copied()),
            None => {
                Diagnostic::warning(Code::UnknownCategory, format!("unknown category `{name}`"))
                    .at(item.span, "not defined above")
                    .near(name, all.keys().copied(), "define it above, or remove it")
                    .add_to(found);
            }
        }
    }
    Some(members.into_iter().collect())
}
