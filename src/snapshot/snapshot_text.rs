//! The text of a snapshot: the records as YAML, one field a line.

use std::fmt::Write;

use crate::engine::RecordView;
use crate::machine::Value;
use crate::trace::RecordField;

/// The fields of a snapshot that the project does not choose.
const DEFAULT_FIELDS: [RecordField; 8] = [
    RecordField::State,
    RecordField::Phase,
    RecordField::Action,
    RecordField::Class,
    RecordField::ContractClass,
    RecordField::Carryover,
    RecordField::Effects,
    RecordField::Why,
];

/// The text of a snapshot in the making.
#[derive(Debug)]
pub struct SnapshotText {
    fields: Vec<RecordField>,
    text: String,
}

impl SnapshotText {
    /// A snapshot of these fields, or of the default ones.
    pub fn new(fields: Option<&[RecordField]>) -> Self {
        Self { fields: fields.unwrap_or(&DEFAULT_FIELDS).to_vec(), text: String::new() }
    }

    /// Adds a turn.
    pub fn push(&mut self, line: &RecordView<'_>) {
        let intent = line.intent().unwrap_or_default();
        let _ = writeln!(self.text, "- turn: {}  # {}", line.record.turn, intent.replace(char::is_control, " "));
        for field in &self.fields {
            let _ = writeln!(self.text, "  {}: {}", field.name(), FlowStyle(&field.value(line)));
        }
    }

    /// The text, without a line break at its end.
    pub fn finish(self) -> String {
        self.text.trim_end().to_owned()
    }
}

/// A value as YAML on one line.
struct FlowStyle<'a>(&'a Value);

impl std::fmt::Display for FlowStyle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Value::Text(text) => scalar(text, f),
            Value::List(items) => {
                f.write_str("[")?;
                for (number, item) in items.iter().enumerate() {
                    let comma = if number > 0 { ", " } else { "" };
                    write!(f, "{comma}{}", FlowStyle(item))?;
                }
                f.write_str("]")
            }
            Value::Map(pairs) => {
                f.write_str("{")?;
                for (number, (key, value)) in pairs.iter().enumerate() {
                    f.write_str(if number > 0 { ", " } else { "" })?;
                    scalar(key, f)?;
                    write!(f, ": {}", FlowStyle(value))?;
                }
                f.write_str("}")
            }
            value => value.fmt(f),
        }
    }
}

/// A text without quotes where nothing can be mistaken in it, else as JSON, which is YAML too.
fn scalar(text: &str, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    let begins = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let simple = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
    let word = matches!(
        text.to_ascii_lowercase().as_str(),
        "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    if begins && simple && !word {
        f.write_str(text)
    } else {
        f.write_str(&serde_json::to_string(text).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostics, SourceMap};
    use crate::document::parse_yaml;

    #[test]
    fn what_is_written_reads_back() {
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
                ("a b", Value::List([Value::text("x, y"), Value::Int(1)].into())),
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
