//! Turns that say only what was said: a mock reads them, or nobody does.

use crate::support::{Project, Run};

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

fn play(mock: &str, turns: &str) -> Run {
    let scenario =
        format!("scenario: Plain text\nmodel: flows/spin_selling\nllm: mocks/m.yaml\nturns:\n{turns}");
    Project::new().with_flows().file("mocks/m.yaml", mock).file("scenarios/a.yaml", scenario).run(&["test"])
}

#[test]
fn a_mock_reads_what_was_said() {
    let run = play(
        MOCK,
        "  - {say: first things first, expect: {state: spin_situation}}
  - {say: first again / no, intent: unclear, expect: {action: probe_situation}}
  - {say: Сколько стоит?, expect: {action: deflect_and_continue}}
  - {say: Нас 50, expect: {state: spin_problem, data: {company_size: 50, role: boss}}}
  - {say: whatever, answer: {intent: problem_revealed, data: {pain_point: x}}, expect: {state: spin_implication}}
",
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.shown());
}

#[test]
fn where_nobody_reads_it_the_scenario_is_unavailable_and_not_failed() {
    let good = "  - {say: Сколько стоит?, expect: {state: greeting}}\n";
    insta::assert_snapshot!(
        play(MOCK, "  - {say: first}\n  - {say: down, expect: {state: nowhere}}\n").shown()
    );
    assert_eq!(play(MOCK, "  - {say: nobody knows this}\n").code, 3);
    assert_eq!(play(MOCK, "  - {say: busy}\n").code, 3);
    // A failure of the flow weighs more.
    let both = format!(
        "{good}---\nscenario: Other\nmodel: flows/spin_selling\nllm: mocks/m.yaml\nturns:\n  - {{say: down}}\n"
    );
    assert_eq!(play(MOCK, &both).code, 1);
}

#[test]
fn a_turn_that_nobody_reads_holds_and_the_session_stays_as_it_is() {
    let scenario = "scenario: Held\nmodel: flows/spin_selling\nllm: mocks/m.yaml\nturns: [{say: first}, {say: down}, {say: Нас 7}]\n";
    let project = Project::new().with_flows().file("mocks/m.yaml", MOCK).file("a.yaml", scenario);
    let run = project.run(&["trace", "a.yaml"]);
    assert_eq!(run.code, 3, "{}", run.shown());
    let lines: Vec<serde_json::Value> =
        run.stdout.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["class"], "degrade");
    assert_eq!(lines[1]["why"][0], "nobody_read_it");
    let failed = serde_json::json!([{"by": "mock", "why": "the other side failed"}]);
    let answer = serde_json::json!({"need": "classify", "by": null, "answer": null, "failed": failed});
    assert_eq!(lines[1]["answers"][0], answer);
    for field in ["turn_number", "data", "counters", "return_state"] {
        assert_eq!(lines[1][field], lines[0][field], "{field}");
    }
    assert_eq!(lines[2]["state"]["to"], "spin_problem");
    assert_eq!(lines[2]["turn_number"], 2);
}

#[test]
fn every_fault_in_every_turn_ends_with_the_outside_unavailable() {
    let words = ["first", "Сколько", "Нас 5", "busy", "Сколько"];
    let faults = [
        "nobody",
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
        words.iter().copied().enumerate().map(say).map(|word| format!("  - {{say: {word}}}\n")).collect()
    };
    for fault in faults {
        let mock = format!("{calm}  - {{say: boom, fault: {fault}}}\n");
        for at in 0..words.len() {
            let run = play(&mock, &turns(Some(at)));
            assert_eq!(run.code, 3, "{fault} in turn {}: {}", at + 1, run.shown());
            assert!(run.stdout.contains(&format!("turn {}: nobody could read", at + 1)), "{}", run.stdout);
        }
    }
}

#[test]
fn a_mock_that_is_not_well_formed_is_told_with_its_places() {
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
    let run = play(mock, "  - {say: x}\n");
    insta::assert_snapshot!(run.shown());
}

#[test]
fn without_anybody_who_reads_an_utterance_needs_its_intent() {
    let scenario = "scenario: A\nmodel: flows/bant\nturns: [{say: hello}]\n";
    let run = Project::new().with_flows().file("scenarios/a.yaml", scenario).run(&["test"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("error[FS0203]"), "{}", run.stderr);
}

#[test]
fn plain_text_is_typed_where_a_mock_reads_it() {
    let project = Project::new().with_flows().file("mocks/m.yaml", MOCK);
    let lines = "first\nСколько это стоит?\nquestion_features\nnobody knows this\n:why\n";
    let run = project.run_with(&["run", "flows/spin_selling", "--llm", "mock:mocks/m.yaml"], lines, &[]);
    insta::assert_snapshot!(run.shown());
    for who in ["mock:nowhere.yaml", "gpt"] {
        assert_eq!(project.run(&["run", "flows/spin_selling", "--llm", who]).code, 2);
    }
}
