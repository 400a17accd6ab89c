//! A single trial of a scenario with a subject, which is an external dialogue system.

use serde_json::Value as Json;

use super::expectation_failure::FieldMismatch;
use super::matcher::Mismatch;
use super::prepared_scenario::PreparedScenario;
use super::scenario_turns::ScenarioTurn;
use super::unread_turn::UnreadTurn;
use crate::verify::{Finding, Mode, verify_observed};
use fsmsim_adapters::subject::{
    SubjectAnswer, SubjectDialogue, SubjectFailure, SubjectSpec, SubjectTurn,
};
use fsmsim_core::engine::TurnData;
use fsmsim_core::machine::Value;
use fsmsim_core::trace::{ObservedRecord, RecordField, RecordedFields, turn_line};
use fsmsim_syntax::diagnostic::Diagnostic;
use fsmsim_syntax::terminal::Joined;

/// The key for the intent in an input.
const INTENT: &str = "intent";

/// The outcome of a trial with a subject.
#[derive(Debug, Default)]
pub struct SubjectRun {
    /// The records of the turns that the subject answered.
    pub records: Vec<ObservedRecord>,
    /// The same records for output, without values that differ in each run.
    pub shown: Vec<ObservedRecord>,
    /// The turn that the subject did not answer. No further turns were sent.
    pub unanswered: Option<UnreadTurn>,
    /// The finding if the answers prove that the subject is mapped incorrectly.
    pub fault: Option<Diagnostic>,
}

impl SubjectRun {
    /// Runs the turns of a scenario with a subject, in a new dialogue. Passes each turn to `each` as soon as it is
    /// answered.
    pub fn of(
        prepared: &PreparedScenario<'_>,
        spec: &SubjectSpec,
        goes_on: &mut dyn FnMut() -> bool,
        each: &mut dyn FnMut(&ObservedRecord),
    ) -> Self {
        let mut run = Self::default();
        let turns = prepared.turns().zip(1_u32..);
        let begun = match &prepared.unagreed {
            Some(reason) => Err(SubjectFailure::new(reason.clone())),
            None => SubjectDialogue::begin(spec, &prepared.root),
        };
        let mut dialogue = match begun {
            Ok(dialogue) => dialogue,
            Err(failure) => {
                run.unanswered = Some(UnreadTurn::by_subject(1, failure.reason));
                return run;
            }
        };
        let mut state = Value::Null;
        for (turn, number) in turns {
            if !goes_on() {
                break;
            }
            let (input, given) = input_of(prepared, &turn);
            let intent = input
                .get(INTENT)
                .and_then(Value::as_text)
                .map(str::to_owned);
            let asked = SubjectTurn {
                number,
                say: turn.scripted.input.say.as_deref(),
                intent: intent.as_deref(),
                data: given,
            };
            match dialogue.say(&asked) {
                Ok(answer) => {
                    let record = record_of(number, input, answer, &mut state);
                    each(&record);
                    run.shown.push(dialogue.shown(&record));
                    run.records.push(record);
                }
                Err(failure) => {
                    run.unanswered = Some(UnreadTurn::by_subject(number, failure.reason));
                    break;
                }
            }
        }
        run.fault = dialogue.fault();
        run
    }

    /// How the subject violated the model, by turn.
    pub(super) fn breaches(
        &self,
        prepared: &PreparedScenario<'_>,
        spec: &SubjectSpec,
    ) -> Result<Vec<Finding>, (u32, String)> {
        let mode = if spec.replays {
            Mode::Replay
        } else {
            Mode::Structure
        };
        let verdict = verify_observed(
            &prepared.machine,
            &prepared.setup,
            &prepared.title,
            &self.records,
            mode,
        )?;
        Ok(verdict.findings)
    }
}

