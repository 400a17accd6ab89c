//! Parsers for the values of a turn's keys.

use super::known_names::KnownNames;
use fsmsim_core::engine::{Consent, Machine, Operation, Symbol, TurnData};
use fsmsim_core::machine::{
    FieldKind, Id, Names, NeedKey, NeedKind, Signal, SlotId, SlotKind, StateId, Value,
};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use fsmsim_syntax::document::{Fields, Key, Map, Node, number_of, text_of, wrong_type};
use fsmsim_syntax::shapes;

/// The target state of a turn: `goto: STATE`, or `call: get_instruction(STATE)`.
pub(super) fn read_move(
    goto: Option<&Node>,
    call: Option<&Node>,
    machine: &Machine,
    found: &mut Diagnostics,
) -> Option<Symbol<StateId>> {
    if let Some(node) = goto {
        return Some(Symbol::of(
            text_of(node, "goto", found)?,
            &machine.names.states,
        ));
    }
    let node = call?;
    let text = text_of(node, "call", found)?;
    let inside = text.trim().strip_prefix("get_instruction").map(str::trim);
    let inside = inside
        .and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'))
        .or(inside.filter(|rest| rest.is_empty()));
    let Some(inside) = inside else {
        return Diagnostic::unknown(Code::WrongInput, "tool", text)
            .at(node.span, "unknown tool")
            .help("write `call: get_instruction(STATE)`, or `call: get_instruction()` for the current state")
            .refuse(found);
    };
    let name = inside
        .trim()
        .strip_prefix("state")
        .map_or(inside.trim(), |rest| {
            rest.trim_start_matches([':', '=', ' '])
        })
        .trim_matches(['"', '\'', '«', '»', '“', '”']);
    (!name.is_empty()).then(|| Symbol::of(name, &machine.names.states))
}

/// The result of the backend in a turn: a status word, or a map with `status`.
pub(super) fn read_outcome(
    node: &Node,
    machine: &Machine,
    found: &mut Diagnostics,
) -> Option<ScriptedAnswer> {
    let Some(kind) = machine.names.effects.id(NeedKind::EXECUTE) else {
        return Diagnostic::error(Code::WrongInput, "cannot use `outcome` with this model, which executes nothing")
            .at(node.span, "no effect to execute")
            .help(
                "remove `outcome`, or answer an effect: `answers: [{need: effect, effect: NAME, answer: …}]`",
            )
            .refuse(found);
    };
    let key = NeedKey::first(NeedKind::Effect(kind));
    if node.map().is_some() {
        if node
            .get("status")
            .is_none_or(|status| status.text().is_none())
        {
            wrong_type(node, "`outcome` is a string or a map with `status`", found);
            return None;
        }
        return Some((key, Some(Value::from(node))));
    }
    let status = text_of(node, "outcome", found)?;
    Some((key, Some(Value::map([("status", Value::text(status))]))))
}

