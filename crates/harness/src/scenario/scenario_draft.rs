//! A dialogue that somebody played, as a scenario to be kept: with the expectations that matter.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::cases::each_parameter;
use super::scenario_from_trace::parse_recorded;
use super::scenario_yaml::head_of;
use super::transcript::{is_markdown, parse_transcript};
use crate::snapshot::FlowStyle;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
use fsmsim_syntax::document::{Node, parse_yaml};
use fsmsim_syntax::terminal::acts_on_text;

/// What a scenario to be kept expects of a turn: where it leads, what it is, what is done. The rest is in its snapshot.
const KEPT: [&str; 5] = ["state", "class", "action", "contract_class", "effects"];

/// A dialogue that somebody played, as a scenario to be kept.
#[derive(Debug)]
pub struct ScenarioDraft {
    /// The keys before the turns, in the order in which they are written.
    head: Vec<(&'static str, Value)>,
    /// The turns: what was given, and below `expect` what matters.
    turns: Vec<Vec<(String, Value)>>,
}

impl ScenarioDraft {
    /// The dialogue of a trace under a title; `model` is where its machine lies. `None`, with findings, where the trace cannot
    /// be read.
    pub fn of(
        trace: &str,
        title: &str,
        model: &str,
        machine: &Machine,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let file = sources.add("trace", trace);
        let tree = Value::from(&parse_recorded(file, trace, 0, found)?);
        let all: Vec<&Value> = tree.get("turns").and_then(Value::list)?.iter().collect();
        let head = head_of(&tree, &all, model, machine)
            .into_iter()
            .filter_map(|(key, value)| match key {
                "scenario" => Some((key, Value::text(title))),
                // What they are if nothing is said.
                "profile" if value.as_text() == Some("documented") => None,
                "signals" if value.as_text() == Some("derived") => None,
                _ => Some((key, value)),
            });
        let turns = all.into_iter().map(|turn| {
            let Value::Map(pairs) = turn else {
                return Vec::new();
            };
            let kept = pairs.iter().filter_map(|(key, value)| match &**key {
                "expect" => Some((key.to_string(), what_matters(value)?)),
                _ => Some((key.to_string(), value.clone())),
            });
            kept.collect()
        });
        Some(Self {
            head: head.collect(),
            turns: turns.collect(),
        })
    }

    /// As YAML.
    pub fn to_yaml(&self) -> Result<String, String> {
        let mut text = self.front();
        text.push_str(if self.turns.is_empty() {
            "turns: []\n"
        } else {
            "turns:\n"
        });
        for turn in &self.turns {
            let mut begin = "  - ";
            for (key, value) in turn {
                let _ = writeln!(text, "{begin}{key}: {}", FlowStyle(value));
                begin = "    ";
            }
        }
        let text = escaped(&text);
        self.check(&text, Path::new("dialogue.yaml"))?;
        Ok(text)
    }

    /// As a transcript in markdown.
    ///
    /// # Errors
    /// The turn in which nobody says anything: a transcript has what was said. What in it could not be read back as it was.
    pub fn to_markdown(&self) -> Result<String, String> {
        let mut text = format!("---\n{}---\n", escaped(&self.front()));
        for (turn, number) in self.turns.iter().zip(1..) {
            let said = turn
                .iter()
                .find(|(key, _)| key == "say")
                .and_then(|(_, value)| value.as_text());
            let Some(said) =
                said.filter(|said| !said.trim().is_empty() && !said.contains(['\n', '\r']))
            else {
                return Err(format!(
                    "in turn {number} nothing is said, and a transcript has what was said"
                ));
            };
            let notes = turn.iter().filter(|(key, _)| key != "say");
            let notes: Vec<String> = notes
                .map(|(key, value)| format!("{key}: {}", FlowStyle(value)))
                .collect();
            // A comment ends at the first `-->`.
            let notes = notes.join(", ").replace("-->", "--\\u003e");
            if said.contains(is_hidden) {
                return Err(format!(
                    "what was said in turn {number} has characters that nobody sees, which a transcript cannot show"
                ));
            }
            let notes = escaped(&notes);
            let _ = write!(text, "\n**User:** {said}\n");
            if !notes.is_empty() {
                let _ = writeln!(text, "<!-- {notes} -->");
            }
        }
        self.check(&text, Path::new("dialogue.md"))?;
        Ok(text)
    }

