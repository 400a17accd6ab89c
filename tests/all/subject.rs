//! External systems under test: the request, the interpretation of the response, and failures.

mod held;
mod stale;

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::support::Project;
use crate::support::loopback::{Reaction, Seen, Server, gives, raw, status};

const FLOW: &str = "\
flow:
  name: tea
  entry_points: {default: greeting}
states:
  greeting: {goal: g, optional_data: [tea], transitions: {order: choosing, goodbye: parting}}
  choosing: {goal: g, optional_data: [tea], transitions: {tea_named: brewing, goodbye: parting}}
  brewing: {goal: g, transitions: {thanks: parting}}
  parting: {is_final: true}
";

/// A scenario with this value of `subject:` and these turns.
fn project(subject: &str, turns: &str) -> Project {
    let scenario =
        format!("scenario: A cup\nmodel: flows/tea.yaml\nsubject: {subject}\nturns:\n{turns}");
    Project::new()
        .file("flows/tea.yaml", FLOW)
        .file("scenarios/a.yaml", scenario)
}

/// A webhook subject at this server that reports its state.
fn webhook(server: &Server) -> String {
    let url = server.url.replace("/v1", "/say");
    format!(
        "{{http: {{url: '{url}', body: {{to: '{{{{session}}}}', text: '{{{{say}}}}', n: '{{{{turn}}}}', all: [{{role: system}}, '{{{{history}}}}'], data: '{{{{data}}}}'}}, \
         timeout: 5, map: {{replies: '[*].text', state: '[0].state?'}}}}}}"
    )
}

