//! For any answers and any external services, an interview ends within its limits and satisfies its properties.

use std::path::Path;
use std::sync::Arc;

use fsmsim_core::engine::{Input, Machine, SavedSession, ScriptedTurn, Session, Symbol, TurnData};
use fsmsim_core::machine::{NeedKey, NeedKind, Profile, Value};
use fsmsim_core::trace::RecordField;
use fsmsim_dialects::dialect::Loader;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::diagnostic::Diagnostics;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{cases, home};

const INTERVIEWS: [&str; 3] = [
    "grant_interview",
    "grant_interview_11",
    "handover_interview",
];

/// The input of a turn.
#[derive(Clone, Debug)]
enum Said {
    Full,
    Vague,
    Empty,
    Refusal,
    Huge,
    Emoji,
    RightToLeft,
    /// An answer to another point, according to the assessment.
    Other(usize),
    /// The user says nothing until the timeout.
    TimeOut,
    /// The edit of an earlier answer, with or without the new text.
    Edit(usize, bool),
    Yes,
}

/// The results of the services that assess answers, save them and phrase questions.
#[derive(Clone, Debug)]
struct Outside {
    /// The assessed completeness in hundredths, or nothing if the answer is not assessed.
    judged: Option<u32>,
    /// The assessment is malformed.
    broken: bool,
    saves: bool,
    phrases: bool,
}

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        4 => Just(Said::Full),
        3 => Just(Said::Vague),
        1 => Just(Said::Empty),
        1 => Just(Said::Refusal),
        1 => Just(Said::Huge),
        1 => Just(Said::Emoji),
        1 => Just(Said::RightToLeft),
        1 => (0..12_usize).prop_map(Said::Other),
        1 => Just(Said::TimeOut),
        1 => ((0..12_usize), any::<bool>()).prop_map(|(point, text)| Said::Edit(point, text)),
        2 => Just(Said::Yes),
    ]
}

fn outside() -> impl Strategy<Value = Outside> {
    let judged = prop_oneof![2 => Just(None), 1 => (0..101_u32).prop_map(Some)];
    let broken = prop_oneof![6 => Just(false), 1 => Just(true)];
    (judged, broken, any::<bool>(), any::<bool>()).prop_map(|(judged, broken, saves, phrases)| {
        Outside {
            judged,
            broken,
            saves,
            phrases,
        }
    })
}

fn load(name: &str) -> Arc<Machine> {
    let mut found = Diagnostics::default();
    let path = home("flows").join(format!("{name}.yaml"));
    let machine = Loader::default().load(Path::new(&path), Profile::default(), None, &mut found);
    assert!(found.is_empty(), "{name}");
    Arc::new(machine.unwrap())
}

/// The scripted turn for an input.
fn turn(said: &Said, outside: &Outside, number: usize, machine: &Machine) -> ScriptedTurn {
    let agenda = machine.policies.inquiry().unwrap();
    let id = |place: usize| agenda.points[place % agenda.points.len()].id.to_string();
    let intent = |name: &str| Some(Symbol::of(name, &machine.names.intents));
    let data = |pairs: Vec<(&str, Value)>| {
        TurnData::Given(
            pairs
                .into_iter()
                .map(|(name, value)| (Symbol::of(name, &machine.names.slots), value))
                .collect(),
        )
    };
    let mut turn = ScriptedTurn::default();
    let text = match said {
        Said::Full => {
            format!(
                "Ответ {number}: о проекте, людях, днях и неделях, a day in january, с суммой 750000 рублей"
            )
        }
        Said::Vague => "ну, как-то так".to_owned(),
        Said::Empty => " \u{a0}\n".to_owned(),
        Said::Refusal => "не скажу".to_owned(),
        Said::Huge => "слово ".repeat(17_000),
        Said::Emoji => "🏹🏹🏹 👩‍👩‍👧".to_owned(),
        Said::RightToLeft => "\u{202e}שלום עולם ".repeat(4),
        Said::Other(_) => format!("Кстати, {number}-е: бюджет уже есть, семьсот тысяч"),
        Said::Yes => "yes, right; да, верно".to_owned(),
        Said::TimeOut | Said::Edit(..) => String::new(),
    };
    match said {
        Said::TimeOut => turn.input.intent = intent("timeout"),
        Said::Edit(place, with_text) => {
            turn.input.intent = intent("edit");
            let text = with_text.then(|| {
                (
                    "text",
                    Value::text(&format!("иначе {number}, и вот как именно")),
                )
            });
            turn.input.data = data(
                [("point", Value::text(&id(*place)))]
                    .into_iter()
                    .chain(text)
                    .collect(),
            );
        }
        _ => {
            turn.input = Input {
                say: Some(text.into()),
                ..Input::default()
            }
        }
    }
    let mut answer = |kind, value| turn.answers.push((NeedKey::first(kind), Some(value)));
    if outside.broken {
        answer(
            NeedKind::Assess,
            Value::from(
                json!({"completeness": "much", "for": [3, {"point": 5}, {"text": null}], "missing": 4}),
            ),
        );
    } else if let Some(judged) = outside.judged {
        let share = f64::from(judged) / 100.0;
        let other = match said {
            Said::Other(place) => {
                json!([{"point": id(*place), "completeness": share, "text": "бюджет уже есть"}])
            }
            _ => json!([]),
        };
        answer(
            NeedKind::Assess,
            Value::from(
                json!({"completeness": share, "for": other, "missing": ["срок"], "approved": judged % 2 == 0}),
            ),
        );
    }
    if !outside.saves {
        let save = machine.names.effects.id("save").unwrap();
        answer(NeedKind::Effect(save), Value::text("down"));
    }
    if outside.phrases {
        answer(
            NeedKind::Phrase,
            Value::from(json!({"reply": format!("Вопрос номер {number}?")})),
        );
    }
    turn
}

