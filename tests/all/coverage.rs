//! `fsmsim test --coverage`: the items of a model that scenarios cover, by line.

mod own_models;
mod proof;
mod soundness;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::Project;

const CONTRACT: &str = "\
kind: contract
modes: [talk, rest]
frames: {topic: {carried: root, fields: {name: text}}}
intents: {begin: {say: hello}, end: {say: bye}, strange: {}}
classes:
  Begin: {title: The beginning, owner: topic, intent: [begin], requires: nothing, carryover: none, sets: {topic.name: $reading}, forbids: [], answers: [hello], mode: talk}
  End: {title: The end, owner: topic, intent: [end], requires: {frame: topic, active: true}, carryover: none, sets: {}, forbids: [], answers: [bye], mode: rest}
";

fn project(turns: &str) -> Project {
    Project::new().file("talk.yaml", CONTRACT).file(
        "scenarios/talk.yaml",
        format!("scenario: Talk\nmodel: talk.yaml\nturns:\n{turns}"),
    )
}

#[test]
fn classes_and_states_are_counted() {
    let project = project("  - {say: hello, expect: {contract_class: Begin}}\n");
    insta::assert_snapshot!(project.fsmsim(["test", "--coverage"]).shown());
    let run = project
        .fsmsim([
            "test",
            "--coverage",
            "--require",
            "classes=100%",
            "--require",
            "states=50",
        ])
        .fails(1, "", "");
    assert!(
        run.stdout
            .ends_with("TOO LOW talk.yaml: classes 1 of 2 (50%), 100% required\n"),
        "{}",
        run.stdout
    );
    project
        .fsmsim(["test", "--coverage", "--require", "classes=50%"])
        .warns("", "");
}

#[test]
fn full_coverage_meets_the_requirement() {
    let turns = "  - {say: hello, expect: {contract_class: Begin}}\n  - {say: bye, expect: {contract_class: End, state: rest}}\n";
    project(turns)
        .fsmsim([
            "test",
            "--coverage",
            "--require",
            "classes=100%",
            "--require",
            "states=100%",
        ])
        .succeeds("");
}

#[test]
fn failed_scenario_fails_and_invalid_requirement_is_rejected() {
    let project = project("  - {say: hello, expect: {contract_class: End}}\n");
    project
        .fsmsim(["test", "--coverage", "--require", "classes=0%"])
        .fails(1, "", "");
    for (requirement, message) in [
        (
            "class=5%",
            "unknown coverage kind `class`; a similar name exists: `classes`",
        ),
        (
            "ways=5%",
            "unknown coverage kind `ways`; coverage kinds: states, transitions, rules, alternatives, conditions, mcdc, phases,",
        ),
        ("classes", "expected KIND=PERCENT"),
        ("classes=101%", "from 0 to 100"),
        ("classes=-1", "from 0 to 100"),
    ] {
        project
            .fsmsim(["test", "--coverage", "--require", requirement])
            .about(requirement)
            .refuses(message);
    }
    project
        .fsmsim(["test", "--require", "classes=5%"])
        .refuses("");
}

/// The coverage line if one of the four states is covered.
const ROOM_ALONE: &str = "\nstates       ██░░░░░░░░        1   4   25\n";

#[test]
fn start_states_and_failed_scenarios_are_not_covered() {
    let flow = "flow: {name: f, policy: sales}\nstates:\n  greeting: {transitions: {agreement: hall}}\n  hall: {transitions: {agreement: room}}\n  room: {transitions: {agreement: street}}\n  street: {is_final: true}\n";
    let put = "scenario: Put\nmodel: models/f.yaml\nstart: {state: hall}\nturns: [{intent: agreement, expect: {state: room}}]\n";
    let project = Project::new()
        .file("models/f.yaml", flow)
        .file("scenarios/a.yaml", put);
    project.fsmsim(["test", "--coverage"]).succeeds(ROOM_ALONE);
    let moved = "scenario: Moved\nmodel: models/f.yaml\nturns: [{before: [{op: set_state, state: room}], intent: unclear, expect: {state: room}}]\n";
    project.write("scenarios/b.yaml", moved);
    project.fsmsim(["test", "--coverage"]).succeeds(ROOM_ALONE);
    let failed = "scenario: Failed\nmodel: models/f.yaml\nturns: [{intent: agreement, expect: {state: room}}]\n";
    project.write("scenarios/c.yaml", failed);
    project
        .fsmsim(["test", "--coverage"])
        .fails(1, ROOM_ALONE, "");
}

