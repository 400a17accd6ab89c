//! `replies:` of a flow: the reply texts of its actions.

use serde_json::{Value, json};

use crate::support::{Project, turns};

/// The replies of these turns in a flow with these reply texts.
fn said(replies: &str, turns_of: &str) -> Vec<Value> {
    let trace = project(replies)
        .file("a.yaml", scenario(turns_of))
        .fsmsim(["trace", "a.yaml"])
        .succeeds("");
    turns(&trace)
        .into_iter()
        .map(|turn| turn["replies"].clone())
        .collect()
}

fn scenario(turns: &str) -> String {
    format!("scenario: A\nmodel: flow.yaml\nturns: [{turns}]\n")
}

fn project(replies: &str) -> Project {
    let flow = format!(
        "flow:\n  name: tea\n  entry_points: {{default: talk}}\n  variables: {{shop: The Corner, \
         size_of_cup: [small, large]}}\nslots: {{name: {{}}, tastes: {{}}, asked: {{initial: 0}}}}\ncounters: {{asks: \
         {{}}}}\nstates:\n  talk:\n    rules: {{greeting: greet, order: {{then: take, says: Thank you., counts: {{asks: \
         1}}}}}}\n    transitions: {{farewell: bye}}\n  bye: {{is_final: true, on_enter: {{action: leave, says: Come \
         again.}}}}\nreplies:\n{replies}\nintents: {{rejection: {{}}}}\n"
    );
    Project::new().file("flow.yaml", flow)
}

#[test]
fn first_applicable_text_is_the_reply() {
    let replies = "  greet:\n    - 'Hello {{name}}, welcome to {{shop}}'\n    - {text: 'Hello from {{shop}}', when: {slot: \
                   tastes, known: false}}\n    - '{{tastes}}?'\n  take: 'One {{ tastes }}, {{size_of_cup}}.'\n  leave: Bye.";
    let actual = said(
        replies,
        "{intent: greeting}, {intent: order}, {intent: greeting, data: {tastes: [green, black]}}, {intent: order}, {intent: \
         greeting, data: {name: Ann}}, {intent: rejection}, {intent: farewell}",
    );
    let wanted = [
        json!(["Hello from The Corner"]),
        // A slot is unknown and no other text exists, so only the rule replies.
        json!(["Thank you."]),
        json!(["green; black?"]),
        json!(["One green; black, small; large.", "Thank you."]),
        json!(["Hello Ann, welcome to The Corner"]),
        json!([]),
        // The action is the entry action of the state.
        json!(["Bye.", "Come again."]),
    ];
    assert_eq!(actual, wanted);
}

#[test]
fn reply_conditions_see_the_state_after_the_turn() {
    let replies = "  leave:\n    - {text: never, when: {state: talk}}\n    - {text: left, when: {and: [{state: bye}, {from: \
                   talk}]}}\n  take:\n    - {text: many, when: {counter: asks, at_least: 2}}\n    - first";
    let actual = said(
        replies,
        "{intent: order}, {intent: order}, {intent: farewell}",
    );
    assert_eq!(
        actual,
        [
            json!(["first", "Thank you."]),
            json!(["many", "Thank you."]),
            json!(["left", "Come again."])
        ]
    );
}

#[test]
fn reply_is_used_verbatim_without_a_phrasing_model() {
    let replies = "  greet: {text: 'Hello {{name}}', phrase: true}\n  leave: Bye.";
    let alone = said(
        replies,
        "{intent: greeting}, {intent: greeting, data: {name: Ann}}",
    );
    assert_eq!(alone, [json!([]), json!(["Hello Ann"])]);
    let scripted =
        "{intent: greeting, data: {name: Ann}, answers: [{need: phrase, answer: {reply: Hi!}}]}";
    assert_eq!(said(replies, scripted), [json!(["Hi!"])]);

    let mock = "rules: [{need: phrase, context: 'Content of the reply: Hello Ann', answer: {reply: Good day!}}]\n";
    let with_mock = format!(
        "llm: mock.yaml\n{}",
        scenario("{intent: greeting, data: {name: Ann}}")
    );
    let project = project(replies)
        .file("mock.yaml", mock)
        .file("a.yaml", with_mock);
    let trace = project.fsmsim(["trace", "a.yaml"]).succeeds("");
    let turn = turns(&trace).remove(0);
    assert_eq!(
        (&turn["replies"], &turn["answers"][0]["need"]),
        (&json!(["Good day!"]), &json!("phrase"))
    );
    // The trace contains the answers of the mock, so the dialogue replays without the mock.
    project.write("t.jsonl", &trace);
    let again = turns(&project.fsmsim(["trace", "t.jsonl"]).succeeds("")).remove(0);
    assert_eq!(again["replies"], json!(["Good day!"]));
    project
        .fsmsim([
            "verify",
            "t.jsonl",
            "--model",
            "flow.yaml",
            "--mode",
            "replay",
        ])
        .succeeds("conforms to flow.yaml");
}

