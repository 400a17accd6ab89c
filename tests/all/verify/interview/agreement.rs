//! A running implementation of the interview, judged: `verify` over its recordings finds what a second computation finds, which
//! reads the recordings alone and shares nothing with it. Dialogue by dialogue, rule by rule, turn by turn: no miss, no false
//! alarm.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::breach::Breach;
use super::model::model;
use super::recording::{Recording, point_sets, recordings_of};
use super::table::table;
use super::trace::trace;
use crate::support::{Project, recordings, text};

/// What comes of the recordings of one set of points.
struct Judged {
    found: BTreeSet<Breach>,
    turns: u64,
    /// In how many turns which property could not be looked at.
    unknown: BTreeMap<String, u64>,
}

/// What `verify` finds in the recordings of one set of points.
fn judge(set: &str, points: &[Value], recordings: &[&Recording]) -> Judged {
    let trace: String = recordings
        .iter()
        .map(|recording| trace(recording, points))
        .collect();
    let project = Project::new()
        .file("interview.yaml", model(set, points))
        .file("t.jsonl", trace);
    let run = project
        .fsmsim([
            "verify",
            "t.jsonl",
            "--model",
            "interview.yaml",
            "--format",
            "json",
            "--limit",
            "100000",
        ])
        .run();
    let report: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{set}: {}", run.stderr));
    assert_eq!(
        (&report["unusable"], &*run.stderr),
        (&Value::from(0), ""),
        "{set}"
    );
    Judged {
        found: report["first"]
            .as_array()
            .unwrap()
            .iter()
            .map(Breach::of)
            .collect(),
        turns: report["turns"].as_u64().unwrap(),
        unknown: serde_json::from_value(report["not_judged"].clone()).unwrap(),
    }
}

#[test]
fn what_recorded_interviews_break_is_found_without_a_miss_and_without_a_false_alarm() {
    let Some(folder) = recordings() else { return };
    let folder = folder.join("interview");
    let sets = point_sets(&folder);
    let recordings = recordings_of(&folder);
    let (mut found, mut turns, mut not_judged) =
        (BTreeSet::new(), 0, BTreeMap::<String, u64>::new());
    for (set, points) in &sets {
        let points = points.as_array().unwrap();
        let of: Vec<&Recording> = recordings
            .iter()
            .filter(|recording| recording.set() == set)
            .collect();
        let judged = judge(set, points, &of);
        found.extend(judged.found);
        turns += judged.turns;
        for (property, turns) in judged.unknown {
            *not_judged.entry(property).or_default() += turns;
        }
    }
    let decisions: usize = recordings.iter().map(Recording::count).sum();
    assert_eq!((recordings.len(), decisions, turns), (110, 1719, 1306));
    // Only what was not recorded is not judged: what was saved, and in what words.
    assert_eq!(
        not_judged.keys().collect::<Vec<_>>(),
        ["answers_are_saved"],
        "{not_judged:?}"
    );
    let shown = table(&found);
    assert!(
        text("docs/verify.md").contains(&shown),
        "docs/verify.md does not have the table:\n{shown}"
    );
    let Some(apart) = Breach::judged_apart("tests/verify/interview/judge.py", &folder) else {
        return;
    };
    let missed: Vec<&Breach> = apart.difference(&found).collect();
    let alarms: Vec<&Breach> = found.difference(&apart).collect();
    assert!(
        missed.is_empty() && alarms.is_empty(),
        "missed: {missed:#?}\nfalse alarms: {alarms:#?}"
    );
}
