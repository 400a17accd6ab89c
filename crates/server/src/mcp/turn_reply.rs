//! The reply to a `turn` call.

use std::fmt::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::limits::MAX_LISTED_INTENTS;
use fsmsim_core::engine::RecordView;
use fsmsim_core::engine::policy::{Point, PointState};
use fsmsim_harness::interactive::WhySentence;

/// The reply to a `turn` call: text for LLMs, structured content for programs.
#[derive(Serialize, JsonSchema)]
pub(super) struct TurnReply<'v> {
    /// ID of the dialogue. Pass it with every call.
    session: &'v str,
    /// Current state.
    state: &'v str,
    /// Current phase.
    phase: Option<&'v str>,
    /// State to which the dialogue returns from the aside.
    returns_to: Option<&'v str>,
    /// Action for the assistant; null before the first turn.
    action: Option<&'v str>,
    /// Class of the turn.
    class: Option<&'v str>,
    /// Replies of the model to the user.
    replies: &'v [String],
    /// Inputs that can continue the dialogue.
    wanted: WantedHere<'v>,
    /// Values of the slots.
    data: Map<String, Json>,
    /// Explanation of the turn.
    why: String,
    /// Notes about the call, such as the reason for a rejection.
    note: Option<&'v str>,
    /// Whether the dialogue has ended.
    r#final: bool,
}

/// Inputs that can continue the dialogue.
#[derive(Serialize, JsonSchema)]
struct WantedHere<'v> {
    /// Missing data.
    data: Vec<&'v str>,
    /// Intents that the state handles.
    intents: Vec<&'v str>,
    /// Question topics of an interview that are still open.
    points: Vec<&'v str>,
}

impl<'v> TurnReply<'v> {
    /// Describes the dialogue, and its last turn if the call ran one. `replies` contains the replies of all turns of
    /// the call, and `note` explains why a request was not fulfilled.
    pub(super) fn of(
        view: &RecordView<'v>,
        is_played: bool,
        session: &'v str,
        replies: &'v [String],
        note: Option<&'v str>,
    ) -> Self {
        let state = view.session.position.state;
        let outcome = view.record.outcome.filter(|_| is_played);
        let machine = view.machine;
        let here = view.machine.state(state);
        let led = here
            .rules
            .iter()
            .chain(here.transitions.iter())
            .map(|(intent, _)| intent);
        let mut intents: Vec<&str> = Vec::new();
        for intent in led.filter(|intent| machine.is_meant_by_people(*intent)) {
            let name = machine.names.intents.name(intent);
            if !intents.contains(&name) && intents.len() < MAX_LISTED_INTENTS {
                intents.push(name);
            }
        }
        let missing = view.record.missing.iter();
        let why = outcome.map(|_| WhySentence::of(view).to_string());
        let class = outcome.map(|outcome| outcome.class.name());
        Self {
            session,
            state: view.state(state),
            phase: view.phase(here.phase),
            returns_to: view.session.return_state().map(|state| view.state(state)),
            action: outcome.map(|outcome| view.action(outcome.action)),
            class: class.map(|class| view.contract_class().unwrap_or(class)),
            replies,
            wanted: WantedHere {
                data: missing
                    .map(|slot| machine.names.slots.name(*slot))
                    .collect(),
                intents,
                points: open_points(view),
            },
            data: view
                .data()
                .map(|(name, value)| (name.to_owned(), json!(value)))
                .collect(),
            why: why.unwrap_or_default(),
            note,
            r#final: view.session.is_final(machine),
        }
    }
}

/// The question topics of an interview that are not answered.
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

impl fmt::Display for TurnReply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if let Some(note) = self.note {
            let _ = writeln!(text, "{note}\n");
        }
        for reply in self.replies {
            let _ = writeln!(text, "{reply}");
        }
        let _ = write!(text, "\n---\nState: {}.", self.state);
        for (label, name) in [
            ("Phase", self.phase),
            ("Returns to", self.returns_to),
            ("Action", self.action),
            ("Class", self.class),
        ] {
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                let _ = write!(text, " {label}: {name}.");
            }
        }
        for (label, names) in [
            ("Missing", &self.wanted.data),
            ("Open points", &self.wanted.points),
            ("Intents", &self.wanted.intents),
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
        let session = self.session;
        let _ = write!(
            text,
            "\nSession: {session}. Pass it as `session` with every call."
        );
        f.write_str(text.trim_start())
    }
}
