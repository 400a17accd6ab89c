//! `fsmsim.toml`.

use crate::support::Project;

const FLOW: &str = "flow: {name: f}\nstates:\n  greeting: {transitions: {agreement: hall}}\n  hall: {}\n";
const SCENARIO: &str = "scenario: One\nturns: [{intent: agreement}]\n";

#[test]
fn a_project_names_its_model_folders_profile_and_fields() {
    let project = Project::new()
        .file(
            "fsmsim.toml",
            "model = \"models/f.yaml\"\nprofile = \"reference\"\n\n[paths]\nscenarios = \"dialogues\"\nsnapshots = \"accepted\"\n\n[snapshot]\nfields = [\"state\", \"counters\"]\n",
        )
        .file("models/f.yaml", FLOW)
        .file("dialogues/deep/one.yaml", SCENARIO);
    project.fsmsim(["test", "--accept"]).succeeds("");
    assert_eq!(
        project.files(),
        ["accepted/deep/one/one.snap", "dialogues/deep/one.yaml", "fsmsim.toml", "models/f.yaml"]
    );
    insta::assert_snapshot!(project.read("accepted/deep/one/one.snap"));
    project.fsmsim(["trace", "dialogues/deep/one.yaml"]).succeeds("\"profile\":\"reference\"");
}

#[test]
fn a_path_starts_at_the_project_or_with_a_dot_beside_its_file() {
    let project = Project::new()
        .file("fsmsim.toml", "")
        .file("models/f.yaml", FLOW)
        .file("scenarios/a.yaml", format!("model: models/f.yaml\n{SCENARIO}"))
        .file("scenarios/in/b.yaml", format!("model: ./../../models/f.yaml\n{SCENARIO}"));
    project.fsmsim(["test", "--accept"]).succeeds("");
    // The same from a folder below.
    project.fsmsim(["test", "--check"]).below("scenarios/in").succeeds("\n2 passed in 2 turns\n");
}

#[test]
fn a_project_file_that_cannot_be_used_is_told_with_its_place() {
    let told: Vec<String> = [
        "model = ",
        "modle = \"a\"\n",
        "profile = \"real\"\n",
        "[snapshot]\nfields = [\"state\", \"aktion\"]\n",
        "[paths]\nscenarios = 5\n",
    ]
    .into_iter()
    .map(|text| {
        let project = Project::new().file("fsmsim.toml", text).file("scenarios/a.yaml", SCENARIO);
        project.fsmsim(["test"]).refuses("")
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}
