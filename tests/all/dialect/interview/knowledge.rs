//! The context for phrasing a question: gaps in the last answer, and matching sections of the interview's knowledge.

use std::os::unix::fs::symlink;

use crate::support::Project;

const TRIP: &str = "\
kind: interview
language: ru
limits: {questions: 6, follow_ups: 1}
knowledge: [know]
points:
  budget:
    name: Бюджет
    about: Сколько стоит проект
    priority: P0
    questions: [Какой бюджет?, Какая сумма?]
    criteria: {min_length: 10, any_keyword: [рублей]}
  partners: {name: Партнёры, priority: P1, questions: [Кто помогает?, Кто ещё?]}
";

const GUIDE: &str = "\
# Руководство

Введение.

## Бюджеты

Смета нужна по статьям.

## Партнёрам

Письма поддержки прилагают.

## Пусто
";

/// A mock whose replies depend on the context that it receives.
const MOCK: &str = "\
rules:
  - {need: phrase, context: 'missing in the last answer: at least 10 characters; one of: рублей', answer: {reply: Сколько рублей?}}
  - {need: phrase, context: 'missing', answer: {reply: Чего-то нет.}}
  - {need: phrase, context: 'background:\\n- Руководство, Бюджеты: Смета нужна по статьям\\.', answer: {reply: Какая смета?}}
  - {need: phrase, context: 'background:\\n- Руководство, Партнёрам: Письма', answer: {reply: Есть письма?}}
";

fn project(trip: &str, turns: &str) -> Project {
    let scenario = format!("scenario: A trip\nmodel: trip.yaml\nllm: mock.yaml\nturns:\n{turns}");
    Project::new()
        .file("trip.yaml", trip)
        .file("mock.yaml", MOCK)
        .file("s.yaml", scenario)
}

const ASKED: &str = "  - {open: true, expect: {replies: {contains: [Какая смета?]}}}\n";
const UNKNOWN: &str = "  - {open: true, expect: {replies: {contains: [Какой бюджет?]}}}\n";

#[test]
fn only_follow_ups_get_the_missing_parts_of_the_answer() {
    let turns = "  - {open: true}
  - {say: много, expect: {state: budget__again, replies: [Сколько рублей?]}}
  - {say: совсем много денег, expect: {state: partners, replies: [Есть письма?]}}
";
    project(TRIP, turns)
        .file("know/guide.md", GUIDE)
        .fsmsim(["test", "s.yaml"])
        .succeeds("1 passed in 3 turns");
    // With an assessment, the missing parts come from the assessment.
    let judged = "  - {open: true}
  - say: сто тысяч рублей
    answers: [{need: assess, answer: {completeness: 0.2, missing: [статьи]}}]
    expect: {state: budget__again, replies: [Чего-то нет.]}
";
    project(TRIP, judged)
        .file("know/guide.md", GUIDE)
        .fsmsim(["test", "s.yaml"])
        .succeeds("1 passed in 2 turns");
}

#[test]
fn sections_match_any_word_form_of_the_question() {
    let project = project(TRIP, ASKED)
        .file("know/deep/guide.md", GUIDE)
        .file("know/a.md", "# Погода\n\nДождь.\n");
    project
        .fsmsim(["test", "s.yaml"])
        .succeeds("1 passed in 1 turn");
    project
        .fsmsim(["trace", "s.yaml"])
        .succeeds("\"by\":\"mock\"");
}

#[test]
fn missing_knowledge_causes_one_warning() {
    let two = format!("{UNKNOWN}---\nscenario: Another\nmodel: trip.yaml\nturns:\n{UNKNOWN}");
    let project = project(
        &TRIP.replace("[know]", "[know, gone.md, know/bad.md]"),
        &two,
    )
    .file("know/bad.md", b"# \xff\xfe Budget\n")
    .file("know/heading.md", "# Бюджет\n\n## Бюджет проекта\n");
    let run = project.fsmsim(["trace", "s.yaml"]).warns("", "");
    let warnings: Vec<&str> = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("warning"))
        .collect();
    let prefix = "warning[FS0169]: cannot use knowledge for questions: ";
    let whys = [
        "`know/bad.md` is not UTF-8 text",
        "cannot find `gone.md`",
        "`know/bad.md` is not UTF-8 text",
    ];
    assert_eq!(warnings, whys.map(|why| format!("{prefix}{why}")), "{run}");
}

