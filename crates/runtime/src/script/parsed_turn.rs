//! A turn of a turns file or a scenario.

use super::accepted_inputs::{AcceptedInputs, GivenInputs};
use super::event_turn::{EventTurn, TurnEvent, read_time};
use super::known_names::KnownNames;
use super::turn_fields::{
    read_answer, read_confidence, read_consent, read_data, read_move, read_number, read_operation,
    read_outcome, read_signals,
};
use super::turn_names::{check_names, check_triggers};
use crate::limits::MAX_ELAPSED_SECONDS;
use fsmsim_core::engine::{Input, Machine, ScriptedTurn, Symbol, TurnData};
use fsmsim_core::machine::{EVENTS, Float, NeedKind, Value};
use fsmsim_syntax::diagnostic::{Code, Diagnostics, Span};
use fsmsim_syntax::document::{Fields, Node, text_of, wrong_type};
use fsmsim_syntax::shapes;

/// A parsed turn.
#[derive(Debug)]
pub struct ParsedTurn {
    /// The inputs to run.
    pub scripted: ScriptedTurn,
    /// The location of the turn.
    pub span: Span,
}

/// Options for parsing a turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnOptions<'o> {
    /// The turn may contain expectations.
    pub may_expect: bool,
    /// The turn may contain an utterance without an intent, because a recognizer or the examples of the model will
    /// process it.
    pub may_be_unread: bool,
    /// The names that the turn may use. `None` allows any name.
    pub names: Option<&'o KnownNames<'o>>,
}

/// Reports keys that are invalid in any turn. Needs no machine.
pub fn check_turn_keys(node: &Node, found: &mut Diagnostics) {
    let Some(map) = node.map() else {
        return wrong_type(node, "a turn is a map", found);
    };
    shapes::SCENARIO_TURN.check(map, found);
}

impl ParsedTurn {
    /// Parses a turn. Returns `None`, with findings, if the turn cannot run. Expectations are read separately.
    pub fn read(
        node: &Node,
        machine: &Machine,
        options: TurnOptions<'_>,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let errors_before = found.error_count();
        let mut fields = Fields::open(node, "a turn", found)?;
        let names = &machine.names;
        if let Some(names) = options.names {
            check_names(
                node,
                AcceptedInputs::of(machine).moves,
                names,
                fields.found(),
            );
        }
        check_triggers(node, machine, fields.found());
        let [intent, say] = fields.nodes(["intent", "say"]);
        let also = fields.texts("also");
        let tone = fields.text("tone");
        let question = fields.text("question");
        let frustration = fields.integer("frustration");
        let before = fields.list("before");
        let readings = fields.list("options");
        let [confidence, elapsed] = fields.nodes(["confidence", "elapsed_s"]);
        let data = fields.raw("data");
        let signals = fields.map("signals");
        let [answer, answers, outcome, goto, call, consent, reply] = fields.nodes([
            "answer", "answers", "outcome", "goto", "call", "consent", "reply",
        ]);
        if options.may_expect {
            fields.raw("expect");
            fields.raw("expected_failure");
        }
        let events: Vec<_> = EVENTS
            .into_iter()
            .filter_map(|key| Some((key, fields.raw(key)?)))
            .collect();
        let [event, at] = fields.nodes(["event", "at"]);
        let span = fields.span();
        let errors = fields.found().error_count();
        let answers = answers.and_then(|_| fields.list("answers"));
        fields.finish();
        let mut text = |node: Option<_>, key| text_of(node?, key, found);
        let intent = text(intent, "intent");
        let say = text(say, "say");
        let reply = text(reply, "reply");
        let event = text(event, "event");
        let accepted = AcceptedInputs::of(machine);
        let happens = EventTurn {
            events,
            event,
            intent,
            data,
        }
        .read(span, machine, found);
        let (other, intent, data) = match happens {
            TurnEvent::Nothing => (None, intent, data),
            TurnEvent::Unknown(key) => (Some(key), intent, data),
            TurnEvent::Event(name, data) => (None, Some(name), data),
        };
        let leads = [("goto", goto), ("call", call), ("consent", consent)];
        let lead = leads.into_iter().find_map(|(key, node)| node.map(|_| key));
        let goto = if accepted.moves {
            read_move(goto, call, machine, found)
        } else {
            None
        };
        let answers: Vec<_> = answers
            .into_iter()
            .flatten()
            .filter_map(|node| read_answer(node, machine, found))
            .collect();
        let is_readable = found.no_errors_since(errors);
        let outcome = outcome.and_then(|node| read_outcome(node, machine, found));
        let answers: Vec<_> = answers.into_iter().chain(outcome).collect();
        // A scripted answer replaces the recognizer.
        let is_recognized = options.may_be_unread && answer.is_none()
            || accepted.phrases
            || answer.is_some_and(|answer| accepted.moves || answer.get("intent").is_some())
            || answers
                .iter()
                .any(|(need, _)| matches!(need.kind, NeedKind::Classify | NeedKind::Navigate));
        let given = GivenInputs {
            intent: intent.map(|_| "intent"),
            lead,
            other,
            replies: reply.is_some(),
            says: say.is_some(),
            is_read: say.is_some() && is_recognized,
        };
        // A misspelled key or an invalid value is already reported, so do not also report the input as missing.
        let refusal = accepted.refusal(&given, machine);
        if let Some(finding) = refusal.filter(|it| is_readable || it.code != Code::NoInput) {
            found.push(finding.at(span, "turn"));
        }
        let confidence = confidence.and_then(|node| read_confidence(node, found));
        let elapsed = elapsed.and_then(|node| {
            let help = "write the seconds since the start of the dialogue";
            read_number((node, "elapsed_s"), MAX_ELAPSED_SECONDS, help, found)
        });
        let input = Input {
            intent: intent.map(|name| Symbol::of(name, &names.intents)),
            say: say.map(Into::into),
            also: also
                .into_iter()
                .map(|name| Symbol::of(name, &names.intents))
                .collect(),
            confidence: confidence.map(Float::new),
            tone: tone.map(Into::into),
            frustration,
            data: data.map_or(TurnData::Absent, |node| {
                read_data(node, machine, options.names, found)
            }),
            signals: signals
                .map(|map| read_signals(map, found))
                .unwrap_or_default(),
            options: readings
                .map(|items| items.iter().map(Value::of_answer).collect())
                .unwrap_or_default(),
            question: question.map(Into::into),
            elapsed: elapsed.map(Float::new),
            // An observation in a cycle has its own time.
            at: at
                .or_else(|| {
                    data.filter(|_| machine.policies.inputs().tasks)?
                        .get("timestamp")
                })
                .and_then(|node| read_time(node, found))
                .map(Into::into),
            goto,
            consent: consent
                .map(|node| read_consent(node, found))
                .unwrap_or_default(),
            // A turn that requests the instruction of the current state stays in this state.
            reply: reply
                .or(lead.filter(|_| accepted.moves).map(|_| ""))
                .map(Into::into),
        };
        let before = before
            .into_iter()
            .flatten()
            .filter_map(|node| read_operation(node, machine, options.names, found))
            .collect();
        let scripted = ScriptedTurn {
            before,
            input,
            answer: answer.map(Value::of_answer),
            answers,
        };
        found
            .no_errors_since(errors_before)
            .then_some(Self { scripted, span })
    }
}
