//! The project file `fsmsim.toml`.

use crate::support::Project;

const FLOW: &str = "flow: {name: f, policy: sales}\nstates:\n  greeting: {transitions: {agreement: hall}}\n  hall: {}\n";
const SCENARIO: &str = "scenario: One\nturns: [{intent: agreement}]\n";

#[test]
fn project_file_sets_model_folders_profile_and_fields() {
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
        [
            "accepted/deep/one/one.snap",
            "dialogues/deep/one.yaml",
            "fsmsim.toml",
            "models/f.yaml"
        ]
    );
    insta::assert_snapshot!(project.read("accepted/deep/one/one.snap"));
    project
        .fsmsim(["trace", "dialogues/deep/one.yaml"])
        .succeeds("\"profile\":\"reference\"");
}

#[test]
fn path_is_relative_to_the_project_or_with_a_dot_to_its_file() {
    let project = Project::new()
        .file("fsmsim.toml", "")
        .file("models/f.yaml", FLOW)
        .file(
            "scenarios/a.yaml",
            format!("model: models/f.yaml\n{SCENARIO}"),
        )
        .file(
            "scenarios/in/b.yaml",
            format!("model: ./../../models/f.yaml\n{SCENARIO}"),
        );
    project.fsmsim(["test", "--accept"]).succeeds("");
    // The same from a subfolder.
    project
        .fsmsim(["test", "--check"])
        .below("scenarios/in")
        .succeeds("\n2 passed in 2 turns\n");
}

#[test]
fn invalid_project_file_is_reported_with_its_location() {
    let errors: Vec<String> = [
        "model = ",
        "modle = \"a\"\n",
        "profile = \"real\"\n",
        "[snapshot]\nfields = [\"state\", \"aktion\"]\n",
        "[snapshot]\nfields = []\n",
        "[snapshot]\nfields = [\"input\", \"turn\"]\n",
        "[paths]\nscenarios = 5\n",
    ]
    .into_iter()
    .map(|text| {
        let project = Project::new()
            .file("fsmsim.toml", text)
            .file("scenarios/a.yaml", SCENARIO);
        project.fsmsim(["test"]).refuses("")
    })
    .collect();
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn project_files_cannot_refer_to_files_outside_the_project() {
    let outside = Project::new()
        .file("secret.yaml", FLOW)
        .file("secret.json", "{\"a\": 1}");
    let scenario = |lines: &str| format!("scenario: A\n{lines}\nturns: [{{intent: agreement}}]\n");
    let folder = outside.path().display().to_string();
    let steps = "../".repeat(40);
    let inside = Project::new()
        .file("fsmsim.toml", "")
        .file("flow.yaml", FLOW);
    for (lines, named) in [
        (format!("model: {folder}/secret.yaml"), "secret.yaml"),
        (
            format!(
                "model: {steps}{}/secret.yaml",
                folder.trim_start_matches('/')
            ),
            "secret.yaml",
        ),
        (
            "model: flow.yaml\nllm: /etc/passwd".to_owned(),
            "/etc/passwd",
        ),
        (
            format!("model: flow.yaml\nstart: {{session: {folder}/secret.json}}"),
            "secret.json",
        ),
        ("model: nowhere/../../../flow.yaml".to_owned(), "flow.yaml"),
    ] {
        inside.write("scenarios/a.yaml", scenario(&lines));
        let stderr = inside
            .fsmsim(["test"])
            .fails(2, "", "is outside the project")
            .stderr;
        assert!(
            stderr.contains("FS0305")
                && stderr.contains(named)
                && stderr.contains("scenarios/a.yaml:"),
            "{stderr}"
        );
        assert!(!stderr.contains("root:"), "{stderr}");
    }
    // A file given on the command line can refer to files next to it.
    outside.write("a.yaml", scenario("model: ./secret.yaml"));
    inside
        .fsmsim(["trace", &format!("{folder}/a.yaml")])
        .succeeds("\"agreement\"");
    inside.write(
        "scenarios/a.yaml",
        scenario("model: scenarios/../flow.yaml"),
    );
    inside
        .fsmsim(["trace", "scenarios/a.yaml"])
        .succeeds("\"agreement\"");
}

#[test]
fn settings_cannot_refer_to_files_outside_the_project() {
    let live =
        "kind = \"openai\"\nname = \"a\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    let project = Project::new().file("flow.yaml", FLOW);
    for (settings, expected) in [
        (
            "[paths]\nscenarios = \"/\"\n".to_owned(),
            ["`/` is outside", "fsmsim.toml:2:13"],
        ),
        (
            "[paths]\nsnapshots = \"../../x\"\n".to_owned(),
            ["`../../x` is outside", "fsmsim.toml:2:13"],
        ),
        (
            "[paths]\ncassettes = \"/tmp\"\n".to_owned(),
            ["`/tmp` is outside", "fsmsim.toml:2:13"],
        ),
        (
            "[[llm.chain]]\nkind = \"mock\"\nfile = \"/etc/passwd\"\n".to_owned(),
            [
                "`file` of an unnamed `mock` provider must be a file inside the project, not `/etc/passwd`",
                "fsmsim.toml:3",
            ],
        ),
        (
            format!("[[llm.chain]]\n{live}ca_file = \"/etc/ssl/certs/ca-certificates.crt\"\n"),
            [
                "`ca_file` of `a` must be a file inside the project",
                "fsmsim.toml:6",
            ],
        ),
    ] {
        project.write("fsmsim.toml", settings);
        let stderr = project
            .fsmsim(["lint", "flow.yaml"])
            .fails(2, "", "")
            .stderr;
        assert!(
            expected.iter().all(|part| stderr.contains(part)),
            "{stderr}"
        );
    }
    project.write(
        "fsmsim.toml",
        "[paths]\nscenarios = \"talks\"\nsnapshots = \"./kept\"\n",
    );
    let run = project.fsmsim(["lint", "flow.yaml"]).run();
    assert!(!run.stderr.contains("error["), "{run}");
}

#[cfg(unix)]
#[test]
fn symlink_cannot_lead_out_of_a_project() {
    let outside = Project::new().file("secret.yaml", FLOW);
    let inside = Project::new().file("fsmsim.toml", "").file(
        "scenarios/a.yaml",
        "scenario: A\nmodel: link/secret.yaml\nturns: [{intent: agreement}]\n",
    );
    std::os::unix::fs::symlink(outside.path(), inside.path().join("link")).unwrap();
    inside.fsmsim(["trace", "scenarios/a.yaml"]).fails(
        2,
        "",
        "`link/secret.yaml` is outside the project",
    );
    std::fs::remove_file(inside.path().join("link")).unwrap();
    inside.write("here/secret.yaml", FLOW);
    std::os::unix::fs::symlink("here", inside.path().join("link")).unwrap();
    inside
        .fsmsim(["trace", "scenarios/a.yaml"])
        .succeeds("\"agreement\"");
}
