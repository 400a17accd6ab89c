//! Writes the input of a turn as it was given.

use super::JsonLine;
use crate::engine::{Machine, Operation, ScriptedTurn, Sink, Symbol, TurnData, key, pairs};
use crate::machine::{EVENTS, NeedKey, NeedKind, SlotId, Value};

/// A turn as a JSON line, in the format of the turns of a turns file.
pub fn turn_line(scripted: &ScriptedTurn, machine: &Machine) -> String {
    let mut line = JsonLine::default();
    write_input(scripted, machine, &mut line);
    line.into_string()
}

/// Writes a scripted turn; keys that are not set are omitted.
pub(super) fn write_input(scripted: &ScriptedTurn, machine: &Machine, out: &mut impl Sink) {
    let input = &scripted.input;
    let intents = &machine.names.intents;
    out.object(|out| {
        if !scripted.before.is_empty() {
            let before = key!(out, "before");
            before.each(&scripted.before, |operation, out| {
                write_operation(operation, machine, out);
            });
        }
        out.optional_text(key!("say"), input.say.as_deref());
        let event = event_of(scripted, machine);
        match (event, &input.intent) {
            (Some(name), _) if EVENTS.contains(&name) => match &input.data {
                TurnData::Given(values) => write_data(values, machine, out.name(name)),
                TurnData::Absent | TurnData::Null => out.name(name).boolean(true),
            },
            (Some(name), _) => key!(out, "event").text(name),
            (None, Some(intent)) => key!(out, "intent").text(intent.text(intents)),
            (None, None) => {}
        }
        if !input.also.is_empty() {
            key!(out, "also").texts(input.also.iter().map(|name| name.text(intents)));
        }
        out.optional(key!("confidence"), input.confidence, |confidence, out| {
            out.value(&Value::Float(confidence));
        });
        out.optional_text(key!("tone"), input.tone.as_deref());
        out.optional(
            key!("frustration"),
            input.frustration,
            |frustration, out| out.int(frustration),
        );
        match &input.data {
            TurnData::Absent => {}
            // The data is already written under the event.
            _ if event.is_some_and(|name| EVENTS.contains(&name)) => {}
            TurnData::Null => key!(out, "data").value(&Value::Null),
            TurnData::Given(values) => write_data(values, machine, key!(out, "data")),
        }
        if !input.signals.is_empty() {
            key!(out, "signals").map(
                input
                    .signals
                    .iter()
                    .map(|(signal, value)| (signal.name(), value)),
            );
        }
        if !input.options.is_empty() {
            key!(out, "options").each(&input.options, |option, out| out.value(option));
        }
        out.optional_text(key!("question"), input.question.as_deref());
        let goto = input.goto.as_ref();
        let goto = goto.map(|state| state.text(&machine.names.states));
        out.optional_text(key!("goto"), goto);
        if input.consent.is_said() {
            key!(out, "consent").object(|out| {
                out.optional(key!("read"), input.consent.read, |word, out| {
                    out.boolean(word);
                });
                out.optional(key!("write"), input.consent.write, |word, out| {
                    out.boolean(word);
                });
            });
        }
        if scripted.only_calls() {
            key!(out, "call").word("get_instruction()");
        }
        let reply = input.reply.as_deref().filter(|reply| !reply.is_empty());
        out.optional_text(key!("reply"), reply);
        out.optional_text(key!("at"), input.at.as_deref());
        out.optional(key!("elapsed_s"), input.elapsed, |elapsed, out| {
            out.value(&Value::Float(elapsed));
        });
        out.optional(key!("answer"), scripted.answer.as_ref(), |answer, out| {
            out.value(answer);
        });
        if !scripted.answers.is_empty() {
            key!(out, "answers").each(&scripted.answers, |(need, answer), out| {
                out.object(|out| {
                    write_need(*need, machine, out);
                    key!(out, "answer").value_or_null(answer.as_ref());
                });
            });
        }
    });
}

/// The event of the turn, if the input is an event and not a user intent.
fn event_of<'a>(scripted: &'a ScriptedTurn, machine: &'a Machine) -> Option<&'a str> {
    let id = scripted.input.intent.as_ref()?.known()?;
    machine.is_event(id).then(|| machine.names.intents.name(id))
}

fn write_data(values: &[(Symbol<SlotId>, Value)], machine: &Machine, out: &mut impl Sink) {
    out.map(
        values
            .iter()
            .map(|(name, value)| (name.text(&machine.names.slots), value)),
    );
}

fn write_operation(operation: &Operation, machine: &Machine, out: &mut impl Sink) {
    let names = &machine.names;
    out.object(|out| match operation {
        Operation::Snapshot => key!(out, "op").word("snapshot"),
        Operation::Reset => key!(out, "op").word("reset"),
        Operation::SyncPhase => key!(out, "op").word("sync_phase"),
        Operation::SetState(state) => {
            pairs!(
                out,
                op = word("set_state"),
                state = text(state.text(&names.states)),
            );
        }
        Operation::SetData(values) => {
            // Write the values as the slots store them, so that reading them back returns the same values.
            let stored = values
                .iter()
                .map(|(name, value)| (name.clone(), name.held(value, machine)));
            key!(out, "op").word("set_data");
            write_data(&stored.collect::<Vec<_>>(), machine, key!(out, "data"));
        }
        Operation::TransitionTo {
            state,
            action,
            phase,
            source,
            validate,
        } => {
            pairs!(
                out,
                op = word("transition_to"),
                next_state = text(state.text(&names.states)),
            );
            let action = action.as_ref().map(|action| action.text(&names.actions));
            out.optional_text(key!("action"), action);
            let phase = phase.as_ref().map(|phase| phase.text(&names.phases));
            out.optional_text(key!("phase"), phase);
            out.optional_text(key!("source"), source.as_deref());
            key!(out, "validate").boolean(*validate);
        }
    });
}

/// Writes the key of a need.
pub(super) fn write_need(need: NeedKey, machine: &Machine, out: &mut impl Sink) {
    key!(out, "need").word(need.kind.name());
    if let NeedKind::Effect(effect) = need.kind {
        key!(out, "effect").text(machine.names.effects.name(effect));
    }
    if need.index > 0 {
        key!(out, "index").int(need.index);
    }
}
