//! What is declared and can never work: each mistake of `fixtures/mistakes/never` is told once, and what is nearly one is not.

use std::fs;

use crate::support::{Project, home};

const MISTAKES: &str = "fixtures/mistakes/never";

/// The models that are wrong, as their first lines name them.
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
fn each_mistake_is_told_once_with_place_and_remedy() {
    let project = Project::new().with(MISTAKES);
    let mut shown = String::new();
    for name in mistakes() {
        let run = project
            .fsmsim(["lint", &format!("{MISTAKES}/{name}")])
            .run();
        let told = [
            "1 model: 1 error, no warnings\n",
            "1 model: no errors, 1 warning\n",
        ];
        assert!(told.contains(&&*run.stdout), "{name}\n{run}");
        shown += &format!("$ fsmsim lint {MISTAKES}/{name}\n{}\n", run.stderr);
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_is_nearly_a_mistake_is_none() {
    let flow =
        |name: &str, text: &str| (format!("{name}.yaml"), format!("flow: {{name: f}}\n{text}"));
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
fn findings_come_in_the_order_of_the_file() {
    let text = "flow: {name: f}\nstates:\n  greeting: {transitions: {agreement: bye, go_back: greeting}}\n  loft: {transitions: {agreement: bye}}\n  bye: {is_final: true, rules: {a: }}\n";
    let run = Project::new()
        .file("f.yaml", text)
        .fsmsim(["lint", "f.yaml", "--format", "jsonl"])
        .run();
    let lines: Vec<serde_json::Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let places: Vec<_> = lines
        .iter()
        .map(|line| {
            (
                line["code"].as_str().unwrap(),
                line["line"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        places,
        [("FS0420", 3), ("FS0404", 4), ("FS0425", 5)],
        "{run}"
    );
}

#[test]
fn a_finding_of_one_profile_says_so_and_is_left_to_lint() {
    let project = Project::library();
    let told = project
        .fsmsim(["lint", "flows/profiles/extra_conditions.yaml@reference"])
        .run()
        .stderr;
    assert!(
        told.contains("there is no condition `phase_exhausted`"),
        "{told}"
    );
    assert_eq!(
        told.matches("= note: only under the profile `reference`")
            .count(),
        told.matches("warning[FS0102]").count(),
        "{told}"
    );
    let fork = project
        .fsmsim(["lint", "flows/bant_parallel.yaml@reference"])
        .run();
    assert_eq!(fork.stdout, "1 model: no errors, 1 warning\n", "{fork}");
    assert!(
        fork.stderr
            .contains("warning[FS0429]: the profile `reference` takes `bant_fork` for a place"),
        "{fork}"
    );
    // A mistake under both profiles is told under both.
    let flow = "flow: {name: f}\nstates: {greeting: {rules: {agreement: }, transitions: {agreement: bye}}, bye: {is_final: true}}\n";
    let scenario = "scenario: A\nmodel: f.yaml@reference\nturns: [{intent: agreement, expect: {state: bye}}]\n";
    let both = Project::new().file("f.yaml", flow).file("a.yaml", scenario);
    both.fsmsim(["test", "a.yaml"])
        .warns("1 passed", "warning[FS0425]: a rule gives no action");
}

#[test]
fn a_green_run_of_what_comes_with_the_project_is_quiet() {
    Project::library()
        .with("snapshots")
        .fsmsim(["test"])
        .succeeds("passed");
}

#[test]
fn what_ends_a_branch_is_no_state_that_coverage_counts() {
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
fn names_that_are_near_on_purpose_are_no_slips() {
    let flow = |rules: &str| {
        format!(
            "flow: {{name: tea}}\nstates:\n  greeting: {{rules: {{{rules}}}, transitions: {{agreement: bye}}}}\n  bye: {{is_final: true, rules: {{has_laptop: a, topic_1: b, no_screen: a}}}}\nintents:\n  has_laptop: {{description: A}}\n  topic_1: {{description: B}}\n  no_screen: {{description: C}}\n"
        )
    };
    let project = Project::new();
    for (intent, told) in [
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
            told,
            "{intent}\n{run}"
        );
    }
}
