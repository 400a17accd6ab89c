//! The language server, called as editors call it.

mod client;
mod edits;
mod markdown;

use serde_json::{Value, json};

use client::Client;

use crate::support::Project;

#[test]
fn message_above_the_limit_ends_the_server_with_an_error() {
    for length in ["67108865", "99999999999999"] {
        Project::new()
            .fsmsim(["lsp"])
            .stdin(format!("Content-Length: {length}\r\n\r\n{{}}"))
            .refuses(&format!(
                "the message is too large: {length} bytes, limit 67108864"
            ));
    }
}

const FLOW: &str = include_str!("../lsp/tea.yaml");

const SCENARIO: &str = include_str!("../lsp/scenarios/tea.yaml");

fn tea() -> Project {
    Project::new()
        .file("fsmsim.toml", "")
        .file("tea.yaml", FLOW)
        .file("scenarios/tea.yaml", SCENARIO)
}

/// The server of the project, after both files are opened and checked.
fn opened(project: &Project) -> Client {
    let mut client = Client::start(project);
    client.open("tea.yaml");
    client.open("scenarios/tea.yaml");
    client.findings_until("tea.yaml", <[Value]>::is_empty);
    client.findings_until("scenarios/tea.yaml", <[Value]>::is_empty);
    client
}

fn titles(found: &[Value]) -> Vec<&str> {
    found
        .iter()
        .map(|finding| finding["message"].as_str().unwrap())
        .collect()
}

