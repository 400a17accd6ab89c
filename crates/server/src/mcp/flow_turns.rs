//! Converts calls into turns of a flow.

use serde_json::{Map, Value as Json, json};

use super::argument_schema::near;
use super::call::ToolCall;
use crate::limits::{MAX_NAME, MAX_TEXT};
use fsmsim_adapters::llm::{IntentOption, SlotOffer};
use fsmsim_core::engine::{Input, Machine, ScriptedTurn, Symbol};
use fsmsim_core::machine::{IntentId, Value};
use fsmsim_harness::interactive::turn_of;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_runtime::script::AcceptedInputs;
use fsmsim_syntax::terminal::{beginning, printable};

/// The event that lets the assistant speak first.
const OPENING: &str = "open";

/// The turns of a call.
pub(super) struct FlowTurns {
    /// The turns, in order.
    pub turns: Vec<ScriptedTurn>,
    /// Why a part of the call is ignored.
    pub note: Option<String>,
}

/// The turns of a call: the opening if the assistant speaks first and has not spoken yet, then the user turn. An
/// utterance before the first question of an interview does not count as an answer.
pub(super) fn flow_turns(call: &ToolCall, dialogue: &DialogueRunner) -> Result<FlowTurns, String> {
    let opening = opening(dialogue).map(|intent| {
        let input = Input::intent(intent);
        ScriptedTurn::from(input)
    });
    let mut turns: Vec<ScriptedTurn> = opening.into_iter().collect();
    if call.only_asks() {
        return Ok(FlowTurns { turns, note: None });
    }
    let said = said(call, dialogue)?;
    if !turns.is_empty() && dialogue.machine().policies.inquiry().is_some() {
        return Ok(FlowTurns {
            turns,
            note: Some(UNHEARD.to_owned()),
        });
    }
    turns.push(said);
    Ok(FlowTurns {
        turns,
        note: unheard_of(call, dialogue),
    })
}

/// The note if the user speaks before the first question.
const UNHEARD: &str = "The utterance came before the question and was ignored: ask the user the question in `replies`, and call again \
                       with the answer.";

/// The note if no recognizer reads the utterance and it contains no phrase of the model.
fn unheard_of(call: &ToolCall, dialogue: &DialogueRunner) -> Option<String> {
    let machine = dialogue.machine();
    let said = call
        .said
        .as_deref()
        .filter(|_| call.intent.is_none() && !dialogue.is_read())?;
    let is_recognized = machine.knows_phrase(said) || machine.policies.inputs().words;
    (!is_recognized).then(|| {
        "The utterance contains no phrase of the model, and the server has no recognizer: give `intent` with `say`.".to_owned()
    })
}

/// The opening event of a dialogue without turns.
fn opening(dialogue: &DialogueRunner) -> Option<IntentId> {
    let machine = dialogue.machine();
    let state = dialogue.session().position.state;
    let opening = machine.names.intents.id(OPENING)?;
    let knows = machine
        .state(state)
        .transitions
        .iter()
        .any(|(intent, _)| intent == opening);
    (dialogue.turns() == 0 && state == machine.initial && knows).then_some(opening)
}

/// The user turn.
fn said(call: &ToolCall, dialogue: &DialogueRunner) -> Result<ScriptedTurn, String> {
    let machine = dialogue.machine();
    let mut turn = Map::new();
    if let Some(intent) = &call.intent {
        check_intent(intent, machine)?;
        turn.insert("intent".to_owned(), json!(intent));
    } else if call.said.is_none() {
        return Err("`data` requires `say` or `intent`. Nothing has changed.".to_owned());
    } else if !dialogue.is_read() && !AcceptedInputs::of(machine).phrases {
        return Err("The server has no recognizer: give `intent` with `say`, and `data` if there is any. Nothing has changed.".to_owned());
    }
    if let Some(said) = &call.said {
        turn.insert("say".to_owned(), json!(said));
    }
    if let Some(data) = &call.data {
        check_data(data, machine)?;
        turn.insert("data".to_owned(), Json::Object(data.clone()));
    }
    let turn = turn_of(&Json::Object(turn).to_string(), machine)
        .map_err(|why| format!("Invalid turn: {why}. Nothing has changed."))?;
    debug_assert!(
        !matches!(turn.input.intent, Some(Symbol::Unknown(_))),
        "intents are checked before"
    );
    Ok(turn)
}

/// Checks that an intent is a user intent.
fn check_intent(intent: &str, machine: &Machine) -> Result<(), String> {
    let names = &machine.names.intents;
    let Some(id) = names.id(intent) else {
        let offers = IntentOption::all(machine);
        let near = near("intent", intent, offers.iter().map(|offer| offer.intent));
        return Err(format!(
            "Unknown intent `{}`. Nothing has changed.{near}",
            printable(intent)
        ));
    };
    if machine.is_event(id) {
        return Err(format!(
            "`{intent}` is an event, not a user intent. Nothing has changed."
        ));
    }
    if !machine.is_meant_by_people(id) {
        return Err(format!(
            "`{intent}` is an internal name of the model, not a user intent. Nothing has changed."
        ));
    }
    Ok(())
}

/// Checks that the user can provide this data. Without the check, invalid values would be dropped silently, and
/// internal data could be set.
fn check_data(data: &Map<String, Json>, machine: &Machine) -> Result<(), String> {
    let offers = SlotOffer::all(machine);
    for (name, value) in data {
        let Some(offer) = offers.iter().find(|offer| offer.name == name) else {
            let shown = printable(name);
            if machine.names.slots.id(name).is_some() {
                return Err(format!(
                    "`{shown}` is internal data of the model, and a call cannot set it. Nothing has changed."
                ));
            }
            let near = near("name", name, offers.iter().map(|offer| offer.name));
            return Err(format!(
                "Unknown data `{shown}`. Nothing has changed.{near}"
            ));
        };
        let written = value.to_string();
        if written.chars().count() > MAX_TEXT {
            return Err(format!(
                "`{name}` is longer than {MAX_TEXT} characters. Nothing has changed."
            ));
        }
        let declared = offer.declared;
        let is_possible = declared.kind.is_some() || is_plain(value);
        if !is_possible || declared.admit(&Value::from(value.clone())).is_none() {
            let shown = printable(beginning(&written, MAX_NAME));
            let holds = if is_possible {
                &declared.in_words()
            } else {
                "a string, a number, `true` or `false`, or a list of them"
            };
            return Err(format!(
                "Expected {holds} for `{name}`, found `{shown}`. Nothing has changed."
            ));
        }
    }
    Ok(())
}

/// Whether a value is possible for a slot without a declared type.
fn is_plain(value: &Json) -> bool {
    match value {
        Json::Object(_) => false,
        Json::Array(items) => items
            .iter()
            .all(|item| !item.is_array() && !item.is_object()),
        _ => true,
    }
}
