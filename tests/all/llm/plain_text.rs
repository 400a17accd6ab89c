//! Turns without an intent: a mock recognizes them, or the scenario is unavailable.

use crate::support::{Invocation, Project};

const MOCK: &str = "\
queue:
  - {say: '^first', answer: {intent: agreement, confidence: 0.8}}
rules:
  - {say: 'сколько', answer: {intent: price_question, confidence: 0.9, also: [question_features]}}
  - {say: 'нас (?<company_size>\\d+)', state: [spin_situation], answer: {intent: info_provided, data: {role: boss}}}
  - {say: 'busy', times: 1, fault: rate_limited}
  - {say: 'busy', answer: {intent: agreement}}
  - {say: 'down', fault: server_error}
";

fn run_scenario(mock: &str, turns: &str) -> Invocation {
    let scenario = format!(
        "scenario: Plain text\nmodel: flows/spin_selling\nllm: mocks/m.yaml\nturns:\n{turns}"
    );
    Project::new()
        .with_flows()
        .file("mocks/m.yaml", mock)
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test"])
}

#[test]
fn mock_recognizes_utterances() {
    run_scenario(
        MOCK,
        "  - {say: first things first, expect: {state: spin_situation}}
  - {say: first again / no, intent: unclear, expect: {action: probe_situation}}
  - {say: Сколько стоит?, expect: {action: deflect_and_continue}}
  - {say: Нас 50, expect: {state: spin_problem, data: {company_size: 50, role: boss}}}
  - {say: whatever, answer: {intent: problem_revealed, data: {pain_point: x}}, expect: {state: spin_implication}}
",
    )
    .succeeds("");
}

#[test]
fn scripted_answer_recognizes_without_a_provider() {
    let test = |answer: &str| {
        let turn = format!(
            "  - {{say: Сколько стоит?, answer: {answer}, expect: {{state: spin_situation}}}}\n"
        );
        let scenario = format!("scenario: A\nmodel: flows/spin_selling\nturns:\n{turn}");
        Project::new()
            .with_flows()
            .file("scenarios/a.yaml", scenario)
            .fsmsim(["test"])
    };
    test("{intent: price_question, confidence: 0.9}").succeeds("1 passed");
    test("{reasoning: a price}").fails(2, "", "no recognizer is configured for `say`");
}

#[test]
fn unrecognized_utterance_makes_the_scenario_unavailable() {
    let good = "  - {say: Сколько стоит?, expect: {state: greeting}}\n";
    insta::assert_snapshot!(
        run_scenario(
            MOCK,
            "  - {say: first}\n  - {say: down, expect: {state: success}}\n"
        )
        .shown()
    );
    run_scenario(MOCK, "  - {say: nobody knows this}\n").unavailable("", "");
    run_scenario(MOCK, "  - {say: busy}\n").unavailable("", "");
    // A failed expectation takes precedence over an unavailable recognizer.
    let both = format!(
        "{good}---\nscenario: Other\nmodel: flows/spin_selling\nllm: mocks/m.yaml\nturns:\n  - {{say: down}}\n"
    );
    run_scenario(MOCK, &both).fails(1, "", "");
}

#[test]
fn unrecognized_turn_leaves_the_session_unchanged() {
    let scenario = "scenario: Held\nmodel: flows/spin_selling\nllm: mocks/m.yaml\nturns: [{say: first}, {say: down}, {say: Нас 7}]\n";
    let project = Project::new()
        .with_flows()
        .file("mocks/m.yaml", MOCK)
        .file("a.yaml", scenario);
    let run = project.fsmsim(["trace", "a.yaml"]).unavailable("", "");
    let lines = crate::support::turns(&run.stdout);
    assert_eq!(lines[1]["class"], "degrade");
    assert_eq!(lines[1]["why"][0], "nobody_read_it");
    let failed = serde_json::json!([{"by": "mock", "why": "the server failed"}]);
    let answer =
        serde_json::json!({"need": "classify", "by": null, "answer": null, "failed": failed});
    assert_eq!(lines[1]["answers"][0], answer);
    for field in ["turn_number", "data", "counters", "return_state"] {
        assert_eq!(lines[1][field], lines[0][field], "{field}");
    }
    assert_eq!(lines[2]["state"]["to"], "spin_problem");
    assert_eq!(lines[2]["turn_number"], 2);
}

