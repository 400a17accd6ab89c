//! Every random turn of the bundled contract gets a class, for any outcome of the backend.

use std::collections::BTreeMap;
use std::fmt::Write;

use fsmsim_adapters::llm::SeededRng;

use crate::support::{Project, turns};

/// Utterances: each kind of turn, with and without the context that it needs.
const SAYS: [&str; 42] = [
    "Покажи остатки по ООО Ромашка на март 2020",
    "Покажи остатки",
    "Покажи долги",
    "Покажи продажи по АО «Завод на Набережной» за 2 квартал 2020",
    "Какие закупки у ИП Петров И. С. за первое полугодие 2021?",
    "Покажи продажи за прошлый месяц",
    "Покажи остатки по ООО Торговый дом Ромашка на 31.13.2020",
    "а на март 2020",
    "а за 3 квартал 2020",
    "на прошлую пятницу",
    "на тот же период",
    "еще раз по этой дате",
    "а по ООО Белый аист",
    "ООО Лютик",
    "Лютик",
    "выбери позицию Болт М8",
    "открой карточку Гайка",
    "кто поставщик",
    "где купили",
    "кому продали",
    "какие документы",
    "по ней",
    "по этой позиции документы",
    "а эта кому ушла",
    "поставщик?",
    "а где это купили",
    "вторая строка",
    "Выбрана позиция: кран",
    "кто поставщик по крану",
    "какие документы по второй строке",
    "это много или мало",
    "это мы должны или нам",
    "что из этого важнее",
    "почему ты не можешь",
    "мы это обсуждали?",
    "отправь письмо",
    "какие организации есть?",
    "Здравствуйте",
    "спасибо",
    "что-то совсем другое",
    "?!",
    "",
];
/// Intents of turns that specify the intent and have no data.
const INTENTS: [&str; 18] = [
    "root_query",
    "scope_shift",
    "select_object",
    "named_object",
    "object_pronoun",
    "object_with_action",
    "object_action",
    "evaluation",
    "answer_interpretation",
    "comparison",
    "boundary_explanation",
    "memory_recap",
    "clarify_answer",
    "unsupported_request",
    "data_scope",
    "small_talk",
    "choice",
    "anything_else",
];
/// Utterances that lead from the root to an object and beyond, so that random dialogues get there.
const PATH_TO_OBJECT: [&str; 5] = [
    "Покажи остатки по ООО Ромашка",
    "выбери позицию Болт М8",
    "кто поставщик",
    "по ней",
    "Покажи продажи",
];
/// The outcome of a backend that has everything that was requested.
const COMPLETE_RESULT: &str = r#"{"status":"rows","result_set":"r","answer":"a","provenance":"p"}"#;
const OUTCOMES: [&str; 10] = [
    r#""rows""#,
    r#"{"status":"partial","result_set":"r","answer":"a"}"#,
    r#""empty""#,
    r#""blocked""#,
    r#""error""#,
    r#""unsupported""#,
    r#"{"status":"missing_anchor","missing":["organization"]}"#,
    r#"{"status":"missing_anchor","missing":["date"]}"#,
    r#"{"status":"ambiguous","candidates":["Лютик","ООО Лютик"]}"#,
    r#"{"status":"ambiguous_scope","scopes":["ООО Лютик","ООО Белый аист"]}"#,
];

/// The number of turns per class in random dialogues, of which `turn` draws each turn.
fn classes(seed: u64, turn: impl Fn(&mut SeededRng) -> String) -> BTreeMap<String, usize> {
    let mut lines = String::new();
    for dialogue in 0..200 {
        let mut rng = SeededRng::of(seed, "random play", dialogue);
        let drawn: Vec<String> = (0..50).map(|_| turn(&mut rng)).collect();
        let _ = writeln!(
            lines,
            r#"{{"id":"{dialogue}","turns":[{}]}}"#,
            drawn.join(",")
        );
    }
    let mut classes = BTreeMap::new();
    let call = ["trace", "flows/accounting.yaml", "--turns", "turns.jsonl"];
    for record in turns(
        &Project::accounting()
            .file("turns.jsonl", lines)
            .fsmsim(call)
            .succeeds(""),
    ) {
        assert!(
            record["contract_class"] == "unclassified"
                || record["violations"] == serde_json::json!([]),
            "{record}"
        );
        *classes
            .entry(record["contract_class"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    classes
}

/// A turn with this key: half the time one of `usual` with a complete result, otherwise anything.
fn turn(key: &str, usual: &[&str], any: &[&str], rng: &mut SeededRng) -> String {
    let (what, outcome) = if rng.below(2) == 0 {
        (one(usual, rng), COMPLETE_RESULT)
    } else {
        (one(any, rng), one(&OUTCOMES, rng))
    };
    format!(r#"{{"{key}":"{what}","outcome":{outcome}}}"#)
}

fn one<'t>(of: &[&'t str], rng: &mut SeededRng) -> &'t str {
    of[rng.below(u32::try_from(of.len()).unwrap()) as usize]
}

const ALL: [&str; 16] = [
    "ASK_AGAIN",
    "ASK_DATE",
    "CHAT",
    "NOTHING_BEFORE",
    "NOT_UNDERSTOOD",
    "SCOPE",
    "T1",
    "T10",
    "T2",
    "T3",
    "T4",
    "T5",
    "T6",
    "T7",
    "T8",
    "T9",
];

#[test]
fn random_utterances_always_get_a_class() {
    let counts = classes(1, |rng| turn("say", &PATH_TO_OBJECT, &SAYS, rng));
    assert_eq!(counts.values().sum::<usize>(), 10_000);
    assert_eq!(counts.keys().collect::<Vec<_>>(), ALL, "{counts:?}");
}

#[test]
fn random_intents_without_data_always_get_a_class() {
    let counts = classes(2, |rng| {
        turn("intent", &["root_query", "select_object"], &INTENTS, rng)
    });
    assert_eq!(counts.values().sum::<usize>(), 10_000);
    assert!(
        counts.len() > 5 && !counts.contains_key("unclassified"),
        "{counts:?}"
    );
}
