//! Converts calls of `get_instruction` into turns.

use serde_json::{Map, Value as Json};

use super::argument_schema::{listed, shown};
use super::call::ToolCall;
use super::consent_question::ConsentQuestion;
use fsmsim_core::engine::{Consent, Input, Machine, ScriptedTurn, Session, Symbol, TurnData};
use fsmsim_core::machine::{Schema, StateId, Value};
use fsmsim_runtime::runtime::DialogueRunner;

/// The turns of a call. The assistant's reply belongs to the state in which it was given, so it is a separate turn
/// before the transition.
///
/// # Errors
/// Returns an error text for the LLM if the data is invalid; no turn runs in that case.
pub(super) fn instruction_turns(
    call: &ToolCall,
    dialogue: &DialogueRunner,
) -> Result<Vec<ScriptedTurn>, String> {
    let machine = dialogue.machine();
    let session = dialogue.session();
    let here = session.position.state;
    let mut goto = call
        .state
        .as_deref()
        .map(|name| Symbol::of(name, &machine.names.states));
    let mut data = TurnData::Absent;
    if let Some(given) = &call.data {
        let target = match &goto {
            Some(goto) => goto.known().filter(|target| machine.is_declared(*target)),
            None => Some(here),
        };
        // A turn without a target state reports its own error.
        if let Some(target) = target {
            let (schema, value) = fitting(given, target, machine)?;
            if is_open(target, dialogue) {
                let slot = Symbol::of(&schema.name, &machine.names.slots);
                data = TurnData::Given(vec![(slot, value)]);
            }
            goto = Some(Symbol::Known(target));
        }
    }
    let mut turns = Vec::new();
    if let Some(reply) = &call.reply {
        let input = Input {
            reply: Some(reply.as_str().into()),
            ..Input::default()
        };
        turns.push(ScriptedTurn::from(input));
    }
    if !call.only_asks() && goto.is_none() && call.said.is_none() {
        return Ok(turns);
    }
    let consent = goto
        .as_ref()
        .and_then(Symbol::known)
        .map(|target| implied(target, machine, session));
    let input = Input {
        goto,
        data,
        say: call.said.as_deref().map(Into::into),
        consent: consent.unwrap_or_default(),
        // After this call, the assistant has not replied yet.
        reply: Some("".into()),
        ..Input::default()
    };
    turns.push(ScriptedTurn::from(input));
    Ok(turns)
}

/// The question to ask the user before a call runs, if the call implies consent.
pub(super) fn asks_first(call: &ToolCall, dialogue: &DialogueRunner) -> Option<ConsentQuestion> {
    let machine = dialogue.machine();
    let target = machine.state_id(call.state.as_deref()?)?;
    let Consent { read, write } = implied(target, machine, dialogue.session());
    let agrees = read == Some(true) || write == Some(true);
    ConsentQuestion::about(target, machine).filter(|_| agrees)
}

/// The schema of the data that a state saves, and the data itself, if it is valid. It can also be given under the name
/// of the schema.
fn fitting<'m>(
    data: &Map<String, Json>,
    state: StateId,
    machine: &'m Machine,
) -> Result<(&'m Schema, Value), String> {
    let schema_of = |state| Some(&machine.schemas[machine.guide(state)?.writes?]);
    let name = machine.names.states.name(state);
    let Some(schema) = schema_of(state) else {
        let saving: Vec<&str> = machine
            .declared_states()
            .filter(|(state, _)| schema_of(*state).is_some())
            .map(|(state, _)| machine.names.states.name(state))
            .collect();
        let others = match &*saving {
            [] => "No state saves data".to_owned(),
            names => format!("States that save data: {}", listed(names)),
        };
        return Err(format!(
            "The state `{name}` saves no data: omit `data`. {others}. Nothing has changed."
        ));
    };
    let mut value = Value::from(Json::Object(data.clone()));
    let mut error = schema.error(&value);
    if let Some(named) = data.get(&*schema.name).filter(|_| data.len() == 1)
        && error.is_some()
    {
        value = Value::from(named.clone());
        error = schema.error(&value);
    }
    let Some(error) = error else {
        return Ok((schema, value));
    };
    let place = if error.place.is_empty() {
        String::new()
    } else {
        format!("{}: ", error.place)
    };
    let shown = shown(&format!("{place}{}", error.message));
    let text = serde_json::to_string(&schema.text).unwrap_or_default();
    Err(format!(
        "`data` does not match the schema of `{name}`: {shown}. Nothing has changed. The schema `{}`: {text}",
        schema.name
    ))
}

/// Whether a transition to a state is allowed.
fn is_open(target: StateId, dialogue: &DialogueRunner) -> bool {
    let session = dialogue.session();
    let here = session.position.state;
    let declared = dialogue
        .machine()
        .moves(here)
        .iter()
        .any(|declared| declared.target == target);
    let permits = dialogue.settings().policies.is_permissive();
    declared || permits || target == here || session.return_state() == Some(target)
}

/// The consent that a transition out of the consent state implies. An assistant answers only by transitions: to the
/// state that needs the data if the user agrees, to another state otherwise.
fn implied(target: StateId, machine: &Machine, session: &Session) -> Consent {
    let Some(guidance) = machine.policies.guidance() else {
        return Consent::default();
    };
    if guidance.consent != Some(session.position.state) {
        return Consent::default();
    }
    let needs = |state: StateId| {
        guidance.of(state).map_or((false, false), |guide| {
            (!guide.reads.is_empty(), guide.writes.is_some())
        })
    };
    let consent = |(reads, writes): (bool, bool), word: bool| Consent {
        read: reads.then_some(word),
        write: writes.then_some(word),
    };
    if guidance.no_data_state == Some(target) {
        // If no state waits for the answer, the question is about reading data.
        consent(session.return_state().map_or((true, false), needs), false)
    } else {
        consent(needs(target), true)
    }
}
