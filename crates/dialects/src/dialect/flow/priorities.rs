//! Priority tables (docs/src/explanation/sales-policy.md).

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use super::constants::Constants;
use super::inherit::merge;
use crate::dialect::condition::Conditions;
use fsmsim_core::machine::{
    Handler, IntentId, MachineBuilder, PriorityEntry, PrioritySource, Switches, Trigger,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Map, Node, integer_of, text_of, texts_of, wrong_type};
use fsmsim_syntax::shapes;

/// The entries of a priority table, with overrides merged.
type Entries<'a> = Vec<Cow<'a, Node>>;

/// The priority table of a flow: the default table in `files`, which the flow can change or replace.
pub(super) fn resolve<'a>(
    files: &[&'a Node],
    own: Option<&'a Node>,
    profile: Option<&'a Node>,
    found: &mut Diagnostics,
) -> Entries<'a> {
    let seen = FxHashSet::default();
    let mut reader = TableReader { files, seen, found };
    let mut table = match profile.and_then(|node| reader.named(node, "priorities_profile")) {
        Some(table) => table,
        None => {
            let node = files.iter().find_map(|file| file.get("default_priorities"));
            node.map(|node| reader.table(node)).unwrap_or_default()
        }
    };
    match own {
        None => {}
        Some(node) if node.list().is_some() => table = listed(node),
        Some(node) => reader.merge_over(&mut table, node),
    }
    table
}

fn listed(node: &Node) -> Entries<'_> {
    node.list()
        .unwrap_or_default()
        .iter()
        .map(Cow::Borrowed)
        .collect()
}

/// A reader of tables that extend each other.
struct TableReader<'a, 'f> {
    files: &'f [&'a Node],
    /// The names that were looked up.
    seen: FxHashSet<&'a str>,
    found: &'f mut Diagnostics,
}

