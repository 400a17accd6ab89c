//! Answers of an external system: verification against the model, and their form in outputs.

use serde_json::{Value, json};

use super::{FLOW, project};
use crate::support::Project;
use crate::support::loopback::{Seen, Server, gives};

/// The `subject` of a webhook with this map and more keys.
fn asked(server: &Server, map: &str, more: &str) -> String {
    let url = server.url.replace("/v1", "/say");
    format!(
        "{{http: {{url: '{url}', body: {{text: '{{{{say}}}}', n: '{{{{turn}}}}', all: '{{{{history}}}}', to: '{{{{session}}}}'}}, {more} map: {map}}}}}"
    )
}

/// A bot with one answer for the first turn and another one for all later turns.
fn answers(first: Value, others: Value) -> Server {
    Server::reacting(move |seen: &Seen| {
        gives(if seen.json()["n"] == 1 {
            &first
        } else {
            &others
        })
    })
}

const REPLAY: &str = "verify: replay,";
const TURNS: &str = "  - {say: Tea, intent: order}\n  - {say: Green, intent: tea_named}\n";

#[test]
fn replay_compares_states_and_not_replies() {
    let server = answers(
        json!({"said": "Which?", "at": "choosing"}),
        json!({"said": "Here", "at": "brewing"}),
    );
    let replies = "replies:\n  order: [What else?]\n";
    let flow = format!("{FLOW}{replies}").replace(
        "{goal: g, optional_data: [tea], transitions: {order",
        "{goal: g, optional_data: [tea], rules: {order: order}, transitions: {order",
    );
    let project = project(&asked(&server, "{replies: said, state: at}", REPLAY), TURNS)
        .file("flows/tea.yaml", flow);
    project
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "1 passed", "");
}

#[test]
fn replay_failure_names_the_differing_field() {
    let server = answers(
        json!({"at": "choosing", "data": {"tea": "red"}}),
        json!({"at": "choosing", "data": {}}),
    );
    let map = "{state: at, data: data}";
    let run = project(&asked(&server, map, REPLAY), TURNS)
        .fsmsim(["test", "--trust"])
        .ends(1, "", "")
        .shown();
    assert!(run.contains("divergence in data: expected"), "{run}");
    let server = answers(json!({"at": "parting"}), json!({"at": "parting"}));
    let run = project(&asked(&server, "{state: at}", REPLAY), TURNS)
        .fsmsim(["test", "--trust"])
        .ends(1, "", "")
        .shown();
    assert!(
        run.contains("divergence in state: expected to: \"choosing\""),
        "{run}"
    );
}

#[test]
fn replay_requires_intents_before_the_first_request() {
    let server = answers(
        json!({"at": "choosing"}),
        json!({"at": "brewing", "meant": "tea_named"}),
    );
    let turns = "  - {say: Tea, intent: order}\n  - {say: Green}\n";
    let output = project(&asked(&server, "{state: at}", REPLAY), turns)
        .fsmsim(["test", "--trust"])
        .ends(2, "", "")
        .shown();
    assert!(
        output.contains("scenarios/a.yaml:6:5") && output.contains("verify: replay"),
        "{output}"
    );
    assert!(server.requests().is_empty());
    let map = "{state: at, intent: 'meant?'}";
    project(&asked(&server, map, REPLAY), turns)
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "1 passed", "");
    // The error names the turn whose answer has no intent.
    let server = answers(json!({"at": "choosing"}), json!({"at": "brewing"}));
    let output = project(&asked(&server, map, REPLAY), turns)
        .fsmsim(["test", "--trust"])
        .ends(3, "", "")
        .shown();
    assert!(
        output.contains("turn 2: the subject did not answer: cannot replay turn 2 of `A cup`"),
        "{output}"
    );
}

#[test]
fn missing_state_fails_in_its_turn() {
    let server = answers(json!({"at": null}), json!({"at": "brewing"}));
    for more in ["", REPLAY] {
        let project = project(&asked(&server, "{state: at}", more), TURNS);
        let output = project
            .fsmsim(["test", "--trust"])
            .about(more)
            .ends(1, "", "")
            .shown();
        assert!(
            output.contains("turn 1") && output.contains("untold_state: expected a state name"),
            "{output}"
        );
        assert!(
            !output.contains("turn 2") && !output.contains("missing"),
            "{output}"
        );
        // A field that is marked with `?` is optional.
        let project = super::project(&asked(&server, "{state: 'at?'}", more), TURNS);
        project
            .fsmsim(["test", "--trust", "--accept"])
            .about(more)
            .ends(0, "1 passed", "");
    }
}

