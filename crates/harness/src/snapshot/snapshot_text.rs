//! The text of a snapshot: the records as YAML, one line per field and per line of a reply.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};
use std::sync::Arc;

use fsmsim_core::engine::{Carryover, RecordView, Symbol, Won};
use fsmsim_core::machine::{SlotId, Value};
use fsmsim_core::trace::{ObservedRecord, RecordField};

/// The fields in a snapshot if the project does not select any. `why` names the class of a contract.
const DEFAULT_FIELDS: [RecordField; 9] = [
    RecordField::State,
    RecordField::Phase,
    RecordField::Class,
    RecordField::Action,
    RecordField::Why,
    RecordField::Carryover,
    RecordField::Replies,
    RecordField::Effects,
    RecordField::Violations,
];

/// Builds the text of a snapshot. Empty fields are omitted.
#[derive(Debug)]
pub struct SnapshotText {
    /// The fields that the project selects, if it does.
    fields: Option<Vec<RecordField>>,
    /// The prefix of paths in the project. The locations of rules omit it.
    folder: String,
    text: String,
    rules: BTreeMap<u32, String>,
}

/// The result of a scenario in the form in which snapshots store it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotRecord {
    /// The records as YAML, without a final line break.
    pub text: String,
    /// The locations of the deciding rules, by turn. Their paths start at the project.
    pub rules: BTreeMap<u32, String>,
}

impl SnapshotText {
    /// Starts a snapshot that contains these fields, or else the default fields. `folder` is the prefix of paths in the
    /// project.
    pub fn new(fields: Option<&[RecordField]>, folder: &str) -> Self {
        Self {
            fields: fields.map(<[_]>::to_vec),
            folder: folder.to_owned(),
            text: String::new(),
            rules: BTreeMap::new(),
        }
    }

    /// Adds a turn.
    pub fn push(&mut self, line: &RecordView<'_>) {
        let is_first = self.text.is_empty();
        self.begin(line.record.turn, line.intent());
        let Self { fields, text, .. } = self;
        let fields = fields.as_deref().unwrap_or(&DEFAULT_FIELDS);
        for field in [RecordField::Input].iter().chain(fields) {
            let value = match field {
                RecordField::Carryover => carried_values(line, is_first),
                field => field.value(line),
            };
            write_field(*field, &value, text);
        }
        if let Some(rules) = rules_of(line, &self.folder) {
            self.rules.insert(line.record.turn, rules);
        }
    }

    fn begin(&mut self, turn: u32, intent: Option<&str>) {
        let intent = intent.unwrap_or_default().replace(char::is_control, " ");
        let _ = writeln!(self.text, "- turn: {turn}  # {intent}");
    }

    /// Adds a turn that a subject answered. It contains the fields that the project selects, or else all fields that
    /// the subject reported.
    pub fn push_observed(&mut self, record: &ObservedRecord) {
        self.begin(record.turn(), record.intent());
        let Self { fields, text, .. } = self;
        let is_shown = |field: RecordField| match field {
            RecordField::Turn => false,
            RecordField::Input => true,
            field => fields.as_ref().is_none_or(|fields| fields.contains(&field)),
        };
        for (field, value) in record.fields().filter(|(field, _)| is_shown(*field)) {
            write_field(field, value, text);
        }
    }

    /// Returns the complete snapshot.
    pub fn finish(self) -> SnapshotRecord {
        SnapshotRecord {
            text: self.text.trim_end().to_owned(),
            rules: self.rules,
        }
    }
}

/// The carryover, with the values of new and changed data. In the first turn, also those of unchanged data: later turns
/// do not repeat a value that the snapshot has.
fn carried_values(line: &RecordView<'_>, is_first: bool) -> Value {
    let Carryover {
        kept,
        added,
        changed,
        ..
    } = &line.record.carryover;
    let Value::Map(pairs) = RecordField::Carryover.value(line) else {
        return Value::Null;
    };
    let parts = pairs.iter().map(|(key, names)| {
        let value = match &**key {
            "added" => values_of(added, line),
            "changed" => values_of(changed, line),
            "kept" if is_first => values_of(kept, line),
            _ => names.clone(),
        };
        (key.clone(), value)
    });
    Value::Map(parts.collect())
}

fn values_of(names: &[Symbol<SlotId>], line: &RecordView<'_>) -> Value {
    let slots = &line.session.slots;
    let values = names
        .iter()
        .map(|name| (line.slot(name), slots.by_name(name).clone()));
    Value::map(values)
}