#[test]
fn coverage_omits_models_that_fail_fast_never_reached() {
    let scenario = |model: &str, class: &str| {
        format!(
            "scenario: Talk\nmodel: {model}\nturns:\n  - {{say: hello, expect: {{contract_class: {class}}}}}\n"
        )
    };
    let project = Project::new()
        .file("first.yaml", CONTRACT)
        .file("second.yaml", CONTRACT)
        .file("scenarios/first.yaml", scenario("first.yaml", "End"))
        .file("scenarios/second.yaml", scenario("second.yaml", "Begin"));
    let counted = |arguments: &[&str]| {
        let run = project.fsmsim(["test", "--coverage", "-j1"].iter().chain(arguments));
        let shown = run.fails(1, "", "").stdout;
        ["first.yaml", "second.yaml"]
            .map(|model| shown.contains(&format!("\ncoverage of {model}\n")))
    };
    assert_eq!(counted(&[]), [true, true]);
    assert_eq!(counted(&["--fail-fast"]), [true, false]);
}

#[test]
fn models_without_scenarios_are_in_the_table() {
    let flow = |name: &str| {
        format!(
            "flow: {{name: {name}}}\nstates: {{greeting: {{transitions: {{agreement: hall}}}}, hall: {{}}}}\n"
        )
    };
    let scenario = "scenario: One\nmodel: models/f.yaml\nturns: [{intent: agreement, expect: {state: hall}}]\n";
    let project = Project::new()
        .file("models/f.yaml", flow("f"))
        .file("models/g.yaml", flow("g"))
        .file("models/_part.yaml", flow("part"))
        .file("models/notes.yaml", "about: nothing\n")
        .file("scenarios/a.yaml", scenario);
    insta::assert_snapshot!(
        project
            .fsmsim(["test", "--coverage", "--require", "states=100%"])
            .shown()
    );
    // If the run selects scenarios, only their models are counted.
    project
        .fsmsim([
            "test",
            "scenarios/a.yaml",
            "--coverage",
            "--require",
            "states=100%",
        ])
        .succeeds("");
}

/// A shop with alternatives, a condition of several parts, a mixin in two states, an unreachable state, and lines that never
/// decide anything.
const SHOP: &str = "\
flow: {name: shop, policy: sales}
conditions:
  rich: {slot: budget, at_least: 1000}
  worth_it: {and: [rich, {or: [{slot: urgent}, {turn: {at_least: 3}}]}]}
  forgotten: {slot: nothing}
mixins:
  prices:
    rules:
      price_question:
        - {when: worth_it, then: give_price}
        - {when: rich, then: haggle}
        - say_nothing
states:
  greeting:
    mixins: [prices]
    optional_data: [budget, urgent, nothing]
    transitions: {agreement: hall, farewell: street}
  hall:
    mixins: [prices]
    rules:
      small_talk:
        - describe
        - {when: rich, then: boast}
    transitions: {farewell: street}
  attic:
    transitions: {agreement: hall}
  street:
    is_final: true
    rules: {gratitude: wave}
";

const BUYER: &str = "\
scenario: A buyer
model: models/shop.yaml
turns:
  - {intent: price_question, data: {budget: 5000}, expect: {action: haggle}}
  - {intent: agreement, expect: {state: hall}}
  - {intent: price_question, expect: {action: give_price}}
  - {intent: small_talk, expect: {action: describe}}
";

const PASSER: &str = "\
scenario: A passer-by
model: models/shop.yaml
turns:
  - {intent: price_question, expect: {action: say_nothing}}
  - {intent: price_question, data: {budget: 2000, urgent: true}, expect: {action: give_price}}
  - {intent: farewell, expect: {state: street}}
";

fn shop() -> Project {
    Project::new()
        .file("models/shop.yaml", SHOP)
        .file("scenarios/buyer.yaml", BUYER)
}

#[test]
fn every_kind_is_counted_on_its_lines() {
    let project = shop();
    insta::assert_snapshot!(project.fsmsim(["test", "--coverage"]).shown());
    project.write("scenarios/passer.yaml", PASSER);
    insta::assert_snapshot!(project.fsmsim(["test", "--coverage"]).shown());
}

/// Writes a report of all scenarios to `file` and returns its coverage.
fn counted(project: &Project, file: &str) -> Value {
    project
        .fsmsim(["test", "--coverage", "--report", &format!("json={file}")])
        .run();
    let mut report: Value = serde_json::from_str(&project.read(file)).unwrap();
    report["coverage"].take()
}

#[test]
fn item_lists_its_location_its_hits_and_its_reachability() {
    let report = counted(&shop().file("scenarios/passer.yaml", PASSER), "c.json");
    let items = report["models"]["models/shop.yaml"]["items"]
        .as_array()
        .unwrap();
    let item = |kind: &str, name: &str| {
        items
            .iter()
            .find(|item| item["kind"] == kind && item["name"] == name)
            .unwrap()
    };
    insta::assert_snapshot!(
        [
            item("alternatives", "price_question[1]"),
            item("conditions", "worth_it=true"),
            item("mcdc", "worth_it part 3"),
            item("states", "attic"),
            item("rules", "gratitude"),
            item("alternatives", "small_talk[2]"),
        ]
        .map(|item| format!("{item}\n"))
        .concat()
    );
    insta::assert_snapshot!(report["models"]["models/shop.yaml"]["decisions"].to_string());
}

