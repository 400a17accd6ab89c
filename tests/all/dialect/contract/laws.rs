//! Laws that hold for every dialogue of the bundled contract, for any utterance and any outcome of the backend.

use std::sync::{Arc, LazyLock};

use fsmsim_core::engine::policy::contract::TransitionClass;
use fsmsim_core::engine::{Input, Machine, Operation, ScriptedTurn, Session, Symbol, TurnData};
use fsmsim_core::machine::{Depth, NeedKey, NeedKind, Op, Profile, Value};
use fsmsim_core::trace::{JsonLine, RecordField};
use fsmsim_dialects::dialect::Loader;
use fsmsim_runtime::runtime::DialogueRunner;
use fsmsim_syntax::diagnostic::Diagnostics;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::support::{cases, home};

static MACHINE: LazyLock<Arc<Machine>> = LazyLock::new(|| {
    let mut found = Diagnostics::default();
    Arc::new(
        Loader::default()
            .load(
                &home("flows/accounting.yaml"),
                Profile::Documented,
                None,
                &mut found,
            )
            .unwrap(),
    )
});

const SAYS: [&str; 39] = [
    "Покажи остатки по ООО Ромашка на март 2020",
    "Покажи остатки",
    "Покажи продажи",
    "Покажи долги на май 2020",
    "Покажи закупки по ИП Петров",
    "а на март 2020",
    "на тот же период",
    "еще раз по этой дате",
    "а по ООО Василёк",
    "ООО Василёк",
    "выбери позицию Болт М8",
    "открой карточку Гайка",
    "кто поставщик",
    "где купили",
    "кому продали",
    "какие документы",
    "по ней",
    "по этой позиции",
    "а эта кому ушла",
    "документы",
    "вторая строка",
    "кто поставщик по крану",
    "какие документы по договору 12",
    "это много или мало",
    "это мы должны или нам",
    "что из этого важнее",
    "мы это обсуждали?",
    "помнишь, о чем говорили",
    "отправь письмо",
    "что-то совсем другое",
    "Покажи продажи по ООО Торговый дом Ромашка за 2 квартал 2020",
    "Покажи остатки за прошлый месяц",
    "а на прошлую пятницу",
    "Ромашка-2",
    "ООО Ромашка-2",
    "по этой позиции документы",
    "почему ты не знаешь",
    "какие данные есть",
    "спасибо",
];
const OUTCOMES: [&str; 9] = [
    "rows",
    "rows",
    "partial",
    "empty",
    "blocked",
    "error",
    "unsupported",
    "missing_anchor",
    "ambiguous",
];

/// A turn: its utterance, the outcome of the backend, the answers that a recap cites, and whether the session is saved
/// before it.
fn draft() -> impl Strategy<Value = (usize, Option<usize>, Vec<usize>, bool)> {
    (
        0..SAYS.len(),
        prop::option::weighted(0.9, 0..OUTCOMES.len()),
        prop::collection::vec(0usize..40, 0..3),
        prop::bool::weighted(0.1),
    )
}

fn scripted(
    number: usize,
    (say, outcome, cites, saved): &(usize, Option<usize>, Vec<usize>, bool),
) -> ScriptedTurn {
    let cites: Vec<Value> = cites
        .iter()
        .map(|cited| Value::text(&format!("answer-{cited}")))
        .collect();
    let data = vec![(
        Symbol::of("cites", &MACHINE.names.slots),
        Value::List(cites.into_iter().collect()),
    )];
    let given = outcome.map(|outcome| {
        Value::map([
            ("status", Value::text(OUTCOMES[outcome])),
            ("result_set", Value::text(&format!("result-{number}"))),
            ("answer", Value::text(&format!("answer-{number}"))),
            (
                "candidates",
                Value::List([Value::text("ООО Ромашка-2"), Value::text("Ромашка-2")].into()),
            ),
        ])
    });
    ScriptedTurn {
        before: if *saved {
            vec![Operation::Snapshot]
        } else {
            Vec::new()
        },
        input: Input {
            say: Some(SAYS[*say].into()),
            data: TurnData::Given(data),
            ..Input::default()
        },
        answer: None,
        answers: vec![(
            NeedKey::first(NeedKind::Effect(
                MACHINE.names.effects.id("execute").unwrap(),
            )),
            given,
        )],
    }
}

