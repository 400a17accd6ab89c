//! Reports of a pull request: a branch of a repository with two projects, checked out as continuous integration does.

use crate::support::{Invocation, Project, git};

const FLOW: &str = "\
flow: {name: door}
states:
  greeting:
    transitions:
      agreement: hall
      rejection: porch
  hall: {transitions: {agreement: street}}
  porch: {transitions: {agreement: street}}
  street: {is_final: true}
";

/// The first scenario fails after the edit, the second one differs only where nothing is expected.
const SCENARIOS: &str = "\
scenario: In
model: flow.yaml
turns:
  - {intent: agreement, expect: {state: hall}}
---
scenario: Through
model: flow.yaml
turns:
  - {intent: agreement}
  - {intent: agreement, expect: {state: street}}
---
scenario: Out
model: flow.yaml
turns:
  - {intent: rejection, expect: {state: porch}}
";

/// A bare repository whose branch `edit` changes the target of a transition. Returns `None` without git.
fn origin() -> Option<Project> {
    let project = Project::new();
    for bot in ["bank", "shop"] {
        project.write(&format!("seed/bots/{bot}/fsmsim.toml"), "");
        project.write(&format!("seed/bots/{bot}/flow.yaml"), FLOW);
        project.write(&format!("seed/bots/{bot}/scenarios/door.yaml"), SCENARIOS);
    }
    let seed = |arguments: &[&str]| git(&project, &[&["-C", "seed"][..], arguments].concat());
    if !seed(&["init", "-q", "-b", "main"]) {
        return None;
    }
    assert!(seed(&["add", "-A"]) && seed(&["commit", "-q", "-m", "bots"]));
    let edited = FLOW.replace("agreement: hall\n", "agreement: porch\n");
    project.write("seed/bots/shop/flow.yaml", edited);
    assert!(seed(&["checkout", "-q", "-b", "edit"]) && seed(&["commit", "-q", "-a", "-m", "edit"]));
    assert!(git(
        &project,
        &["clone", "-q", "--bare", "seed", "origin.git"]
    ));
    Some(project)
}

/// Checks the branch out to the folder `ci`: without a branch, as continuous integration does.
fn check_out(project: &Project, options: &[&str]) {
    let url = format!("file://{}/origin.git", project.path().display());
    let clone = ["clone", "-q", "--branch", "edit"];
    let _ = std::fs::remove_dir_all(project.path().join("ci"));
    assert!(git(project, &[&clone[..], options, &[&url, "ci"]].concat()));
    assert!(git(project, &["-C", "ci", "checkout", "-q", "--detach"]));
}

fn in_ci(run: Invocation) -> Invocation {
    run.env("CI", "true").env("GITHUB_BASE_REF", "main")
}

/// The ways to name the project: folder of the command, arguments before it, and paths after it.
const WAYS: [(&str, &[&str], &[&str]); 4] = [
    ("ci", &[], &["bots/shop/scenarios"]),
    ("ci", &["-C", "bots/shop"], &[]),
    ("ci/bots/shop", &[], &[]),
    ("ci/bots/shop/scenarios", &[], &[]),
];

/// The files of the annotations.
fn annotated(printed: &str) -> Vec<&str> {
    let lines = printed.lines().filter(|line| line.starts_with("::"));
    lines
        .filter_map(|line| line.split_once("file=")?.1.split(',').next())
        .collect()
}

#[test]
fn pull_request_shows_causes_on_existing_paths() {
    let Some(project) = origin() else { return };
    let comment = project.path().join("comment.md");
    for (clone, is_shallow) in [(&[][..], false), (&["--depth", "1"][..], true)] {
        check_out(&project, clone);
        for (folder, before, paths) in WAYS {
            let report = format!("markdown={}", comment.display());
            let options = ["test", "--check", "--report", "github", "--report", &report];
            let arguments = [before, &options, paths].concat();
            let run = in_ci(project.fsmsim(&arguments).below(folder))
                .about(format!("{folder}, {clone:?}"))
                .fails(1, "2 passed, 1 failed", "");
            let files = annotated(&run.stdout);
            assert!(!files.is_empty(), "{run}");
            for file in &files {
                assert!(project.path().join("ci").join(file).is_file(), "{run}");
            }
            let text = project.read("comment.md");
            assert!(
                text.starts_with("### fsmsim `bots/shop`: 3 scenarios, 2 passed, 1 failed"),
                "{text}"
            );
            let first = run.stdout.lines().find(|line| line.starts_with("::"));
            let at_edit = "::error file=bots/shop/flow.yaml,line=5,title=cause";
            let is_known = first.is_some_and(|line| line.starts_with(at_edit));
            assert_eq!(is_known, !is_shallow, "{run}");
            let shows_both = text.contains("| passed | failed | 1 |")
                && text.contains("1 more dialogue changed");
            assert_eq!(shows_both, !is_shallow, "{text}");
            assert_eq!(text.contains("Compared with"), !is_shallow, "{text}");
            assert_eq!(run.stderr.contains("fetch"), is_shallow, "{run}");
        }
    }
}

#[test]
fn report_paths_start_at_the_git_root() {
    let Some(project) = origin() else { return };
    check_out(&project, &[]);
    let targets = ["json", "junit", "gitlab", "lcov", "cobertura"]
        .map(|kind| format!("--report={kind}={}/out.{kind}", project.path().display()));
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    for (folder, before, paths) in WAYS {
        let arguments = [before, &["test", "--check"], &targets, paths].concat();
        in_ci(project.fsmsim(&arguments).below(folder)).fails(1, "", "");
        for (kind, place) in [
            ("json", "\"project\": \"bots/shop\""),
            ("json", "\"file\": \"scenarios/door.yaml\""),
            ("junit", "classname=\"bots/shop/scenarios/door.yaml\""),
            ("junit", "value=\"bots/shop/scenarios/door.yaml:1\""),
            ("gitlab", "\"path\": \"bots/shop/scenarios/door.yaml\""),
            ("lcov", "SF:bots/shop/flow.yaml\n"),
            ("cobertura", "filename=\"bots/shop/flow.yaml\""),
        ] {
            let text = project.read(&format!("out.{kind}"));
            assert!(text.contains(place), "{folder}, {kind}\n{text}");
        }
    }
}

#[test]
fn merged_report_keeps_the_path_of_its_project() {
    let Some(project) = origin() else { return };
    check_out(&project, &[]);
    for shard in ["1/2", "2/2"] {
        let report = format!("json=../../../{}.json", shard.replace('/', "-"));
        let arguments = ["test", "--check", "--shard", shard, "--report", &report];
        in_ci(project.fsmsim(arguments).below("ci/bots/shop")).run();
    }
    let run = project
        .fsmsim(["merge", "../1-2.json", "../2-2.json", "--report", "github"])
        .below("ci")
        .fails(1, "::error file=bots/shop/scenarios/door.yaml,line=1,", "");
    assert!(
        annotated(&run.stdout).contains(&"bots/shop/flow.yaml"),
        "{run}"
    );
}
