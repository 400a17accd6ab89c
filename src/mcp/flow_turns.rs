//! What a call means as turns of a dialogue that the model leads.

use serde_json::{Map, Value as Json, json};

use super::call::ToolCall;
use crate::diagnostic::{did_you_mean, nearest};
use crate::engine::{Input, ScriptedTurn, Symbol};
use crate::machine::IntentId;
use crate::rehearsal::turn_of;
use crate::runtime::DialogueRunner;
use crate::script::AcceptedInputs;

/// The event by which a model speaks first.
const OPENING: &str = "open";

/// What a call means: the opening, where the model speaks first and has not spoken, then what the user says.
///
/// # Errors
/// Why it means nothing, for the model.
pub(super) fn flow_turns(call: &ToolCall, dialogue: &DialogueRunner) -> Result<Vec<ScriptedTurn>, String> {
    let opening = opening(dialogue).map(|intent| {
        let input = Input::intent(intent);
        ScriptedTurn { input, ..ScriptedTurn::default() }
    });
    let mut turns: Vec<ScriptedTurn> = opening.into_iter().collect();
    if call.only_asks() {
        return Ok(turns);
    }
    turns.push(said(call, dialogue)?);
    Ok(turns)
}

/// The event with which a dialogue begins that was not begun yet.
fn opening(dialogue: &DialogueRunner) -> Option<IntentId> {
    let machine = dialogue.machine();
    let state = dialogue.session().position.state;
    let opening = machine.names.intents.id(OPENING)?;
    let knows = machine.state(state).transitions.iter().any(|(intent, _)| intent == opening);
    (dialogue.turns() == 0 && state == machine.initial && knows).then_some(opening)
}

/// What the user says.
fn said(call: &ToolCall, dialogue: &DialogueRunner) -> Result<ScriptedTurn, String> {
    let machine = dialogue.machine();
    let names = &machine.names.intents;
    let mut turn = Map::new();
    if let Some(intent) = &call.intent {
        let Some(id) = names.id(intent) else {
            let near = did_you_mean("", nearest(intent, names.iter()));
            return Err(format!("There is no intent `{intent}`: nothing has changed.{near}"));
        };
        if machine.is_event(id) {
            return Err(format!("`{intent}` is an event, which nobody says: nothing has changed."));
        }
        turn.insert("intent".to_owned(), json!(intent));
    } else if call.said.is_none() {
        return Err("`data` comes with what was said: give `say`, or `intent`. Nothing has changed.".to_owned());
    } else if !dialogue.is_read() && !AcceptedInputs::of(machine).phrases {
        return Err("Nobody reads for you what is said: give `intent` beside `say`, and `data` if there are any. Nothing has changed.".to_owned());
    }
    if let Some(said) = &call.said {
        turn.insert("say".to_owned(), json!(said));
    }
    if let Some(data) = &call.data {
        turn.insert("data".to_owned(), Json::Object(data.clone()));
    }
    let turn = turn_of(&Json::Object(turn).to_string(), machine)
        .map_err(|why| format!("That is no turn: {why}. Nothing has changed."))?;
    debug_assert!(!matches!(turn.input.intent, Some(Symbol::Unknown(_))), "intents are looked up before");
    Ok(turn)
}
