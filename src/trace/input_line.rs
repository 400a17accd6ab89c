//! The input of a turn, as it was given.

use crate::engine::{Machine, Operation, ScriptedTurn, Sink, Symbol, TurnData, key};
use crate::machine::{SlotId, Value};

/// Writes what a turn of a turns file says, without what it leaves out.
pub(super) fn write_input(scripted: &ScriptedTurn, machine: &Machine, out: &mut impl Sink) {
    let input = &scripted.input;
    let intents = &machine.names.intents;
    out.object(|out| {
        if !scripted.before.is_empty() {
            let before = out.key(key!("before"));
            before.each(&scripted.before, |operation, out| write_operation(operation, machine, out));
        }
        if let Some(say) = &input.say {
            out.key(key!("say")).text(say);
        }
        if let Some(intent) = &input.intent {
            out.key(key!("intent")).text(intent.text(intents));
        }
        if !input.also.is_empty() {
            out.key(key!("also")).texts(input.also.iter().map(|name| name.text(intents)));
        }
        if let Some(confidence) = input.confidence {
            out.key(key!("confidence")).value(&Value::Float(confidence));
        }
        if let Some(tone) = &input.tone {
            out.key(key!("tone")).text(tone);
        }
        if let Some(frustration) = input.frustration {
            out.key(key!("frustration")).int(frustration);
        }
        match &input.data {
            TurnData::Absent => {}
            TurnData::Null => out.key(key!("data")).value(&Value::Null),
            TurnData::Given(values) => write_data(values, machine, out.key(key!("data"))),
        }
        if !input.signals.is_empty() {
            out.key(key!("signals")).map(input.signals.iter().map(|(signal, value)| (signal.name(), value)));
        }
        if !input.options.is_empty() {
            out.key(key!("options")).each(&input.options, |option, out| out.value(option));
        }
        if let Some(question) = &input.question {
            out.key(key!("question")).text(question);
        }
        if let Some(state) = &input.goto {
            out.key(key!("goto")).text(state.text(&machine.names.states));
        }
        if input.consent.is_said() {
            out.key(key!("consent")).object(|out| {
                if let Some(word) = input.consent.read {
                    out.key(key!("read")).boolean(word);
                }
                if let Some(word) = input.consent.write {
                    out.key(key!("write")).boolean(word);
                }
            });
        }
        if scripted.only_calls() {
            out.key(key!("call")).word("get_instruction()");
        }
        if let Some(reply) = input.reply.as_deref().filter(|reply| !reply.is_empty()) {
            out.key(key!("reply")).text(reply);
        }
        if let Some(elapsed) = input.elapsed {
            out.key(key!("elapsed_s")).value(&Value::Float(elapsed));
        }
        if let Some(answer) = &scripted.answer {
            out.key(key!("answer")).value(answer);
        }
        if !scripted.answers.is_empty() {
            out.key(key!("answers")).each(&scripted.answers, |(need, answer), out| {
                out.object(|out| {
                    out.key(key!("need")).word(need);
                    out.key(key!("answer")).value_or_null(answer.as_ref());
                });
            });
        }
    });
}

fn write_data(values: &[(Symbol<SlotId>, Value)], machine: &Machine, out: &mut impl Sink) {
    out.map(values.iter().map(|(name, value)| (name.text(&machine.names.slots), value)));
}

fn write_operation(operation: &Operation, machine: &Machine, out: &mut impl Sink) {
    let names = &machine.names;
    out.object(|out| match operation {
        Operation::Snapshot => out.key(key!("op")).word("snapshot"),
        Operation::Reset => out.key(key!("op")).word("reset"),
        Operation::SyncPhase => out.key(key!("op")).word("sync_phase"),
        Operation::SetState(state) => {
            out.key(key!("op")).word("set_state");
            out.key(key!("state")).text(state.text(&names.states));
        }
        Operation::SetData(values) => {
            out.key(key!("op")).word("set_data");
            write_data(values, machine, out.key(key!("data")));
        }
        Operation::TransitionTo { state, action, phase, validate } => {
            out.key(key!("op")).word("transition_to");
            out.key(key!("next_state")).text(state.text(&names.states));
            if let Some(action) = action {
                out.key(key!("action")).text(action.text(&names.actions));
            }
            if let Some(phase) = phase {
                out.key(key!("phase")).text(phase.text(&names.phases));
            }
            out.key(key!("validate")).boolean(*validate);
        }
    });
}
