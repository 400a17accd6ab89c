//! Interviews by hand: the agent speaks first, and what is typed is the answer.

use crate::support::Project;

/// What the agent said.
fn said(stdout: &str) -> Vec<&str> {
    stdout.lines().filter(|line| line.starts_with("  says ")).collect()
}

#[test]
fn an_interview_begins_with_the_agent_and_any_line_is_an_answer() {
    let project = Project::library();
    let run = project.fsmsim(["run", "flows/grant_interview.yaml"]).stdin("Лук / 20 занятий\n/ edit\n:reset\n").run();
    let first = [
        "  says       Привет! Я помогу заполнить анкету для гранта. Отвечайте на вопросы, и я соберу всё необходимое.",
        "  says       Как называется ваш проект?",
    ];
    let asked = [&first[..], &["  says       Какую цель вы преследуете этим проектом?"], &first[..]].concat();
    assert_eq!(said(&run.stdout), asked);
    assert!(run.stdout.starts_with("start [documented] > / open\n"), "{}", run.stdout);
    assert!(run.stdout.contains("[documented] > / edit\n  state      project_goal "), "{}", run.stdout);
}
