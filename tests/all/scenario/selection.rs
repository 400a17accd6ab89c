//! Selection of scenarios: filters, failures of the last run, changed files, shards, and `list`.

use super::expectations::{FLOW, GOOD};
use crate::support::{Project, git};

const OTHER: &str = "\
scenario: Sent away
model: flow.yaml
turns:
  - intent: rejection
    expect: {state: street, class: finish}
---
scenario: Asked
model: flow.yaml
llm: mock.yaml
turns:
  - say: Hello
    expect: {state: greeting}
";

const MOCK: &str = "rules: [{say: Hello, answer: {intent: greeting}}]\n";

fn project() -> Project {
    Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/door.yaml", GOOD)
        .file("scenarios/more/other.yaml", OTHER)
        .file("mock.yaml", MOCK)
}

const ALL: &str = "\
scenarios/door.yaml::In and out
scenarios/more/other.yaml::Sent away
scenarios/more/other.yaml::Asked
";

fn listed(filter: &str) -> Vec<String> {
    let run = project().fsmsim(["list", "-E", filter]).shown();
    run.lines()
        .filter_map(|line| Some(line.split_once("::")?.1.to_owned()))
        .collect()
}

#[test]
fn filters_test_scenario_keys_and_coverage() {
    project().fsmsim(["list"]).succeeds(ALL);
    for (filter, wanted) in [
        ("tag(smoke)", &["In and out"][..]),
        ("!tag(smoke) & path(*other*)", &["Sent away", "Asked"]),
        ("title(~out) | title(/^A/)", &["In and out", "Asked"]),
        ("model(flow)", &["In and out", "Sent away", "Asked"]),
        ("model(other*)", &[]),
        ("asks()", &["Asked"]),
        ("covers(state:hall)", &["In and out"]),
        ("covers(state:street) & !covers(state:hall)", &["Sent away"]),
        ("covers(intent:*)", &["In and out", "Sent away", "Asked"]),
        ("covers(line:flow.yaml:6)", &["In and out", "Asked"]),
        ("class(finish)", &["In and out", "Sent away"]),
    ] {
        assert_eq!(listed(filter), wanted, "{filter}");
    }
}

#[test]
fn unknown_names_in_filters_fail_with_a_similar_name() {
    for (arguments, found) in [
        (["--tag", "smok"], "a similar tag exists: `smoke`"),
        (["-E", "tag(smok) | tag(smoke)"], "unknown tag `smok`"),
        (["-E", "!tag(smok)"], "unknown tag `smok`"),
        (["-E", "!model(flw)"], "a similar model exists: `flow`"),
        (
            ["-E", "covers(state:hal)"],
            "a similar item exists: `state:hall`",
        ),
        (
            ["-E", "!covers(state:nowhere)"],
            "unknown item `state:nowhere`",
        ),
        (["-E", "!class(finsh)"], "a similar class exists: `finish`"),
    ] {
        for command in ["test", "list"] {
            let run = project().fsmsim([command]).args(arguments).run();
            assert!(run.code == 2 && run.stderr.contains(found), "{run}");
        }
    }
    // Names are also known if another part of the filter decides.
    project()
        .fsmsim(["list", "-E", "tag(smoke) | title(In and out)"])
        .succeeds("scenarios/door.yaml::In and out\n");
}

#[test]
fn filter_selects_scenarios_and_empty_selection_fails() {
    let project = project();
    project
        .fsmsim(["test", "-E", "class(finish)"])
        .succeeds("\n2 passed in 4 turns\n");
    project
        .fsmsim(["test", "-E", "tag(none*)"])
        .fails(2, "", "no scenario was found");
    project
        .fsmsim(["list", "-E", "tag(none*)"])
        .fails(2, "", "no scenario is selected");
    project
        .fsmsim(["list", "-E", "tga(none)"])
        .fails(2, "", "exists: `tag`");
    project
        .fsmsim(["test", "scenarios/more/other.yaml::Sent away"])
        .succeeds("\n1 passed in 1 turn\n");
}

