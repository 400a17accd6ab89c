//! Collects the built-in elements from their definitions in the program.

use indexmap::IndexMap;

use super::builtin::{Builtin, BuiltinKind};
use crate::dialect::condition::built_in as built_in_conditions;
use crate::dialect::flow::built_in_constants;
use fsmsim_core::engine::SourceKind;
use fsmsim_core::machine::{Signal, SignalKind};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Content, Node, parse_yaml};
use fsmsim_syntax::terminal::Joined;

/// All built-in elements, ordered by kind.
pub fn all() -> Vec<Builtin> {
    let (constants, texts) = files();
    let mut collect = Collect::new(&constants, &texts);
    collect.intents();
    collect.categories();
    collect.conditions();
    collect.flags();
    collect.numbers();
    collect.sources();
    collect.states();
    collect.actions();
    collect.signals();
    collect.found
}

/// The entries of the default priority table: the name, the priority, what the entry matches, and its other keys.
pub fn default_priorities() -> Vec<[String; 4]> {
    let (constants, texts) = files();
    let collect = Collect::new(&constants, &texts);
    let entries = collect.at("default_priorities").into_iter();
    let entry = |entry: &Node| {
        let [name, priority] = ["name", "priority"].map(|key| entry.get(key).map(short));
        let name = name.unwrap_or_default();
        let keys = entry
            .entries()
            .iter()
            .filter(|(key, _)| !["name", "priority"].contains(&&*key.text))
            .map(|(key, value)| format!("{}: {}", key.text, short(value)));
        let matches = collect.text("priorities", &name).to_owned();
        [
            name,
            priority.unwrap_or_default(),
            matches,
            keys.joined(", "),
        ]
    };
    entries.flat_map(Node::items).map(entry).collect()
}

/// The built-in constants, and the descriptions.
fn files() -> (Node, Node) {
    let mut sources = SourceMap::default();
    let constants = built_in_constants(&mut sources);
    let text = include_str!("texts.yaml");
    let texts = parse_yaml(
        sources.add("built-in texts", text),
        text,
        0,
        &mut Diagnostics::default(),
    );
    let texts = texts.unwrap_or_else(|| Node::quoted("", constants.span));
    (constants, texts)
}

struct Collect<'n> {
    constants: &'n Node,
    texts: &'n Node,
    found: Vec<Builtin>,
}

impl<'n> Collect<'n> {
    fn new(constants: &'n Node, texts: &'n Node) -> Self {
        Self {
            constants,
            texts,
            found: Vec::new(),
        }
    }