/// An answer to one request: `{need: effect, effect: book, index: 1, answer: …}`. A trace also records which providers
/// answered or failed. Recorded answers may refer to effects that the model no longer defines.
pub(super) fn read_answer(
    node: &Node,
    machine: &Machine,
    found: &mut Diagnostics,
) -> Option<ScriptedAnswer> {
    let mut fields = Fields::of(node, &shapes::SCRIPTED_ANSWER, found)?;
    let need = fields.required("need");
    let effect = fields.node("effect");
    let index = fields.count("index").unwrap_or(0);
    let answer = fields.raw("answer");
    let recorded = ["by", "failed", "disposition", "intent", "options"]
        .map(|key| fields.raw(key).is_some())
        .contains(&true);
    fields.finish();
    let need = need?;
    let name = text_of(need, "need", found)?;
    let effects = &machine.names.effects;
    let known = |name: &str, at: &Node, found: &mut Diagnostics| {
        effects.id(name).map(NeedKind::Effect).or_else(|| {
            if recorded {
                return None;
            }
            Diagnostic::unknown(Code::UnknownEffect, "effect", name)
                .at(at.span, "unknown effect")
                .near(
                    name,
                    effects.iter(),
                    "use an effect that the model declares",
                )
                .refuse(found)
        })
    };
    let kind = match (name, effect) {
        (NeedKind::EFFECT, Some(effect)) => {
            known(text_of(effect, "effect", found)?, effect, found)?
        }
        (NeedKind::EFFECT, None) if effects.len() == 1 => {
            known(effects.iter().next()?, need, found)?
        }
        (NeedKind::EFFECT, None) => {
            return Diagnostic::error(Code::MissingKey, "missing `effect` in the answer")
                .at(need.span, "ambiguous effect")
                .offer(
                    "",
                    "add `effect: NAME` with one of these names",
                    effects.iter(),
                )
                .refuse(found);
        }
        (name, _) if NeedKind::is_of_world(name) => known(name, need, found)?,
        (name, _) => match NeedKind::judgment(name) {
            Some(kind) => kind,
            None => {
                let names = NeedKind::JUDGEMENTS
                    .into_iter()
                    .map(NeedKind::name)
                    .chain([NeedKind::EFFECT]);
                return Diagnostic::not_among(Code::UnknownValue, "need", name, need.span, names)
                    .refuse(found);
            }
        },
    };
    let key = NeedKey { kind, index };
    Some((
        key,
        answer.filter(|node| !node.is_null()).map(Value::of_answer),
    ))
}

/// A scripted answer: the request and its value. `None` means that no provider answered.
pub(super) type ScriptedAnswer = (NeedKey, Option<Value>);

/// The confidence of an interpretation, from 0 to 1.
pub(super) fn read_confidence(node: &Node, found: &mut Diagnostics) -> Option<f64> {
    let help = "write a fraction, for example `0.85`";
    read_number((node, "confidence"), 1.0, help, found)
}

/// The value of a key, from 0 to `most`.
pub(super) fn read_number(
    (node, key): (&Node, &str),
    most: f64,
    help: &str,
    found: &mut Diagnostics,
) -> Option<f64> {
    let value = number_of(node, key, found)?;
    if (0.0..=most).contains(&value) {
        return Some(value);
    }
    Diagnostic::error(
        Code::OutOfRange,
        format!("expected a number from 0 to {most} for `{key}`, found {value}"),
    )
    .at(node.span, "out of range")
    .help(help)
    .refuse(found)
}

/// The user's consent to access the digital twin: `{read: true, write: false}`.
pub fn read_consent(node: &Node, found: &mut Diagnostics) -> Consent {
    let Some(mut fields) = Fields::of(node, &shapes::CONSENT, found) else {
        return Consent::default();
    };
    let consent = Consent {
        read: fields.boolean("read"),
        write: fields.boolean("write"),
    };
    fields.finish();
    consent
}

/// The data of a turn. If `names` is given, reports a value that its slot does not accept.
pub(super) fn read_data(
    node: &Node,
    machine: &Machine,
    names: Option<&KnownNames<'_>>,
    found: &mut Diagnostics,
) -> TurnData {
    if node.is_null() {
        return TurnData::Null;
    }
    TurnData::Given(read_values(node, machine, names, found))
}

