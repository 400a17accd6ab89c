//! External interpretations with low confidence: accepted, confirmed, disambiguated or rejected.

use serde_json::{Value, json};

use crate::support::{Invocation, Project};

const FLOW: &str = "\
flow: {name: shop, policy: sales}
slots: {name: {}}
states:
  greeting:
    transitions: {agreement: hall, price_question: till}
    rules: {unclear: ask_again, greeting: greet_back}
  hall: {rules: {unclear: ask_again}}
  till: {rules: {unclear: ask_again}}
";

/// Traces dialogues in which each turn has an utterance. A turn is given by its scripted answer.
fn run(flow: &str, dialogues: &[&[&str]]) -> Invocation {
    let documents: Vec<String> = dialogues
        .iter()
        .enumerate()
        .map(|(number, turns)| {
            let turns: String = turns
                .iter()
                .map(|answer| format!("  - {{say: words, answer: {answer}}}\n"))
                .collect();
            format!(
                "scenario: Dialogue {number}\nmodel: shop.yaml\nllm: nobody.yaml\nturns:\n{turns}"
            )
        })
        .collect();
    Project::new()
        .file("shop.yaml", flow)
        .file("nobody.yaml", "rules: []\n")
        .file("a.yaml", documents.join("---\n"))
        .fsmsim(["trace", "a.yaml"])
}

fn traced(flow: &str, dialogues: &[&[&str]]) -> Vec<Value> {
    let stdout = run(flow, dialogues).succeeds("");
    let lines = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line.get("turn").is_some()).collect()
}

/// The disposition of the only turn of each dialogue.
fn dispositions(flow: &str, readings: &[&str]) -> Vec<String> {
    let dialogues: Vec<[&str; 1]> = readings.iter().map(|reading| [*reading]).collect();
    let dialogues: Vec<&[&str]> = dialogues.iter().map(<[&str; 1]>::as_slice).collect();
    traced(flow, &dialogues)
        .iter()
        .map(|turn| {
            turn["answers"][0]["disposition"]
                .as_str()
                .unwrap_or("as it is")
                .to_owned()
        })
        .collect()
}

/// The options of the clarification question.
fn options(turn: &Value) -> Vec<&str> {
    let options = turn["answers"][0]["options"].as_array();
    options
        .into_iter()
        .flatten()
        .map(|option| option["intent"].as_str().unwrap())
        .collect()
}

fn reading(confidence: f64, next: Option<f64>) -> String {
    let next = next.map_or(String::new(), |next| {
        format!("{{intent: price_question, confidence: {next}}}")
    });
    format!("{{intent: agreement, confidence: {confidence}, alternatives: [{next}]}}")
}

#[test]
fn confidence_and_gap_decide_the_disposition() {
    let table = [
        (0.95, Some(0.94), "execute"), // high enough to ignore the gap
        (0.94, Some(0.75), "confirm"),
        (0.94, Some(0.74), "execute"),
        (0.85, Some(0.65), "execute"), // 0.20, but slightly less as floats
        (0.85, Some(0.66), "confirm"),
        (0.65, Some(0.45), "execute"),
        (0.65, Some(0.46), "confirm"),
        (0.65, None, "execute"),
        (0.64, Some(0.1), "disambiguate"),
        (0.45, None, "disambiguate"),
        (0.30, None, "disambiguate"),
        (0.29, None, "fallback"),
        (0.0, None, "fallback"),
    ];
    let readings: Vec<String> = table
        .iter()
        .map(|(confidence, next, _)| reading(*confidence, *next))
        .collect();
    let readings: Vec<&str> = readings.iter().map(String::as_str).collect();
    let expected: Vec<&str> = table
        .iter()
        .map(|(_, _, disposition)| *disposition)
        .collect();
    assert_eq!(dispositions(FLOW, &readings), expected);
}

#[test]
fn thresholds_come_from_the_constants() {
    let flow = format!(
        "{FLOW}constants:
  disambiguation:
    thresholds: {{high_confidence: 0.5, min_confidence: 0.1}}
    gap_threshold: 0.05
    options: {{max_options: 2}}
    excluded_intents: [agreement]
    question: Was it the price?
"
    );
    let readings = [
        reading(0.5, Some(0.45)),
        reading(0.5, Some(0.46)),
        reading(0.1, None),
        reading(0.09, None),
    ];
    let readings: Vec<&str> = readings.iter().map(String::as_str).collect();
    // If an excluded intent has no alternatives, no option is left to ask about.
    assert_eq!(
        dispositions(&flow, &readings),
        ["execute", "confirm", "execute", "fallback"]
    );
    let turns = traced(&flow, &[&[readings[1]]]);
    assert_eq!(options(&turns[0]), ["price_question"]);
}

