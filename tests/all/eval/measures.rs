//! What readings come to: figures that can be counted by hand, and laws that hold for all.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::formats::shop;
use crate::support::{Project, cases};

/// What readers say who read by the first word.
const MOCK: &str = "\
rules:
  - {say: ^agree, answer: {intent: agreement, confidence: 0.9, data: {company_size: 5, city: Rome}}}
  - {say: ^price, answer: {intent: price_question, confidence: 0.6}}
  - {say: ^away, fault: server_error}
";

const SAID: &str = "\
- {say: agree 1, intent: agreement, data: {company_size: '5', city: rome!}, lang: en}
- {say: agree 2, intent: agreement, data: {company_size: 6}, lang: en}
- {say: agree 3, intent: price_question, data: {}, lang: en}
- {say: price 1, intent: price_question, also: [agreement], lang: ru}
- {say: hm, intent: agreement, lang: ru}
- {say: hum, intent: none, lang: ru}
";

fn project() -> Project {
    shop().file("m.yaml", MOCK).file("said.yaml", SAID)
}

fn report(project: &Project, more: &[&str]) -> Value {
    let run = project.fsmsim(["eval", "shop.yaml", "said.yaml", "--format", "json"]).args(more).run();
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"))
}

#[test]
fn figures_that_can_be_counted_by_hand() {
    let project = project();
    let report = report(&project, &["--llm", "mock:m.yaml"]);
    let measures = &report["readers"][0]["measures"];
    assert_eq!((&measures["accuracy"]["part"], &measures["accuracy"]["whole"]), (&json!(4), &json!(6)));
    assert_eq!(measures["read"]["part"], 4);
    let intent =
        |name: &str| measures["intents"].as_array().unwrap().iter().find(|score| score["intent"] == name).unwrap();
    // Read as agreement: three, two of them rightly; three mean it.
    assert_eq!(
        *intent("agreement"),
        json!({"intent": "agreement", "labelled": 3, "read": 3, "right": 2,
        "precision": 0.6667, "recall": 0.6667, "f1": 0.6667})
    );
    assert_eq!(
        (&intent("price_question")["precision"], &intent("price_question")["recall"]),
        (&json!(1.0), &json!(0.5))
    );
    assert_eq!(intent("none")["f1"], 0.6667);
    assert_eq!((&measures["macro_f1"], &measures["weighted_f1"]), (&json!(0.6667), &json!(0.6667)));
    let pairs: Vec<(&Value, &Value)> =
        measures["confused"].as_array().unwrap().iter().map(|pair| (&pair["intent"], &pair["read_as"])).collect();
    assert_eq!(pairs, [(&json!("agreement"), &json!("none")), (&json!("price_question"), &json!("agreement"))]);
    // 5 is "5" and Rome rome; 6 is not 5, and the other city and both of the third are invented.
    let slots = &measures["slots"];
    assert_eq!((&slots["exact"]["part"], &slots["exact"]["whole"]), (&json!(1), &json!(3)));
    let slot = |number: usize| &slots["slots"][number];
    assert_eq!(
        *slot(0),
        json!({"slot": "city", "labelled": 1, "right": 1, "partial": 0, "wrong": 0, "missing": 0, "invented": 2})
    );
    assert_eq!(
        *slot(1),
        json!({"slot": "company_size", "labelled": 2, "right": 1, "partial": 0, "wrong": 1, "missing": 0, "invented": 1})
    );
    assert_eq!(measures["also"], json!({"utterances": 1, "labelled": 1, "found": 0, "invented": 0, "swapped": 0}));
    // 0.9: two of three, 0.6: one of one: (|2.7 - 2| + |0.6 - 1|) / 4.
    assert_eq!(measures["calibration"]["ece"], 0.275);
    let ru = measures["groups"].as_array().unwrap().iter().find(|group| group["name"] == "ru").unwrap();
    assert_eq!((&ru["accuracy"]["part"], &ru["accuracy"]["whole"]), (&json!(2), &json!(3)));
    assert_eq!(measures["latency"], Value::Null);
}

#[test]
fn who_could_not_be_asked_counts_for_nothing() {
    let project = project().file("said.yaml", format!("{SAID}- {{say: away, intent: agreement}}\n"));
    let run =
        project.fsmsim(["eval", "shop.yaml", "said.yaml", "--llm", "mock:m.yaml"]).unavailable("nobody answered", "");
    assert!(run.stdout.contains("4 of 6"), "{run}");
    // Falling short weighs more.
    let short = ["eval", "shop.yaml", "said.yaml", "--llm", "mock:m.yaml", "--require", "accuracy=90%"];
    project.fsmsim(short).fails(1, "", "required accuracy=90%: it is 66.7 %");
}

