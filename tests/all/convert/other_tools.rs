//! Files of other tools as people have them: exports, flowcharts, and formats that cannot be imported.

use crate::support::{Project, Run, turns};

/// Imports a file into the directory `flows`.
fn import(format: &str, file: &str, text: &str) -> (Project, Run) {
    let project = Project::new().file(file, text);
    let run = project
        .fsmsim(["import", format, file, "-o", "flows"])
        .ends(0, "flows/", "");
    (project, run)
}

/// The states after each intent.
fn walk(project: &Project, flow: &str, intents: &[&str]) -> Vec<String> {
    let turn = |intent: &&str| format!("{{\"intent\":{intent:?}}}");
    let said: Vec<String> = intents.iter().map(turn).collect();
    states(project, flow, &said.join(","))
}

/// The states after each of these turns.
fn states(project: &Project, flow: &str, said: &str) -> Vec<String> {
    let line = format!("{{\"id\":\"d\",\"turns\":[{said}]}}\n");
    project.write("walk.jsonl", line);
    let trace = project
        .fsmsim(["trace", flow, "--turns", "walk.jsonl"])
        .succeeds("");
    turns(&trace)
        .iter()
        .map(|turn| turn["state"]["to"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn transitions_after_an_unguarded_one_are_reported() {
    let text = r#"{"id":"gate","initial":"shut","states":{
        "shut":{"on":{"PUSH":[{"target":"open"},{"target":"stuck"}],"KICK":[{"target":"open","guard":"isWeak"},"stuck"]}},
        "open":{"always":[{"target":"shut"},{"target":"stuck"}]},
        "stuck":{"type":"final"}}}"#;
    let (_, run) = import("xstate", "gate.json", text);
    assert_eq!(run.stderr.matches("warning[FS0013]").count(), 2, "{run}");
    for part in [
        "transitions after one without a guard are never taken",
        "so a guard that is a function is lost",
        "JSON.stringify(machine.config, (key, f) =>",
    ] {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
}

#[test]
fn history_without_a_type_is_a_history_state() {
    let text = r#"{"id":"lamp","initial":"dark","states":{
        "dark":{"on":{"SWITCH":"lit.last"}},
        "lit":{"initial":"low","on":{"SWITCH":"dark"},"states":{
            "low":{"on":{"MORE":"high"}},"high":{},"last":{"history":"shallow"},"all":{"history":true}}}}}"#;
    let (project, _) = import("xstate", "lamp.json", text);
    let said = ["SWITCH", "MORE", "SWITCH", "SWITCH"];
    let expected = ["lit_last", "lit_high", "dark", "lit_high"];
    assert_eq!(walk(&project, "flows/lamp.yaml", &said), expected);
}

#[test]
fn serialized_machine_is_imported_like_its_configuration() {
    // The form of `JSON.stringify(machine)` in XState 5, with a timer, a service and a composite state.
    let text = r##"{"id":"t","key":"t","type":"compound","initial":{"target":["#t.a"],"source":"#t","actions":[],"eventType":null},
      "history":false,"states":{
        "a":{"id":"t.a","key":"a","type":"atomic","initial":{"target":[],"source":"#t.a","actions":[],"eventType":null},"history":false,"states":{},
          "on":{"GO":[{"target":["#t.b"],"actions":[],"source":"#t.a","reenter":false,"eventType":"GO"}],
            "xstate.after.500.t.a":[{"target":["#t.c"],"actions":[],"source":"#t.a","delay":500,"eventType":"xstate.after.500.t.a"}],
            "xstate.done.actor.load":[{"target":["#t.c"],"actions":[],"source":"#t.a","eventType":"xstate.done.actor.load"}]},
          "transitions":[],"entry":[],"exit":[],"order":1,"invoke":[{"src":"load","id":"load","type":"xstate.invoke"}],"tags":[]},
        "b":{"id":"t.b","key":"b","type":"compound","initial":{"target":["#t.b.x"],"source":"#t.b","actions":[],"eventType":null},"history":false,
          "states":{
            "x":{"id":"t.b.x","key":"x","type":"atomic","states":{},"on":{"END":[{"target":["#t.b.y"],"guard":"isSure","eventType":"END"}]},"transitions":[],"order":3},
            "y":{"id":"t.b.y","key":"y","type":"final","states":{},"on":{},"transitions":[],"order":4}},
          "on":{"xstate.done.state.t.b":[{"target":["#t.c"],"actions":[],"source":"#t.b","eventType":"xstate.done.state.t.b"}]},"transitions":[],"order":2},
        "c":{"id":"t.c","key":"c","type":"final","states":{},"on":{},"transitions":[],"order":5}},
      "on":{},"transitions":[],"entry":[],"exit":[],"order":-1,"invoke":[],"tags":[]}"##;
    let (project, run) = import("xstate", "t.json", text);
    assert!(run.stderr.contains("use `machine.config`"), "{run}");
    insta::assert_snapshot!(project.read("flows/t.yaml"));
}

