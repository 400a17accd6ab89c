//! Reports of a run with every verdict.

use crate::scenario::expectations::FLOW;
use crate::support::Project;

const KINDS: [&str; 6] = ["json", "junit", "tap", "github", "markdown", "gitlab"];

/// One scenario per verdict.
const EACH: &str = "\
scenario: It passes
model: flow.yaml
tags: [smoke]
turns:
  - {intent: agreement, expect: {state: hall}}
---
scenario: It fails
model: flow.yaml
tags: [smoke, slow]
turns:
  - {say: Hello, intent: greeting, expect: {action: greet_back}}
  - intent: agreement
    expect: {state: street, class: move, missing: [name, phone]}
---
scenario: Its snapshot differs
model: flow.yaml
turns:
  - {intent: agreement}
---
scenario: It has no snapshot
model: flow.yaml
turns:
  - {intent: rejection}
---
scenario: It is known to fail
model: flow.yaml
expected_failure: the document leads to the street
turns:
  - {intent: agreement, expect: {state: street}}
---
scenario: It passes unexpectedly
model: flow.yaml
expected_failure: the document leads to the street
turns:
  - {intent: agreement, expect: {state: hall}}
---
scenario: It is skipped
model: flow.yaml
skip: waits for the cellar
turns:
  - {intent: agreement}
---
scenario: It is invalid
model: flow.yaml
turns:
  - {intent: agremeent}
---
scenario: Nobody reads it
model: flow.yaml
llm: mock.yaml
turns:
  - {say: Good evening}
