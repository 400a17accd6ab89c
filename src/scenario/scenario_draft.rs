//! A dialogue that somebody played, as a scenario to be kept: with the expectations that matter.

use std::fmt::Write;

use super::scenario_from_trace::parse_recorded;
use super::scenario_yaml::head_of;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::engine::Machine;
use crate::machine::Value;
use crate::snapshot::FlowStyle;

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
        let head = head_of(&tree, &all, model, machine).into_iter().filter_map(|(key, value)| match key {
            "scenario" => Some((key, Value::text(title))),
            // What they are if nothing is said.
            "profile" if value.as_text() == Some("documented") => None,
            "signals" if value.as_text() == Some("derived") => None,
            _ => Some((key, value)),
        });
        let turns = all.into_iter().map(|turn| {
            let Value::Map(pairs) = turn else { return Vec::new() };
            let kept = pairs.iter().filter_map(|(key, value)| match &**key {
                "expect" => Some((key.to_string(), what_matters(value)?)),
                _ => Some((key.to_string(), value.clone())),
            });
            kept.collect()
        });
        Some(Self { head: head.collect(), turns: turns.collect() })
    }

    /// As YAML.
    pub fn to_yaml(&self) -> String {
        let mut text = self.front();
        text.push_str(if self.turns.is_empty() { "turns: []\n" } else { "turns:\n" });
        for turn in &self.turns {
            let mut begin = "  - ";
            for (key, value) in turn {
                let _ = writeln!(text, "{begin}{key}: {}", FlowStyle(value));
                begin = "    ";
            }
        }
        text
    }

    /// As a transcript in markdown.
    ///
    /// # Errors
    /// The turn in which nobody says anything: a transcript has what was said.
    pub fn to_markdown(&self) -> Result<String, String> {
        let mut text = format!("---\n{}---\n", self.front());
        for (turn, number) in self.turns.iter().zip(1..) {
            let said = turn.iter().find(|(key, _)| key == "say").and_then(|(_, value)| value.as_text());
            let Some(said) = said.filter(|said| !said.trim().is_empty() && !said.contains(['\n', '\r'])) else {
                return Err(format!("in turn {number} nothing is said, and a transcript has what was said"));
            };
            let notes = turn.iter().filter(|(key, _)| key != "say");
            let notes: Vec<String> = notes.map(|(key, value)| format!("{key}: {}", FlowStyle(value))).collect();
            // A comment ends at the first `-->`.
            let notes = notes.join(", ").replace("-->", "--\\u003e");
            let _ = write!(text, "\n**User:** {said}\n");
            if !notes.is_empty() {
                let _ = writeln!(text, "<!-- {notes} -->");
            }
        }
        Ok(text)
    }

    fn front(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.head {
            let _ = writeln!(text, "{key}: {}", FlowStyle(value));
        }
        text
    }
}

/// Of what a turn did, what matters to whoever reads the scenario.
fn what_matters(expected: &Value) -> Option<Value> {
    let kept = KEPT.into_iter().filter_map(|key| {
        let value = expected.get(key)?;
        let value = if key == "state" { value.get("to").unwrap_or(value) } else { value };
        let is_nothing = value.is_null() || value.list().is_some_and(|list| list.iter().next().is_none());
        (!is_nothing).then(|| (key.into(), value.clone()))
    });
    let kept: Vec<_> = kept.collect();
    (!kept.is_empty()).then(|| Value::Map(kept.into()))
}
