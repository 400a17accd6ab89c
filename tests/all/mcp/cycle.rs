//! The task server of agent cycles: concurrent clients submit, advance, follow and query tasks with a shared memory.

use serde_json::{Value, json};

use super::{Http, Pipe};
use crate::support::Project;

/// The effects backend.
const BACKEND: &str = "
answers:
  - {effect: act, when: {capability: run_tests}, return: {status: done, success: true, measurable_effect: tests passed}}
  - {effect: act, when: {capability: write_file}, return: {status: done, success: true, measurable_effect: file written}}
  - {effect: act, when: {capability: deploy}, return: {status: done, success: true, measurable_effect: deployed}}
  - {effect: roll_back, return: {status: done}}
";
/// A mock that does the work if the client does not.
const MOCK: &str = "
rules:
  - {need: work, state: analyze, answer: {output: {analysis: A page is missing}}}
  - {need: work, state: plan, answer: {output: {plan: [write it, test it]}}}
  - {need: work, state: execute, answer: {output: {result: done}}}
  - {need: work, state: validate, times: 1, answer: {output: {action: {capability: run_tests}, message: tested}}}
  - {need: work, state: validate, answer: {output: {report: 'DECISION: APPROVED'}}}
";
const CYCLE: [&str; 3] = [
    "flows/agent_cycle.yaml",
    "--start",
    "{backend: backend.yaml}",
];

fn project() -> Project {
    Project::new()
        .with_flows()
        .file("backend.yaml", BACKEND)
        .file("mock.yaml", MOCK)
}

fn serve(project: &Project, options: &[&str]) -> Pipe {
    Pipe::start(project, &[&CYCLE, options].concat())
}

/// The outputs that complete a task, node by node.
fn outputs() -> [Value; 5] {
    [
        json!("A page is missing"),
        json!({"plan": ["write it"]}),
        json!({"result": "written", "action": {"capability": "write_file", "inputs": {"path": "a", "text": "b"}}}),
        json!({"action": {"capability": "run_tests"}, "message": "tested"}),
        json!({"report": "It is there. DECISION: APPROVED"}),
    ]
}

/// Calls a tool that must succeed. Returns the structured content of its answer.
#[track_caller]
fn done(server: &mut Pipe, tool: &str, arguments: &Value) -> Value {
    let mut answer = server.tool(tool, arguments);
    assert_eq!(
        answer["isError"],
        json!(false),
        "{tool} {arguments}: {answer}"
    );
    answer["structuredContent"].take()
}

/// Calls a tool that must fail. Returns the text of its answer.
#[track_caller]
fn refused(server: &mut Pipe, tool: &str, arguments: &Value) -> String {
    let answer = server.tool(tool, arguments);
    assert_eq!(
        answer["isError"],
        json!(true),
        "{tool} {arguments}: {answer}"
    );
    text(&answer).to_owned()
}

/// Completes a submitted task. `last` is the output of the final tick.
fn complete_task(server: &mut Pipe, task: &str, last: &Value) -> Value {
    for output in outputs() {
        done(server, "tick", &json!({"task_id": task, "output": output}));
    }
    done(server, "tick", &json!({"task_id": task, "output": last}))
}

fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn client_completes_a_task() {
    let project = project();
    let mut server = serve(&project, &[]);
    let begun = server.tool(
        "submit_task",
        &json!({"task_id": "page", "description": "Write the page"}),
    );
    insta::assert_snapshot!(text(&begun));
    insta::assert_snapshot!(pretty(&begun["structuredContent"]));
    let mut passed = Vec::new();
    for output in outputs() {
        let status = done(
            &mut server,
            "tick",
            &json!({"task_id": "page", "output": output}),
        );
        passed.push(format!(
            "{} {} {}",
            status["state"], status["status"], status["pending"]
        ));
    }
    assert_eq!(
        passed,
        [
            r#""plan" "planning" []"#,
            r#""execute" "executing" ["write it"]"#,
            r#""validate" "validating" []"#,
            r#""validate" "validating" []"#,
            r#""commit" "committing" []"#,
        ]
    );
    let finished = server.tool("tick", &json!({"task_id": "page"}));
    insta::assert_snapshot!(pretty(&finished["structuredContent"]));
    // The next task knows the artifacts of this one, and `why` explains their origin.
    let next = done(
        &mut server,
        "submit_task",
        &json!({"task_id": "other", "description": "Write about what was written"}),
    );
    let known = next["waits_for"]["knows"]["knowledge"].as_array().unwrap();
    assert_eq!(
        known
            .iter()
            .map(|artifact| &artifact["content"])
            .collect::<Vec<_>>(),
        [&json!(["written"]), &json!(["write it"])]
    );
    let found = done(
        &mut server,
        "search_memory",
        &json!({"query": "writing", "kinds": ["procedural"]}),
    );
    insta::assert_snapshot!(pretty(&found));
    let why = server.tool("why", &json!({"artifact": known[0]["id"]}));
    insta::assert_snapshot!(text(&why));
    assert_eq!(why["structuredContent"]["artifact"]["id"], known[0]["id"]);
    let audit = server.tool("audit", &json!({"task_id": "page", "behind": 20}));
    insta::assert_snapshot!(text(&audit));
    let parts = &audit["structuredContent"];
    assert_eq!(
        (&parts["whole"], &parts["fault"]),
        (&json!(true), &Value::Null)
    );
    let (log, code) = server.end();
    insta::assert_snapshot!(log);
    assert_eq!(code, 0);
}

#[test]
fn cycle_tools_are_listed_with_their_read_only_hints() {
    let project = project();
    let mut server = serve(&project, &[]);
    let tools = server.ask("tools/list", &json!({}))["result"]["tools"].take();
    let tools = tools.as_array().unwrap();
    let listed: Vec<String> = tools
        .iter()
        .map(|tool| {
            let properties: Vec<&str> = tool["inputSchema"]["properties"]
                .as_object()
                .unwrap()
                .keys()
                .map(|key| &**key)
                .collect();
            let reads = if tool["annotations"]["readOnlyHint"] == json!(true) {
                " reads"
            } else {
                ""
            };
            format!(
                "{}{reads}: {} of which {}",
                tool["name"].as_str().unwrap(),
                properties.join(" "),
                tool["inputSchema"]["required"]
            )
        })
        .collect();
    insta::assert_snapshot!(listed.join("\n"));
    assert!(
        tools
            .iter()
            .all(|tool| tool["inputSchema"]["additionalProperties"] == json!(false))
    );
    insta::assert_snapshot!(pretty(&tools[1]));
    assert_eq!(server.end().1, 0);
}

#[test]
fn work_of_the_server_is_reported_turn_by_turn() {
    let project = project();
    let mut server = serve(&project, &["--llm", "mock:mock.yaml"]);
    let progress = |server: &mut Pipe| -> Vec<String> {
        let messages = std::mem::take(&mut server.told);
        messages
            .iter()
            .map(|message| {
                assert_eq!(
                    (&message["method"], &message["params"]["progressToken"]),
                    (&json!("notifications/progress"), &json!("p"))
                );
                format!(
                    "{} {}",
                    message["params"]["progress"],
                    message["params"]["message"].as_str().unwrap()
                )
            })
            .collect()
    };
    let all = [
        "1.0 waiting -> analyze (enter)",
        "2.0 analyze -> plan (advance)",
        "3.0 plan -> execute (advance)",
        "4.0 execute -> execute (hold)",
        "5.0 execute -> validate (advance)",
        "6.0 validate -> validate (hold)",
        "7.0 validate -> commit (advance)",
        "8.0 commit -> committed (finish)",
    ];
    let watched = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments, "_meta": {"progressToken": "p"}});
    let mut run = server.ask(
        "tools/call",
        &watched(
            "submit_task",
            json!({"description": "Write the page", "run": true}),
        ),
    );
    assert_eq!(run["result"]["structuredContent"]["state"], "committed");
    assert_eq!(progress(&mut server), all);
    let first = run["result"]["structuredContent"]["task_id"].take();
    // A second submission of the same description is a new task, which is advanced in parts.
    let second = done(
        &mut server,
        "submit_task",
        &json!({"description": "Write the page"}),
    )["task_id"]
        .take();
    assert_eq!(
        (first, &second),
        (
            json!("377a48f6-3630-523b-b376-dc5f1e0486b7"),
            &json!("d3547039-1709-5cb1-b951-8a7a05caf6b3")
        )
    );
    let piece = server.ask(
        "tools/call",
        &watched("stream", json!({"task_id": second, "turns": 3})),
    );
    assert_eq!(piece["result"]["structuredContent"]["state"], "execute");
    assert_eq!(progress(&mut server), all[1..4]);
    // Without a progress token, no progress is reported.
    let rest = done(&mut server, "stream", &json!({"task_id": second}));
    assert_eq!(
        (&rest["state"], &rest["turns"]),
        (&json!("committed"), &json!(8))
    );
    assert!(server.told.is_empty());
    assert_eq!(server.end().1, 0);
}

