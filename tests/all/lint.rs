//! `fsmsim lint`: rules for states, unreachable states, dead ends, levels, and hostile input.

use serde_json::{Value, json};

use crate::support::{Project, Run};

/// A state with one goal and the given rows of transitions.
fn state(name: &str, rows: &[&str]) -> String {
    let rows: String = rows.iter().map(|row| format!("- {row}\n")).collect();
    format!("# State: {name}\n\n## Goal\nTo do `{name}`.\n\n## Transitions\n{rows}")
}

/// A state set that breaks every rule once.
fn broken() -> Project {
    Project::new()
        .file("set/states/init.md", state("init", &["`plan`", "`talk`", "`end`"]))
        .file(
            "set/states/plan.md",
            "---\nreads: [week, shoe_size]\n---\n# State: plan\n\n## Goal\nTo plan the week.\n\nTo praise what was done.\n\n\
            ## Steps\n1. Look at `week`.\n2. Whoever is tired goes to `talk`.\n\n## Transitions\n- `init`\n",
        )
        .file("set/states/talk.md", "# State: talk\n\n## Steps\nListen.\n\n## Transitions\n- `init`\n")
        .file("set/states/island.md", state("island", &["`init`"]))
        .file("set/states/end.md", state("end", &["the same again: `end`"]))
}

/// A state set that breaks no rule, but comes close everywhere.
fn clean() -> Project {
    Project::new()
        .file("set/states/init.md", state("init", &["`plan`", "`bye`"]))
        .file(
            "set/states/plan.md",
            "---\nreads: [week, shoe_size, Цели]\nwrites: plan\n---\n# Состояние: plan\n\n## Цель\nСпланировать неделю:\n- и ничего больше,\n  - даже цели\n\n\
            ## Шаги\n### По данным `week`\n1. Взять итоги из `bye`. Размер: `twin.shoe_size`.\n2. Без согласия → `dt_consent`.\n3. Дальше -> bye, или `get_instruction(state: \"init\")`.\n\
            4. A `word`, and init <!-- not --> bye.\n\n```\nЦели\n```\n\n## Переходы\n- `bye`\n- `init`\n\n## Деградация\nСпросить словами; или → bye\n",
        )
        .file("set/states/review.md", "---\nreads: [month, goals]\n---\n# State: review\n\nTake `dt_load_month` and `dt_load_all`.\n\n## Goal\nReview.\n\n## Transitions\n- `init`\n\n## Degradation\nAsk.\n")
        .file("set/states/dt_load_all.md", format!("---\nreads: [goals]\n---\n{}\n## Steps\nRead `goals`.\n", state("dt_load_all", &["`init`"])))
        .file("set/states/dt_load_month.md", format!("---\nreads: [month]\n---\n{}", state("dt_load_month", &["`init`"])))
        .file("set/states/dt_consent.md", state("dt_consent", &["`review`"]))
        .file("set/states/no_dt_mode.md", state("no_dt_mode", &["`init`"]))
        .file("set/states/bye.md", "---\nfinal: true\n---\n# State: bye\n\n# Goal\nTo part.\n")
        .file("set/schemas/plan.json", "{\"type\": \"object\"}")
}