const TURNS: &str = "  - {say: Tea, intent: order, expect: {state: choosing, replies: [Which?]}}
  - {say: \"Green \\\"\\n\", intent: tea_named, data: {tea: green}, expect: {state: {from: choosing, to: brewing}}}
";

/// A bot that moves through these states and gives fixed replies.
fn bot(states: [&'static str; 2]) -> Server {
    Server::reacting(move |seen: &Seen| {
        let second = seen.json()["n"] == 2;
        let (state, text) = if second {
            (states[1], "Here\u{1b}[2J it is")
        } else {
            (states[0], "Which?")
        };
        gives(&json!([{"text": text, "state": state}, {"image": "cup.png"}]))
    })
}

#[test]
fn nothing_is_sent_and_nothing_is_started_without_consent() {
    let server = bot(["choosing", "brewing"]);
    let project = project(&webhook(&server), TURNS)
        .file("scenarios/b.yaml", "scenario: B\nmodel: flows/tea.yaml\nsubject:\n  mcp:\n    command: [touch, started]\n    tool: say\n    arguments: {text: '{{say}}'}\n    map: {replies: text}\nturns: [{say: Tea}]\n");
    let error = project.fsmsim(["test"]).refuses("");
    let address = server.url.replace("/v1", "/say");
    assert!(
        error.contains("scenarios/a.yaml:3:") && error.contains(&format!("sends to {address}")),
        "{error}"
    );
    assert!(
        error.contains("scenarios/b.yaml:5:14: runs touch started"),
        "{error}"
    );
    project.fsmsim(["trace", "scenarios/b.yaml"]).refuses("");
    // Scenarios that are not selected need no consent.
    project
        .fsmsim(["test", "-E", "title(none)", "--failed"])
        .shown();
    assert!(server.requests().is_empty());
    assert!(!project.files().contains(&"started".to_owned()));
}

#[test]
fn exchange_with_a_subject_is_recorded_as_a_dialogue() {
    let server = bot(["choosing", "brewing"]);
    let project = project(&webhook(&server), TURNS);
    project.fsmsim(["test", "--trust", "--accept"]).shown();
    let sent: Vec<_> = server.requests().iter().map(Seen::json).collect();
    assert_eq!(
        sent[0]["all"],
        json!([{"role": "system"}, {"role": "user", "content": "Tea"}])
    );
    assert_eq!(sent[1]["all"].as_array().unwrap().len(), 4);
    assert_eq!(
        (&sent[1]["n"], &sent[1]["text"], &sent[1]["data"]),
        (&json!(2), &json!("Green \"\n"), &json!({"tea": "green"}))
    );
    assert_eq!(sent[0]["to"], sent[1]["to"]);
    let snapshot = project
        .files()
        .into_iter()
        .find(|file| file.starts_with("snapshots/"))
        .unwrap();
    let snapshot = project.read(&snapshot);
    let shown = snapshot.split("---\n").last().unwrap();
    assert_eq!(
        shown,
        "- turn: 1  # order\n  input: {say: Tea, intent: order}\n  state: {to: choosing}\n  replies:\n    - \"Which?\"\n\
         - turn: 2  # tea_named\n  input: {say: \"Green \\\"\\n\", intent: tea_named, data: {tea: green}}\n  state: {from: choosing, to: brewing}\n  replies:\n    - \"Here\\u001b[2J it is\"\n"
    );
    let run = project.fsmsim(["test", "--trust"]).shown();
    assert!(run.contains("1 passed in 2 turns"), "{run}");
    // A new dialogue has a new session ID.
    assert_ne!(
        server.requests()[0].json()["to"],
        server.requests()[2].json()["to"]
    );
    let table = project
        .fsmsim(["trace", "scenarios/a.yaml", "--trust", "--format", "table"])
        .shown();
    assert!(
        table.contains("choosing -> brewing") && !table.contains('\u{1b}'),
        "{table}"
    );
}

#[test]
fn trace_of_a_subject_can_be_verified() {
    let server = bot(["choosing", "parting"]);
    let project = project(
        &webhook(&server),
        "  - {say: Tea, intent: order}\n  - {say: Bye, intent: goodbye}\n",
    );
    let trace = project
        .fsmsim(["trace", "scenarios/a.yaml", "--trust"])
        .shown();
    let trace: String = trace
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(trace.lines().count(), 4, "{trace}");
    project.write("t.jsonl", trace);
    let output = project
        .fsmsim(["verify", "t.jsonl", "--model", "flows/tea.yaml"])
        .shown();
    assert!(output.contains("conforms to"), "{output}");
}

#[test]
fn undeclared_transition_of_a_subject_fails() {
    let server = bot(["choosing", "greeting"]);
    let project = project(
        &webhook(&server),
        "  - {say: Tea, intent: order}\n  - {say: Green, intent: tea_named}\n",
    );
    let output = project
        .fsmsim(["test", "--trust", "--report", "junit=r.xml"])
        .about("an undeclared transition")
        .ends(1, "", "")
        .shown();
    assert!(
        output.contains("undeclared_transition: expected `choosing` has transitions to"),
        "{output}"
    );
    assert!(output.contains("got `choosing` → `greeting`"), "{output}");
    assert!(project.read("r.xml").contains("undeclared_transition"));
}

#[test]
fn replay_compares_the_subject_with_the_model() {
    let server = bot(["parting", "parting"]);
    let subject = webhook(&server);
    let turns = "  - {say: Tea, intent: order}\n";
    // A transition from `greeting` to `parting` exists, but not for this intent.
    project(&subject, turns)
        .fsmsim(["test", "--trust", "--accept"])
        .ends(0, "", "");
    let output = project(&subject.replace("timeout: 5", "verify: replay"), turns)
        .fsmsim(["test", "--trust"])
        .ends(1, "", "")
        .shown();
    assert!(output.contains("divergence"), "{output}");
}

#[test]
fn failing_subject_is_unavailable() {
    let turns = "  - {say: Tea, expect: {replies: [Which?]}}\n";
    let reactions: [(Reaction, &str); 7] = [
        (status(503, ""), "it returned status 503"),
        (
            raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<a/>\n"),
            "the answer is not JSON: <a/>",
        ),
        (
            raw("nonsense"),
            "it closed the connection before it answered|the response is not HTTP|the connection failed",
        ),
        (
            gives(&json!({"text": "x"})),
            "cannot find `[*].text` in the answer: no `*` among the keys `text`",
        ),
        (
            status(302, "Location: http://127.0.0.1:1/\r\n"),
            "the redirect (status 302) is not followed",
        ),
        (Reaction::Drops, "it closed the connection"),
        (
            gives(&json!([{"text": "x".repeat(2 << 20)}])),
            "the answer is larger than 1 MiB",
        ),
    ];
    for (reaction, why) in reactions {
        let server = Server::start(vec![reaction]);
        let project = project(&webhook(&server), turns);
        let output = project
            .fsmsim(["test", "--trust", "--report", "json=r.json"])
            .about(why)
            .ends(3, "", "")
            .shown();
        assert!(
            output.contains("turn 1: the subject did not answer: ")
                && why.split('|').any(|why| output.contains(why)),
            "{why}\n{output}"
        );
        assert!(
            project
                .read("r.json")
                .contains("\"verdict\": \"unavailable\"")
                || project
                    .read("r.json")
                    .contains("\"verdict\":\"unavailable\"")
        );
        assert_eq!(server.requests().len(), 1, "a turn is sent once");
    }
    let server = Server::start(vec![Reaction::Hangs]);
    let subject = webhook(&server).replace("timeout: 5", "timeout: 0.3");
    let output = project(&subject, turns)
        .fsmsim(["test", "--trust"])
        .ends(3, "", "")
        .shown();
    assert!(output.contains("no answer within 0.3 s"), "{output}");
    let server = Server::start(vec![status(500, "")]);
    let subject = webhook(&server);
    server.stop();
    let output = project(&subject, turns)
        .fsmsim(["test", "--trust"])
        .ends(3, "", "")
        .shown();
    assert!(output.contains("connection refused"), "{output}");
}

#[test]
fn failed_expectation_outranks_an_unavailable_subject() {
    let server = Server::reacting(|seen| {
        if seen.json()["n"] == 1 {
            gives(&json!([{"text": "What?"}]))
        } else {
            status(500, "")
        }
    });
    let turns = "  - {say: Tea, expect: {replies: [Which?]}}\n  - {say: Tea}\n";
    let output = project(&webhook(&server), turns)
        .fsmsim(["test", "--trust"])
        .ends(1, "", "")
        .shown();
    assert!(output.contains("FAILED A cup"), "{output}");
}

#[test]
fn secrets_are_named_but_never_shown() {
    let server = Server::reacting(|seen| {
        gives(
            &json!({"said": format!("you are {}", seen.header("authorization").unwrap_or("nobody"))}),
        )
    });
    let url = server.url.replace("/v1", "/say?q={{say}}");
    let subject = format!(
        "\n  http:\n    url: '{url}'\n    method: GET\n    headers:\n      Authorization: {{env: TEA_TOKEN, prefix: 'Bearer '}}\n    map: {{replies: said}}"
    );
    let project = project(
        &subject,
        "  - {say: 'Tea & more', expect: {replies: ['you are Bearer [secret]']}}\n",
    );
    let output = project.fsmsim(["test", "--trust"]).ends(3, "", "").shown();
    assert!(
        output.contains("the environment variable `TEA_TOKEN` is not set or is empty"),
        "{output}"
    );
    let output = project
        .fsmsim(["test", "--trust", "--accept", "-v"])
        .env("TEA_TOKEN", "planted-secret\n")
        .ends(0, "", "")
        .shown();
    assert_eq!(server.requests()[0].target(), "GET /say?q=Tea%20%26%20more");
    assert_eq!(
        server.requests()[0].header("authorization"),
        Some("Bearer planted-secret")
    );
    assert!(!output.contains("planted-secret"), "{output}");
    for file in project.files() {
        assert!(!project.read(&file).contains("planted-secret"), "{file}");
    }
    let output = project
        .fsmsim(["test"])
        .env("TEA_TOKEN", "planted-secret")
        .refuses("");
    assert!(
        output.contains("scenarios/a.yaml:8:22: reads the variable TEA_TOKEN"),
        "{output}"
    );
}

#[test]
fn mistakes_are_reported_with_their_location() {
    let turns = "  - {say: Tea, expect: {state: choosing}}\n";
    for (subject, message) in [
        (
            "{http: {url: 'http://h/', body: {t: '{{sya}}', s: '{{say}}'}, map: {replies: t}}}",
            "unknown placeholder `{{sya}}`",
        ),
        (
            "{http: {url: 'http://{{say}}/', map: {replies: t}}}",
            "cannot use a placeholder in the host of `url`",
        ),
        (
            "{http: {url: 'http://me:pw@h/', body: '{{say}}', map: {replies: t}}}",
            "`url` contains a user name or a password",
        ),
        (
            "{http: {url: 'http://h/', headers: {X-Token: abc}, body: '{{say}}', map: {replies: t}}}",
            "the secret header `X-Token` is in plain text",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {reply: t}}}",
            "replies",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {replies: /out/text}}}",
            "`out.text`",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {replies: t}}}",
            "the subject does not report `state`",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {state: {path: s, values: {A: chosing}}}}}",
            "choosing",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {state: s}}, mcp: {}}",
            "cannot use `http` with `mcp`",
        ),
        (
            "{http: {url: 'http://h/', body: '{{turn}}', map: {state: s}}}",
            "the request does not contain the input of the turn",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {state: s}, keep: {say: x}}}",
            "is built in",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {state: s}, timeout: 0}}",
            "seconds for `timeout`, found 0",
        ),
        (
            "{http: {url: 'http://h/', boddy: '{{say}}', map: {state: s}}}",
            "body",
        ),
        (
            "{mcp: {command: 'a | b', tool: t, arguments: {a: '{{say}}'}, map: {state: s}}}",
            "cannot use shell syntax in `command`",
        ),
        (
            "{mcp: {tool: t, arguments: {a: '{{say}}'}, map: {state: s}}}",
            "missing `command` or `url` in `mcp`",
        ),
        (
            "{mcp: {command: a, tool: t, arguments: '{{say}}', map: {state: s}}}",
            "expected a map for `arguments`",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {state: {path: s, since: turn}}}}",
            "unknown key `since`",
        ),
        (
            "{http: {url: 'http://h/', body: '{{say}}', map: {replies: {path: t, since: turns}}}}",
            "unknown value `turns`",
        ),
        ("{htpp: {}}", "http"),
        ("{}", "missing `http` or `mcp` in `subject`"),
    ] {
        let run = project(subject, turns)
            .fsmsim(["test", "--trust"])
            .about(subject)
            .ends(2, "", "")
            .shown();
        assert!(
            run.contains("scenarios/a.yaml:3:")
                || run.contains("scenarios/a.yaml:1:1")
                || run.contains("scenarios/a.yaml:5:"),
            "{subject}\n{run}"
        );
        assert!(run.contains(message), "{subject}\n{run}");
        assert!(!run.contains("abc"), "{run}");
    }
}

