//! Plays the input of a recorded dialogue again, and holds what the model does against what was recorded.

use std::sync::Arc;

use serde::Deserialize;

use super::check_context::place_of;
use super::dialogue_verdict::DialogueVerdict;
use super::finding::{Finding, TurnPlace};
use super::property_watch::PropertyWatch;
use crate::verify::import::{BorrowedJson, ObservedDialogue, ObservedText, ObservedTurn};
use fsmsim_core::engine::{Machine, RecordView, ScriptedTurn, SourceKind, TurnRecord};
use fsmsim_core::machine::{NeedKind, Value};
use fsmsim_core::trace::{JsonLine, RecordField};
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::{ParsedTurn, TurnOptions};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Map, Node};
use fsmsim_syntax::terminal::Joined;

/// What a replay calls its findings.
const RULE: &str = "divergence";

/// What is said of a dialogue of our own trace that, played again, comes out as it is written, byte for byte: only what its
/// properties are. Where it does not, nothing; [`verify_replay`] tells why, or that nothing differs after all.
pub(super) fn replay_alike(
    machine: &Arc<Machine>,
    setup: DialogueSetup,
    text: &ObservedText,
) -> Option<DialogueVerdict> {
    let mut watch = PropertyWatch::new(machine, text.name());
    let mut findings = Vec::new();
    let mut runner = setup.runner(machine);
    let mut written = JsonLine::default();
    let is_alike = text.lines().all(|(line, number)| {
        // What is read from the wrong place is written differently.
        let Some(input) = value_behind(line.find(INPUT), INPUT, line) else {
            return false;
        };
        let mut turn = ObservedTurn::new(number, 0);
        turn.input = input;
        turn.answers =
            value_behind(line.rfind(ANSWERS), ANSWERS, line).unwrap_or(BorrowedJson::Null);
        let node = self::input(&turn, Span::NOWHERE);
        let Some(scripted) = scripted(&node, machine, &mut Diagnostics::default()) else {
            return false;
        };
        written.clear();
        let view = runner.play(&scripted).view;
        view.write(&mut written);
        let record = view.record;
        watch.look(
            record.turn,
            number,
            record.sights.iter().copied(),
            &mut findings,
        );
        written.as_bytes() == line.as_bytes()
    });
    is_alike.then(|| {
        watch.end(is_over(runner.record()), &mut findings);
        watch.verdict(text.line_count(), findings)
    })
}

/// Whether the dialogue is over behind the last turn that was played.
fn is_over(record: &TurnRecord) -> bool {
    record.outcome.is_some_and(|outcome| outcome.is_final)
}

/// The keys of a turn's input and answers, as we write them.
const INPUT: &str = "\"input\":";
const ANSWERS: &str = "\"answers\":";

/// The value behind a key that stands there.
fn value_behind<'t>(at: Option<usize>, key: &str, line: &'t str) -> Option<BorrowedJson<'t>> {
    let value = line.get(at? + key.len()..)?;
    BorrowedJson::deserialize(&mut serde_json::Deserializer::from_str(value)).ok()
}

/// What is said of a dialogue: its first divergence, if the model does not do the same, and what breaks a property before
/// it. `place` adds the line of a turn to the files, for findings about it.
pub fn verify_replay(
    machine: &Arc<Machine>,
    setup: DialogueSetup,
    dialogue: &ObservedDialogue<'_>,
    found: &mut Diagnostics,
    place: &mut dyn FnMut(usize) -> Span,
) -> Result<DialogueVerdict, Unplayable> {
    let mut watch = PropertyWatch::new(machine, dialogue.name);
    let mut findings = Vec::new();
    let mut runner = setup.runner(machine);
    for ((at, turn), number) in dialogue.turns.iter().enumerate().zip(1_u32..) {
        // What is behind a gap goes on from where nobody knows.
        if turn.after_gap || turn.number != number {
            let left = dialogue.turns.len() - at;
            watch.stop(left);
            if !turn.after_gap {
                let at = TurnPlace {
                    dialogue: dialogue.name.to_owned(),
                    turn: turn.number,
                    line: turn.line,
                };
                let found = format!(
                    "turn {} stands where turn {number} is expected",
                    turn.number
                );
                let declared = format!("turn {number} is missing");
                let finding = Finding::new(Some(at), "missing_turns", found, declared);
                findings.push(Finding {
                    not_compared: left,
                    ..finding
                });
            }
            return Ok(watch.verdict(dialogue.turns.len(), findings));
        }
        let node = input(turn, Span::NOWHERE);
        // Places are worked out only where they are told.
        let mut trial = Diagnostics::default();
        let Some(scripted) = scripted(&node, machine, &mut trial) else {
            let title = format!(
                "turn {} of `{}` cannot be played again",
                turn.number, dialogue.name
            );
            let reasons = trial.items().iter().map(|fault| fault.title.clone());
            let mut finding = Diagnostic::error(Code::Unreplayable, title).at(place(turn.line), "");
            finding.notes.extend(reasons);
            found.push(finding.help("map the input of the turns, or use `--mode structure`"));
            return Err(Unplayable { turn: turn.number });
        };
        let view = runner.play(&scripted).view;
        if let Some(mut finding) = differs(dialogue.name, turn, &view) {
            let left = dialogue.turns.len() - at;
            finding.not_compared = left - 1;
            findings.push(finding);
            watch.stop(left);
            return Ok(watch.verdict(dialogue.turns.len(), findings));
        }
        watch.look(
            turn.number,
            turn.line,
            view.record.sights.iter().copied(),
            &mut findings,
        );
    }
    watch.end(is_over(runner.record()), &mut findings);
    Ok(watch.verdict(dialogue.turns.len(), findings))
}