#[test]
fn viewer_reports_contain_the_lines_of_the_model() {
    let project = shop();
    let reports = ["lcov=c.info", "cobertura=c.xml", "coverage=c.html"];
    project
        .fsmsim(
            ["test"]
                .into_iter()
                .chain(reports.iter().flat_map(|report| ["--report", report])),
        )
        .succeeds("");
    insta::assert_snapshot!(project.read("c.info"));
    insta::assert_snapshot!(
        project
            .read("c.xml")
            .replace(env!("CARGO_PKG_VERSION"), "VERSION")
    );
    let page = project.read("c.html");
    assert!(page.contains("default-src &#39;none&#39;") || page.contains("default-src 'none'"));
    assert!(
        !page.contains("<script") && !page.contains("src=") && !page.contains("://"),
        "the page loads nothing from other sites"
    );
    let source: String = page
        .lines()
        .filter(|line| line.starts_with("<tr id="))
        .map(|line| format!("{line}\n"))
        .collect();
    insta::assert_snapshot!(source);
}

#[test]
fn source_text_is_escaped_in_html_and_xml() {
    let flow = "flow: {name: f}\nstates:\n  greeting:\n    rules:\n      \"<i>&\\\"'\": {when: {slot: \"</table><script>\"}, then: a}\n";
    let scenario = "scenario: One\nmodel: \"models/<b>&.yaml\"\nturns: [{intent: \"<i>&\\\"'\"}]\n";
    let project = Project::new()
        .file("models/<b>&.yaml", flow)
        .file("scenarios/a.yaml", scenario);
    project
        .fsmsim([
            "test",
            "--report",
            "cobertura=c.xml",
            "--report",
            "coverage=c.html",
            "--report",
            "lcov=c.info",
        ])
        .run();
    for report in ["c.xml", "c.html"] {
        let text = project.read(report);
        assert!(
            !text.contains("<script>") && !text.contains("<i>") && !text.contains("<b>&"),
            "{report}: {text}"
        );
    }
}

#[test]
fn coverage_is_required_of_all_models_or_of_one() {
    let project = shop();
    let required = |requirements: &[&str]| {
        project.fsmsim(
            ["test", "--coverage"].into_iter().chain(
                requirements
                    .iter()
                    .flat_map(|requirement| ["--require", requirement]),
            ),
        )
    };
    required(&[
        "states=66",
        "shop:transitions=33",
        "models/shop.yaml:lines=50",
    ])
    .succeeds("");
    required(&["models/shop.yaml:states=67"]).fails(
        1,
        "TOO LOW models/shop.yaml: states 2 of 3 (66%), 67% required\n",
        "",
    );
    required(&["chop:states=67"]).fails(
        2,
        "",
        "coverage is required for `chop`, but no scenario runs it",
    );
    let project = project.file(
        "fsmsim.toml",
        "[coverage]\nstates = 67\n\"shop:lines\" = \"10%\"\n",
    );
    project
        .fsmsim(["test", "--coverage"])
        .fails(1, "states 2 of 3 (66%), 67% required", "");
    project
        .fsmsim(["test", "--coverage", "--require", "states=50"])
        .succeeds("");
    project.fsmsim(["test"]).succeeds("");
    for (bad, message) in [
        ("stats = 5", "exists: `states`"),
        ("states = -1", "from 0 to 100"),
        ("states = []", "from 0 to 100"),
    ] {
        project.write("fsmsim.toml", format!("[coverage]\n{bad}\n"));
        let output = project
            .fsmsim(["test", "--coverage"])
            .about(bad)
            .refuses(message);
        assert!(output.contains("fsmsim.toml:2"), "{output}");
    }
}

#[test]
fn earlier_report_and_revision_show_differences() {
    let project = shop();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=n", "-c", "user.email=e"])
            .args(arguments)
            .current_dir(project.path());
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    counted(&project, "former.json");
    project
        .fsmsim(["test", "--coverage", "--against", "former.json"])
        .succeeds("\ncompared with former.json\nno differences\n");
    project
        .fsmsim(["test", "--coverage", "--against", "HEAD"])
        .succeeds("\ncompared with HEAD\nno differences\n");
    // The edit adds a line at the top and a state. Another scenario replaces the first one.
    let edited = SHOP.replace("sales}\n", "sales}\n# a shop\n").replace(
        "farewell: street}\n  hall:",
        "farewell: street, gratitude: cellar}\n  cellar: {transitions: {agreement: hall}}\n  hall:",
    );
    project.write("models/shop.yaml", edited);
    project.write("scenarios/buyer.yaml", PASSER);
    for against in ["former.json", "HEAD"] {
        let run = project
            .fsmsim(["test", "--coverage", "--against", against])
            .run();
        let (_, difference) = run
            .stdout
            .split_once(&format!("\ncompared with {against}\n"))
            .expect("a difference");
        insta::assert_snapshot!("against", difference);
    }
    project
        .fsmsim(["test", "--coverage", "--against", "nowhere"])
        .fails(2, "", "unknown revision `nowhere`");
    project.write("broken.json", "{\"models\": 5}");
    project
        .fsmsim(["test", "--coverage", "--against", "broken.json"])
        .fails(2, "", "invalid coverage report");
    project
        .fsmsim(["test", "--against", "HEAD"])
        .refuses("--coverage");
}

