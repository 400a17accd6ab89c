//! What a subject tells, held against the model, and what of it outputs show.

use serde_json::{Value, json};

use super::{FLOW, project};
use crate::support::Project;
use crate::support::loopback::{Seen, Server, gives};

/// A webhook that is asked for what `map` names, with these further keys.
fn asked(server: &Server, map: &str, more: &str) -> String {
    let url = server.url.replace("/v1", "/say");
    format!(
        "{{http: {{url: '{url}', body: {{text: '{{{{say}}}}', n: '{{{{turn}}}}', all: '{{{{history}}}}', to: '{{{{session}}}}'}}, {more} map: {map}}}}}"
    )
}

/// A bot that answers the first turn with this and the others with that.
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
fn a_replay_compares_the_way_and_not_the_words() {
    let server = answers(
        json!({"said": "Which?", "at": "choosing"}),
        json!({"said": "Here", "at": "brewing"}),
    );
    let replies = "replies:\n  order: [What else?]\n";
    let flow = format!("{FLOW}{replies}").replace(
        "{goal: g, optional_data: [tea], transitions: {order",
        "{goal: g, optional_data: [tea], rules: {order: order}, transitions: {order",
    );
    let project = project(
        &asked(&server, "{replies: /said, state: /at}", REPLAY),
        TURNS,
    )
    .file("flows/tea.yaml", flow);
    project
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "1 passed", "");
}

#[test]
fn a_breach_of_a_replay_names_what_differs() {
    let server = answers(
        json!({"at": "choosing", "data": {"tea": "red"}}),
        json!({"at": "choosing", "data": {}}),
    );
    let map = "{state: /at, data: /data}";
    let run = project(&asked(&server, map, REPLAY), TURNS)
        .fsmsim(["test", "--trust"])
        .ends(1, "", "")
        .shown();
    assert!(run.contains("divergence in data: expected"), "{run}");
    let server = answers(json!({"at": "parting"}), json!({"at": "parting"}));
    let run = project(&asked(&server, "{state: /at}", REPLAY), TURNS)
        .fsmsim(["test", "--trust"])
        .ends(1, "", "")
        .shown();
    assert!(
        run.contains("divergence in state: expected to: \"choosing\""),
        "{run}"
    );
}

#[test]
fn a_replay_needs_what_each_turn_means_before_anything_is_sent() {
    let server = answers(
        json!({"at": "choosing"}),
        json!({"at": "brewing", "meant": "tea_named"}),
    );
    let turns = "  - {say: Tea, intent: order}\n  - {say: Green}\n";
    let told = project(&asked(&server, "{state: /at}", REPLAY), turns)
        .fsmsim(["test", "--trust"])
        .ends(2, "", "")
        .shown();
    assert!(
        told.contains("scenarios/a.yaml:6:5") && told.contains("verify: replay"),
        "{told}"
    );
    assert!(server.requests().is_empty());
    let map = "{state: /at, intent: '/meant?'}";
    project(&asked(&server, map, REPLAY), turns)
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "1 passed", "");
    // The turn that brings it to light is the one that is told.
    let server = answers(json!({"at": "choosing"}), json!({"at": "brewing"}));
    let told = project(&asked(&server, map, REPLAY), turns)
        .fsmsim(["test", "--trust"])
        .ends(3, "", "")
        .shown();
    assert!(
        told.contains("turn 2: the subject gave no answer: turn 2 of"),
        "{told}"
    );
}

#[test]
fn a_turn_without_its_state_is_failed_in_its_place() {
    let server = answers(json!({"at": null}), json!({"at": "brewing"}));
    for more in ["", REPLAY] {
        let project = project(&asked(&server, "{state: /at}", more), TURNS);
        let told = project
            .fsmsim(["test", "--trust"])
            .about(more)
            .ends(1, "", "")
            .shown();
        assert!(
            told.contains("turn 1") && told.contains("untold_state: expected the name of a state"),
            "{told}"
        );
        assert!(
            !told.contains("turn 2") && !told.contains("missing"),
            "{told}"
        );
        // An answer need not have what is marked so.
        let project = super::project(&asked(&server, "{state: '/at?'}", more), TURNS);
        project
            .fsmsim(["test", "--trust", "--accept"])
            .about(more)
            .ends(0, "1 passed", "");
    }
}

#[test]
fn what_the_subject_took_the_user_to_mean_can_be_expected() {
    let server = answers(
        json!({"at": "choosing", "meant": "order"}),
        json!({"at": "brewing", "meant": "tea_named"}),
    );
    let map = "{state: /at, intent: /meant}";
    let turns = |second: &str| {
        format!(
            "  - {{say: Tea, expect: {{intent: order}}}}\n  - {{say: Green, expect: {{intent: {second}}}}}\n"
        )
    };
    project(&asked(&server, map, ""), &turns("tea_named"))
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "1 passed", "");
    let told = project(&asked(&server, map, ""), &turns("goodbye"))
        .fsmsim(["test", "--trust"])
        .ends(1, "", "")
        .shown();
    assert!(
        told.contains("intent: expected \"goodbye\", got \"tea_named\""),
        "{told}"
    );
    let told = project(&asked(&server, "{state: /at}", ""), &turns("goodbye"))
        .fsmsim(["test", "--trust"])
        .ends(2, "", "")
        .shown();
    assert!(
        told.contains("the subject does not tell `intent`") && told.contains("it tells state"),
        "{told}"
    );
}