/// The records of a dialogue, each with the complete lists that the dialogue collects. A line of a trace contains only
/// the values that its turn appended.
fn trace(turns: &[ScriptedTurn]) -> Vec<String> {
    let machine = &*MACHINE;
    let mut runner =
        DialogueRunner::new(machine, machine.settings().clone(), Session::new(machine));
    let lines = turns.iter().map(|scripted| {
        let view = runner.play(scripted).view;
        let mut json = JsonLine::default();
        view.write(&mut json);
        let fields = Value::map(
            RecordField::ALL
                .iter()
                .map(|field| (field.name(), field.value(&view))),
        );
        let complete = serde_json::to_string(&fields).unwrap();
        let (mut written, fields): (Json, Json) = (
            serde_json::from_str(&json.into_string()).unwrap(),
            serde_json::from_str(&complete).unwrap(),
        );
        for collected in [
            "/frames/answer_context/answer_refs",
            "/frames/investigation/visited_objects",
        ] {
            let (Some(written), Some(refs)) =
                (written.pointer_mut(collected), fields.pointer(collected))
            else {
                continue;
            };
            let list = refs.as_array().unwrap();
            assert_eq!(written["length"], list.len());
            assert!(
                list.ends_with(written["appended"].as_array().unwrap())
                    && written["appended"][1].is_null(),
                "{written}"
            );
            *written = refs.clone();
        }
        assert_eq!(written.to_string(), complete);
        complete
    });
    lines.collect()
}

/// A field `FRAME.FIELD` of the frames of a record.
fn field<'j>(frames: &'j Json, name: &str) -> &'j Json {
    let (frame, field) = name.split_once('.').unwrap();
    &frames[frame][field]
}

/// The names of the fields that a class and the outcome of its turn set.
fn set_by(class: &TransitionClass, record: &Json) -> Vec<String> {
    let contract = MACHINE.contract().unwrap();
    let status = record["answers"][0]["answer"]["status"]
        .as_str()
        .unwrap_or("error");
    let executed = record["answers"]
        .as_array()
        .is_some_and(|answers| answers.iter().any(|it| it["effect"] == "execute"));
    let outcome = contract.outcome(&MACHINE, status).filter(|_| executed);
    let outcome = outcome.map(|rule| MACHINE.outcomes[rule.outcome].rule);
    let ops = std::iter::once(class.does)
        .chain(outcome)
        .flat_map(|rule| MACHINE.ops(rule));
    ops.filter_map(Op::slot)
        .map(|slot| MACHINE.names.slots.name(slot).to_owned())
        .collect()
}

/// A dialogue turn by turn: the frames before each turn, and its record.
fn walk(drafts: &[(usize, Option<usize>, Vec<usize>, bool)]) -> Vec<(Json, Json)> {
    let turns: Vec<_> = drafts
        .iter()
        .enumerate()
        .map(|(number, draft)| scripted(number, draft))
        .collect();
    let mut before = Json::Object(serde_json::Map::default());
    let steps = trace(&turns).into_iter().map(|line| {
        let record: Json = serde_json::from_str(&line).unwrap();
        let step = (before.clone(), record.clone());
        before = record["frames"].clone();
        step
    });
    steps.collect()
}

/// The class of a record, or nothing if no class matched.
fn class_of(record: &Json) -> Option<&'static TransitionClass> {
    let contract = MACHINE.contract().unwrap();
    contract
        .class(record["contract_class"].as_str().unwrap())
        .map(|(_, class)| class)
}

