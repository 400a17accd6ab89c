//! Systems that return messages of earlier turns or of the user, and systems that only seem to.

use serde_json::{Value, json};

use super::project;
use crate::support::Project;
use crate::support::loopback::{Seen, Server, gives};

/// A bot that gives these answers, one per turn.
fn bot(answers: &[Value]) -> Server {
    let answers = answers.to_vec();
    Server::reacting(move |seen: &Seen| {
        let turn = seen.json()["n"].as_u64().unwrap();
        gives(&answers[usize::try_from(turn).unwrap() - 1])
    })
}

/// A scenario that maps the replies of a bot in this way.
fn mapped(server: &Server, replies: &str, turns: &str) -> Project {
    let url = server.url.replace("/v1", "/say");
    let subject = format!(
        "{{http: {{url: '{url}', body: {{text: '{{{{say}}}}', n: '{{{{turn}}}}', all: '{{{{history}}}}'}}, map: {{replies: {replies}}}}}}}"
    );
    project(&subject, turns)
}

/// The exit code and the output of a scenario in which the user says `Tea`, then `Green`, and so on.
fn ran(answers: &[Value], replies: &str) -> (i32, String) {
    let says = ["Tea", "Green", "Thanks"];
    let turns = says.iter().take(answers.len());
    let turns: String = turns.map(|say| format!("  - {{say: {say}}}\n")).collect();
    let server = bot(answers);
    let project = mapped(&server, replies, &turns);
    let run = project.fsmsim(["test", "--trust", "--accept"]).run();
    (run.code, run.shown())
}

/// The messages of two turns: the second answer repeats those of the first.
fn dialogue() -> [Value; 2] {
    let message = |role: &str, text: &str| json!({"role": role, "text": text});
    let first = [message("user", "Tea"), message("assistant", "Which?")];
    let second = [message("user", "Green"), message("assistant", "Here")];
    let both = [first.clone(), second].concat();
    [json!({"messages": first}), json!({"messages": both})]
}

/// Answers that contain these replies.
fn replies<const N: usize>(turns: [&[&str]; N]) -> [Value; N] {
    turns.map(|said| json!({"said": said}))
}

const EACH: &str = "'messages[*].text'";
const OWN: &str = "{path: \"messages[?@.role == 'assistant'].text\", since: turn}";

#[test]
fn mapping_of_a_whole_dialogue_is_invalid() {
    let (code, output) = ran(&dialogue(), EACH);
    assert_eq!(code, 2, "{output}");
    for text in [
        "error[FS0256]: the mapped replies of each turn contain the message of the user",
        "scenarios/a.yaml:3:",
        "map the last item, `messages[-1].text`; or select items by a key, `messages[?@.role == 'assistant'].text`, and add `since: turn`",
        "1 invalid",
    ] {
        assert!(output.contains(text), "{text}\n{output}");
    }
    // One turn is enough for the message of the user.
    let (code, output) = ran(&dialogue()[..1], EACH);
    assert!(
        code == 2 && output.contains("the message of the user"),
        "{output}"
    );
    let (code, output) = ran(&dialogue(), "{path: 'messages[*].text', since: turn}");
    assert!(
        code == 2 && output.contains("the message of the user"),
        "{output}"
    );
}

#[test]
fn mapping_of_all_replies_so_far_is_invalid() {
    let so_far = replies([&["Which?"], &["Which?", "Here"]]);
    let (code, output) = ran(&so_far, "said");
    assert_eq!(code, 2, "{output}");
    for text in [
        "error[FS0256]: the mapped replies of each turn contain the replies of the turn before",
        "`said[-1]`",
        "add `since: turn`",
        "if the system repeats these messages itself, add `since: answer`",
    ] {
        assert!(output.contains(text), "{text}\n{output}");
    }
    let (code, output) = ran(&dialogue(), "\"messages[?@.role == 'assistant'].text\"");
    assert!(
        code == 2 && output.contains("the replies of the turn before"),
        "{output}"
    );
    // A trace reports the mistake too.
    let server = bot(&so_far);
    mapped(&server, "said", "  - {say: Tea}\n  - {say: Green}\n")
        .fsmsim(["trace", "scenarios/a.yaml", "--trust"])
        .fails(2, "", "FS0256");
}

#[test]
fn replies_of_the_turn_can_be_selected() {
    let turns = |second: &str| {
        format!(
            "  - {{say: Tea, expect: {{replies: [Which?]}}}}\n  - {{say: Green, expect: {{replies: {second}}}}}\n"
        )
    };
    let server = bot(&dialogue());
    for map in [OWN, "'messages[-1].text'"] {
        mapped(&server, map, &turns("[Here]"))
            .fsmsim(["test", "--trust"])
            .about(map)
            .ends(0, "1 passed", "");
        // A reply of an earlier turn no longer matches.
        mapped(&server, map, &turns("{contains: Which?}"))
            .fsmsim(["test", "--trust"])
            .about(map)
            .ends(1, "1 failed", "");
    }
    // The history that is sent contains each reply once.
    let sent = server.requests()[1].json();
    assert_eq!(
        sent["all"],
        json!([{"role": "user", "content": "Tea"}, {"role": "assistant", "content": "Which?"}, {"role": "user", "content": "Green"}])
    );
}

#[test]
fn key_that_no_item_has_makes_the_subject_unavailable() {
    let (code, output) = ran(&dialogue(), "\"messages[?@.rol == 'assistant'].text\"");
    let why = "cannot find `messages[?@.rol == 'assistant'].text` in the answer: no item of the list has `rol`";
    assert!(code == 3 && output.contains(why), "{output}");
}

#[test]
fn replies_of_the_turn_are_found_in_the_last_messages() {
    let server = bot(&replies([&["a"], &["a", "b"], &["b", "c", "d"]]));
    let turns = "  - {say: Tea, expect: {replies: [a]}}\n  - {say: Green, expect: {replies: [b]}}\n  - {say: Thanks, expect: {replies: [c, d]}}\n";
    mapped(&server, "{path: said, since: turn}", turns)
        .fsmsim(["test", "--trust"])
        .ends(0, "1 passed", "");
}

#[test]
fn system_that_repeats_itself_or_the_user_is_valid() {
    for answers in [
        // It asks again.
        &replies([&["Please repeat"], &["Please repeat"], &["Please repeat"]])[..],
        // It is an echo.
        &replies([&["Tea"], &["Green"]]),
        // It repeats the user once, or begins with the same words once.
        &replies([&["Tea", "Which?"], &["Here"]]),
        &replies([&["Well."], &["Well.", "Which?"], &["Here"]]),
        // It ends with the same question.
        &replies([&["Done.", "More?"], &["Also done.", "More?"]]),
        // It says nothing first.
        &replies([&[], &["Which?"], &["Here"]]),
    ] {
        let (code, output) = ran(answers, "said");
        assert_eq!(code, 0, "{answers:?}\n{output}");
    }
    // Two turns cannot prove that a system repeats itself, so the scenario states it.
    let again = replies([&["Sorry?"], &["Sorry?", "Call us."]]);
    assert_eq!(ran(&again, "said").0, 2);
    let (code, output) = ran(&again, "{path: said, since: answer}");
    assert_eq!(code, 0, "{output}");
}
