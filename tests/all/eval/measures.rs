//! Measures of recognition quality: values calculated manually, and properties that hold for every input.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::formats::shop;
use crate::support::{Project, cases};

/// A mock that recognizes utterances by their first word.
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
    let run = project
        .fsmsim(["eval", "shop.yaml", "said.yaml", "--format", "json"])
        .args(more)
        .run();
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"))
}

#[test]
fn measures_equal_manually_calculated_values() {
    let project = project();
    let report = report(&project, &["--llm", "mock:m.yaml"]);
    let measures = &report["readers"][0]["measures"];
    assert_eq!(
        (
            &measures["accuracy"]["part"],
            &measures["accuracy"]["whole"]
        ),
        (&json!(4), &json!(6))
    );
    assert_eq!(measures["predicted"]["part"], 4);
    let intent = |name: &str| {
        measures["intents"]
            .as_array()
            .unwrap()
            .iter()
            .find(|score| score["intent"] == name)
            .unwrap()
    };
    // Three are classified as `agreement`, two of them correctly; the label of three is `agreement`.
    assert_eq!(
        *intent("agreement"),
        json!({"intent": "agreement", "support": 3, "predicted": 3, "correct": 2,
        "precision": 0.6667, "recall": 0.6667, "f1": 0.6667})
    );
    assert_eq!(
        (
            &intent("price_question")["precision"],
            &intent("price_question")["recall"]
        ),
        (&json!(1.0), &json!(0.5))
    );
    assert_eq!(intent("none")["f1"], 0.6667);
    assert_eq!(
        (&measures["macro_f1"], &measures["weighted_f1"]),
        (&json!(0.6667), &json!(0.6667))
    );
    let pairs: Vec<(&Value, &Value)> = measures["confused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (&pair["intent"], &pair["predicted"]))
        .collect();
    assert_eq!(
        pairs,
        [
            (&json!("agreement"), &json!("none")),
            (&json!("price_question"), &json!("agreement"))
        ]
    );
    // 5 equals "5" and Rome equals rome. 6 differs from 5.
    // The `city` of the second utterance and both slots of the third are spurious.
    let slots = &measures["slots"];
    assert_eq!(
        (&slots["exact"]["part"], &slots["exact"]["whole"]),
        (&json!(1), &json!(3))
    );
    let slot = |number: usize| &slots["slots"][number];
    assert_eq!(
        *slot(0),
        json!({"slot": "city", "support": 1, "correct": 1, "partial": 0, "incorrect": 0, "missing": 0, "spurious": 2})
    );
    assert_eq!(
        *slot(1),
        json!({"slot": "company_size", "support": 2, "correct": 1, "partial": 0, "incorrect": 1, "missing": 0, "spurious": 1})
    );
    assert_eq!(
        measures["also"],
        json!({"utterances": 1, "support": 1, "found": 0, "spurious": 0, "swapped": 0})
    );
    // Confidence 0.9: two of three correct; 0.6: one of one. (|2.7 - 2| + |0.6 - 1|) / 4.
    assert_eq!(measures["calibration"]["ece"], 0.275);
    let ru = measures["groups"]
        .as_array()
        .unwrap()
        .iter()
        .find(|group| group["name"] == "ru")
        .unwrap();
    assert_eq!(
        (&ru["accuracy"]["part"], &ru["accuracy"]["whole"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(measures["latency"], Value::Null);
}

#[test]
fn unanswered_utterance_is_not_counted() {
    let project = project().file(
        "said.yaml",
        format!("{SAID}- {{say: away, intent: agreement}}\n"),
    );
    let run = project
        .fsmsim(["eval", "shop.yaml", "said.yaml", "--llm", "mock:m.yaml"])
        .unavailable("no answer", "");
    assert!(run.stdout.contains("4 of 6"), "{run}");
    // A measure below its threshold (exit code 1) takes precedence over an unavailable provider (3).
    let short = [
        "eval",
        "shop.yaml",
        "said.yaml",
        "--llm",
        "mock:m.yaml",
        "--require",
        "accuracy=90%",
    ];
    project
        .fsmsim(short)
        .fails(1, "", "required accuracy=90%, measured 66.7 %");
}

#[test]
fn required_values_are_compared_with_measured_values() {
    let project = project();
    let eval = |required: &str| {
        project.fsmsim([
            "eval",
            "shop.yaml",
            "said.yaml",
            "--llm",
            "mock:m.yaml",
            "--require",
            required,
        ])
    };
    for required in [
        "accuracy=66%",
        "f1=66",
        "weighted_f1=66%",
        "predicted=66%",
        "slots=66%",
        "slots_exact=33%",
        "price_question:recall=50%",
        "price_question:precision=100%",
        "agreement:f1=66%",
        "ru:accuracy=66%",
    ] {
        eval(required).succeeds("");
    }
    for required in [
        "accuracy=67%",
        "f1=67%",
        "slots_exact=34%",
        "price_question:recall=51%",
        "ru:accuracy=67%",
    ] {
        eval(required).fails(1, "", "required ");
    }
    for (required, why) in [
        ("acuracy=1%", "exists: `accuracy`"),
        (
            "accuracy",
            "expected KIND=PERCENT, for example accuracy=85%",
        ),
        ("accuracy=101%", "from 0 to 100"),
        ("recall=5%", "per intent"),
        ("agrement:recall=5%", "exists: `agreement`"),
        ("rus:accuracy=5%", "unknown state, language or tag `rus`"),
        ("agreement:predicted=5%", "over all utterances"),
    ] {
        eval(required).ends(2, "", why);
    }
    // Precision is undefined if no utterance is classified as the intent.
    project.write(
        "quiet.yaml",
        "rules: [{answer: {intent: price_question}}]\n",
    );
    let quiet = [
        "eval",
        "shop.yaml",
        "said.yaml",
        "--llm",
        "mock:quiet.yaml",
        "--require",
        "agreement:precision=100%",
    ];
    project.fsmsim(quiet).fails(
        1,
        "",
        "required agreement:precision=100%, measured no value",
    );
    // A group can be required even if it is the only one of its kind, and no table shows it.
    let only = project.file("said.yaml", "- {say: agree, intent: agreement, lang: ru}\n");
    let arguments = |required: &'static str| {
        [
            "eval",
            "shop.yaml",
            "said.yaml",
            "--llm",
            "mock:m.yaml",
            "--require",
            required,
        ]
    };
    only.fsmsim(arguments("ru:accuracy=100%")).succeeds("");
    only.fsmsim(arguments("greeting:accuracy=100%"))
        .succeeds("");
    only.fsmsim(arguments("rus:accuracy=100%"))
        .ends(2, "", "exists: `ru`");
    let only = only
        .fsmsim(["eval", "shop.yaml", "said.yaml", "--against", "nosuch.json"])
        .ends(2, "", "")
        .shown();
    assert!(
        only.contains("nosuch.json") && !only.contains("--llm"),
        "{only}"
    );
    let without_data = self::project().file("said.yaml", "- {say: agree, intent: agreement}\n");
    without_data
        .fsmsim(["eval", "shop.yaml", "said.yaml", "--require", "slots=5%"])
        .ends(2, "", "no utterance is labeled with slots");
}

#[test]
fn current_thresholds_come_from_the_flow() {
    let constants = "constants: {disambiguation: {thresholds: {high_confidence: 0.55, medium_confidence: 0.5}, gap_threshold: 0.1}}\n";
    let flow = shop().read("shop.yaml");
    let present = |flow: String| {
        let project = project().file("shop.yaml", flow);
        report(&project, &["--llm", "mock:m.yaml", "--max-error", "40"])["readers"][0]["measures"]["thresholds"].clone()
    };
    let own = present(format!("{flow}{constants}"));
    assert_eq!(
        (
            &own["present"]["high_confidence"],
            &own["present"]["gap_threshold"]
        ),
        (&json!(0.55), &json!(0.1))
    );
    assert_eq!(
        (
            &own["present"]["executed"],
            &own["present"]["incorrect"]["part"]
        ),
        (&json!(4), &json!(1))
    );
    // The suggested thresholds equal the current ones if those are the best.
    assert_eq!(own["advised"]["high_confidence"], 0.55);
}

#[test]
fn thresholds_that_satisfy_max_error_are_found() {
    // The current thresholds are between hundredths. They accept one of two interpretations, the correct one.
    let constants = "constants: {disambiguation: {thresholds: {high_confidence: 0.97, medium_confidence: 0.97, min_confidence: 0.1}, gap_threshold: 0.123}}\n";
    let flow = shop().read("shop.yaml");
    let mock = "rules: [{say: ^good, answer: {intent: agreement, confidence: 0.98}}, {say: ^bad, answer: {intent: agreement, confidence: 0.96}}]\n";
    let said = "- {say: good, intent: agreement}\n- {say: bad 1, intent: none}\n- {say: bad 2, intent: none}\n";
    let project = shop()
        .file("shop.yaml", format!("{flow}{constants}"))
        .file("m.yaml", mock)
        .file("said.yaml", said);
    let report = report(&project, &["--llm", "mock:m.yaml", "--max-error", "5"]);
    let advice = &report["readers"][0]["measures"]["thresholds"];
    assert_eq!(
        (
            &advice["present"]["executed"],
            &advice["present"]["incorrect"]["part"]
        ),
        (&json!(1), &json!(0))
    );
    assert_eq!(
        (
            &advice["advised"]["executed"],
            &advice["advised"]["high_confidence"]
        ),
        (&json!(1), &json!(0.97))
    );
    // Without current thresholds, a confidence that occurs is suggested.
    let project = project.file("shop.yaml", flow);
    let text = project
        .fsmsim(["eval", "shop.yaml", "said.yaml", "--llm", "mock:m.yaml"])
        .succeeds("suggested");
    assert!(!text.contains("no thresholds keep"), "{text}");
}

/// The report for a mock with these rules and this dataset. `more` is appended to the flow.
fn evaluate(more: &str, rules: &str, said: &str) -> Value {
    let flow = shop().read("shop.yaml");
    let project = shop()
        .file("shop.yaml", format!("{flow}{more}"))
        .file("m.yaml", rules)
        .file("said.yaml", said);
    report(&project, &["--llm", "mock:m.yaml"])
}

#[test]
fn unclear_from_the_recognizer_counts_as_none() {
    let rules = "rules: [{say: ^borsch, answer: {intent: unclear, confidence: 0.9}}, {say: ^near, answer: {intent: agreement, confidence: 0.1}}, {answer: {intent: agreement, confidence: 0.9}}]\n";
    let said = "- {say: borsch, intent: none}\n- {say: borsch 2, intent: unclear}\n- {say: borsch 3, intent: agreement}\n- {say: yes, intent: agreement}\n";
    // The flow defines `unclear`, and the prompt asks for it if no intent fits.
    let unclear = "  unclear: {description: Not clear}\n";
    let report = evaluate(unclear, rules, said);
    let measures = &report["readers"][0]["measures"];
    assert_eq!(
        (
            &measures["accuracy"]["part"],
            &measures["predicted"]["part"]
        ),
        (&json!(3), &json!(3)),
        "{report:#}"
    );
    let first = &report["utterances"][0]["readings"][0];
    assert_eq!(
        (&first["intent"], &first["fits_nothing"]),
        (&json!("unclear"), &json!(true))
    );
    assert_eq!(
        report["utterances"][1]["readings"][0]["fits_nothing"],
        Value::Null
    );
    assert_eq!(measures["confused"][0]["predicted"], "unclear");
}

#[test]
fn very_low_confidence_counts_as_none() {
    let contract = "\
kind: contract
modes: [chat, list]
frames: {root: {carried: root, fields: {topic: text}}}
intents:
  agreement: {examples: [yes please]}
  refusal: {examples: [no thanks]}
classes:
  YES: {owner: root, intent: [agreement, refusal], requires: nothing, carryover: full, sets: {}, forbids: [], answers: [], mode: list}
";
    let project = Project::new()
        .file("talk.yaml", contract)
        .file("m.yaml", "rules: [{say: ^near, answer: {intent: agreement, confidence: 0.1}}, {say: ^far, answer: {intent: agreement, confidence: 0.11}}]\n")
        .file("said.yaml", "- {say: near, intent: none}\n- {say: far, intent: none}\n- {say: near 2, intent: agreement}\n");
    let run = project
        .fsmsim([
            "eval",
            "talk.yaml",
            "said.yaml",
            "--llm",
            "mock:m.yaml",
            "--format",
            "json",
        ])
        .run();
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"));
    assert_eq!(
        report["readers"][0]["measures"]["accuracy"]["part"], 1,
        "{report:#}"
    );
    assert_eq!(report["utterances"][0]["readings"][0]["fits_nothing"], true);
    // Calibration still counts an interpretation with such a low confidence as correct.
    assert_eq!(
        report["readers"][0]["measures"]["calibration"]["bins"][0]["accuracy"]["part"],
        1
    );
}

#[test]
fn values_with_other_punctuation_or_negation_differ() {
    let rules = "rules: [{say: ^a, answer: {intent: agreement, data: {city: 25 млн}}}, {say: ^b, answer: {intent: agreement, data: {city: 1 000 rubles}}}, {say: ^c, answer: {intent: agreement, data: {city: работает}}}]\n";
    let said = "- {say: a, intent: agreement, data: {city: '2,5 млн'}}\n- {say: b, intent: agreement, data: {city: '1,000 Rubles.'}}\n- {say: c, intent: agreement, data: {city: не работает}}\n";
    let report = evaluate("", rules, said);
    let slot = &report["readers"][0]["measures"]["slots"]["slots"][0];
    assert_eq!(
        (&slot["correct"], &slot["partial"], &slot["incorrect"]),
        (&json!(1), &json!(0), &json!(2)),
        "{report:#}"
    );
}

#[test]
fn phrases_of_the_model_are_read_before_the_recognizer() {
    let project = Project::new().with_flows().file(
        "said.jsonl",
        "{\"say\": \"my laptop is slow\", \"intent\": \"report\", \"data\": {\"device\": \"laptop\", \"symptom\": \"is slow\"}}\n",
    );
    let eval = |more: &[&str]| {
        let run = project
            .fsmsim([
                "eval",
                "flows/it_support.yaml",
                "said.jsonl",
                "--format",
                "json",
            ])
            .args(more)
            .succeeds("");
        let report: Value = serde_json::from_str(&run).unwrap();
        report["utterances"][0]["readings"][0].clone()
    };
    let read = eval(&[]);
    assert_eq!(
        (&read["by"], &read["data"]),
        (
            &json!("phrases"),
            &json!({"device": "laptop", "symptom": "is slow"})
        )
    );
    assert_eq!(eval(&["--ignore-phrases"])["by"], "examples");
}

#[test]
fn utterances_are_selected_by_filter_and_by_sample() {
    let project = project();
    let count = |more: &[&str]| {
        report(&project, more)["utterances"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(count(&["--filter", "lang=ru"]), 3);
    assert_eq!(
        count(&["--filter", "intent=agree*", "--filter", "intent=none"]),
        4
    );
    assert_eq!(count(&["--filter", "lang=ru", "--filter", "say=~h"]), 2);
    assert_eq!(
        (count(&["--sample", "2"]), count(&["--sample", "99"])),
        (2, 6)
    );
    assert_eq!(
        report(&project, &["--sample", "3"]),
        report(&project, &["--sample", "3"])
    );
    let eval =
        |filter: &str| project.fsmsim(["eval", "shop.yaml", "said.yaml", "--filter", filter]);
    eval("lang=de").refuses("no utterance matches");
    eval("land=ru").refuses("exists: `lang`");
    eval("lang").refuses("expected KEY=PATTERN");
}

/// The measures for the utterances in this order (they contain no locations), and the complete report.
fn report_in_order(order: &[usize], jobs: &str) -> (String, Value) {
    let lines: Vec<&str> = SAID.lines().collect();
    let text: String = order
        .iter()
        .map(|number| format!("{}\n", lines[*number]))
        .collect();
    let project = project().file("said.yaml", text);
    let report = report(&project, &["--llm", "mock:m.yaml", "--jobs", jobs]);
    (report["readers"].to_string(), report)
}

proptest! {
    #![proptest_config(cases(6))]
    #[test]
    fn measures_do_not_depend_on_order_or_threads(order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle()) {
        prop_assert_eq!(report_in_order(&order, "3").0, report_in_order(&[0, 1, 2, 3, 4, 5], "1").0);
    }
}