#[test]
fn subject_can_use_case_parameters_and_turn_data() {
    let server = Server::reacting(|seen| {
        gives(&json!([{"text": seen.target()}, {"text": seen.json()["text"]}]))
    });
    let url = server.url.replace("/v1", "/{{path}}");
    let project = project(
        &format!(
            "{{http: {{url: '{url}', body: {{text: '{{{{say}}}}'}}, map: {{replies: {{path: '[*].text', since: answer}}}}}}}}\ncases: [{{path: a, say: Tea}}, {{path: b, say: Bye}}]"
        ),
        "  - {say: '{{say}}', expect: {replies: ['POST /{{path}}', '{{say}}']}}\n",
    );
    let output = project.fsmsim(["test", "--trust"]).ends(0, "", "").shown();
    assert!(output.contains("2 passed"), "{output}");
}

#[test]
fn fsmsim_mcp_server_can_be_a_subject() {
    let bin = env!("CARGO_BIN_EXE_fsmsim");
    let scenario = format!(
        "scenario: The assistant is led\nmodel: states/student\nsubject:\n  mcp:\n    command: ['{bin}', mcp, states/student]\n    tool: TOOL\n    arguments: {{state: '{{{{say}}}}'}}\n    map: {{replies: text}}\nturns:\n  - {{say: test_start, expect: {{replies: {{contains: [{{matches: test_start}}]}}}}}}\n"
    );
    let library = Project::library().file(
        "scenarios/a.yaml",
        scenario.replace("TOOL", "get_instruction"),
    );
    library
        .fsmsim(["test", "--trust", "scenarios/a.yaml"])
        .ends(0, "", "")
        .shown();
    let library = Project::library().file(
        "scenarios/a.yaml",
        scenario.replace("TOOL", "get_instrucion"),
    );
    let output = library
        .fsmsim(["test", "--trust", "scenarios/a.yaml"])
        .ends(3, "", "")
        .shown();
    assert!(
        output.contains("unknown tool `get_instrucion`: a similar tool exists: `get_instruction`"),
        "{output}"
    );
}

