//! The vocabulary of plain flows: only their own names, no triggers, no profiles; and asides in the front ends.

use std::collections::BTreeSet;

use crate::support::{Project, Run};

const HOTLINE: &str = "\
flow: {name: hotline, entry_points: {default: greeting}}
everywhere:
  transitions: {ask_hours: hours}
states:
  greeting: {transitions: {order: size}}
  size: {required_data: [pages], transitions: {data_complete: served}}
  hours: {aside: true, transitions: {thank: resume}}
  served: {is_final: true}
intents:
  give_pages: {description: Says how many pages}
";

/// The intents of the flow.
const INTENTS: [&str; 4] = ["ask_hours", "give_pages", "order", "thank"];

/// Names that only the engine or a sales dialogue uses.
const FOREIGN: [&str; 7] = [
    "any",
    "data_complete",
    "unclear",
    "info_provided",
    "price_question",
    "question_fiscal",
    "_objection_limit_final",
];

fn project() -> Project {
    Project::new().file("hotline.yaml", HOTLINE)
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .collect()
}

/// Expects all intents of the flow and no foreign name.
#[track_caller]
fn assert_own(run: &Run) {
    let words = words(&run.stdout);
    assert!(INTENTS.iter().all(|name| words.contains(name)), "{run}");
    assert!(!FOREIGN.iter().any(|name| words.contains(name)), "{run}");
}

#[test]
fn intents_command_lists_only_intents_of_the_flow() {
    let run = project().fsmsim(["run", "hotline.yaml"]);
    assert_own(&run.stdin(":intents\n").run());
}

#[test]
fn prompt_offers_only_intents_of_the_flow() {
    let run = project().fsmsim([
        "prompt",
        "hotline.yaml",
        "--say",
        "hello",
        "--format",
        "json",
    ]);
    let run = run.run();
    assert!(run.stdout.contains("give_pages"), "{run}");
    assert!(!run.stdout.contains("question_fiscal"), "{run}");
    assert!(!run.stdout.contains("data_complete"), "{run}");
}

#[test]
fn simulated_users_say_only_intents_of_the_flow() {
    let project = project();
    let mut said = BTreeSet::new();
    for persona in ["cooperative", "reluctant", "wandering"] {
        for number in 1..=8 {
            let dialogue = format!("{persona}:{number}");
            let run = project
                .fsmsim(["simulate", "hotline.yaml", "--show", &dialogue])
                .args(["--save", "said.yaml"])
                .run();
            assert_eq!(run.code, 0, "{run}");
            let text = project.read("said.yaml");
            for part in text.split("intent: ").skip(1) {
                let end =
                    part.find(|character: char| !character.is_alphanumeric() && character != '_');
                said.insert(part[..end.unwrap_or(part.len())].to_owned());
            }
            std::fs::remove_file(project.path().join("said.yaml")).unwrap();
        }
    }
    assert!(
        said.iter().all(|name| INTENTS.contains(&&**name)),
        "{said:?}"
    );
    assert!(said.contains("give_pages"), "{said:?}");
}

#[test]
fn trigger_is_rejected_as_an_intent() {
    let message = "error[FS0245]: cannot use the trigger `data_complete` as an intent";
    let project = project()
        .file(
            "scenarios/said.yaml",
            "scenario: Said\nmodel: hotline.yaml\nturns:\n  - {intent: data_complete, expect: {state: greeting}}\n",
        )
        .file(
            "turns.jsonl",
            "{\"id\":\"a\",\"turns\":[{\"intent\":\"order\",\"also\":[\"data_complete\"]}]}\n",
        )
        .file(
            "fixtures/personas/odd.yaml",
            "persona: odd\nweights: [{intent: data_complete, weight: 1}]\n",
        );
    for arguments in [
        &["test"][..],
        &["trace", "hotline.yaml", "--turns", "turns.jsonl"],
        &["simulate", "hotline.yaml", "--persona", "odd"],
    ] {
        project.fsmsim(arguments).fails(2, "", message);
    }
    let run = project.fsmsim(["run", "hotline.yaml"]).stdin("any\n").run();
    let shown = run.shown();
    assert!(
        shown.contains("cannot use the trigger `any` as an intent"),
        "{shown}"
    );
}

#[test]
fn sales_flow_accepts_recorded_triggers_in_turns() {
    let flow = HOTLINE.replace("{name: hotline,", "{name: hotline, policy: sales,");
    Project::new()
        .file("hotline.yaml", flow)
        .file(
            "turns.jsonl",
            "{\"id\":\"a\",\"turns\":[{\"intent\":\"data_complete\"}]}\n",
        )
        .fsmsim(["trace", "hotline.yaml", "--turns", "turns.jsonl"])
        .ends(0, "\"intent\":\"data_complete\"", "");
}

