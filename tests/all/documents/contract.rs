//! The trigger phrases and the state objects of the document of transition contracts.

use std::fmt::Write;

use serde_json::Value;

use super::document;
use crate::support::{Project, tries_everything, turns};

/// The trigger phrases of the document, each with its class.
const TRIGGERS: [(&str, &str); 15] = [
    ("T2", "а на март 2020"),
    ("T2", "на тот же период"),
    ("T2", "еще раз по этой дате"),
    ("T4", "кто поставщик"),
    ("T4", "где купили"),
    ("T4", "кому продали"),
    ("T4", "какие документы"),
    ("T5", "по ней"),
    ("T5", "по этой позиции"),
    ("T5", "а эта кому ушла"),
    ("T8", "это много или мало"),
    ("T8", "это мы должны или нам"),
    ("T8", "что из этого важнее"),
    ("T9", "мы это обсуждали?"),
    ("T9", "помнишь, о чем говорили"),
];
/// Phrases for the classes that the document describes without phrases.
const ROOT: &str = "Покажи остатки по ООО Ромашка на март 2020";
const PIVOT: &str = "Покажи продажи";
const OTHERS: [(&str, &str); 12] = [
    ("T1", ROOT),
    ("T2", "за тот же период по ООО Лютик"),
    ("T6", PIVOT),
    ("T3", "Выбрана позиция: кран"),
    ("T3", "вторая строка"),
    ("T3", "покажи Гайка М8"),
    ("T3", "кто поставщик по крану"),
    ("T4", "поставщик?"),
    ("T4", "а где это купили"),
    ("T4", "кто поставщик у неё"),
    ("T5", "документы по той позиции"),
    ("NOT_UNDERSTOOD", "трям"),
];

/// The requirements of the document for a class.
#[derive(Clone, Default)]
struct Context {
    has_object: bool,
    /// Whether a route of the object was executed.
    has_object_route: bool,
    is_about_sales: bool,
}

