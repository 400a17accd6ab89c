//! Imports of flows from other tools.

use crate::support::{Project, Run, turns};

const DOOR: &str = r##"{
	"id": "door",
	"initial": "closed",
	"context": {"tries": 0, "owner": "Ann", "log": []},
	"states": {
		"closed": {
			"entry": ["light_off"],
			"on": {
				"OPEN": [
					{"target": "opened.ajar", "guard": "isPaid", "actions": ["ring"]},
					{"target": "#door.locked"}
				],
				"KICK": "broken",
				"PARTY": "party"
			}
		},
		"opened": {
			"initial": "wide",
			"states": {
				"wide": {"on": {"PUSH": "ajar"}},
				"ajar": {"after": {"1000": "wide", "2000": "shut"}, "on": {"PUSH": "shut", "KICK": {}}},
				"shut": {"type": "final"},
				"hist": {"type": "history"}
			},
			"on": {"KICK": "broken", "CLOSE": "closed"},
			"onDone": "closed"
		},
		"locked": {
			"on": {"UNLOCK": "opened.hist", "*": "closed", "CHECK": "checking"},
			"description": "Nobody comes in"
		},
		"checking": {
			"always": [{"target": "opened", "cond": "isOwner"}],
			"on": {"any": "locked", "TRY": {"target": "closed", "guard": {"type": "isPaid", "params": {"n": 1}}}},
			"invoke": {"id": "ask", "src": "askOwner", "onDone": "opened", "onError": {"target": "locked"}}
		},
		"party": {
			"type": "parallel",
			"states": {
				"music": {"initial": "loud", "states": {"loud": {"on": {"HUSH": "done"}}, "done": {"type": "final"}}},
				"food": {"initial": "hot", "states": {"hot": {"on": {"EAT": "done"}}, "done": {"type": "final"}}}
			},
			"on": {"KICK": "broken", "CLOSE": "closed"},
			"onDone": "closed"
		},
		"broken": {"type": "final"}
	}
}
"##;

const TEA: &str = r#"---
title: Tea house
---
stateDiagram-v2
    direction LR
    [*] --> Still
    Still : Nobody is there
    Still --> Moving: a guest [table free] / ring
    Moving --> Still
    Moving --> Crash: oops
    Crash --> [*]
    state "The order" as Order {
        [*] --> tea
        tea --> cake: more
        cake --> [*]: enough
    }
    Moving --> Order: order
    Order --> pay
    state pay <<choice>>
    pay --> Crash: else
    pay --> fork1: n >= 2
    state fork1 <<fork>>
    state join1 <<join>>
    fork1 --> A
    fork1 --> B
    A --> join1: a
    B --> B2
    B2 --> join1: b
    join1 --> Par
    state Par {
        [*] --> P1
        P1 --> [*]: x
        --
        [*] --> P2
        P2 --> [*]: z
    }
    Par --> Still
    note right of Still
        anything --> at all
    end note
    Crash:::bad --> Still: repair
    Crash --> Moving
    %% remark
    classDef bad fill:#f00
"#;

const MATTER: &str = r#"{"name": "matter", "initial": "solid", "queued": true,
 "states": ["solid", "liquid",
   {"name": "gas", "on_enter": ["hiss"], "initial": "cold", "children": ["cold", {"name": "hot", "timeout": 3}],
    "transitions": [["heat", "cold", "hot"]]}],
 "transitions": [
  {"trigger": "melt", "source": "solid", "dest": "liquid", "conditions": "is_hot", "unless": ["is_flammable"], "before": "warn"},
  ["evaporate", "liquid", "gas"], ["sublimate", "solid", "gas_hot"], ["freeze", "*", "solid"],
  ["touch", ["solid", "liquid"], "="]]}
"#;

const STORIES: &str = r#"version: "3.1"
stories:
- story: happy path
  steps:
  - intent: greet
  - action: utter_greet
"#;

/// Imports a file into the directory `out` and checks that the flow loads without findings.
fn imported(format: &str, file: &str, text: &str, flow: &str) -> (Project, Run) {
    let project = Project::new().file(file, text);
    let run = project
        .fsmsim(["import", format, file, "-o", "out"])
        .ends(0, flow, "omitted");
    // `trace` loads the flow and would report any finding.
    project.write(
        "none.jsonl",
        "{\"id\":\"d\",\"turns\":[{\"intent\":\"x\"}]}\n",
    );
    project
        .fsmsim(["trace", flow, "--turns", "none.jsonl"])
        .succeeds("");
    (project, run)
}

/// The output of an import and the files that it writes.
fn output_and_files(project: &Project, run: &Run, files: &[&str]) -> String {
    let files: String = files
        .iter()
        .map(|file| format!("----- {file}\n{}", project.read(file)))
        .collect();
    format!("{}{files}", run.shown())
}

