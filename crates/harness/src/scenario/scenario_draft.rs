//! Converts a dialogue into a scenario with only the important expectations.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value as Json;

use super::cases::each_parameter;
use super::scenario_from_trace::parse_recorded;
use super::scenario_yaml::{front, head_of, turns_key};
use super::transcript::{is_markdown, parse_transcript};
use crate::snapshot::FlowStyle;
use fsmsim_core::engine::{Machine, read_by_policy};
use fsmsim_core::machine::{NeedKind, SlotDeclaration, Value};
use fsmsim_core::trace::{TurnReport, turn_line};
use fsmsim_runtime::script::{KnownNames, ParsedTurn, TurnOptions};
use fsmsim_syntax::diagnostic::{Diagnostics, FileId, SourceMap};
use fsmsim_syntax::document::{Node, parse_json, parse_yaml};
use fsmsim_syntax::terminal::acts_on_text;

/// The fields that a saved scenario expects in a turn. Its snapshot contains the other fields.
const KEPT: [&str; 6] = [
    "state",
    "class",
    "action",
    "contract_class",
    "effects",
    // A violation that a turn does not expect is a failure.
    "violations",
];

/// Front matter for a transcript in which the machine replies. Lines of the assistant that were read as `reply` would be
/// compared with the replies of a later version of an interview.
const NARRATED: &str =
    "# The model generates the replies. The lines of the assistant are for readers.
speakers: {narrator: [Assistant]}
";

/// The keys and values of a turn.
pub(crate) type KeyedTurn = Vec<(String, Value)>;

