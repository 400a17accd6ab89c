//! A turn as people write it, in a turns file or a scenario.

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span, nearest};
use crate::document::{Atom, Fields, Node, number_of, text_of};
use crate::engine::{Consent, Input, NEED_KINDS, Operation, ScriptedTurn, Symbol, TurnData};
use crate::machine::{Float, Id, Machine, Names, Signal, SlotId, StateId, Value};

/// A turn that was read: what to play, and what the document expects of it.
#[derive(Debug)]
pub struct ParsedTurn<'n> {
    /// What to play.
    pub scripted: ScriptedTurn,
    /// What is expected, as written.
    pub expect: Option<&'n Node>,
    /// Where the turn is written.
    pub span: Span,
}

/// What a turn may and may not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnOptions {
    /// It may expect something.
    pub may_expect: bool,
    /// It may say what was said without what was meant, since somebody will read it.
    pub may_be_unread: bool,
}

/// Inputs that other dialects take.
const OTHER_INPUTS: [&str; 3] = ["tick", "observe", "open"];

/// Reads a turn. `None`, with findings, where it cannot be played.
pub fn parse_turn<'n>(
    node: &'n Node,
    machine: &Machine,
    rules: TurnOptions,
    found: &mut Diagnostics,
) -> Option<ParsedTurn<'n>> {
    let errors_before = found.error_count();
    let mut fields = Fields::open(node, "a turn", found)?;
    let names = &machine.names;
    let intent = fields.text("intent");
    let say = fields.text("say");
    let also = fields.texts("also");
    let tone = fields.text("tone");
    let question = fields.text("question");
    let frustration = fields.integer("frustration");
    let before = fields.list("before");
    let options = fields.list("options");
    let (confidence, elapsed) = (fields.node("confidence"), fields.node("elapsed_s"));
    let (data, signals) = (fields.raw("data"), fields.map("signals"));
    let answer = fields.node("answer");
    let answers = fields.list("answers");
    let outcome = fields.node("outcome");
    let (goto, call) = (fields.node("goto"), fields.node("call"));
    let (consent, reply) = (fields.node("consent"), fields.text("reply"));
    let expect = if rules.may_expect { fields.node("expect") } else { None };
    let other = OTHER_INPUTS.into_iter().filter(|key| fields.raw(key).is_some()).last();
    let span = fields.span();
    fields.finish();
    let guided = machine.instructions.is_some();
    let led =
        [("goto", goto), ("call", call), ("consent", consent)].into_iter().find(|(_, node)| node.is_some());
    let strange = if guided { other.or(intent.map(|_| "intent")) } else { led.map(|(key, _)| key).or(other) };
    let goto = if guided { read_move(goto, call, machine, found) } else { None };
    let leads = led.is_some() || reply.is_some();
    let answers: Vec<_> = answers.into_iter().flatten().filter_map(|node| read_answer(node, found)).collect();
    let outcome = outcome.and_then(|node| read_outcome(node, found));
    let answers: Vec<_> = answers.into_iter().chain(outcome).collect();
    let heard = guided && answer.is_some()
        || answers.iter().any(|(need, _)| matches!(*need, "classify" | "navigate"))
        || machine.contract.as_ref().is_some_and(|contract| !contract.readings.is_empty());
    let is_read = say.is_some() && (rules.may_be_unread || heard);
    if let Some(key) = strange {
        found.push(wrong_input(key, guided).at(span, "this turn"));
    } else if guided && !leads && !is_read {
        found.push(no_lead(say.is_some()).at(span, "this turn"));
    } else if !guided && intent.is_none() && !is_read {
        found.push(no_input(say.is_some()).at(span, "this turn"));
    }
    let confidence = confidence.and_then(|node| number_of(node, "confidence", found));
    let elapsed = elapsed.and_then(|node| number_of(node, "elapsed_s", found));
    let input = Input {
        intent: intent.map(|name| Symbol::of(name, &names.intents)),
        say: say.map(Into::into),
        also: also.into_iter().map(|name| Symbol::of(name, &names.intents)).collect(),
        confidence: confidence.map(Float::new),
        tone: tone.map(Into::into),
        frustration,
        data: data.map_or(TurnData::Absent, |node| read_data(node, machine, found)),
        signals: signals.map(|map| read_signals(map, found)).unwrap_or_default(),
        options: options.map(|items| items.iter().map(Value::from).collect()).unwrap_or_default(),
        question: question.map(Into::into),
        elapsed: elapsed.map(Float::new),
        goto,
        consent: consent.map(|node| read_consent(node, found)).unwrap_or_default(),
        // A turn that calls for the instruction of the moment stays where it is.
        reply: reply.or((guided && leads).then_some("")).map(Into::into),
    };
    let before =
        before.into_iter().flatten().filter_map(|node| read_operation(node, machine, found)).collect();
    let scripted = ScriptedTurn { before, input, answer: answer.map(Value::from), answers };
    (found.error_count() == errors_before).then_some(ParsedTurn { scripted, expect, span })
}

