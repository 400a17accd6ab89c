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
    let run = project.run(&["test", "--accept"]);
    assert_eq!(run.code, 0, "{}", run.shown());
    assert_eq!(
        project.files(),
        ["accepted/deep/one/one.snap", "dialogues/deep/one.yaml", "fsmsim.toml", "models/f.yaml"]
    );
    insta::assert_snapshot!(project.read("accepted/deep/one/one.snap"));
    let trace = project.run(&["trace", "dialogues/deep/one.yaml"]);
    assert!(trace.stdout.contains("\"profile\":\"reference\""), "{}", trace.shown());
}

#[test]
fn a_path_starts_at_the_project_or_with_a_dot_beside_its_file() {
    let project = Project::new()
        .file("fsmsim.toml", "")
        .file("models/f.yaml", FLOW)
        .file("scenarios/a.yaml", format!("model: models/f.yaml\n{SCENARIO}"))
        .file("scenarios/in/b.yaml", format!("model: ./../../models/f.yaml\n{SCENARIO}"));
    assert_eq!(project.run(&["test", "--accept"]).code, 0);
    // The same from a folder below.
    let below = std::process::Command::new(env!("CARGO_BIN_EXE_fsmsim"))
        .args(["test", "--check"])
        .env_remove("CI")
        .current_dir(project.path().join("scenarios/in"))
        .output()
        .unwrap();
    let stdout = String::from_utf8(below.stdout).unwrap();
    assert!(below.status.success() && stdout.contains("\n2 passed in 2 turns\n"), "{stdout}");
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
        let run = project.run(&["test"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.shown());
        run.stderr
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}
