//! Interactive interviews: the agent speaks first, and each input line is an answer.

use super::diary::{kept, store};
use crate::support::{Project, turns};

/// The replies of the agent.
fn said(stdout: &str) -> Vec<&str> {
    stdout
        .lines()
        .filter(|line| line.starts_with("  says "))
        .collect()
}

#[test]
fn interview_starts_with_the_agent_and_takes_lines_as_answers() {
    let project = Project::library();
    let run = project
        .fsmsim(["run", "flows/grant_interview.yaml"])
        .stdin("Лук / 20 занятий\n/ edit\n:reset\n")
        .run();
    let first = [
        "  says       Привет! Я помогу заполнить анкету для гранта. Отвечайте на вопросы, и я соберу всё необходимое.",
        "  says       Как называется ваш проект?",
    ];
    let asked = [
        &first[..],
        &["  says       Какую цель вы преследуете этим проектом?"],
        &first[..],
    ]
    .concat();
    assert_eq!(said(&run.stdout), asked);
    assert!(run.stdout.starts_with("start > / open\n"), "{}", run.stdout);
    assert!(
        run.stdout.contains(" > / edit\n  state      project_goal "),
        "{}",
        run.stdout
    );
}

#[test]
fn typed_opening_after_the_automatic_one_has_no_effect() {
    let run = Project::library()
        .fsmsim(["run", "flows/grant_interview.yaml"])
        .stdin("/ open\nЛук\n/ open\n:trace\n")
        .run();
    assert!(
        run.code == 0 && run.stdout.contains("the dialogue is already open"),
        "{run}"
    );
    // A later `open` is a turn like any other.
    assert_eq!(turns(&run.stdout).len(), 3, "{run}");
}

/// The recorded requests of a turn: the kind of need, and whether it was answered.
fn answers(turn: &serde_json::Value) -> Vec<(&str, bool)> {
    let answers = turn["answers"].as_array().unwrap();
    answers
        .iter()
        .map(|answer| {
            (
                answer["need"].as_str().unwrap(),
                !answer["answer"].is_null(),
            )
        })
        .collect()
}

#[test]
fn resumed_turn_does_not_assess_an_answer_already_saved() {
    const LINES: &str = "Лук\nПомочь\n";
    let mock = "rules: [{need: assess, answer: {completeness: 1.0}}]\n";
    let project = Project::library().file("mock.yaml", mock);
    let play =
        |name: &str| project.fsmsim(["run", "flows/grant_interview.yaml", "--session", name]);
    play("calm").stdin(LINES).warns("", "started the session");
    play("ann").stdin("Лук\n").warns("", "started the session");
    // The store saves the answers of the turn, but not the complete turn, as if the process was killed just before its end.
    let stop = "CREATE TRIGGER stop BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'stop'); END";
    store(&project).execute_batch(stop).unwrap();
    play("ann").stdin("Помочь\n").fails(2, "", "stop");
    store(&project).execute_batch("DROP TRIGGER stop").unwrap();
    let left = kept(&project, "ann");
    assert_eq!((left.turns, left.line.as_deref()), (2, Some("Помочь")));
    let needs: Vec<_> = left
        .answers
        .iter()
        .map(|(need, effect, _)| (need.as_str(), effect.as_str()))
        .collect();
    assert_eq!(needs, [("assess", ""), ("effect", "save")]);
    let second = |name: &str, llm: &[&str]| {
        turns(&play(name).args(llm).stdin(":trace\n").run().stdout).remove(2)
    };
    let (calm, again) = (
        second("calm", &[]),
        second("ann", &["--llm", "mock:mock.yaml"]),
    );
    // The provider is available now, but the answer was saved without an assessment, so it is not called.
    assert_eq!(answers(&calm)[..2], [("assess", false), ("effect", true)]);
    assert_eq!(
        again["answers"].as_array().unwrap()[..2],
        calm["answers"].as_array().unwrap()[..2]
    );
    assert_eq!(
        (&again["state"], &again["points"]),
        (&calm["state"], &calm["points"])
    );
}

#[test]
fn saved_answers_of_an_interrupted_turn_are_used() {
    let project = Project::library();
    let play = || project.fsmsim(["run", "flows/grant_interview.yaml", "--session", "ann"]);
    play().stdin("Лук\n").warns("", "started the session");
    let left = [
        "INSERT INTO progress VALUES ('ann', 3, 'Помочь')",
        r#"INSERT INTO answers SELECT 'ann', 'effect', 'save', 0, 0, '{"answer":"done","by":null,"failed":[]}', memory
           FROM sessions"#,
    ];
    for left in left {
        store(&project).execute(left, ()).unwrap();
    }
    let shown = play()
        .stdin("")
        .warns("  effect     save", "the interrupted turn 3 is run again")
        .stdout;
    assert_eq!(
        said(&shown),
        ["  says       Чего именно вы хотите достичь и для кого?"]
    );
}

#[test]
fn resumed_interview_repeats_its_last_question() {
    let points = "points: {a: {name: a, priority: P0, questions: [A?]}, b: {name: b, priority: P1, questions: [B?]}}";
    let project = Project::new().file(
        "i.yaml",
        format!("kind: interview\ninterview: {{name: i}}\n{points}\n"),
    );
    let play = || project.fsmsim(["run", "i.yaml", "--session", "ann"]);
    play().stdin("one\n").warns("", "started the session");
    for _ in 0..2 {
        let shown = play()
            .stdin(":points\n")
            .warns("", "resumed the session")
            .stdout;
        assert!(
            shown.starts_with("  says       B?\nb > :points\n"),
            "{shown}"
        );
    }
    let shown = play().stdin("two\n").run().stdout;
    assert!(shown.contains("the dialogue has ended"), "{shown}");
    // An interview that has ended asks nothing.
    assert_eq!(play().stdin("").run().stdout, "");
}
