//! What a trace tells of a turn, as the engine has it.

use super::super::known_frames::KnownFrames;
use crate::engine::{Input, Machine, Session, Settings, Symbol, TurnData, read_by_phrase, read_otherwise};
use crate::machine::{EVENTS, NeedKind};
use crate::verify::import::BorrowedJson;

/// A session in which this is known.
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
    for (name, value) in data.and_then(BorrowedJson::pairs).unwrap_or_default() {
        session.slots.set_name(&Symbol::of(name, &machine.names.slots), value.to_value());
    }
    for (name, value) in frames.iter() {
        session.slots.set_name(&Symbol::of(name, &machine.names.slots), value.clone());
    }
    for (name, count) in counters.and_then(BorrowedJson::pairs).unwrap_or_default() {
        if let Some(count) = count.integer() {
            session.counters.set_declared(machine, name, count);
        }
    }
    session
}

/// What came in: as it is told, else as a phrase of the contract reads it, else as somebody else did.
pub(super) fn input(
    machine: &Machine,
    settings: &Settings,
    before: &Session,
    told: &BorrowedJson<'_>,
    answers: &BorrowedJson<'_>,
) -> Input {
    let event = EVENTS.into_iter().find(|name| told.get(name).is_some()).or_else(|| told.at("event").text());
    // What one of the events brings that every machine may know stands in its place.
    let brought = event.map(|name| told.at(name)).filter(|node| node.pairs().is_some());
    let data = brought.unwrap_or_else(|| told.at("data")).pairs().unwrap_or_default().iter();
    let data: Vec<_> = data.map(|(name, value)| (Symbol::of(name, &machine.names.slots), value.to_value())).collect();
    let input = Input {
        intent: told.at("intent").text().or(event).map(|name| Symbol::of(name, &machine.names.intents)),
        say: told.at("say").text().map(Into::into),
        data: if data.is_empty() { TurnData::Absent } else { TurnData::Given(data) },
        ..Input::default()
    };
    if input.intent.is_some() {
        return input;
    }
    if let Some(read) = read_by_phrase(machine, settings, before, &input) {
        return read;
    }
    let reading = answer_to("classify", told, answers).map(BorrowedJson::to_value);
    let read = reading.and_then(|reading| input.read_as(&reading, machine));
    let unread = || read_otherwise(machine, settings, before, &input).filter(|_| input.is_unread());
    read.or_else(unread).unwrap_or(input)
}

/// The answer to a need of this kind: as it was used, else as it was scripted.
pub(super) fn answer_to<'j, 'a>(
    need: &str,
    told: &'j BorrowedJson<'a>,
    answers: &'j BorrowedJson<'a>,
) -> Option<&'j BorrowedJson<'a>> {
    let list = answers.items().or_else(|| told.at("answers").items()).unwrap_or_default();
    // An effect is a need by its own name too: so it was called before effects were of one kind.
    let is_it = |answer: &&BorrowedJson<'_>| match answer.at("need").text() {
        Some(NeedKind::EFFECT) => answer.at("effect").text() == Some(need),
        kind => kind == Some(need),
    };
    list.iter().find(is_it).map(|answer| answer.at("answer"))
}