    /// The value at a dotted path of the constants.
    fn at(&self, path: &str) -> Option<&'n Node> {
        path.split('.')
            .try_fold(self.constants, |node, key| node.get(key))
    }

    fn entries(&self, path: &str) -> impl Iterator<Item = (&'n str, &'n Node)> + use<'n> {
        self.at(path)
            .into_iter()
            .flat_map(Node::entries)
            .map(|(key, node)| (&*key.text, node))
    }

    /// The descriptions for one kind, in the order of the file.
    fn texts(&self, kind: &str) -> impl Iterator<Item = (&'n str, &'n str)> + use<'n> {
        self.texts
            .get(kind)
            .into_iter()
            .flat_map(Node::entries)
            .filter_map(|(key, node)| Some((&*key.text, node.text()?)))
    }

    fn text(&self, kind: &str, name: &str) -> &'n str {
        self.texts
            .get(kind)
            .and_then(|texts| texts.get(name)?.text())
            .unwrap_or_default()
    }

    fn add(&mut self, kind: BuiltinKind, name: &str, says: &str, value: String, set: &str) {
        self.found.push(Builtin {
            kind,
            name: name.to_owned(),
            says: says.to_owned(),
            value,
            set: set.to_owned(),
        });
    }

    fn intents(&mut self) {
        let mut known: IndexMap<&str, (Vec<String>, Vec<String>)> = IndexMap::new();
        for (category, node) in self.entries("intents.categories") {
            for intent in node.items().iter().filter_map(Node::text) {
                known.entry(intent).or_default().0.push(category.to_owned());
            }
        }
        let lists = self
            .entries("roles")
            .map(|(name, node)| (format!("roles.{name}"), node));
        let window = self
            .entries("window")
            .map(|(name, node)| (format!("window.{name}"), node));
        for (role, node) in self
            .at("intents.go_back")
            .map(|node| ("intents.go_back".to_owned(), node))
            .into_iter()
            .chain(lists)
            .chain(window.filter(|(name, _)| name != "window.meaningful_data"))
        {
            for intent in node.items().iter().filter_map(Node::text) {
                known.entry(intent).or_default().1.push(role.clone());
            }
        }
        let quoted = |names: &[String]| names.iter().map(|name| format!("`{name}`")).joined(", ");
        for (name, (categories, roles)) in known {
            let listed = quoted(&categories);
            let says = match categories.len() {
                0 => "Belongs to no category.".to_owned(),
                1 => format!("Category {listed}."),
                _ => format!("Categories {listed}."),
            };
            let set = "`intents.categories` and the listed roles in constants";
            self.add(BuiltinKind::Intents, name, &says, quoted(&roles), set);
        }
    }

    fn categories(&mut self) {
        let roles: Vec<(&str, &str)> = self
            .entries("role_categories")
            .filter_map(|(role, node)| Some((node.text()?, role)))
            .collect();
        for section in ["intents.categories", "intents.composed_categories"] {
            for (name, node) in self.entries(section) {
                let role = roles.iter().find(|(category, _)| *category == name);
                let says = match role {
                    Some((_, role)) => format!("Tested by sources (`role_categories.{role}`)."),
                    None => "Used in conditions and priorities.".to_owned(),
                };
                let set = format!("`{section}` in constants");
                self.add(BuiltinKind::Categories, name, &says, short(node), &set);
            }
        }
    }

    fn flags(&mut self) {
        let set =
            "`feature_flags` of the flow or of `settings.yaml`; `start: {flags: …}` of a dialogue";
        for (name, node) in self.entries("feature_flags") {
            let value = if node.boolean() == Some(true) {
                "on"
            } else {
                "off"
            };
            let says = self.text("flags", name);
            self.add(BuiltinKind::Flags, name, says, value.to_owned(), set);
        }
    }

    fn numbers(&mut self) {
        for (path, says) in self.texts("numbers") {
            let value = self.at(path).map(short).unwrap_or_default();
            let set = match path.split_once('.') {
                Some(("limits", name)) => {
                    format!("`limits.{name}` in constants; `start: {{limits: …}}` of a dialogue")
                }
                Some(("guard_defaults", name)) => {
                    format!("`guard.{name}` in constants; `start: {{guard: …}}` of a dialogue")
                }
                _ => format!("`{path}` in constants"),
            };
            self.add(BuiltinKind::Limits, path, &sentence(says), value, &set);
        }
    }

    fn sources(&mut self) {
        let flags: Vec<(&str, &str)> = self
            .entries("source_flags")
            .filter_map(|(source, node)| Some((source, node.text()?)))
            .collect();
        for kind in SourceKind::ALL {
            let name = kind.name();
            let mut set = format!(
                "`sources: {{{name}: {{enabled: false}}}}` in constants disables the source"
            );
            if let Some((_, flag)) = flags.iter().find(|(source, _)| *source == name) {
                set = format!("{set}; so does the flag `{flag}`");
            }
            let says = self.text("sources", name);
            self.add(
                BuiltinKind::Sources,
                name,
                says,
                kind.number().to_string(),
                &set,
            );
        }
    }

    fn states(&mut self) {
        for (name, says) in self.texts("states") {
            let (says, set) = says.split_once(" Another: ").unwrap_or((says, ""));
            let set = set.trim_end_matches('.');
            self.add(BuiltinKind::States, name, says, String::new(), set);
        }
    }

    fn actions(&mut self) {
        for (role, node) in self.entries("actions") {
            let name = node.text().unwrap_or(role);
            let says = self.text("actions", role);
            let set = format!("`actions.{role}` in constants");
            self.add(BuiltinKind::Actions, name, says, format!("`{role}`"), &set);
        }
    }

    fn conditions(&mut self) {
        let set = "`conditions` of the flow defines conditions with other names";
        for (name, expression, description) in built_in_conditions() {
            let says = sentence(description);
            let value = format!("`{}`", short(expression));
            self.add(BuiltinKind::Conditions, name, &says, value, set);
        }
    }

    fn signals(&mut self) {
        let set = "`signals` of a turn; computed by default";
        for signal in Signal::ALL {
            let kind = match signal.kind() {
                SignalKind::Int => "an integer",
                SignalKind::Float => "a number",
                SignalKind::Bool => "`true` or `false`",
                SignalKind::Text => "a string, or null",
                SignalKind::Texts => "a list of strings",
                SignalKind::Values => "a list",
            };
            let name = signal.name();
            let says = signal.says();
            self.add(BuiltinKind::Signals, name, says, kind.to_owned(), set);
        }
    }
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let text: String = characters
        .next()
        .map(char::to_uppercase)
        .into_iter()
        .flatten()
        .chain(characters)
        .collect();
    if text.ends_with('.') {
        text
    } else {
        format!("{text}.")
    }
}

/// A value on one line, in YAML flow style.
fn short(node: &Node) -> String {
    match &node.content {
        Content::Scalar(scalar) => scalar.text.to_string(),
        Content::List(items) => {
            format!("[{}]", items.iter().map(short).joined(", "))
        }
        Content::Map(map) => {
            let pairs = map
                .entries
                .iter()
                .map(|(key, value)| format!("{}: {}", key.text, short(value)));
            format!("{{{}}}", pairs.joined(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_has_a_text_and_every_text_is_used() {
        let all = all();
        for builtin in &all {
            assert!(!builtin.says.is_empty(), "{builtin:?}");
            let has_value =
                builtin.kind == BuiltinKind::States || builtin.kind == BuiltinKind::Intents;
            assert!(has_value || !builtin.value.is_empty(), "{builtin:?}");
        }
        let (constants, texts) = files();
        let collect = Collect::new(&constants, &texts);
        let names = |path: &str| {
            collect
                .entries(path)
                .map(|(name, _)| name.to_owned())
                .collect::<Vec<_>>()
        };
        let texts = |kind: &str| {
            collect
                .texts(kind)
                .map(|(name, _)| name.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts("flags"), names("feature_flags"));
        assert_eq!(texts("actions"), names("actions"));
        assert_eq!(texts("sources"), SourceKind::names().collect::<Vec<_>>());
        let sections = [
            "limits",
            "frustration.thresholds",
            "disambiguation.thresholds",
            "disambiguation.options",
        ];
        let numbers = texts("numbers");
        for section in sections.into_iter().chain(["guard_defaults", "thresholds"]) {
            for name in names(section) {
                assert!(
                    numbers.contains(&format!("{section}.{name}")),
                    "{section}.{name}"
                );
            }
        }
        let priorities = default_priorities().into_iter();
        let priorities = priorities.map(|[name, ..]| name);
        assert_eq!(texts("priorities"), priorities.collect::<Vec<_>>());
        // Each text describes an existing value.
        assert!(numbers.iter().all(|path| collect.at(path).is_some()));
    }
}