#[test]
fn list_has_json_formats() {
    let run = project()
        .fsmsim(["list", "--format", "jsonl", "-E", "asks()"])
        .succeeds("");
    let line: serde_json::Value = serde_json::from_str(&run).unwrap();
    assert_eq!(line["id"], "scenarios/more/other.yaml::Asked");
    assert_eq!(
        (&line["line"], &line["model"], &line["asks"]),
        (&7.into(), &"flow.yaml".into(), &true.into())
    );
    let run = project().fsmsim(["list", "--format", "json"]).succeeds("");
    let all: serde_json::Value = serde_json::from_str(&run).unwrap();
    assert_eq!(all["scenarios"].as_array().unwrap().len(), 3);
}

#[test]
fn failed_option_runs_failed_scenarios_until_they_pass() {
    let project = project();
    project.write(
        "scenarios/door.yaml",
        GOOD.replace("state: hall", "state: street"),
    );
    project.fsmsim(["test", "--failed"]).fails(
        1,
        "2 passed, 1 failed",
        "no earlier run is recorded",
    );
    project
        .fsmsim(["test", "--failed"])
        .fails(1, "0 passed, 1 failed", "");
    project.write("scenarios/door.yaml", GOOD);
    project
        .fsmsim(["list", "--failed"])
        .succeeds("scenarios/door.yaml::In and out\n");
    project
        .fsmsim(["test", "--failed"])
        .succeeds("\n1 passed in 3 turns\n");
    project
        .fsmsim(["test", "--failed"])
        .warns("\n0 passed in 0 turns\n", "no scenario is selected");
    project.write("scenarios/new.yaml", GOOD);
    project
        .fsmsim(["list", "--failed"])
        .succeeds("scenarios/new.yaml::In and out\n");
    assert!(project.read(".fsmsim/.gitignore") == "*\n");
}

#[test]
fn failures_of_a_report_run_again() {
    let project = project();
    let wrong = GOOD.replace("state: hall", "state: street");
    project.write("scenarios/door.yaml", &wrong);
    project
        .fsmsim(["test", "--check", "--report", "json=ci.json"])
        .fails(1, "2 passed, 1 failed", "");
    // The report decides, and not the last run on this computer.
    assert!(!project.path().join(".fsmsim").exists());
    project
        .fsmsim(["list", "--failed-in", "ci.json"])
        .succeeds("scenarios/door.yaml::In and out\n");
    project.write("scenarios/door.yaml", GOOD);
    project
        .fsmsim(["test", "--failed-in", "ci.json"])
        .succeeds("\n1 passed in 3 turns\n");
    project.write(
        "scenarios/door.yaml",
        GOOD.replace("In and out", "Out and in"),
    );
    project.fsmsim(["test", "--failed-in", "ci.json"]).warns(
        "\n0 passed in 0 turns\n",
        "1 failed scenario of the report not found, the first is `scenarios/door.yaml::In and out`\n",
    );
    // All scenarios of a file that was invalid run.
    project.write("scenarios/door.yaml", "scenario: [\n");
    project
        .fsmsim(["test", "--check", "--report", "json=ci.json"])
        .fails(2, "invalid", "");
    project.write("scenarios/door.yaml", GOOD);
    project
        .fsmsim(["test", "--failed-in", "ci.json"])
        .succeeds("\n1 passed in 3 turns\n");
    for (content, error) in [
        ("no", "expected a JSON object"),
        ("{}", "invalid run report"),
    ] {
        project.write("ci.json", content);
        project
            .fsmsim(["test", "--failed-in", "ci.json"])
            .fails(2, "", error);
    }
}

#[test]
fn fail_fast_stops_and_failed_option_resumes() {
    let project = project();
    project.write(
        "scenarios/door.yaml",
        GOOD.replace("state: hall", "state: street"),
    );
    let note = "stopped at the first failure; `fsmsim test --failed` runs the rest\n";
    project
        .fsmsim(["test", "--fail-fast"])
        .fails(1, "\n0 passed, 1 failed in 3 turns", note);
    project
        .fsmsim(["test", "--failed"])
        .fails(1, "\n2 passed, 1 failed in 5 turns", "");
}

#[test]
fn check_mode_saves_no_run() {
    let project = project();
    project.fsmsim(["test", "--check"]).succeeds("");
    project.fsmsim(["test"]).env("CI", "true").succeeds("");
    assert!(!project.path().join(".fsmsim").exists());
}

