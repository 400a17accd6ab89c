//! The authoring tools must not follow untrusted entries of a project: pipes, devices, symbolic links out of the project,
//! and programs that a repository configures.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use super::Pipe;
use crate::support::{Project, git};

const FLOW: &str = "
kind: flow
entry_points: {default: greeting}
states:
  greeting: {transitions: {order: ordered}}
  ordered: {is_final: true}
";

fn scenario(more: &str) -> String {
    format!(
        "scenario: Ordered\nmodel: flows/pizza.yaml\n{more}turns: [{{intent: order, expect: {{state: ordered}}}}]\n"
    )
}

fn project() -> Project {
    Project::new()
        .file("flows/pizza.yaml", FLOW)
        .file("scenarios/pizza.yaml", scenario(""))
}

fn pipe(project: &Project, path: &str) {
    let path = project.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = std::fs::remove_file(&path);
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
}

/// The complete answer of a tool.
fn answer(project: &Project, tool: &str, arguments: &Value) -> String {
    let mut server = Pipe::start(project, &["--author"]);
    server.tool(tool, arguments).to_string()
}

/// Creates the other files of a case.
type Prepare = fn(&Project);

#[test]
fn pipes_and_devices_in_a_project_do_not_block() {
    let expected = "not a file or directory";
    let cases: [(&str, Prepare); 5] = [
        ("scenarios/_defaults.yaml", |_| ()),
        ("flows/pizza.yaml", |_| ()),
        ("answers.yaml", |project| {
            project.write("scenarios/pizza.yaml", scenario("llm: answers.yaml\n"));
        }),
        ("kept.json", |project| {
            project.write(
                "scenarios/pizza.yaml",
                scenario("start: {session: kept.json}\n"),
            );
        }),
        ("snapshots/pizza/ordered.snap", |project| {
            project.write(
                "scenarios/pizza.yaml",
                "scenario: Ordered\nmodel: flows/pizza.yaml\nturns: [{intent: order}]\n",
            );
        }),
    ];
    for (path, prepare) in cases {
        let project = project();
        prepare(&project);
        pipe(&project, path);
        let output = answer(&project, "test", &json!({}));
        assert!(output.contains(expected), "{path}: {output}");
    }
    // A pipe or device in the place of the results of the last run is ignored and unchanged.
    let project = project();
    pipe(&project, ".fsmsim/results.jsonl");
    let output = answer(&project, "test", &json!({}));
    assert!(output.contains("1 passed"), "{output}");
    std::fs::remove_file(project.path().join(".fsmsim/results.jsonl")).unwrap();
    symlink("/dev/zero", project.path().join(".fsmsim/results.jsonl")).unwrap();
    assert!(answer(&project, "test", &json!({})).contains("1 passed"));
}

#[test]
fn snapshot_outside_the_project_is_not_disclosed() {
    let project = project();
    project.write(
        "scenarios/pizza.yaml",
        "scenario: Ordered\nmodel: flows/pizza.yaml\nturns: [{intent: order}]\n",
    );
    project.fsmsim(["test", "--accept"]).run();
    let snapshot = project.path().join("snapshots/pizza/ordered.snap");
    let outside = tempfile::NamedTempFile::new().unwrap();
    let text = std::fs::read_to_string(&snapshot).unwrap();
    std::fs::write(outside.path(), text.replace("greeting", "planted_secret")).unwrap();
    std::fs::remove_file(&snapshot).unwrap();
    symlink(outside.path(), &snapshot).unwrap();
    let output = answer(&project, "test", &json!({}));
    assert!(
        output.contains("outside the project") && !output.contains("planted"),
        "{output}"
    );
}

#[test]
fn symlinks_out_of_the_project_are_not_followed() {
    let project = project();
    let outside = Project::new().file("flows/far.yaml", FLOW);
    symlink(outside.path(), project.path().join("flows/away")).unwrap();
    // A walk of the entire file system would not end.
    symlink("/", project.path().join("flows/root")).unwrap();
    let output = answer(&project, "models", &json!({}));
    assert!(
        output.contains("flows/pizza.yaml") && !output.contains("far.yaml"),
        "{output}"
    );
    assert!(answer(&project, "lint", &json!({})).contains("1 model"));
}

#[test]
fn git_filters_of_a_repository_are_not_started() {
    let project = project();
    if !git(&project, &["init", "-q"]) {
        eprintln!("skipped: git is not installed");
        return;
    }
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    let planted = project.path().join("planted");
    for (filter, key) in [("e", "clean"), ("x=y.clean", "process"), ("a.b", "clean")] {
        git(
            &project,
            &[
                "config",
                &format!("filter.{filter}.{key}"),
                &format!("touch '{}'; cat", planted.display()),
            ],
        );
        git(
            &project,
            &["config", &format!("filter.{filter}.required"), "true"],
        );
        project.write(".gitattributes", format!("*.yaml filter={filter}\n"));
        // The file has another length, so that git must compare its content.
        project.write(
            "scenarios/pizza.yaml",
            format!("{}# {filter}\n", scenario("")),
        );
        let output = answer(&project, "scenarios", &json!({"filter": "changed(HEAD)"}));
        assert!(output.contains("Ordered"), "{output}");
        project
            .fsmsim(["list", "-E", "changed(HEAD)"])
            .succeeds("Ordered");
        assert!(!planted.exists(), "{filter}");
        assert!(
            git(&project, &["diff", "--quiet"]) || planted.exists(),
            "the filter would have been started"
        );
        let _ = std::fs::remove_file(&planted);
    }
}

#[test]
fn revision_is_read_only_below_the_served_folder() {
    let all = Project::new()
        .file("constants.yaml", "limits: [planted_secret")
        .file("sub/flows/pizza.yaml", FLOW)
        .file("sub/scenarios/pizza.yaml", scenario(""));
    if !git(&all, &["init", "-q"]) {
        eprintln!("skipped: git is not installed");
        return;
    }
    git(&all, &["add", "."]);
    git(&all, &["commit", "-qm", "first"]);
    std::fs::remove_file(all.path().join("constants.yaml")).unwrap();
    let mut server = Pipe::start(&all, &["--author", "sub"]);
    let arguments = json!({"a": "git:HEAD:flows/pizza.yaml", "b": "flows/pizza.yaml"});
    let output = server.tool("diff", &arguments).to_string();
    assert!(
        !output.contains("planted") && output.contains("\"isError\":false"),
        "{output}"
    );
}
