//! Small inputs with large costs: each run ends soon, in little memory and with a clear message.

use std::process::Command;

use crate::support::{Invocation, Project};

/// Kilobytes of virtual memory that a run may map, including threads and libraries.
const MEMORY: u32 = 1_500_000;

const FLOW: &str = "entry_points: {default: a}\nstates: {a: {goal: x, transitions: {agreement: b}}, b: {goal: y, is_final: true}}\n";

/// A run limited to [`MEMORY`] and 60 seconds of processor time.
fn bounded(project: &Project, arguments: &str) -> Invocation {
    bounded_by((MEMORY, 60), project, arguments)
}

/// A run limited to [`MEMORY`] and `seconds` of processor time.
fn within(seconds: u32, project: &Project, arguments: &str) -> Invocation {
    bounded_by((MEMORY, seconds), project, arguments)
}

/// A run limited to `memory` kilobytes and `seconds` of processor time.
fn bounded_by((memory, seconds): (u32, u32), project: &Project, arguments: &str) -> Invocation {
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_fsmsim");
    command.args([
        "-c",
        &format!("ulimit -v {memory}; ulimit -t {seconds}; exec {program} {arguments}"),
    ]);
    project.invoke(command).about(arguments)
}

fn repeated(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn nested_anchors_do_not_multiply() {
    let nested = format!(
        "{}{}{}",
        repeated(90, |at| format!("&a{at} [")),
        "a,".repeat(40_000),
        "]".repeat(90)
    );
    let project = Project::new().file("a.yaml", format!("z: {nested}\n{FLOW}"));
    bounded(&project, "lint a.yaml").fails(1, "", "anchors add more than 400000 values");
    let text = format!(
        "{}{}{}",
        repeated(90, |at| format!("&a{at} [")),
        "x".repeat(80_000),
        "]".repeat(90)
    );
    project.write("a.yaml", format!("z: {text}\n{FLOW}"));
    bounded(&project, "lint a.yaml").fails(1, "", "");
    project.write(
        "a.yaml",
        format!("z: {}{}\n{FLOW}", "[".repeat(101), "]".repeat(101)),
    );
    bounded(&project, "lint a.yaml").fails(
        1,
        "",
        "document is nested too deeply: limit 100 levels",
    );
}

#[test]
fn patterns_have_one_budget_per_file() {
    let phrases = repeated(250, |at| {
        format!("  r{at}: {{say: '\\w{{{}}}x'}}\n", 40 + at)
    });
    let rules = repeated(1000, |at| {
        format!(
            "  - {{say: '\\w{{{}}}x', answer: {{intent: agreement}}}}\n",
            400 + at
        )
    });
    let ignored: Vec<String> = (0..100)
        .map(|at| format!("'\\w{{{}}}'", 900 + at))
        .collect();
    let project = Project::new()
        .file(
            "a.yaml",
            format!("kind: contract\nmodes: [talk]\nintents:\n{phrases}classes: {{}}\n"),
        )
        .file("mock.yaml", format!("rules:\n{rules}"))
        .file("flow.yaml", FLOW);
    bounded(&project, "lint a.yaml").fails(
        1,
        "",
        "the patterns of the file exceed the total size limit",
    );
    bounded(&project, "run flow.yaml --llm mock:mock.yaml").fails(
        2,
        "",
        "the pattern is too large",
    );
    project.write(
        "fsmsim.toml",
        format!(
            "[llm.cassette]\nignore_patterns = [{}]\n",
            ignored.join(",")
        ),
    );
    bounded(&project, "lint flow.yaml").fails(2, "", "the pattern is too large");
}

#[test]
fn schema_with_multiplying_parts_is_rejected() {
    let parts = repeated(16, |at| {
        let next = format!("{{$ref: '#/$defs/d{}'}}", at + 1);
        format!("d{at}: {{allOf: [{next}, {next}]}}, ")
    });
    let schema = format!("{{$ref: '#/$defs/d0', $defs: {{{parts}d16: {{type: object}}}}}}");
    let project = Project::new().file(
        "a.yaml",
        format!("effects: {{save: {{does: write, schema: {schema}}}}}\n{FLOW}"),
    );
    bounded(&project, "lint a.yaml").fails(1, "", "more than 20000 subschemas apply to one value");
}

#[test]
fn schema_patterns_share_the_budget_of_their_file() {
    let patterns = repeated(1200, |at| {
        format!("p{at}: {{pattern: '\\w{{{}}}x'}}, ", 50 + at % 850)
    });
    let names = repeated(1200, |at| {
        format!("'\\w{{{}}}x{at}': true, ", 50 + at % 850)
    });
    let schemas = [
        format!("{{properties: {{{patterns}}}}}"),
        format!("{{patternProperties: {{{names}}}}}"),
    ];
    for schema in schemas {
        let flow = format!("effects: {{save: {{does: write, schema: {schema}}}}}\n{FLOW}");
        let project = Project::new().file("a.yaml", flow);
        bounded_by((300_000, 60), &project, "lint a.yaml").fails(
            1,
            "",
            "the patterns of the file exceed the total size limit",
        );
    }
    for (pattern, message) in [
        ("(", "is not a \"regex\""),
        ("\\p{L}{900}", "the pattern is too large"),
        ("^(?!x)[a-z]{900}$", ""),
    ] {
        let schema = format!("{{properties: {{a: {{pattern: '{pattern}'}}}}}}");
        let flow = format!("effects: {{save: {{does: write, schema: {schema}}}}}\n{FLOW}");
        let run = Project::new()
            .file("a.yaml", flow)
            .fsmsim(["lint", "a.yaml"])
            .run();
        assert_eq!(run.stderr.contains("FS"), !message.is_empty(), "{run}");
        assert!(run.stderr.contains(message), "{run}");
    }
}

#[test]
fn recursive_schema_does_not_multiply_with_payload_depth() {
    let back = "{properties: {a: {$ref: '#'}}}";
    let layers = repeated(60, |at| {
        let next = format!("{{$ref: '#/$defs/l{}'}}", at + 1);
        format!("l{at}: {{properties: {{a: {{allOf: [{next}, {next}]}}}}}}, ")
    });
    let payload = format!("{}1{}", "{a: ".repeat(90), "}".repeat(90));
    let scenario = format!(
        "scenario: Deep\nmodel: flow.yaml\nturns:\n  - intent: agreement\n    data: {{a: {payload}}}\n    \
         expect: {{effects: [{{verdict: denied, why: 'validation takes more than 200000 steps or 512 levels'}}]}}\n"
    );
    for schema in [
        format!("{{type: object, allOf: [{back}, {back}]}}"),
        format!("{{type: object, anyOf: [{back}, {back}]}}"),
        format!("{{type: object, oneOf: [{back}, {back}]}}"),
        format!("{{type: object, if: {back}, then: {back}, else: {back}}}"),
        format!("{{type: object, allOf: [{back}], unevaluatedProperties: false}}"),
        "{type: object, patternProperties: {a: {$ref: '#'}, '^a': {$ref: '#'}}}".to_owned(),
        format!("{{$ref: '#/$defs/l0', $defs: {{{layers}l60: {{type: array}}}}}}"),
    ] {
        let flow = FLOW.replace(
            "{agreement: b}",
            "{agreement: {then: b, effects: [{effect: save, with: {a: {said: a}}}]}}",
        );
        let flow = format!("effects: {{save: {{does: write, schema: {schema}}}}}\n{flow}");
        let project = Project::new()
            .file("flow.yaml", flow)
            .file("scenarios/a.yaml", &scenario);
        bounded(&project, "test")
            .about(&schema)
            .succeeds("1 passed");
    }
}

#[test]
fn schema_reference_to_an_anchor_is_rejected() {
    let parts = repeated(40, |at| {
        let next = format!("{{$ref: '#d{}'}}", at + 1);
        format!("d{at}: {{$anchor: d{at}, allOf: [{next}, {next}]}}, ")
    });
    let schema = format!("{{$ref: '#d0', $defs: {{{parts}d40: {{$anchor: d40}}}}}}");
    let project = Project::new().file(
        "a.yaml",
        format!("effects: {{save: {{does: write, schema: {schema}}}}}\n{FLOW}"),
    );
    bounded(&project, "lint a.yaml").fails(1, "", "cannot resolve `#d0`; use `#`, or `#/`");
}

#[test]
fn long_scenario_runs_in_little_memory() {
    let turns = "- {intent: agreement}\n".repeat(100_000);
    let scenario = format!("scenario: Long\nmodel: flow.yaml\nturns:\n{turns}end: {{state: b}}\n");
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("a.yaml", scenario);
    // The program itself maps half of that.
    bounded_by((120_000, 60), &project, "test -j1 a.yaml").ends(0, "1 passed in 100000 turns", "");
}

#[test]
fn huge_list_index_in_a_trace_map_fails_quickly() {
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file(
            "map.yaml",
            "turn: x.18446744073709551615\ndialogue: x.18446744073709551615\nstate: x.0\n",
        )
        .file("t.jsonl", "{\"x\":[1]}\n{\"x\":[2]}\n");
    bounded(&project, "verify t.jsonl --model flow.yaml --map map.yaml").fails(2, "", "error");
}

#[test]
fn thousands_of_similar_names_are_reported_quickly() {
    let states = repeated(2000, |at| {
        format!(
            "  state_number_{at}_of_many: {{goal: x, transitions: {{agreement: stat_numbr_{at}_of_many}}}}\n"
        )
    });
    let project = Project::new().file(
        "a.yaml",
        format!("entry_points: {{default: a}}\nstates:\n  a: {{goal: x}}\n{states}"),
    );
    bounded(&project, "lint a.yaml").fails(1, "", "exists: `state_number_0_of_many`");
    let long = "x".repeat(90_000);
    project.write(
        "a.yaml",
        format!("{FLOW}{long}: 1\n{}y: 1\n", "x".repeat(900)),
    );
    bounded(&project, "lint a.yaml").fails(1, "", "");
}

#[test]
fn mixins_with_many_includes_are_rejected_quickly() {
    let all: Vec<String> = (0..30).map(|at| format!("m{at}")).collect();
    let cycles = repeated(30, |at| {
        format!("  m{at}: {{includes: [{}]}}\n", all.join(", "))
    });
    let states = "states: {s: {mixins: [m0]}}\n";
    let project = Project::new().file(
        "a.yaml",
        format!("entry_points: {{default: s}}\nmixins:\n{cycles}{states}"),
    );
    bounded(&project, "lint a.yaml").fails(
        1,
        "",
        "inheritance and mixins copy too many entries: limit 500000",
    );
    let doubled = repeated(40, |at| {
        format!("  m{at}: {{includes: [m{0}, m{0}]}}\n", at + 1)
    });
    let unknown = format!(
        "entry_points: {{default: s}}\nmixins:\n{doubled}  m40: {{includes: [nobody]}}\n{states}"
    );
    project.write("a.yaml", unknown);
    bounded(&project, "lint a.yaml").fails(
        1,
        "",
        "inheritance and mixins copy too many entries: limit 500000",
    );
}

#[test]
fn mixin_parameters_count_against_the_copy_budget() {
    let parameters = repeated(1500, |at| format!("p{at}: 1, "));
    let states = repeated(2500, |at| format!("s{at}: {{mixins: [m]}}, "));
    let mixin =
        format!("mixins: {{m: {{parameters: {{{parameters}}}, rules: {{agreement: a}}}}}}\n");
    let text = format!("entry_points: {{default: s0}}\n{mixin}states: {{{states}}}\n");
    let project = Project::new().file("a.yaml", text);
    bounded(&project, "lint a.yaml").fails(
        1,
        "",
        "inheritance and mixins copy too many entries: limit 500000",
    );
}

#[test]
fn machine_with_many_inherited_edges_is_rejected_quickly() {
    let edges: Vec<String> = (0..8000).map(|at| format!("\"E{at}\":\"p\"")).collect();
    let states: Vec<String> = (0..100).map(|at| format!("\"s{at}\":{{}}")).collect();
    let inside = format!(
        "{{\"on\":{{{}}},\"initial\":\"s0\",\"states\":{{{}}}}}",
        edges.join(","),
        states.join(",")
    );
    let project = Project::new().file(
        "a.json",
        format!("{{\"initial\":\"p\",\"states\":{{\"p\":{inside}}}}}"),
    );
    within(12, &project, "import xstate a.json").fails(
        2,
        "",
        "flow is too large: limit 200000 transitions",
    );
}

/// Conditions that each refer to the previous one twice.
fn doubling(count: usize) -> String {
    let doubled = repeated(count, |at| {
        let operator = if at % 2 == 0 { "and" } else { "or" };
        format!("  c{}: {{{operator}: [c{at}, c{at}]}}\n", at + 1)
    });
    format!("conditions:\n  c0: {{intent: agreement}}\n{doubled}")
}

#[test]
fn shared_condition_is_evaluated_once() {
    let states = "entry_points: {default: a}\nstates: {a: {goal: x, transitions: {agreement: [{when: c60, then: b}]}}, b: {goal: y, is_final: true}}\n";
    let properties = "properties: {p: {never: {not: {or: [c60, {not: c60}]}}}}\n";
    let turns = "turns:\n- {intent: agreement, expect: {state: b}}\n";
    let project = Project::new()
        .file("a.yaml", doubling(60) + properties + states)
        .file("s.yaml", format!("scenario: s\nmodel: a.yaml\n{turns}"));
    within(20, &project, "lint a.yaml").ends(0, "no errors", "");
    within(20, &project, "test s.yaml --coverage").ends(0, "1 passed", "");
    within(20, &project, "graph a.yaml").ends(0, "<svg", "");
    let shown = within(20, &project, "run a.yaml")
        .stdin(":condition c60\nagreement\n")
        .ends(0, "a → b", "");
    assert!(shown.stdout.contains("c60"), "{shown}");
    let trace = within(20, &project, "trace s.yaml").run();
    project.write("t.jsonl", &trace.stdout);
    within(20, &project, "verify t.jsonl --model a.yaml").ends(0, "conforms", "");
}

#[test]
fn patterns_of_a_scenario_share_a_budget() {
    let patterns = repeated(1100, |at| {
        format!("{{matches: '\\w{{{}}}x'}}, ", 30 + at % 20)
    });
    let turns =
        format!("turns:\n- {{intent: agreement, expect: {{state: {{any: [{patterns}]}}}}}}\n");
    let project = Project::new()
        .file("a.yaml", FLOW)
        .file("s.yaml", format!("scenario: s\nmodel: a.yaml\n{turns}"));
    within(20, &project, "test s.yaml").fails(
        2,
        "",
        "the patterns of the file exceed the total size limit",
    );
}

#[test]
fn values_in_a_long_reply_are_shortened() {
    let note = "x".repeat(200);
    let reply = "{{note}}".repeat(26_000);
    let flow = format!(
        "entry_points: {{default: a}}\nstates: {{a: {{goal: x, optional_data: [note], rules: {{info_provided: answer}}}}}}\nreplies: {{answer: '{reply}'}}\n"
    );
    let project = Project::new().file("a.yaml", flow);
    let shown = within(20, &project, "run a.yaml")
        .stdin(format!("info_provided note={note}\n"))
        .run();
    assert!((65_000..200_000).contains(&shown.stdout.len()));
    assert!(shown.stdout.contains("xxx…"));
}

#[test]
fn path_of_a_map_has_a_limit() {
    let keys = vec!["a"; 60_000];
    let map = format!("dialogue: {}\nturn: {{state: s}}\n", keys.join("."));
    let subject = format!(
        "subject: {{http: {{url: 'http://127.0.0.1:9/', body: {{t: '{{{{say}}}}'}}, map: {{replies: {}}}}}}}\n",
        keys.join(".")
    );
    let project = Project::new()
        .file("a.yaml", FLOW)
        .file("map.yaml", map)
        .file("t.jsonl", "{\"a\": 1, \"s\": \"a\"}\n")
        .file(
            "s.yaml",
            format!("scenario: s\nmodel: a.yaml\n{subject}turns:\n- {{say: x}}\n"),
        );
    bounded(&project, "verify t.jsonl --model a.yaml --map map.yaml").fails(
        2,
        "",
        "location has too many keys: limit 100",
    );
    bounded(&project, "test s.yaml").fails(2, "", "location has too many keys: limit 100");
}

#[test]
fn many_wrong_names_in_one_line_are_reported_quickly() {
    let keys = repeated(45_000, |at| format!("transitons{at}: b, "));
    let flow = format!("entry_points: {{default: a}}\nstates: {{a: {{goal: x, {keys}}}}}\n");
    let project = Project::new().file("a.yaml", flow);
    within(20, &project, "lint a.yaml").fails(1, "", "--> a.yaml:2:");
}

#[test]
fn dense_diagram_is_drawn_quickly() {
    let states = repeated(150, |from| {
        let edges = repeated(30, |at| {
            format!("i{at}: s{}, ", (from * 7 + at * 13 + 1) % 150)
        });
        format!("  s{from}: {{goal: x, transitions: {{{edges}}}}}\n")
    });
    let flow = format!("entry_points: {{default: s0}}\nstates:\n{states}");
    let project = Project::new().file("a.yaml", flow);
    within(20, &project, "graph a.yaml").ends(0, "</svg>", "");
}

#[test]
fn list_product_in_a_prompt_is_rejected() {
    let prompt = "{{ standard }}\n---\n{{ utterance }} {{ 5 in ([1] * 100000000) }}\n";
    let project = Project::new()
        .file("a.yaml", FLOW)
        .file("prompt.md", prompt)
        .file("fsmsim.toml", "[llm.prompts]\nclassify = \"prompt.md\"\n");
    within(20, &project, "prompt a.yaml").fails(2, "", "`*` is not supported");
}
