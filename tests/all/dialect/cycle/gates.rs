//! Each gate of the agent cycle is necessary: without it, a scenario fails.

use crate::support::{Project, text};

/// The gates, as docs/src/explanation/agent-cycles.md lists them.
const GATES: [&str; 17] = [
    "is_private",
    "from_commit",
    "is_shared",
    "is_validated",
    "is_reviewed",
    "plan_done",
    "nothing_refused",
    "tested",
    "is_registered",
    "is_enabled",
    "is_approved",
    "has_inputs",
    "as_declared",
    "first_of_its_line",
    "is_sensed",
    "of_its_sensor",
    "approved_by_somebody",
];

fn without(gate: &str) -> Project {
    let flow = text("flows/agent_cycle.yaml") + &format!("\ngates: {{{gate}: false}}\n");
    Project::new()
        .with("scenarios/cycle")
        .file("flows/agent_cycle.yaml", flow)
}

#[test]
fn each_disabled_gate_fails_a_scenario() {
    let complete = Project::new()
        .with("scenarios/cycle")
        .with("flows/agent_cycle.yaml");
    complete.fsmsim(["test", "scenarios/cycle"]).succeeds("");
    for gate in GATES {
        let project = without(gate);
        let run = project.fsmsim(["test", "scenarios/cycle"]).run();
        assert_eq!(run.code, 1, "without {gate} no scenario fails\n{run}");
        let lint = project.fsmsim(["lint", "flows/agent_cycle.yaml"]).run();
        assert!(
            lint.stderr
                .contains(&format!("FS0164]: gate `{gate}` is disabled")),
            "{lint}"
        );
    }
    let page = text("docs/src/explanation/agent-cycles.md");
    assert!(GATES.iter().all(|gate| page.contains(&format!("`{gate}`"))));
}

#[test]
fn unknown_gate_suggests_a_similar_gate() {
    let said = without("is_valdated")
        .fsmsim(["lint", "flows/agent_cycle.yaml"])
        .fails(1, "", "unknown gate `is_valdated`");
    assert!(said.stderr.contains("exists: `is_validated`"), "{said}");
}

#[test]
fn invalid_cycles_are_rejected() {
    let flow = text("flows/agent_cycle.yaml");
    let wrong = [
        ("phase: PLAN\n", "phase: PLANN\n", "unknown value `PLANN`"),
        (
            "phase: PLAN\n",
            "phase: EXECUTE\n",
            "missing node for the phase PLAN",
        ),
        (
            "phase: PLAN\n",
            "phase: EXECUTE\n",
            "nodes `plan` and `execute` have the same phase",
        ),
        (
            "    writes: [semantic, procedural]",
            "    writes: [semantics]",
            "unknown value `semantics`",
        ),
        (
            "    role: worker\n",
            "    rolle: worker\n",
            "unknown key `rolle` in a node",
        ),
        (
            "    role: worker\n    about",
            "    reads: [semantic]\n    about",
            "",
        ),
        (
            "  http_get:\n",
            "  write_shared_memory:\n",
            "cannot use `write_shared_memory` as a capability",
        ),
        (
            "risk_level: high",
            "risk_level: huge",
            "unknown value `huge`",
        ),
        (
            "limits: {replans: 3}",
            "limits: {replan: 3}",
            "unknown key `replan` in `limits`",
        ),
        ("limits: {replans: 3}", "limits: {replans: -1}", "replans"),
        (
            "  plan:\n    phase",
            "  failed:\n    phase",
            "the name `failed` is used by a built-in state",
        ),
        (
            "kind: cycle",
            "kind: cycle\nnods: {}",
            "unknown key `nods` in a cycle",
        ),
    ];
    for (from, to, expected) in wrong {
        assert!(flow.contains(from), "{from}");
        let project = Project::new().file("a.yaml", flow.replacen(from, to, 1));
        let run = project.fsmsim(["lint", "a.yaml"]).run();
        assert!(run.stderr.contains(expected), "{from} -> {to}\n{run}");
        assert_eq!(run.code, i32::from(!expected.is_empty()), "{run}");
    }
    let writes = flow.replacen(
        "    writes: [episodic]",
        "    writes: [episodic, semantic]",
        1,
    );
    let project = Project::new().file("a.yaml", writes);
    project.fsmsim(["lint", "a.yaml"]).fails(
        1,
        "",
        "node `analyze` writes semantic memory outside COMMIT",
    );
}

#[test]
fn cycle_can_define_sensors_and_limits() {
    let flow = text("flows/agent_cycle.yaml").replace(
        "limits: {replans: 3}",
        "limits: {turns: 4, idle: 3600}\nsensors: {greenhouse: {category: environment, about: How warm it is}}",
    );
    let scenario = "\
scenario: A task that hangs, and then has no turn left
model: flows/agent_cycle.yaml
turns:
  - {event: submit, data: {task_id: t1, description: Water the plants}, at: \"2026-01-31T16:00:00Z\"}
  - {observe: {source: greenhouse, category: environment, signal: hot, confidence: 1}, at: \"2026-01-31T16:30:00Z\", expect: {data: {observations: [hot]}}}
  - tick: {analysis: They are dry}
    at: \"2026-01-31T17:00:01Z\"
    expect: {state: plan, data: {observations: [hot, hang]}, effects: [{effect: take_observation, payload: {source: hang}}, {effect: remember}]}
  - {tick: {plan: [water]}, at: \"2026-01-31T18:00:01Z\", expect: {state: execute, effects: [{effect: remember}]}}
  - {tick: {result: done}, expect: {state: failed, data: {failed_by: budget, observations: [hot, hang, budget]}}}
";
    let project = Project::new()
        .file("flows/agent_cycle.yaml", flow)
        .file("scenarios/water.yaml", scenario);
    project.fsmsim(["test"]).succeeds("");
    let wrong = text("flows/agent_cycle.yaml") + "\nsensors: {greenhouse: {category: weather}}\n";
    let run = Project::new()
        .file("c.yaml", wrong)
        .fsmsim(["lint", "c.yaml"])
        .fails(1, "", "unknown value `weather`");
    assert!(
        run.stderr.contains("system, environment, temporal"),
        "{run}"
    );
}

#[test]
fn commit_node_shares_the_memory_types_that_it_writes() {
    let flow = text("flows/agent_cycle.yaml")
        .replace("writes: [semantic, procedural]", "writes: [semantic]");
    let scenario = "\
scenario: No plan is kept
model: flows/agent_cycle.yaml
start: {state: commit, data: {task_id: t1, plan_done: true, is_validated: true, status: committing, results: [a], plan: [b]}}
turns:
  - {tick: true, expect: {state: committed, effects: [{effect: share, payload: {type: semantic}}], counters: {shared_writes: 1}}}
";
    let project = Project::new()
        .file("flows/agent_cycle.yaml", flow)
        .file("scenarios/commit.yaml", scenario);
    project.fsmsim(["test"]).succeeds("");
}