#[test]
fn words_that_are_no_words_of_a_key_are_told() {
    let known = [
        ("verify: [replay],", "`verify` is a text"),
        ("method: [POST],", "`method` is a text"),
        ("method: {a: b},", "`method` is a text"),
        (
            "headers: {X-Turn: '{{turn}}'},",
            "`{{turn}}` in a header would be sent as it is",
        ),
        (
            "headers: {X-Turn: {env: A, prefix: '{{say}} '}},",
            "`{{say}}` in a header would be sent as it is",
        ),
    ];
    let server = answers(json!({"at": "choosing"}), json!({"at": "brewing"}));
    for (more, why) in known {
        let subject = asked(&server, "{state: /at}", more);
        let told = project(&subject, TURNS)
            .fsmsim(["test", "--trust"])
            .about(more)
            .ends(2, "", "")
            .shown();
        assert!(
            told.contains("scenarios/a.yaml:3:") && told.contains(why),
            "{told}"
        );
    }
    let subject =
        asked(&server, "{state: /at}", "").replace("text: '{{say}}'", "'{{session}}': '{{say}}'");
    let told = project(&subject, TURNS)
        .fsmsim(["test", "--trust"])
        .ends(2, "", "")
        .shown();
    assert!(
        told.contains("`{{session}}` in a key would be sent as it is") && !told.contains("FS0006"),
        "{told}"
    );
    assert!(server.requests().is_empty());
}

#[test]
fn a_subject_is_sent_its_own_words_as_it_said_them() {
    let server = answers(
        json!({"said": "I am planted-secret in talk-4711", "id": "talk-4711"}),
        json!({"said": "Bye, talk-4711", "id": "talk-4711"}),
    );
    let subject = asked(
        &server,
        "{replies: /said, session: /id}",
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
fn a_dialogue_that_is_named_as_a_state_is_judged_by_its_states() {
    let server = answers(
        json!({"said": "choosing? unchoosing", "id": "choosing", "at": "choosing", "data": {"tea": "choosing"}}),
        json!({"said": "Here", "id": "choosing", "at": "brewing", "data": {"tea": "choosing"}}),
    );
    let turns = "  - {say: Tea, intent: order, data: {tea: choosing}, expect: {state: choosing, data: {tea: choosing}}}\n  - {say: Green, intent: tea_named}\n";
    for more in ["", REPLAY] {
        let map = "{replies: /said, session: /id, state: /at, data: /data}";
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
fn what_was_said_is_a_chat_also_with_a_subject() {
    let server = answers(
        json!({"said": ["Black", "or green?"]}),
        json!({"said": "Here\u{1b}[2J"}),
    );
    let project = project(
        &asked(&server, "{replies: /said}", ""),
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
        text.contains("# A cup (a subject, held against tea, profile documented)"),
        "{text}"
    );
    assert!(
        text.contains("**Assistant:** Black\n  or green?") && !text.contains('{'),
        "{text}"
    );
    // Where no state is told there is nothing to hold against a model, and that is said.
    project.write("t.jsonl", trace("jsonl"));
    let told = project
        .fsmsim(["verify", "t.jsonl", "--model", "flows/tea.yaml"])
        .ends(2, "", "")
        .shown();
    assert!(
        told.contains("where `map` says where the answer tells the `state`"),
        "{told}"
    );
}

/// A tool of a server that answers a call with this line of shell, which has the id as `$id`.
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
    let subject = "\n  mcp:\n    command: [sh, bot.sh]\n    tool: say\n    timeout: 1.5\n    arguments: {text: '{{say}}'}\n    map: {replies: /text}";
    project(subject, "  - {say: Tea}\n").file("bot.sh", script)
}

#[cfg(unix)]
#[test]
fn why_a_tool_gave_no_answer_is_named() {
    let known = [
        (
            r#"echo '{"jsonrpc":"2.0","id":99,"result":{}}'"#,
            "it answered with the id 99, and was asked with 3",
        ),
        (
            r#"echo '{"jsonrpc":"2.0","id":"3","result":{}}'"#,
            "it answered with the id \"3\", and was asked with 3",
        ),
        ("echo '[1, 2]'", "what it sent is no message of MCP: [1,2]"),
        ("echo 7", "what it sent is no message of MCP: 7"),
        (
            r#"echo '{"result":{}}'"#,
            "what it sent is no message of MCP: {\"result\":{}}",
        ),
        (r#"echo '{"error":"oops"}'"#, "`tools/call` failed: oops"),
        (
            r#"echo '{"jsonrpc":"2.0","id":3,"error":{"code":5}}'"#,
            "`tools/call` failed: {\"code\":5}",
        ),
        ("exec >&-; sleep 10", "it closed its output"),
    ];
    for (answer, why) in known {
        let told = tool(answer)
            .fsmsim(["test", "--trust"])
            .about(answer)
            .ends(3, "", "")
            .shown();
        assert!(told.contains(why), "{answer}\n{told}");
    }
    let twice = r#"echo '{"jsonrpc":"2.0","id":2,"result":{}}'; echo '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}'"#;
    tool(twice)
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "1 passed", "");
}