#[test]
fn every_fault_in_every_turn_makes_the_scenario_unavailable() {
    let words = ["first", "Сколько", "Нас 5", "busy", "Сколько"];
    let faults = [
        "no_provider",
        "time_out",
        "refused",
        "rate_limited",
        "server_error",
        "cut_off",
        "wrong_schema",
        "empty",
        "too_large",
    ];
    let calm = MOCK.replace("  - {say: 'busy', times: 1, fault: rate_limited}\n", "");
    let turns = |fault_at: Option<usize>| -> String {
        let say = |(at, word)| if Some(at) == fault_at { "boom" } else { word };
        words
            .iter()
            .copied()
            .enumerate()
            .map(say)
            .map(|word| format!("  - {{say: {word}}}\n"))
            .collect()
    };
    for fault in faults {
        let mock = format!("{calm}  - {{say: boom, fault: {fault}}}\n");
        for at in 0..words.len() {
            run_scenario(&mock, &turns(Some(at)))
                .about(format_args!("{fault} in turn {}", at + 1))
                .unavailable(
                    &format!("turn {}: the utterance was not recognized", at + 1),
                    "",
                );
        }
    }
}

#[test]
fn malformed_mock_is_reported_with_locations() {
    let mock = "\
queue: {say: x}
rules:
  - {say: '(', answer: {intent: a}}
  - {answer: {confidence: 1}}
  - {fault: timeout}
  - {need: clasify, answer: {intent: a}}
  - {say: x}
  - {sai: x, answer: {intent: a}}
";
    insta::assert_snapshot!(run_scenario(mock, "  - {say: x}\n").shown());
}

#[test]
fn model_without_examples_names_the_lines_that_it_lacks() {
    let flow = "flow: {name: kiosk}
states:
  greeting: {transitions: {order_tea: end, order_cake: end}}
  end: {is_final: true}
";
    let project = Project::new().file("flows/kiosk.yaml", flow).file(
        "scenarios/a.yaml",
        "scenario: A\nmodel: flows/kiosk.yaml\nturns: [{say: Some tea please}]\n",
    );
    let lines = "intents:\n";
    let missing = "order_tea: {examples: [\"what a user says\", \"another way to say it\"]}";
    let test = project.fsmsim(["test"]).fails(2, "", "error[FS0203]");
    assert!(test.stderr.contains(missing), "{test}");
    let run = project
        .fsmsim(["run", "flows/kiosk.yaml"])
        .stdin("Some tea please\n")
        .fails(2, "", "the model has no examples to recognize text by");
    assert!(
        run.stderr.contains(lines) && run.stderr.contains(missing),
        "{run}"
    );
    // With these lines, the same turn is recognized.
    let taught = format!("{flow}intents:\n  {missing}\n").replace("what a user says", "Tea please");
    project.write("flows/kiosk.yaml", taught);
    project
        .fsmsim(["run", "flows/kiosk.yaml"])
        .stdin("Tea please\n")
        .succeeds("recognized as order_tea (");
}

const SHOP: &str = "flow: {name: shop}
entry_points: {default: greeting}
slots: {amount: {type: integer}}
states:
  greeting: {goal: Find out what the customer wants, transitions: {order: size, complaint: end}}
  size: {required_data: [amount], transitions: {data_complete: end}}
  end: {is_final: true}
intents:
  order: {examples: [I want a pizza, A pizza please, Can I order a pizza?, Bring me pizzas]}
  complaint: {examples: [My pizza is cold, The driver was rude, You forgot the cheese, This is not what I ordered]}
";

#[test]
fn sentence_is_recognized_by_the_examples_by_default() {
    let project = Project::new().file("flows/shop.yaml", SHOP).file(
        "scenarios/a.yaml",
        "scenario: A\nmodel: flows/shop.yaml\nturns: [{say: I want a pizza, expect: {read: {intent: order}}}]\n",
    );
    project.fsmsim(["test"]).succeeds("1 passed");
    let lines = "I want a pizza\n:export talk.md\n";
    let run = project
        .fsmsim(["run", "flows/shop.yaml"])
        .stdin(lines)
        .succeeds("recognized as order (");
    assert!(run.contains("closest: \"I want a pizza\""), "{run}");
    let exported = project.read("talk.md");
    assert!(exported.contains("> recognized as order"), "{exported}");
    let transcript = project
        .fsmsim(["trace", "scenarios/a.yaml", "--format", "transcript"])
        .succeeds("**User:** I want a pizza\n<!-- recognized as order (");
    assert!(transcript.contains("closest: \"I want a pizza\""));
    let turns = "{\"id\": \"a\", \"turns\": [{\"say\": \"I want a pizza\"}]}\n";
    let trace = project
        .fsmsim(["trace", "flows/shop.yaml", "--turns", "-"])
        .stdin(turns)
        .succeeds("");
    let answer = &crate::support::turns(&trace)[0]["answers"][0];
    assert_eq!(
        (&answer["by"], &answer["answer"]["intent"]),
        (&"examples".into(), &"order".into())
    );
    // The transcript is a scenario again. The comment does not become a note.
    let front = "---\nscenario: Again\nmodel: flows/shop.yaml\n---\n";
    project.write("again.md", format!("{front}{transcript}"));
    project
        .fsmsim(["trace", "again.md"])
        .succeeds("\"intent\":\"order\"");
}