---
scenario: It has cases
model: flow.yaml
cases: [{word: agreement, leads: hall}, {word: rejection, leads: hall}]
turns:
  - {intent: \"{{word}}\", expect: {state: \"{{leads}}\"}}
";

/// A project with these scenarios. One of them differs from its snapshot.
fn each() -> Project {
    let differs = EACH.split("---\n").nth(2).unwrap();
    let project = Project::new()
        .file(
            "flow.yaml",
            FLOW.replace("agreement: hall", "agreement: street"),
        )
        .file(
            "mock.yaml",
            "rules:\n  - {say: Good evening, fault: server_error}\n",
        )
        .file("scenarios/each.yaml", differs);
    project.fsmsim(["test", "--accept"]).succeeds("");
    project
        .file("flow.yaml", FLOW)
        .file("scenarios/each.yaml", EACH)
}

/// All reports of a run, by kind.
fn reports(project: &Project, arguments: &[&str]) -> Vec<(&'static str, String)> {
    let targets = KINDS.map(|kind| format!("--report={kind}=out.{kind}"));
    let arguments = arguments
        .iter()
        .copied()
        .chain(targets.iter().map(String::as_str));
    project.fsmsim(arguments).run();
    KINDS
        .iter()
        .map(|kind| (*kind, project.read(&format!("out.{kind}"))))
        .collect()
}

#[test]
fn every_report_contains_every_verdict() {
    let project = each();
    for (kind, report) in reports(&project, &["test", "--check"]) {
        insta::assert_snapshot!(format!("each_verdict_as_{kind}"), report);
    }
}

#[test]
fn report_on_standard_output_equals_the_report_file() {
    let project = each();
    for (kind, report) in reports(&project, &["test", "--check"]) {
        let run = project
            .fsmsim(["test", "--check", "--report", kind])
            .fails(2, "", "");
        if kind == "github" {
            // The annotations follow the text output.
            let text = project.fsmsim(["test", "--check"]).fails(2, "", "").stdout;
            assert_eq!(run.stdout, text + &report);
        } else {
            assert_eq!(run.stdout, report, "{kind}");
        }
    }
    project
        .fsmsim(["test", "--report", "tap", "--report", "junit"])
        .refuses("to standard output");
    project
        .fsmsim(["test", "--report", "github", "--report", "json"])
        .refuses("to standard output");
    project
        .fsmsim(["test", "--report", "junt"])
        .refuses("exists: `junit`");
    project
        .fsmsim(["test", "--report", "sarif"])
        .refuses("unknown report `sarif`");
}

#[test]
fn report_has_times_only_with_durations_option() {
    let project = each();
    let times = |report: &str| {
        let times = report
            .split(" time=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned());
        times.collect::<Vec<_>>()
    };
    let junit = reports(&project, &["test", "--check"]).swap_remove(1).1;
    assert!(times(&junit).iter().all(|time| time == "0"), "{junit}");
    let junit = reports(&project, &["test", "--check", "--durations"])
        .swap_remove(1)
        .1;
    assert!(
        times(&junit).iter().all(|time| time.parse::<f64>().is_ok()),
        "{junit}"
    );
}

#[test]
fn orphaned_snapshot_fails_with_check() {
    let project = each().file("scenarios/each.yaml", EACH.split("---\n").next().unwrap());
    for (arguments, code) in [(&["test"][..], 0), (&["test", "--check"], 1)] {
        let junit = &reports(&project, arguments)[1].1;
        assert_eq!(
            junit.contains("the snapshot is orphaned"),
            code == 1,
            "{junit}"
        );
        project.fsmsim(arguments).ends(code, "ORPHANED", "");
    }
    for (kind, report) in reports(&project, &["test", "--check"]) {
        assert!(
            report.contains("each/its-snapshot-differs.snap"),
            "{kind}\n{report}"
        );
    }
}

/// Titles and strings with special meaning in one of the report formats.
const HOSTILE: [&str; 16] = [
    "quotes \\\" ' & <b onclick=x>",
    "two\\nlines",
    "]]> <![CDATA[",
    "bell \\u0007 escape \\u001b[31m nul \\u0001 last \\uFFFE",
    "\\n::error file=/etc/passwd::owned",
    "::set-output name=x::y",
    "100%0A::warning::x",
    "a,line=1,title=b::c",
    "bar | `code` ``` @octocat #1 </details>",
    "кириллица – «ёлочки»",
    "👩‍👩‍👧 🦀",
    "# SKIP not really",
    "back \\\\# TODO slash",
    "...\\n---\\n1..0",
    "\\u202Eright to left",
    "[link](javascript:alert(1)) ![i](x)",
];

fn hostile() -> Project {
    let scenario = |title: &&str| {
        format!(
            "scenario: \"{title}\"\nmodel: flow.yaml\ntags: [\"{title}\"]\nturns:\n  - {{say: \"{title}\", intent: agreement, data: {{name: \"{title}\"}}, expect: {{state: street, data: {{name: \"not {title}\"}}}}}}\n"
        )
    };
    let scenarios: Vec<String> = HOSTILE.iter().map(scenario).collect();
    Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/a b,c%25:d.yaml", scenarios.join("---\n"))
}

#[test]
fn reports_escape_hostile_titles() {
    let project = hostile();
    let reports = reports(&project, &["test", "--check"]);
    for (kind, report) in &reports {
        let is_plain = |character: char| character == '\n' || !character.is_control();
        assert!(report.chars().all(is_plain), "{kind}\n{report}");
    }
    let of = |kind: &str| &reports.iter().find(|(known, _)| *known == kind).unwrap().1;
    let failed = HOSTILE.len();
    // One line per workflow command, and no line that starts with text of a scenario. The last error counts the rest.
    let github = of("github");
    assert_eq!(
        github
            .lines()
            .filter(|line| line.starts_with("::error file=scenarios/a b%2Cc%2525%3Ad.yaml,line="))
            .count(),
        9
    );
    assert!(
        github.contains(&format!(
            "\n::error title=fsmsim::{} more without an annotation\n",
            failed - 9
        )),
        "{github}"
    );
    assert_eq!(github.lines().count(), 9 + 1 + 1, "{github}");
    assert_eq!(
        github
            .lines()
            .filter(|line| line.starts_with("::notice file=flow.yaml,line=5,title="))
            .count(),
        1
    );
    // One line per test, followed only by indented lines.
    let tap = of("tap");
    assert_eq!(
        tap.lines()
            .filter(|line| line.starts_with("not ok "))
            .count(),
        failed
    );
    let others = tap
        .lines()
        .filter(|line| !line.starts_with("  ") && !line.starts_with("not ok "))
        .collect::<Vec<_>>();
    assert_eq!(others, ["TAP version 14", &format!("1..{failed}")], "{tap}");
    assert!(
        tap.lines()
            .filter(|line| line.starts_with("not ok "))
            .all(|line| !line.contains(" # ")),
        "{tap}"
    );
    let issues: Vec<serde_json::Value> = serde_json::from_str(of("gitlab")).unwrap();
    let prints: std::collections::BTreeSet<_> = issues
        .iter()
        .map(|issue| issue["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!((issues.len(), prints.len()), (failed, failed));
    // In Markdown, all text of scenarios is in code spans.
    insta::assert_snapshot!("hostile_titles_as_markdown", of("markdown"));
    insta::assert_snapshot!("hostile_titles_as_junit", of("junit"));
    insta::assert_snapshot!("hostile_titles_as_github", github);
    insta::assert_snapshot!("hostile_titles_as_tap", tap);
}

#[test]
fn three_thousand_failures_fit_into_a_github_comment() {
    let scenario = |number: usize| {
        let leads = if number.is_multiple_of(3) {
            "street"
        } else {
            "hall"
        };
        format!(
            "scenario: Сценарий номер {number}, у которого довольно длинное название\nmodel: flow.yaml\nturns:\n  - {{intent: agreement, expect: {{state: {leads}, data: {{name: x{}}}}}}}\n",
            number % 700
        )
    };
    let scenarios: Vec<String> = (0..3000).map(scenario).collect();
    let project = Project::new()
        .file("flow.yaml", FLOW)
        .file("scenarios/many.yaml", scenarios.join("---\n"));
    let reports = reports(&project, &["test", "--check"]);
    let markdown = &reports[4].1;
    assert!(
        (50_000..=60_000).contains(&markdown.chars().count()),
        "{}",
        markdown.chars().count()
    );
    assert!(
        markdown.starts_with("### fsmsim: 3000 scenarios, 0 passed, 3000 failed in 3000 turns\n"),
        "{markdown}"
    );
    assert!(markdown.contains("**Truncated:** "), "{markdown}");
    assert_eq!(
        markdown.matches("<details>").count(),
        markdown.matches("</details>").count()
    );
    assert_eq!(
        reports[3]
            .1
            .lines()
            .filter(|line| line.starts_with("::error "))
            .count(),
        10
    );
    assert_eq!(reports[1].1.matches("<testcase ").count(), 3000);
    assert_eq!(
        reports[2]
            .1
            .lines()
            .filter(|line| line.starts_with("not ok "))
            .count(),
        3000
    );
}

#[test]
fn empty_run_has_empty_report_and_write_error_is_reported() {
    let project = each();
    project
        .fsmsim(["test", "--report", "junit=flow.yaml/junit.xml"])
        .ends(2, "", "cannot write `");
    let run = project
        .fsmsim([
            "test",
            "--shard",
            "1/900",
            "-E",
            "tag(none*)",
            "--report",
            "tap",
        ])
        .warns("", "");
    assert_eq!(run.stdout, "TAP version 14\n1..0 # no scenarios\n");
}
