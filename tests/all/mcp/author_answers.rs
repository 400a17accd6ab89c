//! Answers of the authoring tools are complete and correct: invalid files are reported, and written files can be read.

use serde_json::{Value, json};

use super::Pipe;
use super::author::{FLOW, done, project, refused, said, serve};
use crate::support::{Project, home, walk};

/// A new session with these turns.
fn start_session(server: &mut Pipe, turns: &Value) -> Value {
    done(
        server,
        "play",
        &json!({"model": "flows/pizza.yaml", "turns": turns}),
    )["session"]
        .take()
}

#[test]
fn unreadable_files_are_reported_when_all_models_are_linted() {
    let project = project();
    let large = format!(
        "kind: flow\nstates:\n  a: {{}}\n{}",
        "# comment line\n".repeat(300_000)
    );
    let deep = format!("kind: flow\nstates: {}", "[".repeat(3000));
    let files: [(&str, &[u8], &str); 8] = [
        (
            "bytes.yaml",
            b"kind: flow\nstates:\n  a: {goal: \xff}\n",
            "FS0003",
        ),
        ("large.yaml", large.as_bytes(), "FS0002"),
        ("deep.yaml", deep.as_bytes(), "FS0005"),
        ("empty.yaml", b"\n", "FS0010"),
        ("upper.YAML", b"kind: flow\nstates: {a: [}\n", "FS0004"),
        ("misspelt.yaml", b"kind: flwo\nstates: {a: {}}\n", "FS0119"),
        ("capital.yml", b"kind: Flow\nstates: {a: {}}\n", "FS0119"),
        ("kind.yaml", b"kind: interveiw\nquestions: []\n", "FS0119"),
    ];
    let mut server = serve(&project, &[]);
    let well = done(&mut server, "lint", &json!({}));
    assert_eq!((&well["errors"], &well["models"]), (&json!(0), &json!(1)));
    for (file, bytes, code) in files {
        project.write(&format!("flows/{file}"), bytes);
        let report = done(&mut server, "lint", &json!({}));
        let codes: Vec<&str> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| found["code"].as_str().unwrap())
            .collect();
        assert!(codes.contains(&code), "{file}: {report}");
        let run = project.fsmsim(["lint", "flows"]).run();
        assert!(
            run.code != 0 && format!("{run}").contains(code),
            "{file}: {run}"
        );
        std::fs::remove_file(project.path().join("flows").join(file)).unwrap();
    }
    // A file of another kind is not a model.
    project.write("other/mock.yaml", "mock: m\nrules: []\n");
    project.write("other/persona.yaml", "persona: {name: p}\n");
    project.write("other/deployment.yaml", "kind: Deployment\nspec: {}\n");
    project.write("other/comments.yaml", "# nothing yet\n");
    project.write(
        "other/recorded.yaml",
        format!(
            "scenario: x\nturns:\n{}",
            "# comment line\n".repeat(300_000)
        ),
    );
    let well = done(&mut server, "lint", &json!({}));
    assert_eq!(
        (&well["errors"], &well["models"]),
        (&json!(0), &json!(1)),
        "{well}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn saved_scenario_reads_back_unchanged_or_is_refused() {
    let project = project();
    let mut server = serve(&project, &["--write"]);
    // Text in double braces is a parameter without a value, and neither format can escape it.
    for (say, title) in [("{{name}} wants {x}", "Braces"), ("Hi", "The {{name}}")] {
        let session = start_session(&mut server, &json!([{"say": say, "intent": "order"}]));
        for file in ["braces.yaml", "braces.md"] {
            let error = refused(
                &mut server,
                "save_scenario",
                &json!({"session": session, "title": title, "file": file}),
            );
            assert!(
                error.contains("`{{name}}` would become an undefined parameter"),
                "{error}"
            );
            assert!(
                !project.path().join("scenarios").join(file).exists(),
                "{file}"
            );
        }
    }
    // YAML can represent text that a transcript cannot.
    for say in ["`{intent: order}`", "one <!-- c --> two", "<!-- open"] {
        let session = start_session(&mut server, &json!([{"say": say, "intent": "order"}]));
        let save = |file: &str| json!({"session": session, "title": "Kept", "file": file, "replace": true});
        let error = refused(&mut server, "save_scenario", &save("kept.md"));
        assert!(
            error.contains("saved scenario") && error.contains("save it as YAML instead"),
            "{say}: {error}"
        );
        assert_eq!(
            done(&mut server, "save_scenario", &save("kept.yaml"))["verdict"],
            "passed",
            "{say}"
        );
        let again = done(
            &mut server,
            "play",
            &json!({"from": "scenarios/kept.yaml::Kept"}),
        );
        assert!(
            again["turns"][0]["line"].as_str().unwrap().contains(say),
            "{say}: {again}"
        );
    }
    for say in [
        "{x} {{ a }}",
        "# heading",
        "**Bot:** hi",
        "user: x",
        "a | b",
        "да {",
    ] {
        let session = start_session(&mut server, &json!([{"say": say, "intent": "order"}]));
        let save = json!({"session": session, "title": "Kept", "file": "kept.md", "replace": true});
        assert_eq!(
            done(&mut server, "save_scenario", &save)["verdict"],
            "passed",
            "{say}"
        );
        let again = done(
            &mut server,
            "play",
            &json!({"from": "scenarios/kept.md::Kept"}),
        );
        assert!(
            again["turns"][0]["line"].as_str().unwrap().contains(say),
            "{say}: {again}"
        );
    }
    // A written scenario that does not pass is reported with its reason, in the text and in the structured content.
    project.write("scenarios/broken/_defaults.yaml", "tagz: [x]\n");
    let session = start_session(&mut server, &json!(["order"]));
    let answer = server.tool(
        "save_scenario",
        &json!({"session": session, "title": "Kept", "file": "broken/kept.yaml"}),
    );
    let parts = &answer["structuredContent"];
    assert_eq!(
        (&answer["isError"], &parts["verdict"]),
        (&json!(true), &json!("invalid")),
        "{answer}"
    );
    assert!(
        !parts["findings"].as_array().unwrap().is_empty(),
        "{answer}"
    );
    assert!(
        said(&answer).contains("scenarios/broken/_defaults.yaml:1:1"),
        "{}",
        said(&answer)
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn repl_does_not_save_an_unrepresentable_dialogue() {
    let project = project();
    let turns = "{{name}} wants it / order\n:save kept.md\n:save kept.yaml\n:exit\n";
    let run = project
        .fsmsim(["run", "flows/pizza.yaml"])
        .stdin(turns)
        .run();
    assert!(
        format!("{run}").contains("would become an undefined parameter"),
        "{run}"
    );
    assert!(!project.path().join("kept.md").exists() && !project.path().join("kept.yaml").exists());
}

#[test]
fn invalid_scenario_is_reported_with_location_and_help() {
    let scenario = "scenario: Broken\nmodel: flows/pizza.yaml\nturns:\n  - {intent: ordr}\n";
    let project = project().file("scenarios/broken.yaml", scenario);
    let mut server = serve(&project, &[]);
    let report = server.tool("test", &json!({}));
    for part in [
        "FS0",
        "scenarios/broken.yaml:4:14",
        "exists: `order`",
        "INVALID scenarios/broken.yaml::Broken",
    ] {
        assert!(said(&report).contains(part), "{part}: {}", said(&report));
    }
    assert!(!said(&report).contains('\u{1b}'));
    let counted = server.tool("coverage", &json!({}));
    assert!(
        said(&counted).contains("scenarios/broken.yaml:4:14"),
        "{}",
        said(&counted)
    );
    assert_eq!(
        counted["structuredContent"]["findings"][0]["at"],
        "scenarios/broken.yaml:4:14"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn empty_project_is_reported_as_empty() {
    let project = Project::new()
        .file("flows/pizza.yaml", FLOW)
        .file("scenarios/notes.txt", "");
    let mut server = serve(&project, &[]);
    let listed = server.tool("scenarios", &json!({}));
    assert_eq!(
        listed["structuredContent"],
        json!({"scenarios": [], "next": null})
    );
    assert!(
        said(&listed).contains("no scenarios in the project"),
        "{listed}"
    );
    let listed = server.tool("scenarios", &json!({"filter": "title(x)"}));
    assert!(said(&listed).contains("no scenario matches"), "{listed}");
    assert!(refused(&mut server, "test", &json!({})).contains("no scenarios in the project"));
    assert!(!said(&server.tool("coverage", &json!({}))).is_empty());
    std::fs::remove_file(project.path().join("flows/pizza.yaml")).unwrap();
    let counted = server.tool("coverage", &json!({}));
    assert_eq!(said(&counted), "no coverage: no scenario runs a model");
    assert_eq!(server.end().1, 0);
}

#[test]
fn utterances_are_verbatim_and_long_text_refers_to_parts() {
    let project = project();
    let mut server = serve(&project, &[]);
    let say = "👨\u{200d}👩 می\u{200c}خواهم \u{200f}x\u{ad}y";
    let session = start_session(&mut server, &json!([{"say": say, "intent": "order"}]));
    let save = json!({"session": session, "title": "Kept", "file": "kept.yaml"});
    let answer = server.tool("save_scenario", &save);
    let text = answer["structuredContent"]["text"].as_str().unwrap();
    assert!(
        text.contains(say) && said(&answer).ends_with(text),
        "{answer}"
    );
    // A bidirectional control character is escaped, so it is visible and reads back unchanged.
    let session = start_session(
        &mut server,
        &json!([{"say": "a\u{202e}b", "intent": "order"}]),
    );
    let answer = server.tool(
        "save_scenario",
        &json!({"session": session, "title": "Kept", "file": "kept.yaml"}),
    );
    let text = answer["structuredContent"]["text"].as_str().unwrap();
    assert!(
        text.contains("\"a\\u202eb\"") && said(&answer).ends_with(text),
        "{answer}"
    );
    let error = refused(
        &mut server,
        "save_scenario",
        &json!({"session": session, "title": "Kept", "file": "kept.md"}),
    );
    assert!(error.contains("save it as YAML instead"), "{error}");
    let session = start_session(
        &mut server,
        &json!([{"say": "x ".repeat(50_000), "intent": "order"}]),
    );
    let answer = server.tool(
        "save_scenario",
        &json!({"session": session, "title": "Kept", "file": "kept.yaml"}),
    );
    assert!(said(&answer).ends_with("`structuredContent.text` contains the complete scenario"));
    assert!(answer["structuredContent"]["text"].as_str().unwrap().len() > 100_000);
    assert_eq!(server.end().1, 0);
}

#[test]
fn play_and_why_answers_are_limited() {
    let project = project();
    let mut server = serve(&project, &[]);
    let long = "x".repeat(900_000);
    let session = start_session(
        &mut server,
        &json!(["order", {"intent": "info_provided", "data": {"pizza_size": long}}]),
    );
    let again = json!({"session": session, "turns": vec!["unclear"; 50], "records": true});
    let answer = server.tool("play", &again);
    let parts = &answer["structuredContent"];
    assert!(
        answer.to_string().len() < 1_500_000,
        "{}",
        answer.to_string().len()
    );
    assert_eq!(parts["turns"].as_array().unwrap().len(), 50);
    assert!(
        parts["notes"].to_string().contains("omitted")
            || parts["notes"].to_string().contains("are cut")
    );
    assert!(said(&answer).len() < 70_000 && said(&answer).contains("Current state:"));
    let why = server.tool(
        "why",
        &json!({"session": session, "turn": 2, "record": true}),
    );
    assert!(
        why.to_string().len() < 1_000_000,
        "{}",
        why.to_string().len()
    );
    assert!(
        why["structuredContent"]["notes"]
            .to_string()
            .contains("are cut"),
        "{}",
        why["structuredContent"]["notes"]
    );
    assert!(
        server
            .tool("conditions", &json!({"session": session}))
            .to_string()
            .len()
            < 1_000_000
    );
    // An answer below the limits is complete.
    let session = start_session(&mut server, &json!(["order"]));
    let complete = done(
        &mut server,
        "play",
        &json!({"session": session, "turns": ["unclear"], "records": true}),
    );
    assert!(
        complete["turns"][0]["record"].is_object() && complete["notes"] == json!([]),
        "{complete}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn model_resource_contains_dependencies_and_lists_omissions() {
    let project = Project::library();
    let mut server = serve(&project, &[]);
    let read = |server: &mut Pipe, path: &str| {
        let answer = server.ask(
            "resources/read",
            &json!({"uri": format!("fsmsim://models/{path}")}),
        );
        let contents = answer["result"]["contents"]
            .as_array()
            .unwrap_or_else(|| panic!("{path}: {answer}"))
            .clone();
        contents
            .iter()
            .map(|one| one["uri"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let all = read(&mut server, "flows/spin_selling");
    assert!(
        all.iter().any(|uri| uri.contains("/flows/_base/")),
        "{all:?}"
    );
    let base = all
        .iter()
        .find(|uri| uri.contains("/flows/_base/"))
        .unwrap();
    assert_eq!(
        read(&mut server, base.strip_prefix("fsmsim://models/").unwrap()),
        [base.as_str()]
    );
    assert_eq!(server.end().1, 0);

    let comments = "# a comment line\n".repeat(120_000);
    let project = Project::new()
        .file(
            "big/flow.yaml",
            "flow: {name: d}\nentry_points: {default: a}\n",
        )
        .file(
            "big/states.yaml",
            format!("states:\n  a: {{is_final: true}}\n{comments}"),
        )
        .file("big/more.yaml", &comments)
        .file("big/other.yaml", &comments)
        .file("big/bytes.yaml", b"\xff");
    let mut server = serve(&project, &[]);
    assert_eq!(
        read(&mut server, "big/states.yaml"),
        ["fsmsim://models/big/states.yaml"]
    );
    let all = read(&mut server, "big");
    assert_eq!(all.last().unwrap(), "fsmsim://models/big#left-out");
    let answer = server.ask("resources/read", &json!({"uri": "fsmsim://models/big"}));
    let omissions = answer["result"]["contents"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()["text"]
        .as_str()
        .unwrap();
    assert!(
        omissions.contains("big/bytes.yaml") && omissions.contains("is not UTF-8 text"),
        "{omissions}"
    );
    assert!(
        omissions.contains("fsmsim://models/big/") && omissions.contains("a result has at most"),
        "{omissions}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn invalid_request_is_answered_with_its_id_and_the_reason() {
    let project = project();
    let mut server = serve(&project, &[]);
    for (method, parameters, reason) in [
        ("tools/call", json!({}), "missing field `name`"),
        ("tools/call", json!({"name": 5}), "invalid type"),
        (
            "tools/call",
            json!({"name": "lint", "arguments": []}),
            "invalid type",
        ),
        ("resources/read", json!({}), "missing field `uri`"),
        ("prompts/get", json!({}), "missing field `name`"),
        ("tools/list", json!([1]), "expected an object"),
        (
            "tools/list",
            json!({"cursor": "xyz"}),
            "unknown cursor `xyz`",
        ),
        (
            "resources/list",
            json!({"cursor": "1"}),
            "unknown cursor `1`",
        ),
    ] {
        let error = server.ask(method, &parameters)["error"].take();
        assert_eq!(
            error["code"],
            json!(-32602),
            "{method} {parameters}: {error}"
        );
        assert!(
            error["message"].as_str().unwrap().contains(reason),
            "{method} {parameters}: {error}"
        );
    }
    for method in ["nope", "logging/setLevel", "completion/complete"] {
        assert_eq!(
            server.ask(method, &json!({}))["error"]["code"],
            json!(-32601),
            "{method}"
        );
    }
    let long = format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 77, \"method\": \"{}\"}}",
        "x".repeat(1 << 20)
    );
    for (line, code, id) in [
        ("garbage", -32700, Value::Null),
        ("{\"a\":", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        ("{}", -32600, Value::Null),
        (
            "{\"jsonrpc\": \"1.0\", \"id\": \"a\", \"method\": \"ping\"}",
            -32600,
            json!("a"),
        ),
        (long.as_str(), -32600, json!(77)),
    ] {
        let error = server.answer_to(line);
        assert_eq!(
            (&error["error"]["code"], &error["id"]),
            (&json!(code), &id),
            "{line:.60}: {error}"
        );
    }
    // A notification gets no answer, and the server continues.
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/strange", "params": [1]}));
    assert_eq!(server.ask("ping", &json!({}))["result"], json!({}));
    assert_eq!(server.end().1, 0);
}

#[test]
fn arguments_advice_resources_and_paths_are_consistent() {
    let project = project();
    let mut server = serve(&project, &["--write"]);
    // In JSON, `1.0` is an integer.
    let session = start_session(&mut server, &json!(["order", "unclear"]));
    done(
        &mut server,
        "play",
        &json!({"session": session, "undo": 1.0}),
    );
    done(
        &mut server,
        "why",
        &json!({"session": session, "turn": 1.0}),
    );
    for turn in [json!(1.5), json!(1_u64 << 40), json!(1e30)] {
        let error = refused(
            &mut server,
            "why",
            &json!({"session": session, "turn": turn}),
        );
        assert!(error.contains("Invalid `turn` of why"), "{turn}: {error}");
    }
    // Help names MCP tools and resources, not REPL commands and files.
    let error = refused(
        &mut server,
        "play",
        &json!({"session": session, "turns": [":goto nowhere"]}),
    );
    assert!(
        error.contains("conditions with `kind`: \"states\" lists them")
            && !error.contains("`:states`"),
        "{error}"
    );
    let error = refused(
        &mut server,
        "play",
        &json!({"model": "flows/pizza.yaml", "ask": "live"}),
    );
    assert!(
        error.contains("see fsmsim://docs/how-to/configure-llm-providers"),
        "{error}"
    );
    // All pages of the documentation are listed.
    let listed = server.ask("resources/list", &json!({})).to_string();
    for page in walk(&home("docs/src")) {
        let path = page
            .strip_prefix(home("docs/src"))
            .unwrap()
            .display()
            .to_string();
        if let Some(name) = path.strip_suffix(".md").filter(|name| *name != "SUMMARY") {
            let uri = format!("fsmsim://docs/{}\"", name.replace('\\', "/"));
            assert!(listed.contains(&uri), "{uri}");
        }
    }
    // A file name has only allowed characters, and a file is not a folder.
    let save = |title: &str, file: &str| json!({"session": session, "title": title, "file": file});
    for file in [
        "x\u{202e}y.yaml",
        "x$(id).yaml",
        "#x.yaml",
        "%2e%2e/x.yaml",
        "a b.yaml",
    ] {
        let error = refused(&mut server, "save_scenario", &save("T", file));
        assert!(error.contains("use letters and digits"), "{file}: {error}");
    }
    let error = refused(
        &mut server,
        "save_scenario",
        &save("T", "pizza.yaml/x.yaml"),
    );
    assert!(!error.contains("already exists"), "{error}");
    let title = "t".repeat(2000);
    let id = done(&mut server, "save_scenario", &save(&title, "long.yaml"))["address"].take();
    let run = done(&mut server, "test", &json!({"paths": [id]}));
    assert_eq!(run["scenarios"][0]["verdict"], "passed");
    // Paths are normalized.
    let listed = done(&mut server, "scenarios", &json!({"paths": ["./scenarios"]}));
    assert!(!listed.to_string().contains("./scenarios"), "{listed}");
    for (path, error) in [("a\0b", "control characters"), ("../x", "without `..`")] {
        assert!(
            refused(&mut server, "graph", &json!({"model": path})).contains(error),
            "{path:?}"
        );
    }
    assert_eq!(server.end().1, 0);
    project.write("fsmsim.toml", "[paths]\nscenarios = \".\"\n");
    let mut server = serve(&project, &[]);
    assert_eq!(done(&mut server, "models", &json!({}))["scenarios"], ".");
    assert_eq!(server.end().1, 0);
}

#[cfg(feature = "live")]
#[test]
fn subject_is_never_started_even_with_trust() {
    let scenario = "scenario: Sub\nmodel: flows/pizza.yaml\nsubject: {mcp: {command: [touch, started], tool: x, arguments: {m: \"{{say}}\"}, map: {state: state}}}\nturns:\n  - {say: hi, intent: order, expect: {state: size}}\n";
    let project = project().file("scenarios/sub.yaml", scenario);
    let mut server = serve(&project, &["--trust"]);
    let run = server.tool("test", &json!({"paths": ["scenarios/sub.yaml"]}));
    assert!(
        said(&run).contains("the authoring tools do not call a system under test"),
        "{}",
        said(&run)
    );
    let counted = server.tool("coverage", &json!({"paths": ["scenarios/sub.yaml"]}));
    assert!(
        said(&counted).contains("not run: scenarios/sub.yaml::Sub"),
        "{}",
        said(&counted)
    );
    assert!(!project.path().join("started").exists());
    assert_eq!(server.end().1, 0);
}

#[test]
fn mutate_reports_changes_that_no_scenario_notices() {
    let door = "\
flow: {name: door, policy: plain, entry_points: {default: closed}}
intents: {open: {description: Open}, leave: {description: Leave}}
states:
  closed: {transitions: {open: opened}}
  opened: {transitions: {leave: gone}}
  gone: {is_final: true}
";
    let project = Project::new().file("flows/door.yaml", door);
    let mut server = serve(&project, &[]);
    let call = json!({"model": "flows/door.yaml"});
    let refusal = refused(&mut server, "mutate", &call);
    assert!(
        refusal.contains("no scenario of this model passes"),
        "{refusal}"
    );
    project.write(
        "scenarios/door.yaml",
        "scenario: In\nmodel: flows/door.yaml\nturns: [{intent: open, expect: {state: opened}}]\n",
    );
    let answer = done(&mut server, "mutate", &call);
    assert!(answer["mutants"]["killed"].as_u64() > Some(0), "{answer:#}");
    let unnoticed = answer["unnoticed"].as_array().unwrap();
    let is_last = |change: &&Value| change["file"] == "flows/door.yaml" && change["line"] == 5;
    let change = unnoticed.iter().find(is_last).unwrap();
    assert!(change["scenario"].is_string(), "{change:#}");
    assert!(!project.path().join(".fsmsim/mutants.jsonl").exists());
    assert_eq!(server.end().1, 0);
}

#[test]
fn generate_returns_scenarios_and_writes_no_files() {
    let door = "\
flow: {name: door, policy: plain, entry_points: {default: closed}}
intents: {enter: {description: Enter}, leave: {description: Leave}}
states:
  closed: {transitions: {enter: opened}}
  opened: {transitions: {leave: gone}}
  gone: {is_final: true}
";
    let project = Project::new().file("flows/door.yaml", door);
    let mut server = serve(&project, &[]);
    let call = json!({"model": "flows/door.yaml", "cover": ["transitions"]});
    let answer = done(&mut server, "generate", &call);
    let generation = &answer["generation"];
    assert_eq!(
        generation["before"]["transitions"],
        json!({"covered": 0, "all": 2})
    );
    assert_eq!(
        generation["after"]["transitions"],
        json!({"covered": 2, "all": 2})
    );
    let scenarios = generation["scenarios"].as_array().unwrap();
    assert_eq!(scenarios.len(), 1, "{generation:#}");
    assert_eq!(scenarios[0]["needs_words"], true);
    assert!(!project.path().join("scenarios").exists());
    let unknown = json!({"model": "flows/door.yaml", "cover": ["intents"]});
    let refusal = refused(&mut server, "generate", &unknown);
    assert!(refusal.contains("a search cannot decide"), "{refusal}");
    assert_eq!(server.end().1, 0);
}
