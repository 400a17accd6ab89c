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

#[test]
fn test_settings_hold_unless_options_override_them() {
    let settings = "\
[test]
reports = [\"json=run.json\", \"junit=junit.xml\"]

[test.ci]
reports = [\"json=ci.json\"]
require_snapshots = true
";
    let scenario = "scenario: A\nturns: [{intent: agreement, expect: {state: hall}}]\n";
    let project = Project::new()
        .file("fsmsim.toml", format!("model = \"flow.yaml\"\n{settings}"))
        .file("flow.yaml", FLOW)
        .file("scenarios/a.yaml", scenario);
    let written = || {
        let reports = ["run.json", "junit.xml", "ci.json", "own.json"];
        let path = |name: &&str| project.path().join(name);
        let found: Vec<&str> = reports
            .into_iter()
            .filter(|name| path(name).is_file())
            .collect();
        for name in &found {
            std::fs::remove_file(path(name)).unwrap();
        }
        found
    };
    project.fsmsim(["test"]).succeeds("1 passed");
    assert_eq!(written(), ["run.json", "junit.xml"]);
    // Paths are relative to the project.
    project.write("below/note.txt", "");
    project.fsmsim(["test"]).below("below").succeeds("1 passed");
    assert_eq!(written(), ["run.json", "junit.xml"]);
    project
        .fsmsim(["test", "--report", "json=own.json"])
        .succeeds("1 passed");
    assert_eq!(written(), ["junit.xml", "own.json"]);
    project
        .fsmsim(["test", "--ci"])
        .fails(1, "NO SNAPSHOT scenarios/a.yaml:1 A", "");
    assert_eq!(written(), ["ci.json"]);
    project
        .fsmsim(["test"])
        .env("CI", "true")
        .fails(1, "NO SNAPSHOT scenarios/a.yaml:1 A", "");
    assert_eq!(written(), ["ci.json"]);
    project
        .fsmsim(["test", "--ci", "--accept"])
        .fails(2, "", "cannot be used with");
}

#[test]
fn invalid_test_settings_are_errors() {
    let project = Project::new().file("flow.yaml", FLOW).file(
        "scenarios/a.yaml",
        "scenario: A\nmodel: flow.yaml\nturns: [{intent: agreement}]\n",
    );
    let mut all = String::new();
    for settings in [
        "timeuot = 3",
        "timeout = 0",
        "retries = -1",
        "reports = [\"junti=junit.xml\"]",
        "reports = [\"json=../run.json\"]",
        "reports = [\"json=.git/config\"]",
        "reports = [\"json\", \"tap\"]",
        "ci.reports = [\"json=/run.json\"]",
        "ci.ci.timeout = 3",
    ] {
        project.write("fsmsim.toml", format!("[test]\n{settings}\n"));
        let run = project.fsmsim(["test"]).fails(2, "", "");
        all += &format!("{settings}\n{}\n", run.stderr);
    }
    insta::assert_snapshot!(all);
}

/// A repository with two projects and without a project at its root.
fn bots() -> Project {
    let project = Project::new();
    for (bot, settings) in [("bank", "[lint]\nFS0404 = \"allow\"\n"), ("shop", "")] {
        let settings = format!("model = \"flow.yaml\"\n{settings}");
        project.write(&format!("bots/{bot}/fsmsim.toml"), settings);
        let flow = format!("{FLOW}  attic: {{goal: \"{bot}\", is_final: true}}\n");
        project.write(&format!("bots/{bot}/flow.yaml"), flow);
        let scenario = "scenario: One\nturns: [{intent: agreement, expect: {state: hall}}]\n";
        project.write(&format!("bots/{bot}/scenarios/one.yaml"), scenario);
    }
    project
}

#[test]
fn project_of_a_named_path_is_the_nearest_one_above_it() {
    let project = bots();
    let passes = |folder: &str, arguments: &[&str]| {
        let run = project.fsmsim(arguments).below(folder);
        run.ends(0, "1 passed in 1 turn", "");
    };
    passes("", &["test", "--check", "bots/shop/scenarios"]);
    passes(
        "",
        &["test", "--check", "bots/shop/scenarios/one.yaml::One"],
    );
    passes("", &["-C", "bots/shop", "test", "--check"]);
    passes("", &["test", "--check", "-C", "bots/shop"]);
    passes("bots/bank", &["test", "--check", "../shop/scenarios"]);
    passes("bots/bank/scenarios", &["test", "--check"]);
    let trace = ["trace", "bots/shop/scenarios/one.yaml"];
    project.fsmsim(trace).ends(0, "\"to\":\"hall\"", "");
    // Saved results are in the project, too.
    project
        .fsmsim(["test", "bots/shop/scenarios"])
        .ends(0, "", "");
    assert!(project.path().join("bots/shop/.fsmsim").is_dir());
    assert!(!project.path().join(".fsmsim").exists());
}

#[test]
fn run_rejects_scenarios_of_two_projects() {
    let project = bots();
    let both = ["test", "bots/bank/scenarios", "bots/shop/scenarios"];
    insta::assert_snapshot!(project.fsmsim(both).shown());
    project
        .fsmsim(["-C", "bots/none", "test"])
        .refuses("cannot enter `bots/none`: ");
}

#[test]
fn lint_uses_the_settings_of_each_project_below() {
    let project = bots();
    let run = project.fsmsim(["lint", "."]).run();
    assert!(
        run.stderr.contains("bots/shop/flow.yaml:5:")
            && !run.stderr.contains("bots/bank/flow.yaml:5:"),
        "{run}"
    );
    assert!(run.stdout.starts_with("2 models: "), "{run}");
    let model = ["lint", "bots/bank/flow.yaml"];
    let run = project.fsmsim(model).run();
    assert!(!run.stderr.contains("FS0404"), "{run}");
}
