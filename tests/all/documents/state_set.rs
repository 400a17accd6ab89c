//! The examples of the document about assistants with Markdown states: its state file, its dialogue and its tables.

use serde_json::{Value, json};

use super::document;
use crate::support::{Project, home, turns};

/// The document without its front matter.
fn text() -> Option<String> {
    let text = document("# FSM-архитектура ИИ-ассистентов")?;
    let body = text.splitn(3, "---\n").nth(2);
    Some(body.unwrap().to_owned())
}

/// A state set that reads data in one state. The state for consent leads to that state.
fn coach() -> Project {
    Project::new()
        .file("coach/states/init.md", "# State: init\n\n## Transitions\n- On → `plan`\n")
        .file("coach/states/plan.md", "---\nreads: [week]\n---\n# State: plan\n\nRead the `week`.\n\n## Transitions\n- Done → `done`\n")
        .file("coach/states/done.md", "---\nfinal: true\n---\n# State: done\n")
        .file("coach/states/dt_consent.md", "# State: dt_consent\n\n## Transitions\n- Agreed → `plan`\n- Refused → `no_dt_mode`\n")
        .file("coach/states/no_dt_mode.md", "# State: no_dt_mode\n\n## Transitions\n- Again → `init`\n")
        .file("week.json", r#"{"week": {"done": 7}}"#)
}

#[test]
fn state_file_of_the_document_loads() {
    let Some(text) = text() else { return };
    let (_, example) = text.split_once("```markdown\n").unwrap();
    let (state, _) = example.split_once("\n```").unwrap();
    let scenario = "\
scenario: The week
model: states/student
start: {twin: fixtures/twins/full.json}
turns:
  - {say: Итоги, goto: weekly_reflection, expect: {state: dt_consent, class: digress}}
  - {say: Да, consent: {read: true}, expect: {state: weekly_reflection, class: resume, data: {week: {done: 7}}}}
  - {say: Сохранить, goto: weekly_reflection_save, expect: {state: dt_consent}}
  - {say: Нет, consent: {write: false}, expect: {state: weekly_reflection_save, class: degrade}}
  - {say: Дальше, goto: next_week_planning, expect: {state: next_week_planning}}
";
    let project = Project::new()
        .with("states/student")
        .with("fixtures/twins")
        .file("states/student/states/weekly_reflection.md", state)
        .file("scenarios/week.yaml", scenario);
    project
        .fsmsim(["lint", "states/student"])
        .succeeds("no errors, no warnings");
    project.fsmsim(["test"]).succeeds("1 passed in 5 turns");
}

#[test]
fn dialogue_of_the_document_plays_verbatim() {
    let Some(text) = text() else { return };
    let front =
        "---\nscenario: Example\nmodel: states/student\nsection: \"9. Пример диалога\"\n---\n";
    let project = Project::new()
        .with("states/student")
        .file("scenarios/example.md", front.to_owned() + &text);
    let trace = project
        .fsmsim(["trace", "scenarios/example.md"])
        .succeeds("");
    let turns = turns(&trace);
    let states: Vec<&str> = turns
        .iter()
        .map(|turn| turn["state"]["to"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["init", "test_start", "assess_stage"]);
    let violations: Vec<&Value> = turns
        .iter()
        .flat_map(|turn| turn["violations"].as_array().into_iter().flatten())
        .collect();
    assert!(violations.is_empty(), "{violations:?}");
}

#[test]
fn table_of_branches_of_the_document_is_a_model() {
    let Some(text) = text() else { return };
    let project = Project::new().file("design.md", &text);
    let read = project
        .fsmsim(["lint", "--explain-extraction", "design.md"])
        .ends(0, "the table of branches `Сценарий | Состояния`", "")
        .stdout;
    let chains = text
        .lines()
        .filter(|line| line.matches("` → `").count() > 1);
    let chains: Vec<&str> = chains.collect();
    assert_eq!(chains.len(), 4);
    for chain in chains {
        let names: Vec<&str> = chain.split('`').skip(1).step_by(2).collect();
        for pair in names.windows(2) {
            let transition = format!("{} → {}", pair[0], pair[1]);
            assert!(read.contains(&transition), "{transition}\n{read}");
        }
    }
}

#[test]
fn branches_of_a_table_are_read_as_transitions() {
    let table = "# Kiosk\n\n| Scenario | States |\n|---|---|\n| Buy tea | `init` → `order` → `pay` → `init` |\n| Complain | `init` → `complaint` → `init` |\n";
    let scenario = "\
scenario: A cup
model: kiosk.md
turns:
  - {say: Buy tea, expect: {state: order}}
  - {goto: pay, expect: {state: pay}}
  - {goto: complaint, expect: {state: pay, class: blocked}}
  - {goto: init, expect: {state: init}}
  - {say: complain, expect: {state: complaint}}
";
    let project = Project::new()
        .file("kiosk.md", table)
        .file("scenarios/cup.yaml", scenario);
    project.fsmsim(["test"]).succeeds("1 passed in 5 turns");
}

#[test]
fn lines_below_transitions_are_read_like_items() {
    let init = "# State: init\n\n## Transitions\n\nThe user decides:\n\n**Done** → `brew`\n**Tired** → parting\n\nNo arrow leads to `other`, and this one → is a remark.\n";
    let project = Project::new()
        .file("tea/states/init.md", init)
        .file("tea/states/brew.md", "# State: brew\n\n## Transitions\n\nEnough → `init`\n")
        .file("tea/states/parting.md", "---\nfinal: true\n---\n# State: parting\n")
        .file(
            "scenarios/tea.yaml",
            "scenario: Tea\nmodel: tea\nturns:\n  - {goto: brew, expect: {state: brew}}\n  - {goto: init, expect: {state: init}}\n  - {goto: parting, expect: {state: parting}}\n",
        );
    project.fsmsim(["test"]).succeeds("1 passed in 3 turns");
    project.write(
        "tea/states/brew.md",
        "# State: brew\n\n## Transitions\n\nEnough → `inti`\n",
    );
    project
        .fsmsim(["lint", "tea"])
        .fails(1, "", "unknown state `inti`");
}

/// The two edges to `init` that only the figure of the document has.
#[test]
fn branches_end_early_as_in_the_figure() {
    for from in ["assess_stage", "plan_invariants"] {
        let scenario = format!(
            "scenario: Enough\nmodel: states/student\nstart: {{state: {from}}}\nturns: [{{goto: init, expect: {{state: init, class: restart}}}}]\n"
        );
        Project::new()
            .with("states/student")
            .file("scenarios/a.yaml", scenario)
            .fsmsim(["test"])
            .succeeds("1 passed");
    }
}

#[test]
fn week_has_two_or_three_steps_and_a_step_for_today() {
    let plan = |reply: &str, violations: &str| {
        let scenario = format!(
            "scenario: A plan\nmodel: states/student\nstart: {{state: plan_entry}}\nturns:
  - {{say: По дням, goto: plan_by_days, reply: '{reply}', expect: {{state: plan_by_days}}}}
  - {{say: Хорошо, goto: plan_invariants, reply: Дальше., expect: {{state: plan_invariants, violations: {violations}}}}}
"
        );
        Project::new()
            .with("states/student")
            .file("scenarios/a.yaml", scenario)
            .fsmsim(["test"])
            .succeeds("1 passed");
    };
    plan(
        "Пн — конспект. Чт — заметка. Сегодня — открыть главу.",
        "[]",
    );
    plan(
        "Пн — конспект.",
        "[{limit: шаги на неделю, found: 1, min: 2}, {limit: микрошаг на сегодня, found: 0, min: 1}]",
    );
    // A plan with one step cannot be saved either.
    let scenario = "\
scenario: One step
model: states/student
start: {state: plan_invariants, twin: fixtures/twins/full.json, consent: {write: true}}
turns:
  - {goto: plan_save, data: {weekly_plan: {focus: Раздел, today: открыть главу, steps: [{day: пн, what: глава}]}}, expect: {class: degrade, why: {contains: [payload_invalid]}}}
";
    Project::new()
        .with("states/student")
        .with("fixtures/twins")
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test"])
        .succeeds("1 passed");
}

#[test]
fn format_of_a_plan_holds_in_every_state() {
    let files = std::fs::read_dir(home("states/student/states")).unwrap();
    let cases = files.map(|file| {
        let name = file.unwrap().file_name().into_string().unwrap();
        format!("  - {{here: {}}}\n", name.strip_suffix(".md").unwrap())
    });
    let cases: Vec<String> = cases.collect();
    let cases = cases.concat();
    let scenario = format!(
        "scenario: A long plan\nmodel: states/student\ncases:\n{cases}start: {{state: '{{{{here}}}}'}}\nturns:\n  \
         - {{say: План, reply: 'Пн — а. Вт — б. Ср — в. Чт — г. Сегодня — а. Микрошаг на сегодня: б.', expect: {{violations: \
         [{{limit: шаги на неделю, found: 4, max: 3}}, {{limit: микрошаг на сегодня, found: 2, max: 1}}]}}}}\n"
    );
    Project::new()
        .with("states/student")
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test"])
        .succeeds("19 passed");
}

#[test]
fn missing_data_is_replaced_by_one_to_three_questions() {
    let states = [
        ("dt_consent", "no_dt_mode"),
        ("init", "plan_entry"),
        ("init", "weekly_reflection"),
        ("weekly_reflection_save", "next_week_planning"),
    ];
    let project = Project::new().with("states/student");
    for (from, to) in states {
        let scenario = |reply: &str, after: &str, left: &str| {
            format!(
                "scenario: '{reply}'\nmodel: states/student\nstart: {{state: {from}, consent: {{read: false}}}}\nturns:\n  \
                 - {{goto: {to}, reply: '{reply}', expect: {{state: {to}, violations: {after}}}}}\n  \
                 - {{goto: init, expect: {{state: init, violations: {left}}}}}\n"
            )
        };
        let scenarios = [
            scenario(
                "Понятно.",
                "[]",
                "[{limit: вопросы вместо данных, found: 0, min: 1}]",
            ),
            scenario("Что удалось?", "[]", "[]"),
            scenario("Что? Где? Когда?", "[]", "[]"),
            scenario(
                "Что? Где? Когда? Зачем?",
                "[{limit: уточняющие вопросы, found: 4, max: 3}]",
                "[]",
            ),
        ];
        project.write("scenarios/a.yaml", scenarios.join("---\n"));
        project.fsmsim(["test"]).about(to).succeeds("4 passed");
    }
}

#[test]
fn saved_plan_and_result_name_a_step_for_today() {
    let left = |from: &str, to: &str, reply: &str, violations: &str| {
        let scenario = format!(
            "scenario: Saved\nmodel: states/student\nstart: {{state: {from}, consent: {{write: false}}}}\nturns:\n  \
             - {{goto: {to}, reply: '{reply}', expect: {{state: {to}, violations: []}}}}\n  \
             - {{goto: init, expect: {{state: init, violations: {violations}}}}}\n"
        );
        Project::new()
            .with("states/student")
            .file("scenarios/a.yaml", scenario)
            .fsmsim(["test"])
            .about(to)
            .succeeds("1 passed");
    };
    let none = "[{limit: шаги на неделю, found: 0, min: 2}, {limit: микрошаг на сегодня, found: 0, min: 1}]";
    left("plan_invariants", "plan_save", "Сохранено.", none);
    left(
        "plan_invariants",
        "plan_save",
        "Пн — глава. Чт: заметка. Сегодня — открыть главу.",
        "[]",
    );
    left(
        "assess_stage",
        "assessment_result",
        "Хорошее начало.",
        "[{limit: микрошаг на сегодня, found: 0, min: 1}]",
    );
    // A result is not a plan for the week.
    left(
        "assess_stage",
        "assessment_result",
        "Микрошаг на сегодня: одна запись.",
        "[]",
    );
}

/// The menu of the example dialogue, and the user's request in it.
#[test]
fn menu_of_the_document_is_understood() {
    let project = Project::new().with("states/student");
    for (say, to) in [
        ("Подвести итоги недели", "weekly_reflection"),
        ("Спланировать обучение", "plan_entry"),
        ("Определить ступень", "test_start"),
        ("Протестируй меня", "test_start"),
    ] {
        let run = project
            .fsmsim(["run", "states/student", "--llm", "examples"])
            .args(["--start", "{consent: {read: false}}", "--format", "jsonl"])
            .stdin(format!("{say}\n"))
            .run();
        assert_eq!(turns(&run.stdout)[0]["state"]["to"], to, "{run}");
    }
}

#[test]
fn navigations_are_counted_as_turns() {
    let project = Project::new().with("states/student");
    project
        .fsmsim(["run", "states/student"])
        .stdin("test_start\nassess_stage\n:data\n:context\n")
        .succeeds("turns 2");
    let trace = project
        .fsmsim(["trace", "states/student", "--turns", "-"])
        .stdin(r#"{"id": "t", "turns": [{"goto": "test_start"}, {"goto": "assess_stage"}]}"#)
        .succeeds("");
    let numbers: Vec<Value> = turns(&trace)
        .iter()
        .map(|turn| turn["turn_number"].clone())
        .collect();
    assert_eq!(numbers, [json!(1), json!(2)]);
}

#[test]
fn data_that_a_state_saves_is_known_to_the_model() {
    let project = Project::new().with("states/student");
    project
        .fsmsim(["run", "states/student", "--start", "{state: assess_stage}"])
        .stdin("assessment_result assessment={stage: практикующий, signs: [ритм]}\n:save scenarios/a.yaml\n")
        .succeeds("");
    let saved = project.read("scenarios/a.yaml");
    assert!(
        saved.contains("assessment") && !saved.contains("foreign"),
        "{saved}"
    );
    project.fsmsim(["test"]).succeeds("1 passed");
    // A persona can have such data, too.
    project.write(
        "fixtures/personas/student/a.yaml",
        "persona: a\nweights: [{move: forward, weight: 1}]\ndata: {assessment: {stage: практикующий}, focus: раздел}\nmax_turns: 3\n",
    );
    project
        .fsmsim([
            "simulate",
            "states/student",
            "--personas",
            "fixtures/personas/student",
            "--persona",
            "a",
            "--dialogues",
            "2",
        ])
        .succeeds("");
}

#[test]
fn return_from_consent_covers_its_transition() {
    let scenario = "\
scenario: Agreed
model: coach
start: {twin: week.json}
turns:
  - {goto: plan, expect: {state: dt_consent}}
  - {say: 'Yes', consent: {read: true}, expect: {state: plan}}
  - {goto: done, expect: {state: done}}
---
scenario: Agreed by a navigation
model: coach
start: {twin: week.json}
turns:
  - {goto: plan, expect: {state: dt_consent}}
  - {say: 'No', goto: no_dt_mode, consent: {read: false}, expect: {state: no_dt_mode}}
  - {goto: init, expect: {state: init}}
";
    coach()
        .file("scenarios/a.yaml", scenario)
        .fsmsim(["test", "--coverage", "--require", "transitions=100"])
        .succeeds("");
}

#[test]
fn cooperative_user_agrees_and_reaches_the_end() {
    let run = coach()
        .fsmsim(["simulate", "coach", "--persona", "cooperative"])
        .args(["--start", "{twin: week.json}", "--dialogues", "50"])
        .succeeds("");
    assert!(
        run.contains("100.0%") && !run.contains("no_dt_mode"),
        "{run}"
    );
}

#[test]
fn missing_data_store_is_named_as_a_reason() {
    let shown = coach()
        .fsmsim(["run", "coach"])
        .stdin("plan\nyes\n:why\n")
        .succeeds("");
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("no data store (`twin`) is set, or it does not respond"),
        "{shown}"
    );
}

#[test]
fn quoted_entry_triggers_are_examples_for_the_recognizer() {
    let run = Project::new()
        .with("states/student")
        .fsmsim(["run", "states/student", "--llm", "examples"])
        .args(["--format", "jsonl"])
        .stdin("Проверь меня\n")
        .run();
    assert_eq!(turns(&run.stdout)[0]["state"]["to"], "test_start", "{run}");
}