/// A turn could not be played; the findings tell why.
#[derive(Clone, Copy, Debug)]
pub struct Unplayable {
    /// The number of the turn.
    pub turn: u32,
}

fn scripted(node: &Node, machine: &Machine, found: &mut Diagnostics) -> Option<ScriptedTurn> {
    ParsedTurn::read(node, machine, TurnOptions::default(), found).map(|turn| turn.scripted)
}

/// The input of a turn, with the answers that were given from outside unless it says them itself.
fn input(turn: &ObservedTurn<'_>, span: Span) -> Node {
    let mut node = turn.input.to_node(span);
    let has = |key: &str| turn.input.get(key).is_some();
    let answers = turn.answers.items();
    if has("answers") || answers.is_empty() {
        return node;
    }
    let scripted = has("answer");
    let given = answers.iter().filter_map(|answer| {
        let need = answer.at("need").text()?;
        // What the input says once stands for all judgements, but not for what the world did.
        let said = scripted && !NeedKind::is_of_world(need);
        let mut map = Map::default();
        for name in ["need", "effect", "index", "failed", "answer"] {
            if matches!(name, "need" | "answer") || answer.get(name).is_some() {
                map.put(name, Some(answer.at(name).to_node(span)));
            }
        }
        (!said).then(|| map.at(span))
    });
    let given = Node {
        span,
        content: Content::List(given.collect()),
    };
    if let Content::Map(map) = &mut node.content {
        map.put("answers", Some(given));
    }
    node
}

/// What differs first between a turn as it was recorded and as it was played.
fn differs(dialogue: &str, turn: &ObservedTurn<'_>, line: &RecordView<'_>) -> Option<Finding> {
    let fields = turn
        .fields()
        .iter()
        .filter(|(field, told)| !agrees(*field, told, turn, line));
    let mut fields: Vec<_> = fields.map(|(field, told)| (*field, told)).collect();
    // The number of the turn says least, and what else differs follows from where the turn led.
    fields.sort_by_key(|(field, _)| (*field == RecordField::TurnNumber, *field));
    let mut fields = fields.into_iter();
    let (field, told) = fields.next()?;
    let (found, declared) = words(field, told, turn, &field.value(line));
    let (decided, place) = decider(field, line);
    let at = TurnPlace {
        dialogue: dialogue.to_owned(),
        turn: turn.number,
        line: turn.line,
    };
    let also = fields.map(|(field, _)| field.name()).collect();
    Some(Finding {
        field: Some(field.name()),
        place,
        also,
        ..Finding::new(Some(at), RULE, found, declared + &decided)
    })
}