/// The findings, one JSON object per line.
fn lines(run: &Run) -> Vec<Value> {
    run.stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn codes(run: &Run) -> Vec<String> {
    lines(run)
        .iter()
        .map(|line| line["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_rule_is_reported_with_its_location_and_fix() {
    let project = broken();
    let run = project.fsmsim(["lint", "set"]).run();
    insta::assert_snapshot!(run.shown());
    // Warnings fail the run only with `--deny-warnings`.
    project
        .fsmsim(["lint", "set", "--deny-warnings"])
        .fails(1, "", "");
    // With `--permissive`, the undeclared move is allowed.
    let permissive = codes(
        &project
            .fsmsim(["lint", "set", "--permissive", "--format", "jsonl"])
            .run(),
    );
    let strict = codes(&project.fsmsim(["lint", "set", "--format", "jsonl"]).run());
    assert_eq!(
        strict,
        [
            "FS0134", "FS0404", "FS0407", "FS0405", "FS0406", "FS0402", "FS0403", "FS0401"
        ]
    );
    let without: Vec<String> = strict.into_iter().filter(|code| code != "FS0403").collect();
    assert_eq!(permissive, without);
}

#[test]
fn loading_finding_is_not_reported_twice() {
    let project = Project::new()
        .file("set/states/init.md", state("init", &["`end`"]))
        .file("set/states/end.md", "# State: end\n\n## Goal\nTo end.\n");
    let run = project.fsmsim(["lint", "set"]).run();
    assert_eq!(
        run.stdout,
        "1 model: no errors, 1 warning\n",
        "{}",
        run.shown()
    );
    assert!(
        run.stderr.contains("add the section `## Transitions`"),
        "{}",
        run.shown()
    );
}

#[test]
fn text_rules_do_not_apply_to_a_document_with_a_table() {
    let table = "# Lift\n\n| State | Event | Next state |\n|---|---|---|\n| init | call | up |\n| up | arrive | init |\n| loft | fall | init |\n\n        ## up\n\nNever to `loft`.\n";
    let run = Project::new()
        .file("lift.md", table)
        .fsmsim(["lint", "lift.md", "--format", "jsonl"])
        .run();
    assert_eq!(
        (run.code, codes(&run)),
        (0, vec!["FS0404".to_owned()]),
        "{}",
        run.shown()
    );
}

#[test]
fn state_set_without_violations_has_no_finding() {
    let run = clean().fsmsim(["lint", "set", "--deny-warnings"]).run();
    assert_eq!(
        run.shown(),
        "exit 0\n----- stdout\n1 model: no errors, no warnings\n----- stderr\n"
    );
}

#[test]
fn bundled_models_have_no_finding() {
    let root = env!("CARGO_MANIFEST_DIR");
    let models = [
        "flows/autonomous",
        "flows/bant",
        "flows/bant_parallel.yaml",
        "flows/champ",
        "flows/meddic",
        "flows/meddpicc",
        "flows/spin_selling",
        "flows/support.yaml",
        "flows/bank_hotline.yaml",
        "states/bank_hotline",
        "states/student",
    ];
    let paths = models.map(|model| format!("{root}/{model}"));
    let mut arguments = vec!["lint", "--deny-warnings"];
    arguments.extend(paths.iter().map(String::as_str));
    let run = Project::new().fsmsim(&arguments).run();
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "11 models: no errors, no warnings\n"),
        "{}",
        run.shown()
    );
}

#[test]
fn jsonl_format_has_one_finding_per_line() {
    let run = broken()
        .fsmsim(["lint", "set", "nowhere", "--format", "jsonl"])
        .fails(2, "", "");
    assert_eq!(run.stderr, "2 models: 1 error, 8 warnings\n");
    let lines = lines(&run);
    assert_eq!(
        lines[6],
        json!({
            "model": "set", "code": "FS0403", "severity": "warning", "file": "set/states/plan.md", "line": 13, "column": 29,
            "title": "the text of state `plan` names the target `talk`, which its transitions do not declare", "label": "undeclared target",
            "help": "add `talk` to the transitions, or remove the backticks if it is not a target",
        })
    );
    let keys: Vec<&str> = lines[6]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "model", "code", "severity", "file", "line", "column", "title", "label", "help"
        ]
    );
    assert_eq!(
        (
            &lines[8]["model"],
            &lines[8]["severity"],
            &lines[8]["file"],
            &lines[8]["line"]
        ),
        (
            &json!("nowhere"),
            &json!("error"),
            &json!("nowhere"),
            &Value::Null
        )
    );
}