#[test]
fn intent_recognized_by_the_subject_can_be_expected() {
    let server = answers(
        json!({"at": "choosing", "meant": "order"}),
        json!({"at": "brewing", "meant": "tea_named"}),
    );
    let map = "{state: at, intent: meant}";
    let turns = |second: &str| {
        format!(
            "  - {{say: Tea, expect: {{intent: order}}}}\n  - {{say: Green, expect: {{intent: {second}}}}}\n"
        )
    };
    project(&asked(&server, map, ""), &turns("tea_named"))
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "1 passed", "");
    let output = project(&asked(&server, map, ""), &turns("goodbye"))
        .fsmsim(["test", "--trust"])
        .ends(1, "", "")
        .shown();
    assert!(
        output.contains("intent: expected \"goodbye\", got \"tea_named\""),
        "{output}"
    );
    let output = project(&asked(&server, "{state: at}", ""), &turns("goodbye"))
        .fsmsim(["test", "--trust"])
        .ends(2, "", "")
        .shown();
    assert!(
        output.contains("the subject does not report `intent`")
            && output.contains("reported fields: state"),
        "{output}"
    );
}

#[test]
fn invalid_subject_values_are_reported() {
    let known = [
        ("verify: [replay],", "expected a string for `verify`"),
        ("method: [POST],", "expected a string for `method`"),
        ("method: {a: b},", "expected a string for `method`"),
        (
            "headers: {X-Turn: '{{turn}}'},",
            "cannot use `{{turn}}` in a header",
        ),
        (
            "headers: {X-Turn: {env: A, prefix: '{{say}} '}},",
            "cannot use `{{say}}` in a header",
        ),
    ];
    let server = answers(json!({"at": "choosing"}), json!({"at": "brewing"}));
    for (more, why) in known {
        let subject = asked(&server, "{state: at}", more);
        let output = project(&subject, TURNS)
            .fsmsim(["test", "--trust"])
            .about(more)
            .ends(2, "", "")
            .shown();
        assert!(
            output.contains("scenarios/a.yaml:3:") && output.contains(why),
            "{output}"
        );
    }
    let subject =
        asked(&server, "{state: at}", "").replace("text: '{{say}}'", "'{{session}}': '{{say}}'");
    let output = project(&subject, TURNS)
        .fsmsim(["test", "--trust"])
        .ends(2, "", "")
        .shown();
    assert!(
        output.contains("cannot use `{{session}}` in a key") && !output.contains("FS0006"),
        "{output}"
    );
    assert!(server.requests().is_empty());
}

#[test]
fn history_contains_the_original_replies_of_the_subject() {
    let server = answers(
        json!({"said": "I am planted-secret in talk-4711", "id": "talk-4711"}),
        json!({"said": "Bye, talk-4711", "id": "talk-4711"}),
    );
    let subject = asked(
        &server,
        "{replies: said, session: id}",
        "headers: {X-Key: {env: TEA_TOKEN}},",
    );
    let project = project(&subject, TURNS);
    let trace = project
        .fsmsim(["trace", "scenarios/a.yaml", "--trust"])
        .env("TEA_TOKEN", "planted-secret")
        .shown();
    assert!(
        trace.contains("I am [secret] in {{session}}") && !trace.contains("planted"),
        "{trace}"
    );
    let sent = server.requests()[1].json();
    assert_eq!(
        sent["all"][1],
        json!({"role": "assistant", "content": "I am planted-secret in talk-4711"})
    );
}

#[test]
fn session_id_equal_to_a_state_name_is_not_confused() {
    let server = answers(
        json!({"said": "choosing? unchoosing", "id": "choosing", "at": "choosing", "data": {"tea": "choosing"}}),
        json!({"said": "Here", "id": "choosing", "at": "brewing", "data": {"tea": "choosing"}}),
    );
    let turns = "  - {say: Tea, intent: order, data: {tea: choosing}, expect: {state: choosing, data: {tea: choosing}}}\n  - {say: Green, intent: tea_named}\n";
    for more in ["", REPLAY] {
        let map = "{replies: said, session: id, state: at, data: data}";
        let project = project(&asked(&server, map, more), turns);
        project
            .fsmsim(["test", "--trust", "--accept"])
            .about(more)
            .ends(0, "", "");
        let snapshot = project
            .files()
            .into_iter()
            .find(|file| file.starts_with("snapshots/"))
            .unwrap();
        let snapshot = project.read(&snapshot);
        assert!(
            snapshot.contains("state: {from: choosing, to: brewing}"),
            "{snapshot}"
        );
        assert!(snapshot.contains("{{session}}? unchoosing"), "{snapshot}");
    }
}

