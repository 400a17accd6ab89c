//! What carries the program to others says what is true of it: the action, the hooks, the workflow of releases, the wheel.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::support::{Project, text};

fn yaml(path: &str) -> Value {
    serde_yaml::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The script of a step of the action.
fn step(name: &str) -> String {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().unwrap().clone();
    let step = steps
        .iter()
        .find(|step| step["name"] == name)
        .unwrap_or_else(|| panic!("{name}"));
    step["run"].as_str().unwrap().to_owned()
}

/// Runs a step of the action in a project, as a runner does. The code, what it prints, and the summary.
#[cfg(unix)]
fn run_step(project: &Project, name: &str, inputs: &[(&str, &str)]) -> (i32, String, String) {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_fsmsim"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let place = tempfile::tempdir().unwrap();
    let summary = place.path().join("summary.md");
    let mut command = Command::new("bash");
    command
        .args([
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            "-c",
            &step(name),
        ])
        .current_dir(project.path());
    command
        .env("PATH", path)
        .env("RUNNER_TEMP", place.path())
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("CI", "true");
    let output = command.envs(inputs.iter().copied()).output().unwrap();
    let said =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (
        output.status.code().unwrap(),
        said,
        std::fs::read_to_string(summary).unwrap_or_default(),
    )
}

#[cfg(unix)]
#[test]
fn the_action_runs_scenarios_and_marks_what_fails() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    let none = [
        ("FSMSIM_PATHS", ""),
        ("FSMSIM_REPORT", ""),
        ("FSMSIM_SHARD", ""),
    ];
    let (code, said, summary) = run_step(&project, "Test", &none);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("4 passed") && summary.contains("4 passed"),
        "{said}{summary}"
    );
    let some = [
        ("FSMSIM_PATHS", "scenarios/booking.yaml\n"),
        ("FSMSIM_REPORT", "junit=junit.xml\njson=all.json\n"),
        ("FSMSIM_SHARD", "1/1"),
    ];
    let (code, said, _) = run_step(&project, "Test", &some);
    assert_eq!(code, 0, "{said}");
    assert!(
        project.read("junit.xml").contains("<testsuites")
            && project.read("all.json").starts_with('{')
    );
    let scenario = project
        .read("scenarios/booking.yaml")
        .replace("{state: greeting, action", "{state: confirm, action");
    project.write("scenarios/booking.yaml", scenario);
    let (code, said, summary) = run_step(&project, "Test", &none);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("::error file=scenarios/booking.yaml") && !summary.is_empty(),
        "{said}{summary}"
    );
    let (code, said, _) = run_step(&project, "Lint", &[("FSMSIM_LINT", "flows\n")]);
    assert_eq!(
        (code, said.as_str()),
        (0, "1 model: no errors, no warnings\n")
    );
}

#[test]
fn each_input_of_the_action_is_used_and_told() {
    let action = text("action.yml");
    let page = text("docs/install.md");
    for name in yaml("action.yml")["inputs"].as_object().unwrap().keys() {
        assert!(
            action.contains(&format!("inputs.{name} ")),
            "{name} is not used"
        );
        assert!(
            page.contains(&format!("| `{name}` |")),
            "{name} is not told"
        );
    }
}

#[test]
fn hooks_do_what_the_program_can() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    let page = text("docs/install.md");
    let hooks = yaml(".pre-commit-hooks.yaml");
    for hook in hooks.as_array().unwrap() {
        let args = hook["args"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let words: Vec<&str> = hook["entry"]
            .as_str()
            .unwrap()
            .split(' ')
            .chain(args)
            .collect();
        assert_eq!(words[0], "fsmsim");
        project.fsmsim(&words[1..]).succeeds("");
        let id = hook["id"].as_str().unwrap();
        assert!(page.contains(&format!("`{id}`")), "{id} is not told");
    }
}

#[test]
fn a_release_has_an_archive_for_each_machine_that_is_told_and_installed() {
    let workflow = yaml(".github/workflows/release.yml");
    let matrix = workflow["jobs"]["build"]["strategy"]["matrix"]["include"]
        .as_array()
        .unwrap()
        .clone();
    let built: BTreeSet<&str> = matrix
        .iter()
        .map(|machine| machine["target"].as_str().unwrap())
        .collect();
    let install = text("packaging/install");
    let words = install
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("target="));
    let installed: BTreeSet<&str> = words.filter(|target| *target != "''").collect();
    assert_eq!(built, installed);
    let page = text("docs/install.md");
    for target in built {
        assert!(
            page.contains(&format!("fsmsim-VERSION-{target}.")),
            "{target} is not told"
        );
    }
    assert!(text(".github/workflows/release.yml").contains("python packaging/archive"));
}

#[test]
fn the_wheel_says_of_the_program_what_the_crate_says() {
    let wheel: toml::Table = toml::from_str(&text("pyproject.toml")).unwrap();
    let krate: toml::Table = toml::from_str(&text("Cargo.toml")).unwrap();
    let wheel = &wheel["project"];
    // The crates of the workspace share some keys.
    let of_crate = |key: &str| match &krate["package"][key] {
        toml::Value::Table(_) => &krate["workspace"]["package"][key],
        value => value,
    };
    for key in ["name", "description", "readme", "license", "keywords"] {
        assert_eq!(&wheel[key], of_crate(key), "{key}");
    }
    assert!(
        wheel.get("version").is_none(),
        "the version stands in Cargo.toml alone"
    );
    let page = text("docs/install.md");
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        page.contains(&format!("rev: v{version}"))
            && page.contains(&format!("OWNER/NAME@v{version}"))
    );
    assert!(page.contains(&format!(
        "Rust {}",
        of_crate("rust-version").as_str().unwrap()
    )));
}
