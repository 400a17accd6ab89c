//! Verification of a real implementation of the cycle. `verify` must find the same violations in its recordings as an
//! independent second implementation, which reads only the recordings. No violation is missed, and none is a false alarm.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::breach::Breach;
use super::joined::{joined, restarts};
use super::recording::{Recording, Units, recordings_of};
use super::table::table;
use crate::support::{Project, recordings, text};

/// The number of turns in which a property cannot be checked because the recordings lack data.
/// * Tests and the scope of memory are not recorded at all.
/// * Turns that submit a task, and tasks whose process was restarted, have only the state of the task.
/// * Most failed tasks have no status and no reason.
/// * One run does not contain the report of the reviewer.
const NOT_RECORDED: [(&str, u64); 9] = [
    ("a_failed_task_is_failed", 5),
    ("a_task_fails_by_a_rule", 6),
    ("a_task_keeps_its_id", 74),
    ("an_approval_rests_on_a_test", 64),
    ("an_approval_says_so", 1),
    ("memory_is_private_unless_shared", 673),
    ("nothing_is_shared_before_it_is_validated", 88),
    ("shared_memory_is_written_by_commit_alone", 88),
    ("validations_keep_to_the_limit", 92),
];

#[test]
fn recorded_cycles_have_exactly_the_expected_violations() {
    let Some(folder) = recordings() else { return };
    let folder = folder.join("cycle");
    let units = Units::read(&folder);
    let recordings = recordings_of(&folder, &units);
    let trace: String = recordings
        .iter()
        .map(joined)
        .chain([restarts(&units)])
        .collect();
    let project = Project::new().file("agent_cycle.yaml", text("flows/agent_cycle.yaml"));
    let project = project
        .file("map.yaml", text("tests/verify/cycle/map.yaml"))
        .file("runs.jsonl", trace);
    let verify = [
        "verify",
        "runs.jsonl",
        "--model",
        "agent_cycle.yaml",
        "--map",
        "map.yaml",
    ];
    let run = project
        .fsmsim(verify)
        .args(["--format", "json", "--limit", "100000"])
        .run();
    let report: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    assert_eq!((&report["invalid"], &*run.stderr), (&Value::from(0), ""));
    let steps: usize = recordings
        .iter()
        .map(|recording| recording.steps.len())
        .sum();
    assert_eq!((recordings.len(), steps), (70, 581));
    let found: BTreeSet<Breach> = report["first"]
        .as_array()
        .unwrap()
        .iter()
        .map(Breach::of)
        .collect();
    // A truncated task has pending obligations, but all of these tasks have ended.
    assert_eq!(
        (&report["turns"], &report["pending"]),
        (&Value::from(673), &serde_json::json!({}))
    );
    let not_checked: BTreeMap<String, u64> =
        serde_json::from_value(report["not_checked"].clone()).unwrap();
    assert_eq!(
        not_checked
            .iter()
            .map(|(name, turns)| (&**name, *turns))
            .collect::<Vec<_>>(),
        NOT_RECORDED
    );
    let violates = |recording: &Recording, all: bool| {
        let mut of = found
            .iter()
            .filter(|breach| breach.dialogue == recording.name());
        of.any(|breach| all || breach.rule != "unknown_state")
    };
    let count = |all: bool| {
        recordings
            .iter()
            .filter(|recording| !violates(recording, all))
            .count()
    };
    assert_eq!(
        (count(true), count(false)),
        (4, 36),
        "runs without a violation, and runs without a violation other than a sixth node"
    );
    let page = text("docs/src/explanation/case-study-recorded-systems.md");
    assert!(
        page.contains(
            text("tests/verify/cycle/map.yaml")
                .split_once('\n')
                .unwrap()
                .1
        )
    );
    let shown = table(&found);
    assert!(
        page.contains(&shown),
        "docs/src/explanation/case-study-recorded-systems.md does not have the table:\n{shown}"
    );
    let Some(expected) = Breach::expected("tests/verify/cycle/judge.py", &folder) else {
        return;
    };
    let missed: Vec<&Breach> = expected.difference(&found).collect();
    let alarms: Vec<&Breach> = found.difference(&expected).collect();
    assert!(
        missed.is_empty() && alarms.is_empty(),
        "missed: {missed:#?}\nfalse alarms: {alarms:#?}"
    );
}