impl<'a> TableReader<'a, '_> {
    /// The table with this name: a list, or a map that extends another table. `None` if the name is not a string.
    fn named(&mut self, at: &'a Node, key: &str) -> Option<Entries<'a>> {
        let name = text_of(at, key, self.found)?;
        let Some(node) = self.files.iter().find_map(|file| file.get(name)) else {
            let maps = self.files.iter().filter_map(|file| file.map());
            Diagnostic::undefined(Code::UnknownPriority, "priority table", name, at.span)
                .near(
                    name,
                    maps.flat_map(Map::keys),
                    "define it in `priorities.yaml`",
                )
                .add_to(self.found);
            return Some(Entries::default());
        };
        if !self.seen.insert(name) {
            Diagnostic::error(
                Code::ExtendsCycle,
                format!("priority table `{name}` extends itself"),
            )
            .at(at.span, "closes the cycle")
            .help("remove one `extends` from the cycle")
            .add_to(self.found);
            return Some(Entries::default());
        }
        Some(self.table(node))
    }

    fn table(&mut self, node: &'a Node) -> Entries<'a> {
        if node.map().is_none() {
            return listed(node);
        }
        let parent = node.get("extends");
        let mut table = parent
            .and_then(|parent| self.named(parent, "extends"))
            .unwrap_or_default();
        self.merge_over(&mut table, node);
        table
    }

    /// Merges the `overrides` of a map into the entries with the same names. Reports unknown names.
    fn merge_over(&mut self, table: &mut Entries<'a>, node: &'a Node) {
        if let Some(map) = node.map() {
            shapes::PRIORITY_CHANGES.check(map, self.found);
        }
        for over in node
            .get("overrides")
            .and_then(Node::list)
            .unwrap_or_default()
        {
            let Some(name) = over.get("name").and_then(Node::text) else {
                Diagnostic::error(Code::UnknownPriority, "missing `name` in an override")
                    .at(over.span, "")
                    .add_to(self.found);
                continue;
            };
            let mut is_known = false;
            for entry in &mut *table {
                if entry.get("name").and_then(Node::text) == Some(name) {
                    is_known = true;
                    *entry = merge(entry, over, over.span);
                }
            }
            if !is_known {
                Diagnostic::warning(
                    Code::UnknownPriority,
                    format!("unknown priority entry `{name}` in an override"),
                )
                .at(over.span, "no effect")
                .add_to(self.found);
            }
        }
    }
}

/// Adds entries to the machine. With `go_back_target`, going back is ranked separately from other transitions of the
/// turn.
pub(super) fn lower<'a>(
    entries: &[Cow<'a, Node>],
    constants: &Constants<'a>,
    conditions: &Conditions<'a>,
    switches: Switches,
    builder: &mut MachineBuilder,
    found: &mut Diagnostics,
) {
    let known = known_names(constants, builder);
    for map in entries.iter().filter_map(|entry| entry.map()) {
        check_names(map, &known, conditions, switches, found);
    }
    let mut names = FxHashSet::default();
    for entry in entries {
        let Some(map) = entry.map() else {
            wrong_type(entry, "a priority entry is a map", found);
            continue;
        };
        if let Some((node, name)) = entry
            .get("name")
            .and_then(|node| Some((node, node.text()?)))
            && !names.insert(name)
        {
            Diagnostic::error_if(
                switches.strict_load,
                Code::UnknownPriority,
                format!("priority entry `{name}` is defined twice"),
            )
            .at(node.span, "second definition")
            .help("rename one of the entries")
            .add_to(found);
        }
        shapes::PRIORITY_ENTRY.check(map, found);
        let value = |key: &str| map.given(key);
        let mut text = |key: &str| value(key).and_then(|node| text_of(node, key, found));
        let name = text("name").unwrap_or_default();
        let flag = text("feature_flag").map(|name| builder.flag(name));
        let trigger = text("trigger").map(|word| word.parse().unwrap_or(Trigger::Unknown));
        let handler = text("handler").map(|word| match word.parse().unwrap_or(Handler::Unknown) {
            Handler::CircularFlow if switches.go_back_target => Handler::StepBack,
            handler => handler,
        });
        let source = text("source").map(|word| word.parse().unwrap_or(PrioritySource::Unknown));
        let else_transitions = text("else") == Some("use_transitions");
        let condition = text("condition").map(|name| conditions.resolve(name, builder));
        let action = text("action").map(|name| builder.action(name));
        let default_action = text("default_action").map(|name| builder.action(name));
        let category = text("intent_category").map(|name| intents_of(name, constants, builder));
        let is_true = |key: &str| value(key).and_then(Node::boolean) == Some(true);
        let use_resolver = is_true("use_resolver");
        let use_transitions = is_true("use_transitions");
        let intents = value("intents").map(|node| mint(texts_of(node, "intents", found), builder));
        let span = map.entries.first().map(|(key, _)| key.span);
        let Some(rank) = value("priority").and_then(|node| integer_of(node, "priority", found))
        else {
            Diagnostic::error(
                Code::UnknownPriority,
                format!("missing `priority` in the priority entry `{name}`"),
            )
            .at_each(span, "no number")
            .help("add `priority: NUMBER`, an integer; the smallest wins")
            .add_to(found);
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

/// The known names for the keys of an entry.
fn known_names<'n>(
    constants: &Constants<'n>,
    builder: &'n MachineBuilder,
) -> [(&'static str, Vec<&'n str>); 5] {
    let lists = constants.all.section("intents").entries().into_iter();
    let lists = lists.filter(|(_, node)| node.list().is_some());
    let lists = lists.map(|(key, _)| &*key.text);
    let categories: Vec<&str> = constants.categories.keys().copied().chain(lists).collect();
    [
        ("trigger", vec!["data_complete", "any"]),
        (
            "handler",
            vec!["phase_progress_handler", "circular_flow_handler"],
        ),
        ("source", vec!["rules"]),
        ("intent_category", categories),
        ("feature_flag", builder.names.flags.iter().collect()),
    ]
}

/// Reports unknown names in an entry. An entry with an unknown name never matches. The names must be checked before
/// entries are added, because the flags of entries become known names.
fn check_names(
    map: &Map,
    words: &[(&str, Vec<&str>)],
    conditions: &Conditions<'_>,
    switches: Switches,
    found: &mut Diagnostics,
) {
    let given = |key: &str| map.given(key).and_then(|node| Some((node, node.text()?)));
    if let Some((node, name)) = given("condition")
        && !conditions.exists(name)
    {
        conditions.unknown(name, node.span).add_to(found);
    }
    for (key, known) in words {
        if let Some((node, name)) = given(key)
            && !known.contains(&name)
        {
            Diagnostic::error_if(
                switches.strict_load,
                Code::UnknownPriority,
                format!("unknown {} `{name}`", key.replace('_', " ")),
            )
            .at(node.span, "not defined")
            .offer(name, "use one of these names", known.iter().copied())
            .add_to(found);
        }
    }
}

/// The intents of a category, or of a list in the section `intents`.
fn intents_of(
    name: &str,
    constants: &Constants<'_>,
    builder: &mut MachineBuilder,
) -> Box<[IntentId]> {
    let list = constants.all.section("intents").get(name);
    let names = match list.filter(|node| node.list().is_some()) {
        Some(node) => texts_of(node, name, &mut Diagnostics::default()),
        None => constants.categories.get(name).cloned().unwrap_or_default(),
    };
    mint(names, builder)
}

fn mint(names: Vec<&str>, builder: &mut MachineBuilder) -> Box<[IntentId]> {
    names.into_iter().map(|name| builder.intent(name)).collect()
}
