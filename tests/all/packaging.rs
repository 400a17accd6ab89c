//! Checks of the packaging: the action, the hooks, the release workflow and the wheel.

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

/// Runs a step of the action in a project like a runner. Returns the exit code, the output and the summary.
#[cfg(unix)]
fn run_step(project: &Project, name: &str, inputs: &[(&str, &str)]) -> (i32, String, String) {
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_fsmsim"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let directory = tempfile::tempdir().unwrap();
    let summary = directory.path().join("summary.md");
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
        .env("RUNNER_TEMP", directory.path())
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("CI", "true");
    let output = command.envs(inputs.iter().copied()).output().unwrap();
    let printed =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (
        output.status.code().unwrap(),
        printed,
        std::fs::read_to_string(summary).unwrap_or_default(),
    )
}

#[cfg(unix)]
#[test]
fn action_runs_scenarios_and_annotates_failures() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    let none = [
        ("FSMSIM_PATHS", ""),
        ("FSMSIM_REPORT", ""),
        ("FSMSIM_SHARD", ""),
    ];
    let (code, printed, summary) = run_step(&project, "Test", &none);
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed.contains("4 passed") && summary.contains("4 passed"),
        "{printed}{summary}"
    );
    let some = [
        ("FSMSIM_PATHS", "scenarios/booking.yaml\n"),
        ("FSMSIM_REPORT", "junit=junit.xml\njson=all.json\n"),
        ("FSMSIM_SHARD", "1/1"),
    ];
    let (code, printed, _) = run_step(&project, "Test", &some);
    assert_eq!(code, 0, "{printed}");
    assert!(
        project.read("junit.xml").contains("<testsuites")
            && project.read("all.json").starts_with('{')
    );
    let scenario = project
        .read("scenarios/booking.yaml")
        .replace("{state: greeting, action", "{state: confirm, action");
    project.write("scenarios/booking.yaml", scenario);
    let (code, printed, summary) = run_step(&project, "Test", &none);
    assert_eq!(code, 1, "{printed}");
    assert!(
        printed.contains("::error file=scenarios/booking.yaml") && !summary.is_empty(),
        "{printed}{summary}"
    );
    // More arguments are one per line, so that they can contain spaces.
    let more = [
        (
            "FSMSIM_ARGS",
            "-E\ntitle(*) & path(scenarios/booking_talk.md)\n",
        ),
        ("FSMSIM_COVERAGE", "true"),
    ];
    let (code, printed, _) = run_step(&project, "Test", &more);
    assert_eq!(code, 0, "{printed}");
    assert!(
        printed.contains("1 passed") && printed.contains("states"),
        "{printed}"
    );
    let (code, printed, _) = run_step(&project, "Test", &[("FSMSIM_CHANGED", "gone")]);
    assert_eq!(code, 2, "{printed}");
    let (code, printed, _) = run_step(&project, "Lint", &[("FSMSIM_LINT", "flows\n")]);
    assert_eq!(
        (code, printed.as_str()),
        (0, "1 model: no errors, no warnings\n")
    );
}

/// A program `gh` that logs its arguments to `gh.log`. It lists the content of `ids`, and cannot write if `readonly` exists.
#[cfg(unix)]
const GH: &str = "#!/bin/sh
echo \"$*\" >>gh.log
case \"$*\" in
    *--paginate*) cat ids ;;
    *) [ ! -e readonly ] ;;
esac
";