#[test]
fn shards_cover_all_scenarios_and_can_be_empty() {
    let project = project();
    let listed = |shard: &str| {
        project
            .fsmsim(["list", "--shard", shard])
            .ends(0, "", "")
            .stdout
    };
    let mut all: Vec<String> = (1..=3)
        .flat_map(|n| {
            listed(&format!("{n}/3"))
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    all.sort();
    let mut whole: Vec<&str> = ALL.lines().collect();
    whole.sort_unstable();
    assert_eq!(all, whole);
    let sums: Vec<String> = (1..=40).map(|n| listed(&format!("{n}/40"))).collect();
    assert!(sums.iter().any(String::is_empty));
    project
        .fsmsim(["list", "--shard", "4/3"])
        .refuses("expected a shard from 1/3 to 3/3");
}

#[test]
fn changed_selects_scenarios_that_cover_the_edited_lines() {
    let project = project();
    if !git(&project, &["init", "-q"]) {
        eprintln!("skipped: git is not here");
        return;
    }
    assert!(git(&project, &["add", "-A"]) && git(&project, &["commit", "-q", "-m", "x"]));
    let changed = |wanted: &str| {
        let run = project
            .fsmsim(["list", "--changed", "HEAD"])
            .ends(0, "", "");
        assert_eq!(run.stdout, wanted);
    };
    changed("");
    project.write(
        "flow.yaml",
        FLOW.replace("is_final: true", "is_final: true, goal: Outside"),
    );
    changed("scenarios/door.yaml::In and out\nscenarios/more/other.yaml::Sent away\n");
    project.write("flow.yaml", FLOW.replace("greet_back", "greet_warmly"));
    changed("scenarios/door.yaml::In and out\nscenarios/more/other.yaml::Asked\n");
    project.write("flow.yaml", format!("# A door\n{FLOW}"));
    changed("");
    // Both transitions are on the line.
    project.write(
        "flow.yaml",
        FLOW.replace("rejection: street", "rejection: hall"),
    );
    changed("scenarios/door.yaml::In and out\nscenarios/more/other.yaml::Sent away\n");
    project.write("flow.yaml", FLOW);
    project.write("mock.yaml", format!("# A mock\n{MOCK}"));
    changed("scenarios/more/other.yaml::Asked\n");
    project.write("mock.yaml", MOCK);
    project.write("scenarios/door.yaml", format!("# A door\n{GOOD}"));
    changed("scenarios/door.yaml::In and out\n");
    project
        .fsmsim(["test", "--changed", "HEAD"])
        .succeeds("\n1 passed in 3 turns\n");
    project
        .fsmsim(["test", "--changed", "nobody"])
        .fails(2, "", "unknown revision `nobody`");
    project
        .fsmsim(["test", "--changed", "--all"])
        .fails(2, "", "");
}

/// Regression: only the file of the scenario itself was considered.
#[test]
fn changed_selects_scenarios_by_their_shared_files() {
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/door.yaml", GOOD)
        .file("scenarios/rows/_defaults.yaml", "model: flow.yaml\n")
        .file("scenarios/rows/rows.csv", "word,state\nrejection,street\n")
        .file(
            "scenarios/rows/rows.yaml",
            "scenario: Row {{word}}\ncases: ./rows.csv\nturns: [{intent: \"{{word}}\", expect: {state: \"{{state}}\"}}]\n",
        )
        .file("scenarios/used/turns.yaml", "turns: [{use: ./deeper.yaml}]\n")
        .file("scenarios/used/deeper.yaml", "turns: [{intent: rejection}]\n")
        .file("scenarios/used/uses.yaml", "scenario: Uses\nmodel: flow.yaml\nturns: [{use: ./turns.yaml}]\n");
    if !git(&project, &["init", "-q"]) {
        eprintln!("skipped: git is not here");
        return;
    }
    assert!(git(&project, &["add", "-A"]) && git(&project, &["commit", "-q", "-m", "x"]));
    let row = "scenarios/rows/rows.yaml::Row rejection[word=rejection,state=street]\n";
    let uses = "scenarios/used/uses.yaml::Uses\n";
    for (path, touched) in [
        ("scenarios/rows/_defaults.yaml", row),
        ("scenarios/rows/rows.csv", row),
        ("scenarios/used/turns.yaml", uses),
        ("scenarios/used/deeper.yaml", uses),
    ] {
        let text = project.read(path);
        project.write(path, format!("{text}\n"));
        let run = project
            .fsmsim(["list", "--changed", "HEAD"])
            .about(path)
            .ends(0, "", "");
        assert_eq!(run.stdout, touched, "{path}");
        project.write(path, text);
    }
}

#[test]
fn changed_selects_scenarios_by_all_files_that_they_read() {
    let session = r#"{"state": "hall", "collected_data": {}}"#;
    let started = |key: &str, file: &str| {
        let title = key.to_uppercase();
        let start = format!("start: {{{key}: {file}}}\n");
        format!("scenario: {title}\nmodel: flow.yaml\n{start}turns: [{{intent: greeting}}]\n")
    };
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("fsmsim.toml", "")
        .file("fixtures/session.json", session)
        .file("fixtures/twin.json", "{}")
        .file(
            "fixtures/backend.yaml",
            "answers: [{return: {status: rows}}]\n",
        )
        .file(
            "scenarios/a.yaml",
            started("session", "fixtures/session.json"),
        )
        .file("scenarios/b.yaml", started("twin", "fixtures/twin.json"))
        .file(
            "scenarios/c.yaml",
            started("backend", "fixtures/backend.yaml"),
        );
    project.fsmsim(["test", "--accept"]).ends(0, "3 passed", "");
    if !git(&project, &["init", "-q"]) {
        eprintln!("skipped: git is not here");
        return;
    }
    assert!(git(&project, &["add", "-A"]) && git(&project, &["commit", "-q", "-m", "x"]));
    let (a, b, c) = (
        "scenarios/a.yaml::SESSION\n",
        "scenarios/b.yaml::TWIN\n",
        "scenarios/c.yaml::BACKEND\n",
    );
    let all = [a, b, c].concat();
    for (path, selected) in [
        ("fixtures/session.json", a),
        ("fixtures/twin.json", b),
        ("fixtures/backend.yaml", c),
        ("snapshots/b/twin.snap", b),
        ("fsmsim.toml", all.as_str()),
    ] {
        let text = project.read(path);
        project.write(path, format!("{text}\n"));
        for option in [&["--changed", "HEAD"][..], &["--failed"]] {
            let run = project
                .fsmsim(["list"].iter().chain(option))
                .about(path)
                .ends(0, "", "");
            assert_eq!(run.stdout, selected, "{path} {option:?}");
        }
        project.write(path, text);
    }
    std::fs::remove_file(project.path().join("snapshots/b/twin.snap")).unwrap();
    let run = project
        .fsmsim(["list", "--changed", "HEAD"])
        .ends(0, "", "");
    assert_eq!(run.stdout, b);
}

#[test]
fn failed_option_runs_passed_scenarios_that_were_edited() {
    let project = project();
    project.fsmsim(["test"]).succeeds("3 passed");
    let list = |wanted: &str| {
        let run = project.fsmsim(["list", "--failed"]).ends(0, "", "");
        assert_eq!(run.stdout, wanted);
    };
    list("");
    let broken = GOOD.replace("state: hall", "state: street");
    project.write("scenarios/door.yaml", &broken);
    list("scenarios/door.yaml::In and out\n");
    project.write("scenarios/door.yaml", GOOD);
    list("");
    project.write("mock.yaml", format!("# A mock\n{MOCK}"));
    list("scenarios/more/other.yaml::Asked\n");
    project.write("mock.yaml", MOCK);
    project.write("flow.yaml", format!("# A door\n{FLOW}"));
    list(ALL);
    project.fsmsim(["test", "--failed"]).succeeds("3 passed");
    list("");
    project.write("scenarios/_defaults.yaml", "tags: [all]\n");
    list(ALL);
}

/// Regression: the snapshots of all files that were not run again were reported as orphaned.
#[test]
fn watch_reports_no_orphans_after_a_partial_run() {
    use std::io::{BufRead, BufReader, Read};
    use std::time::Duration;

    let bare = "scenario: A\nmodel: flow.yaml\nturns: [{intent: greeting}]\n";
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/a.yaml", bare)
        .file("scenarios/b.yaml", bare.replace('A', "B"));
    project.fsmsim(["test", "--accept"]).succeeds("2 passed");
    let mut child = project.fsmsim(["test", "--watch"]).spawn();
    let (sender, lines) = std::sync::mpsc::channel();
    let stderr = BufReader::new(child.stderr.take().unwrap());
    std::thread::spawn(move || {
        for line in stderr.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let wait = || loop {
        match lines.recv_timeout(Duration::from_secs(20)) {
            Ok(line) if line.starts_with("watching ") => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    };
    if wait() {
        project.write("scenarios/a.yaml", format!("# Edited\n{bare}"));
        wait();
    }
    let _ = child.kill();
    let _ = child.wait();
    let mut stdout = String::new();
    let mut output = child.stdout.take().unwrap();
    output.read_to_string(&mut stdout).unwrap();
    assert!(stdout.ends_with("\n1 passed in 1 turn\n"), "{stdout}");
    assert!(!stdout.contains("ORPHANED"), "{stdout}");
}

#[test]
fn determinism_check_passes_and_durations_are_listed() {
    let project = project();
    project
        .fsmsim(["test", "--check-determinism"])
        .succeeds("\n3 passed in 5 turns");
    let run = project
        .fsmsim(["test", "--durations=1", "-v"])
        .succeeds("  PASSED Sent away");
    assert_eq!(
        run.lines()
            .filter(|line| line.contains(" s  scenarios/"))
            .count(),
        1,
        "{run}"
    );
    let run = project.fsmsim(["test", "-q"]).succeeds("");
    assert_eq!(run, "\n3 passed in 5 turns\n");
}

/// Regression: the hash of the files of a scenario was their sum, so it missed an exchange of two files.
#[test]
fn failed_option_notices_two_files_with_exchanged_contents() {
    let turns = "turns:\n- {use: ./one.yaml}\n- {use: ./two.yaml}\n";
    let (one, two) = (
        "turns: [{intent: greeting}]\n",
        "turns: [{intent: rejection, expect: {final: true}}]\n",
    );
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/one.yaml", one)
        .file("scenarios/two.yaml", two)
        .file(
            "scenarios/a.yaml",
            format!("scenario: A\nmodel: flow.yaml\n{turns}"),
        );
    project.fsmsim(["test"]).succeeds("1 passed");
    project.write("scenarios/one.yaml", two);
    project.write("scenarios/two.yaml", one);
    let run = project.fsmsim(["list", "--failed"]).ends(0, "", "");
    assert_eq!(run.stdout, "scenarios/a.yaml::A\n");
}

/// Regression: `list` filled in the turns of each case, which took seconds with many cases and shared turns.
#[test]
fn list_knows_for_each_case_whether_it_can_call_a_provider() {
    let shared = "parameters: {key: intent}\nturns:\n- {intent: greeting}\n- {'{{key}}': greeting, say: Hi}\n";
    let cases = |turns: &str| {
        let cases = "cases: [{key: intent}, {key: meta}]";
        format!("scenario: A\nmodel: flow.yaml\n{cases}\nturns:\n{turns}")
    };
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/shared.yaml", shared);
    for (turns, asks) in [
        (
            "- {use: ./shared.yaml, with: {key: '{{key}}'}}\n",
            [false, true],
        ),
        ("- {'{{key}}': greeting, say: Hi}\n", [false, true]),
        (
            "- {intent: greeting}\n- {say: 'Hi {{key}}'}\n",
            [true, true],
        ),
        ("- {intent: greeting, say: 'Hi {{key}}'}\n", [false, false]),
    ] {
        project.write("scenarios/a.yaml", cases(turns));
        let run = project.fsmsim(["list", "--format", "jsonl"]).run();
        let listed = run
            .stdout
            .lines()
            .map(|line| line.contains(r#""asks":true"#));
        assert_eq!(listed.collect::<Vec<_>>(), asks, "{turns}\n{}", run.stderr);
    }
}
