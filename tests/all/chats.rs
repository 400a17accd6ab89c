//! `fsmsim trace --format chat` and `--format transcript`: dialogues as chat messages and as Markdown.

use serde_json::{Value, json};

use crate::support::Project;

/// The dialogues of a file as chats.
fn chats(project: &Project, arguments: &[&str]) -> Vec<Value> {
    let lines = project
        .fsmsim(["trace"])
        .args(arguments)
        .args(["--format", "chat"])
        .succeeds("");
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const SCENARIO: &str = "\
scenario: Price
model: flows/spin_selling
turns:
  - {say: \"Привет\\e[31m, это \\aя\", intent: greeting}
  - {intent: price_question}
  - {say: Нас 50, intent: info_provided, data: {company_size: 50}}
---
scenario: \"Second\\e[2J\"
model: flows/spin_selling
turns: [{say: \"Две\\nстроки\", intent: farewell}]
";

#[test]
fn chat_format_writes_one_line_of_messages_per_dialogue() {
    let project = Project::new().with_flows().file("a.yaml", SCENARIO);
    let chats = chats(&project, &["a.yaml"]);
    assert_eq!(chats.len(), 2);
    let keys: Vec<&String> = chats[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["messages", "turns", "dialogue", "machine", "state", "final"]
    );
    let roles: Vec<&str> = chats[0]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant"].repeat(3));
    let content = |at: usize| &chats[0]["messages"][at]["content"];
    assert_eq!(
        (content(0), content(2)),
        (&json!("Привет, это я"), &json!("[price_question]"))
    );
    assert_eq!(
        content(5),
        &json!("50 человек — понятно. Что в работе с клиентами мешает вам сильнее всего?")
    );
    let rest = (&chats[0]["turns"], &chats[0]["state"], &chats[0]["final"]);
    assert_eq!(
        rest,
        (
            &json!([1, 1, 2, 2, 3, 3]),
            &json!("spin_problem"),
            &json!(false)
        )
    );
    let machine = json!({"name": "spin_selling", "dialect": "flow", "source": "flows/spin_selling", "profile": "documented"});
    assert_eq!(chats[0]["machine"], machine);
    assert_eq!(chats[1]["messages"][0]["content"], json!("Две\nстроки"));
}

#[test]
fn trace_and_turns_files_give_the_same_chats_as_scenarios() {
    let project = Project::new().with_flows().file("a.yaml", SCENARIO);
    let from_scenarios = chats(&project, &["a.yaml"]);
    project.write("t.jsonl", project.fsmsim(["trace", "a.yaml"]).succeeds(""));
    assert_eq!(chats(&project, &["t.jsonl"]), from_scenarios);
    let turns: String = (0..40)
        .map(|number| {
            format!("{{\"id\":\"d{number}\",\"turns\":[{{\"say\":\"Нас {number}\",\"intent\":\"greeting\"}}]}}\n")
        })
        .collect();
    project.write("turns.jsonl", turns);
    let one = chats(
        &project,
        &["flows/spin_selling", "--turns", "turns.jsonl", "-j", "1"],
    );
    assert_eq!((one.len(), &one[39]["dialogue"]), (40, &json!("d39")));
    assert_eq!(
        chats(
            &project,
            &["flows/spin_selling", "--turns", "turns.jsonl", "-j", "4"]
        ),
        one
    );
}

#[test]
fn transcript_is_markdown_without_control_characters() {
    let project = Project::new().with_flows().file("a.yaml", SCENARIO);
    let text = project
        .fsmsim(["trace", "a.yaml", "--format", "transcript"])
        .succeeds("");
    let expected = "\
# Price (spin_selling, profile documented)

**User:** Привет, это я

**Assistant:** Здравствуйте! Расскажите, чем могу помочь?

**User:** [price_question]

**Assistant:** Про цену обязательно скажу. Сначала пара вопросов: сколько человек в вашей компании?

**User:** Нас 50

**Assistant:** 50 человек — понятно. Что в работе с клиентами мешает вам сильнее всего?

# Second\u{fffd}[2J (spin_selling, profile documented)

**User:** Две
  строки

**Assistant:** Спасибо за разговор. Если вопрос станет важным, напишите.
";
    assert_eq!(text, expected);
}

#[test]
fn events_have_no_user_message_and_replies_of_a_turn_are_joined() {
    let flow = "\
flow: {name: bell, policy: sales, entry_points: {default: door}}
states:
  door: {transitions: {open: hall}, rules: {greeting: greet}}
  hall: {is_final: true, on_enter: {says: [Come in!, Sit down.]}}
replies: {greet: Hello.}
";
    let scenario = "scenario: A\nmodel: flow.yaml\nturns: [{intent: rejection}, {open: true}]\n";
    let project = Project::new()
        .file("flow.yaml", flow)
        .file("a.yaml", scenario);
    let chat = chats(&project, &["a.yaml"]).remove(0);
    let messages = json!([{"role": "user", "content": "[rejection]"}, {"role": "assistant", "content": "Come in!\nSit down."}]);
    assert_eq!(
        (&chat["messages"], &chat["turns"], &chat["final"]),
        (&messages, &json!([1, 2]), &json!(true))
    );
    let student =
        "scenario: Led\nmodel: states/student\nturns: [{say: Привет, reply: Здравствуйте!}]\n";
    let project = Project::new().with("states").file("a.yaml", student);
    let chat = chats(&project, &["a.yaml"]).remove(0);
    assert_eq!(
        chat["messages"][1],
        json!({"role": "assistant", "content": "Здравствуйте!"})
    );
}
