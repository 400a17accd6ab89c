//! A recorded dialogue in the trace format of this program.

use serde_json::{Map, Value as Json, json};

use super::import::{BorrowedJson, ObservedText, TraceMap};
use fsmsim_core::trace::RecordField;
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// A recorded dialogue in the trace format of this program.
#[derive(Clone, Debug, Default)]
pub struct RecordedDialogue {
    pub name: String,
    /// The first line of the dialogue, from 1.
    pub line: usize,
    /// The signals and the start, if they are recorded.
    head: Vec<(&'static str, Json)>,
    /// The records of the turns.
    pub turns: Vec<Json>,
}

impl RecordedDialogue {
    /// Parses a dialogue. `map` locates the fields of a trace from another system.
    pub fn read(text: &ObservedText, map: Option<&TraceMap>) -> Option<Self> {
        let mut found = Diagnostics::default();
        let dialogue = text.open(map, "", &mut found, &mut SourceMap::default())?;
        let json = |value: &BorrowedJson<'_>| json!(value.to_value());
        let head = [("signals", &dialogue.signals), ("start", &dialogue.start)];
        let head = head.into_iter().filter_map(|(key, value)| {
            let value = value.as_ref().filter(|value| !value.is_null())?;
            Some((key, json(value)))
        });
        let turns = dialogue.turns.iter().map(|turn| {
            let mut record = Map::new();
            record.insert(RecordField::Turn.name().to_owned(), turn.number.into());
            record.insert("input".to_owned(), json(&turn.input));
            if !turn.answers.is_null() {
                record.insert("answers".to_owned(), json(&turn.answers));
            }
            let fields = turn.fields().iter();
            record.extend(fields.map(|(field, value)| (field.name().to_owned(), json(value))));
            Json::Object(record)
        });
        Some(Self {
            name: dialogue.name.to_owned(),
            line: dialogue.line,
            head: head.collect(),
            turns: turns.collect(),
        })
    }

    /// The turns up to this one as a trace. `model` is the path of the model.
    pub(crate) fn trace(&self, until: u32, model: &str) -> String {
        let header = json!({
            "fsmsim_trace": 3, "dialogue": self.name, "machine": {"source": model},
        });
        let head = self
            .head
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()));
        let fixed = header.as_object().cloned().unwrap_or_default();
        let header = Json::Object(fixed.into_iter().chain(head).collect());
        let number = |turn: &&Json| turn["turn"].as_u64() <= Some(until.into());
        let turns = self.turns.iter().take_while(number);
        let lines = std::iter::once(&header).chain(turns);
        lines.map(|line| line.to_string() + "\n").collect()
    }
}
