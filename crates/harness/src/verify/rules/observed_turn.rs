//! Converts the recorded parts of a turn to types of the engine.

use super::super::known_frames::KnownFrames;
use super::CheckContext;
use crate::verify::import::{BorrowedJson, ObservedTurn};
use fsmsim_core::engine::{
    Answer, Effect, Input, Machine, Session, Symbol, TurnData, Verdict, read_by_phrase,
    read_by_policy, read_fallback,
};
use fsmsim_core::machine::{EVENTS, NeedKey, NeedKind, Value};

/// A session that contains the known values.
pub(super) fn session(
    machine: &Machine,
    state: Option<&str>,
    frames: &KnownFrames,
    data: Option<&BorrowedJson<'_>>,
    counters: Option<&BorrowedJson<'_>>,
) -> Session {
    let mut session = Session::new(machine);
    session.slots.clear();
    if let Some(state) = state.and_then(|state| machine.state_id(state)) {
        session.position.state = state;
    }
    for (name, value) in data.into_iter().flat_map(BorrowedJson::entries) {
        session
            .slots
            .set_name(&Symbol::of(name, &machine.names.slots), value.to_value());
    }
    for (name, value) in frames.iter() {
        session
            .slots
            .set_name(&Symbol::of(name, &machine.names.slots), value.clone());
    }
    for (name, count) in counters.into_iter().flat_map(BorrowedJson::entries) {
        if let Some(count) = count.integer() {
            session.counters.set_declared(machine, name, count);
        }
    }
    session
}

/// The known effects in a turn. Returns `None` if the outcome of any effect is not recorded.
pub(super) fn effects(machine: &Machine, recorded: &BorrowedJson<'_>) -> Option<Vec<Effect>> {
    let mut effects = Vec::new();
    for (index, effect) in (0..).zip(recorded.list()?) {
        let verdict = match effect.at("verdict").text()? {
            "allowed" => Verdict::Allowed(effect.at("outcome").text()?.into()),
            "denied" => Verdict::Denied(effect.at("why").text().unwrap_or_default().into()),
            _ => return None,
        };
        let state = effect
            .at("state")
            .text()
            .and_then(|state| machine.state_id(state))
            .unwrap_or(machine.initial);
        let kind = machine.names.effects.id(effect.at("effect").text()?);
        effects.extend(kind.map(|kind| Effect {
            kind,
            index,
            state,
            schema: None,
            payload: Value::Null,
            verdict,
        }));
    }
    Some(effects)
}

/// The input of a turn, as far as it is recorded.
pub(super) struct ObservedInput {
    pub input: Input,
    /// Whether the input is recorded completely.
    pub is_whole: bool,
}

impl ObservedInput {
    /// Reads the input. A policy of the machine interprets it, or else the recorded intent, a phrase of the contract,
    /// or the recorded classification is used.
    pub(super) fn read(context: &CheckContext<'_>, before: &Session) -> Self {
        let machine = context.machine();
        let settings = context.settings;
        let now = context.now;
        let input = as_recorded(machine, &now.input);
        let is_recorded = !now.input.entries().is_empty();
        let given: Vec<Answer> = NeedKind::JUDGEMENTS
            .into_iter()
            .filter_map(|kind| Some((kind, answer_to(kind.name(), now)?)))
            .map(|(kind, answer)| Answer {
                key: NeedKey::first(kind),
                value: Some(answer.to_value()).filter(|value| !value.is_null()),
                by: None,
                failed: Vec::new(),
            })
            .collect();
        let (input, is_judged) =
            match read_by_policy(machine, before.position.state, &input, &given) {
                Ok(Some(read)) => (read, true),
                Ok(None) => (input, true),
                // A recognizer read the input, but the trace does not contain the result.
                Err(_) => (input, false),
            };
        if input.intent.is_some() {
            return Self {
                input,
                is_whole: is_recorded && is_judged,
            };
        }
        let phrase = read_by_phrase(machine, settings, before, &input);
        let read = phrase.or_else(|| {
            let reading = answer_to(NeedKind::Classify.name(), now).map(BorrowedJson::to_value);
            let read = reading
                .as_ref()
                .and_then(|reading| input.read_as(reading, machine));
            let known = reading.as_ref().filter(|_| read.is_some());
            let fallback = read_fallback(machine, settings, before, &input, known);
            fallback
                .filter(|_| input.is_unread())
                .or(read.map(|(read, _)| read))
        });
        let is_whole = is_recorded && is_judged && (read.is_some() || !input.is_unread());
        Self {
            input: read.unwrap_or(input),
            is_whole,
        }
    }
}

/// The input as it was recorded.
fn as_recorded(machine: &Machine, recorded: &BorrowedJson<'_>) -> Input {
    let event = EVENTS
        .into_iter()
        .find(|name| recorded.get(name).is_some())
        .or_else(|| recorded.at("event").text());
    // The data of a built-in event is under the event's key.
    let brought = event
        .map(|name| recorded.at(name))
        .filter(|node| node.is_map());
    let data: Vec<_> = brought
        .unwrap_or_else(|| recorded.at("data"))
        .entries()
        .iter()
        .map(|(name, value)| (Symbol::of(name, &machine.names.slots), value.to_value()))
        .collect();
    Input {
        intent: recorded
            .at("intent")
            .text()
            .or(event)
            .map(|name| Symbol::of(name, &machine.names.intents)),
        say: recorded.at("say").text().map(Into::into),
        data: if data.is_empty() {
            TurnData::Absent
        } else {
            TurnData::Given(data)
        },
        at: recorded.at("at").text().map(Into::into),
        ..Input::default()
    }
}

/// The answer to this kind of need: the answer that was used, or else the scripted answer.
pub(super) fn answer_to<'j, 'a>(
    need: &str,
    turn: &'j ObservedTurn<'a>,
) -> Option<&'j BorrowedJson<'a>> {
    let used = turn.answers.list();
    let list = used.unwrap_or_else(|| turn.input.at("answers").items());
    // Older traces record an effect as a need that has the effect's name.
    let is_it = |answer: &&BorrowedJson<'_>| match answer.at("need").text() {
        Some(NeedKind::EFFECT) => answer.at("effect").text() == Some(need),
        kind => kind == Some(need),
    };
    list.iter().find(is_it).map(|answer| answer.at("answer"))
}
