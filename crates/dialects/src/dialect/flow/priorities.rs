//! The priority table as written (docs/sales.md, "The priority table").

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::inherit::merge;
use super::layers::Layers;
use crate::dialect::NameTable;
use crate::dialect::condition::{Conditions, unknown};
use fsmsim_core::machine::{
    Handler, IntentId, MachineBuilder, PriorityEntry, PrioritySource, Trigger,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Map, Node, integer_of, text_of, texts_of, wrong_type};
use fsmsim_syntax::shapes;

/// A table of entries, each with its overrides merged in.
#[derive(Default)]
pub(super) struct PriorityText<'a> {
    entries: Vec<Cow<'a, Node>>,
}

impl<'a> PriorityText<'a> {
    /// The table of a flow: the default one of `files`, changed or replaced by what the flow says.
    pub(super) fn resolve(
        files: &[&'a Node],
        own: Option<&'a Node>,
        profile: Option<&'a Node>,
        found: &mut Diagnostics,
    ) -> Self {
        let named =
            profile.and_then(|node| Some((text_of(node, "priorities_profile", found)?, node)));
        let mut table = match named {
            Some((name, node)) => {
                Self::profile(files, name, node, &mut FxHashSet::default(), found)
            }
            None => {
                let node = files.iter().find_map(|file| file.get("default_priorities"));
                node.map(|node| Self::of(files, node, &mut FxHashSet::default(), found))
                    .unwrap_or_default()
            }
        };
        match own {
            None => {}
            Some(node) if node.list().is_some() => table = Self::listed(node),
            Some(node) => table.lay_over(node, found),
        }
        table
    }

    /// The table of a name: a list, or a map that extends another table.
    fn profile(
        files: &[&'a Node],
        name: &'a str,
        at: &Node,
        seen: &mut FxHashSet<&'a str>,
        found: &mut Diagnostics,
    ) -> Self {
        let Some(node) = files.iter().find_map(|file| file.get(name)) else {
            let known = files
                .iter()
                .filter_map(|file| file.map())
                .flat_map(Map::keys);
            unknown(Code::UnknownPriority, "priority table", name, at.span)
                .near(name, known, "define it in `priorities.yaml`")
                .add_to(found);
            return Self::default();
        };
        if !seen.insert(name) {
            Diagnostic::error(
                Code::ExtendsCycle,
                format!("the priority table `{name}` extends itself"),
            )
            .at(at.span, "closes the circle")
            .help("take one `extends` out of the circle")
            .add_to(found);
            return Self::default();
        }
        Self::of(files, node, seen, found)
    }

    fn of(
        files: &[&'a Node],
        node: &'a Node,
        seen: &mut FxHashSet<&'a str>,
        found: &mut Diagnostics,
    ) -> Self {
        if node.map().is_none() {
            return Self::listed(node);
        }
        let parent = node
            .get("extends")
            .and_then(|parent| Some((text_of(parent, "extends", found)?, parent)));
        let parent = parent.map(|(name, parent)| Self::profile(files, name, parent, seen, found));
        let mut table = parent.unwrap_or_default();
        table.lay_over(node, found);
        table
    }

    fn listed(node: &'a Node) -> Self {
        Self {
            entries: node
                .list()
                .unwrap_or_default()
                .iter()
                .map(Cow::Borrowed)
                .collect(),
        }
    }

    /// Merges the `overrides` of a map into the entries of the same names; unknown names change nothing.
    fn lay_over(&mut self, node: &'a Node, found: &mut Diagnostics) {
        if let Some(map) = node.map() {
            shapes::PRIORITY_CHANGES.check(map, found);
        }
        for over in node
            .get("overrides")
            .and_then(Node::list)
            .unwrap_or_default()
        {
            let Some(name) = over.get("name").and_then(Node::text) else {
                Diagnostic::error(
                    Code::UnknownPriority,
                    "an override needs the `name` of an entry",
                )
                .at(over.span, "")
                .add_to(found);
                continue;
            };
            let mut known = self
                .entries
                .iter_mut()
                .filter(|entry| entry.get("name").and_then(Node::text) == Some(name))
                .peekable();
            if known.peek().is_none() {
                let title = format!("there is no priority entry `{name}` to override");
                Diagnostic::warning(Code::UnknownPriority, title)
                    .at(over.span, "changes nothing")
                    .add_to(found);
            }
            for entry in known {
                let merged = merge(entry, over, over.span);
                *entry = merged;
            }
        }
    }

    /// Adds the entries to the machine. A step back may rank alone, without the other moves of its turn.
    pub(super) fn lower(
        &self,
        constants: &Layers<'a>,
        categories: &NameTable<'a, Vec<&'a str>>,
        conditions: &Conditions<'a>,
        steps_alone: bool,
        builder: &mut MachineBuilder,
        found: &mut Diagnostics,
    ) {
        for entry in &self.entries {
            let Some(map) = entry.map() else {
                wrong_type(entry, "a priority entry is a map", found);
                continue;
            };
            shapes::PRIORITY_ENTRY.check(map, found);
            let value = |key: &str| map.get(key).filter(|node| !node.is_null());
            let mut text = |key: &str| value(key).and_then(|node| text_of(node, key, found));
            let name = text("name").unwrap_or_default();
            let flag = text("feature_flag").map(|name| builder.flag(name));
            let trigger = text("trigger").map(|word| word.parse().unwrap_or(Trigger::Unknown));
            let handler =
                text("handler").map(|word| match word.parse().unwrap_or(Handler::Unknown) {
                    Handler::CircularFlow if steps_alone => Handler::StepBack,
                    handler => handler,
                });
            let source = text("source").map(|word| word.parse().unwrap_or(PrioritySource::Unknown));
            let else_transitions = text("else") == Some("use_transitions");
            let condition = text("condition").map(|name| conditions.resolve(name, builder));
            let action = text("action").map(|name| builder.action(name));
            let default_action = text("default_action").map(|name| builder.action(name));
            let category = text("intent_category").map(|name| {
                let list = constants
                    .section("intents")
                    .get(name)
                    .filter(|node| node.list().is_some());
                match list {
                    Some(node) => mint(texts_of(node, name, &mut Diagnostics::default()), builder),
                    None => mint(categories.get(name).cloned().unwrap_or_default(), builder),
                }
            });
            let is_true = |key: &str| value(key).and_then(Node::boolean) == Some(true);
            let (use_resolver, use_transitions) =
                (is_true("use_resolver"), is_true("use_transitions"));
            let intents =
                value("intents").map(|node| mint(texts_of(node, "intents", found), builder));
            let span = map.entries.first().map(|(key, _)| key.span);
            let Some(rank) = value("priority").and_then(|node| integer_of(node, "priority", found))
            else {
                let finding = Diagnostic::error(
                    Code::UnknownPriority,
                    format!("the priority entry `{name}` has no number"),
                );
                let finding = span.into_iter().fold(finding, |finding, span| {
                    finding.at(span, "needs `priority: NUMBER`")
                });
                found.push(finding.help("give it a whole number; a smaller one wins"));
                continue;
            };
            let entry = PriorityEntry {
                rank,
                flag,
                intents,
                category,
                trigger,
                condition,
                else_transitions,
                handler,
                action,
                source,
                use_resolver,
                use_transitions,
                default_action,
                span,
            };
            builder.priority(name, entry);
        }
    }
}

fn mint(names: Vec<&str>, builder: &mut MachineBuilder) -> Box<[IntentId]> {
    names.into_iter().map(|name| builder.intent(name)).collect()
}