/// Writes a field, unless it is empty.
fn write_field(field: RecordField, value: &Value, text: &mut String) {
    use RecordField::{By, Carryover, Phase, Replies, Rule, State};
    // The keys of these fields are fixed. In other fields, a key with an empty value can be data.
    let omits_empty = matches!(field, State | Phase | Carryover | By | Rule);
    let name = field.name();
    match value {
        Value::Map(parts) if omits_empty => {
            if parts.iter().any(|(_, part)| part.filled()) {
                let _ = writeln!(text, "  {name}: {}", FlowMap { parts, omits_empty });
            }
        }
        value if !value.filled() => {}
        Value::List(replies) if field == Replies => {
            let _ = writeln!(text, "  {name}:");
            for reply in replies.iter() {
                write_reply(reply, text);
            }
        }
        value => {
            let _ = writeln!(text, "  {name}: {}", FlowStyle(value));
        }
    }
}

/// Writes a reply as an item of a list. Its lines are lines of the snapshot, so that tools show which lines differ.
fn write_reply(reply: &Value, text: &mut String) {
    // A literal block cannot express other texts.
    let is_literal = |reply: &&str| {
        let is_allowed = |letter: char| match letter {
            '\n' | '\t' => true,
            '\u{2028}' | '\u{2029}' | '\u{feff}' => false,
            letter => !letter.is_control(),
        };
        reply.contains('\n') && reply.trim() == *reply && reply.chars().all(is_allowed)
    };
    let Some(literal) = reply.as_text().filter(is_literal) else {
        let _ = writeln!(text, "    - {}", FlowStyle(reply));
        return;
    };
    text.push_str("    - |-\n");
    for line in literal.split('\n') {
        let indent = if line.is_empty() { "" } else { "      " };
        let _ = writeln!(text, "{indent}{line}");
    }
}

/// The locations of the rules that decided a turn.
fn rules_of(line: &RecordView<'_>, folder: &str) -> Option<String> {
    let outcome = line.record.outcome.as_ref()?;
    let place = |won: Option<Won>| {
        let place = line.rule_place(won?.rule?);
        Some(place.strip_prefix(folder).unwrap_or(&place).to_owned())
    };
    match (place(outcome.by_action), place(outcome.by_transition)) {
        (Some(action), Some(transition)) if action == transition => Some(action),
        (Some(action), Some(transition)) => {
            Some(format!("action {action}, transition {transition}"))
        }
        (Some(rule), None) | (None, Some(rule)) => Some(rule),
        (None, None) => None,
    }
}

/// Formats a value as single-line YAML; with `{:#}` as JSON.
#[derive(Debug)]
pub struct FlowStyle<'a>(pub &'a Value);

/// Formats a map as single-line YAML.
struct FlowMap<'a> {
    parts: &'a [(Arc<str>, Value)],
    omits_empty: bool,
}

impl Display for FlowStyle<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Text(text) => write_scalar(text, f),
            Value::List(items) => {
                f.write_char('[')?;
                for (at, item) in items.iter().enumerate() {
                    f.write_str(if at > 0 { ", " } else { "" })?;
                    FlowStyle(item).fmt(f)?;
                }
                f.write_char(']')
            }
            Value::Map(parts) => {
                let omits_empty = false;
                FlowMap { parts, omits_empty }.fmt(f)
            }
            value => value.fmt(f),
        }
    }
}

impl Display for FlowMap<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_shown = |part: &Value| !self.omits_empty || part.filled();
        let parts = self.parts.iter().filter(|(_, part)| is_shown(part));
        f.write_char('{')?;
        for (at, (key, value)) in parts.enumerate() {
            f.write_str(if at > 0 { ", " } else { "" })?;
            write_scalar(key, f)?;
            f.write_str(": ")?;
            FlowStyle(value).fmt(f)?;
        }
        f.write_char('}')
    }
}

/// Words that YAML parsers read as other types than strings.
const YAML_WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// Writes text without quotation marks if this is unambiguous and no JSON is requested, or else as JSON, which is valid
/// YAML.
fn write_scalar(text: &str, f: &mut Formatter<'_>) -> fmt::Result {
    let begins = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let simple = text
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    if !f.alternate()
        && begins
        && simple
        && !YAML_WORDS
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word))
    {
        f.write_str(text)
    } else {
        f.write_str(&serde_json::to_string(text).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};
    use fsmsim_syntax::document::parse_yaml;

    #[test]
    fn value_in_flow_style_reads_back_unchanged() {
        let values = [
            Value::text("spin_situation"),
            Value::text("no"),
            Value::text("12"),
            Value::text("да, \"нет\": #x\n"),
            Value::text(""),
            Value::Null,
            Value::Bool(true),
            Value::Int(-3),
            Value::map([
                (
                    "a b",
                    Value::List([Value::text("x, y"), Value::Int(1)].into()),
                ),
                ("пусто", Value::List([].into())),
            ]),
        ];
        for value in values {
            let text = FlowStyle(&value).to_string();
            assert!(!text.contains('\n'), "{text}");
            let file = SourceMap::default().add("t", text.as_str());
            let node = parse_yaml(file, &text, 0, &mut Diagnostics::default()).unwrap();
            assert_eq!(Value::from(&node), value, "{text}");
        }
    }
}