#[test]
fn low_confidence_asks_and_the_next_turn_answers() {
    let uncertain = "{intent: agreement, confidence: 0.5, data: {name: Ann}, alternatives: [\
        {intent: unclear, confidence: 0.44}, {intent: farewell, confidence: 0.2}, \
        {intent: price_question, confidence: 0.4}, {intent: agreement, confidence: 0.4}]}";
    let turns = traced(FLOW, &[&[uncertain, &reading(0.3, None)]]);
    let first = &turns[0];
    assert_eq!(first["action"], "ask_clarification");
    assert_eq!(first["why"], json!(["disambiguation_needed"]));
    assert_eq!(first["class"], "hold");
    assert_eq!(first["data"], json!({"name": "Ann"}));
    let answer = &first["answers"][0];
    assert_eq!(answer["answer"]["intent"], "agreement");
    assert_eq!(
        (&answer["disposition"], &answer["intent"]),
        (&json!("disambiguate"), &json!("disambiguation_needed"))
    );
    assert_eq!(options(first), ["agreement", "price_question", "other"]);
    let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "need",
            "by",
            "answer",
            "failed",
            "disposition",
            "intent",
            "options"
        ]
    );
    assert_eq!(turns[1]["state"]["to"], "hall");
    assert_eq!(turns[1]["answers"][0]["disposition"], "execute");
    assert_eq!(turns[1]["answers"][0].get("options"), None);
}

#[test]
fn clarification_is_not_repeated_during_the_cooldown() {
    let uncertain = &*reading(0.4, None);
    let turns = traced(FLOW, &[&[uncertain; 7]]);
    let dispositions: Vec<&Value> = turns
        .iter()
        .map(|turn| &turn["answers"][0]["disposition"])
        .collect();
    assert_eq!(
        dispositions,
        [
            "disambiguate",
            "execute",
            "execute",
            "execute",
            "disambiguate",
            "execute",
            "execute"
        ]
    );
}

#[test]
fn rejected_interpretation_counts_as_unclear() {
    let turns = traced(FLOW, &[&["{intent: agreement, confidence: 0.2}"]]);
    assert_eq!(turns[0]["action"], "ask_again");
    assert_eq!(turns[0]["why"], json!(["rule_unclear"]));
    assert_eq!(turns[0]["answers"][0]["intent"], "unclear");
}

#[test]
fn bypassed_intents_skip_disambiguation() {
    let low_confidence = "confidence: 0.5, alternatives: [{intent: agreement, confidence: 0.45}]";
    let reading = |intent: &str| format!("{{intent: {intent}, {low_confidence}}}");
    let flow = format!(
        "{FLOW}intents: {{rejection: {{bypass_disambiguation: true}}}}
constants:
  intent_taxonomy:
    demo_request: {{category: a, super_category: b, semantic_domain: c, bypass_disambiguation: true}}
    callback_request: {{category: a, bypass_disambiguation: true}}
    farewell: {{category: a, super_category: b, semantic_domain: c}}
"
    );
    let mut readings: Vec<String> = [
        "rejection",
        "demo_request",
        "callback_request",
        "greeting",
        "price_question",
    ]
    .map(reading)
    .into();
    // A courtesy next to another courtesy, or next to an unlikely alternative, is not exempt.
    for alternative in [
        "{intent: gratitude, confidence: 0.45}",
        "{intent: agreement, confidence: 0.24}",
    ] {
        readings.push(format!(
            "{{intent: greeting, confidence: 0.5, alternatives: [{alternative}]}}"
        ));
    }
    let readings: Vec<&str> = readings.iter().map(String::as_str).collect();
    assert_eq!(
        dispositions(&flow, &readings),
        [
            "execute",
            "execute",
            "disambiguate",
            "execute",
            "disambiguate",
            "disambiguate",
            "disambiguate"
        ]
    );
}

#[test]
fn interpretation_without_confidence_is_unchanged() {
    let readings = [
        "{intent: agreement}",
        "{intent: agreement, alternatives: [{intent: price_question, confidence: 0.9}]}",
        "{intent: agreement, confidence: high}",
        "{intent: agreement, confidence: true}",
        "{intent: agreement, confidence: .nan}",
        "{intent: agreement, confidence: null}",
    ];
    assert_eq!(dispositions(FLOW, &readings), ["as it is"; 6]);
}

