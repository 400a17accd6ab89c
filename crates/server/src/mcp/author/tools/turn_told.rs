//! A turn that was played, and where the dialogue is then, for an assistant.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use crate::mcp::author::author_session::AuthorSession;
use crate::mcp::author::bounded_parts::size_of;
use fsmsim_harness::rehearsal::Rehearsal;
use fsmsim_reports::view::HereView;

/// A turn that was played, for an assistant.
pub(super) struct TurnTold {
    /// For programs.
    pub(super) parts: Json,
    /// In a few lines.
    pub(super) text: String,
}

/// What of a record is told of each turn, in this order.
const FIELDS: [&str; 11] = [
    "state",
    "phase",
    "action",
    "class",
    "contract_class",
    "replies",
    "carryover",
    "missing",
    "final",
    "rule",
    "faults",
];
/// Slots that are told at most where the state does not ask for them, and intents.
const MOST: usize = 60;

impl TurnTold {
    /// The turn of a moment.
    pub(super) fn of(rehearsal: &Rehearsal, moment: u32, with_record: bool) -> Self {
        let node = rehearsal.tree().moment(moment);
        let record: Json = node
            .and_then(|node| serde_json::from_str(&node.record).ok())
            .unwrap_or_default();
        let line = node.map(|node| node.line.clone()).unwrap_or_default();
        let why = rehearsal.why_at(moment);
        let turn = rehearsal.tree().turns_at(moment);
        let mut parts = Map::new();
        parts.insert("turn".to_owned(), turn.into());
        parts.insert("line".to_owned(), line.clone().into());
        for field in FIELDS {
            // A machine without phases, or without a registry, has nothing to say there.
            if let Some(value) = record.get(field).filter(|value| !value.is_null()) {
                parts.insert(field.to_owned(), value.clone());
            }
        }
        let rejected = record
            .get("rejected")
            .and_then(Json::as_array)
            .map_or(0, Vec::len);
        parts.insert("rejected".to_owned(), rejected.into());
        parts.insert(
            "why".to_owned(),
            why.map(|why| why.sentence.clone())
                .unwrap_or_default()
                .into(),
        );
        let text = text(turn, &line, &record, why.map_or("", |why| &*why.sentence));
        if with_record {
            parts.insert("record".to_owned(), record);
        }
        Self {
            parts: Json::Object(parts),
            text,
        }
    }

    /// Leaves the record out where it takes more than what is `left` for all turns; whether it did.
    pub(super) fn leave_record(&mut self, left: &mut usize) -> bool {
        let size = size_of(&self.parts);
        let parts = self.parts.as_object_mut().filter(|_| size > *left);
        let is_left = parts.and_then(|parts| parts.remove("record")).is_some();
        *left = left.saturating_sub(if is_left { size_of(&self.parts) } else { size });
        is_left
    }
}

fn text(turn: u32, line: &str, record: &Json, why: &str) -> String {
    let said = |pointer: &str| {
        record
            .pointer(pointer)
            .and_then(Json::as_str)
            .unwrap_or("?")
    };
    let mut text = format!("{turn}. {}", line.replace('\n', " ; "));
    if record.is_null() {
        return text + "\n   nothing came of it";
    }
    let (from, to) = (said("/state/from"), said("/state/to"));
    let way = if from == to {
        from.to_owned()
    } else {
        format!("{from} -> {to}")
    };
    let _ = write!(
        text,
        "\n   {way} ({}), action {}",
        said("/class"),
        said("/action")
    );
    if !why.is_empty() {
        let _ = write!(text, "\n   why: {why}");
    }
    let list = |key: &str| {
        record
            .get(key)
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
    };
    for reply in list("replies") {
        let _ = write!(
            text,
            "\n   says: {}",
            reply
                .as_str()
                .map_or_else(|| reply.to_string(), str::to_owned)
        );
    }
    for fault in list("faults") {
        let _ = write!(
            text,
            "\n   fault: {}",
            fault
                .as_str()
                .map_or_else(|| fault.to_string(), str::to_owned)
        );
    }
    text
}

/// Where a dialogue is, without what nobody asks for in its state.
pub(super) fn here(session: &AuthorSession) -> Json {
    let mut here = serde_json::to_value(HereView::of(&session.rehearsal)).unwrap_or_default();
    if let Some(here) = here.as_object_mut() {
        here.remove("others");
        if let Some(Json::Array(slots)) = here.get_mut("slots") {
            let is_other = |slot: &Json| slot.get("need").and_then(Json::as_str) == Some("other");
            let is_filled = |slot: &Json| slot.get("filled") == Some(&Json::Bool(true));
            slots.retain(|slot| !is_other(slot) || is_filled(slot));
            slots.truncate(MOST);
        }
        if let Some(Json::Array(intents)) = here.get_mut("intents") {
            intents.truncate(MOST);
        }
        here.insert(
            "turns".to_owned(),
            json!(
                session
                    .rehearsal
                    .tree()
                    .turns_at(session.rehearsal.tree().at())
            ),
        );
    }
    here
}

/// The same in a few lines.
pub(super) fn here_told(here: &Json) -> String {
    let said = |key: &str| here.get(key).and_then(Json::as_str);
    let list = |key: &str| here.get(key).and_then(Json::as_array).into_iter().flatten();
    let state = said("state").unwrap_or("?");
    let phase = said("phase")
        .map(|phase| format!(", phase {phase}"))
        .unwrap_or_default();
    if here.get("final") == Some(&Json::Bool(true)) {
        return format!("The dialogue is over, in {state}{phase}.");
    }
    let mut text = format!("Now in {state}{phase}.");
    let lacks = list("slots").filter(|slot| {
        slot.get("need").and_then(Json::as_str) == Some("required")
            && slot.get("filled") == Some(&Json::Bool(false))
    });
    let lacks: Vec<&str> = lacks
        .filter_map(|slot| slot.get("name")?.as_str())
        .collect();
    if !lacks.is_empty() {
        let _ = write!(text, " Missing: {}.", lacks.join(", "));
    }
    let intents: Vec<&str> = list("intents").filter_map(Json::as_str).collect();
    if !intents.is_empty() {
        let _ = write!(text, " Intents here: {}.", intents.join(", "));
    }
    let moves: Vec<&str> = list("moves")
        .filter_map(|way| way.get("target")?.as_str())
        .collect();
    if !moves.is_empty() {
        let _ = write!(text, " Leads to: {}.", moves.join(", "));
    }
    text
}
