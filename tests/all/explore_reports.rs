//! `fsmsim explore` in continuous integration: requirements, accepted findings, reports, several models.

use serde_json::Value;

use crate::support::{Project, git};

/// A shop with an unreachable state, two states without a way out, and a property that does not hold.
const SHOP: &str = "\
flow: {name: shop, policy: plain, entry_points: {default: hall}}
intents:
  order: {description: Order, examples: [a pizza please]}
  help: {description: Help}
  pay: {description: Pay}
states:
  hall: {transitions: {order: kitchen, help: cellar}}
  kitchen: {transitions: {pay: over}}
  cellar: {transitions: {help: attic}}
  attic: {transitions: {order: cellar}}
  ghost: {transitions: {pay: over}}
  over: {is_final: true}
properties:
  no_kitchen: {never: {state: kitchen}}
  can_pay: {reachable: {state: over}}
";

/// A flow without problems.
const DOOR: &str = "\
flow: {name: door, policy: plain, entry_points: {default: closed}}
intents: {open: {description: Open}, leave: {description: Leave}}
states:
  closed: {transitions: {open: opened}}
  opened: {transitions: {leave: gone}}
  gone: {is_final: true}
";

/// A flow in which a condition reads a counter.
const KIOSK: &str = "\
flow: {name: kiosk, policy: plain, entry_points: {default: counter}}
intents: {ask: {description: Ask}, leave: {description: Leave}}
counters: {asked: {}}
states:
  counter:
    transitions:
      ask: {then: queue, counts: {asked: 1}}
      leave: [{when: {counter: asked, at_least: 4}, then: gone}, queue]
  queue: {transitions: {leave: counter}}
  gone: {is_final: true}
";

/// The findings that the project accepts, as `[explore]` of `fsmsim.toml`.
fn accepting(entries: &[(&str, &str)]) -> String {
    let entry = |(finding, model): &(&str, &str)| {
        format!("  {{finding = \"{finding}\", model = \"{model}\", reason = \"a known gap\"}},\n")
    };
    let entries: String = entries.iter().map(entry).collect();
    format!("[explore]\naccept = [\n{entries}]\n")
}

fn shop() -> Project {
    Project::new().file("shop.yaml", SHOP)
}

#[test]
fn required_answers_decide_the_exit_code() {
    let project = shop().file("door.yaml", DOOR);
    let code = |arguments: &[&str]| project.fsmsim(["explore"]).args(arguments).run().code;
    assert_eq!(code(&["shop.yaml"]), 1);
    assert_eq!(code(&["shop.yaml", "--require", "no-dead-end,can_pay"]), 0);
    assert_eq!(code(&["shop.yaml", "--require", "always-a-way-out"]), 1);
    assert_eq!(code(&["shop.yaml", "--require", "can_pay,no_kitchen"]), 1);
    let bounded = ["door.yaml", "--depth", "1", "--require"];
    let bounded = |name| code(&[&bounded[..], &[name]].concat());
    assert_eq!(bounded("every-final-state-reachable"), 3);
    // A final state is a state, too.
    assert_eq!(bounded("every-state-reachable"), 3);
}

#[test]
fn unknown_requirement_suggests_a_similar_name() {
    let project = shop();
    let names = "always-a-way-ou,can_pa";
    let refused = project.fsmsim(["explore", "shop.yaml", "--require", names]);
    let refused = refused.run();
    assert_eq!(refused.code, 2);
    for name in ["always-a-way-out", "can_pay"] {
        let help = format!("a similar requirement exists: `{name}`");
        assert!(refused.stderr.contains(&help), "{}", refused.stderr);
    }
}

