//! A task that is planned twice before it is committed, and invariants of memories that tasks share.

use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Invocation, Project, text};

pub(super) const MEMORY: &str = "memory.sqlite";
const BACKEND: &str = "
answers:
  - {effect: act, when: {capability: run_tests}, return: {status: done, success: true, measurable_effect: tests passed}}
  - {effect: act, when: {capability: write_file}, return: {status: done, success: true, measurable_effect: file written}}
  - {effect: roll_back, return: {status: done}}
";
/// The start of dialogues that use the backend.
pub(super) const START: &str = "{backend: backend.yaml}";
/// Number of artifacts that a task leaves: one episodic artifact per turn with output, and two shared artifacts.
pub(super) const ARTIFACTS: usize = 12;

/// A project with a cycle whose EXECUTE node reads the task's own episodic memory.
pub(crate) fn project() -> Project {
    let flow = text("flows/agent_cycle.yaml")
        .replace("role: worker\n", "role: worker\n    reads: [episodic]\n");
    Project::new()
        .file("cycle.yaml", flow)
        .file("backend.yaml", BACKEND)
}

/// The input lines of a task with this name.
pub(crate) fn lines(task: &str) -> Vec<String> {
    [
        "submit task_id=T description=\"Write the page of T\"",
        "tick analysis=\"T needs a page\"",
        "tick plan=[\"write T\", \"link T\"]",
        "tick action={capability: write_file, inputs: {path: T, text: x}} result=\"wrote T\"",
        "tick result=\"linked T\"",
        "tick report=\"Nobody tested T. DECISION: NEEDS_REPLAN\"",
        "tick plan=[\"write T again\", \"test T\"]",
        "tick action={capability: write_file, inputs: {path: T, text: y}} result=\"wrote T again\"",
        "tick result=\"T is to be tested\"",
        "tick action={capability: run_tests} message=\"tested T\"",
        "tick report=\"All of T is there. DECISION: APPROVED\"",
        "tick",
    ]
    .map(|line| line.replace('T', task))
    .to_vec()
}

/// The lines as standard input.
pub(crate) fn typed(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Runs the cycle without a named session.
pub(crate) fn play(project: &Project) -> Invocation {
    project.fsmsim(["run", "cycle.yaml", "--start", START, "--memory", MEMORY])
}

/// A connection to the memory, as any other program would open it.
pub(crate) fn memory(project: &Project) -> Connection {
    Connection::open(project.path().join(MEMORY)).unwrap()
}

/// The entries of an audit, in order.
pub(super) fn entries(memory: &Connection) -> Vec<Value> {
    let mut select = memory
        .prepare("SELECT entry FROM audit ORDER BY number")
        .unwrap();
    let entries = select.query_map([], |row| row.get::<_, String>(0)).unwrap();
    entries
        .map(|entry| serde_json::from_str(&entry.unwrap()).unwrap())
        .collect()
}

/// An artifact: its session, kind and body.
pub(super) type Known = (String, String, Value);

/// The committed artifacts, in order: shared ones and those of a single task.
pub(super) fn artifacts(memory: &Connection) -> Vec<Known> {
    let select =
        "SELECT session, kind, body FROM artifacts WHERE sequence IS NOT NULL ORDER BY sequence";
    let mut select = memory.prepare(select).unwrap();
    let rows = select
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?))
        })
        .unwrap();
    rows.map(|row| {
        row.map(|(session, kind, body)| (session, kind, serde_json::from_str(&body).unwrap()))
            .unwrap()
    })
    .collect()
}

/// The number of artifacts that no turn has committed.
pub(super) fn unknown(memory: &Connection) -> usize {
    memory
        .query_row(
            "SELECT count(*) FROM artifacts WHERE sequence IS NULL",
            [],
            |row| row.get::<_, u32>(0),
        )
        .unwrap() as usize
}

/// Asserts that only validated artifacts are shared, that the two parts of each commit are adjacent, and that the audit
/// is intact.
pub(super) fn holds(project: &Project) {
    project
        .fsmsim(["verify", "--audit", MEMORY])
        .succeeds("the audit is intact");
    let shared: Vec<Known> = artifacts(&memory(project))
        .into_iter()
        .filter(|(_, kind, _)| kind != "episodic")
        .collect();
    for (_, kind, body) in &shared {
        assert_eq!(
            (&body["is_validated"], &body["scope"]),
            (&true.into(), &"shared".into()),
            "{kind}: {body}"
        );
        assert!(
            body["validation_report"]
                .as_str()
                .unwrap()
                .contains("DECISION: APPROVED")
        );
    }
    for commit in shared.chunks(2) {
        assert_eq!((&*commit[0].1, &*commit[1].1), ("semantic", "procedural"));
        assert_eq!(commit[0].0, commit[1].0);
    }
}