/// Values by slot, converted to the types of the slots. If `names` is given, reports a value that its slot does not
/// accept.
pub fn read_values(
    node: &Node,
    machine: &Machine,
    names: Option<&KnownNames<'_>>,
    found: &mut Diagnostics,
) -> Vec<(Symbol<SlotId>, Value)> {
    let Some(map) = node.map() else {
        wrong_type(node, "`data` is a map", found);
        return Vec::new();
    };
    let mut value_of = |key: &Key, slot: SlotId, node: &Node| {
        let declared = machine.slot(slot);
        let field = machine.frames.field(slot).map(|(_, field)| &field.kind);
        let value = match (declared.kind, node.text()) {
            // Keep text as written: a phone number may start with 0. Other values keep their type from the trace.
            (Some(SlotKind::Text), Some(text)) if matches!(Value::from(node), Value::Int(_)) => {
                Value::text(text)
            }
            (Some(SlotKind::Integer | SlotKind::Number), _) => Value::of_number(node),
            _ if field == Some(&FieldKind::Number) => Value::of_number(node),
            _ => Value::from(node),
        };
        if let Some(admitted) = declared.admit(&value) {
            return admitted;
        }
        if names.is_some() {
            Diagnostic::error(
                Code::WrongType,
                format!("invalid value {value} for `{}`", key.text),
            )
            .at(node.span, "not allowed")
            .help(format!("use {}", declared.in_words()))
            .add_to(found);
        }
        Value::from(node)
    };
    let value = |(key, node): &(Key, Node)| {
        let name = Symbol::of(&key.text, &machine.names.slots);
        let value = name
            .known()
            .map_or_else(|| Value::from(node), |slot| value_of(key, slot, node));
        (name, value)
    };
    map.entries.iter().map(value).collect()
}

/// The context signals of a turn.
pub(super) fn read_signals(map: &Map, found: &mut Diagnostics) -> Vec<(Signal, Value)> {
    let mut signals = Vec::new();
    for (key, node) in &map.entries {
        match Signal::from_name(&key.text) {
            Some(signal) => signals.push((signal, Value::of_number(node))),
            None => {
                let names = Signal::ALL.iter().map(|signal| signal.name());
                Diagnostic::not_among(Code::UnknownKey, "signal", &key.text, key.span, names)
                    .add_to(found);
            }
        }
    }
    signals
}

/// A session operation before a turn.
pub(super) fn read_operation(
    node: &Node,
    machine: &Machine,
    closed: Option<&KnownNames<'_>>,
    found: &mut Diagnostics,
) -> Option<Operation> {
    const KNOWN: [&str; 6] = [
        "snapshot",
        "reset",
        "set_state",
        "sync_phase",
        "set_data",
        "transition_to",
    ];
    let names = &machine.names;
    // An operation without arguments may be a single word.
    match node.text() {
        Some("snapshot") => return Some(Operation::Snapshot),
        Some("reset") => return Some(Operation::Reset),
        Some("sync_phase") => return Some(Operation::SyncPhase),
        _ => {}
    }
    let mut fields = Fields::open(node, "an operation", found)?;
    let kind = fields.required_text("op")?;
    // Check the other keys even if one is missing, to report all errors.
    let operation = match kind {
        "snapshot" => Some(Operation::Snapshot),
        "reset" => Some(Operation::Reset),
        "sync_phase" => Some(Operation::SyncPhase),
        "set_state" => fields
            .required_text("state")
            .map(|state| Operation::SetState(Symbol::of(state, &names.states))),
        "set_data" => {
            let data = fields.required("data");
            data.map(|data| Operation::SetData(read_values(data, machine, closed, fields.found())))
        }
        "transition_to" => {
            let state = fields.required_text("next_state");
            let action = fields.text("action");
            let phase = fields.text("phase");
            let source = fields.text("source");
            let validate = fields.boolean("validate");
            state.map(|state| Operation::TransitionTo {
                state: Symbol::of(state, &names.states),
                action: optional_name(action, &names.actions),
                phase: optional_name(phase, &names.phases),
                source: source.map(Into::into),
                validate: validate.unwrap_or(true),
            })
        }
        other => {
            let span = node.get("op").map_or(node.span, |node| node.span);
            return Diagnostic::not_among(Code::UnknownOperation, "operation", other, span, KNOWN)
                .refuse(fields.found());
        }
    };
    fields.finish();
    operation
}

fn optional_name<I: Id>(text: Option<&str>, names: &Names<I>) -> Option<Symbol<I>> {
    text.map(|text| Symbol::of(text, names))
}
