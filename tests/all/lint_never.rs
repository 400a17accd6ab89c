//! Declarations that never take effect: each mistake in `fixtures/mistakes/never` is reported once, valid models are not.

use std::fs;

use crate::support::{Project, home};

const MISTAKES: &str = "fixtures/mistakes/never";

/// The names of the models with mistakes.
fn mistakes() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(home(MISTAKES))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| {
            if home(&format!("{MISTAKES}/{name}/flow/flow.yaml")).is_file() {
                format!("{name}/flow")
            } else {
                name
            }
        })
        .collect();
    names.sort();
    names
}

#[test]
fn each_mistake_is_reported_once_with_location_and_fix() {
    let project = Project::new().with(MISTAKES);
    let mut shown = String::new();
    for name in mistakes() {
        let run = project
            .fsmsim(["lint", &format!("{MISTAKES}/{name}")])
            .run();
        let summaries = [
            "1 model: 1 error, no warnings\n",
            "1 model: no errors, 1 warning\n",
        ];
        assert!(summaries.contains(&&*run.stdout), "{name}\n{run}");
        shown += &format!("$ fsmsim lint {MISTAKES}/{name}\n{}\n", run.stderr);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn similar_valid_models_have_no_finding() {
    let flow = |name: &str, text: &str| {
        (
            format!("{name}.yaml"),
            format!("flow: {{name: f, policy: sales}}\n{text}"),
        )
    };
    let right = [
        flow(
            "off_on_purpose",
            "feature_flags: {circular_flow: false}\nstates: {greeting: {transitions: {agreement: bye, go_back: greeting}}, bye: {is_final: true}}\n",
        ),
        flow(
            "objections_end",
            "states: {greeting: {transitions: {agreement: bye, objection_price: lost}}, lost: {is_final: true}, bye: {is_final: true}}\n",
        ),
        flow(
            "renamed",
            "constants: {states: {handle_objection: doubt}}\nstates: {greeting: {transitions: {agreement: bye, objection_price: doubt}}, doubt: {transitions: {agreement: bye}}, bye: {is_final: true}}\n",
        ),
        flow(
            "another_way_out",
            "states: {greeting: {required_data: [tea], transitions: {agreement: bye}}, bye: {is_final: true}}\n",
        ),
        flow(
            "taken_away",
            "states: {basis: {abstract: true, transitions: {agreement: bye, rejection: bye}}, greeting: {extends: basis, transitions: {rejection: }}, bye: {is_final: true}}\n",
        ),
        flow(
            "nothing_ends",
            "states: {greeting: {transitions: {agreement: on}}, on: {transitions: {rejection: greeting}}}\n",
        ),
        flow(
            "colons_in_names",
            "states: {greeting: {goal: \"a, b\", description: 10:30, optional_data: [a:b], transitions: {agreement: bye}}, bye: {is_final: true}}\n",
        ),
        flow(
            "own_phase",
            "phases: {order: [talk]}\nstates: {greeting: {phase: talk, transitions: {agreement: bye}}, bye: {is_final: true}}\n",
        ),
    ];
    for (path, text) in right {
        let run = Project::new()
            .file(&path, text)
            .fsmsim(["lint", &path])
            .about(&path)
            .run();
        assert_eq!(
            (run.stdout.as_str(), run.stderr.as_str()),
            ("1 model: no errors, no warnings\n", ""),
            "{run}"
        );
    }
    let other =
        "# State: init\n\n## Goal\nx\n\n## Text\ny\n\n## Notes\nz\n\n## Transitions\n- `bye`\n";
    Project::new()
        .file("s/init.md", other)
        .file(
            "s/bye.md",
            "---\nfinal: true\n---\n# State: bye\n\n## Goal\nx\n",
        )
        .fsmsim(["lint", "s"])
        .succeeds("1 model: no errors, no warnings\n");
}

#[test]
fn findings_are_in_file_order() {
    let text = "flow: {name: f, policy: sales}\nstates:\n  greeting: {transitions: {agreement: bye, go_back: greeting}}\n  loft: {transitions: {agreement: bye}}\n  bye: {is_final: true, rules: {a: }}\n";
    let run = Project::new()
        .file("f.yaml", text)
        .fsmsim(["lint", "f.yaml", "--format", "jsonl"])
        .run();
    let lines: Vec<serde_json::Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let locations: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["code"].as_str().unwrap(),
                line["line"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        locations,
        [("FS0420", 3), ("FS0404", 4), ("FS0425", 5)],
        "{run}"
    );
}

#[test]
fn finding_of_one_profile_names_the_profile() {
    let project = Project::library();
    let stderr = project
        .fsmsim(["lint", "flows/profiles/extra_conditions.yaml@reference"])
        .run()
        .stderr;
    assert!(
        stderr.contains("unknown condition `phase_exhausted`"),
        "{stderr}"
    );
    assert_eq!(
        stderr
            .matches("= note: reported only under the profile `reference`")
            .count(),
        stderr.matches("warning[FS0102]").count(),
        "{stderr}"
    );
    let fork = project
        .fsmsim(["lint", "flows/bant_parallel.yaml@reference"])
        .run();
    assert_eq!(fork.stdout, "1 model: no errors, 1 warning\n", "{fork}");
    assert!(
        fork.stderr.contains(
            "warning[FS0429]: the profile `reference` treats `bant_fork` as a plain state"
        ),
        "{fork}"
    );
    // A mistake under both profiles is reported for either of them.
    let flow = "flow: {name: f, policy: sales}\nstates: {greeting: {rules: {agreement: }, transitions: {agreement: bye}}, bye: {is_final: true}}\n";
    let scenario = "scenario: A\nmodel: f.yaml@reference\nturns: [{intent: agreement, expect: {state: bye}}]\n";
    let both = Project::new().file("f.yaml", flow).file("a.yaml", scenario);
    both.fsmsim(["test", "a.yaml"])
        .warns("1 passed", "warning: 1 warning in 1 model; ");
    both.fsmsim(["lint", "f.yaml@reference"])
        .warns("1 warning", "warning[FS0425]: missing action in a rule");
}

#[test]
fn test_counts_model_warnings_in_one_line() {
    let model = |action: &str| {
        format!(
            "flow: {{name: f, policy: sales}}\nstates: {{greeting: {{rules: {{agreement: {action}, rejection: }}, \
             transitions: {{agreement: bye}}}}, bye: {{is_final: true}}}}\n"
        )
    };
    let scenario = |model: &str, title: &str| {
        format!(
            "scenario: {title}\nmodel: {model}.yaml\nturns: [{{intent: agreement, expect: {{state: bye}}}}]\n"
        )
    };
    let project = Project::new()
        .file("one.yaml", model(""))
        .file("two.yaml", model("greet"))
        .file("scenarios/a.yaml", scenario("one", "A"))
        .file("scenarios/b.yaml", scenario("one", "B"))
        .file("scenarios/c.yaml", scenario("two", "C"));
    let run = project
        .fsmsim(["test", "--report", "json=report.json"])
        .warns("3 passed", "");
    insta::assert_snapshot!(run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{run}");
    // Reports contain the details.
    assert!(project.read("report.json").contains("FS0425"));
    // An error in a model is reported in full.
    project.write("two.yaml", model("greet").replace("bye}", "gone}"));
    project
        .fsmsim(["test"])
        .fails(2, "invalid", "error[FS0101]: unknown state `gone`");
}

#[test]
fn passing_run_of_bundled_scenarios_has_no_warnings() {
    Project::library()
        .with("snapshots")
        .fsmsim(["test"])
        .succeeds("passed");
}

#[test]
fn coverage_does_not_count_the_end_of_a_branch() {
    let run = Project::library()
        .fsmsim(["test", "scenarios/branches", "--coverage"])
        .run();
    assert!(
        run.stdout.contains("coverage of flows/support.yaml\n")
            && !run.stdout.contains("_branch_complete"),
        "{run}"
    );
}

#[test]
fn intentionally_similar_names_are_not_reported() {
    let flow = |rules: &str| {
        format!(
            "flow: {{name: tea}}\nstates:\n  greeting: {{rules: {{{rules}}}, transitions: {{agreement: bye}}}}\n  bye: {{is_final: true, rules: {{has_laptop: a, topic_1: b, no_screen: a}}}}\nintents:\n  has_laptop: {{description: A}}\n  topic_1: {{description: B}}\n  no_screen: {{description: C}}\n"
        )
    };
    let project = Project::new();
    for (intent, expected) in [
        ("topic_2", 0),
        ("has_screen", 0),
        ("no_laptop", 0),
        ("has_labtop", 1),
        ("topik_1", 1),
    ] {
        project.write("tea.yaml", flow(&format!("{intent}: a")));
        let run = project.fsmsim(["lint", "tea.yaml"]).run();
        assert_eq!(
            run.stderr.matches("FS0138").count(),
            expected,
            "{intent}\n{run}"
        );
    }
}
