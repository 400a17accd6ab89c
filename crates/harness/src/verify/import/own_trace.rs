//! Converts external traces to the trace format of this program.

use std::io::{self, BufRead, Write};

use serde_json::{Value as Json, json};

use super::borrowed_json::BorrowedJson;
use super::dialogue::{ObservedDialogue, ObservedTurn};
use super::reader::ObservedReader;
use fsmsim_core::trace::{JsonLine, ObservedRecord, RecordField, TRACE_VERSION};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap};

/// Writes the dialogues of an external trace as a trace of this program. `model` is the path of the model in headers.
/// Turns that a map does not show completely are omitted.
///
/// # Errors
/// Returns an error if writing fails.
pub fn write_own_trace<R: BufRead>(
    mut reader: ObservedReader<R>,
    model: Option<&str>,
    out: &mut dyn Write,
    found: &mut Diagnostics,
    sources: &mut SourceMap,
) -> io::Result<()> {
    let map = reader.map();
    let name = reader.name().to_owned();
    let mut last = 0;
    while let Some(text) = reader.read(found, sources) {
        last = text.last_line();
        if let Some(dialogue) = text.open(map.as_deref(), &name, found, sources) {
            write_dialogue(&dialogue, model, out)?;
        }
    }
    if let Some(map) = map {
        map.check(last, found);
    }
    Ok(())
}

fn write_dialogue(
    dialogue: &ObservedDialogue<'_>,
    model: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let value = |json: &Option<BorrowedJson<'_>>| json.as_ref().map(BorrowedJson::to_value);
    let profile = value(&dialogue.profile);
    let mut header = json!({
        "fsmsim_trace": TRACE_VERSION,
        "dialogue": dialogue.name,
        "machine": {"source": model, "profile": profile},
        "signals": value(&dialogue.signals),
        "start": value(&dialogue.start),
    });
    for pointer in ["/machine", ""] {
        let part = header.pointer_mut(pointer);
        if let Some(part) = part.and_then(Json::as_object_mut) {
            part.retain(|_, value| !value.is_null() && *value != json!({}));
        }
    }
    writeln!(out, "{header}")?;
    let mut line = JsonLine::default();
    for turn in &dialogue.turns {
        line.clear();
        record(turn).write(&mut line);
        out.write_all(line.as_bytes())?;
        writeln!(out)?;
    }
    let end = json!({"end": dialogue.name, "turns": dialogue.turns.len()});
    writeln!(out, "{end}")
}

fn record(turn: &ObservedTurn<'_>) -> ObservedRecord {
    let mut record = ObservedRecord::new(turn.number, turn.input.to_value());
    for (field, value) in turn.fields() {
        record.set(*field, value.to_value());
    }
    if !turn.answers.is_null() {
        record.set(RecordField::Answers, turn.answers.to_value());
    }
    record
}