#[test]
fn profile_is_shown_only_for_sales_flows() {
    let title = |flow: &str| {
        let project = Project::new().file("hotline.yaml", flow);
        let run = project.fsmsim(["simulate", "hotline.yaml", "--dialogues", "2"]);
        run.run().stdout.lines().next().unwrap().to_owned()
    };
    assert_eq!(title(HOTLINE), "hotline, seed 0, 2 dialogues per persona");
    assert_eq!(
        title(&HOTLINE.replace("{name: hotline,", "{name: hotline, policy: sales,")),
        "hotline (profile documented), seed 0, 2 dialogues per persona"
    );
    let run = project().fsmsim(["run", "hotline.yaml@reference"]);
    let run = run.stdin(":state\n").run();
    assert!(!run.stdout.contains("reference"), "{run}");
}

#[test]
fn coverage_of_intents_reaches_all_intents() {
    project()
        .file(
            "scenarios/all.yaml",
            "scenario: All\nmodel: hotline.yaml\nturns:\n\
             \x20 - {intent: ask_hours, expect: {state: hours, class: digress}}\n\
             \x20 - {intent: thank, expect: {state: greeting, class: resume}}\n\
             \x20 - {intent: order, expect: {state: size}}\n\
             \x20 - {intent: give_pages, data: {pages: 3}, expect: {state: served}}\n",
        )
        .fsmsim(["test", "--coverage", "--require", "intents=100%"])
        .ends(0, "", "");
}

#[test]
fn asides_without_resume_and_likely_asides_are_reported() {
    let flow = "\
flow: {name: shop, entry_points: {default: greeting}}
states:
  greeting: {transitions: {order: size, ask_hours: hours}}
  size: {transitions: {pick: pay, ask_hours: hours}}
  pay: {transitions: {agree: served, ask_hours: hours, ask_prices: prices}}
  hours: {transitions: {thank: greeting}}
  prices: {aside: true, transitions: {agree: pay}}
  served: {is_final: true}
";
    let run = Project::new()
        .file("shop.yaml", flow)
        .fsmsim(["lint", "shop.yaml"])
        .run();
    let titles: Vec<&str> = run
        .stdout
        .lines()
        .chain(run.stderr.lines())
        .filter(|line| line.starts_with("warning["))
        .collect();
    assert_eq!(
        titles,
        [
            "warning[FS0437]: state `hours` interrupts several states, and returns only to `greeting`",
            "warning[FS0436]: aside `prices` does not lead to `resume`",
        ],
        "{run}"
    );
}

#[test]
fn hub_and_correct_asides_are_not_reported() {
    let hub = "\
flow: {name: shop, entry_points: {default: greeting}}
states:
  greeting: {transitions: {begin: menu}}
  menu: {transitions: {ask_hours: hours, ask_prices: prices, order: size, leave: served}}
  hours: {transitions: {back: menu}}
  prices: {transitions: {back: menu}}
  size: {transitions: {back: menu, agree: served}}
  served: {is_final: true}
";
    for flow in [hub, HOTLINE] {
        let project = Project::new().file("shop.yaml", flow);
        let run = project.fsmsim(["lint", "shop.yaml"]).run();
        assert!(!run.shown().contains("FS04"), "{run}");
    }
}

#[test]
fn diagram_bundles_transitions_into_an_aside() {
    let run = project()
        .fsmsim(["graph", "hotline.yaml", "--format", "dot"])
        .run();
    for line in [
        "  \"note 0\" [label=\"from 2 states\", shape=plaintext];\n",
        "  \"note 0\" -> \"hours\" [label=\"ask_hours\", style=dashed];\n",
        "  \"hours\" -> \"resume\" [label=\"thank\", constraint=false];\n",
    ] {
        assert!(run.stdout.contains(line), "{line}{run}");
    }
}

#[test]
fn verification_accepts_resume_to_the_interrupted_state_only() {
    let project = project();
    let turns = "{\"id\":\"a\",\"turns\":[{\"intent\":\"order\"},{\"intent\":\"ask_hours\"},{\"intent\":\"thank\"}]}\n";
    let trace = project
        .fsmsim(["trace", "hotline.yaml", "--turns", "-"])
        .stdin(turns)
        .succeeds("");
    let verify = |text: &str| {
        let project = project.clone().file("t.jsonl", text);
        let run = project.fsmsim(["verify", "t.jsonl", "--model", "hotline.yaml"]);
        run.args(["--mode", "structure"]).run()
    };
    let run = verify(&trace);
    assert_eq!(run.code, 0, "{run}");
    let lost = trace.replace(
        "\"state\":{\"from\":\"hours\",\"to\":\"size\"}",
        "\"state\":{\"from\":\"hours\",\"to\":\"greeting\"}",
    );
    assert_ne!(lost, trace, "{trace}");
    let run = verify(&lost);
    assert!(run.stdout.contains("undeclared_transition"), "{run}");
}
