//! Verification of a real implementation of the interview. `verify` must find the same violations in its recordings as an
//! independent second implementation, which reads only the recordings. No violation is missed, and none is a false alarm.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::breach::Breach;
use super::model::model;
use super::recording::{Recording, point_sets, recordings_of};
use super::table::table;
use super::trace::trace;
use crate::support::{Project, recordings, text};

/// The result for the recordings of one set of points.
struct Verified {
    found: BTreeSet<Breach>,
    turns: u64,
    /// The number of turns in which each property could not be checked.
    unknown: BTreeMap<String, u64>,
}

/// Verifies the recordings of one set of points.
fn verify(set: &str, points: &[Value], recordings: &[&Recording]) -> Verified {
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
        (&report["invalid"], &*run.stderr),
        (&Value::from(0), ""),
        "{set}"
    );
    Verified {
        found: report["first"]
            .as_array()
            .unwrap()
            .iter()
            .map(Breach::of)
            .collect(),
        turns: report["turns"].as_u64().unwrap(),
        unknown: serde_json::from_value(report["not_checked"].clone()).unwrap(),
    }
}

#[test]
fn recorded_interviews_have_exactly_the_expected_violations() {
    let Some(folder) = recordings() else { return };
    let folder = folder.join("interview");
    let sets = point_sets(&folder);
    let recordings = recordings_of(&folder);
    let (mut found, mut turns, mut not_checked) =
        (BTreeSet::new(), 0, BTreeMap::<String, u64>::new());
    for (set, points) in &sets {
        let points = points.as_array().unwrap();
        let of: Vec<&Recording> = recordings
            .iter()
            .filter(|recording| recording.set() == set)
            .collect();
        let verified = verify(set, points, &of);
        found.extend(verified.found);
        turns += verified.turns;
        for (property, turns) in verified.unknown {
            *not_checked.entry(property).or_default() += turns;
        }
    }
    let decisions: usize = recordings.iter().map(Recording::count).sum();
    assert_eq!((recordings.len(), decisions, turns), (110, 1719, 1306));
    // Only saved answers were not recorded, so only that property is not checked.
    assert_eq!(
        not_checked.keys().collect::<Vec<_>>(),
        ["answers_are_saved"],
        "{not_checked:?}"
    );
    let shown = table(&found);
    assert!(
        text("docs/src/explanation/case-study-recorded-systems.md").contains(&shown),
        "docs/src/explanation/case-study-recorded-systems.md does not have the table:\n{shown}"
    );
    let Some(expected) = Breach::expected("tests/verify/interview/judge.py", &folder) else {
        return;
    };
    let missed: Vec<&Breach> = expected.difference(&found).collect();
    let alarms: Vec<&Breach> = found.difference(&expected).collect();
    assert!(
        missed.is_empty() && alarms.is_empty(),
        "missed: {missed:#?}\nfalse alarms: {alarms:#?}"
    );
}