#[test]
fn reports_contain_problems_with_their_locations() {
    let project = shop();
    let kinds = "sarif junit gitlab github markdown html json".split(' ');
    let reports: Vec<String> = kinds
        .map(|kind| format!("--report={kind}={kind}"))
        .collect();
    let run = project
        .fsmsim(["explore", "shop.yaml"])
        .args(&reports)
        .run();
    assert_eq!(run.code, 1, "{}", run.stderr);
    let sarif: Value = serde_json::from_str(&project.read("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let ghost = results
        .iter()
        .find(|result| result["ruleId"] == "unreachable_state")
        .unwrap();
    let place = &ghost["locations"][0]["physicalLocation"];
    assert_eq!(ghost["level"], "error");
    assert_eq!(place["artifactLocation"]["uri"], "shop.yaml");
    assert_eq!(place["region"]["startLine"], 11);
    let quality: Value = serde_json::from_str(&project.read("gitlab")).unwrap();
    assert_eq!(quality.as_array().unwrap().len(), 3, "{quality:#}");
    for (report, text) in [
        ("github", "::error file=shop.yaml,line=11,"),
        ("junit", "<testcase name=\"trap: cellar, attic\""),
        ("junit", "failures=\"3\""),
        ("markdown", "### fsmsim explore: 1 model: 3 problems"),
        ("html", "state `ghost` is unreachable"),
        ("html", "a pizza please"),
        ("json", "\"subject\":\"ghost\""),
    ] {
        let content = project.read(report);
        assert!(content.contains(text), "{report}: {content}");
    }
}

#[test]
fn page_is_printed_instead_of_the_text() {
    let page = shop().fsmsim(["explore", "shop.yaml", "--format", "html"]);
    assert!(page.run().stdout.starts_with("<!DOCTYPE html>"));
}

#[test]
fn accepted_findings_do_not_fail() {
    let entries = [
        ("unreachable_state: ghost", "shop.yaml"),
        ("trap", "shop.yaml"),
        ("property: no_kitchen", "shop.yaml"),
    ];
    let project = shop().file("fsmsim.toml", accepting(&entries));
    let run = project.fsmsim(["explore", "shop.yaml"]).run();
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let shown = "accepted (a known gap): state `ghost` is unreachable";
    assert!(run.stdout.contains(shown), "{}", run.stdout);
}

#[test]
fn accepted_finding_that_is_gone_is_reported() {
    let entries = [("dead_end: opened", "door.yaml"), ("trap", "hut.yaml")];
    let project = Project::new()
        .file("door.yaml", DOOR)
        .file("fsmsim.toml", accepting(&entries));
    let run = project.fsmsim(["explore", "door.yaml"]).run();
    assert_eq!(run.code, 0);
    for title in [
        "accepted finding `dead_end: opened` does not occur in `door.yaml`",
        "unknown model `hut.yaml` of the accepted finding `trap`",
    ] {
        assert!(run.stderr.contains(title), "{}", run.stderr);
    }
    let denied = project.fsmsim(["explore", "door.yaml", "--deny-warnings"]);
    assert_eq!(denied.run().code, 1);
    // A search that is cut does not show that the finding is gone.
    let cut = project.fsmsim(["explore", "door.yaml", "--depth", "1"]);
    assert!(!cut.run().stderr.contains("dead_end: opened"));
}

#[test]
fn unusable_accepted_findings_are_errors() {
    let unknown = accepting(&[("dead_ent: opened", "door.yaml")]);
    let silent = accepting(&[("dead_end: opened", "door.yaml")]).replace("a known gap", " ");
    for (settings, text) in [
        (unknown, "a similar question exists: `dead_end`"),
        (silent, "missing reason of an accepted finding"),
    ] {
        let project = Project::new()
            .file("door.yaml", DOOR)
            .file("fsmsim.toml", settings);
        let run = project.fsmsim(["explore", "door.yaml"]).run();
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(text), "{}", run.stderr);
    }
}

#[test]
fn directory_selects_the_models_below_it() {
    let project = Project::new()
        .file("flows/shop.yaml", SHOP)
        .file("flows/door.yaml", DOOR);
    let run = project.fsmsim(["explore", "flows"]).run();
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(
        run.stdout.ends_with("\n2 models: 3 problems\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn changed_selects_models_that_an_edit_touches() {
    let project = shop().file("door.yaml", DOOR);
    let is_there = git(&project, &["init", "-q"]) && git(&project, &["add", "-A"]);
    if !is_there || !git(&project, &["commit", "-q", "-m", "x"]) {
        return;
    }
    let explored = || {
        let command = ["explore", "--changed", "HEAD", "--format", "json"];
        project.fsmsim(command).run()
    };
    let unchanged = explored();
    assert_eq!(
        (unchanged.code, &*unchanged.stderr),
        (0, "no model differs from `HEAD`\n")
    );
    project.write("door.yaml", DOOR.replace("leave: gone", "leave: closed"));
    let changed = explored();
    let report: Value = serde_json::from_str(&changed.stdout).unwrap();
    assert_eq!((changed.code, &report["model"]), (1, &"door.yaml".into()));
}

#[test]
fn bound_explains_the_size_of_a_search() {
    let project = Project::new().file("kiosk.yaml", KIOSK);
    let run = project
        .fsmsim(["explore", "kiosk.yaml", "--states", "3"])
        .run();
    let advice = "to shrink it, test only lower values of the counter";
    assert!(run.stdout.contains("counter `asked`: "), "{}", run.stdout);
    assert!(run.stdout.contains(advice), "{}", run.stdout);
    assert!(run.stdout.contains("  memory: 1 MiB\n"), "{}", run.stdout);
}