#[test]
fn project_file_sets_the_level_of_findings() {
    let project = broken().file(
        "fsmsim.toml",
        "[lint]\nFS0134 = \"allow\"\nFS0401 = \"allow\"\nfs0402 = \"deny\"\nFS0403 = \"warn\"\nFS0406 = \"allow\"\nFS0407 = \"allow\"\n",
    );
    let run = project.fsmsim(["lint", "set", "--format", "jsonl"]).run();
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (1, "1 model: 1 error, 3 warnings\n"),
        "{}",
        run.shown()
    );
    assert_eq!(codes(&run), ["FS0404", "FS0405", "FS0402", "FS0403"]);
    assert_eq!(lines(&run)[2]["severity"], "error");
    // A loading error stays an error, because the model cannot run.
    project.write("fsmsim.toml", "[lint]\nFS0101 = \"allow\"\n");
    project.write("set/states/talk.md", state("talk", &["`nowhere`"]));
    let run = project.fsmsim(["lint", "set", "--format", "jsonl"]).run();
    assert_eq!(
        (run.code, codes(&run)),
        (1, vec!["FS0101".to_owned()]),
        "{}",
        run.shown()
    );
}

#[test]
fn invalid_levels_are_reported_with_their_location() {
    let project = broken().file(
        "fsmsim.toml",
        "[lint]\nFS0491 = \"allow\"\ngoals = \"warn\"\nFS0402 = \"denny\"\nFS0403 = \"off\"\nFS0404 = \"warn\"\nfs0404 = \"deny\"\n",
    );
    insta::assert_snapshot!(project.fsmsim(["lint", "set"]).shown());
    project.write("fsmsim.toml", "[lint]\nFS0401 = 1\n");
    project.fsmsim(["lint", "set"]).refuses("fsmsim.toml:2:10");
}

#[test]
fn unreachable_states_and_dead_ends_are_reported() {
    let flow = "flow: {name: f, policy: sales}\nentry_points: {default: greeting, again: welcome_back}\nphases:\n  order: [hall]\n  mapping: {hall: hall}\nstates:\n  \
        greeting: {transitions: {agreement: hall}}\n  welcome_back: {transitions: {agreement: hall}}\n  hall: {transitions: {agreement: [{when: always_hall, then: hall}]}}\n  \
        cellar: {transitions: {go_back: attic}}\n  attic: {transitions: {go_back: cellar}}\n  street: {is_final: true}\nconditions: {always_hall: {turn: at_least, at_least: 1}}\n";
    let flow = flow.replace("{turn: at_least, at_least: 1}", "{slot: x, filled: true}");
    insta::assert_snapshot!(
        Project::new()
            .file("f.yaml", flow)
            .fsmsim(["lint", "f.yaml"])
            .shown()
    );
}

#[test]
fn repeated_models_do_not_repeat_findings() {
    let project = broken();
    let run = project
        .fsmsim([
            "lint",
            "set",
            "set",
            "set@documented",
            "set/../set",
            "set@reference",
        ])
        .run();
    assert!(
        run.stdout.starts_with("3 models: no errors, "),
        "{}",
        run.shown()
    );
    assert_eq!(
        run.stderr.matches("`talk` has no goal").count(),
        2,
        "{}",
        run.shown()
    );
}

#[test]
fn unreadable_model_outranks_errors_in_the_exit_code() {
    let project = broken()
        .file("empty/states/notes.txt", "")
        .file("latin/states/init.md", b"# State: init\n\n\xcf\xe5\xf0\n")
        .file("wrong/states/init.md", state("init", &["`nowhere`"]))
        .file("syntax.yaml", "states: [\n")
        .file("empty.yaml", "");
    for (arguments, code) in [
        (&["nowhere"][..], 2),
        (&["empty"], 2),
        (&["latin"], 2),
        (&["set@docmented"], 2),
        (&["set", "--profile", "docmented"], 2),
        (&["set", "--config", "nowhere"], 2),
        (&["set", "--format", "xml"], 2),
        (&[], 2),
        (&["wrong"], 1),
        (&["syntax.yaml"], 1),
        (&["empty.yaml"], 1),
        (&["set"], 0),
        (&["wrong", "nowhere", "set"], 2),
        (&["set", "wrong"], 1),
    ] {
        let run = project.fsmsim(["lint"]).args(arguments).run();
        assert_eq!(run.code, code, "{arguments:?} {}", run.shown());
        assert!(!run.stderr.is_empty(), "{arguments:?}");
    }
    insta::assert_snapshot!(
        project
            .fsmsim(["lint", "wrong", "nowhere", "latin"])
            .shown()
    );
}