impl Context {
    /// The class of a phrase. `None` if the document does not allow the phrase here.
    fn say(&mut self, class: &'static str, phrase: &str) -> Option<&'static str> {
        let names_action = ["а эта кому ушла", "документы по той позиции"].contains(&phrase);
        let is_allowed = match class {
            "T4" => self.has_object,
            "T5" => self.has_object && (self.has_object_route || names_action),
            _ => true,
        };
        let is_pivot = self.has_object && !self.is_about_sales;
        match class {
            "T1" | "T2" | "T6" => {
                (self.has_object, self.has_object_route) = (false, false);
                if class != "T2" {
                    self.is_about_sales = class == "T6";
                }
            }
            "T3" => {
                self.has_object = true;
                self.has_object_route = phrase.starts_with("кто");
            }
            "T4" | "T5" => self.has_object_route = true,
            _ => {}
        }
        let class = if class == "T6" && !is_pivot {
            "T1"
        } else {
            class
        };
        is_allowed.then_some(class)
    }
}

/// All sequences of `length` phrases that the document allows after a root query and the selection of an object, each
/// phrase with its class.
fn sequences(length: usize) -> Vec<Vec<(&'static str, &'static str)>> {
    let begin = vec![("T1", ROOT), ("T3", "выбери позицию Болт М8")];
    let mut all = vec![(
        begin,
        Context {
            has_object: true,
            ..Context::default()
        },
    )];
    for _ in 0..length {
        let mut longer = Vec::new();
        for (before, context) in &all {
            for (class, phrase) in TRIGGERS.into_iter().chain(OTHERS) {
                let mut context = context.clone();
                if let Some(class) = context.say(class, phrase) {
                    longer.push(([&before[..], &[(class, phrase)]].concat(), context));
                }
            }
        }
        all = longer;
    }
    all.into_iter().map(|(phrases, _)| phrases).collect()
}

#[test]
fn phrases_play_in_every_order_that_the_document_allows() {
    let all = sequences(if tries_everything() { 3 } else { 2 });
    let mut lines = String::new();
    for (number, phrases) in all.iter().enumerate() {
        let turns = phrases.iter().map(|(_, phrase)| {
            serde_json::json!({
                "say": phrase,
                "outcome": {"status": "rows", "result_set": "r", "answer": "a", "provenance": "p", "items": ["Гайка М8"]},
            })
        });
        let turns: Vec<Value> = turns.collect();
        let _ = writeln!(
            lines,
            "{}",
            serde_json::json!({"id": number.to_string(), "turns": turns})
        );
    }
    let project = Project::accounting().file("turns.jsonl", lines);
    let trace = project
        .fsmsim(["trace", "flows/accounting.yaml", "--turns", "turns.jsonl"])
        .succeeds("");
    let records = turns(&trace);
    let expected: Vec<_> = all.iter().flatten().collect();
    assert_eq!(records.len(), expected.len());
    for (record, (class, phrase)) in records.iter().zip(expected) {
        assert_eq!(record["contract_class"], *class, "{phrase}: {record}");
        assert_eq!(record["violations"], serde_json::json!([]), "{record}");
    }
}

/// The records of a dialogue with the contract.
fn play(inputs: &Value) -> Vec<Value> {
    let line = serde_json::json!({"id": "d", "start": {"backend": "fixtures/backends/accounting.yaml"}, "turns": inputs});
    let project = Project::accounting().file("turns.jsonl", line.to_string());
    let trace = ["trace", "flows/accounting.yaml", "--turns", "turns.jsonl"];
    turns(&project.fsmsim(trace).succeeds(""))
}

/// The classes of turns.
fn classes(turns: &[Value]) -> Vec<&str> {
    turns
        .iter()
        .map(|turn| turn["contract_class"].as_str().unwrap())
        .collect()
}

#[test]
fn open_question_waits_until_its_object_is_there() {
    let turns = play(&serde_json::json!([
        {"say": ROOT},
        {"say": "выбери позицию Болт М8"},
        {"say": "кто поставщик", "outcome": {"status": "missing_anchor", "missing": ["date"]}},
        {"say": "апрель 2020", "outcome": "blocked"},
        {"say": "апрель 2020"},
        {"say": "выбери позицию Болт М8"},
        {"say": "март 2020"},
    ]));
    let expected = ["T1", "T3", "T10", "T10", "NOTHING_BEFORE", "T3", "T7"];
    assert_eq!(classes(&turns), expected);
    assert_eq!(turns[4]["effects"], serde_json::json!([]));
    let lacks = serde_json::json!([{"class": "T7", "what": "selected_object.focus_object_ref", "withdrawn": true}]);
    assert_eq!(turns[4]["events"][0]["lacks"], lacks);
    let object = &turns[6]["frames"]["selected_object"];
    assert_eq!(object["focus_object_ref"], "Болт М8");
    assert_eq!(
        turns[6]["frames"]["root"]["root_result_set_id"],
        "остатки-1"
    );
}

#[test]
fn result_set_belongs_to_the_date_it_was_made_for() {
    let turns = play(&serde_json::json!([
        {"say": ROOT},
        {"say": "выбери позицию Болт М8"},
        {"say": "кто поставщик", "outcome": {"status": "missing_anchor", "missing": ["date"]}},
        {"say": "апрель 2020"},
        {"say": "выбери позицию Гайка М8"},
        {"say": "а на апрель 2020"},
        {"say": "выбери позицию Гайка М8"},
    ]));
    let expected = ["T1", "T3", "T10", "T7", "NOTHING_BEFORE", "T2", "T3"];
    assert_eq!(classes(&turns), expected);
    let root = &turns[3]["frames"]["root"];
    assert_eq!(root["date_scope"], "апрель 2020");
    assert!(root["root_result_set_id"].is_null(), "{root}");
    let object = &turns[6]["frames"]["selected_object"];
    assert_eq!(object["source_result_set_id"], "остатки-6");
    assert_eq!(object["temporal_ceiling"], "апрель 2020");
}

#[test]
fn full_name_of_a_shown_item_selects_it() {
    let items = serde_json::json!({"status": "rows", "result_set": "r", "answer": "a", "items": ["Болт М8", "Гайка М8"]});
    let turns = play(&serde_json::json!([
        {"say": ROOT, "outcome": items},
        {"say": "Болт М8"},
        {"say": "покажи Гайка М8"},
        {"say": "Болт"},
        {"say": "Труба 20"},
    ]));
    let expected = ["T1", "T3", "T3", "NOT_UNDERSTOOD", "NOT_UNDERSTOOD"];
    assert_eq!(classes(&turns), expected);
    let object = |turn: usize| &turns[turn]["frames"]["selected_object"]["focus_object_ref"];
    assert_eq!(
        [object(1), object(2), object(4)],
        ["Болт М8", "Гайка М8", "Гайка М8"]
    );
}

#[test]
fn same_period_takes_the_named_organization_and_measure() {
    for (phrase, class, domain, organization) in [
        ("за тот же период", "T2", "остатки", "ООО Ромашка"),
        (
            "на тот же период по ООО Лютик",
            "T2",
            "остатки",
            "ООО Лютик",
        ),
        (
            "еще раз по этой дате по ООО Лютик",
            "T2",
            "остатки",
            "ООО Лютик",
        ),
        ("а продажи на тот же период", "T1", "продажи", "ООО Ромашка"),
        (
            "Покажи продажи на тот же период по ООО Лютик",
            "T1",
            "продажи",
            "ООО Лютик",
        ),
    ] {
        let turns = play(&serde_json::json!([{"say": ROOT}, {"say": phrase}]));
        assert_eq!(classes(&turns), ["T1", class], "{phrase}");
        let root = &turns[1]["frames"]["root"];
        assert_eq!(root["domain_id"], domain, "{phrase}");
        assert_eq!(root["organization_scope"], organization, "{phrase}");
        assert_eq!(root["date_scope"], "март 2020", "{phrase}");
    }
}

#[test]
fn pronoun_is_the_selected_object_of_the_named_action() {
    for (phrase, class, route) in [
        ("кто поставщик у него", "T4", "кто поставщик"),
        ("где купили у нее", "T4", "где купили"),
        ("документы по ней", "T5", "документы"),
        ("документы по той позиции", "T5", "документы"),
        ("сколько по ней продали", "T5", "продали"),
    ] {
        let turns = play(&serde_json::json!([
            {"say": ROOT},
            {"say": "выбери позицию Болт М8"},
            {"say": "кто поставщик"},
            {"say": phrase},
        ]));
        assert_eq!(classes(&turns)[3], class, "{phrase}");
        let frames = &turns[3]["frames"];
        assert_eq!(frames["selected_object"]["focus_object_ref"], "Болт М8");
        assert_eq!(frames["address_navigation"]["route"], route, "{phrase}");
    }
}

#[test]
fn request_without_a_route_keeps_the_object() {
    let turns = play(&serde_json::json!([
        {"say": ROOT},
        {"say": "выбери позицию Болт М8"},
        {"say": "какая сегодня погода"},
        {"say": "кто поставщик"},
    ]));
    assert_eq!(classes(&turns), ["T1", "T3", "T10", "T4"]);
}

#[test]
fn unlikely_guess_is_shown_under_the_fallback_intent() {
    let turns = play(&serde_json::json!([{"say": "спой что-нибудь"}]));
    let answer = &turns[0]["answers"][0];
    assert_eq!(answer["disposition"], "fallback");
    assert_eq!(answer["intent"], "anything_else");
    assert!(answer["answer"]["confidence"].as_f64().unwrap() < 0.5);
    let guess = answer["answer"]["intent"].as_str().unwrap();
    Project::accounting()
        .fsmsim(["run", "flows/accounting.yaml"])
        .stdin("спой что-нибудь\n")
        .succeeds(&format!(
            "recognized as anything_else (nothing is likely: {guess} "
        ));
}

/// The list below `label` in the section with this heading.
fn list<'t>(text: &'t str, heading: &str, label: &str) -> Vec<&'t str> {
    let section = text.split_once(&format!("\n{heading}\n")).unwrap().1;
    let list = section.split_once(&format!("\n{label}\n")).unwrap().1;
    let lines = list.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map_while(|line| line.strip_prefix("• "))
        .collect::<Vec<_>>()
}