#[test]
fn chat_and_transcript_formats_support_subjects() {
    let server = answers(
        json!({"said": ["Black", "or green?"]}),
        json!({"said": "Here\u{1b}[2J"}),
    );
    let project = project(
        &asked(&server, "{replies: said}", ""),
        "  - {say: Tea}\n  - {intent: tea_named}\n",
    );
    let trace = |form: &'static str| {
        project
            .fsmsim(["trace", "scenarios/a.yaml", "--trust", "--format", form])
            .succeeds("")
    };
    let chat = trace("chat");
    let line: Value = serde_json::from_str(chat.lines().last().unwrap()).unwrap();
    assert_eq!(
        line["messages"],
        json!([{"role": "user", "content": "Tea"}, {"role": "assistant", "content": "Black\nor green?"},
            {"role": "user", "content": "[tea_named]"}, {"role": "assistant", "content": "Here"}])
    );
    assert_eq!(
        (&line["turns"], &line["dialogue"]),
        (&json!([1, 1, 2, 2]), &json!("A cup"))
    );
    let text = trace("transcript");
    assert!(
        text.contains("# A cup (system under test, checked against tea)"),
        "{text}"
    );
    assert!(
        text.contains("**Assistant:** Black\n  or green?") && !text.contains('{'),
        "{text}"
    );
    // Without states, the trace cannot be verified, and the error explains it.
    project.write("t.jsonl", trace("jsonl"));
    let output = project
        .fsmsim(["verify", "t.jsonl", "--model", "flows/tea.yaml"])
        .ends(2, "", "")
        .shown();
    assert!(
        output.contains("set its location in the answer under `map`"),
        "{output}"
    );
}

/// A project with an MCP tool that answers a call with this shell command. The variable `$id` has the request ID.
#[cfg(unix)]
fn tool(answer: &str) -> Project {
    let script = format!(
        r#"n=0
while read -r line; do
  case "$line" in *'"id"'*) ;; *) continue ;; esac
  n=$((n+1)); id=$n
  case "$line" in
    *initialize*) echo '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2025-06-18"}}}}' ;;
    *tools/list*) echo '{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{{"name":"say"}}]}}}}' ;;
    *) {answer} ;;
  esac
done
"#
    );
    let subject = "\n  mcp:\n    command: [sh, bot.sh]\n    tool: say\n    timeout: 1.5\n    arguments: {text: '{{say}}'}\n    map: {replies: text}";
    project(subject, "  - {say: Tea}\n").file("bot.sh", script)
}

#[cfg(unix)]
#[test]
fn error_names_the_cause_of_a_failed_tool_call() {
    let known = [
        (
            r#"echo '{"jsonrpc":"2.0","id":99,"result":{}}'"#,
            "expected an answer with the ID 3, found 99",
        ),
        (
            r#"echo '{"jsonrpc":"2.0","id":"3","result":{}}'"#,
            "expected an answer with the ID 3, found \"3\"",
        ),
        ("echo '[1, 2]'", "expected an MCP message, found [1,2]"),
        ("echo 7", "expected an MCP message, found 7"),
        (
            r#"echo '{"result":{}}'"#,
            "expected an MCP message, found {\"result\":{}}",
        ),
        (r#"echo '{"error":"oops"}'"#, "`tools/call` failed: oops"),
        (
            r#"echo '{"jsonrpc":"2.0","id":3,"error":{"code":5}}'"#,
            "`tools/call` failed: {\"code\":5}",
        ),
        ("exec >&-; sleep 10", "the process closed its output"),
    ];
    for (answer, why) in known {
        let output = tool(answer)
            .fsmsim(["test", "--trust"])
            .about(answer)
            .ends(3, "", "")
            .shown();
        assert!(output.contains(why), "{answer}\n{output}");
    }
    let twice = r#"echo '{"jsonrpc":"2.0","id":2,"result":{}}'; echo '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}'"#;
    tool(twice)
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "1 passed", "");
}