#[test]
fn profiles_share_coverage_and_paths_start_at_the_project() {
    let project = shop().file("fsmsim.toml", "");
    let other_profile = "scenario: Another\nmodel: models/shop.yaml\nprofile: reference\nturns: [{intent: agreement, expect: {state: hall}}]\n";
    project.write("scenarios/passer.yaml", other_profile);
    let report = counted(&project, "c.json");
    let states = |report: &Value| -> Vec<(String, u64)> {
        let items = report["models"]["models/shop.yaml"]["items"]
            .as_array()
            .unwrap()
            .clone();
        let states = items.into_iter().filter(|item| item["kind"] == "states");
        states
            .map(|item| {
                (
                    item["name"].as_str().unwrap().to_owned(),
                    item["hits"].as_u64().unwrap(),
                )
            })
            .collect()
    };
    let known = [("greeting", 2), ("hall", 2), ("attic", 0), ("street", 0)]
        .map(|(name, hits)| (name.to_owned(), hits));
    assert_eq!(states(&report), known);
    let below = project
        .fsmsim(["test", "--coverage", "--report", "json=c.json"])
        .below("scenarios")
        .run();
    assert_eq!(below.code, 0, "{}", below.stderr);
    let from_below: Value = serde_json::from_str(&project.read("scenarios/c.json")).unwrap();
    assert_eq!(report, from_below["coverage"]);
    let file = report["models"]["models/shop.yaml"]["items"][0]["file"]
        .as_str()
        .unwrap();
    assert!(Path::new(file).is_relative(), "{file}");
}

#[test]
fn start_state_of_a_scenario_is_not_unreachable() {
    let project = shop();
    let put = "scenario: Put\nmodel: models/shop.yaml\nstart: {state: attic}\nturns: [{intent: gratitude, expect: {state: attic}}]\n";
    project
        .fsmsim(["test", "--coverage"])
        .succeeds("no path reaches the state `attic`");
    project.write("scenarios/put.yaml", put);
    let output = project.fsmsim(["test", "--coverage"]).run().stdout;
    assert!(
        !output.contains("no path reaches the state `attic`")
            && output.contains("transition agreement"),
        "{output}"
    );
}

#[test]
fn unknown_reports_and_reports_without_a_file_are_rejected() {
    let project = shop();
    project
        .fsmsim(["test", "--report", "lcof=c"])
        .refuses("unknown report `lcof`");
    project
        .fsmsim(["test", "--report", "lcov="])
        .refuses("missing file name");
    project
        .fsmsim(["test", "--report", "lcov=scenarios"])
        .fails(2, "", "cannot write `");
}

#[test]
fn thresholds_of_the_project_hold_in_ci_and_with_check() {
    let project = shop().file("fsmsim.toml", "[coverage]\nstates = 67\n");
    let low = "TOO LOW models/shop.yaml: states 2 of 3 (66%), 67% required\n";
    project.fsmsim(["test"]).succeeds("");
    for arguments in [&["test", "--check"][..], &["test", "scenarios", "--check"]] {
        let run = project.fsmsim(arguments).fails(1, low, "");
        assert!(!run.stdout.contains("coverage of"), "{run}");
    }
    project.fsmsim(["test"]).env("CI", "1").fails(1, low, "");
    // A part of the scenarios does not decide.
    project
        .fsmsim(["test", "--check", "-E", "title(~buyer)"])
        .ends(0, "", "");
    project.write("fsmsim.toml", "[coverage]\nstates = 66\n");
    project.fsmsim(["test", "--check"]).succeeds("");
}

#[test]
fn coverage_report_allows_a_requirement() {
    let project = shop();
    project
        .fsmsim(["test", "--report", "lcov=c.info", "--require", "states=67"])
        .fails(1, "states 2 of 3 (66%), 67% required", "");
    for option in ["--require", "--against"] {
        project
            .fsmsim(["test", option, "states=67", "--report", "html=c.html"])
            .refuses(&format!(
                "cannot use `{option}` if coverage is not measured"
            ));
    }
}