#[test]
fn what_is_required_is_held_against_what_is_measured() {
    let project = project();
    let eval = |required: &str| {
        project.fsmsim(["eval", "shop.yaml", "said.yaml", "--llm", "mock:m.yaml", "--require", required])
    };
    for required in [
        "accuracy=66%",
        "f1=66",
        "weighted_f1=66%",
        "read=66%",
        "slots=66%",
        "slots_exact=33%",
        "price_question:recall=50%",
        "price_question:precision=100%",
        "agreement:f1=66%",
        "ru:accuracy=66%",
    ] {
        eval(required).succeeds("");
    }
    for required in ["accuracy=67%", "f1=67%", "slots_exact=34%", "price_question:recall=51%", "ru:accuracy=67%"] {
        eval(required).fails(1, "", "required ");
    }
    for (required, why) in [
        ("acuracy=1%", "did you mean accuracy?"),
        ("accuracy", "write KIND=PERCENT, such as accuracy=85%"),
        ("accuracy=101%", "from 0 to 100"),
        ("recall=5%", "of one intent"),
        ("agrement:recall=5%", "did you mean `agreement`?"),
        ("rus:accuracy=5%", "no state, language or tag is called `rus`"),
        ("agreement:read=5%", "of all utterances"),
    ] {
        eval(required).ends(2, "", why);
    }
    let silent = project.file("said.yaml", "- {say: agree, intent: agreement}\n");
    silent.fsmsim(["eval", "shop.yaml", "said.yaml", "--require", "slots=5%"]).ends(2, "", "no label tells any data");
}

#[test]
fn thresholds_are_those_of_the_flow() {
    let constants = "constants: {disambiguation: {thresholds: {high_confidence: 0.55, medium_confidence: 0.5}, gap_threshold: 0.1}}\n";
    let flow = shop().read("shop.yaml");
    let present = |flow: String| {
        let project = project().file("shop.yaml", flow);
        report(&project, &["--llm", "mock:m.yaml", "--max-error", "40"])["readers"][0]["measures"]["thresholds"].clone()
    };
    let own = present(format!("{flow}{constants}"));
    assert_eq!((&own["present"]["high_confidence"], &own["present"]["gap_threshold"]), (&json!(0.55), &json!(0.1)));
    assert_eq!((&own["present"]["executed"], &own["present"]["wrong"]["part"]), (&json!(4), &json!(1)));
    // Nothing changes where the present ones are the best.
    assert_eq!(own["advised"]["high_confidence"], 0.55);
}

#[test]
fn a_phrase_of_the_model_reads_before_anybody_is_asked() {
    let project = Project::new().with_flows().file(
        "said.jsonl",
        "{\"say\": \"my laptop is slow\", \"intent\": \"report\", \"data\": {\"device\": \"laptop\", \"symptom\": \"is slow\"}}\n",
    );
    let eval = |more: &[&str]| {
        let run =
            project.fsmsim(["eval", "flows/it_support.yaml", "said.jsonl", "--format", "json"]).args(more).succeeds("");
        let report: Value = serde_json::from_str(&run).unwrap();
        report["utterances"][0]["readings"][0].clone()
    };
    let read = eval(&[]);
    assert_eq!((&read["by"], &read["data"]), (&json!("phrases"), &json!({"device": "laptop", "symptom": "is slow"})));
    assert_eq!(eval(&["--ask-always"])["by"], "bank");
}

#[test]
fn utterances_are_chosen_by_what_they_are_like_and_by_chance() {
    let project = project();
    let count = |more: &[&str]| report(&project, more)["utterances"].as_array().unwrap().len();
    assert_eq!(count(&["--filter", "lang=ru"]), 3);
    assert_eq!(count(&["--filter", "intent=agree*", "--filter", "intent=none"]), 4);
    assert_eq!(count(&["--filter", "lang=ru", "--filter", "say=~h"]), 2);
    assert_eq!((count(&["--sample", "2"]), count(&["--sample", "99"])), (2, 6));
    assert_eq!(report(&project, &["--sample", "3"]), report(&project, &["--sample", "3"]));
    let eval = |filter: &str| project.fsmsim(["eval", "shop.yaml", "said.yaml", "--filter", filter]);
    eval("lang=de").refuses("no utterance is left");
    eval("land=ru").refuses("did you mean lang?");
    eval("lang").refuses("write KEY=PATTERN");
}

/// What is told of utterances in this order, without their places.
fn told(order: &[usize], jobs: &str) -> (String, Value) {
    let lines: Vec<&str> = SAID.lines().collect();
    let text: String = order.iter().map(|number| format!("{}\n", lines[*number])).collect();
    let project = project().file("said.yaml", text);
    let report = report(&project, &["--llm", "mock:m.yaml", "--jobs", jobs]);
    (report["readers"].to_string(), report)
}

proptest! {
    #![proptest_config(cases(6))]
    #[test]
    fn neither_order_nor_threads_change_anything(order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle()) {
        prop_assert_eq!(told(&order, "3").0, told(&[0, 1, 2, 3, 4, 5], "1").0);
    }
}