#[test]
fn thousand_states_are_linted() {
    let mut project = Project::new();
    for number in 0..1000 {
        let next = (number + 1) % 1000;
        let name = if number == 0 {
            "init".to_owned()
        } else {
            format!("s{number}")
        };
        let next = if next == 0 {
            "init".to_owned()
        } else {
            format!("s{next}")
        };
        let text =
            format!("# State: {name}\n\n## Steps\nNow `{next}`.\n\n## Transitions\n- `{next}`\n");
        project = project.file(&format!("states/{name}.md"), text);
    }
    let run = project.fsmsim(["lint", "states"]).run();
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "1 model: no errors, 1000 warnings\n")
    );
    assert!(
        run.stderr.ends_with("800 more findings are not shown\n\n"),
        "{}",
        run.stderr
    );
    assert_eq!(
        lines(
            &project
                .fsmsim(["lint", "states", "--format", "jsonl"])
                .run()
        )
        .len(),
        1000
    );
}

#[test]
fn state_of_arrows_and_backticks_is_linted_quickly() {
    let mut text = state("init", &["`init`"]);
    text.push_str("\n## Steps\n");
    for number in 0..100_000 {
        text.push_str(&format!("`a{number}` -> -> b{number} "));
    }
    text.push_str(&"->".repeat(500_000));
    let project = Project::new().file("states/init.md", text);
    let start = std::time::Instant::now();
    let run = project.fsmsim(["lint", "states"]).run();
    assert!(
        run.code == 0 && start.elapsed().as_secs() < 120,
        "{:?} {}",
        start.elapsed(),
        run.shown()
    );
}

#[test]
fn interactive_dialogue_takes_undeclared_moves_if_permitted() {
    let project = broken();
    let run = |arguments: &[&str], typed: &str| {
        project
            .fsmsim(["run", "set"])
            .args(arguments)
            .stdin(typed)
            .succeeds("")
    };
    assert!(run(&[], "island\n").contains("blocked"));
    let shown = run(&["--permissive"], "island\n:reset\nisland\n");
    insta::assert_snapshot!(shown);
    let contract = Project::new().with("flows/accounting.yaml");
    insta::assert_snapshot!(
        contract
            .fsmsim(["run", "flows/accounting.yaml", "--permissive"])
            .shown()
    );
}

#[test]
fn overlapping_classes_are_reported_with_an_example_turn() {
    let contract = "\
kind: contract
modes: [talk]
frames: {topic: {carried: root, fields: {name: text, open: flag}}}
intents: {ask: {say: what}, tell: {say: this}}
classes:
  Any: {owner: topic, intent: [ask], requires: {frame: topic, active: true}, carryover: full, sets: {topic.name: {said: name}}, forbids: [], answers: [a], mode: talk}
  Open: {owner: topic, intent: [ask, tell], requires: {frame: topic.open, is: true}, carryover: full, sets: {topic.open: true}, forbids: [], answers: [a], mode: talk}
  Other: {owner: topic, intent: [tell], requires: {frame: topic.open, is: false}, carryover: full, sets: {}, forbids: [], answers: [a], mode: talk}
  Named: {owner: topic, intent: [ask], when: {not: {frame: topic, active: true}}, requires: nothing, carryover: full, sets: {}, forbids: [], answers: [a], mode: talk}
";
    let project = Project::new().file("talk.yaml", contract);
    insta::assert_snapshot!(project.fsmsim(["lint", "talk.yaml"]).shown());
}

