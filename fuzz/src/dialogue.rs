//! Dialogues of any model, and the laws that hold for all of them.

use std::sync::Arc;

use fsmsim_core::engine::{
    Consent, Input, Machine, Operation, RecordView, ScriptedTurn, Session, Symbol, TurnData,
};
use fsmsim_core::machine::{Float, Id, Names, Value};
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_core::trace::JsonLine;
use libfuzzer_sys::arbitrary::{Result, Unstructured};

/// Maximum number of turns of a dialogue.
const MOST_TURNS: usize = 24;

/// Runs the dialogue that the bytes encode. The result must be the same in a second run, without recording, and if the
/// session is saved and restored before each turn.
pub(crate) fn keeps_the_laws(machine: &Arc<Machine>, bytes: &[u8]) {
    let mut bytes = Unstructured::new(bytes);
    let mut turns = Vec::new();
    while turns.len() < MOST_TURNS && !bytes.is_empty() {
        let Ok(turn) = turn(machine, &mut bytes) else {
            break;
        };
        turns.push(turn);
    }
    let (records, session) = played(machine, &turns, false);
    alike(
        &records,
        &played(machine, &turns, false).0,
        "a second run differs",
    );
    assert_eq!(
        session,
        unrecorded(machine, &turns),
        "the run without recording differs"
    );
    if machine.settings().switches.snapshot {
        alike(
            &records,
            &played(machine, &turns, true).0,
            "the run with a saved and restored session differs",
        );
    }
}

/// Asserts that two runs have equal records.
fn alike(some: &[String], others: &[String], message: &str) {
    for (one, other) in some.iter().zip(others) {
        assert_eq!(one, other, "{message}");
    }
}

/// The records of a dialogue and its final session. With `is_saved`, the session is saved and restored before each turn.
fn played(
    machine: &Arc<Machine>,
    turns: &[ScriptedTurn],
    is_saved: bool,
) -> (Vec<String>, Session) {
    let mut runner = begun(machine);
    let record = |scripted: &ScriptedTurn| {
        let mut line = JsonLine::default();
        let mut turn = scripted.clone();
        turn.before.extend(is_saved.then_some(Operation::Snapshot));
        let view = runner.play(&turn).view;
        // Record the original turn, so that the added operation is not a difference.
        RecordView { scripted, ..view }.write(&mut line);
        line.into_string()
    };
    let records = turns.iter().map(record).collect();
    (records, runner.session().clone())
}

/// The final session of a dialogue without recording.
fn unrecorded(machine: &Arc<Machine>, turns: &[ScriptedTurn]) -> Session {
    let mut runner = begun(machine);
    turns
        .iter()
        .for_each(|scripted| runner.play_unrecorded(scripted));
    runner.session().clone()
}

fn begun(machine: &Arc<Machine>) -> DialogueRunner {
    DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine))
}

/// The turn that the bytes encode: mostly an intent with some data.
fn turn(machine: &Machine, bytes: &mut Unstructured<'_>) -> Result<ScriptedTurn> {
    let names = &machine.names;
    let shape: u16 = bytes.arbitrary()?;
    let has = |bit: u16| shape >> bit & 1 == 1;
    let mut input = Input::default();
    if !has(0) || !has(1) {
        input.intent = Some(symbol(&names.intents, bytes)?);
    }
    if has(2) {
        let count = bytes.int_in_range(0..=3)?;
        let pairs = (0..count).map(|_| Ok((symbol(&names.slots, bytes)?, value(bytes, 2)?)));
        input.data = TurnData::Given(pairs.collect::<Result<_>>()?);
    }
    if has(3) {
        input.say = Some(text(bytes)?.into());
    }
    if has(4) {
        input.also = vec![symbol(&names.intents, bytes)?];
        input.confidence = Some(Float::new(f64::from(bytes.arbitrary::<u8>()?) / 255.0));
        input.frustration = Some(bytes.int_in_range(0..=10)?);
    }
    if has(5) {
        input.goto = Some(symbol(&names.states, bytes)?);
        input.reply = Some(text(bytes)?.into());
    }
    if has(6) {
        input.consent = Consent {
            read: bytes.arbitrary()?,
            write: bytes.arbitrary()?,
        };
    }
    if has(7) {
        input.elapsed = Some(Float::new(f64::from(bytes.arbitrary::<u16>()?)));
        input.options = vec![value(bytes, 1)?];
        input.question = Some(text(bytes)?.into());
    }
    let before = if has(8) && has(9) {
        vec![operation(machine, bytes)?]
    } else {
        Vec::new()
    };
    let answer = match (has(10), has(11)) {
        (true, true) => Some(value(bytes, 3)?),
        (true, false) => Some(Value::map([
            ("intent", name(&names.intents, bytes)?),
            ("state", name(&names.states, bytes)?),
        ])),
        _ => None,
    };
    Ok(ScriptedTurn {
        before,
        input,
        answer,
        answers: Vec::new(),
    })
}

fn operation(machine: &Machine, bytes: &mut Unstructured<'_>) -> Result<Operation> {
    let names = &machine.names;
    Ok(match bytes.int_in_range(0..=5)? {
        0 => Operation::Snapshot,
        1 => Operation::Reset,
        2 => Operation::SetState(symbol(&names.states, bytes)?),
        3 => Operation::SyncPhase,
        4 => Operation::SetData(vec![(symbol(&names.slots, bytes)?, value(bytes, 2)?)]),
        _ => Operation::TransitionTo {
            state: symbol(&names.states, bytes)?,
            action: Some(symbol(&names.actions, bytes)?),
            phase: if bytes.arbitrary()? {
                Some(symbol(&names.phases, bytes)?)
            } else {
                None
            },
            source: None,
            validate: bytes.arbitrary()?,
        },
    })
}

/// A name of the machine, or sometimes an unknown name.
fn symbol<I: Id>(names: &Names<I>, bytes: &mut Unstructured<'_>) -> Result<Symbol<I>> {
    let number = usize::from(bytes.arbitrary::<u8>()?);
    Ok(match names.iter().nth(number) {
        Some(known) => Symbol::of(known, names),
        None => Symbol::of(&format!("unknown_{}", number % 3), names),
    })
}

fn name<I: Id>(names: &Names<I>, bytes: &mut Unstructured<'_>) -> Result<Value> {
    Ok(Value::text(symbol(names, bytes)?.text(names)))
}

fn value(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=9)? {
        0 => Value::Null,
        1 => Value::Bool(bytes.arbitrary()?),
        2 => Value::Int(bytes.arbitrary::<i8>()?.into()),
        3 => Value::Int(bytes.arbitrary()?),
        4 => Value::Float(Float::new(bytes.arbitrary()?)),
        5 => Value::text("+79001234567"),
        6 if depth > 0 => {
            let count = bytes.int_in_range(0..=3)?;
            let items: Vec<Value> = (0..count)
                .map(|_| value(bytes, depth - 1))
                .collect::<Result<_>>()?;
            Value::List(items.into_iter().collect())
        }
        7 if depth > 0 => Value::map([
            ("name", value(bytes, depth - 1)?),
            ("status", value(bytes, depth - 1)?),
        ]),
        _ => Value::text(&text(bytes)?),
    })
}

/// Some bytes as text.
fn text(bytes: &mut Unstructured<'_>) -> Result<String> {
    let length = bytes.int_in_range(0..=24)?.min(bytes.len());
    Ok(String::from_utf8_lossy(bytes.bytes(length)?).into_owned())
}