/// The keys before the turns of a scenario, and the keys of each turn.
pub(crate) type DraftParts = (Vec<(&'static str, Value)>, Vec<KeyedTurn>);

/// The keys and values of a turn that [`turn_line`] wrote.
pub(crate) fn turn_keys(line: &str) -> Option<KeyedTurn> {
    let file = SourceMap::default().add("turn", line);
    let node = parse_json(file, line, 0, &mut Diagnostics::default())?;
    let Value::Map(pairs) = Value::from(&node) else {
        return None;
    };
    let pairs = pairs.iter();
    Some(
        pairs
            .map(|(key, value)| (key.to_string(), value.clone()))
            .collect(),
    )
}

/// A dialogue to be saved as a scenario.
#[derive(Debug)]
pub struct ScenarioDraft<'m> {
    machine: &'m Machine,
    /// The keys before the turns, in output order.
    head: Vec<(&'static str, Value)>,
    /// The turns: the input and, under `expect`, the important expectations.
    turns: Vec<KeyedTurn>,
    /// The assistant's replies, by turn.
    replies: Vec<Vec<String>>,
}

impl<'m> ScenarioDraft<'m> {
    /// Creates a draft from the dialogue in a trace. `model` is the path of the machine. Returns `None`, with findings,
    /// if the trace cannot be read.
    pub fn of(
        trace: &str,
        title: &str,
        model: &str,
        machine: &'m Machine,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let file = sources.add("trace", trace);
        let node = parse_recorded(file, trace, 0, found)?;
        let nodes = node.get("turns").and_then(Node::list)?;
        let tree = Value::from(&node);
        let all: Vec<&Value> = tree.get("turns").and_then(Value::list)?.iter().collect();
        let head = head_of(&tree, &all, model, machine)
            .into_iter()
            .filter_map(|(key, value)| match key {
                "scenario" => Some((key, Value::text(title))),
                // These values are the defaults.
                "profile" if value.as_text() == Some("documented") => None,
                "signals" if value.as_text() == Some("derived") => None,
                _ => Some((key, value)),
            });
        let records = trace.lines().filter(|line| line.starts_with("{\"turn\""));
        let mut reports = records.map(|line| TurnReport::read(line).unwrap_or_default());
        let turns = all.into_iter().zip(nodes).map(|(given, node)| {
            let report = reports.next().unwrap_or_default();
            let understood = understood(node, &report, file, machine);
            let Value::Map(pairs) = understood.as_ref().unwrap_or(given) else {
                return (Vec::new(), report.replies);
            };
            let pairs = pairs
                .iter()
                .filter(|(key, _)| &**key != "expect")
                .map(|(key, value)| (key.to_string(), value.clone()));
            let expected = given
                .get("expect")
                .and_then(important_expectations)
                .map(|value| ("expect".to_owned(), value));
            (pairs.chain(expected).collect(), report.replies)
        });
        let (turns, replies) = turns.unzip();
        Some(Self {
            machine,
            head: head.collect(),
            turns,
            replies,
        })
    }

    /// Creates a draft from the keys before the turns, and the turns with their expectations.
    pub(crate) fn of_turns(
        machine: &'m Machine,
        head: Vec<(&'static str, Value)>,
        turns: Vec<KeyedTurn>,
    ) -> Self {
        Self {
            machine,
            head,
            turns,
            replies: Vec::new(),
        }
    }

    /// Replaces the values of slots by samples, also in utterances that contain them.
    pub fn redacted(mut self) -> Self {
        let mut known: Vec<(String, String)> = Vec::new();
        for (key, value) in self.turns.iter_mut().flatten() {
            if key == "data"
                && let Value::Map(pairs) = &*value
            {
                let pairs = pairs.iter().map(|(name, value)| {
                    let slot = self.machine.names.slots.id(name);
                    let slot = slot.map(|slot| self.machine.slot(slot));
                    let is_public = slot.is_some_and(|slot| slot.values.contains(value));
                    if is_public || !value.filled() {
                        return (&**name, value.clone());
                    }
                    let sample = slot.and_then(SlotDeclaration::sample);
                    let sample = sample.unwrap_or_else(|| Value::text("known"));
                    let texts = value.as_text().zip(sample.as_text());
                    known.extend(texts.map(|(from, to)| (from.to_owned(), to.to_owned())));
                    (&**name, sample)
                });
                *value = Value::map(pairs.collect::<Vec<_>>());
            }
        }
        for (key, value) in self.turns.iter_mut().flatten() {
            if let Some(text) = value
                .as_text()
                .filter(|_| matches!(&**key, "say" | "reply"))
            {
                let replaced = known
                    .iter()
                    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
                *value = Value::text(&replaced);
            }
        }
        self
    }

    /// The keys before the turns, and the turns with their expectations.
    pub(crate) fn into_parts(self) -> DraftParts {
        (self.head, self.turns)
    }

    /// The scenario as YAML.
    pub fn to_yaml(&self) -> Result<String, String> {
        let mut text = front(&self.head);
        text.push_str(turns_key(self.turns.is_empty()));
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

    /// The scenario as a Markdown transcript. It contains lines of the assistant, unless they would change how the
    /// transcript is read.
    ///
    /// # Errors
    /// Returns an error if the user says nothing in a turn, or if the written text would be read differently.
    pub fn to_markdown(&self) -> Result<String, String> {
        self.transcript(true).or_else(|_| self.transcript(false))
    }

    fn transcript(&self, with_assistant: bool) -> Result<String, String> {
        let is_given = |turn: &[(String, Value)]| turn.iter().any(|(key, _)| key == "reply");
        let narrates = with_assistant
            && self.replies.iter().any(|replies| !replies.is_empty())
            && !self.turns.iter().any(|turn| is_given(turn));
        let speakers = if narrates { NARRATED } else { "" };
        let mut text = format!("---\n{}{speakers}---\n", escaped(&front(&self.head)));
        for ((turn, replies), number) in self.turns.iter().zip(&self.replies).zip(1..) {
            let said = turn
                .iter()
                .find(|(key, _)| key == "say")
                .and_then(|(_, value)| value.as_text());
            let Some(said) =
                said.filter(|said| !said.trim().is_empty() && !said.contains(['\n', '\r']))
            else {
                return Err(format!(
                    "turn {number} has no single-line utterance, which a transcript requires"
                ));
            };
            let notes: Vec<String> = turn
                .iter()
                .filter(|(key, _)| key != "say" && (key != "reply" || !with_assistant))
                .map(|(key, value)| format!("{key}: {}", FlowStyle(value)))
                .collect();
            // A comment ends at the first `-->`.
            let notes = notes.join(", ").replace("-->", "--\\u003e");
            if said.contains(is_hidden) {
                return Err(format!(
                    "the utterance of turn {number} has invisible characters, which a transcript cannot show"
                ));
            }
            let notes = escaped(&notes);
            let _ = write!(text, "\n**User:** {said}\n");
            if !notes.is_empty() {
                let _ = writeln!(text, "<!-- {notes} -->");
            }
            let given = usize::from(with_assistant && is_given(turn));
            let spoken = if narrates { replies.len() } else { given };
            for reply in replies.iter().take(spoken) {
                let _ = write!(text, "\n**Assistant:** {}\n", escaped(reply));
            }
        }
        self.check(&text, Path::new("dialogue.md"))?;
        Ok(text)
    }

    /// Reads the text back and checks that the dialogue is the same, and that its turns are valid in a scenario.
    fn check(&self, text: &str, path: &Path) -> Result<(), String> {
        let mut sources = SourceMap::default();
        let mut found = Diagnostics::default();
        let file = sources.add(path.display().to_string(), text);
        let read = if is_markdown(path) {
            parse_transcript(file, path, text, &mut found)
        } else {
            parse_yaml(file, text, 0, &mut found)
        };
        if let Some(read) = &read {
            let names = KnownNames::new(self.machine, read.get("start"));
            let options = TurnOptions {
                may_expect: true,
                may_be_unread: true,
                names: Some(&names),
            };
            for turn in read.get("turns").map(Node::items).unwrap_or_default() {
                ParsedTurn::read(turn, self.machine, options, &mut found);
            }
        }
        let read = read.filter(|_| !found.has_errors()).ok_or_else(|| {
            let why = found
                .items()
                .first()
                .map(|finding| format!(": {}", finding.title))
                .unwrap_or_default();
            format!("the saved scenario would be invalid{why}")
        })?;
        let mut parameter = None;
        each_parameter(&read, &mut |name, _| {
            parameter.get_or_insert_with(|| name.to_owned());
        });
        if let Some(name) = parameter {
            return Err(format!(
                "`{{{{{name}}}}}` would become an undefined parameter: remove the braces from the title and the utterances"
            ));
        }
        let is_same = |value: &Value, key: &str| {
            read.get(key)
                .is_some_and(|node| written(&Value::from(node)) == written(value))
        };
        if let Some((key, _)) = self.head.iter().find(|(key, value)| !is_same(value, key)) {
            return Err(format!("`{key}` would change in the saved scenario"));
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
            Some((_, number)) => Err(format!("turn {number} would change in the saved scenario")),
            None if turns.len() > self.turns.len() => {
                Err("the saved scenario would have more turns".to_owned())
            }
            None => Ok(()),
        }
    }
}

/// Escapes characters that move the cursor or reorder text. They occur only in quotation marks, where escapes are
/// allowed.
fn escaped(text: &str) -> String {
    let written = text.chars().map(|character| match character {
        character if is_hidden(character) => format!("\\u{:04x}", u32::from(character)),
        character => character.to_string(),
    });
    written.collect()
}

fn is_hidden(character: char) -> bool {
    character != '\n' && acts_on_text(character)
}

fn written(value: &Value) -> String {
    FlowStyle(value).to_string()
}

/// The keys and values of a turn that was read, without regard to their order.
fn parts(turn: &Value) -> BTreeMap<String, String> {
    let Value::Map(pairs) = turn else {
        return BTreeMap::new();
    };
    pairs
        .iter()
        .map(|(key, value)| (key.to_string(), written(value)))
        .collect()
}

/// The keys and values of a turn to be written.
fn parts_of(turn: &[(String, Value)]) -> BTreeMap<String, String> {
    turn.iter()
        .map(|(key, value)| (key.clone(), written(value)))
        .collect()
}

/// A recorded turn without the answer of the language model. In place of the answer, it contains the recognized intent
/// and data, or the chosen transition and the assistant's reply. `None` if the engine would not read the same input
/// from both.
fn understood(turn: &Node, report: &TurnReport, file: FileId, machine: &Machine) -> Option<Value> {
    // A clarification question needs the alternatives, which only the answer contains.
    let is_asked = |answer: &Json| {
        let disposition = answer.get("disposition");
        disposition.is_some_and(|disposition| disposition != "execute")
    };
    if report.answers.iter().any(is_asked) {
        return None;
    }
    let names = KnownNames::new(machine, None);
    let options = TurnOptions {
        may_expect: true,
        may_be_unread: true,
        names: Some(&names),
    };
    let mut found = Diagnostics::default();
    let mut turn = ParsedTurn::read(turn, machine, options, &mut found)?.scripted;
    let is_reading = |kind| matches!(kind, NeedKind::Classify | NeedKind::Navigate);
    let at = turn
        .answers
        .iter()
        .position(|(need, _)| is_reading(need.kind))?;
    let (need, answer) = turn.answers.remove(at);
    let (input, unknown) = match need.kind {
        NeedKind::Navigate => (turn.input.with_navigation(&answer?, machine), Vec::new()),
        _ => turn.input.read_as(&answer?, machine)?,
    };
    turn.input = input;
    let node = parse_json(file, &turn_line(&turn, machine), 0, &mut found)?;
    let again = ParsedTurn::read(&node, machine, options, &mut found)?.scripted;
    let state = machine.state_id(report.state.from.as_deref()?)?;
    let read = read_by_policy(machine, state, &turn.input, &[]).ok()?;
    let is_same = unknown.is_empty() && again == turn && read.is_none_or(|read| read == turn.input);
    is_same.then(|| Value::from(&node))
}

/// The important expectations for a turn.
fn important_expectations(expected: &Value) -> Option<Value> {
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