/// Whether what was recorded of a field is what the model did.
fn agrees(
    field: RecordField,
    told: &BorrowedJson<'_>,
    turn: &ObservedTurn<'_>,
    line: &RecordView<'_>,
) -> bool {
    match (field, told) {
        // Any line that is added elsewhere changes where rules are written.
        (RecordField::Rule, _) => true,
        (RecordField::Action | RecordField::Class | RecordField::Merge, _) => {
            told.text() == field.text(line)
        }
        (RecordField::State, _) => {
            let outcome = line.record.outcome.as_ref();
            outcome.is_some_and(|outcome| {
                told.at("to").text() == Some(line.state(outcome.state.to))
                    && told
                        .get("from")
                        .is_none_or(|from| from.text() == Some(line.state(outcome.state.from)))
            })
        }
        (RecordField::Data, BorrowedJson::Map(pairs)) if !turn.tells_some_data => {
            let mut known = 0;
            let mut slots = line.data();
            let same = slots.all(|(name, value)| {
                known += 1;
                told.at(name).agrees(value)
            });
            same && pairs.iter().filter(|(_, told)| !told.is_null()).count() == known
        }
        (
            RecordField::Phase | RecordField::Counters | RecordField::Carryover | RecordField::Data,
            BorrowedJson::Map(pairs),
        ) => {
            let value = field.value(line);
            pairs
                .iter()
                .all(|(key, told)| told.agrees(value.get(key).unwrap_or(&Value::Null)))
        }
        (RecordField::Missing, BorrowedJson::List(items)) => {
            let missing = line
                .record
                .missing
                .iter()
                .map(|slot| Some(line.machine.names.slots.name(*slot)));
            items.iter().map(BorrowedJson::text).eq(missing)
        }
        (RecordField::By, BorrowedJson::Map(pairs)) => {
            let value = field.value(line);
            pairs
                .iter()
                .all(|(key, told)| source(told) == value.get(key).and_then(Value::as_text))
        }
        (RecordField::Rejected, BorrowedJson::Int(number)) => {
            i64::try_from(line.record.rejected.len()) == Ok(*number)
        }
        (RecordField::Rejected, BorrowedJson::List(items)) => {
            let Value::List(values) = field.value(line) else {
                return false;
            };
            items.len() == values.len()
                && items
                    .iter()
                    .zip(values.iter())
                    .all(|(told, value)| proposal(told, value))
        }
        _ => told.agrees(&field.value(line)),
    }
}

/// The name of a source; the suffix `Source` may be there.
fn source<'t>(told: &'t BorrowedJson<'_>) -> Option<&'t str> {
    let name = told.text()?;
    Some(match SourceKind::from_name(name) {
        Some(kind) => kind.name(),
        None => name,
    })
}

/// Whether a proposal that lost is the same; where its rule is written is not part of it.
fn proposal(told: &BorrowedJson<'_>, value: &Value) -> bool {
    let mut pairs = told.entries().iter().filter(|(key, _)| key != "rule");
    pairs.all(|(key, told)| told.agrees(value.get(key).unwrap_or(&Value::Null)))
}

/// What the trace and the model have of a field, without what is the same in both.
fn words(
    field: RecordField,
    told: &BorrowedJson<'_>,
    turn: &ObservedTurn<'_>,
    value: &Value,
) -> (String, String) {
    let (BorrowedJson::Map(pairs), Value::Map(known)) = (told, value) else {
        return (told.to_string(), value.to_string());
    };
    let of = |key: &str| value.get(key).unwrap_or(&Value::Null);
    let same = |key: &str, told: &BorrowedJson<'_>| match field {
        RecordField::By => source(told) == of(key).as_text(),
        _ => told.agrees(of(key)),
    };
    let other = pairs.iter().filter(|(key, told)| !same(key, told));
    let mut keys: Vec<&str> = other.map(|(key, _)| &**key).collect();
    let is_whole = match field {
        RecordField::State
        | RecordField::Phase
        | RecordField::Counters
        | RecordField::Carryover
        | RecordField::By => false,
        RecordField::Data => !turn.tells_some_data,
        _ => true,
    };
    let more = known
        .iter()
        .filter(|(key, value)| is_whole && !value.is_null() && told.get(key).is_none());
    keys.extend(more.map(|(key, _)| &**key));
    let listed = |value: &dyn Fn(&str) -> String| {
        keys.iter()
            .map(|key| format!("{key}: {}", value(key)))
            .joined(", ")
    };
    (
        listed(&|key| told.at(key).to_string()),
        listed(&|key| of(key).to_string()),
    )
}

/// Who decided the turn in the model, and where the rule is written.
fn decider(field: RecordField, line: &RecordView<'_>) -> (String, Option<String>) {
    let Some(outcome) = line.record.outcome.as_ref() else {
        return (String::new(), None);
    };
    let (action, transition) = (outcome.by_action, outcome.by_transition);
    let (first, second) = if field == RecordField::Action {
        (action, transition)
    } else {
        (transition, action)
    };
    let by = first
        .and_then(|won| won.by)
        .or(second.and_then(|won| won.by));
    let reasons = line.why();
    let why = match (by, reasons.as_slice()) {
        (Some(by), []) => format!(", by {}", by.name()),
        (Some(by), why) => format!(", by {} ({})", by.name(), why.join(", ")),
        (None, []) => String::new(),
        (None, why) => format!(", since {}", why.join(", ")),
    };
    let rule = first
        .and_then(|won| won.rule)
        .or(second.and_then(|won| won.rule))
        .map(|rule| line.rule_place(rule));
    (
        why,
        rule.or_else(|| place_of(line.machine, outcome.state.from)),
    )
}