#[test]
fn mistyped_names_are_refused_although_text_is_recognized() {
    let project = Project::new().file("flows/shop.yaml", SHOP);
    let run = project
        .fsmsim(["run", "flows/shop.yaml"])
        .stdin("ordre amount=2\norder_now\n!ordering\nhelp\n")
        .run();
    insta::assert_snapshot!(run.shown());
}

#[test]
fn clarification_names_the_intents_it_was_torn_between() {
    let flow = SHOP.replace("flow: {name: shop}", "flow: {name: shop, policy: sales}");
    let reading = "{intent: order, confidence: 0.5, alternatives: [{intent: complaint, confidence: 0.45}], \
                   data: {amount: 50}}";
    let project = Project::new()
        .file("flows/shop.yaml", flow)
        .file("mock.yaml", format!("rules: [{{answer: {reading}}}]\n"));
    let run = project
        .fsmsim(["run", "flows/shop.yaml", "--llm", "mock:mock.yaml"])
        .stdin("pizza, fifty\n:why\n")
        .succeeds("torn between order 0.50 and complaint 0.45");
    let recognized = "recognized as order (0.50; also complaint 0.45) → \
                      disambiguation_needed (disambiguate)";
    assert!(run.contains(recognized), "{run}");
}

/// The output of a dialogue in which `reply` answers a clarification question between two intents with these
/// descriptions. The recognizer would store every reply as the note.
fn clarified(order: &str, complaint: &str, reading: &str, reply: &str) -> String {
    let flow = SHOP
        .replace("order: {ex", &format!("order: {{description: {order}, ex"))
        .replace(
            "complaint: {ex",
            &format!("complaint: {{description: {complaint}, ex"),
        )
        .replace(
            "intents:\n",
            "intents:\n  unclear: {description: Anything else}\n",
        )
        .replace("slots: {", "slots: {note: {description: A note}, ");
    let stores = "{answer: {intent: unclear, data: {note: stored}}}";
    let mock = format!("rules: [{{say: pizza, answer: {reading}}}, {stores}]\n");
    let project = Project::new()
        .file("flows/shop.yaml", flow)
        .file("mock.yaml", mock);
    project
        .fsmsim(["run", "flows/shop.yaml", "--llm", "mock:mock.yaml"])
        .stdin(format!("About a pizza\n{reply}\n"))
        .about(reply)
        .succeeds("ask_clarification")
}

/// A reading that is torn between two intents.
const TORN: &str =
    "{intent: order, confidence: 0.5, alternatives: [{intent: complaint, confidence: 0.45}]}";

#[test]
fn clarification_is_answered_in_plain_text() {
    let orders = "greeting → size";
    let complains = "greeting → end";
    let stays = "no transition matches unclear";
    for (reply, result) in [
        ("1", orders),
        ("2.", complains),
        ("ORDER", orders),
        ("Complaint!", complains),
        ("wants  a new one", orders),
        ("\"Is angry, very.\"", complains),
        ("3", stays),
        ("Other", stays),
        ("Другое", stays),
    ] {
        let output = clarified("Wants a new one", "\"Is angry, very\"", TORN, reply);
        assert!(output.contains("Wants a new one / Is angry, very / other"));
        assert!(output.contains(result), "{reply}\n{output}");
        assert!(!output.contains("note=stored"), "{reply}\n{output}");
    }
}

#[test]
fn only_offered_intent_is_accepted_or_refused_in_a_word() {
    let unsure = "{intent: order, confidence: 0.5}";
    for (reply, result) in [
        ("yes", "greeting → size"),
        ("Да!", "greeting → size"),
        ("No.", "no transition matches unclear"),
        ("нет", "no transition matches unclear"),
    ] {
        let output = clarified("Хочет пиццу", "Жалуется", unsure, reply);
        assert!(output.contains("Хочет пиццу / другое"), "{output}");
        assert!(output.contains(result), "{reply}\n{output}");
    }
    // With two offered intents, the word chooses neither, so the recognizer reads it.
    let output = clarified("Хочет пиццу", "Жалуется", TORN, "да");
    assert!(
        output.contains("Хочет пиццу / Жалуется / другое"),
        "{output}"
    );
    assert!(output.contains("note=stored"), "{output}");
}

#[test]
fn free_text_can_be_typed_with_a_mock() {
    let project = Project::new().with_flows().file("mocks/m.yaml", MOCK);
    let lines = "first\nСколько это стоит?\nquestion_features\nnobody knows this\n:why\n";
    let run = project
        .fsmsim(["run", "flows/spin_selling", "--llm", "mock:mocks/m.yaml"])
        .stdin(lines)
        .run();
    insta::assert_snapshot!(run.shown());
    for provider in ["mock:nowhere.yaml", "gpt"] {
        project
            .fsmsim(["run", "flows/spin_selling", "--llm", provider])
            .refuses("");
    }
}