#[test]
fn malformed_interpretations_are_tolerated() {
    let readings = [
        "{intent: agreement, confidence: 7}",
        "{intent: agreement, confidence: -1}",
        "{intent: agreement, confidence: .inf}",
        "{intent: agreement, confidence: 0.9, alternatives: price_question}",
        "{intent: agreement, confidence: 0.9, alternatives: [price_question, 3, null, {}, {intent: 5}]}",
        "{intent: agreement, confidence: 0.9, alternatives: [{intent: price_question, confidence: x}]}",
        "{intent: agreement, confidence: 0.9, alternatives: [{intent: price_question, confidence: 100}]}",
        "{intent: nowhere, confidence: 0.5, alternatives: [{intent: neither, confidence: 0.5}]}",
        "{intent: unclear, confidence: 0.5}",
        "{intent: disambiguation_needed, confidence: 0.99}",
    ];
    let expected = [
        "execute",
        "fallback",
        "execute",
        "execute",
        "execute",
        "execute",
        "confirm",
        "disambiguate",
        "execute",
        "execute",
    ];
    assert_eq!(dispositions(FLOW, &readings), expected);
    // Names that are unknown to the flow are preserved.
    let turns = traced(FLOW, &[&[readings[7]]]);
    assert_eq!(options(&turns[0]), ["nowhere", "neither", "other"]);
}

#[test]
fn disabled_source_never_asks() {
    for off in [
        "sources: {Disambiguation: false}",
        "flags: {context_full_envelope: false}",
    ] {
        let scenario = format!(
            "scenario: A\nmodel: shop.yaml\nllm: nobody.yaml\nstart: {{{off}}}\nturns: [{{say: x, answer: {}, expect: {{state: hall}}}}]\n",
            reading(0.4, None)
        );
        Project::new()
            .file("shop.yaml", FLOW)
            .file("nobody.yaml", "rules: []\n")
            .file("a.yaml", scenario)
            .fsmsim(["test", "a.yaml"])
            .succeeds("");
    }
}

#[test]
fn scripted_intent_skips_disambiguation() {
    let turn = "{say: x, intent: agreement, confidence: 0.1, answer: {intent: unclear, confidence: 0.4}, expect: {state: hall, action: transition_to_hall}}";
    let scenario = format!("scenario: A\nmodel: shop.yaml\nturns: [{turn}]\n");
    Project::new()
        .file("shop.yaml", FLOW)
        .file("a.yaml", scenario)
        .fsmsim(["test", "a.yaml"])
        .succeeds("");
}

#[test]
fn pending_question_survives_saving_but_not_a_reset() {
    for (operation, expected) in [
        ("snapshot", "hall"),
        ("reset", "greeting"),
        ("{op: set_state, state: till}", "till"),
    ] {
        let operation = if operation.starts_with('{') {
            operation.to_owned()
        } else {
            format!("{{op: {operation}}}")
        };
        let scenario = format!(
            "scenario: A\nmodel: shop.yaml\nllm: nobody.yaml\nturns:
  - {{say: x, answer: {uncertain}, expect: {{action: ask_clarification}}}}
  - {{before: [{operation}], say: x, answer: {uncertain}, expect: {{state: {expected}}}}}\n",
            uncertain = reading(0.4, None)
        );
        Project::new()
            .file("shop.yaml", FLOW)
            .file("nobody.yaml", "rules: []\n")
            .file("a.yaml", scenario)
            .fsmsim(["test", "a.yaml"])
            .succeeds("");
    }
}

#[test]
fn invalid_constants_are_reported_with_their_location() {
    let constants = "\
constants:
  disambiguation:
    thresholds: {high_confidence: 85, medium_confidence: [0.6], low_confidence: -1, min_confidence: .nan}
    gap_threshold: near
    options: {max_options: -3, min_option_confidence: 0.25}
    cooldown_turns: 1.5
    excluded_intents: {a: b}
    compound_bypass_intents: [[x], nobody_says_this]
    question: [a]
    unheard_of: 1
";
    insta::assert_snapshot!(
        run(&format!("{FLOW}{constants}"), &[&["{intent: agreement}"]]).refuses("")
    );
    let not_a_map = format!("{FLOW}constants: {{disambiguation: 5}}\n");
    insta::assert_snapshot!(run(&not_a_map, &[&["{intent: agreement}"]]).refuses(""));
}

#[test]
fn empty_constants_keep_the_default_thresholds() {
    for constants in [
        "{}",
        "{disambiguation: }",
        "{disambiguation: {}}",
        "{disambiguation: {thresholds: , options: {}, cooldown_turns: }}",
    ] {
        let flow = format!("{FLOW}constants: {constants}\n");
        assert_eq!(
            dispositions(&flow, &[&reading(0.84, Some(0.7)), &reading(0.4, None)]),
            ["confirm", "disambiguate"]
        );
    }
}
