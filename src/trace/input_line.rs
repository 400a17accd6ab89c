//! The input of a turn, as it was given.

use super::json_line::JsonLine;
use crate::engine::{Operation, ScriptedTurn, Symbol, TurnData};
use crate::machine::{Machine, SlotId, Value};

/// Writes what a turn of a turns file says, without what it leaves out.
pub(super) fn write_input(scripted: &ScriptedTurn, machine: &Machine, out: &mut JsonLine) {
    let input = &scripted.input;
    let intents = &machine.names.intents;
    let mut keys = Keys { out, first: true };
    if !scripted.before.is_empty() {
        keys.key("before").list(&scripted.before, |out, operation| write_operation(operation, machine, out));
    }
    if let Some(say) = &input.say {
        keys.key("say").text(say);
    }
    if let Some(intent) = &input.intent {
        keys.key("intent").text(intent.text(intents));
    }
    if !input.also.is_empty() {
        keys.key("also").list(&input.also, |out, name| out.text(name.text(intents)));
    }
    if let Some(confidence) = input.confidence {
        keys.key("confidence").any(&confidence.get());
    }
    if let Some(tone) = &input.tone {
        keys.key("tone").text(tone);
    }
    if let Some(frustration) = input.frustration {
        keys.key("frustration").int(frustration);
    }
    match &input.data {
        TurnData::Absent => {}
        TurnData::Null => keys.key("data").raw("null"),
        TurnData::Given(values) => write_values(values, machine, keys.key("data")),
    }
    if !input.signals.is_empty() {
        keys.key("signals").map(input.signals.iter().map(|(signal, value)| (signal.name(), value)));
    }
    if !input.options.is_empty() {
        keys.key("options").any(&input.options);
    }
    if let Some(question) = &input.question {
        keys.key("question").text(question);
    }
    if let Some(state) = &input.goto {
        keys.key("goto").text(state.text(&machine.names.states));
    }
    if input.consent.is_said() {
        let word = |word: Option<bool>| word.map(Value::Bool);
        let pairs = [("read", word(input.consent.read)), ("write", word(input.consent.write))];
        let said: Vec<_> = pairs.into_iter().filter_map(|(key, word)| Some((key, word?))).collect();
        keys.key("consent").map(said.iter().map(|(key, word)| (*key, word)));
    }
    if scripted.only_calls() {
        keys.key("call").raw("\"get_instruction()\"");
    }
    if let Some(reply) = input.reply.as_deref().filter(|reply| !reply.is_empty()) {
        keys.key("reply").text(reply);
    }
    if let Some(elapsed) = input.elapsed {
        keys.key("elapsed_s").any(&elapsed.get());
    }
    if let Some(answer) = &scripted.answer {
        keys.key("answer").value(answer);
    }
    if !scripted.answers.is_empty() {
        keys.key("answers").list(&scripted.answers, |out, (need, answer)| {
            out.raw("{\"need\":\"");
            out.raw(need);
            out.raw("\",\"answer\":");
            out.any(answer);
            out.raw("}");
        });
    }
    keys.end();
}

/// The keys of an object, with the punctuation between them.
struct Keys<'o> {
    out: &'o mut JsonLine,
    first: bool,
}

impl Keys<'_> {
    /// Writes a key; its value comes next.
    fn key(&mut self, key: &'static str) -> &mut JsonLine {
        self.out.raw(if self.first { "{\"" } else { ",\"" });
        self.first = false;
        self.out.raw(key);
        self.out.raw("\":");
        self.out
    }

    fn end(self) {
        self.out.raw(if self.first { "{}" } else { "}" });
    }
}

fn write_values(values: &[(Symbol<SlotId>, Value)], machine: &Machine, out: &mut JsonLine) {
    out.map(values.iter().map(|(name, value)| (name.text(&machine.names.slots), value)));
}

fn write_operation(operation: &Operation, machine: &Machine, out: &mut JsonLine) {
    let mut keys = Keys { out, first: true };
    match operation {
        Operation::Snapshot => keys.key("op").raw("\"snapshot\""),
        Operation::Reset => keys.key("op").raw("\"reset\""),
        Operation::SyncPhase => keys.key("op").raw("\"sync_phase\""),
        Operation::SetState(state) => {
            keys.key("op").raw("\"set_state\"");
            keys.key("state").text(state.text(&machine.names.states));
        }
        Operation::SetData(values) => {
            keys.key("op").raw("\"set_data\"");
            write_values(values, machine, keys.key("data"));
        }
        Operation::TransitionTo { state, action, phase, validate } => {
            keys.key("op").raw("\"transition_to\"");
            keys.key("next_state").text(state.text(&machine.names.states));
            if let Some(action) = action {
                keys.key("action").text(action.text(&machine.names.actions));
            }
            if let Some(phase) = phase {
                keys.key("phase").text(phase.text(&machine.names.phases));
            }
            keys.key("validate").boolean(*validate);
        }
    }
    keys.end();
}
