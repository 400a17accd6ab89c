//! Turns as typed lines.

use super::line::{InputLine, read_line};
use fsmsim_core::engine::{Machine, ScriptedTurn};
use fsmsim_core::machine::{StateId, Value};
use fsmsim_core::trace::turn_line;

/// The line that a user would type for a turn in this state, or JSON if no shorter line is complete.
pub(super) fn typed(
    turn: &ScriptedTurn,
    machine: &Machine,
    state: StateId,
    may_be_unread: bool,
) -> String {
    let short = short_line(turn, machine).filter(|line| {
        let read = read_line(line, machine, state, may_be_unread);
        matches!(read, Ok(InputLine::Turn(read)) if *read == *turn)
    });
    short.unwrap_or_else(|| turn_line(turn, machine))
}

/// Replaces a trigger with unclear words: a scenario cannot name it as an intent.
pub fn say_trigger(turn: &mut ScriptedTurn, machine: &Machine) {
    let is_trigger = |intent| machine.is_trigger(intent) && !machine.has_profiles();
    if turn.input.known_intent().is_some_and(is_trigger) {
        turn.input.intent = None;
        turn.input.say = Some("...".into());
    }
}

/// A short line that describes a turn as closely as possible. It may be incomplete.
fn short_line(turn: &ScriptedTurn, machine: &Machine) -> Option<String> {
    let input = &turn.input;
    let names = &machine.names;
    let leads = input.goto.as_ref().map(|state| state.text(&names.states));
    let lead = leads.or_else(|| {
        input
            .intent
            .as_ref()
            .map(|intent| intent.text(&names.intents))
    });
    let said = input
        .say
        .as_deref()
        .filter(|said| !said.contains(['\n', '\r']));
    let Some(lead) = lead else {
        return said.map(str::to_owned);
    };
    let mut words = Vec::from_iter(said.map(|said| format!("{said} /")));
    let is_known = names.intents.id(lead).is_some() || names.states.id(lead).is_some();
    words.push(if is_known {
        typed_name(lead)
    } else {
        format!("!{lead}")
    });
    for (slot, value) in input.data.values() {
        let name = slot.text(&names.slots);
        words.push(format!("{name}={}", word_of(value)));
    }
    words.extend(
        input
            .also
            .iter()
            .map(|intent| format!("also:{}", intent.text(&names.intents))),
    );
    words.extend(input.tone.iter().map(|tone| format!("tone:{tone}")));
    words.extend(
        input
            .frustration
            .iter()
            .map(|level| format!("frustration:{level}")),
    );
    words.extend(
        input
            .confidence
            .iter()
            .map(|share| format!("confidence:{}", Value::Float(*share))),
    );
    Some(words.join(" "))
}

/// A name as a user types it: in quotation marks if it contains a space.
pub fn typed_name(name: &str) -> String {
    if name.contains(char::is_whitespace) {
        format!("\"{name}\"")
    } else {
        name.to_owned()
    }
}

/// A value as a word in a line. Omits quotation marks if the value is still read as text without them.
fn word_of(value: &Value) -> String {
    let is_plain =
        |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_alphabetic() || c == '_');
    let keyword = ["true", "false", "null", "yes", "no", "on", "off"];
    let plain = value
        .as_text()
        .filter(is_plain)
        .filter(|text| !keyword.contains(&&*text.to_lowercase()));
    plain.map_or_else(|| value.to_string(), str::to_owned)
}
