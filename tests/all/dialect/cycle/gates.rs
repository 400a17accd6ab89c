//! What the gates of a cycle are good for: each is taken out, and the scenarios notice.

use crate::support::{Project, text};

/// The gates, as docs/cycles.md lists them.
const GATES: [&str; 14] = [
    "is_private",
    "from_commit",
    "is_shared",
    "is_validated",
    "plan_done",
    "nothing_refused",
    "tested",
    "is_registered",
    "is_enabled",
    "is_approved",
    "has_inputs",
    "as_declared",
    "first_of_its_line",
    "approved_by_somebody",
];

fn without(gate: &str) -> Project {
    let flow = text("flows/agent_cycle.yaml") + &format!("\ngates: {{{gate}: false}}\n");
    Project::new().with("scenarios/cycle").file("flows/agent_cycle.yaml", flow)
}

#[test]
fn a_scenario_fails_for_each_gate_that_is_taken_out() {
    let whole = Project::new().with("scenarios/cycle").with("flows/agent_cycle.yaml");
    whole.fsmsim(["test", "scenarios/cycle"]).succeeds("");
    for gate in GATES {
        let project = without(gate);
        let run = project.fsmsim(["test", "scenarios/cycle"]).run();
        assert_eq!(run.code, 1, "without {gate} all is as before\n{run}");
        let lint = project.fsmsim(["lint", "flows/agent_cycle.yaml"]).run();
        assert!(lint.stderr.contains(&format!("FS0164]: the gate `{gate}` is taken out")), "{lint}");
    }
    let page = text("docs/cycles.md");
    assert!(GATES.iter().all(|gate| page.contains(&format!("`{gate}`"))));
}

#[test]
fn a_gate_that_nobody_knows_is_told() {
    let said = without("is_valdated").fsmsim(["lint", "flows/agent_cycle.yaml"]).fails(1, "", "no gate `is_valdated`");
    assert!(said.stderr.contains("did you mean `is_validated`?"), "{said}");
}

#[test]
fn what_a_cycle_cannot_be_is_told_with_its_place() {
    let flow = text("flows/agent_cycle.yaml");
    let wrong = [
        ("phase: PLAN\n", "phase: PLANN\n", "`PLANN` is not known here"),
        ("phase: PLAN\n", "phase: EXECUTE\n", "no node works in the phase PLAN"),
        ("phase: PLAN\n", "phase: EXECUTE\n", "`plan` and `execute` work in the same phase"),
        ("    writes: [semantic, procedural]", "    writes: [semantics]", "`semantics` is not known here"),
        ("    role: worker\n", "    rolle: worker\n", "a node has no key `rolle`"),
        ("    role: worker\n    about", "    reads: [semantic]\n    about", ""),
        ("  http_get:\n", "  write_shared_memory:\n", "`write_shared_memory` is no capability"),
        ("risk_level: high", "risk_level: huge", "`huge` is not known here"),
        ("limits: {replans: 3}", "limits: {replan: 3}", "`limits` has no key `replan`"),
        ("limits: {replans: 3}", "limits: {replans: -1}", "replans"),
        ("  plan:\n    phase", "  failed:\n    phase", "`failed` is a state of every cycle"),
        ("kind: cycle", "kind: cycle\nnods: {}", "a cycle has no key `nods`"),
    ];
    for (from, to, told) in wrong {
        assert!(flow.contains(from), "{from}");
        let project = Project::new().file("a.yaml", flow.replacen(from, to, 1));
        let run = project.fsmsim(["lint", "a.yaml"]).run();
        assert!(run.stderr.contains(told), "{from} -> {to}\n{run}");
        assert_eq!(run.code, i32::from(!told.is_empty()), "{run}");
    }
    let writes = flow.replacen("    writes: [episodic]", "    writes: [episodic, semantic]", 1);
    let project = Project::new().file("a.yaml", writes);
    project.fsmsim(["lint", "a.yaml"]).fails(1, "", "`analyze` writes semantic memory, and is no node of COMMIT");
}
