//! `fsmsim lint --report`: findings as SARIF and as JSON.

use serde_json::Value;

use crate::support::Project;

const FLOW: &str = "flow: {name: f}\nstates:\n  greeting:\n    transitions: {agreement: «hall», rejection: hall}\n    rules: {agreemnet: x}\n  hall: {}\n  lonely: {transitions: {agreement: hall}}\n";

fn project() -> Project {
    Project::new().file("flows/my flow %1.yaml", FLOW)
}

#[test]
fn sarif_results_have_rule_level_location_and_help() {
    let project = project();
    let run = project
        .fsmsim(["lint", "flows/my flow %1.yaml", "--report", "sarif"])
        .run();
    insta::assert_snapshot!(run.shown());
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    let run = &log["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let rule = &run["tool"]["driver"]["rules"]
            [usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!rule["help"]["text"].as_str().unwrap().is_empty());
    }
}

#[test]
fn report_file_is_written_in_addition_to_text_output() {
    let project = project();
    let lint = |more: &[&str]| {
        project
            .fsmsim(["lint", "flows/my flow %1.yaml"].iter().chain(more))
            .run()
    };
    project.write("taken", "");
    let failed = lint(&["--report=sarif=taken/a.sarif"]);
    assert!(
        failed.code == 2 && failed.stderr.contains("cannot write `"),
        "{failed}"
    );
    let reported = lint(&["--report=sarif=a.sarif", "--report=json=a.json"]);
    let plain = lint(&[]);
    assert_eq!(
        (&reported.stdout, &reported.stderr, reported.code),
        (&plain.stdout, &plain.stderr, plain.code)
    );
    assert_eq!(project.read("a.sarif"), lint(&["--report=sarif"]).stdout);
    assert_eq!(project.read("a.json"), lint(&["--report=json"]).stdout);
    insta::assert_snapshot!(project.read("a.json"));
    assert_eq!(
        lint(&["--format=jsonl", "--report=sarif=b.sarif"]).stdout,
        lint(&["--format=jsonl"]).stdout
    );
    for wrong in [
        &["--format=jsonl", "--report=sarif"][..],
        &["--report=sarif", "--report=json"],
        &["--report=junit"],
        &["--explain-extraction", "--report=json"],
    ] {
        assert_eq!(lint(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn load_error_is_a_sarif_result() {
    let run = Project::new()
        .fsmsim(["lint", "no/such/model", "--report=sarif"])
        .fails(2, "no/such/model", "");
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 1);
    let clean = Project::new().file(
        "f.yaml",
        "flow: {name: f}\nstates: {greeting: {is_final: true}}\n",
    );
    let log: Value = serde_json::from_str(
        &clean
            .fsmsim(["lint", "f.yaml", "--report=sarif"])
            .run()
            .stdout,
    )
    .unwrap();
    assert_eq!(
        log["runs"][0]["results"].as_array().unwrap().len(),
        0,
        "{log}"
    );
}