/// Where a turn goes by its own word: `goto: STATE`, or `call: get_instruction(STATE)`.
fn read_move(
    goto: Option<&Node>,
    call: Option<&Node>,
    machine: &Machine,
    found: &mut Diagnostics,
) -> Option<Symbol<StateId>> {
    if let Some(node) = goto {
        return Some(Symbol::of(text_of(node, "goto", found)?, &machine.names.states));
    }
    let node = call?;
    let text = text_of(node, "call", found)?;
    let inside = text.trim().strip_prefix("get_instruction").map(str::trim);
    let inside = inside
        .and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'))
        .or(inside.filter(|rest| rest.is_empty()));
    let Some(inside) = inside else {
        found.push(
            Diagnostic::error(Code::WrongInput, format!("there is no tool `{text}`"))
                .at(node.span, "not known")
                .help("write `call: get_instruction(STATE)`, or `call: get_instruction()` for the state as it is"),
        );
        return None;
    };
    let name = inside
        .trim()
        .strip_prefix("state")
        .map_or(inside.trim(), |rest| rest.trim_start_matches([':', '=', ' ']));
    let name = name.trim_matches(['"', '\'', '«', '»', '“', '”']);
    (!name.is_empty()).then(|| Symbol::of(name, &machine.names.states))
}

/// What the backend comes to in a turn: the word for it, or a map with `status`.
fn read_outcome(node: &Node, found: &mut Diagnostics) -> Option<(&'static str, Option<Value>)> {
    let kind = NEED_KINDS.into_iter().find(|kind| *kind == "execute")?;
    if node.map().is_some() {
        if node.get("status").is_none_or(|status| status.text().is_none()) {
            crate::document::wrong_type(node, "`outcome` is a word, or a map with `status`", found);
            return None;
        }
        return Some((kind, Some(Value::from(node))));
    }
    let status = text_of(node, "outcome", found)?;
    Some((kind, Some(Value::map([("status", Value::text(status))]))))
}

/// An answer to one kind of need: `{need: read, answer: …}`, as a trace records it.
fn read_answer(node: &Node, found: &mut Diagnostics) -> Option<(&'static str, Option<Value>)> {
    let mut fields = Fields::open(node, "an answer", found)?;
    let need = fields.node("need");
    let answer = fields.raw("answer");
    if need.is_none() {
        fields.missing("need");
    }
    fields.finish();
    let name = text_of(need?, "need", found)?;
    let kind = NEED_KINDS.into_iter().find(|kind| *kind == name);
    if kind.is_none() {
        found.push(
            Diagnostic::error(Code::UnknownValue, format!("nothing needs `{name}`"))
                .at(need?.span, "not known")
                .suggest(nearest(name, NEED_KINDS), format!("needs: {}", NEED_KINDS.join(", "))),
        );
    }
    Some((kind?, answer.filter(|node| !node.is_null()).map(Value::from)))
}

/// What the user says about the data of the digital twin: `{read: true, write: false}`.
pub fn read_consent(node: &Node, found: &mut Diagnostics) -> Consent {
    let Some(mut fields) = Fields::open(node, "`consent`", found) else { return Consent::default() };
    let consent = Consent { read: fields.boolean("read"), write: fields.boolean("write") };
    fields.finish();
    consent
}

/// The finding about an input that the machine does not take.
fn wrong_input(key: &str, guided: bool) -> Diagnostic {
    let (title, help) = if guided {
        (
            format!("an assistant with instructions does not take `{key}`"),
            "such a dialogue is led: write `goto: STATE`, or let somebody answer what is said",
        )
    } else {
        (format!("a flow does not take `{key}`"), "flows are driven by intents; write `intent: NAME`")
    };
    Diagnostic::error(Code::WrongInput, title).help(help)
}

/// The finding about a turn that leads nowhere.
fn no_lead(says: bool) -> Diagnostic {
    if says {
        Diagnostic::error(Code::NoInput, "the turn says what is said, but not where the dialogue goes")
            .help("add `goto: STATE`, or `reply: TEXT` to stay: no model is set up that could answer")
    } else {
        Diagnostic::error(Code::NoInput, "the turn has no input").help("add `goto: STATE` or `say: TEXT`")
    }
}