#[test]
fn unset_values_and_impossible_conditions_are_reported() {
    let contract = "\
kind: contract
modes: [talk]
frames:
  shelf: {fields: {status: [free, lent, sold], copy: [free, lent, sold]}}
  answers: {fields: {mode: [plain, careful]}}
answer: answers.mode
intents: {lend: {say: lend}}
classes:
  Lend:
    {owner: shelf, intent: lend, requires: nothing, carryover: full, forbids: [], answers: plain,
     sets: {shelf.status: {first: [{value: lent, when: {frame: shelf.status, is: free}}, free]}, shelf.copy: {was: shelf.status}},
     must:
       {sold: {frame: shelf.copy, is: sold}, one: {or: [{frame: shelf.copy, is: sold}, {frame: shelf.copy, is: lent}]},
        not: {not: {frame: shelf.copy, is: sold}}}}
";
    let project = Project::new().file("shelf.yaml", contract);
    insta::assert_snapshot!(project.fsmsim(["lint", "shelf.yaml"]).shown());
    // Turn data can contain any value.
    let open = contract.replace(
        "{was: shelf.status}}",
        "{was: shelf.status}, shelf.status: {said: status}}",
    );
    let open = open.replace(
        "sets: {shelf.status: {first: [{value: lent, when: {frame: shelf.status, is: free}}, free]}, ",
        "sets: {",
    );
    project.write("shelf.yaml", open);
    project
        .fsmsim(["lint", "shelf.yaml", "--deny-warnings"])
        .succeeds("1 model: no errors, no warnings");
}

#[test]
fn unused_parts_of_a_contract_are_reported() {
    let contract = "\
kind: contract
modes: [talk]
frames:
  topic: {fields: {name: text, year: number}}
  shelf: {fields: {row: text, place: text}}
  answers: {fields: {mode: [plain]}}
answer: answers.mode
intents: {ask: {say: 'what (?P<name>.+)'}, tell: {say: this}}
classes:
  Any: {owner: topic, intent: ask, requires: nothing, carryover: full, sets: {topic.name: {said: name}}, forbids: [], answers: plain}
";
    let project = Project::new().file("talk.yaml", contract);
    insta::assert_snapshot!(project.fsmsim(["lint", "talk.yaml"]).shown());
    // If a class accepts any utterance and all fields are written, there is no finding.
    let used = contract
        .replace("intent: ask", "when: {said: name, filled: true}")
        .replace(
            "{said: name}}",
            "{said: name}, topic.year: $turn, shelf.row: {said: row}, shelf.place: {said: place}}",
        );
    assert_ne!(used, contract);
    project.write("talk.yaml", used);
    project
        .fsmsim(["lint", "talk.yaml", "--deny-warnings"])
        .succeeds("1 model: no errors, no warnings");
}