/// The carryover depth that the coverage gate allows, by the frames before the turn.
fn eligible(before: &Json) -> Depth {
    let name = field(before, "coverage_gate.carryover_eligibility").as_str();
    name.map_or(Depth::FULL, |name| Depth::from_name(name).unwrap())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn forbidden_frame_is_empty_unless_its_class_fills_it(drafts in prop::collection::vec(draft(), 1..40)) {
        for (_, record) in walk(&drafts) {
            let Some(class) = class_of(&record) else { continue };
            let set = set_by(class, &record);
            for frame in class.forbids.iter().filter_map(|frame| MACHINE.frames.lookup(*frame)) {
                for (name, _) in record["frames"][&*frame.name].as_object().into_iter().flatten() {
                    let name = format!("{}.{name}", frame.name);
                    prop_assert!(set.contains(&name), "{} is there after {}", name, record);
                }
            }
        }
    }

    #[test]
    fn carryover_never_exceeds_the_class_and_the_gate(drafts in prop::collection::vec(draft(), 1..40)) {
        for (before, record) in walk(&drafts) {
            let Some(class) = class_of(&record) else { continue };
            let max_depth = class.depth.and(eligible(&before));
            let depth = Depth::from_name(record["carryover"]["depth"].as_str().unwrap()).unwrap();
            let set = set_by(class, &record);
            for frame in &MACHINE.frames {
                prop_assert!(!frame_is(depth, frame) || frame_is(max_depth, frame), "{} is too deep: {}", frame.name, record);
                for (name, _) in record["frames"][&*frame.name].as_object().into_iter().flatten() {
                    let name = format!("{}.{name}", frame.name);
                    let is_carried = max_depth.has(frame.part);
                    prop_assert!(is_carried || set.contains(&name), "{} was carried over: {}", name, record);
                }
            }
        }
    }

    #[test]
    fn preserved_fields_keep_their_values(drafts in prop::collection::vec(draft(), 1..40)) {
        for (before, record) in walk(&drafts) {
            let Some(class) = class_of(&record) else { continue };
            // The only condition under which the contract preserves a field.
            let resumes_the_object = field(&before, "clarification.resume_target_frame") == "selected_object";
            for preserved in class.preserves.iter().filter(|it| it.when.is_none() || resumes_the_object) {
                let (frame, _) = MACHINE.frames.field(preserved.slot).unwrap();
                let name = MACHINE.names.slots.name(preserved.slot);
                let (was, is) = (field(&before, name), field(&record["frames"], name));
                // Only the turn itself can change the field, and only if the class allows it.
                let may_change = preserved.unless.is_some_and(|_| !is.is_null() && utterance_contains(&record, is));
                let held = was == is || may_change || !eligible(&before).has(frame.part);
                prop_assert!(held, "{} was {} before {}", name, was, record);
            }
        }
    }

    #[test]
    fn blocked_gate_never_gives_a_confirmed_answer(drafts in prop::collection::vec(draft(), 1..40)) {
        for (_, record) in walk(&drafts) {
            let frames = &record["frames"];
            let blocked = field(frames, "coverage_gate.coverage_status") == "blocked";
            let confirmed = field(frames, "answer_context.answer_mode") == "confirmed";
            prop_assert!(!(blocked && confirmed), "{}", record);
        }
    }

    #[test]
    fn turn_has_a_class_or_changes_nothing(drafts in prop::collection::vec(draft(), 1..40)) {
        for (before, record) in walk(&drafts) {
            if class_of(&record).is_some() {
                prop_assert_eq!(&record["violations"], &serde_json::json!([]), "{}", record);
                continue;
            }
            prop_assert_eq!(&record["contract_class"], "unclassified");
            prop_assert_eq!(&record["violations"], &serde_json::json!([{"fault": "unclassified"}]));
            prop_assert_eq!(&record["frames"], &before, "{}", record);
            prop_assert_eq!(&record["state"]["from"], &record["state"]["to"]);
            for list in ["added", "changed", "dropped"] {
                prop_assert_eq!(&record["carryover"][list], &serde_json::json!([]), "{}", record);
            }
        }
    }

    #[test]
    fn state_equals_the_mode_in_the_mode_frame(drafts in prop::collection::vec(draft(), 1..40)) {
        for (_, record) in walk(&drafts) {
            let mode = field(&record["frames"], "living_mode.living_mode");
            prop_assert_eq!(mode.as_str().unwrap_or("chat"), record["state"]["to"].as_str().unwrap(), "{}", record);
        }
    }

    #[test]
    fn records_are_deterministic_and_independent_of_saving(drafts in prop::collection::vec(draft(), 1..30)) {
        let turns: Vec<_> = drafts.iter().enumerate().map(|(number, draft)| scripted(number, draft)).collect();
        let unsaved: Vec<_> = turns.iter().map(|turn| ScriptedTurn { before: Vec::new(), ..turn.clone() }).collect();
        let lines = trace(&turns);
        prop_assert_eq!(&lines, &trace(&turns));
        let frames = |lines: Vec<String>| -> Vec<(Json, Json)> {
            let records = lines.iter().map(|line| serde_json::from_str::<Json>(line).unwrap());
            records.map(|record| (record["frames"].clone(), record["contract_class"].clone())).collect()
        };
        prop_assert_eq!(frames(lines), frames(trace(&unsaved)));
    }
}

/// Whether a depth includes the part of a frame. False for frames that are not a part of the carryover.
fn frame_is(depth: Depth, frame: &fsmsim_core::machine::Frame) -> bool {
    frame.part != fsmsim_core::machine::FramePart::None && depth.has(frame.part)
}

/// Whether the utterance of the turn contains the value of a field.
fn utterance_contains(record: &Json, value: &Json) -> bool {
    let say = record["input"]["say"].as_str().unwrap_or_default();
    value.as_str().is_some_and(|value| say.contains(value))
}