fn check(machine: &Arc<Machine>, script: &[(Said, Outside)]) -> Result<(), TestCaseError> {
    let mut dialogue =
        DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
    let opening = ScriptedTurn {
        input: Input {
            intent: Some(Symbol::of("open", &machine.names.intents)),
            ..Input::default()
        },
        ..ScriptedTurn::default()
    };
    let questions = machine.names.counters.id("questions").unwrap();
    let follow_ups = machine.names.counters.id("follow_ups").unwrap();
    let limit = |name: &str| {
        machine
            .settings()
            .limit(machine.names.limits.id(name).unwrap())
    };
    let mut answered = 0;
    dialogue.play(&opening);
    // Each answer is followed by a question or by the end. The script repeats until the interview ends.
    for (number, (said, outside)) in script.iter().cycle().take(400).enumerate() {
        if dialogue.session().is_final(machine) {
            break;
        }
        let scripted = turn(said, outside, number, machine);
        let before = dialogue.session().clone();
        let recorded = dialogue.play(&scripted);
        let violations = RecordField::Violations.value(&recorded.view);
        // The external service can repeat a question. All other violations are errors of the engine.
        let ours: Vec<String> = violations
            .list()
            .into_iter()
            .flat_map(|list| list.iter().map(ToString::to_string).collect::<Vec<_>>())
            .filter(|violation| !violation.contains("repeated_question"))
            .collect();
        prop_assert!(ours.is_empty(), "turn {number}, {said:?}: {ours:?}");
        answered += usize::from(!matches!(said, Said::TimeOut | Said::Edit(..)));
        let text = SavedSession::of(dialogue.session(), machine, machine.settings()).to_text();
        let saved = SavedSession::from_text(&text)
            .unwrap()
            .restore(machine)
            .unwrap();
        let again = SavedSession::of(&saved, machine, machine.settings()).to_text();
        prop_assert_eq!(again, text, "turn {}", number);
        prop_assert!(
            before != *dialogue.session() || matches!(said, Said::TimeOut | Said::Edit(..))
        );
        let session = dialogue.session();
        prop_assert!(session.counters.get(questions) <= limit("questions"));
        prop_assert!(session.counters.get(follow_ups) <= limit("follow_ups"));
    }
    prop_assert!(
        dialogue.session().is_final(machine) || answered == 0,
        "{answered} answers, and the interview continues in {}",
        dialogue
            .session()
            .state_name(dialogue.session().position.state, machine)
    );
    Ok(())
}

proptest! {
    #![proptest_config(cases(240))]

    #[test]
    fn interview_ends_within_limits_and_satisfies_properties(
        interview in 0..INTERVIEWS.len(),
        script in prop::collection::vec((said(), outside()), 1..60),
    ) {
        check(&load(INTERVIEWS[interview]), &script)?;
    }
}
