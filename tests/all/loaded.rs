//! Interactive dialogues that continue a scenario or a recording (`--from`, `:load`), and `fsmsim run` with JSON Lines.

use serde_json::Value;

use crate::support::{Project, tries_everything};

/// The dialogues of a trace: their titles, with the lines of their turns.
fn dialogues(trace: &str) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for line in trace.lines() {
        let parsed: Value = serde_json::from_str(line).unwrap();
        if parsed.get("fsmsim_trace").is_some() {
            all.push((parsed["dialogue"].as_str().unwrap().to_owned(), Vec::new()));
        } else if parsed.get("turn").is_some() {
            all.last_mut().unwrap().1.push(line.to_owned());
        }
    }
    all
}

/// The records of turns in an output.
fn turns(written: &str) -> Vec<String> {
    written
        .lines()
        .filter(|line| line.starts_with("{\"turn\""))
        .map(str::to_owned)
        .collect()
}

#[test]
fn interactive_scenario_has_the_records_of_its_trace() {
    let project = Project::library();
    // The records of a cycle contain the random name of its task.
    let files = project
        .scenario_files()
        .into_iter()
        .filter(|file| !file.contains("/cycle/"));
    let mut tried = 0;
    let step = if tries_everything() { 1 } else { 9 };
    for file in files.step_by(step) {
        for (title, records) in dialogues(&project.fsmsim(["trace", &file]).run().stdout)
            .into_iter()
            .take(5)
        {
            let address = format!("{file}::{title}");
            let run = project
                .fsmsim(["run", "--from", &address, "--format", "jsonl"])
                .about(&address)
                .run();
            assert_eq!(turns(&run.stdout), records, "{address}\n{run}");
            tried += 1;
        }
    }
    assert!(tried >= 30, "{tried}");
}

/// A scenario of three turns with a wrong expectation in the second, and one with another start.
const PRICE: &str = "scenario: Price first
model: flows/spin_selling
turns:
  - {say: Сколько стоит?, intent: price_question}
  - {intent: info_provided, data: {company_size: 50}, expect: {state: close}}
  - {intent: objection_price}
---
scenario: At the end
model: flows/spin_selling
start: {state: close}
turns: [{intent: agreement}]
";

fn price() -> Project {
    Project::new()
        .with_flows()
        .file("scenarios/price.yaml", PRICE)
}

#[test]
fn dialogue_continues_from_a_scenario() {
    let project = price();
    let run =
        |from: &str, lines: &str| project.fsmsim(["run", "--from", from]).stdin(lines).shown();
    insta::assert_snapshot!(
        [
            run(
                "scenarios/price.yaml::Price first@2",
                "agreement\n:branches\n"
            ),
            run("scenarios/price.yaml::At the end", ":state\n"),
            run(
                "scenarios/price.yaml::Price first@0",
                "agreement\n:history 3\n"
            ),
        ]
        .join("\n")
    );
}

#[test]
fn dialogue_continues_from_a_recording() {
    let project = price();
    let recorded = project
        .fsmsim(["trace", "scenarios/price.yaml"])
        .succeeds("");
    project.write("t.jsonl", &recorded);
    let address = "t.jsonl::Price first@2";
    let run = project
        .fsmsim(["run", "--from", address, "--format", "jsonl"])
        .stdin("objection_price\n")
        .warns("", "");
    assert_eq!(turns(&run.stdout), dialogues(&recorded)[0].1);
}

#[test]
fn invalid_scenario_ids_are_reported() {
    let project = price().file(
        "scenarios/broken.yaml",
        "model: flows/spin_selling\nturns: 5\n",
    );
    let errors = [
        "scenarios/price.yaml",
        "scenarios/price.yaml::Price fist",
        "scenarios/price.yaml::Price first@9",
        "scenarios/price.yaml::Price first@two",
        "scenarios/none.yaml",
        "scenarios/broken.yaml",
        "scenarios",
        "flows/spin_selling/flow.yaml::Price first",
        "",
    ]
    .map(|address| {
        format!(
            "{address}\n{}",
            project.fsmsim(["run", "--from", address]).refuses("")
        )
    });
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn scenario_is_loaded_during_a_dialogue() {
    let project = price();
    let lines = "agreement
:load scenarios/price.yaml::Price first@1
:branches
:load scenarios/price.yaml::At the end
:branches
:load scenarios/price.yaml
:load
:load nope.yaml
";
    insta::assert_snapshot!(
        project
            .fsmsim(["run", "flows/spin_selling"])
            .stdin(lines)
            .shown()
    );
}

#[test]
fn existing_session_cannot_start_from_a_scenario() {
    let project = price();
    let from = [
        "run",
        "--from",
        "scenarios/price.yaml::Price first",
        "--session",
        "ann",
    ];
    project.fsmsim(from).warns("", "started the session `ann`");
    assert!(
        project
            .fsmsim(["sessions", "list"])
            .succeeds("")
            .contains("3 turns")
    );
    project
        .fsmsim(from)
        .refuses("error[FS0232]: cannot use `--from` with the existing session `ann`");
    // The turns of the scenario are saved like typed turns.
    let resumed = project
        .fsmsim(["run", "flows/spin_selling", "--session", "ann"])
        .stdin(":undo 2\n:redo\n");
    resumed.warns(
        "1 turn on `main`: spin_situation\n",
        "in `handle_objection` after 3 turns",
    );
}

#[test]
fn jsonl_format_accepts_and_prints_json_lines() {
    let project = Project::new().with_flows();
    let lines = r#"{"say": "Сколько?", "intent": "price_question"}
info_provided company_size=50
:undo
:branches
{"intent": "objection_price", "also": ["objection_think"], "expect": {}}
{"intent": 5}
{"intnt": "agreement"}
{not json}
pricequestion
:nope
"#;
    let run = project
        .fsmsim(["run", "flows/spin_selling", "--format", "jsonl"])
        .stdin(lines)
        .run();
    for line in run.stdout.lines() {
        let parsed: Value = serde_json::from_str(line).unwrap();
        assert!(parsed.is_object(), "{line}");
    }
    let short = run.stdout.lines().map(|line| {
        let line = line
            .split_once(",\"carryover\"")
            .map_or(line, |(head, _)| head);
        format!("{line}\n")
    });
    insta::assert_snapshot!(format!("{}\n{}", short.collect::<String>(), run.stderr));
}

#[test]
fn consent_and_reply_commands_set_the_next_turn() {
    let project = Project::library();
    let lines = ":reply Привет!\n:consent read yes\n:consent no\n:consent perhaps\n:consent\n:reply\n:trace\n";
    let run = project
        .fsmsim(["run", "states/student", "--format", "jsonl"])
        .stdin(lines)
        .run();
    let turns: Vec<Value> = turns(&run.stdout)
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let inputs: Vec<String> = turns
        .iter()
        .take(3)
        .map(|turn| turn["input"].to_string())
        .collect();
    insta::assert_snapshot!(inputs.join("\n"), @r#"
    {"reply":"Привет!"}
    {"consent":{"read":true}}
    {"consent":{"read":false,"write":false}}
    "#);
    assert_eq!(run.stdout.matches("{\"error\"").count(), 3, "{run}");
    let other = Project::new().with_flows();
    let run = other
        .fsmsim(["run", "flows/bant"])
        .stdin(":consent yes\n:reply x\n")
        .run();
    assert_eq!(
        run.stderr.matches("are only for state sets").count(),
        2,
        "{run}"
    );
}