    /// Reads what was written: whoever runs it must find the dialogue that was played, and no other.
    fn check(&self, text: &str, path: &Path) -> Result<(), String> {
        let (mut sources, mut found) = (SourceMap::default(), Diagnostics::default());
        let file = sources.add(path.display().to_string(), text);
        let read = if is_markdown(path) {
            parse_transcript(file, path, text, &mut found)
        } else {
            parse_yaml(file, text, 0, &mut found)
        };
        let read = read.filter(|_| !found.has_errors()).ok_or_else(|| {
            let why = found
                .items()
                .first()
                .map(|finding| format!(": {}", finding.title))
                .unwrap_or_default();
            format!("what was said would not be read back as it was{why}")
        })?;
        let mut parameter = None;
        each_parameter(&read, &mut |name, _| {
            parameter.get_or_insert_with(|| name.to_owned());
        });
        if let Some(name) = parameter {
            return Err(format!(
                "`{{{{{name}}}}}` would be read as a parameter, and nothing gives it: leave the braces out of the title and of what is said"
            ));
        }
        let is_same = |value: &Value, key: &str| {
            read.get(key)
                .is_some_and(|node| written(&Value::from(node)) == written(value))
        };
        if let Some((key, _)) = self.head.iter().find(|(key, value)| !is_same(value, key)) {
            return Err(format!("`{key}` would not be read back as it is"));
        }
        let turns: Vec<Value> = read
            .get("turns")
            .and_then(Node::list)
            .unwrap_or_default()
            .iter()
            .map(Value::from)
            .collect();
        let differing = self
            .turns
            .iter()
            .zip(1..)
            .find(|(turn, number)| turns.get(number - 1).map(parts) != Some(parts_of(turn)));
        match differing {
            Some((_, number)) => Err(format!(
                "what was said in turn {number} would not be read back as it was"
            )),
            None if turns.len() > self.turns.len() => {
                Err("what was said would be read back as more turns".to_owned())
            }
            None => Ok(()),
        }
    }

    fn front(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.head {
            let _ = writeln!(text, "{key}: {}", FlowStyle(value));
        }
        text
    }
}

/// A text in which what moves a cursor, or reorders the text around it, is seen. Such a thing stands in quotation marks, where it
/// may be written so.
fn escaped(text: &str) -> String {
    let written = text.chars().map(|letter| match letter {
        letter if is_hidden(letter) => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    });
    written.collect()
}

fn is_hidden(letter: char) -> bool {
    letter != '\n' && acts_on_text(letter)
}

fn written(value: &Value) -> String {
    FlowStyle(value).to_string()
}

/// What a turn says, as it is written, whatever the order.
fn parts(turn: &Value) -> BTreeMap<String, String> {
    let Value::Map(pairs) = turn else {
        return BTreeMap::new();
    };
    pairs
        .iter()
        .map(|(key, value)| (key.to_string(), written(value)))
        .collect()
}

/// The same of a turn that is to be written.
fn parts_of(turn: &[(String, Value)]) -> BTreeMap<String, String> {
    turn.iter()
        .map(|(key, value)| (key.clone(), written(value)))
        .collect()
}

/// Of what a turn did, what matters to whoever reads the scenario.
fn what_matters(expected: &Value) -> Option<Value> {
    let kept = KEPT.into_iter().filter_map(|key| {
        let value = expected.get(key)?;
        let value = if key == "state" {
            value.get("to").unwrap_or(value)
        } else {
            value
        };
        let is_nothing = value.is_null()
            || value
                .list()
                .is_some_and(|list| list.iter().next().is_none());
        (!is_nothing).then(|| (key.into(), value.clone()))
    });
    let kept: Vec<_> = kept.collect();
    (!kept.is_empty()).then(|| Value::Map(kept.into()))
}