#[test]
fn knowledge_outside_the_project_is_not_read() {
    let outside = Project::new().file("secret.md", "# Бюджет\n\nСмета тайная.\n");
    let elsewhere = outside.path().join("secret.md");
    let named = TRIP.replace("[know]", &format!("[{}]", elsewhere.display()));
    let run = project(&named, UNKNOWN).fsmsim(["test", "s.yaml"]).run();
    assert!(
        run.stderr.contains("error[FS0305]") && run.stderr.contains("is outside the project"),
        "{run}"
    );
    let project = project(TRIP, ASKED).file("know/guide.md", GUIDE);
    symlink(&elsewhere, project.path().join("know/secret.md")).unwrap();
    symlink(
        project.path().join("know"),
        project.path().join("know/again"),
    )
    .unwrap();
    project
        .fsmsim(["test", "s.yaml"])
        .warns("1 passed in 1 turn", "warning: 2 warnings in 1 model");
    let run = project.fsmsim(["lint", "trip.yaml"]).run();
    for warning in [
        "`know/again` links to a parent directory",
        "`know/secret.md` is outside the project",
    ] {
        assert!(run.stderr.contains(warning), "{run}");
    }
}

#[test]
fn knowledge_above_the_size_limit_is_skipped() {
    let line = "Смета нужна по статьям. Budget NEAR( \" * of «all» things.\n";
    let project = project(TRIP, UNKNOWN).file("know/guide.md", line.repeat(10 << 20 >> 6));
    project
        .fsmsim(["test", "s.yaml"])
        .warns("1 passed in 1 turn", "warning: 1 warning in 1 model");
    let run = project.fsmsim(["lint", "trip.yaml"]).run();
    assert!(run.stderr.contains("limit 4.0 MiB"), "{run}");
    let large = format!("# Руководство\n\n## Бюджеты\n\n{}", line.repeat(20_000));
    let sections = "## Дела\n\nОдно.\n\n".repeat(20_000);
    project.write("know/guide.md", large);
    project.write("know/many.md", sections);
    project.write(
        "s.yaml",
        project
            .read("s.yaml")
            .replace("Какой бюджет?", "Какая смета?"),
    );
    project
        .fsmsim(["test", "s.yaml"])
        .warns("1 passed in 1 turn", "warning: ");
    let run = project.fsmsim(["lint", "trip.yaml"]).run();
    assert!(
        run.stderr.contains("`know/many.md` exceeds the limit of"),
        "{run}"
    );
}

#[test]
fn words_of_an_answer_are_not_search_operators() {
    for said in [
        "\\\" партнёры",
        "NEAR(партнёры",
        "партнёры* ^ : -x",
        "«партнёры» AND (",
        "stems: партнёры OR \\u0000",
    ] {
        let turns = format!(
            "  - open: true\n  - say: \"{said} сто тысяч рублей\"\n    expect: {{state: partners, replies: [Есть письма?]}}\n"
        );
        project(TRIP, &turns)
            .file("know/guide.md", GUIDE)
            .fsmsim(["test", "s.yaml"])
            .succeeds("1 passed in 2 turns");
    }
}

#[test]
fn knowledge_is_a_path_or_a_list_of_paths() {
    for written in ["{know: true}", "[[know]]"] {
        let run = project(&TRIP.replace("[know]", written), UNKNOWN)
            .fsmsim(["test", "s.yaml"])
            .run();
        assert!(
            run.code == 2
                && run
                    .stderr
                    .contains("expected a string for a path of `knowledge`"),
            "{written}\n{run}"
        );
    }
    project(&TRIP.replace("[know]", "know"), ASKED)
        .file("know/guide.md", GUIDE)
        .fsmsim(["test", "s.yaml"])
        .succeeds("1 passed");
}