fn labels(items: &Value) -> Vec<&str> {
    items["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["label"].as_str().unwrap())
        .collect()
}

#[test]
fn findings_follow_edits_and_disappear_when_fixed() {
    let project = tea();
    let mut client = opened(&project);
    client.replace("tea.yaml", "then: brew}", "then: brw}");
    let found = client.findings_until("tea.yaml", |found| !found.is_empty());
    let finding = &found[0];
    let line = "      black: {when: is_hot, then: ".len();
    assert_eq!(
        finding["range"]["start"],
        json!({"line": 17, "character": line})
    );
    assert_eq!(
        finding["range"]["end"],
        json!({"line": 17, "character": line + 3})
    );
    assert_eq!(
        (&finding["severity"], &finding["code"], &finding["source"]),
        (&json!(1), &json!("FS0101"), &json!("fsmsim"))
    );
    assert_eq!(
        finding["relatedInformation"][0]["message"],
        "a similar state exists: `brew`"
    );
    // The scenario cannot run with the broken flow, but has no finding. The file on disk is unchanged.
    assert_eq!(project.read("tea.yaml"), FLOW);
    client.replace("tea.yaml", "then: brw}", "then: brew}");
    client.findings_until("tea.yaml", <[Value]>::is_empty);
    client.replace("scenarios/tea.yaml", "state: brew", "state: brews");
    let found = client.findings_until("scenarios/tea.yaml", |found| !found.is_empty());
    assert!(titles(&found)[0].contains("`brews`"), "{found:?}");
    // The flow renames its state: the scenario is checked again, although the flow is not saved.
    client.replace("tea.yaml", "  brew:\n", "  brews:\n");
    let found = client.findings_until("scenarios/tea.yaml", |found| found.len() != 1);
    assert!(
        found.is_empty()
            || titles(&found)
                .iter()
                .all(|title| !title.contains("`brews`")),
        "{found:?}"
    );
    client.close("scenarios/tea.yaml");
    assert_eq!(client.end(), 0);
}

#[test]
fn unreadable_text_keeps_the_last_known_definitions() {
    let project = tea();
    let mut client = opened(&project);
    client.replace(
        "tea.yaml",
        "    mixins: [polite]\n",
        "    mixins: [polite\n",
    );
    let found = client.findings_until("tea.yaml", |found| !found.is_empty());
    assert!(
        titles(&found)
            .iter()
            .any(|title| title.contains("invalid YAML")),
        "{found:?}"
    );
    let answer = client
        .ask(
            "textDocument/definition",
            client.at("tea.yaml", "goodbye: parting", 10),
        )
        .unwrap();
    assert_eq!(client.places(&answer), ["tea.yaml:24:3"]);
    let answer = client
        .ask(
            "textDocument/hover",
            client.at("tea.yaml", "  parting: {", 4),
        )
        .unwrap();
    assert!(
        answer["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("final state"),
        "{answer}"
    );
    client.replace("tea.yaml", "[polite\n", "[polite]\n");
    client.findings_until("tea.yaml", <[Value]>::is_empty);
    // If the complete text is unreadable, the last readable text is used.
    client.write("tea.yaml", "{{{{\n");
    client.findings_until("tea.yaml", |found| !found.is_empty());
    let answer = client
        .ask(
            "textDocument/definition",
            client.at("scenarios/tea.yaml", "state: brew", 8),
        )
        .unwrap();
    assert_eq!(client.places(&answer).len(), 1, "{answer}");
    assert_eq!(client.end(), 0);
}

#[test]
fn names_resolve_to_their_definition_and_references() {
    let project = tea();
    let mut client = opened(&project);
    for (file, at, inside, place) in [
        ("tea.yaml", "then: brew", 7, "tea.yaml:19:3"),
        ("tea.yaml", "mixins: [polite", 10, "tea.yaml:8:3"),
        ("tea.yaml", "when: is_hot", 7, "tea.yaml:10:3"),
        ("tea.yaml", "black: {when", 1, "tea.yaml:6:3"),
        ("tea.yaml", "phase: pour", 8, "tea.yaml:3:25"),
        ("tea.yaml", "slot: water", 7, "tea.yaml:22:21"),
        ("scenarios/tea.yaml", "state: brew", 8, "tea.yaml:19:3"),
        (
            "scenarios/tea.yaml",
            "transition_to_brew",
            16,
            "tea.yaml:19:3",
        ),
        ("scenarios/tea.yaml", "to: parting", 6, "tea.yaml:24:3"),
        ("scenarios/tea.yaml", "model: tea.yaml", 9, "tea.yaml:1:1"),
    ] {
        let answer = client
            .ask("textDocument/definition", client.at(file, at, inside))
            .unwrap();
        assert_eq!(client.places(&answer), [place], "{at}");
    }
    let mut params = client.at("tea.yaml", "  brew:", 3);
    params["context"] = json!({"includeDeclaration": true});
    let answer = client
        .ask("textDocument/references", params.clone())
        .unwrap();
    let places = [
        "scenarios/tea.yaml:6:21",
        "scenarios/tea.yaml:6:62",
        "scenarios/tea.yaml:8:28",
        "tea.yaml:3:63",
        "tea.yaml:18:35",
        "tea.yaml:19:3",
    ];
    assert_eq!(client.places(&answer), places);
    params["context"]["includeDeclaration"] = json!(false);
    let answer = client.ask("textDocument/references", params).unwrap();
    assert_eq!(answer.as_array().unwrap().len(), places.len() - 1);
    // A position without a name has no definition.
    let answer = client
        .ask(
            "textDocument/definition",
            client.at("tea.yaml", "goal: ", 1),
        )
        .unwrap();
    assert_eq!(answer, json!([]));
    assert_eq!(client.end(), 0);
}

#[test]
fn hover_shows_the_parts_of_a_state_and_their_origin() {
    let project = tea();
    let mut client = opened(&project);
    let answer = client
        .ask("textDocument/hover", client.at("tea.yaml", "  brew:", 3))
        .unwrap();
    let text = answer["contents"]["value"].as_str().unwrap();
    for part in [
        "**state** `brew`",
        "Спросить, какой чай",
        "phase `pour`",
        "required `taste`",
        "optional `water`",
        "- `goodbye` → `parting` (mixin `polite`, state `greeting`, tea.yaml:8)",
        "- `black` → `brew` if `is_hot` (state `greeting`, tea.yaml:18)",
        "- `done` → `parting` (tea.yaml:23)",
        "- `thanks` → `bow` (mixin `polite`, state `greeting`, tea.yaml:8)",
        "\n6 occurrences",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for (at, inside, part) in [
        ("when: is_hot", 8, "The water boils"),
        ("black: {when", 1, "Чёрный чай"),
        ("[taste]", 2, "required in `greeting`, `brew`"),
        ("phase: ask", 8, "states: `greeting`"),
        ("is_final", 2, "Whether dialogues end in the state"),
    ] {
        let answer = client
            .ask("textDocument/hover", client.at("tea.yaml", at, inside))
            .unwrap();
        let text = answer["contents"]["value"].as_str().unwrap();
        assert!(text.contains(part), "{at}\n{text}");
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn completion_offers_the_names_for_a_position() {
    let project = tea();
    let mut client = opened(&project);
    let offered = |client: &mut Client, file: &str, at: &str, inside: usize| {
        let answer = client
            .ask("textDocument/completion", client.at(file, at, inside))
            .unwrap();
        labels(&answer)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let states = offered(&mut client, "tea.yaml", "then: brew", 8);
    assert_eq!(states, ["brew", "greeting", "parting", "resume"]);
    let keys = offered(&mut client, "tea.yaml", "goal: С", 0);
    assert!(
        keys.contains(&"optional_data".to_owned()) && !keys.contains(&"brew".to_owned()),
        "{keys:?}"
    );
    let conditions = offered(&mut client, "tea.yaml", "when: is_hot", 7);
    assert!(conditions.contains(&"is_hot".to_owned()), "{conditions:?}");
    // An incomplete line at the end: a transition class and intents are offered.
    client.write(
        "scenarios/tea.yaml",
        &format!("{SCENARIO}  - intent: b\n    expect: {{class: "),
    );
    let classes = offered(&mut client, "scenarios/tea.yaml", "class: ", 7);
    assert!(classes.contains(&"advance".to_owned()), "{classes:?}");
    let intents = offered(&mut client, "scenarios/tea.yaml", "intent: b\n", 9);
    assert!(
        ["black", "goodbye", "done"]
            .iter()
            .all(|name| intents.contains(&(*name).to_owned())),
        "{intents:?}"
    );
    // A plain flow has no intents of sales dialogues.
    assert!(
        !intents.contains(&"price_question".to_owned()),
        "{intents:?}"
    );
    let mixins = offered(&mut client, "tea.yaml", "[polite]", 4);
    assert_eq!(mixins, ["polite"]);
    assert_eq!(client.end(), 0);
}

#[test]
fn plain_flow_is_offered_no_sales_keys_and_no_triggers() {
    let project = tea();
    let mut client = opened(&project);
    let offered = |client: &mut Client, file: &str, at: &str, inside: usize| {
        let place = client.at(file, at, inside);
        let answer = client.ask("textDocument/completion", place).unwrap();
        let names = labels(&answer).into_iter().map(str::to_owned);
        names.collect::<Vec<_>>()
    };
    for (at, own, of_sales) in [
        ("goal: С", "aside", "max_turns_in_state"),
        ("phases: {", "everywhere", "extends"),
    ] {
        let keys = offered(&mut client, "tea.yaml", at, 0);
        assert!(keys.contains(&own.to_owned()), "{keys:?}");
        assert!(!keys.contains(&of_sales.to_owned()), "{keys:?}");
    }
    client.write("scenarios/tea.yaml", &format!("{SCENARIO}  - intent: b\n"));
    let intents = offered(&mut client, "scenarios/tea.yaml", "intent: b\n", 9);
    assert!(intents.contains(&"black".to_owned()), "{intents:?}");
    for trigger in ["any", "data_complete", "unclear"] {
        assert!(!intents.contains(&trigger.to_owned()), "{intents:?}");
    }
    client.replace("tea.yaml", "{done: parting}", "{any: parting}");
    let place = client.at("tea.yaml", "any: parting", 1);
    let refused = client.ask("textDocument/prepareRename", place).unwrap_err();
    let message = refused["message"].as_str().unwrap();
    assert_eq!(message, "the trigger `any` is built in");
}

#[test]
fn rename_changes_all_references_or_none() {
    let project = tea();
    let mut client = opened(&project);
    let rename = |client: &mut Client, at: &str, inside: usize, to: &str| {
        let mut params = client.at("tea.yaml", at, inside);
        let prepared = client.ask("textDocument/prepareRename", params.clone());
        params["newName"] = json!(to);
        (prepared, client.ask("textDocument/rename", params))
    };
    let (prepared, edit) = rename(&mut client, "  brew:", 3, "steep");
    assert_eq!(prepared.unwrap()["placeholder"], "brew");
    for file in ["scenarios/tea.yaml", "tea.yaml"] {
        let uri = client.uri(file);
        let edit = edit.as_ref().unwrap()["documentChanges"]
            .as_array()
            .unwrap();
        let edits = edit
            .iter()
            .find(|change| change["textDocument"]["uri"] == json!(uri))
            .unwrap();
        let text = apply(&client.texts[file], &edits["edits"]);
        client.write(file, &text);
    }
    assert!(
        client.texts["scenarios/tea.yaml"]
            .contains("{state: steep, phase: pour, action: transition_to_steep}")
    );
    assert!(client.texts["tea.yaml"].contains("mapping: {ask: greeting, pour: steep}"));
    client.replace("tea.yaml", "steep:", "steap:");
    client.findings_until("tea.yaml", |found| !found.is_empty());
    client.replace("tea.yaml", "steap:", "steep:");
    client.findings_until("tea.yaml", <[Value]>::is_empty);
    client.findings_until("scenarios/tea.yaml", <[Value]>::is_empty);
    for (at, inside, to, why) in [
        (
            "  greeting:",
            4,
            "parting",
            "the state `parting` already exists",
        ),
        ("  greeting:", 4, "no name", "invalid name `no name`"),
        ("thanks:", 2, "tick", "the intent `tick` is built in"),
        ("bow}", 1, "nod", "cannot rename names of the kind `action`"),
        ("goal: ", 1, "aim", "no name at this position"),
    ] {
        let (_, edit) = rename(&mut client, at, inside, to);
        let message = edit.unwrap_err()["message"].as_str().unwrap().to_owned();
        assert!(message.contains(why), "{message}");
    }
    let (_, edit) = rename(&mut client, "[taste]", 2, "flavour");
    assert_eq!(
        edit.unwrap()["documentChanges"][0]["edits"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    client.replace("tea.yaml", "[polite]", "[polite");
    let (prepared, _) = rename(&mut client, "  greeting:", 4, "hello");
    assert!(
        prepared.unwrap_err()["message"]
            .as_str()
            .unwrap()
            .contains("fix its errors first")
    );
    assert_eq!(client.end(), 0);
}

/// Applies edits to a text.
fn apply(text: &str, edits: &Value) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let offset = |position: &Value| {
        let number = |key: &str| usize::try_from(position[key].as_u64().unwrap()).unwrap();
        let line = number("line");
        let units = number("character");
        let column: usize =
            String::from_utf16(&lines[line].encode_utf16().take(units).collect::<Vec<_>>())
                .unwrap()
                .len();
        lines[..line].iter().map(|line| line.len()).sum::<usize>() + column
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (
                offset(&range["start"]),
                offset(&range["end"]),
                edit["newText"].as_str().unwrap(),
            )
        })
        .collect();
    edits.sort_unstable();
    edits
        .iter()
        .rev()
        .fold(text.to_owned(), |mut text, (start, end, new)| {
            text.replace_range(start..end, new);
            text
        })
}

#[test]
fn similar_name_is_offered_as_a_quick_fix() {
    let project = tea();
    let mut client = opened(&project);
    client.replace("tea.yaml", "mixins: [polite]", "mixins: [\"polte\"]");
    let found = client.findings_until("tea.yaml", |found| !found.is_empty());
    let range = &found[0]["range"];
    let params = json!({"textDocument": {"uri": client.uri("tea.yaml")}, "range": range, "context": {"diagnostics": []}});
    let fixes = client
        .ask("textDocument/codeAction", params.clone())
        .unwrap();
    assert_eq!(
        (&fixes[0]["title"], &fixes[0]["kind"]),
        (&json!("Change to `polite`"), &json!("quickfix"))
    );
    let edits = &fixes[0]["edit"]["changes"][client.uri("tea.yaml")];
    let repaired = apply(&client.texts["tea.yaml"], edits);
    assert_eq!(repaired, FLOW.replace("[polite]", "[\"polite\"]"));
    client.write("tea.yaml", &repaired);
    client.findings_until("tea.yaml", <[Value]>::is_empty);
    // Without a finding, there is no quick fix.
    assert_eq!(
        client.ask("textDocument/codeAction", params).unwrap(),
        json!([])
    );
    client.replace(
        "scenarios/tea.yaml",
        "expect: {state: brew",
        "expects: {state: brew",
    );
    let found = client.findings_until("scenarios/tea.yaml", |found| !found.is_empty());
    let params = json!({"textDocument": {"uri": client.uri("scenarios/tea.yaml")}, "range": found[0]["range"], "context": {"diagnostics": []}});
    let fixes = client.ask("textDocument/codeAction", params).unwrap();
    assert_eq!(fixes[0]["title"], "Change to `expect`");
    assert_eq!(client.end(), 0);
}

#[test]
fn outline_lists_the_definitions_of_a_document() {
    let project = tea();
    let mut client = opened(&project);
    let uri = client.uri("tea.yaml");
    let answer = client
        .ask(
            "textDocument/documentSymbol",
            json!({"textDocument": {"uri": uri}}),
        )
        .unwrap();
    let symbols = answer.as_array().unwrap();
    let names: Vec<&str> = symbols
        .iter()
        .map(|symbol| symbol["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["black", "polite", "is_hot", "greeting", "brew", "parting"]
    );
    assert_eq!(symbols[4]["range"]["end"]["line"], 22);
    assert_eq!(client.end(), 0);
}

#[test]
fn markdown_states_are_supported() {
    let project = Project::new()
        .file(
            "tea/states/init.md",
            "# State: init\n\n## Goal\nFind the tea.\n\n## Transitions\n| Condition | Next state |\n|---|---|\n| Black | `brew` |\n",
        )
        .file("tea/states/brew.md", "# State: brew\n\n## Goal\nPour it.\n\n## Transitions\n- Done → `init`\n")
        .file("tea/instructions/system.md", "You pour tea.\n");
    let mut client = Client::start(&project);
    client.open("tea/states/init.md");
    client.findings_until("tea/states/init.md", |_| true);
    let answer = client
        .ask(
            "textDocument/definition",
            client.at("tea/states/init.md", "`brew`", 2),
        )
        .unwrap();
    assert_eq!(client.places(&answer), ["tea/states/brew.md:1:10"]);
    let answer = client
        .ask(
            "textDocument/hover",
            client.at("tea/states/init.md", "`brew`", 2),
        )
        .unwrap();
    assert!(
        answer["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("**state** `brew`"),
        "{answer}"
    );
    client.replace("tea/states/init.md", "`brew`", "`brw`");
    let found = client.findings_until("tea/states/init.md", |found| !found.is_empty());
    assert!(titles(&found)[0].contains("`brw`"), "{found:?}");
    assert_eq!(client.end(), 0);
}

#[test]
fn columns_use_the_position_encoding_of_the_editor() {
    let project = Project::new().file(
        "tea.yaml",
        "states:\n  чай: {goal: 🙂, transitions: {да: ча}}\n",
    );
    for (encodings, start, width) in [
        (json!(["utf-8", "utf-16"]), 43, 4),
        (json!(["utf-16"]), 36, 2),
    ] {
        let mut client = Client::start_with(
            &project,
            &json!({"general": {"positionEncodings": encodings}}),
        );
        assert_eq!(client.capabilities["positionEncoding"], encodings[0]);
        client.open("tea.yaml");
        let found = client.findings_until("tea.yaml", |found| !found.is_empty());
        let finding = found
            .iter()
            .find(|finding| finding["code"] == "FS0101")
            .unwrap();
        assert_eq!(finding["range"]["start"]["character"], start);
        assert_eq!(finding["range"]["end"]["character"], start + width);
        // The message contains the suggestion, because an editor might not show related information.
        assert!(
            finding["message"]
                .as_str()
                .unwrap()
                .contains("exists: `чай`"),
            "{finding}"
        );
        assert_eq!(client.end(), 0);
    }
}

#[test]
fn unknown_and_invalid_requests_get_an_error() {
    let project = tea();
    let mut client = opened(&project);
    let code = |answer: Result<Value, Value>| answer.unwrap_err()["code"].as_i64().unwrap();
    assert_eq!(code(client.ask("textDocument/nothing", json!({}))), -32601);
    assert_eq!(
        code(client.ask("textDocument/hover", json!({"position": 1}))),
        -32602
    );
    client.notify("textDocument/didChange", json!({"textDocument": 1}));
    client.notify(
        "textDocument/didOpen",
        json!({"textDocument": {"uri": "untitled:1", "languageId": "yaml", "version": 1, "text": "a: b"}}),
    );
    // A canceled request gets its result or the error -32800.
    let position = client.at("tea.yaml", "  brew:", 3);
    let numbers: Vec<i64> = (0..20)
        .map(|_| client.begin("textDocument/hover", position.clone()))
        .collect();
    client.notify("$/cancelRequest", json!({"id": numbers[19]}));
    for number in numbers {
        let answer = client.answer(number);
        assert!(answer.is_ok() || code(answer) == -32800);
    }
    client.ask("shutdown", Value::Null).unwrap();
    assert_eq!(code(client.ask("textDocument/hover", position)), -32600);
    client.notify("exit", Value::Null);
    assert_eq!(opened(&project).leave(), 1);
}

#[test]
fn invalid_project_file_is_reported_in_that_file() {
    let project = tea();
    project.write("fsmsim.toml", "modle = \"tea.yaml\"\n");
    let mut client = Client::start(&project);
    client.open("tea.yaml");
    let found = client.findings_until("fsmsim.toml", |found| !found.is_empty());
    assert!(titles(&found)[0].contains("modle"), "{found:?}");
    let answer = client
        .ask(
            "textDocument/definition",
            client.at("tea.yaml", "then: brew", 7),
        )
        .unwrap();
    assert_eq!(client.places(&answer), ["tea.yaml:19:3"]);
    assert_eq!(client.end(), 0);
}

#[test]
fn code_lens_shows_the_scenario_results_of_each_state() {
    let project = tea();
    let lenses = |client: &mut Client| -> Vec<String> {
        let params = json!({"textDocument": {"uri": client.uri("tea.yaml")}});
        let answer = client.ask("textDocument/codeLens", params).unwrap();
        answer
            .as_array()
            .unwrap()
            .iter()
            .map(|lens| lens["command"]["title"].as_str().unwrap().to_owned())
            .collect()
    };
    let refresh = json!({"workspace": {"codeLens": {"refreshSupport": true}}});
    let mut client = Client::start_with(&project, &refresh);
    client.open("tea.yaml");
    client.until_asked("workspace/codeLens/refresh");
    assert_eq!(
        lenses(&mut client),
        [
            "1 scenario, not run yet",
            "1 scenario, not run yet",
            "1 scenario, not run yet"
        ]
    );
    project.fsmsim(["test"]).succeeds("");
    project.write(
        "scenarios/other.yaml",
        "scenario: Other\nmodel: tea.yaml\nturns: [{intent: black, expect: {state: parting}}]\n",
    );
    project.fsmsim(["test"]).fails(1, "", "");
    let uri = client.uri("scenarios/other.yaml");
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": uri, "type": 1}]}),
    );
    client.until_asked("workspace/codeLens/refresh");
    assert_eq!(
        lenses(&mut client),
        [
            "2 scenarios, 1 failed",
            "1 scenario, all passed",
            "1 scenario, all passed"
        ]
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn rename_reaches_mocks_personas_and_turns() {
    let project = tea()
        .file(
            "mock.yaml",
            "rules:\n  - {say: tea, answer: {intent: black}}\n",
        )
        .file(
            "scenarios/said.yaml",
            "scenario: Said\nmodel: tea.yaml\nllm: mock.yaml\nturns:\n  - say: tea\n",
        )
        .file(
            "personas/eager.yaml",
            "persona: eager\nweights: [{intent: black, weight: 3}]\n",
        )
        .file(
            "turns.jsonl",
            "{\"id\":\"d\",\"turns\":[{\"intent\":\"black\"}]}\n",
        )
        // A model that does not use the name is unchanged.
        .file(
            "other.yaml",
            "states:\n  start: {transitions: {white: start}}\n",
        );
    let mut client = opened(&project);
    let mut params = client.at("tea.yaml", "  black:", 4);
    params["newName"] = json!("dark");
    let edit = client.ask("textDocument/rename", params).unwrap();
    let root = format!("{}/", client.uri("").trim_end_matches('/'));
    let changed: Vec<(String, usize)> = edit["documentChanges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| {
            let uri = change["textDocument"]["uri"].as_str().unwrap();
            (
                uri.strip_prefix(&root).unwrap().to_owned(),
                change["edits"].as_array().unwrap().len(),
            )
        })
        .collect();
    let expected = [
        ("mock.yaml", 1),
        ("personas/eager.yaml", 1),
        ("scenarios/tea.yaml", 1),
        ("tea.yaml", 2),
        ("turns.jsonl", 1),
    ];
    assert_eq!(
        changed,
        expected.map(|(file, edits)| (file.to_owned(), edits))
    );
    let answer = client
        .ask(
            "textDocument/definition",
            client.at("scenarios/tea.yaml", "intent: black", 9),
        )
        .unwrap();
    assert_eq!(client.places(&answer), ["tea.yaml:6:3"]);
    client.open("scenarios/said.yaml");
    client.findings_until("scenarios/said.yaml", <[Value]>::is_empty);
    let answer = client
        .ask(
            "textDocument/definition",
            client.at("scenarios/said.yaml", "llm: mock", 6),
        )
        .unwrap();
    assert_eq!(client.places(&answer), ["mock.yaml:1:1"]);
    client.open("mock.yaml");
    client.replace("mock.yaml", "answer:", "anwser:");
    let found = client.findings_until("mock.yaml", |found| !found.is_empty());
    assert!(titles(&found)[0].contains("anwser"), "{found:?}");
    assert_eq!(client.end(), 0);
}

#[test]
fn contract_classes_and_interview_points_are_known() {
    let project = Project::accounting()
        .file("fsmsim.toml", "")
        .with("scenarios/contract/_defaults.yaml")
        .with("scenarios/contract/ask_again.yaml")
        .file("talk.yaml", "kind: interview\npoints:\n  aim: {name: the aim, priority: P0}\n  plan: {name: the plan, priority: P1, depends_on: [aim]}\n");
    let mut client = Client::start(&project);
    for file in [
        "flows/accounting.yaml",
        "scenarios/contract/ask_again.yaml",
        "talk.yaml",
    ] {
        client.open(file);
        client.findings_until(file, <[Value]>::is_empty);
    }
    let line = |text: &str, word: &str| text[..text.find(word).unwrap()].matches('\n').count() + 2;
    let contract = project.read("flows/accounting.yaml");
    for (file, at, inside, place) in [
        (
            "flows/accounting.yaml",
            "intent: [root_query]",
            9,
            format!(
                "flows/accounting.yaml:{}:3",
                line(&contract, "\n  root_query:")
            ),
        ),
        (
            "scenarios/contract/ask_again.yaml",
            "contract_class: T10",
            17,
            format!("flows/accounting.yaml:{}:3", line(&contract, "\n  T10:")),
        ),
        (
            "talk.yaml",
            "depends_on: [aim]",
            14,
            "talk.yaml:3:3".to_owned(),
        ),
    ] {
        let answer = client
            .ask("textDocument/definition", client.at(file, at, inside))
            .unwrap();
        assert_eq!(client.places(&answer), [place], "{at}");
    }
    let answer = client
        .ask(
            "textDocument/completion",
            client.at("talk.yaml", "[aim]", 1),
        )
        .unwrap();
    assert_eq!(labels(&answer), ["aim", "plan"]);
    assert_eq!(client.end(), 0);
}
