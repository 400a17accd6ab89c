//! Replays the inputs of a recorded dialogue and compares the results with the recording.

use std::sync::Arc;

use serde::Deserialize;

use super::check_context::place_of;
use super::dialogue_verdict::DialogueVerdict;
use super::finding::Finding;
use super::property_watch::PropertyWatch;
use super::rules::transition::PERMITTED;
use crate::verify::import::{BorrowedJson, ObservedDialogue, ObservedText, ObservedTurn};
use fsmsim_core::engine::{Machine, RecordView, ScriptedTurn, SourceKind, TurnRecord};
use fsmsim_core::machine::{NeedKind, Value};
use fsmsim_core::trace::{JsonLine, RecordField};
use fsmsim_runtime::runtime::DialogueSetup;
use fsmsim_runtime::script::{ParsedTurn, TurnOptions};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Content, Map, Node};
use fsmsim_syntax::terminal::Joined;

/// The rule name in findings about replays.
const RULE: &str = "divergence";

/// Replays a dialogue from a trace of this program and compares it byte for byte. If it is identical, returns the
/// verdict, including properties. If `None`, [`verify_replay`] must find the difference, if there is one.
pub(super) fn replay_alike(
    machine: &Arc<Machine>,
    setup: DialogueSetup,
    text: &ObservedText,
) -> Option<DialogueVerdict> {
    // An identical replay can contain undeclared transitions that the settings permit.
    if setup.settings.policies.is_permissive() {
        return None;
    }
    let mut watch = PropertyWatch::new(machine, text.name());
    let mut findings = Vec::new();
    let mut runner = setup.runner(machine);
    let mut written = JsonLine::default();
    let is_alike = text.lines().all(|(line, number)| {
        // If a value is read from the wrong position, the output will differ.
        let Some(input) = value_after(line.find(INPUT), INPUT, line) else {
            return false;
        };
        let mut turn = ObservedTurn::new(number, 0);
        turn.input = input;
        turn.answers = value_after(line.rfind(ANSWERS), ANSWERS, line).unwrap_or_default();
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

/// Whether the dialogue has ended after the last turn that was run.
fn is_over(record: &TurnRecord) -> bool {
    record.outcome.is_some_and(|outcome| outcome.is_final)
}

/// The key of a turn's input, as this program writes it.
const INPUT: &str = "\"input\":";
const ANSWERS: &str = "\"answers\":";

/// The value that follows a key at this position.
fn value_after<'t>(at: Option<usize>, key: &str, line: &'t str) -> Option<BorrowedJson<'t>> {
    let value = line.get(at? + key.len()..)?;
    BorrowedJson::deserialize(&mut serde_json::Deserializer::from_str(value)).ok()
}

/// The verdict on a dialogue: the first divergence, if any, and the property violations before it. `place` returns the
/// span of a line, and adds the line to the files that findings refer to.
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
        // The state after unreadable lines is unknown.
        if turn.after_gap || turn.number != number {
            let left = dialogue.turns.len() - at;
            watch.stop(left);
            if !turn.after_gap {
                let at = (turn.number, turn.line);
                let found = format!("turn {} instead of turn {number}", turn.number);
                let declared = format!("turn {number} is missing");
                findings.push(Finding {
                    not_compared: left,
                    ..Finding::in_turn(dialogue.name, at, "missing_turns", found, declared)
                        .about_transition(turn.from(), turn.to())
                });
            }
            return Ok(watch.verdict(dialogue.turns.len(), findings));
        }
        let node = input(turn, Span::NOWHERE);
        // Locations are resolved only for turns that have findings.
        let mut trial = Diagnostics::default();
        let Some(scripted) = scripted(&node, machine, &mut trial) else {
            let title = format!("cannot replay turn {} of `{}`", turn.number, dialogue.name);
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
        if view.is_permitted_move() {
            let at = (turn.number, turn.line);
            let found = format!("`{}` → `{}`", turn.from().unwrap_or_default(), turn.to());
            let declared = "the state does not declare this transition".to_owned();
            let finding = Finding::in_turn(dialogue.name, at, PERMITTED, found, declared);
            findings.push(finding.about_transition(turn.from(), turn.to()));
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

/// A turn could not be run. The findings say why.
#[derive(Clone, Copy, Debug)]
pub struct Unplayable {
    /// The number of the turn.
    pub turn: u32,
}

fn scripted(node: &Node, machine: &Machine, found: &mut Diagnostics) -> Option<ScriptedTurn> {
    ParsedTurn::read(node, machine, TurnOptions::default(), found).map(|turn| turn.scripted)
}

/// The input of a turn. Includes the recorded external answers, unless the input itself contains answers.
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
        // The key `answer` in the input replaces all judgments, but not the results of effects.
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

/// The first difference between a recorded turn and its replay.
fn differs(dialogue: &str, turn: &ObservedTurn<'_>, line: &RecordView<'_>) -> Option<Finding> {
    let mut fields: Vec<_> = turn
        .fields()
        .iter()
        .filter(|(field, recorded)| !agrees(*field, recorded, turn, line))
        .map(|(field, recorded)| (*field, recorded))
        .collect();
    // `turn_number` is the least helpful field, and most other fields depend on the target state.
    fields.sort_by_key(|(field, _)| (*field == RecordField::TurnNumber, *field));
    let mut fields = fields.into_iter();
    let (field, recorded) = fields.next()?;
    let (found, declared) = words(field, recorded, turn, &field.value(line));
    let (decided, place) = decider(field, line);
    let at = (turn.number, turn.line);
    let also = fields.map(|(field, _)| field.name()).collect();
    Some(Finding {
        field: Some(field.name()),
        place,
        also,
        ..Finding::in_turn(dialogue, at, RULE, found, declared + &decided)
            .about_transition(turn.from(), turn.to())
    })
}

/// Whether the recorded value of a field equals the replayed one.
fn agrees(
    field: RecordField,
    recorded: &BorrowedJson<'_>,
    turn: &ObservedTurn<'_>,
    line: &RecordView<'_>,
) -> bool {
    match (field, recorded) {
        // Any line added elsewhere changes the locations of rules.
        (RecordField::Rule, _) => true,
        (RecordField::Action | RecordField::Class | RecordField::Merge, _) => {
            recorded.text() == field.text(line)
        }
        (RecordField::State, _) => {
            let outcome = line.record.outcome.as_ref();
            outcome.is_some_and(|outcome| {
                recorded.at("to").text() == Some(line.state(outcome.state.to))
                    && recorded
                        .get("from")
                        .is_none_or(|from| from.text() == Some(line.state(outcome.state.from)))
            })
        }
        (RecordField::Data, BorrowedJson::Map(pairs)) if !turn.tells_some_data => {
            let mut known = 0;
            let mut slots = line.data();
            let same = slots.all(|(name, value)| {
                known += 1;
                recorded.at(name).agrees(value)
            });
            same && pairs
                .iter()
                .filter(|(_, recorded)| !recorded.is_null())
                .count()
                == known
        }
        (
            RecordField::Phase | RecordField::Counters | RecordField::Carryover | RecordField::Data,
            BorrowedJson::Map(pairs),
        ) => {
            let value = field.value(line);
            pairs
                .iter()
                .all(|(key, recorded)| recorded.agrees(value.get(key).unwrap_or(&Value::Null)))
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
                .all(|(key, recorded)| source(recorded) == value.get(key).and_then(Value::as_text))
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
                    .all(|(recorded, value)| proposal(recorded, value))
        }
        _ => recorded.agrees(&field.value(line)),
    }
}

/// The name of a source. The suffix `Source` is optional.
fn source<'t>(recorded: &'t BorrowedJson<'_>) -> Option<&'t str> {
    let name = recorded.text()?;
    Some(match SourceKind::from_name(name) {
        Some(kind) => kind.name(),
        None => name,
    })
}

/// Whether a rejected proposal is the same, regardless of the location of its rule.
fn proposal(recorded: &BorrowedJson<'_>, value: &Value) -> bool {
    let mut pairs = recorded.entries().iter().filter(|(key, _)| key != "rule");
    pairs.all(|(key, recorded)| recorded.agrees(value.get(key).unwrap_or(&Value::Null)))
}

/// The recorded and the replayed value of a field, without the parts that are equal.
fn words(
    field: RecordField,
    recorded: &BorrowedJson<'_>,
    turn: &ObservedTurn<'_>,
    value: &Value,
) -> (String, String) {
    let (BorrowedJson::Map(pairs), Value::Map(known)) = (recorded, value) else {
        return (recorded.to_string(), value.to_string());
    };
    let of = |key: &str| value.get(key).unwrap_or(&Value::Null);
    let same = |key: &str, recorded: &BorrowedJson<'_>| match field {
        RecordField::By => source(recorded) == of(key).as_text(),
        _ => recorded.agrees(of(key)),
    };
    let other = pairs.iter().filter(|(key, recorded)| !same(key, recorded));
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
        .filter(|(key, value)| is_whole && !value.is_null() && recorded.get(key).is_none());
    keys.extend(more.map(|(key, _)| &**key));
    let listed = |value: &dyn Fn(&str) -> String| {
        keys.iter()
            .map(|key| format!("{key}: {}", value(key)))
            .joined(", ")
    };
    (
        listed(&|key| recorded.at(key).to_string()),
        listed(&|key| of(key).to_string()),
    )
}

/// The source that decided the turn in the model, and where its rule is.
fn decider(field: RecordField, line: &RecordView<'_>) -> (String, Option<String>) {
    let Some(outcome) = line.record.outcome.as_ref() else {
        return (String::new(), None);
    };
    let action = outcome.by_action;
    let transition = outcome.by_transition;
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
        (None, why) => format!(", because {}", why.join(", ")),
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