/// The state after each of these turns.
fn walk(project: &Project, flow: &str, turns_of: &str) -> Vec<String> {
    let turns_of = turns_of.replace('\n', " ");
    project.write(
        "walk.jsonl",
        format!("{{\"id\":\"d\",\"turns\":[{turns_of}]}}\n"),
    );
    let trace = project
        .fsmsim(["trace", flow, "--turns", "walk.jsonl"])
        .succeeds("");
    turns(&trace)
        .iter()
        .map(|turn| turn["state"]["to"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn xstate_machine_is_imported() {
    let (project, run) = imported("xstate", "door.json", DOOR, "out/door.yaml");
    insta::assert_snapshot!(output_and_files(&project, &run, &["out/door.yaml"]));
    let states = walk(
        &project,
        "out/door.yaml",
        r#"{"intent":"OPEN"},{"intent":"UNLOCK"},{"intent":"PUSH"},{"intent":"KICK"},{"intent":"CLOSE"},{"intent":"OPEN"},
        {"intent":"UNLOCK"},{"timeout":true},{"intent":"PUSH"},{"intent":"PUSH"},{"intent":"PARTY"},{"intent":"EAT"},{"intent":"HUSH"},
        {"intent":"KICK"}"#,
    );
    let expected = [
        "locked",
        "opened_hist",
        "opened_ajar",
        "opened_ajar",
        "closed",
        "locked",
        "opened_ajar",
        "opened_wide",
        "opened_ajar",
        "closed",
        "party_music_loud",
        "party_music_loud",
        "closed",
        "broken",
    ];
    assert_eq!(states, expected);
}

#[test]
fn guards_test_slots_of_the_same_name() {
    let (project, _) = imported("xstate", "door.json", DOOR, "out/door.yaml");
    let paid = r#"{"intent":"OPEN","data":{"isPaid":true}}"#;
    assert_eq!(walk(&project, "out/door.yaml", paid), ["opened_ajar"]);
    let owner = r#"{"intent":"OPEN"},{"intent":"CHECK"},{"intent":"event_any"},{"intent":"CHECK","data":{"isOwner":true}}"#;
    assert_eq!(
        walk(&project, "out/door.yaml", owner),
        ["locked", "checking", "locked", "opened_wide"]
    );
}

#[test]
fn mermaid_diagram_is_imported() {
    let (project, run) = imported("mermaid", "tea.mmd", TEA, "out/tea.yaml");
    insta::assert_snapshot!(output_and_files(&project, &run, &["out/tea.yaml"]));
    let states = walk(
        &project,
        "out/tea.yaml",
        r#"{"intent":"a_guest","data":{"table_free":true}},{"intent":"order","data":{"n_at_least_2":true}},{"intent":"more"},
        {"intent":"enough"},{"intent":"b"},{"intent":"b"},{"intent":"a"},{"intent":"x"},{"intent":"z"}"#,
    );
    assert_eq!(states[..3], ["Moving", "tea", "cake"]);
    assert_eq!(states.last().unwrap(), "Still");
}

#[test]
fn diagram_in_a_markdown_document_is_imported() {
    let text = "# Design\n\n```mermaid\nstateDiagram-v2\n  [*] --> A\n  A --> B: go\n```\n\nMore --> text\n";
    let project = Project::new().file("design.md", text);
    let flow = project
        .fsmsim(["import", "mermaid", "design.md"])
        .succeeds("  A:\n    transitions:\n      go: B\n");
    assert!(!flow.contains("More"), "{flow}");
}

#[test]
fn transitions_machine_is_imported() {
    let (project, run) = imported("transitions", "matter.json", MATTER, "out/matter.yaml");
    insta::assert_snapshot!(output_and_files(&project, &run, &["out/matter.yaml"]));
    let turns = r#"{"intent":"melt"},{"intent":"melt","data":{"is_hot":1}},{"intent":"touch"},{"intent":"evaporate"},
        {"intent":"heat"},{"intent":"freeze"}"#;
    let expected = ["solid", "liquid", "liquid", "gas_cold", "gas_hot", "solid"];
    assert_eq!(walk(&project, "out/matter.yaml", turns), expected);
}

#[test]
fn transitions_machine_can_be_written_in_yaml() {
    let text =
        "states: [a, b]\ntransitions:\n  - {trigger: go, source: a, dest: b}\n  - [back, '*', a]\n";
    let project = Project::new().file("m.yaml", text);
    let run = project
        .fsmsim(["import", "transitions", "m.yaml"])
        .warns("      go: b\n      back: a\n", "m.yaml:1: no `initial`");
    assert!(run.stdout.contains("entry_points: {default: a}"), "{run}");
}

#[test]
fn flow_is_printed_unless_an_output_path_is_given() {
    let project = Project::new().file(
        "door.json",
        r#"{"initial":"a","states":{"a":{"on":{"GO":"b"}},"b":{"type":"final"}}}"#,
    );
    let flow = project
        .fsmsim(["import", "xstate", "door.json"])
        .succeeds("states:\n  a:\n");
    // An imported flow is a plain flow, so it has no sources to disable.
    assert!(!flow.contains("sources"), "{flow}");
    project
        .fsmsim(["import", "xstate", "door.json", "-o", "deep/er/flow.yaml"])
        .succeeds("deep/er/flow.yaml\n");
    assert_eq!(project.read("deep/er/flow.yaml"), flow);
    project
        .fsmsim(["import", "xstate", "door.json", "-o", "x"])
        .succeeds("x/door.yaml\n");
}

#[test]
fn names_that_are_reserved_in_flows_are_changed() {
    let text = r#"{"initial":"play","states":{"play":{"on":{"PAUSE":"resume","resume":"play"}},"resume":{"on":{"unclear":"play"}}}}"#;
    let run = Project::new()
        .file("player.json", text)
        .fsmsim(["import", "xstate", "player.json"])
        .warns(
            "  state_resume:\n    transitions:\n      event_unclear: play\n",
            "the state is renamed to `state_resume`",
        );
    assert!(run.stdout.contains("      resume: play\n"), "{run}");
}

#[test]
fn existing_file_is_overwritten_only_with_force() {
    let text = r#"{"initial":"a","states":{"a":{"on":{"GO":"b"}},"b":{"type":"final"}}}"#;
    let project = Project::new()
        .file("door.json", text)
        .file("x/door.yaml", "mine");
    let said = project
        .fsmsim(["import", "xstate", "door.json", "-o", "x"])
        .refuses("`x/door.yaml` already exists");
    assert!(said.contains("--force"), "{said}");
    assert_eq!(project.read("x/door.yaml"), "mine");
    project
        .fsmsim(["import", "xstate", "door.json", "-o", "x", "--force"])
        .succeeds("x/door.yaml\n");
    assert_ne!(project.read("x/door.yaml"), "mine");
}

#[test]
fn running_a_file_of_another_tool_suggests_an_import() {
    let files = [
        (
            "door.json",
            DOOR,
            "expected a model, found an XState machine",
            "fsmsim import xstate door.json -o flows",
        ),
        (
            "tea.mmd",
            TEA,
            "expected a model, found a Mermaid diagram",
            "fsmsim import mermaid tea.mmd -o flows",
        ),
        (
            "m.json",
            MATTER,
            "expected a model, found a machine of the Python library `transitions`",
            "fsmsim import transitions m.json -o flows",
        ),
        (
            "s.yml",
            STORIES,
            "expected a model, found Rasa stories",
            "fsmsim import rasa s.yml -o flows",
        ),
    ];
    for (file, text, looks, command) in files {
        let said = Project::new()
            .file(file, text)
            .fsmsim(["run", file])
            .about(file)
            .refuses(looks);
        assert!(said.contains(command), "{said}");
    }
}

#[test]
fn unsupported_input_is_rejected_with_its_location() {
    let wrong = [
        (
            "xstate",
            "never_together.json",
            r#"{"initial":"p","states":{"p":{"type":"parallel","states":{"a":{"initial":"x","states":{"x":{}}},"b":{}}}}}"#,
        ),
        (
            "xstate",
            "no_end.json",
            r#"{"initial":"p","states":{"p":{"type":"parallel","onDone":"q","states":{"a":{"initial":"x","states":{"x":{}}}}},"q":{}}}"#,
        ),
        (
            "xstate",
            "cut_off.json",
            r#"{"initial":"p","states":{"p":{"type":"parallel","onDone":"q","states":{"a":{"initial":"x","states":{"x":{},"y":{"type":"final"}}}}},"q":{}}}"#,
        ),
        (
            "xstate",
            "no_target.json",
            "{\"initial\":\"a\",\n \"states\":{\"a\":{\"on\":{\"GO\":\"bb\"}},\n  \"b\":{}}}",
        ),
        (
            "xstate",
            "no_initial.json",
            r#"{"states":{"a":{"states":{"b":{}}}}}"#,
        ),
        (
            "xstate",
            "round.json",
            r#"{"initial":"a","states":{"a":{"always":"b"},"b":{"always":"a"}}}"#,
        ),
        (
            "xstate",
            "code.js",
            "import { createMachine } from 'xstate';\nexport const m = createMachine({initial: 'a'});\n",
        ),
        (
            "xstate",
            "types.json",
            r#"{"initial":3,"states":{"a":{"on":[1],"type":"odd"},"b":7}}"#,
        ),
        ("xstate", "other.json", r#"{"name":"x","version":"1.0.0"}"#),
        ("xstate", "list.json", "[1, 2]"),
        ("xstate", "door.yaml", "initial: a\nstates: {a: {}}\n"),
        ("xstate", "open.json", "{\"initial\": \"a\","),
        (
            "mermaid",
            "sequence.mmd",
            "sequenceDiagram\n  A ->> B: hi\n",
        ),
        (
            "mermaid",
            "flowchart.mmd",
            "flowchart LR\n  A --- B\n  subgraph S\n  A --> B\n  end\n  S --> A\n",
        ),
        (
            "mermaid",
            "regions.mmd",
            "stateDiagram-v2\n  [*] --> Par\n  state Par {\n    [*] --> Left\n    Left --> [*]: l\n    --\n    [*] --> Right\n    Right --> Left: r\n  }\n  Par --> Out: out\n  state Two {\n    [*] --> One\n    One --> [*]\n    --\n    [*] --> Stay\n  }\n  Two --> Out\n",
        ),
        (
            "transitions",
            "regions.json",
            r#"{"states":[{"name":"p","parallel":["a","b"]}],"initial":"p","transitions":[["go","p","p"]]}"#,
        ),
        (
            "mermaid",
            "open.mmd",
            "stateDiagram-v2\n  state A {\n    [*] --> B\n",
        ),
        (
            "mermaid",
            "words.mmd",
            "stateDiagram-v2\n  A -> B\n  A --> B --> C\n  }\n",
        ),
        (
            "mermaid",
            "elsewhere.mmd",
            "stateDiagram-v2\n  state A {\n    [*] --> C\n    B\n  }\n  state C {\n    [*] --> A\n    D\n  }\n",
        ),
        (
            "mermaid",
            "back.mmd",
            "stateDiagram-v2\n  state f <<fork>>\n  state j <<join>>\n  f --> A\n  f --> B\n  A --> j\n  B --> j\n  B --> f: again\n",
        ),
        (
            "mermaid",
            "fork.mmd",
            "stateDiagram-v2\n  state f <<fork>>\n  f --> A\n  f --> B\n  A --> C\n",
        ),
        (
            "transitions",
            "no_state.json",
            r#"{"states":["a"],"transitions":[["go","a","b"],["go","a"],"x"],"initial":"c"}"#,
        ),
        ("transitions", "map.json", r#"{"states":{"a":{}}}"#),
        ("rasa", "none.yml", "nlu:\n- intent: greet\n"),
        (
            "rasa",
            "no_list.yml",
            "stories:\n- 7\n- story: b\n  steps: {}\n- story: c\n  steps: [go]\n",
        ),
    ];
    let said = wrong.map(|(format, file, text)| {
        Project::new()
            .file(file, text)
            .fsmsim(["import", format, file])
            .about(file)
            .refuses("error[FS")
    });
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn hostile_files_are_rejected_without_a_panic() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(300), close.repeat(300));
    let files: [(&str, Vec<u8>, &str); 7] = [
        ("empty", Vec::new(), "error[FS0010]: file is empty"),
        ("large", vec![b' '; 10 << 20], "error[FS0002]"),
        ("binary", b"{\"a\": \"\xff\xfe\"}".to_vec(), "x:1:8"),
        (
            "deep",
            deep("{\"initial\":\"a\",\"states\":{\"a\":", "}}").into_bytes(),
            "error[FS00",
        ),
        ("deep lists", deep("[", "]").into_bytes(), "error[FS00"),
        (
            "twice",
            br#"{"initial":"a","initial":"b","states":{"a":{}}}"#.to_vec(),
            "error[FS00",
        ),
        ("nothing", b"null".to_vec(), "error[FS00"),
    ];
    for format in ["xstate", "mermaid", "transitions", "rasa"] {
        for (what, bytes, expected) in &files {
            let project = Project::new().file("x", bytes);
            // For Mermaid, a file without a diagram is FS0013.
            let is_diagram = format == "mermaid" && what.len() > 3 && expected.ends_with("FS00");
            // In a Rasa project, a file can be empty.
            let is_empty = format == "rasa" && *what == "empty";
            let expected = if is_diagram || is_empty {
                "FS0013"
            } else {
                expected
            };
            project
                .fsmsim(["import", format, "x"])
                .about(format_args!("{format}: {what}"))
                .refuses(expected);
        }
    }
    let states: String = (0..60_000)
        .map(|number| format!("\"{number}\":{{}},"))
        .collect();
    let wide = format!("{{\"initial\":\"0\",\"states\":{{{states}\"x\":{{}}}}}}");
    let stars = format!(
        "{{\"states\":{:?},\"transitions\":{:?}}}",
        vec!["a"; 3000],
        vec![["b", "*", "a"]; 3000]
    );
    for (format, text, code) in [("xstate", wide, 0), ("transitions", stars, 2)] {
        Project::new()
            .file("x", text)
            .fsmsim(["import", format, "x"])
            .about(format)
            .ends(code, "", "");
    }
}
