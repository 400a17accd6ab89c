//! Collects what is built in from where the program has it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::builtin::{Builtin, BuiltinKind};
use crate::dialect::condition::built_in as built_in_conditions;
use crate::dialect::flow::built_in_constants;
use fsmsim_core::engine::SourceKind;
use fsmsim_core::machine::{Signal, SignalKind};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Content, Node, parse_yaml};

/// Everything that is built in, kind by kind.
pub fn all() -> Vec<Builtin> {
    let mut sources = SourceMap::default();
    let constants = built_in_constants(&mut sources);
    let text = include_str!("texts.yaml");
    let file = sources.add("built-in texts", text);
    let texts = parse_yaml(file, text, 0, &mut Diagnostics::default());
    let texts = texts.unwrap_or_else(|| Node::quoted("", constants.span));
    let collect = Collect {
        constants: &constants,
        texts: &texts,
    };
    let mut found = collect.intents();
    found.extend(collect.categories());
    found.extend(conditions());
    found.extend(collect.flags());
    found.extend(collect.numbers());
    found.extend(collect.sources());
    found.extend(collect.states());
    found.extend(collect.actions());
    found.extend(signals());
    found
}

struct Collect<'n> {
    constants: &'n Node,
    texts: &'n Node,
}

impl<'n> Collect<'n> {
    /// The value at a path of keys of the constants.
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

    /// The texts of a kind, in their order.
    fn texts(&self, kind: &str) -> impl Iterator<Item = (&'n str, &'n str)> + use<'n> {
        let entries = self.texts.get(kind).into_iter().flat_map(Node::entries);
        entries.filter_map(|(key, node)| Some((&*key.text, node.text()?)))
    }

    fn text(&self, kind: &str, name: &str) -> &'n str {
        self.texts
            .get(kind)
            .and_then(|texts| texts.get(name)?.text())
            .unwrap_or_default()
    }

    fn intents(&self) -> Vec<Builtin> {
        let mut known: IndexMap<&str, (Vec<&str>, Vec<String>), FxBuildHasher> =
            IndexMap::default();
        for (category, node) in self.entries("intents.categories") {
            for intent in node.items().iter().filter_map(Node::text) {
                known.entry(intent).or_default().0.push(category);
            }
        }
        let lists = self
            .entries("roles")
            .map(|(name, node)| (format!("roles.{name}"), node));
        let window = self
            .entries("window")
            .map(|(name, node)| (format!("window.{name}"), node));
        let steps = self
            .at("intents.go_back")
            .map(|node| ("intents.go_back".to_owned(), node));
        for (role, node) in steps
            .into_iter()
            .chain(lists)
            .chain(window.filter(|(name, _)| name != "window.meaningful_data"))
        {
            for intent in node.items().iter().filter_map(Node::text) {
                known.entry(intent).or_default().1.push(role.clone());
            }
        }
        let built = known.into_iter().map(|(name, (categories, roles))| {
            let listed: Vec<String> = categories
                .iter()
                .map(|category| format!("`{category}`"))
                .collect();
            let says = match listed.len() {
                0 => "In no category.".to_owned(),
                1 => format!("In the category {}.", listed.concat()),
                _ => format!("In the categories {}.", listed.join(", ")),
            };
            let roles: Vec<String> = roles.iter().map(|role| format!("`{role}`")).collect();
            built(
                BuiltinKind::Intents,
                name,
                &says,
                roles.join(", "),
                "`intents.categories` and these lists, in constants",
            )
        });
        built.collect()
    }

    fn categories(&self) -> Vec<Builtin> {
        let roles: Vec<(&str, &str)> = self
            .entries("role_categories")
            .filter_map(|(role, node)| Some((node.text()?, role)))
            .collect();
        let base = self
            .entries("intents.categories")
            .map(|(name, node)| (name, node, "`intents.categories`"));
        let composed = self
            .entries("intents.composed_categories")
            .map(|(name, node)| (name, node, "`intents.composed_categories`"));
        let built = base.chain(composed).map(|(name, node, set)| {
            let role = roles.iter().find(|(category, _)| *category == name);
            let says = match role {
                Some((_, role)) => format!("Sources ask about it (`role_categories.{role}`)."),
                None => "For conditions and priorities.".to_owned(),
            };
            built(
                BuiltinKind::Categories,
                name,
                &says,
                short(node),
                &format!("{set} in constants"),
            )
        });
        built.collect()
    }

    fn flags(&self) -> Vec<Builtin> {
        let built = self.entries("feature_flags").map(|(name, node)| {
            let value = if node.boolean() == Some(true) { "on" } else { "off" };
            built(
                BuiltinKind::Flags,
                name,
                self.text("flags", name),
                value.to_owned(),
                "`feature_flags` of the flow or of `settings.yaml`; `start: {flags: …}` of a dialogue",
            )
        });
        built.collect()
    }

    fn numbers(&self) -> Vec<Builtin> {
        let built = self.texts("numbers").map(|(path, says)| {
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
            built(BuiltinKind::Limits, path, &sentence(says), value, &set)
        });
        built.collect()
    }

    fn sources(&self) -> Vec<Builtin> {
        let flags: Vec<(&str, &str)> = self
            .entries("source_flags")
            .filter_map(|(source, node)| Some((source, node.text()?)))
            .collect();
        let built = SourceKind::ALL.iter().map(|kind| {
            let name = kind.name();
            let flag = flags.iter().find(|(source, _)| *source == name);
            let set =
                format!("`sources: {{{name}: {{enabled: false}}}}` in constants switches it off");
            let set = flag.map_or(set.clone(), |(_, flag)| {
                format!("{set}; so does the flag `{flag}`")
            });
            built(
                BuiltinKind::Sources,
                name,
                self.text("sources", name),
                kind.number().to_string(),
                &set,
            )
        });
        built.collect()
    }

    fn states(&self) -> Vec<Builtin> {
        let built = self.texts("states").map(|(name, says)| {
            let (says, set) = says.split_once(" Another: ").unwrap_or((says, ""));
            built(
                BuiltinKind::States,
                name,
                says,
                String::new(),
                set.trim_end_matches('.'),
            )
        });
        built.collect()
    }

    fn actions(&self) -> Vec<Builtin> {
        let built = self.entries("actions").map(|(role, node)| {
            let name = node.text().unwrap_or(role);
            let set = format!("`actions.{role}` in constants");
            built(
                BuiltinKind::Actions,
                name,
                self.text("actions", role),
                format!("`{role}`"),
                &set,
            )
        });
        built.collect()
    }
}