#[test]
fn flow_without_replies_records_an_empty_list() {
    assert_eq!(said("  leave: Bye.", "{intent: greeting}"), [json!([])]);
    let silent = "flow: {name: tea, entry_points: {default: talk}}\nstates: {talk: {rules: {greeting: greet}}}\n";
    let spoken = format!("{silent}replies: {{}}\n");
    let trace = |flow: &str| {
        let project = Project::new()
            .file("flow.yaml", flow)
            .file("a.yaml", scenario("{intent: greeting}"));
        project
            .fsmsim(["trace", "a.yaml"])
            .succeeds("\"replies\":[]")
    };
    assert_eq!(trace(silent), trace(&spoken));
}

#[test]
fn invalid_replies_are_reported_with_their_location() {
    let wrong = [
        (
            "  greet: 'Hello {{nme}}'",
            "unknown placeholder `{{nme}}`",
            "exists: `name`",
        ),
        (
            "  greet: 'Hello {{shop_name}}'",
            "`{{shop_name}}`",
            "declare `shop_name` under `slots`",
        ),
        (
            "  greet: ''",
            "reply to `greet` is empty",
            "remove it if the action has no reply",
        ),
        (
            "  greet: []",
            "missing text in the reply to `greet`",
            "the first one without missing values is used",
        ),
        (
            "  greet: {phrase: true}",
            "missing `text` in a reply to `greet`",
            "write `{text: TEXT}`",
        ),
        (
            "  greet: {text: Hi, fraze: true}",
            "unknown key `fraze` in a reply",
            "text, phrase, when",
        ),
        ("  greet: {text: Hi, phrase: maybe}", "phrase", ""),
        (
            "  greet: {text: Hi, when: {slot: tastes, knwn: true}}",
            "knwn",
            "known",
        ),
        ("  greet: [[Hi]]", "`text`", ""),
    ];
    for (replies, title, help) in wrong {
        let run = project(replies)
            .fsmsim(["lint", "flow.yaml"])
            .about(replies)
            .fails(1, "", title);
        assert!(
            run.stderr.contains(help) && run.stderr.contains("flow.yaml:1"),
            "{run}"
        );
    }
    let run = project("  great: Hello")
        .fsmsim(["lint", "flow.yaml"])
        .warns("", "unknown action `great` in a reply");
    assert!(
        run.stderr.contains("FS0434") && run.stderr.contains("exists: `greet`"),
        "{run}"
    );
    let both = project("  greet: '{{shop}}'");
    both.write(
        "flow.yaml",
        both.read("flow.yaml")
            .replace("slots: {name: {}", "slots: {shop: {}, name: {}"),
    );
    both.fsmsim(["lint", "flow.yaml"])
        .fails(1, "", "is ambiguous: it is a variable and a slot");
}

#[test]
fn placeholders_in_user_data_are_not_expanded() {
    let project = project("  greet: 'Hello {{name}}'");
    let turns_file = json!({"id": "a", "turns": [{"intent": "greeting", "data": {"name": "{{tastes}} {{shop}}"}}]});
    let traced = project
        .fsmsim(["trace", "flow.yaml", "--turns", "-"])
        .stdin(turns_file.to_string())
        .succeeds("");
    assert_eq!(
        turns(&traced)[0]["replies"],
        json!(["Hello {{tastes}} {{shop}}"])
    );
}
