//! What the caller of a dialogue is told that the model leads.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use fsmsim_core::engine::RecordView;
use fsmsim_core::engine::policy::{Point, PointState};

/// What the caller of a dialogue is told that the model leads.
pub(super) struct TurnReply {
    /// The whole of it as text, for models.
    pub(super) text: String,
    /// The same in parts, for programs.
    pub(super) parts: Json,
}

/// Intents that are told to lead on at most.
const MOST_INTENTS: usize = 50;

impl TurnReply {
    /// How the dialogue is behind its last turn, of which `record` tells; null where none was played. `replies` are those of
    /// all turns of the call, and `note` what did not go as asked for.
    pub(super) fn of(
        view: &RecordView<'_>,
        record: &Json,
        session: &str,
        replies: &[String],
        note: Option<&str>,
    ) -> Self {
        let state = view.session.position.state;
        let part = |key: &str| record.get(key).cloned().unwrap_or_default();
        let (machine, here) = (view.machine, view.machine.state(state));
        let led = here
            .rules
            .iter()
            .chain(here.transitions.iter())
            .map(|(intent, _)| intent);
        let mut intents: Vec<&str> = Vec::new();
        for intent in led.filter(|intent| machine.is_meant_by_people(*intent)) {
            let name = machine.names.intents.name(intent);
            if !intents.contains(&name) && intents.len() < MOST_INTENTS {
                intents.push(name);
            }
        }
        let missing: Vec<&str> = view
            .record
            .missing
            .iter()
            .map(|slot| machine.names.slots.name(*slot))
            .collect();
        let why = if record.is_null() {
            String::new()
        } else {
            fsmsim_harness::rehearsal::sentence(view)
        };
        let is_final = view.session.is_final(machine);
        let parts = json!({
            "session": session,
            "state": view.state(state),
            "phase": view.phase(here.phase),
            "action": part("action"),
            "class": part("contract_class").as_str().map_or_else(|| part("class"), |class| json!(class)),
            "replies": replies,
            "wanted": {"data": missing, "intents": intents, "points": open_points(view)},
            "data": Json::Object(view.data().filter_map(|(name, value)| {
                Some((name.to_owned(), serde_json::to_value(value).ok()?))
            }).collect::<Map<_, _>>()),
            "why": why,
            "note": note,
            "final": is_final,
        });
        let text = text(&parts, note, is_final, session);
        Self { text, parts }
    }

    /// The schema of the parts.
    pub(super) fn schema() -> Json {
        let text = |description: &str| json!({"type": "string", "description": description});
        let maybe =
            |description: &str| json!({"type": ["string", "null"], "description": description});
        let texts = |description: &str| json!({"type": "array", "items": {"type": "string"}, "description": description});
        json!({
            "type": "object",
            "properties": {
                "session": text("The dialogue. Give it with every call."),
                "state": text("The state of the dialogue now."),
                "phase": maybe("The phase of the dialogue now."),
                "action": maybe("What is to be done by whoever speaks for the model; null before the first turn."),
                "class": maybe("What kind of turn this was."),
                "replies": texts("What the model says to the user."),
                "wanted": {
                    "type": "object",
                    "description": "What leads on from here.",
                    "properties": {
                        "data": texts("Data that is missing."),
                        "intents": texts("Intents that the state has an answer to."),
                        "points": texts("Points of an interview that are still open."),
                    },
                    "required": ["data", "intents", "points"],
                },
                "data": {"type": "object", "description": "What is known."},
                "why": text("Why the turn went as it did."),
                "note": maybe("What did not go as asked for, and why."),
                "final": {"type": "boolean", "description": "Whether the dialogue has ended."},
            },
            "required": ["session", "state", "phase", "action", "class", "replies", "wanted", "data", "why", "note", "final"],
        })
    }
}

/// The points of an interview that are not found out yet.
fn open_points<'a>(view: &RecordView<'a>) -> Vec<&'a str> {
    let points = view.machine.policies.points().iter();
    let is_over = |state: &str| {
        [PointState::Completed, PointState::Skipped]
            .iter()
            .any(|over| over.name() == state)
    };
    let state = |point: &Point| {
        view.session
            .slots
            .get(point.kept.state)
            .as_text()
            .unwrap_or_default()
            .to_owned()
    };
    points
        .filter(|point| !is_over(&state(point)))
        .map(|point| &*point.id)
        .collect()
}

fn text(parts: &Json, note: Option<&str>, is_final: bool, session: &str) -> String {
    let said = |pointer: &str| {
        parts
            .pointer(pointer)
            .and_then(Json::as_str)
            .filter(|text| !text.is_empty())
    };
    let list = |pointer: &str| {
        let items = parts
            .pointer(pointer)
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        items
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut text = String::new();
    if let Some(note) = note {
        let _ = writeln!(text, "{note}\n");
    }
    for reply in list("/replies") {
        let _ = writeln!(text, "{reply}");
    }
    let _ = write!(
        text,
        "\n---\nState: {}.",
        said("/state").unwrap_or_default()
    );
    for (pointer, label) in [
        ("/phase", "Phase"),
        ("/action", "Action"),
        ("/class", "Class"),
    ] {
        if let Some(value) = said(pointer) {
            let _ = write!(text, " {label}: {value}.");
        }
    }
    for (pointer, label) in [
        ("/wanted/data", "Missing"),
        ("/wanted/points", "Open points"),
        ("/wanted/intents", "Intents that lead on"),
    ] {
        let names = list(pointer);
        if !names.is_empty() && !is_final {
            let _ = write!(text, "\n{label}: {}.", names.join(", "));
        }
    }
    if let Some(why) = said("/why") {
        let _ = write!(text, "\nWhy: {why}");
    }
    if is_final {
        text.push_str("\nThe dialogue has ended.");
    }
    let _ = write!(
        text,
        "\nSession: {session}. Give it as `session` with every call."
    );
    text.trim_start().to_owned()
}
