//! What a project may have in it, and the tools of an author must not follow: pipes, devices, links that lead out, programs
//! that a repository names.
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

/// All that a tool answers.
fn answer(project: &Project, tool: &str, arguments: &Value) -> String {
    let mut server = Pipe::start(project, &["--author"]);
    server.tool(tool, arguments).to_string()
}

/// What else there has to be.
type Prepare = fn(&Project);

#[test]
fn pipes_and_devices_in_a_project_are_not_waited_for() {
    let neither = "neither a file nor a folder";
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
        let told = answer(&project, "test", &json!({}));
        assert!(told.contains(neither), "{path}: {told}");
    }
    // What became of the last run is told nowhere; what is there instead is left alone.
    let project = project();
    pipe(&project, ".fsmsim/results.jsonl");
    let told = answer(&project, "test", &json!({}));
    assert!(told.contains("1 passed"), "{told}");
    std::fs::remove_file(project.path().join(".fsmsim/results.jsonl")).unwrap();
    symlink("/dev/zero", project.path().join(".fsmsim/results.jsonl")).unwrap();
    assert!(answer(&project, "test", &json!({})).contains("1 passed"));
}

#[test]
fn a_snapshot_outside_the_project_is_not_told() {
    let project = project();
    project.write(
        "scenarios/pizza.yaml",
        "scenario: Ordered\nmodel: flows/pizza.yaml\nturns: [{intent: order}]\n",
    );
    project.fsmsim(["test", "--accept"]).run();
    let kept = project.path().join("snapshots/pizza/ordered.snap");
    let outside = tempfile::NamedTempFile::new().unwrap();
    let text = std::fs::read_to_string(&kept).unwrap();
    std::fs::write(outside.path(), text.replace("greeting", "planted_secret")).unwrap();
    std::fs::remove_file(&kept).unwrap();
    symlink(outside.path(), &kept).unwrap();
    let told = answer(&project, "test", &json!({}));
    assert!(
        told.contains("leads out of the project") && !told.contains("planted"),
        "{told}"
    );
}

#[test]
fn a_link_among_the_models_is_not_walked_out_of() {
    let project = project();
    let outside = Project::new().file("flows/far.yaml", FLOW);
    symlink(outside.path(), project.path().join("flows/away")).unwrap();
    // All of the file system would take for ever.
    symlink("/", project.path().join("flows/root")).unwrap();
    let told = answer(&project, "models", &json!({}));
    assert!(
        told.contains("flows/pizza.yaml") && !told.contains("far.yaml"),
        "{told}"
    );
    assert!(answer(&project, "lint", &json!({})).contains("1 model"));
}

#[test]
fn git_starts_nothing_that_a_repository_names() {
    let project = project();
    if !git(&project, &["init", "-q"]) {
        eprintln!("git is not there: nothing is tried");
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
        // Another length, so that git has to look into it.
        project.write(
            "scenarios/pizza.yaml",
            format!("{}# {filter}\n", scenario("")),
        );
        let told = answer(&project, "scenarios", &json!({"filter": "changed(HEAD)"}));
        assert!(told.contains("Ordered"), "{told}");
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
fn a_former_revision_is_read_below_the_served_folder_only() {
    let all = Project::new()
        .file("constants.yaml", "limits: [planted_secret")
        .file("sub/flows/pizza.yaml", FLOW)
        .file("sub/scenarios/pizza.yaml", scenario(""));
    if !git(&all, &["init", "-q"]) {
        eprintln!("git is not there: nothing is tried");
        return;
    }
    git(&all, &["add", "."]);
    git(&all, &["commit", "-qm", "first"]);
    std::fs::remove_file(all.path().join("constants.yaml")).unwrap();
    let mut server = Pipe::start(&all, &["--author", "sub"]);
    let arguments = json!({"a": "git:HEAD:flows/pizza.yaml", "b": "flows/pizza.yaml"});
    let told = server.tool("diff", &arguments).to_string();
    assert!(
        !told.contains("planted") && told.contains("\"isError\":false"),
        "{told}"
    );
}