#[test]
fn folder_argument_lints_all_models_below_it() {
    let flow = "flow: {name: f, policy: sales}\nstates: {greeting: {transitions: {agreement: end}}, end: {is_final: true}}\n";
    let project = Project::new()
        .file("models/one.yaml", flow)
        .file("models/deep/two/flow.yaml", flow)
        .file("models/deep/two/not_a_model.yaml", "states: {x: {}}\n")
        .file("models/_parts/mixins.yaml", "states: {x: {}}\n")
        .file("models/.hidden/three.yaml", flow)
        .file(
            "models/scenario.yaml",
            "scenario: A\nmodel: models/one.yaml\nturns: [{intent: agreement}]\n",
        )
        .file("models/README.md", "# Models\n\nText.\n")
        .file("models/persona.yaml", "persona: {name: p}\n")
        .file("empty/notes.txt", "nothing");
    for folder in ["models", "models/", ".", "models/deep", "models/one.yaml"] {
        let count = if folder.contains("deep") || folder.contains("one") {
            "1 model"
        } else {
            "2 models"
        };
        let output = project
            .fsmsim(["lint", folder, "--deny-warnings"])
            .about(folder)
            .succeeds("");
        assert_eq!(
            output,
            format!("{count}: no errors, no warnings\n"),
            "{folder}"
        );
    }
    // A model that is named twice is linted once.
    project
        .fsmsim(["lint", "models", "models/one.yaml"])
        .succeeds("2 models: no errors");
    project
        .fsmsim(["lint", "models@reference"])
        .succeeds("2 models: no errors, no warnings");
    project.fsmsim(["lint", "empty"]).fails(
        2,
        "1 model: 1 error",
        "cannot find a model in `empty`",
    );
    // Findings are in the order of the paths. An unreadable file is reported because it might be a model.
    project.write(
        "models/one.yaml",
        "flow: {name: f}\nstates: {greeting: {transitions: {agreement: away}}}\n",
    );
    project.write("models/broken.yaml", "states: {greeting: [\n");
    insta::assert_snapshot!(project.fsmsim(["lint", "models"]).shown());
    let run = project
        .fsmsim(["lint", "models", "--format", "jsonl"])
        .run();
    let models: Vec<String> = lines(&run)
        .iter()
        .map(|line| line["model"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(models, ["models/broken.yaml", "models/one.yaml"]);
}

#[test]
fn bundled_flows_and_states_have_no_error() {
    let run = Project::library().fsmsim(["lint", "flows", "states"]).run();
    assert_eq!(
        (run.code, run.stdout.contains(" models: no errors, ")),
        (0, true),
        "{run}"
    );
}

#[test]
fn warnings_are_reported_next_to_errors() {
    let flow = "\
flow: {name: shop, entry_points: {default: talk}}
states:
  talk: {goal: x, transitions: {stop: ovr}}
  over: {goal: y, is_final: true}
  lost: {goal: z, transitions: {stop: talk}}
properties:
  a: {never: {state: hall}}
";
    let project = Project::new().file("shop.yaml", flow);
    let run = project.fsmsim(["lint", "shop.yaml"]).fails(1, "", "");
    insta::assert_snapshot!(run.stderr);
    project
        .fsmsim(["run", "shop.yaml"])
        .fails(2, "", "unknown state `ovr`");
}

#[test]
fn error_is_reported_after_many_warnings() {
    let conditions: String = (0..250)
        .map(|at| format!("  c{at}: {{intent: q{at}}}\n"))
        .collect();
    let flow = format!(
        "flow: {{name: shop, entry_points: {{default: talk}}}}\nstates: {{talk: {{goal: x, is_final: true}}}}\n\
         conditions:\n{conditions}properties: {{a: {{never: {{state: hall}}}}}}\n"
    );
    let project = Project::new().file("shop.yaml", flow);
    project
        .fsmsim(["lint", "shop.yaml"])
        .fails(1, "", "error[FS0126]: unknown state `hall`");
}

#[test]
fn definition_with_a_name_similar_to_flow_is_a_model() {
    let flow = "flow: {name: f, policy: sales}\nstates: {greeting: {transitions: {agreement: bye}}, bye: {is_final: true}}\n";
    let project = Project::new()
        .file("flows/floor.yaml", flow)
        .file("flows/flow1.yaml", flow)
        .file("flows/loan.yaml", flow);
    project
        .fsmsim(["lint", "flows"])
        .succeeds("3 models: no errors, no warnings\n");
    // The folder itself is not a model, and its models are named.
    project
        .fsmsim(["run", "flows"])
        .refuses("use one of its models, such as `flows/floor.yaml`");
    // A file that is not a model itself is probably the flow of its folder.
    let parts = Project::new()
        .file("tea/flwo.yaml", "flow: {name: tea}\n")
        .file("tea/loan.yaml", "rate: 3\n")
        .file("tea/states.yaml", "states: {greeting: {is_final: true}}\n");
    parts
        .fsmsim(["lint", "tea"])
        .fails(1, "1 error", "rename the file to `flow.yaml`");
}
