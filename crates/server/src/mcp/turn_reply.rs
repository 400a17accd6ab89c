//! What the caller of a dialogue is told that the model leads.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use fsmsim_core::engine::RecordView;
use fsmsim_core::engine::policy::agenda::{AgendaPoint, PointState};

/// What the caller of a dialogue is told that the model leads.
pub(super) struct TurnReply {
    /// The whole of it as text, for models.
    pub(super) text: String,
    /// The same in parts, for programs.
    pub(super) parts: Json,
}

/// The parts of a reply.
#[derive(Serialize, JsonSchema)]
pub(super) struct TurnAnswer<'a> {
    /// The dialogue. Give it with every call.
    session: &'a str,
    /// The state of the dialogue now.
    state: &'a str,
    /// The phase of the dialogue now.
    phase: Option<&'a str>,
    /// What is to be done by whoever speaks for the model; null before the first turn.
    action: Option<&'a str>,
    /// What kind of turn this was.
    class: Option<&'a str>,
    /// What the model says to the user.
    replies: &'a [String],
    /// What leads on from here.
    wanted: WantedParts<'a>,
    /// What is known.
    data: Map<String, Json>,
    /// Why the turn went as it did.
    why: String,
    /// What did not go as asked for, and why.
    note: Option<&'a str>,
    /// Whether the dialogue has ended.
    r#final: bool,
}

#[derive(Serialize, JsonSchema)]
struct WantedParts<'a> {
    /// Data that is missing.
    data: Vec<&'a str>,
    /// Intents that the state has an answer to.
    intents: Vec<&'a str>,
    /// Points of an interview that are still open.
    points: Vec<&'a str>,
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
        let part = |key: &str| record.get(key).and_then(Json::as_str);
        let data = view.data();
        let parts = TurnAnswer {
            session,
            state: view.state(state),
            phase: view.phase(here.phase),
            action: part("action"),
            class: part("contract_class").or(part("class")),
            replies,
            wanted: WantedParts {
                data: missing,
                intents,
                points: open_points(view),
            },
            data: data
                .filter_map(|(name, value)| {
                    Some((name.to_owned(), serde_json::to_value(value).ok()?))
                })
                .collect(),
            why,
            note,
            r#final: view.session.is_final(machine),
        };
        Self {
            text: parts.text(),
            parts: json!(parts),
        }
    }
}

/// The points of an interview that are not found out yet.
fn open_points<'a>(view: &RecordView<'a>) -> Vec<&'a str> {
    let points = view
        .machine
        .agenda()
        .into_iter()
        .flat_map(|agenda| agenda.points.iter());
    let is_over = |state: &str| {
        [PointState::Completed, PointState::Skipped]
            .iter()
            .any(|over| over.name() == state)
    };
    let state = |point: &AgendaPoint| {
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

impl TurnAnswer<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(note) = self.note {
            let _ = writeln!(text, "{note}\n");
        }
        for reply in self.replies {
            let _ = writeln!(text, "{reply}");
        }
        let _ = write!(text, "\n---\nState: {}.", self.state);
        for (value, label) in [
            (self.phase, "Phase"),
            (self.action, "Action"),
            (self.class, "Class"),
        ] {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                let _ = write!(text, " {label}: {value}.");
            }
        }
        for (names, label) in [
            (&self.wanted.data, "Missing"),
            (&self.wanted.points, "Open points"),
            (&self.wanted.intents, "Intents that lead on"),
        ] {
            if !names.is_empty() && !self.r#final {
                let _ = write!(text, "\n{label}: {}.", names.join(", "));
            }
        }
        if !self.why.is_empty() {
            let _ = write!(text, "\nWhy: {}", self.why);
        }
        if self.r#final {
            text.push_str("\nThe dialogue has ended.");
        }
        let _ = write!(
            text,
            "\nSession: {}. Give it as `session` with every call.",
            self.session
        );
        text.trim_start().to_owned()
    }
}