#[test]
fn phrases_are_those_of_the_document() {
    let Some(text) = document("T1. Root Query Entry") else {
        return;
    };
    let mut found = Vec::new();
    for number in 1..=10 {
        let class = format!("T{number}");
        let heading = text
            .lines()
            .find(|line| line.starts_with(&format!("{class}. ")))
            .unwrap();
        let phrases = list(&text, heading, "Trigger:").into_iter();
        let is_russian = |phrase: &&str| phrase.chars().any(|c| ('а'..='я').contains(&c));
        found.extend(
            phrases
                .filter(is_russian)
                .map(|phrase| (class.clone(), phrase)),
        );
    }
    let expected = TRIGGERS.map(|(class, phrase)| (class.to_owned(), phrase));
    assert_eq!(found, expected);
}

#[test]
fn printed_frames_have_the_fields_and_values_of_the_document() {
    let schema = Project::accounting()
        .fsmsim(["schema", "flows/accounting.yaml"])
        .succeeds("");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let class = &schema["x-classes"]["T4"];
    assert_eq!(class["owner"], "selected_object");
    assert_eq!(class["carryover"], "full");
    assert_eq!(
        class["requires"]["frame"],
        "selected_object.focus_object_ref"
    );
    for number in 1..=10 {
        for invariant in ["requires", "carryover", "sets", "forbids", "answers"] {
            assert!(!schema["x-classes"][format!("T{number}")][invariant].is_null());
        }
    }
    let Some(text) = document("T1. Root Query Entry") else {
        return;
    };
    for (heading, frame) in [
        ("2. Living Mode State", "living_mode"),
        ("3. Root Frame State", "root"),
        ("4. Selected Object Frame State", "selected_object"),
        ("5. Meta Frame State", "meta"),
        ("6. Clarification State", "clarification"),
        ("7. Coverage Gate State", "coverage_gate"),
    ] {
        for field in list(&text, heading, "Fields:") {
            let fields = &schema["properties"][frame]["properties"];
            assert!(!fields[field].is_null(), "{frame}.{field}");
        }
    }
    let values = |frame: &str, field: &str| {
        let field = &schema["properties"][frame]["properties"][field]["enum"];
        let values = field.as_array().unwrap().iter();
        let mut values: Vec<String> = values
            .map(|value| value.as_str().unwrap().to_owned())
            .collect();
        values.sort();
        values
    };
    let sorted = |mut words: Vec<&str>| {
        words.sort_unstable();
        words.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let modes = list(&text, "2. Living Mode State", "Allowed values:");
    assert_eq!(values("living_mode", "living_mode"), sorted(modes));
    let kinds = list(&text, "5. Meta Frame State", "Allowed meta classes:");
    assert_eq!(values("meta", "meta_question_kind"), sorted(kinds));
    for line in list(&text, "7. Coverage Gate State", "Allowed values:") {
        let (field, words) = line.split_once(": ").unwrap();
        let words = words.split(", ").collect();
        assert_eq!(values("coverage_gate", field), sorted(words));
    }
}

#[test]
fn failed_question_leads_to_the_mode_of_data() {
    let down = serde_json::json!({"status": "error"});
    let scopes =
        serde_json::json!({"status": "ambiguous_scope", "scopes": ["ООО Ромашка", "ООО Лютик"]});
    let object = "выбери позицию Болт М8";
    let documents = "какие документы";
    // The utterances before, the utterance, what the backend returns, and the mode.
    let cases = [
        (vec![], ROOT, down.clone(), "address_data"),
        (vec![], "какая погода", Value::Null, "address_data"),
        (
            vec![ROOT, "это много или мало"],
            ROOT,
            down.clone(),
            "address_data",
        ),
        (
            vec![ROOT, object, "Спасибо"],
            documents,
            down.clone(),
            "address_data",
        ),
        (
            vec![ROOT, object, "Какие у тебя есть данные"],
            documents,
            down,
            "address_data",
        ),
        (vec![ROOT, object], "кто поставщик", scopes, "clarification"),
    ];
    for (before, say, outcome, mode) in cases {
        let mut inputs: Vec<Value> = before
            .iter()
            .map(|say| serde_json::json!({"say": say}))
            .collect();
        let mut input = serde_json::json!({"say": say});
        if !outcome.is_null() {
            input["outcome"] = outcome;
        }
        inputs.push(input);
        let turns = play(&Value::from(inputs));
        let last = turns.last().unwrap();
        assert_eq!(last["contract_class"], "T10", "{last}");
        assert_eq!(last["state"]["to"], mode, "{last}");
        assert_eq!(last["frames"]["living_mode"]["living_mode"], mode, "{last}");
        assert_eq!(last["violations"], serde_json::json!([]), "{last}");
    }
}
