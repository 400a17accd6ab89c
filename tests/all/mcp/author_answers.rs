//! What the tools of an author answer is whole and true: nothing that is broken is passed over, and what they write can be used.

use serde_json::{Value, json};

use super::Pipe;
use super::author::{FLOW, done, project, refused, said, serve};
use crate::support::Project;

/// A session in which these turns were played.
fn played(server: &mut Pipe, turns: &Value) -> Value {
    done(
        server,
        "play",
        &json!({"model": "flows/pizza.yaml", "turns": turns}),
    )["session"]
        .take()
}

#[test]
fn what_cannot_be_read_is_not_passed_over_where_all_models_are_looked_at() {
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
        let told = done(&mut server, "lint", &json!({}));
        let codes: Vec<&str> = told["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| found["code"].as_str().unwrap())
            .collect();
        assert!(codes.contains(&code), "{file}: {told}");
        let run = project.fsmsim(["lint", "flows"]).run();
        assert!(
            run.code != 0 && format!("{run}").contains(code),
            "{file}: {run}"
        );
        std::fs::remove_file(project.path().join("flows").join(file)).unwrap();
    }
    // What is plainly something else is no model.
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
fn what_is_kept_reads_back_as_it_was_or_is_refused() {
    let project = project();
    let mut server = serve(&project, &["--write"]);
    // A parameter stands in two pairs of braces, and nothing gives it: there is no other way to write that.
    for (say, title) in [("{{name}} wants {x}", "Braces"), ("Hi", "The {{name}}")] {
        let session = played(&mut server, &json!([{"say": say, "intent": "order"}]));
        for file in ["braces.yaml", "braces.md"] {
            let told = refused(
                &mut server,
                "save_scenario",
                &json!({"session": session, "title": title, "file": file}),
            );
            assert!(
                told.contains("`{{name}}` would be read as a parameter"),
                "{told}"
            );
            assert!(
                !project.path().join("scenarios").join(file).exists(),
                "{file}"
            );
        }
    }
    // What a transcript cannot hold, YAML holds.
    for say in ["`{intent: order}`", "one <!-- c --> two", "<!-- open"] {
        let session = played(&mut server, &json!([{"say": say, "intent": "order"}]));
        let kept = |file: &str| json!({"session": session, "title": "Kept", "file": file, "replace": true});
        let told = refused(&mut server, "save_scenario", &kept("kept.md"));
        assert!(
            told.contains("read back") && told.contains("a file in YAML keeps it"),
            "{say}: {told}"
        );
        assert_eq!(
            done(&mut server, "save_scenario", &kept("kept.yaml"))["verdict"],
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
        let session = played(&mut server, &json!([{"say": say, "intent": "order"}]));
        let kept = json!({"session": session, "title": "Kept", "file": "kept.md", "replace": true});
        assert_eq!(
            done(&mut server, "save_scenario", &kept)["verdict"],
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
    // What is written and does not pass says why, in the text and in parts.
    project.write("scenarios/broken/_defaults.yaml", "tagz: [x]\n");
    let session = played(&mut server, &json!(["order"]));
    let answer = server.tool(
        "save_scenario",
        &json!({"session": session, "title": "Kept", "file": "broken/kept.yaml"}),
    );
    let parts = &answer["structuredContent"];
    assert_eq!(
        (&answer["isError"], &parts["verdict"]),
        (&json!(true), &json!("unusable")),
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
fn a_dialogue_that_cannot_be_kept_is_not_written_by_the_repl() {
    let project = project();
    let turns = "{{name}} wants it / order\n:save kept.md\n:save kept.yaml\n:exit\n";
    let run = project
        .fsmsim(["run", "flows/pizza.yaml"])
        .stdin(turns)
        .run();
    assert!(
        format!("{run}").contains("would be read as a parameter"),
        "{run}"
    );
    assert!(!project.path().join("kept.md").exists() && !project.path().join("kept.yaml").exists());
}

#[test]
fn what_makes_scenarios_unusable_is_told_with_place_and_remedy() {
    let scenario = "scenario: Broken\nmodel: flows/pizza.yaml\nturns:\n  - {intent: ordr}\n";
    let project = project().file("scenarios/broken.yaml", scenario);
    let mut server = serve(&project, &[]);
    let told = server.tool("test", &json!({}));
    for part in [
        "FS0",
        "scenarios/broken.yaml:4:14",
        "did you mean `order`?",
        "UNUSABLE scenarios/broken.yaml::Broken",
    ] {
        assert!(said(&told).contains(part), "{part}: {}", said(&told));
    }
    assert!(!said(&told).contains('\u{1b}'));
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
fn a_project_with_nothing_in_it_is_told_as_that() {
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
        said(&listed).contains("the project has no scenario yet"),
        "{listed}"
    );
    let listed = server.tool("scenarios", &json!({"filter": "title(x)"}));
    assert!(
        said(&listed).contains("no scenario is selected"),
        "{listed}"
    );
    assert!(refused(&mut server, "test", &json!({})).contains("the project has no scenario yet"));
    assert!(!said(&server.tool("coverage", &json!({}))).is_empty());
    std::fs::remove_file(project.path().join("flows/pizza.yaml")).unwrap();
    let counted = server.tool("coverage", &json!({}));
    assert_eq!(
        said(&counted),
        "nothing is counted: no scenario plays a model"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn words_are_told_as_they_are_written_and_what_is_too_long_says_where_it_is_whole() {
    let project = project();
    let mut server = serve(&project, &[]);
    let say = "👨\u{200d}👩 می\u{200c}خواهم \u{200f}x\u{ad}y";
    let session = played(&mut server, &json!([{"say": say, "intent": "order"}]));
    let kept = json!({"session": session, "title": "Kept", "file": "kept.yaml"});
    let answer = server.tool("save_scenario", &kept);
    let text = answer["structuredContent"]["text"].as_str().unwrap();
    assert!(
        text.contains(say) && said(&answer).ends_with(text),
        "{answer}"
    );
    // What would reorder the text around it is written so that it is seen, and is read back.
    let session = played(
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
    let told = refused(
        &mut server,
        "save_scenario",
        &json!({"session": session, "title": "Kept", "file": "kept.md"}),
    );
    assert!(told.contains("a file in YAML keeps it"), "{told}");
    let session = played(
        &mut server,
        &json!([{"say": "x ".repeat(50_000), "intent": "order"}]),
    );
    let answer = server.tool(
        "save_scenario",
        &json!({"session": session, "title": "Kept", "file": "kept.yaml"}),
    );
    assert!(said(&answer).ends_with("the scenario is whole in `structuredContent.text`"));
    assert!(answer["structuredContent"]["text"].as_str().unwrap().len() > 100_000);
    assert_eq!(server.end().1, 0);
}

#[test]
fn what_is_played_and_why_are_bounded() {
    let project = project();
    let mut server = serve(&project, &[]);
    let long = "x".repeat(900_000);
    let session = played(
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
        parts["notes"].to_string().contains("left out")
            || parts["notes"].to_string().contains("was cut")
    );
    assert!(said(&answer).len() < 70_000 && said(&answer).contains("Now in"));
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
            .contains("was cut"),
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
    // What fits is whole.
    let session = played(&mut server, &json!(["order"]));
    let whole = done(
        &mut server,
        "play",
        &json!({"session": session, "turns": ["unclear"], "records": true}),
    );
    assert!(
        whole["turns"][0]["record"].is_object() && whole["notes"] == json!([]),
        "{whole}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn a_model_is_read_with_all_that_it_needs_and_what_is_left_out_is_told() {
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
    let told = answer["result"]["contents"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()["text"]
        .as_str()
        .unwrap();
    assert!(
        told.contains("big/bytes.yaml") && told.contains("is not UTF-8 text"),
        "{told}"
    );
    assert!(
        told.contains("fsmsim://models/big/") && told.contains("not told at once"),
        "{told}"
    );
    assert_eq!(server.end().1, 0);
}

#[test]
fn what_is_no_request_is_answered_with_what_is_wrong_and_with_its_number() {
    let project = project();
    let mut server = serve(&project, &[]);
    for (method, parameters, told) in [
        ("tools/call", json!({}), "missing field `name`"),
        ("tools/call", json!({"name": 5}), "invalid type"),
        (
            "tools/call",
            json!({"name": "lint", "arguments": []}),
            "invalid type",
        ),
        ("resources/read", json!({}), "missing field `uri`"),
        ("prompts/get", json!({}), "missing field `name`"),
        ("tools/list", json!([1]), "are a map"),
        (
            "tools/list",
            json!({"cursor": "xyz"}),
            "there is no page behind `xyz`",
        ),
        (
            "resources/list",
            json!({"cursor": "1"}),
            "there is no page behind `1`",
        ),
    ] {
        let error = server.ask(method, &parameters)["error"].take();
        assert_eq!(
            error["code"],
            json!(-32602),
            "{method} {parameters}: {error}"
        );
        assert!(
            error["message"].as_str().unwrap().contains(told),
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
    // What asks for nothing is told nothing, and all goes on.
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/strange", "params": [1]}));
    assert_eq!(server.ask("ping", &json!({}))["result"], json!({}));
    assert_eq!(server.end().1, 0);
}

#[test]
fn small_things_are_as_they_are_said_to_be() {
    let project = project();
    let mut server = serve(&project, &["--write"]);
    // To JSON, a whole number may have a point.
    let session = played(&mut server, &json!(["order", "unclear"]));
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
        let told = refused(
            &mut server,
            "why",
            &json!({"session": session, "turn": turn}),
        );
        assert!(
            told.contains("`turn` of why does not fit"),
            "{turn}: {told}"
        );
    }
    // Advice is for whoever is advised.
    let told = refused(
        &mut server,
        "play",
        &json!({"session": session, "turns": [":go nowhere"]}),
    );
    assert!(
        told.contains("conditions with `kind`: \"states\" lists them")
            && !told.contains("`:states`"),
        "{told}"
    );
    let told = refused(
        &mut server,
        "play",
        &json!({"model": "flows/pizza.yaml", "ask": "live"}),
    );
    assert!(told.contains("see fsmsim://docs/models"), "{told}");
    // All pages are there.
    let listed = server.ask("resources/list", &json!({})).to_string();
    for page in std::fs::read_dir("docs").unwrap() {
        let page = page.unwrap().path();
        if page.extension().is_some_and(|end| end == "md") {
            let address = format!(
                "fsmsim://docs/{}\"",
                page.file_stem().unwrap().to_str().unwrap()
            );
            assert!(listed.contains(&address), "{address}");
        }
    }
    // Names are what they may be, and a file is no folder.
    let save = |title: &str, file: &str| json!({"session": session, "title": title, "file": file});
    for file in [
        "x\u{202e}y.yaml",
        "x$(id).yaml",
        "#x.yaml",
        "%2e%2e/x.yaml",
        "a b.yaml",
    ] {
        let told = refused(&mut server, "save_scenario", &save("T", file));
        assert!(told.contains("write letters, digits"), "{file}: {told}");
    }
    let told = refused(
        &mut server,
        "save_scenario",
        &save("T", "pizza.yaml/x.yaml"),
    );
    assert!(!told.contains("already exists"), "{told}");
    let title = "t".repeat(2000);
    let address = done(&mut server, "save_scenario", &save(&title, "long.yaml"))["address"].take();
    let run = done(&mut server, "test", &json!({"paths": [address]}));
    assert_eq!(run["scenarios"][0]["verdict"], "passed");
    // A path is the same however it is written.
    let listed = done(&mut server, "scenarios", &json!({"paths": ["./scenarios"]}));
    assert!(!listed.to_string().contains("./scenarios"), "{listed}");
    for (path, told) in [
        ("a\0b", "signs that move a cursor"),
        ("../x", "without `..`"),
    ] {
        assert!(
            refused(&mut server, "graph", &json!({"model": path})).contains(told),
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
fn no_subject_is_asked_whatever_is_trusted() {
    let scenario = "scenario: Sub\nmodel: flows/pizza.yaml\nsubject: {mcp: {command: [touch, started], tool: x, arguments: {m: \"{{say}}\"}, map: {state: /state}}}\nturns:\n  - {say: hi, intent: order, expect: {state: size}}\n";
    let project = project().file("scenarios/sub.yaml", scenario);
    let mut server = serve(&project, &["--trust"]);
    let run = server.tool("test", &json!({"paths": ["scenarios/sub.yaml"]}));
    assert!(
        said(&run).contains("no tool of an assistant asks a subject"),
        "{}",
        said(&run)
    );
    let counted = server.tool("coverage", &json!({"paths": ["scenarios/sub.yaml"]}));
    assert!(
        said(&counted).contains("not played: scenarios/sub.yaml::Sub"),
        "{}",
        said(&counted)
    );
    assert!(!project.path().join("started").exists());
    assert_eq!(server.end().1, 0);
}