/// The input, in the same form as in a trace, and its data.
fn input_of(prepared: &PreparedScenario<'_>, turn: &ScenarioTurn) -> (Value, Json) {
    let line = turn_line(&turn.scripted, &prepared.machine);
    let input: Json = serde_json::from_str(&line).unwrap_or_default();
    let data = match &turn.scripted.input.data {
        TurnData::Given(values) => {
            let names = &prepared.machine.names.slots;
            let value = |value: &Value| serde_json::to_value(value).unwrap_or_default();
            values
                .iter()
                .map(|(slot, given)| (slot.text(names).to_owned(), value(given)))
                .collect()
        }
        TurnData::Absent | TurnData::Null => serde_json::Map::new(),
    };
    (Value::from(input), Json::Object(data))
}

/// The record of a turn. If the subject reports an intent, that intent replaces the one in the input.
fn record_of(turn: u32, input: Value, answer: SubjectAnswer, state: &mut Value) -> ObservedRecord {
    let input = match (&input, &answer.intent) {
        (Value::Map(pairs), Some(intent)) => {
            let others = pairs.iter().filter(|(key, _)| &**key != INTENT).cloned();
            Value::Map(
                others
                    .chain([(INTENT.into(), Value::text(intent))])
                    .collect(),
            )
        }
        _ => input,
    };
    let mut record = ObservedRecord::new(turn, input);
    record.tells_some_data = answer.tells_some_data;
    record.told_intent = answer.intent;
    // If a turn does not report its state, the next turn starts in an unknown state.
    let before = std::mem::take(state);
    for (field, value) in answer.fields {
        let value = match field {
            RecordField::State => {
                state.clone_from(&value);
                // The subject does not report its initial state.
                let from = (!before.is_null()).then(|| ("from", before.clone()));
                Value::map(from.into_iter().chain([("to", value)]))
            }
            RecordField::Phase => Value::map([("to", value)]),
            _ => value,
        };
        record.set(field, value);
    }
    record
}

/// The mismatch if the subject recognized an intent other than the one in the turn.
pub(super) fn misread(
    turn: &ScenarioTurn,
    record: &ObservedRecord,
    prepared: &PreparedScenario<'_>,
) -> Option<FieldMismatch> {
    let meant = turn
        .scripted
        .input
        .intent
        .as_ref()?
        .text(&prepared.machine.names.intents);
    let taken = record.intent().filter(|taken| *taken != meant)?;
    let meant = format!("{meant:?}");
    let taken = format!("{taken:?}");
    let mismatch = Mismatch::new("input.intent", meant, taken);
    Some(FieldMismatch::plain(
        turn.span,
        RecordField::Input,
        mismatch,
    ))
}

/// Converts a violation of the model to a mismatch.
pub(super) fn breach(finding: &Finding, turn: &ScenarioTurn) -> FieldMismatch {
    let field = finding.record_field();
    let place = finding
        .place
        .as_ref()
        .map(|place| format!(" ({place})"))
        .unwrap_or_default();
    // The remaining differences follow from the first one.
    let differs = finding
        .field
        .map(|field| [field].into_iter().chain(finding.also.iter().copied()))
        .map(|fields| format!(" in {}", fields.joined(", ")))
        .unwrap_or_default();
    let mismatch = Mismatch::new(
        format!("{}{differs}", finding.rule),
        format!("{}{place}", finding.declared),
        &finding.found,
    );
    FieldMismatch::plain(turn.span, field, mismatch)
}

/// The mismatch if a turn does not report its state, although by `map` every answer contains it. Such a turn cannot be
/// checked.
pub(super) fn missing_state(
    spec: &SubjectSpec,
    record: &ObservedRecord,
    turn: &ScenarioTurn,
) -> Option<FieldMismatch> {
    let field = RecordField::State;
    if !spec.map.always_contains_state() || record.text(field).is_some() {
        return None;
    }
    let mismatch = Mismatch::new(
        "untold_state",
        "a state name at the location that `map` defines",
        Value::Null.to_string(),
    );
    Some(FieldMismatch::plain(turn.span, field, mismatch))
}