#[test]
fn machine_that_starts_in_regions_handles_its_first_event() {
    let text = r#"{"id":"meal","initial":"cook","states":{
        "cook":{"type":"parallel","onDone":"eat","states":{
            "pasta":{"initial":"raw","states":{"raw":{"on":{"BOIL":"done","WAIT":"raw"}},"done":{"type":"final"}}},
            "sauce":{"initial":"cold","states":{"cold":{"on":{"HEAT":"warm"}},"warm":{"on":{"STIR":"done"}},"done":{"type":"final"}}}},
          "on":{"BURN":"lost"}},
        "eat":{"type":"final"},"lost":{"type":"final"}}}"#;
    let (project, run) = import("xstate", "meal.json", text);
    assert!(
        run.stderr.contains("its first intent enters `cook`"),
        "{run}"
    );
    let last = |said: &[&str]| walk(&project, "flows/meal.yaml", said).pop().unwrap();
    assert_eq!(last(&["BOIL", "HEAT", "STIR"]), "eat");
    assert_eq!(last(&["HEAT", "BOIL", "STIR"]), "eat");
    assert_eq!(last(&["hello", "BOIL", "HEAT", "STIR"]), "eat");
    assert_eq!(last(&["BURN"]), "lost");
    project.fsmsim(["lint", "flows"]).ends(0, "no errors", "");
}

#[test]
fn guards_with_dots_become_slots_with_underscores() {
    let text = r#"{"initial":"a","context":{"user.name":"Ann"},"states":{"a":{"on":{"GO":[{"target":"b","guard":"user.isAdmin"}]}},"b":{"type":"final"}}}"#;
    let (project, run) = import("xstate", "m.json", text);
    let omitted = "the transition applies if the slot `user_isAdmin` is true";
    assert!(run.stderr.contains(omitted), "{run}");
    let turn = r#"{"intent":"GO","data":{"user_isAdmin":true}}"#;
    assert_eq!(states(&project, "flows/m.yaml", turn), ["b"]);
}

#[test]
fn intent_with_a_space_is_typed_in_quotation_marks() {
    let text = r#"{"initial":"one","states":{"one":{"on":{"step ahead":"two"}},"two":{"on":{"step ahead":"one"}}}}"#;
    let (project, _) = import("xstate", "s.json", text);
    let lines = "step ahead\n\"step ahead\"\nhello / \"step ahead\" tone:calm\n";
    insta::assert_snapshot!(project.fsmsim(["run", "flows/s.yaml"]).stdin(lines).shown());
}

const GRAPH: &str = "---
config:
  flowchart:
    curve: linear
---
graph TD;
\t__start__([<p>__start__</p>]):::first
\tplan(plan)
\tfetch(fetch)
\t__end__([<p>__end__</p>]):::last
\t__start__ --> plan;
\tplan -. &nbsp;need_data&nbsp; .-> fetch;
\tplan -.-> __end__;
\tfetch --> plan;
\tclassDef default fill:#f2f0ff,line-height:1.2
\tclassDef first fill-opacity:0
";

#[test]
fn flowchart_of_langgraph_is_read_as_states() {
    let (project, _) = import("mermaid", "agent.mmd", GRAPH);
    insta::assert_snapshot!(project.read("flows/agent.yaml"));
    let said = ["need_data", "x", "y"];
    assert_eq!(
        walk(&project, "flows/agent.yaml", &said),
        ["fetch", "plan", "end"]
    );
    // In a document, such a flowchart is a model. Other flowcharts are not.
    let document = format!("# Agent\n\n```mermaid\n{GRAPH}```\n");
    let project = Project::new().file("agent.md", document).file(
        "system.md",
        "# System\n\n```mermaid\nflowchart LR\n  Browser --> Server\n```\n",
    );
    project
        .fsmsim(["lint", "agent.md", "--explain-extraction"])
        .ends(0, "fetch", "");
    project.fsmsim(["lint", "system.md"]).ends(2, "", "");
}

#[test]
fn flowchart_that_graph_draws_can_be_imported() {
    let flow = "flow: {name: shop, policy: plain, entry_points: {default: hall}}\nslots: {paid: {initial: false}}\n\
        conditions: {is_paid: {slot: paid}}\nstates:\n  hall: {goal: Greet, transitions: {buy: till, look: [{when: is_paid, then: out}, hall]}}\n\
        \x20 till: {type: choice, choices: [{condition: is_paid, next: out}], default: hall}\n  out: {is_final: true}\n";
    let project = Project::new().file("shop.yaml", flow);
    let drawn = project
        .fsmsim(["graph", "shop.yaml", "--format", "mermaid"])
        .succeeds("flowchart");
    let (imported, _) = import("mermaid", "shop.mmd", &drawn);
    insta::assert_snapshot!(imported.read("flows/shop.yaml"));
    let said = r#"{"intent":"look"},{"intent":"buy"},{"intent":"look","data":{"is_paid":true}}"#;
    let reached = states(&imported, "flows/shop.yaml", said);
    assert_eq!(reached, ["hall", "hall", "out"]);
}