#[test]
fn examples_on_the_subjects_page_are_valid() {
    let page = crate::support::text("docs/src/how-to/test-an-external-system.md");
    let blocks: Vec<&str> = page
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(blocks.len(), 5);
    for block in blocks {
        let scenario = if block.starts_with("scenario:") {
            block.to_owned()
        } else {
            format!("scenario: One\nmodel: flows/tea.yaml\n{block}turns: [{{say: Tea}}]\n")
        };
        let project = Project::new()
            .file("flows/tea.yaml", FLOW)
            .file("scenarios/a.yaml", scenario);
        // Only a valid scenario asks for consent.
        let error = project.fsmsim(["test"]).about(block).refuses("FS0306");
        assert!(
            error.contains("sends to http") || error.contains("runs python3"),
            "{error}"
        );
        assert_eq!(project.fsmsim(["list"]).succeeds("").lines().count(), 1);
    }
}

#[cfg(unix)]
mod processes {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::{Project, project};

    fn shell(script: &str) -> Project {
        let subject = format!(
            "\n  mcp:\n    command: [sh, -c, '{script}']\n    tool: say\n    arguments: {{text: '{{{{say}}}}'}}\n    map: {{replies: text}}"
        );
        project(&subject, "  - {say: Tea}\n")
    }

    fn runs(pid: &str) -> bool {
        Command::new("kill")
            .args(["-0", pid.trim()])
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    /// Waits until a condition holds, at most one minute.
    fn until(condition: impl Fn() -> bool) {
        let started = Instant::now();
        while !condition() {
            assert!(
                started.elapsed() < Duration::from_mins(1),
                "the condition does not hold"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn ended_process_kills_its_children_and_reports_its_stderr() {
        let project = shell("sleep 1000 & echo $! > child; echo no kettle >&2; exit 7");
        let output = project.fsmsim(["test", "--trust"]).ends(3, "", "").shown();
        assert!(
            output.contains("the process exited (exit status: 7); it wrote: no kettle"),
            "{output}"
        );
        until(|| !runs(&project.read("child")));
    }

    #[test]
    fn missing_program_is_unavailable() {
        let subject = "{mcp: {command: [no-such-program-anywhere], tool: t, arguments: {a: '{{say}}'}, map: {replies: text}}}";
        let output = project(subject, "  - {say: Tea}\n")
            .fsmsim(["test", "--trust"])
            .ends(3, "", "")
            .shown();
        assert!(
            output.contains("cannot start `no-such-program-anywhere`"),
            "{output}"
        );
    }

    #[test]
    fn interrupted_run_leaves_no_process() {
        let project = shell("echo $$ > leader; sleep 1000 & echo $! > child; wait");
        let mut run = project.fsmsim(["test", "--trust"]).spawn();
        until(|| {
            project.files().contains(&"child".to_owned())
                && !project.read("child").trim().is_empty()
        });
        assert!(
            Command::new("kill")
                .args(["-INT", &run.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let end = run.wait().unwrap();
        assert!(!end.success());
        until(|| !runs(&project.read("child")) && !runs(&project.read("leader")));
    }
}

#[test]
fn replies_of_a_subject_are_judged() {
    let server = bot(["choosing", "brewing"]);
    let judged = "  - {say: Tea, intent: order, expect: {replies: {judge: It asks which tea}}}\n";
    let project = project(&webhook(&server), judged)
        .file(
            "yes.yaml",
            "rules: [{need: judge, say: 'Which', answer: {passed: true, reason: it asks}}]\n",
        )
        .file(
            "no.yaml",
            "rules: [{need: judge, answer: {passed: false, reason: too short}}]\n",
        )
        .file(
            "nobody.yaml",
            "rules: [{need: judge, fault: no_provider}]\n",
        );
    let test = |judge: &'static str| project.fsmsim(["test", "--trust", "--judge", judge]);
    test("mock:yes.yaml").succeeds("1 passed");
    test("mock:no.yaml").fails(1, "too short", "");
    test("mock:nobody.yaml").unavailable("no judge evaluated the replies", "");
    project
        .fsmsim(["test", "--trust"])
        .unavailable("no judge is configured", "");
    server.stop();
}

#[test]
fn truncated_error_contains_no_part_of_a_secret() {
    let key = "planted-secret-of-a-subject";
    for length in [330, 345, 350, 355, 360, 365, 370, 380] {
        let text = format!("{}{key}", "x".repeat(length));
        let server = Server::start(vec![Reaction::Answers(500, String::new(), text)]);
        let subject = format!(
            "{{http: {{url: '{}', headers: {{X-Key: {{env: BOT_KEY}}}}, body: {{text: '{{{{say}}}}'}}, map: {{replies: text}}}}}}",
            server.url
        );
        let project = project(&subject, "  - {say: Tea}\n");
        let run = project
            .fsmsim(["test", "--trust"])
            .env("BOT_KEY", key)
            .unavailable("status 500", "");
        assert!(
            !run.stdout.contains("plant") && !run.stderr.contains("plant"),
            "{run}"
        );
        server.stop();
    }
}

#[test]
fn failed_scenario_of_a_subject_is_retried() {
    let reports = |project: &Project| -> serde_json::Value {
        serde_json::from_str(&project.read("run.json")).unwrap()
    };
    let run = |project: &Project, options: &[&str]| {
        let all = ["test", "--trust", "--check", "--report", "json=run.json"];
        project.fsmsim(all.iter().chain(options)).run()
    };
    let project_of = |server: &Server| project(&webhook(server), TURNS);
    // The first answer is wrong, all others are right.
    let server = || {
        let wrong = AtomicBool::new(true);
        Server::reacting(move |seen: &Seen| {
            let state = match seen.json()["n"].as_u64() {
                Some(1) if !wrong.swap(false, Ordering::SeqCst) => "choosing",
                Some(1) => "parting",
                _ => "brewing",
            };
            let text = if state == "choosing" {
                "Which?"
            } else {
                "Here"
            };
            gives(&json!([{"text": text, "state": state}]))
        })
    };
    let broken = server();
    let project = project_of(&broken);
    let one = run(&project, &[]);
    assert_eq!(one.code, 1, "{one}");
    let broken = server();
    let project = project_of(&broken).file("fsmsim.toml", "[test]\nretries = 2\n");
    let two = run(&project, &[]);
    assert_eq!(two.code, 0, "{two}");
    // The first attempt is not forgotten.
    let trials = &reports(&project)["scenarios"][0]["trials"];
    assert_eq!(
        (&trials["passed"], &trials["failed"]),
        (&json!(1), &json!(1))
    );
    let broken = server();
    let none = run(&project_of(&broken), &["--retries", "0"]);
    assert_eq!(none.code, 1, "{none}");
}