#[cfg(unix)]
#[test]
fn action_writes_and_updates_a_comment() {
    use std::os::unix::fs::PermissionsExt;

    if Command::new("jq").arg("--version").output().is_err() {
        eprintln!("skipped: jq is not installed");
        return;
    }
    let project = Project::new()
        .file("bin/gh", GH)
        .file("event.json", r#"{"pull_request": {"number": 7}}"#)
        .file("push.json", "{}")
        .file("temp/fsmsim.md", "### Summary\n")
        .file("ids", "");
    let gh = project.path().join("bin/gh");
    std::fs::set_permissions(gh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        project.path().join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let temp = project.path().join("temp").display().to_string();
    let run = |event: &str| {
        project.write("gh.log", "");
        let inputs = [
            ("PATH", path.as_str()),
            ("RUNNER_TEMP", temp.as_str()),
            ("GITHUB_EVENT_PATH", event),
            ("GITHUB_REPOSITORY", "o/n"),
            ("FSMSIM_MARKER", "<!-- fsmsim a b -->"),
        ];
        let (code, printed, _) = run_step(&project, "Comment", &inputs);
        assert_eq!(code, 0, "{printed}");
        (printed, project.read("gh.log"))
    };
    let (_, log) = run("event.json");
    assert!(
        log.contains("--method POST repos/o/n/issues/7/comments"),
        "{log}"
    );
    assert_eq!(
        project.read("temp/fsmsim-comment.md"),
        "<!-- fsmsim a b -->\n### Summary\n"
    );
    project.write("ids", "5\n9\n");
    let (_, log) = run("event.json");
    assert!(
        log.contains("--method PATCH repos/o/n/issues/comments/5"),
        "{log}"
    );
    // A token that cannot write does not fail the job.
    project.write("readonly", "");
    let (printed, _) = run("event.json");
    assert!(printed.contains("::warning"), "{printed}");
    let (_, log) = run("push.json");
    assert_eq!(log, "");
}

#[test]
fn workflows_name_actions_by_hash() {
    let mut actions = 0;
    for path in [
        ".github/workflows/push.yml",
        ".github/workflows/release.yml",
    ] {
        for line in text(path).lines() {
            let Some((_, used)) = line.split_once("uses: ") else {
                continue;
            };
            actions += 1;
            let (action, version) = used.split_once(" # v").unwrap_or_else(|| panic!("{line}"));
            let (_, hash) = action.split_once('@').unwrap();
            assert!(
                hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{line}"
            );
            assert_eq!(version.split('.').count(), 3, "{line}");
        }
    }
    assert!(actions > 10 && !text("action.yml").contains("uses: "));
}

#[test]
fn push_workflow_runs_all_checks() {
    let workflow = text(".github/workflows/push.yml");
    assert!(workflow.contains("run: .ci/run\n") && workflow.contains("cargo deny"));
    assert!(text(".ci/run").contains("cargo deny"));
}

#[test]
fn checked_and_listed_licenses_are_the_same() {
    let toml = |path: &str| -> toml::Table { toml::from_str(&text(path)).unwrap() };
    assert_eq!(
        toml("deny.toml")["licenses"]["allow"],
        toml("about.toml")["accepted"]
    );
    let built: BTreeSet<String> = toml("about.toml")["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|target| target.as_str().unwrap().to_owned())
        .collect();
    for machine in machines() {
        assert!(built.contains(&machine), "{machine}");
    }
    assert!(text("packaging/archive").contains("LICENSE-THIRD-PARTY.md"));
}

/// The targets for which the release workflow builds.
fn machines() -> BTreeSet<String> {
    let workflow = yaml(".github/workflows/release.yml");
    let matrix = &workflow["jobs"]["build"]["strategy"]["matrix"]["include"];
    let machines = matrix.as_array().unwrap().iter();
    machines
        .map(|machine| machine["target"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_action_input_is_used_and_described() {
    let action = text("action.yml");
    for (name, input) in yaml("action.yml")["inputs"].as_object().unwrap() {
        assert!(
            action.contains(&format!("inputs.{name} ")),
            "{name} is not used"
        );
        assert!(
            input["description"]
                .as_str()
                .is_some_and(|it| !it.is_empty()),
            "{name} has no description"
        );
    }
}

#[test]
fn hooks_run_valid_commands() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    let page = text("docs/src/how-to/run-in-ci.md");
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
        assert!(page.contains(id), "{id} is not documented");
    }
}

#[test]
fn release_builds_each_documented_and_installed_target() {
    let built = machines();
    let install = text("packaging/install");
    let words = install
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("target="));
    let words = words.filter(|target| *target != "''");
    let installed: BTreeSet<String> = words.map(str::to_owned).collect();
    assert_eq!(built, installed);
    let page = text("docs/src/how-to/install.md");
    for target in built {
        assert!(
            page.contains(&format!("fsmsim-VERSION-{target}.")),
            "{target} is not documented"
        );
    }
    assert!(text(".github/workflows/release.yml").contains("python packaging/archive"));
}

#[test]
fn wheel_has_the_metadata_of_the_crate() {
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
        "the version is only in Cargo.toml"
    );
    let version = env!("CARGO_PKG_VERSION");
    let page = text("docs/src/how-to/run-in-ci.md");
    for used in [format!("rev: v{version}"), format!("OWNER/NAME@v{version}")] {
        assert!(page.contains(&used), "{used}");
    }
    let page = text("docs/src/how-to/install.md");
    assert!(page.contains(&format!(
        "Rust {}",
        of_crate("rust-version").as_str().unwrap()
    )));
}