#[test]
fn keywords_braces_and_aliases_are_read_as_mermaid_reads_them() {
    let text = "stateDiagram-v2\n  Direction LR\n  ClassDef cold fill:blue\n  state \"Order taken\" as Taken : waits for a cook\n\
        \x20 State Kitchen\n\n  {\n    [*] --> Fry\n    Fry --> [*]: ready\n  }\n  Class Taken cold\n  Note right of Taken: busy\n\
        \x20 [*] --> Taken\n  Taken --> Kitchen: cook #40;now#41; please\n  Kitchen --> Served\n";
    let (project, _) = import("mermaid", "order.mmd", text);
    insta::assert_snapshot!(project.read("flows/order.yaml"));
    let said = ["cook_now_please", "ready"];
    assert_eq!(walk(&project, "flows/order.yaml", &said), ["Fry", "Served"]);
}

#[test]
fn other_diagrams_of_a_document_are_listed() {
    let text = "# Overview\n\n```mermaid\nflowchart LR\n  A --> B\n```\n\n```mermaid\nstateDiagram-v2\n  [*] --> Idle\n  Idle --> Busy: work\n```\n\n\
        ```mermaid\nstateDiagram-v2\n  [*] --> Other\n```\n";
    let (project, run) = import("mermaid", "design.md", text);
    assert!(project.read("flows/design.yaml").contains("work: Busy"));
    for line in [
        "design.md:4: another diagram",
        "design.md:15: another diagram",
    ] {
        assert!(run.stderr.contains(line), "{run}");
    }
}

#[test]
fn transition_without_a_destination_is_internal() {
    let text = r#"{"states":["on","off"],"initial":"on","transitions":[{"trigger":"blink","source":"on"},["stop","on","off"]]}"#;
    let (project, _) = import("transitions", "m.json", text);
    let reached = walk(&project, "flows/m.yaml", &["blink", "stop"]);
    assert_eq!(reached, ["on", "off"]);
}

#[test]
fn file_in_an_unsupported_format_is_named() {
    let files = [
        (
            "order.scxml",
            "<?xml version=\"1.0\"?>\n<scxml version=\"1.0\" initial=\"a\"/>\n",
        ),
        (
            "order.bpmn",
            "<?xml version=\"1.0\"?>\n<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\"/>\n",
        ),
        (
            "order.asl.json",
            "{\"StartAt\": \"Take\", \"States\": {\"Take\": {\"Type\": \"Succeed\"}}}\n",
        ),
        (
            "order.asl.yaml",
            "StartAt: Take\nStates:\n  Take: {Type: Succeed}\n",
        ),
        (
            "order.convo.txt",
            "Greeting\n\n#me\nhello\n\n#bot\nGood day\n",
        ),
        (
            "flows.yml",
            "flows:\n  order_pizza:\n    description: takes an order\n    steps:\n      - collect: size\n",
        ),
    ];
    let mut said = String::new();
    for (file, text) in files {
        let project = Project::new().file(file, text);
        for command in [
            &["lint", file][..],
            &["test", file],
            &["import", "xstate", file],
        ] {
            let run = project.fsmsim(command).ends(2, "", "error[FS0022]");
            assert_eq!(run.stderr.matches("error[").count(), 1, "{run}");
            if command[0] == "lint" {
                said.push_str(&run.stderr);
            }
        }
    }
    insta::assert_snapshot!(said);
    let chat =
        "{\"role\":\"user\",\"content\":\"Hi\"}\n{\"role\":\"assistant\",\"content\":\"Hello\"}\n";
    Project::new()
        .file("chat.jsonl", chat)
        .fsmsim(["test", "chat.jsonl"])
        .ends(2, "", "a chat log is not a supported format");
}

#[test]
fn directory_with_flows_and_scenarios_is_tested() {
    let text = r#"{"id":"door","initial":"shut","states":{"shut":{"on":{"PUSH":"open"}},"open":{"type":"final"}}}"#;
    let (project, _) = import("xstate", "door.json", text);
    project.fsmsim(["lint", "flows"]).ends(0, "no errors", "");
    project
        .fsmsim(["test", "flows"])
        .ends(2, "", "no scenario was found");
    project.write(
        "flows/door.scenarios.yaml",
        "scenario: The door opens\nmodel: ./door.yaml\nturns: [{intent: PUSH, expect: {state: open}}]\n",
    );
    project
        .fsmsim(["test", "flows"])
        .succeeds("flows/door.scenarios.yaml: 1 passed\n\n1 passed in 1 turn\n");
    project.fsmsim(["test", "flows/door.yaml"]).fails(
        2,
        "1 invalid",
        "the file contains a model, not scenarios",
    );
}
