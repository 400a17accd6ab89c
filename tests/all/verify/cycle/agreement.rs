//! A running implementation of the cycle, judged: `verify` over its recordings finds what a second computation finds, which reads
//! the recordings alone and shares nothing with it. Run by run, rule by rule, turn by turn: no miss, no false alarm.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::breach::Breach;
use super::joined::{joined, restarts};
use super::recording::{Recording, Units, recordings_of};
use super::table::table;
use crate::support::{Project, recordings, text};

/// In how many turns which property cannot be judged, since what it asks was not recorded: of tests and of the scope of memory
/// nothing was; of the turn that submits a task, and of tasks whose process was started again, only where the task is; of a
/// failed task mostly neither its status nor its reason; and in one run not what the reviewer said.
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
fn what_recorded_cycles_break_is_found_without_a_miss_and_without_a_false_alarm() {
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
    assert_eq!((&report["unusable"], &*run.stderr), (&Value::from(0), ""));
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
    // A task that breaks off breaks nothing by itself, and all of these came to some end.
    assert_eq!(
        (&report["turns"], &report["open"]),
        (&Value::from(673), &serde_json::json!({}))
    );
    let not_judged: BTreeMap<String, u64> =
        serde_json::from_value(report["not_judged"].clone()).unwrap();
    assert_eq!(
        not_judged
            .iter()
            .map(|(name, turns)| (&**name, *turns))
            .collect::<Vec<_>>(),
        NOT_RECORDED
    );
    let breaks = |recording: &Recording, all: bool| {
        let mut of = found
            .iter()
            .filter(|breach| breach.dialogue == recording.name());
        of.any(|breach| all || breach.rule != "unknown_state")
    };
    let count = |all: bool| {
        recordings
            .iter()
            .filter(|recording| !breaks(recording, all))
            .count()
    };
    assert_eq!(
        (count(true), count(false)),
        (4, 36),
        "runs that break nothing, and nothing but that a sixth node works"
    );
    let page = text("docs/verify.md");
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
        "docs/verify.md does not have the table:\n{shown}"
    );
    let Some(apart) = Breach::judged_apart("tests/verify/cycle/judge.py", &folder) else {
        return;
    };
    let missed: Vec<&Breach> = apart.difference(&found).collect();
    let alarms: Vec<&Breach> = found.difference(&apart).collect();
    assert!(
        missed.is_empty() && alarms.is_empty(),
        "missed: {missed:#?}\nfalse alarms: {alarms:#?}"
    );
}
