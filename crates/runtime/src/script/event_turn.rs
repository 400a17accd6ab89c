//! Events of a turn: `open`, `tick` and the like, and events that the machine declares.

use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Value;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Node, text_of, wrong_type};

/// The keys of a turn that trigger an event, and the keys that an event replaces.
pub(super) struct EventTurn<'n> {
    /// Built-in events with their data: a map, or `true`.
    pub events: Vec<(&'static str, &'n Node)>,
    /// An event that the machine declares.
    pub event: Option<&'n str>,
    pub intent: Option<&'n str>,
    pub data: Option<&'n Node>,
}

pub(super) enum TurnEvent<'n> {
    /// No event: the turn has an utterance or a move.
    Nothing,
    /// An event that the machine does not know.
    Unknown(&'static str),
    /// An event with its payload.
    Event(&'n str, Option<&'n Node>),
}

impl<'n> EventTurn<'n> {
    /// Returns the event of the turn. Reports a turn with more than one event, and events that the machine does not
    /// declare.
    pub(super) fn read(
        &self,
        span: Span,
        machine: &Machine,
        found: &mut Diagnostics,
    ) -> TurnEvent<'n> {
        let given = self.events.len()
            + usize::from(self.event.is_some())
            + usize::from(self.intent.is_some());
        if given > 1 && given > usize::from(self.intent.is_some()) {
            Diagnostic::error(
                Code::WrongInput,
                format!("expected one intent or event in the turn, found {given}"),
            )
            .at(span, "turn")
            .help("write one turn for each intent and each event")
            .add_to(found);
        }
        let is_event = |name: &str| {
            machine
                .names
                .intents
                .id(name)
                .is_some_and(|id| machine.is_event(id))
        };
        if let Some(name) = self.event {
            if !is_event(name) {
                let names = machine
                    .intents
                    .ids()
                    .filter(|id| machine.is_event(*id))
                    .map(|id| machine.names.intents.name(id));
                Diagnostic::unknown(Code::WrongInput, "event", name)
                    .at(span, "turn")
                    .near(name, names, "define it under `events:` in the model")
                    .add_to(found);
            }
            return TurnEvent::Event(name, self.data);
        }
        let Some((key, node)) = self.events.last() else {
            return TurnEvent::Nothing;
        };
        if !is_event(key) {
            return TurnEvent::Unknown(key);
        }
        let payload = node.map().is_some().then_some(*node);
        if payload.is_none() && node.boolean() != Some(true) && !node.is_null() {
            wrong_type(node, &format!("`{key}` is a map of data or `true`"), found);
        }
        TurnEvent::Event(key, payload.or(self.data))
    }
}

/// The time of a turn in RFC 3339 format.
pub(super) fn read_time<'n>(node: &'n Node, found: &mut Diagnostics) -> Option<&'n str> {
    let text = text_of(node, "at", found)?;
    if is_time(text) {
        return Some(text);
    }
    Diagnostic::error(Code::UnknownValue, format!("invalid time `{text}`"))
        .at(node.span, "not in RFC 3339 format")
        .help("write `2026-01-31T18:00:00Z`, or use an offset: `2026-01-31T18:00:00+03:00`")
        .refuse(found)
}

/// Whether a string is an RFC 3339 time: `YYYY-MM-DDThh:mm:ss` with an optional fraction, then `Z` or an offset.
pub fn is_time(text: &str) -> bool {
    text.as_bytes().get(10) == Some(&b'T') && Value::text(text).as_seconds().is_some()
}

#[cfg(test)]
mod tests {
    use super::is_time;

    #[test]
    fn time_requires_date_time_and_offset() {
        for time in [
            "2026-01-31T18:00:00Z",
            "2026-01-31T18:00:00.25Z",
            "2026-01-31T18:00:60+03:00",
        ] {
            assert!(is_time(time), "{time}");
        }
        for text in [
            "",
            "2026-01-31",
            "2026-01-31T18:00:00",
            "2026-13-31T18:00:00Z",
            "2026-02-31T18:00:00Z",
            "2026-01-31T25:00:00Z",
            "2026-01-31T18:00:00+3",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }
}