#[test]
fn unanswered_work_leaves_the_task_pending_with_its_faults() {
    let project = project().file(
        "mute.yaml",
        "rules: [{need: work, state: analyze, answer: {output: {analysis: a}}}]",
    );
    let mut server = serve(&project, &["--llm", "mock:mute.yaml"]);
    let pending = done(
        &mut server,
        "submit_task",
        &json!({"task_id": "a", "description": "x", "run": true}),
    );
    assert_eq!(
        (&pending["state"], &pending["turns"]),
        (&json!("plan"), &json!(3))
    );
    insta::assert_snapshot!(pretty(&pending["faults"]));
    // The client can continue the task.
    let next = done(
        &mut server,
        "tick",
        &json!({"task_id": "a", "output": {"plan": ["x"]}}),
    );
    assert_eq!(next["state"], "execute");
    assert!(
        refused(&mut server, "tick", &json!({"task_id": "a"}))
            .contains("Last error, in turn 5: work: no rule of the mock matches")
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn hostile_arguments_are_refused_with_help() {
    let project = project();
    let mut server = serve(&project, &[]);
    done(
        &mut server,
        "submit_task",
        &json!({"task_id": "page", "description": "x"}),
    );
    let endless = "a".repeat(20_000);
    let calls = [
        ("submit_task", json!({})),
        ("submit_task", json!({"description": ""})),
        ("submit_task", json!({"description": endless})),
        ("submit_task", json!({"description": ["x"]})),
        (
            "submit_task",
            json!({"description": "x", "task_id": "../../etc"}),
        ),
        (
            "submit_task",
            json!({"description": "x", "task_id": "page"}),
        ),
        (
            "submit_task",
            json!({"description": "x", "is_adaptation": true}),
        ),
        (
            "submit_task",
            json!({"description": "x", "deadline": "tomorrow"}),
        ),
        ("submit_task", json!({"description": "x", "run": true})),
        ("submit_task", json!({"description": "x", "run": "yes"})),
        ("tick", json!({"task_id": "pgae"})),
        ("tick", json!({"task_id": "page"})),
        ("tick", json!({"task_id": "page", "outptu": {}})),
        ("tick", json!({"task_id": "page", "output": 7})),
        ("tick", json!({"task_id": "page", "output": {}})),
        (
            "tick",
            json!({"task_id": "page", "output": {"analisys": "x"}}),
        ),
        (
            "tick",
            json!({"task_id": "page", "output": {"is_validated": true}}),
        ),
        (
            "tick",
            json!({"task_id": "page", "output": {"write.scope": "shared"}}),
        ),
        (
            "tick",
            json!({"task_id": "page", "output": {"\u{1b}[31m": 1}}),
        ),
        (
            "approve",
            json!({"task_id": "page", "capability": "deploy"}),
        ),
        (
            "approve",
            json!({"task_id": "page", "capability": "deploy", "by": ""}),
        ),
        (
            "observe",
            json!({"source": "ci", "category": "dreams", "signal": "red", "confidence": 1}),
        ),
        (
            "observe",
            json!({"source": "ci", "category": "system", "signal": "red", "confidence": 7}),
        ),
        (
            "observe",
            json!({"source": "ci", "category": "system", "signal": "red"}),
        ),
        (
            "observe",
            json!({"source": "ci", "category": "system", "signal": "red", "confidence": 1, "task_id": "none"}),
        ),
        ("cancel", json!({"task_id": null})),
        ("stream", json!({"task_id": "page", "turns": 0})),
        ("stream", json!({"task_id": "none"})),
        (
            "search_memory",
            json!({"query": "x", "kinds": ["episodic"]}),
        ),
        ("why", json!({"artifact": "%%%%"})),
        ("audit", json!({"most": -1})),
    ];
    let refusals: Vec<String> = calls
        .iter()
        .map(|(tool, arguments)| {
            let given = arguments.to_string().chars().take(100).collect::<String>();
            format!(
                "{tool} {given}\n  {}",
                refused(&mut server, tool, arguments)
            )
        })
        .collect();
    insta::assert_snapshot!(refusals.join("\n"));
    let other = server.ask("tools/call", &json!({"name": "commit", "arguments": {}}));
    insta::assert_snapshot!(other["error"]["message"].as_str().unwrap());
    // The refused calls changed nothing.
    let status = done(&mut server, "task_status", &json!({"task_id": "page"}));
    assert_eq!(
        (&status["state"], &status["turns"]),
        (&json!("analyze"), &json!(1))
    );
    assert_eq!(
        done(&mut server, "task_status", &json!({}))["tasks"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let (log, code) = server.end();
    assert_eq!((log.contains('\u{1b}'), code), (false, 0));
}

#[test]
fn observation_and_lesson_start_tasks_but_not_a_third() {
    let project = project();
    let mut server = serve(&project, &[]);
    let seen = json!({"source": "ci", "category": "environment", "signal": "build failed", "confidence": 0.9});
    let with = |more: Value| {
        let mut all = seen.clone();
        all.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        all
    };
    // An observation writes no memory, and starts a task only with `starts`.
    let plain = done(&mut server, "observe", &seen);
    assert_eq!(
        (&plain["taken"], &plain["began"]),
        (&json!(true), &json!([]))
    );
    let starts = done(
        &mut server,
        "observe",
        &with(json!({"starts": true, "observation_id": "o1", "metadata": {"build": 7}})),
    );
    insta::assert_snapshot!(pretty(&starts));
    let task = starts["began"][0].as_str().unwrap().to_owned();
    let begun = done(&mut server, "task_status", &json!({"task_id": task}));
    assert_eq!(
        (&begun["begun_by"], &begun["state"]),
        (&json!("o1"), &json!("analyze"))
    );
    assert_eq!(
        begun["description"],
        "Investigate the observation: build failed"
    );
    // The lesson of the task starts one more task; the lesson of that task starts no third.
    let finished = complete_task(
        &mut server,
        &task,
        &json!({"lesson": "look at the log first"}),
    );
    assert_eq!(finished["state"], "committed");
    let status = done(&mut server, "task_status", &json!({"task_id": task}));
    let adapted = status["began"][0].as_str().unwrap().to_owned();
    let adaptation = done(&mut server, "task_status", &json!({"task_id": adapted}));
    assert_eq!(
        (&adaptation["is_adaptation"], &adaptation["begun_by"]),
        (&json!(true), &json!(task))
    );
    assert_eq!(
        adaptation["description"],
        "Propose the lesson: look at the log first"
    );
    let third = complete_task(
        &mut server,
        &adapted,
        &json!({"lesson": "and the one before it"}),
    );
    assert_eq!(
        (&third["state"], &third["began"]),
        (&json!("committed"), &json!([]))
    );
    assert_eq!(
        third["faults"],
        json!([{"turn": 7, "what": "new_session", "why": "a follow-up task cannot start another task"}])
    );
    // The provenance of the artifact leads back to the observation.
    let found = done(
        &mut server,
        "search_memory",
        &json!({"query": "written", "kinds": ["semantic"]}),
    );
    let last = found["found"]
        .as_array()
        .unwrap()
        .iter()
        .find(|artifact| artifact["task_id"] == json!(adapted))
        .unwrap();
    let why = done(&mut server, "why", &json!({"artifact": last["id"]}));
    let origin: Vec<&Value> = why["origin"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["kind"])
        .collect();
    assert_eq!(origin, ["task_submitted", "task_submitted", "observed"]);
    let tasks = server.tool("task_status", &json!({}));
    insta::assert_snapshot!(text(&tasks));
    assert_eq!(server.end().1, 0);
}

#[test]
fn high_risk_capability_requires_approval() {
    let project = project();
    let mut server = serve(&project, &[]);
    done(
        &mut server,
        "submit_task",
        &json!({"task_id": "a", "description": "Deploy it"}),
    );
    done(
        &mut server,
        "tick",
        &json!({"task_id": "a", "output": "It is to be deployed"}),
    );
    done(
        &mut server,
        "tick",
        &json!({"task_id": "a", "output": {"plan": ["deploy"]}}),
    );
    let deploy = json!({"done": false, "action": {"capability": "deploy", "inputs": {"target": "x"}}, "message": "now"});
    let denied = done(
        &mut server,
        "tick",
        &json!({"task_id": "a", "output": deploy}),
    );
    assert_eq!(
        (&denied["refused"], &denied["pending"]),
        (&json!("deploy"), &json!(["deploy"]))
    );
    assert_eq!(
        denied["faults"],
        json!([{"turn": 4, "what": "act deploy", "why": "a high-risk capability needs approval"}])
    );
    let approved = done(
        &mut server,
        "approve",
        &json!({"task_id": "a", "capability": "deploy", "by": "Ann"}),
    );
    assert_eq!(approved["approvals"], json!(["deploy"]));
    let passed = done(
        &mut server,
        "tick",
        &json!({"task_id": "a", "output": deploy}),
    );
    assert_eq!(
        (&passed["refused"], &passed["faults"]),
        (&Value::Null, &denied["faults"])
    );
    // Actions that cannot be rolled back are listed when the task ends.
    let cancelled = done(&mut server, "cancel", &json!({"task_id": "a"}));
    assert_eq!(
        (&cancelled["status"], &cancelled["left_behind"]),
        (&json!("cancelled"), &json!([[deploy["action"]]]))
    );
    assert_eq!(
        refused(
            &mut server,
            "tick",
            &json!({"task_id": "a", "output": deploy})
        ),
        "The task `a` has ended in `cancelled`. Get its status with task_status, or submit another task."
    );
    let audit = done(&mut server, "audit", &json!({"task_id": "a"}));
    let kinds: Vec<&str> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap())
        .collect();
    assert!(
        kinds.contains(&"approved")
            && kinds.contains(&"action_refused")
            && kinds.contains(&"action_done"),
        "{kinds:?}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn actions_are_down_without_a_backend() {
    let project = project();
    let mut server = Pipe::start(&project, &["flows/agent_cycle.yaml"]);
    done(
        &mut server,
        "submit_task",
        &json!({"task_id": "a", "description": "x"}),
    );
    for output in &outputs()[..2] {
        done(
            &mut server,
            "tick",
            &json!({"task_id": "a", "output": output}),
        );
    }
    let down = done(
        &mut server,
        "tick",
        &json!({"task_id": "a", "output": outputs()[2]}),
    );
    assert_eq!(
        down["faults"],
        json!([{"turn": 4, "what": "act write_file", "why": "down"}])
    );
    assert_eq!(
        (&down["class"], &down["failed_action"]),
        (&json!("degrade"), &json!("write_file"))
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn tick_after_the_deadline_ends_the_task() {
    let project = project();
    let mut server = serve(&project, &[]);
    let task = json!({"task_id": "a", "description": "x", "deadline": "2026-01-31T18:00:00Z", "at": "2026-01-31T12:00:00Z"});
    assert_eq!(
        done(&mut server, "submit_task", &task)["deadline"],
        "2026-01-31T18:00:00Z"
    );
    let in_time = json!({"task_id": "a", "output": "x", "at": "2026-01-31T20:00:00+03:00"});
    assert_eq!(done(&mut server, "tick", &in_time)["state"], "plan");
    let late = json!({"task_id": "a", "output": {"plan": ["x"]}, "at": "2026-01-31T18:00:01Z"});
    let failed = done(&mut server, "tick", &late);
    assert_eq!(
        (&failed["state"], &failed["failed_by"]),
        (&json!("failed"), &json!("deadline"))
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn concurrent_http_tasks_are_separate_and_share_memory() {
    let project = project();
    let server = Http::serve(
        &project,
        &[
            &CYCLE[..],
            &["--llm", "mock:mock.yaml", "--memory", "m.sqlite"],
        ]
        .concat(),
    );
    let states = std::thread::scope(|scope| {
        let run = |task: &'static str| {
            let server = &server;
            scope.spawn(move || {
                server.tool(
                    "submit_task",
                    &json!({"task_id": task, "description": format!("Write page {task}"), "run": true}),
                )
            })
        };
        let running = ["one", "two", "three"].map(run);
        running.map(|thread| thread.join().unwrap())
    });
    for (messages, result) in states {
        let progress: Vec<&Value> = messages
            .iter()
            .map(|message| &message["params"]["progress"])
            .collect();
        assert_eq!(progress, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(result["structuredContent"]["state"], "committed");
    }
    let (_, found) = server.tool(
        "search_memory",
        &json!({"query": "write", "kinds": ["procedural"]}),
    );
    let mut tasks: Vec<&str> = found["structuredContent"]["found"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["task_id"].as_str().unwrap())
        .collect();
    tasks.sort_unstable();
    assert_eq!(tasks, ["one", "three", "two"]);
    assert_eq!(server.interrupt().1, 0);
    project
        .fsmsim(["verify", "--audit", "m.sqlite"])
        .succeeds("the audit is intact");
}

#[test]
fn client_follows_a_task_of_another_client() {
    let project = project();
    let server = Http::serve(&project, &CYCLE);
    server.tool("submit_task", &json!({"task_id": "a", "description": "x"}));
    let (messages, result) = std::thread::scope(|scope| {
        let followed =
            scope.spawn(|| server.tool("stream", &json!({"task_id": "a", "wait_s": 30})));
        std::thread::sleep(std::time::Duration::from_millis(500));
        for output in outputs() {
            assert_eq!(
                server
                    .tool("tick", &json!({"task_id": "a", "output": output}))
                    .1["isError"],
                json!(false)
            );
        }
        server.tool("tick", &json!({"task_id": "a"}));
        followed.join().unwrap()
    });
    let progress: Vec<&str> = messages
        .iter()
        .map(|message| message["params"]["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        progress,
        [
            "analyze -> plan (advance)",
            "plan -> execute (advance)",
            "execute -> validate (advance)",
            "validate -> validate (hold)",
            "validate -> commit (advance)",
            "commit -> committed (finish)",
        ]
    );
    assert_eq!(result["structuredContent"]["state"], "committed");
    // After `wait_s`, the answer contains the current state.
    server.tool("submit_task", &json!({"task_id": "b", "description": "x"}));
    let (_, waited) = server.tool("stream", &json!({"task_id": "b", "wait_s": 0}));
    assert_eq!(waited["structuredContent"]["state"], "analyze");
    assert_eq!(server.interrupt().1, 0);
}

#[test]
fn persisted_tasks_continue_after_a_kill() {
    let project = project();
    let options = ["--persist", "--memory", "m.sqlite"];
    let mut killed = serve(&project, &options);
    for task in ["a", "b"] {
        done(
            &mut killed,
            "submit_task",
            &json!({"task_id": task, "description": "Write the page", "deadline": "2026-01-31T18:00:00Z"}),
        );
    }
    for output in &outputs()[..3] {
        done(
            &mut killed,
            "tick",
            &json!({"task_id": "a", "output": output}),
        );
    }
    done(&mut killed, "cancel", &json!({"task_id": "b"}));
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();

    let mut next = serve(&project, &options);
    let status = done(&mut next, "task_status", &json!({"task_id": "a"}));
    assert_eq!(
        (&status["state"], &status["turns"], &status["results"]),
        (&json!("validate"), &json!(4), &json!(["written"]))
    );
    assert_eq!(status["deadline"], "2026-01-31T18:00:00Z");
    assert_eq!(
        done(&mut next, "task_status", &json!({"task_id": "b"}))["state"],
        "cancelled"
    );
    for output in &outputs()[3..] {
        done(
            &mut next,
            "tick",
            &json!({"task_id": "a", "output": output}),
        );
    }
    assert_eq!(
        done(
            &mut next,
            "tick",
            &json!({"task_id": "a", "output": {"lesson": "kill less"}})
        )["state"],
        "committed"
    );
    // The ID of a finished task cannot be reused.
    assert!(
        refused(
            &mut next,
            "submit_task",
            &json!({"task_id": "b", "description": "x"})
        )
        .contains("The task `b` already exists")
    );
    let (log, code) = next.end();
    insta::assert_snapshot!(log);
    assert_eq!(code, 0);
    project
        .fsmsim(["verify", "--audit", "m.sqlite"])
        .succeeds("the audit is intact");

    // The task that the lesson started exists once and is not started again.
    let mut last = serve(&project, &options);
    let started = done(&mut last, "task_status", &json!({"task_id": "a"}))["began"].take();
    assert_eq!(started.as_array().unwrap().len(), 1);
    let status = done(&mut last, "task_status", &json!({"task_id": started[0]}));
    assert_eq!(
        (
            &status["is_adaptation"],
            &status["begun_by"],
            &status["turns"]
        ),
        (&json!(true), &json!("a"), &json!(1))
    );
    assert_eq!(last.end().1, 0);
}

#[test]
fn interrupted_turn_is_replayed_with_its_answers() {
    let project = project();
    let options = ["--persist", "--memory", "m.sqlite"];
    let mut first = serve(&project, &options);
    done(
        &mut first,
        "submit_task",
        &json!({"task_id": "a", "description": "Write the page"}),
    );
    assert_eq!(first.end().1, 0);
    // Simulates a kill in the middle of a turn: its line is stored, but its work is not.
    let store = rusqlite::Connection::open(project.path().join(".fsmsim/sessions.sqlite")).unwrap();
    let line = r#"{"event": "tick", "data": {"analysis": "It needs a page"}}"#;
    store
        .execute(
            "INSERT INTO progress (session, turn, line) VALUES ('a', 2, ?1)",
            [line],
        )
        .unwrap();
    let mut next = serve(&project, &options);
    let status = done(&mut next, "task_status", &json!({"task_id": "a"}));
    assert_eq!(
        (&status["state"], &status["turns"]),
        (&json!("plan"), &json!(2))
    );
    assert_eq!(status["waits_for"]["knows"]["analysis"], "It needs a page");
    let (log, code) = next.end();
    assert!(
        log.contains("task a: resumed after 1 turns; the interrupted turn is run again"),
        "{log}"
    );
    assert_eq!(code, 0);
    // A turn that was typed in `fsmsim run` can be resumed only there.
    store
        .execute(
            "INSERT INTO progress (session, turn, line) VALUES ('a', 3, 'tick plan=x')",
            [],
        )
        .unwrap();
    let mut other = serve(&project, &options);
    assert!(
        refused(&mut other, "task_status", &json!({"task_id": "a"}))
            .starts_with("Unknown task `a`")
    );
    assert!(
        other
            .end()
            .0
            .contains("the interrupted turn was typed in the REPL")
    );
}

#[test]
fn sessions_other_than_tasks_are_unchanged() {
    let project = project();
    let run = [
        "run",
        "flows/agent_cycle.yaml",
        "--session",
        "notes",
        "--start",
        CYCLE[2],
    ];
    project
        .fsmsim(run)
        .stdin("submit task_id=t description=x\n")
        .warns("", "started the session `notes`");
    let mut server = serve(&project, &["--persist"]);
    assert_eq!(
        done(&mut server, "task_status", &json!({}))["tasks"],
        json!([])
    );
    let error = refused(
        &mut server,
        "submit_task",
        &json!({"task_id": "notes", "description": "y"}),
    );
    assert_eq!(
        error,
        "the session `notes` of the project has already started. Nothing has changed: try again, or stop the server and check its files."
    );
    assert_eq!(server.end().1, 0);
    project
        .fsmsim(run)
        .stdin("tick analysis=x\n")
        .warns("analyze → plan", "in `analyze` after 1 turn");
}

#[test]
fn kill_at_any_moment_loses_no_started_session() {
    let options = ["--persist", "--memory", "m.sqlite"];
    for delay in 0..16 {
        let project = project();
        let mut killed = serve(&project, &options);
        done(
            &mut killed,
            "submit_task",
            &json!({"task_id": "a", "description": "Write the page"}),
        );
        for output in outputs() {
            done(
                &mut killed,
                "tick",
                &json!({"task_id": "a", "output": output}),
            );
        }
        let last = json!({"name": "tick", "arguments": {"task_id": "a", "output": {"lesson": "kill less"}}});
        killed.say(&json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": last}));
        std::thread::sleep(std::time::Duration::from_millis(delay * 6));
        killed.child.kill().unwrap();
        killed.child.wait().unwrap();
        let mut next = serve(&project, &options);
        if done(&mut next, "task_status", &json!({"task_id": "a"}))["state"] == "commit" {
            done(
                &mut next,
                "tick",
                &json!({"task_id": "a", "output": {"lesson": "kill less"}}),
            );
        }
        let tasks = done(&mut next, "task_status", &json!({}))["tasks"].take();
        let states: Vec<String> = tasks
            .as_array()
            .unwrap()
            .iter()
            .map(|task| {
                format!(
                    "{} {} {}",
                    task["state"], task["turns"], task["is_adaptation"]
                )
            })
            .collect();
        assert_eq!(
            states,
            [r#""committed" 7 false"#, r#""analyze" 1 true"#],
            "after {} ms",
            delay * 6
        );
        assert_eq!(next.end().1, 0);
        project
            .fsmsim(["verify", "--audit", "m.sqlite"])
            .succeeds("the audit is intact");
    }
}

#[test]
fn task_limit_applies_to_unfinished_tasks() {
    let project = project();
    let mut server = serve(&project, &["--max-sessions", "2", "--trace", "tasks.jsonl"]);
    for task in ["a", "b"] {
        done(
            &mut server,
            "submit_task",
            &json!({"task_id": task, "description": "x"}),
        );
    }
    assert_eq!(
        refused(&mut server, "submit_task", &json!({"description": "x"})),
        "The limit of 2 tasks is reached, and none of them has ended. Complete or cancel one."
    );
    complete_task(&mut server, "a", &json!({}));
    done(
        &mut server,
        "submit_task",
        &json!({"task_id": "c", "description": "x"}),
    );
    assert!(
        refused(&mut server, "task_status", &json!({"task_id": "a"}))
            .starts_with("Unknown task `a`.")
    );
    assert_eq!(server.end().1, 0);
    // Each task is complete in the trace, finished or not, and can be replayed.
    project.fsmsim(["test", "tasks.jsonl"]).succeeds("3 passed");
}

#[test]
fn options_of_other_model_kinds_are_refused() {
    let project = super::tea()
        .with_flows()
        .file("mock.yaml", MOCK)
        .file("other.sqlite", "no database");
    for (arguments, error) in [
        (
            vec!["tea", "--llm", "mock:mock.yaml"],
            "`--llm` is only for flows and agent cycles",
        ),
        (
            vec!["tea", "--memory", "m.sqlite"],
            "`--memory` is only for agent cycles",
        ),
        (
            vec![CYCLE[0], "--strict"],
            "`--strict` is only for state sets",
        ),
        (
            vec![CYCLE[0], "--twin", "taste.json"],
            "`--twin` is only for state sets",
        ),
        (
            vec![CYCLE[0], "--llm", "somebody"],
            "unknown provider `somebody`",
        ),
        (
            vec![CYCLE[0], "--memory", "other.sqlite"],
            "the memory is not an SQLite database",
        ),
        (
            vec![CYCLE[0], "--persist", "--trace", "t.jsonl"],
            "cannot use `--trace` with `--persist`",
        ),
        (
            vec![CYCLE[0], "--start", "{backend: none.yaml}"],
            "none.yaml",
        ),
    ] {
        project.fsmsim(["mcp"]).args(arguments).refuses(error);
    }
}
