//! Small traces that each violate one rule of an interview, for the rules that no recording violates. Our own dialogues have
//! no violation.

use serde_json::{Value, json};

use super::super::breach::Breach;
use crate::support::{Project, home};

const INTERVIEW: &str = "\
kind: interview
interview: {name: two_points}
limits: {questions: 4, follow_ups: 1}
points:
  team: {name: the team, priority: P1}
  goal: {name: the goal, priority: P0}
";

/// The record of a point in a trace.
fn point(id: &str, state: &str, confidence: f64, answers: &[&str]) -> Value {
    json!({"id": id, "state": state, "confidence": confidence, "answers": answers})
}

/// The record of a turn.
fn turn(input: &Value, from: &str, to: &str, points: &[Value]) -> Value {
    json!({
        "input": input, "state": {"from": from, "to": to}, "points": points,
        "answers": [{"need": "assess", "answer": null}],
    })
}

/// The violations in a trace of these turns, each with its turn.
fn broken(turns: &[Value]) -> Vec<String> {
    let lines = (1..).zip(turns).map(|(number, turn)| {
        let mut turn = turn.clone();
        turn["turn"] = json!(number);
        format!("{turn}\n")
    });
    let head = json!({"fsmsim_trace": 3, "dialogue": "d", "machine": {}, "signals": "derived"});
    let trace = format!(
        "{head}\n{}{}\n",
        lines.collect::<String>(),
        json!({"end": "d", "turns": turns.len()})
    );
    let project = Project::new()
        .file("points.yaml", INTERVIEW)
        .file("t.jsonl", trace);
    let run = project
        .fsmsim([
            "verify",
            "t.jsonl",
            "--model",
            "points.yaml",
            "--format",
            "json",
        ])
        .run();
    assert_eq!(run.stderr, "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    report["first"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| Breach::of(finding).to_string())
        .collect()
}

#[test]
fn rules_that_no_recording_violates_are_checked() {
    let open = json!({"open": true});
    let said = json!({"say": "To plant trees"});
    let (goal, team) = (
        || point("goal", "not_started", 0.0, &[]),
        || point("team", "not_started", 0.0, &[]),
    );
    let done = || point("goal", "completed", 0.8, &["To plant trees"]);
    let end = point("team", "completed", 0.8, &["To plant trees"]);
    assert_eq!(
        broken(&[turn(&open, "start", "team", &[goal(), team()])]),
        ["1 team_waits_for_what_matters_more"]
    );
    let begins = || turn(&open, "start", "goal", &[goal(), team()]);
    assert_eq!(
        broken(&[begins(), turn(&said, "goal", "team", &[done(), team()])]),
        Vec::<String>::new()
    );
    let asks_again = turn(&said, "goal", "goal__again", &[done(), team()]);
    assert_eq!(
        broken(&[begins(), asks_again]),
        ["2 goal_is_not_asked_where_it_is_complete"]
    );
    let unsure = point("goal", "completed", 0.6, &["To plant trees"]);
    assert_eq!(
        broken(&[begins(), turn(&said, "goal", "team", &[unsure, team()])]),
        ["2 goal_is_complete_only_when_it_is_sure_enough"]
    );
    let skipped = point("team", "skipped", 0.0, &[]);
    assert_eq!(
        broken(&[begins(), turn(&said, "goal", "team", &[done(), skipped])]),
        ["2 team_is_not_asked_where_it_is_passed_over"]
    );
    assert_eq!(
        broken(&[turn(&open, "start", "goal__again", &[goal(), team()])]),
        [
            "1 undeclared_transition",
            "1 phases_follow_their_edges",
            "1 goal_is_asked_again_only_after_its_answer"
        ]
    );
    let mut ends = turn(&said, "goal", "done", &[done(), team()]);
    ends["data"] = json!({});
    ends["counters"] = json!({"questions": 5});
    assert_eq!(
        broken(&[begins(), ends.clone()]),
        [
            "2 counter_out_of_bounds",
            "2 questions_within_limit",
            "2 the_end_names_its_rule"
        ]
    );
    // An answer to one point does not answer another point, unless it was assessed for that point too.
    ends["points"] = json!([done(), end]);
    ends["data"] = json!({"finished_by": "every_point_settled"});
    ends["counters"] = json!({});
    assert_eq!(
        broken(&[begins(), ends.clone()]),
        [
            "2 team_holds_its_own_answers",
            "2 team_is_completed_by_its_own_answer"
        ]
    );
    let assessment = json!({"completeness": 0.8, "for": [{"point": "team", "completeness": 0.8}]});
    ends["answers"] = json!([{"need": "assess", "answer": assessment}]);
    assert_eq!(broken(&[begins(), ends.clone()]), Vec::<String>::new());
    // Without a record of the assessment, this is not checked.
    ends.as_object_mut().unwrap().remove("answers");
    assert_eq!(broken(&[begins(), ends]), Vec::<String>::new());
}

#[test]
fn library_interviews_have_no_violation() {
    let flows = ["grant_interview.yaml", "handover_interview.yaml"];
    let turns = json!({"id": "d", "turns": [
        {"open": true},
        {"say": "Луки и стрелы. Нужно 750000 рублей.", "answer": {"completeness": 0.9, "for": [
            {"point": "project_budget", "completeness": 0.8, "text": "Нужно 750000 рублей."},
            {"point": "deadlines", "completeness": 0.2, "text": "Нужно 750000 рублей."},
        ]}},
        {"say": "Помочь"}, {"say": "  "}, {"timeout": true}, {"say": "Не знаю"},
        {"edit": {"point": "project_name", "text": "Стрельба из лука"}},
        {"edit": {"point": "role", "text": "I look after the greenhouse, and after those who work in it"}},
    ]});
    for flow in flows {
        let project = Project::new().file(
            flow,
            std::fs::read_to_string(home("flows").join(flow)).unwrap(),
        );
        let project = project.file("turns.jsonl", format!("{turns}\n"));
        let trace = project
            .fsmsim(["trace", flow, "--turns", "turns.jsonl"])
            .succeeds("");
        let project = project.file("t.jsonl", trace);
        for mode in ["structure", "replay"] {
            let run = project
                .fsmsim(["verify", "t.jsonl", "--model", flow, "--mode", mode])
                .run();
            assert_eq!(
                (run.code, &*run.stderr),
                (0, ""),
                "{flow}, {mode}: {}",
                run.stdout
            );
            let not_checked = run
                .stdout
                .split_once("not checked: ")
                .map(|(_, list)| list.trim_end());
            assert_eq!(not_checked, None, "{flow}, {mode}");
        }
    }
}
