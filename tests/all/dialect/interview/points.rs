//! Points of an interview in the output of other commands: diff, coverage and snapshots.

use crate::support::Project;

const TRIP: &str = "\
kind: interview
limits: {questions: 6, follow_ups: 1}
points:
  where: {name: the place, priority: P0, questions: [Where to?, Which country?], criteria: {min_length: 4}}
  hotel: {name: the hotel, priority: P1, depends_on: [where], questions: [Which hotel?, Which street?]}
";

const TALK: &str = "\
scenario: A trip
model: trip.yaml
turns: [{open: true}, {say: To Norway}, {say: Any}]
";

fn project() -> Project {
    let fields = "[snapshot]\nfields = [\"state\", \"points\"]\n";
    Project::new()
        .file("trip.yaml", TRIP)
        .file("scenarios/trip.yaml", TALK)
        .file("fsmsim.toml", fields)
}

#[test]
fn changed_point_is_reported_as_a_difference() {
    let project = project().file(
        "strict.yaml",
        TRIP.replace("min_length: 4", "min_length: 20"),
    );
    let shown = project
        .fsmsim([
            "diff",
            "trip.yaml",
            "strict.yaml",
            "--scenarios",
            "scenarios",
        ])
        .run()
        .stdout;
    assert!(
        shown.contains("points.where.confidence, points.where.state, goal, counters.asked_hotel"),
        "{shown}"
    );
    // Only the confidence changes, and no other field.
    let turn = |confidence: &str| {
        format!(
            "{{\"fsmsim_trace\":3,\"dialogue\":\"d\"}}\n{{\"turn\":1,\"state\":{{\"from\":\"a\",\"to\":\"b\"}},\
             \"points\":[{{\"id\":\"where\",\"state\":\"in_progress\",\"confidence\":{confidence},\"answers\":[]}}]}}\n\
             {{\"end\":\"d\",\"turns\":1}}\n"
        )
    };
    project.write("a.jsonl", turn("0.4"));
    project.write("b.jsonl", turn("0.5"));
    project.fsmsim(["diff", "a.jsonl", "b.jsonl"]).fails(
        1,
        "points.where.confidence: 0.4 -> 0.5",
        "",
    );
    project.fsmsim(["diff", "a.jsonl", "a.jsonl"]).succeeds("");
}

#[test]
fn snapshot_shows_the_state_of_each_point() {
    let project = project();
    project
        .fsmsim(["test", "--accept"])
        .succeeds("1 snapshot accepted");
    let point = "points: [{id: where, state: completed, confidence: 1.0, answers: [\"To Norway\"]}, \
                 {id: hotel, state: not_started, confidence: 0, answers: []}]";
    assert!(
        project.read("snapshots/trip/a-trip.snap").contains(point),
        "{}",
        project.read("snapshots/trip/a-trip.snap")
    );
    project.write("trip.yaml", TRIP.replace("min_length: 4", "min_length: 20"));
    let differs = "      + points: [{id: where, state: incomplete, confidence: 0.45, answers: [\"To Norway\", Any]}, \
                   {id: hotel, state: skipped, confidence: 0, answers: [], waits_for: where}]\n";
    let shown = project.fsmsim(["test", "--check"]).fails(1, "", "").stdout;
    let marks = ["[-", "-]", "{+", "+}"];
    let unmarked = marks
        .iter()
        .fold(shown, |text, mark| text.replace(mark, ""));
    assert!(unmarked.contains(differs), "{unmarked}");
}

#[test]
fn coverage_counts_question_and_follow_up_states() {
    let project = project();
    project.fsmsim(["test", "--accept"]).succeeds("");
    let shown = project
        .fsmsim(["test", "--coverage"])
        .succeeds("states        ███████░░░        5   7   71\n");
    assert!(
        ["state where__again", "state hotel__again"]
            .iter()
            .all(|missed| shown.contains(missed)),
        "{shown}"
    );
    project
        .fsmsim(["test", "--coverage", "--require", "states=100%"])
        .fails(1, "TOO LOW trip.yaml: states 5 of 7", "");
    project.write(
        "scenarios/no.yaml",
        TALK.replace("To Norway", "No").replace("A trip", "No"),
    );
    let shown = project
        .fsmsim(["test", "--accept", "--coverage"])
        .succeeds("states        ████████░░        6   7   85\n");
    assert!(
        !shown.contains("state where__again") && shown.contains("state hotel__again"),
        "{shown}"
    );
}