fn conditions() -> impl Iterator<Item = Builtin> {
    built_in_conditions().map(|(name, expression, description)| {
        let set = "own ones stand under `conditions` of the flow, under other names";
        built(
            BuiltinKind::Conditions,
            name,
            &sentence(description),
            format!("`{}`", short(expression)),
            set,
        )
    })
}

fn signals() -> impl Iterator<Item = Builtin> {
    Signal::ALL.iter().map(|signal| {
        let kind = match signal.kind() {
            SignalKind::Int => "a whole number",
            SignalKind::Float => "a number",
            SignalKind::Bool => "`true` or `false`",
            SignalKind::Text => "a text, or nothing",
            SignalKind::Texts => "a list of texts",
            SignalKind::Values => "a list",
        };
        let set = "`signals` of a turn gives it; else it is worked out";
        built(
            BuiltinKind::Signals,
            signal.name(),
            signal.says(),
            kind.to_owned(),
            set,
        )
    })
}

fn built(kind: BuiltinKind, name: &str, says: &str, value: String, set: &str) -> Builtin {
    Builtin {
        kind,
        name: name.to_owned(),
        says: says.to_owned(),
        value,
        set: set.to_owned(),
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase).into_iter().flatten();
    let whole: String = first.chain(letters).collect();
    if whole.ends_with('.') {
        whole
    } else {
        format!("{whole}.")
    }
}

/// A value on one line, as YAML writes it in braces.
fn short(node: &Node) -> String {
    match &node.content {
        Content::Scalar(scalar) => scalar.text.to_string(),
        Content::List(items) => {
            let items: Vec<String> = items.iter().map(short).collect();
            format!("[{}]", items.join(", "))
        }
        Content::Map(map) => {
            let pairs: Vec<String> = map
                .entries
                .iter()
                .map(|(key, value)| format!("{}: {}", key.text, short(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_built_in_says_what_it_is_for_and_no_text_is_left_over() {
        let all = all();
        for builtin in &all {
            assert!(!builtin.says.is_empty(), "{builtin:?}");
            let has_value =
                builtin.kind == BuiltinKind::States || builtin.kind == BuiltinKind::Intents;
            assert!(has_value || !builtin.value.is_empty(), "{builtin:?}");
        }
        let mut sources = SourceMap::default();
        let constants = built_in_constants(&mut sources);
        let file = sources.add("texts", include_str!("texts.yaml"));
        let texts = parse_yaml(
            file,
            include_str!("texts.yaml"),
            0,
            &mut Diagnostics::default(),
        )
        .unwrap();
        let collect = Collect {
            constants: &constants,
            texts: &texts,
        };
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
        // Each stands for some value.
        assert!(numbers.iter().all(|path| collect.at(path).is_some()));
    }
}