/// The finding about a turn that means nothing.
fn no_input(says: bool) -> Diagnostic {
    if says {
        Diagnostic::error(Code::NoInput, "the turn says what is said, but not what is meant")
            .help("add `intent: NAME`: no model is set up that could read the utterance")
    } else {
        Diagnostic::error(Code::NoInput, "the turn has no input").help("add `intent: NAME`")
    }
}

fn read_data(node: &Node, machine: &Machine, found: &mut Diagnostics) -> TurnData {
    if node.is_null() {
        return TurnData::Null;
    }
    TurnData::Given(read_values(node, "data", machine, found))
}

/// Values by slot.
pub fn read_values(
    node: &Node,
    what: &str,
    machine: &Machine,
    found: &mut Diagnostics,
) -> Vec<(Symbol<SlotId>, Value)> {
    let Some(map) = node.map() else {
        crate::document::wrong_type(node, &format!("`{what}` is a map"), found);
        return Vec::new();
    };
    map.entries
        .iter()
        .map(|(key, value)| (Symbol::of(&key.text, &machine.names.slots), Value::from(value)))
        .collect()
}

fn read_signals(map: &crate::document::Map, found: &mut Diagnostics) -> Vec<(Signal, Value)> {
    let mut signals = Vec::new();
    for (key, node) in &map.entries {
        match Signal::from_name(&key.text) {
            Some(signal) => signals.push((signal, Value::from(node))),
            None => {
                let names = Signal::ALL.iter().map(|signal| signal.name());
                found.push(
                    Diagnostic::error(Code::UnknownKey, format!("there is no signal `{}`", key.text))
                        .at(key.span, "not known")
                        .suggest(nearest(&key.text, names), "see the README for the signals"),
                );
            }
        }
    }
    signals
}

fn read_operation(node: &Node, machine: &Machine, found: &mut Diagnostics) -> Option<Operation> {
    const KNOWN: [&str; 6] = ["snapshot", "reset", "set_state", "sync_phase", "set_data", "transition_to"];
    let names = &machine.names;
    let mut fields = Fields::open(node, "an operation", found)?;
    let kind = fields.required_text("op")?;
    let operation = match kind {
        "snapshot" => Operation::Snapshot,
        "reset" => Operation::Reset,
        "sync_phase" => Operation::SyncPhase,
        "set_state" => Operation::SetState(Symbol::of(fields.required_text("state")?, &names.states)),
        "set_data" => {
            let Some(data) = fields.node("data") else {
                fields.missing("data");
                return None;
            };
            Operation::SetData(read_values(data, "data", machine, fields.found()))
        }
        "transition_to" => Operation::TransitionTo {
            state: Symbol::of(fields.required_text("next_state")?, &names.states),
            action: optional_name(fields.text("action"), &names.actions),
            phase: optional_name(fields.text("phase"), &names.phases),
            validate: fields.boolean("validate").unwrap_or(true),
        },
        other => {
            let near = nearest(other, KNOWN);
            let span = node.get("op").map_or(node.span, |node| node.span);
            fields.found().push(
                Diagnostic::error(Code::UnknownOperation, format!("there is no operation `{other}`"))
                    .at(span, "not known")
                    .suggest(near, format!("operations: {}", KNOWN.join(", "))),
            );
            return None;
        }
    };
    fields.finish();
    Some(operation)
}

fn optional_name<I: Id>(text: Option<&str>, names: &Names<I>) -> Option<Symbol<I>> {
    text.map(|text| Symbol::of(text, names))
}

/// The name of a signal mode.
pub fn read_mode(node: &Node, found: &mut Diagnostics) -> Option<crate::machine::SignalMode> {
    use crate::machine::SignalMode;
    let name = text_of(node, "signals", found)?;
    let mode = SignalMode::from_name(name);
    if mode.is_none() {
        let names = SignalMode::ALL.map(|(_, name)| name);
        found.push(
            Diagnostic::error(Code::UnknownValue, format!("`signals` cannot be `{name}`"))
                .at(node.span, "not known")
                .suggest(nearest(name, names), format!("one of: {}", names.join(", "))),
        );
    }
    mode
}

/// Whether a node is the boolean `true`.
#[must_use]
pub fn is_true(node: &Node) -> bool {
    node.atom() == Some(Atom::Bool(true))
}
