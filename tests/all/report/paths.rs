//! Files of reports: they never overwrite an input or each other.

use crate::scenario::expectations::{GOOD, project};
use crate::support::Project;

/// Runs a command that must change no file, and checks its error.
fn refused(project: &Project, arguments: &[&str], message: &str) {
    let before: Vec<_> = project
        .files()
        .into_iter()
        .map(|file| (project.read(&file), file))
        .collect();
    project
        .fsmsim(arguments)
        .about(format!("{arguments:?}"))
        .fails(2, "", message);
    for (text, file) in before {
        assert_eq!(project.read(&file), text, "{arguments:?}: {file}");
    }
}

#[test]
fn report_never_overwrites_an_input() {
    let talk = "---\nmodel: flow.yaml\n---\n# A talk\n\n**User:** Hi. `{intent: greeting}`\n<!-- expect: {state: greeting} -->\n";
    let project = project(GOOD)
        .file("fsmsim.toml", "")
        .file("mock.yaml", "rules: []\n")
        .file(
            "diagram.yaml",
            "stateDiagram-v2\n  [*] --> a\n  a --> b: go\n",
        )
        .file("scenarios/talk.md", talk);
    let trace = project
        .fsmsim(["trace", "scenarios/door.yaml"])
        .succeeds("");
    project.write("a.jsonl", trace);
    project
        .fsmsim(["test", "--coverage", "--report", "json=old.json"])
        .succeeds("");
    for file in [
        "scenarios/door.yaml",
        "./scenarios/../scenarios/door.yaml",
        "scenarios/talk.md",
        "flow.yaml",
        "fsmsim.toml",
    ] {
        let report = format!("json={file}");
        for mode in ["--check", "-q"] {
            // The first report is not written.
            let arguments = [
                "test",
                mode,
                "--report",
                "html=new.html",
                "--report",
                &report,
            ];
            refused(&project, &arguments, &format!("`{file}`"));
            assert!(!project.path().join("new.html").exists());
        }
    }
    refused(
        &project,
        &["lint", "--report", "json=scenarios/door.yaml"],
        "cannot write a report to `scenarios/door.yaml`",
    );
    refused(
        &project,
        &[
            "test",
            "--llm",
            "mock:mock.yaml",
            "--report",
            "html=mock.yaml",
        ],
        "cannot write a report to `mock.yaml`",
    );
    for arguments in [
        &["diff", "a.jsonl", "a.jsonl", "--report", "json=a.jsonl"][..],
        &[
            "verify",
            "a.jsonl",
            "--model",
            "flow.yaml",
            "--report",
            "json=a.jsonl",
        ],
        &[
            "test",
            "--coverage",
            "--against",
            "old.json",
            "--report",
            "json=old.json",
        ],
        &[
            "import",
            "mermaid",
            "diagram.yaml",
            "-o",
            "diagram.yaml",
            "--force",
        ],
    ] {
        refused(&project, arguments, "the command reads this file");
    }
    // Reports of an earlier run are overwritten, also if the scenarios are in the same directory.
    for _ in 0..2 {
        project
            .fsmsim([
                "test",
                "--report",
                "json=scenarios/run.json",
                "--report",
                "markdown=scenarios/run.md",
            ])
            .succeeds("");
        project
            .fsmsim([
                "test",
                "--report",
                "html=run.html",
                "--report",
                "json=old.json",
            ])
            .succeeds("");
    }
    let twice = ["diff", "a.jsonl", "a.jsonl", "--report", "json=a.jsonl"];
    insta::assert_snapshot!(project.fsmsim(twice).shown());
}

#[cfg(unix)]
#[test]
fn report_never_overwrites_an_input_through_a_link() {
    let project = project(GOOD);
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(project.path().join(target), project.path().join(name)).unwrap();
    };
    link("scenarios/door.yaml", "report.json");
    link("scenarios", "reports");
    for file in ["report.json", "reports/door.yaml"] {
        let report = format!("json={file}");
        refused(
            &project,
            &["test", "--report", &report],
            &format!("cannot write a report to `{file}`"),
        );
    }
    let twice = [
        "test",
        "--report",
        "json=reports/a.json",
        "--report",
        "html=scenarios/a.json",
    ];
    refused(
        &project,
        &twice,
        "cannot write two reports to `scenarios/a.json`",
    );
}

#[test]
fn two_reports_need_two_files() {
    let project = project(GOOD);
    for second in [
        "html=a.json",
        "html=./a.json",
        "html=scenarios/../a.json",
        "json=a.json",
    ] {
        let arguments = ["test", "--report", "json=a.json", "--report", second];
        refused(&project, &arguments, "cannot write two reports to");
        assert!(!project.path().join("a.json").exists());
    }
    #[cfg(unix)]
    project
        .fsmsim([
            "test",
            "--report",
            "json=/dev/null",
            "--report",
            "html=/dev/null",
        ])
        .succeeds("");
}
