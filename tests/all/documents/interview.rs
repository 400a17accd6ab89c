//! The example dialogues of the interview's document, and agents of transcripts that differ from their interview.

use serde_json::{Value, json};

use super::document;
use crate::support::{Project, turns};

/// The turns of an example dialogue, played as it is in the document.
fn example(number: u32) -> Option<Vec<Value>> {
    let text = document("## Примеры Диалогов")?;
    let heading = text
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .find(|heading| heading.starts_with(&format!("Пример {number}:")))
        .unwrap();
    let front = format!(
        "---\nscenario: Example\nmodel: flows/grant_interview_11.yaml\nsection: \"{heading}\"\n---\n"
    );
    let project = Project::new()
        .with("flows/grant_interview.yaml")
        .with("flows/grant_interview_11.yaml")
        .file("scenarios/example.md", front + &text);
    project
        .fsmsim(["test", "scenarios/example.md"])
        .fails(1, "other_question", "");
    let trace = project
        .fsmsim(["trace", "scenarios/example.md"])
        .succeeds("");
    Some(turns(&trace))
}

/// The state after each turn, and the point that the model would have asked about, if it differs.
fn path(turns: &[Value]) -> Vec<String> {
    let step = |turn: &Value| {
        let others = turn["violations"].as_array().into_iter().flatten();
        let mut others = others.filter(|violation| violation["fault"] == "other_question");
        let state = turn["state"]["to"].as_str().unwrap();
        match others.next() {
            Some(other) => format!("{state} instead of {}", other["expected"].as_str().unwrap()),
            None => state.to_owned(),
        }
    };
    turns.iter().map(step).collect()
}

/// The answers to a point after the last turn.
fn answers<'t>(turns: &'t [Value], id: &str) -> &'t Value {
    let points = turns.last().unwrap()["points"].as_array().unwrap();
    &points.iter().find(|point| point["id"] == id).unwrap()["answers"]
}

#[test]
fn first_example_of_the_document_plays_verbatim() {
    let Some(turns) = example(1) else { return };
    assert_eq!(
        path(&turns),
        [
            "project_name",
            "project_goal",
            "problem_description",
            "target_audience",
            "project_budget",
            "team instead of methodology",
            "methodology",
            "results",
            "partners instead of sustainability",
            "sustainability",
            "risks",
            "done",
        ]
    );
    assert_eq!(
        answers(&turns, "team"),
        &json!(["Клуб \"Луки и стрелы\", наши тренеры и волонтёры"])
    );
    let last = turns.last().unwrap();
    let is_complete = |point: &Value| point["state"] == "completed";
    assert!(last["points"].as_array().unwrap().iter().all(is_complete));
    assert_eq!(
        [
            &last["counters"]["questions"],
            &last["counters"]["follow_ups"]
        ],
        [11, 0]
    );
}

#[test]
fn second_example_of_the_document_plays_verbatim() {
    let Some(turns) = example(2) else { return };
    assert_eq!(
        path(&turns),
        [
            "project_name",
            "project_goal",
            "target_audience instead of project_goal",
            "problem_description instead of target_audience",
            "target_audience__again instead of project_budget",
            "project_budget",
        ]
    );
    assert_eq!(answers(&turns, "project_goal"), &json!(["Помочь людям"]));
    assert_eq!(
        answers(&turns, "target_audience"),
        &json!(["Студентам", "Примерно 500 студентов в первый год"])
    );
    let counters = &turns.last().unwrap()["counters"];
    assert_eq!([&counters["questions"], &counters["follow_ups"]], [6, 1]);
}

const TRIP: &str = "\
kind: interview
limits: {questions: 6, follow_ups: 1}
points:
  where: {name: the place, priority: P0, questions: [Where do you want to go?, Which country would it be?]}
  when: {name: the time, priority: P0, questions: [When do you want to travel?, Which month suits you?]}
  hotel: {name: the hotel, priority: P1, questions: [Which hotel do you like?, Which street?]}
texts: {closing: [Have a good trip.]}
";

fn trip(talk: &str) -> Project {
    Project::new().file("trip.yaml", TRIP).file(
        "scenarios/talk.md",
        format!("---\nscenario: A trip\nmodel: trip.yaml\n---\n{talk}"),
    )
}

#[test]
fn answer_belongs_to_the_question_of_the_agent() {
    let talk = "\
[AGENT] Hello!

[AGENT] Where do you want to go?
<!-- expect: {state: where, phase: EXPLORING, counters: {questions: 1}} -->

[USER] To Norway

[AGENT] And which hotel do you like there?
<!-- expect: {state: hotel, counters: {questions: 2}}, expected_failure: {violations: the time matters more} -->

[USER] The one at the harbor

[AGENT] When will you travel?
<!-- expect: {state: when, points: {contains: [{id: hotel, state: completed, answers: [The one at the harbor]}]}} -->

[USER] In June

[AGENT] Have a good trip.
<!-- expect: {state: done, counters: {questions: 3, follow_ups: 0, asked_when: 1, asked_hotel: 1}} -->
";
    let project = trip(talk);
    project.fsmsim(["test"]).succeeds("in 4 turns");
    // The line of the agent is not added to the messages of the interview.
    let trace = project.fsmsim(["trace", "scenarios/talk.md"]).succeeds("");
    let replies: Vec<_> = turns(&trace)
        .iter()
        .map(|turn| turn["replies"].clone())
        .collect();
    assert_eq!(
        replies[1..],
        [
            json!(["And which hotel do you like there?"]),
            json!(["When do you want to travel?"]),
            json!(["Have a good trip."])
        ]
    );
}

#[test]
fn agent_that_ends_too_early_violates_the_interview() {
    let talk = "[AGENT] Where do you want to go?\n\n[USER] To Norway\n\n[AGENT] Have a good trip.\n<!-- expect: {state: when} -->\n";
    let run = trip(talk).fsmsim(["test"]).fails(1, "other_question", "");
    insta::assert_snapshot!(run.shown());
}

#[test]
fn paraphrased_question_is_not_a_violation() {
    let talk = "[AGENT] Hi. So, where to?\n\n[USER] To Norway\n\n[AGENT] Wonderful, tell me more.\n<!-- expect: {state: when} -->\n";
    trip(talk).fsmsim(["test"]).succeeds("1 passed in 2 turns");
}

#[test]
fn second_mock_of_a_chain_answers_if_the_first_one_fails() {
    let chain = "\
[[llm.chain]]
name = \"gigachat\"
kind = \"mock\"
file = \"first.yaml\"

[[llm.chain]]
name = \"claude\"
kind = \"mock\"
file = \"second.yaml\"
";
    let project = trip("[USER] Hello\n\n[AGENT] Hello! Where to, please?\n")
        .file(
            "first.yaml",
            "rules: [{need: phrase, fault: server_error}]\n",
        )
        .file(
            "second.yaml",
            "rules: [{need: phrase, answer: {reply: 'Where to, please?'}}]\n",
        )
        .file("fsmsim.toml", chain);
    let names = |llm: &str| {
        let trace = project
            .fsmsim(["trace", "scenarios/talk.md", "--llm", llm])
            .run()
            .stdout;
        let answers = turns(&trace)[0]["answers"].clone();
        let answers = answers.as_array().unwrap();
        let phrase = answers.iter().find(|answer| answer["need"] == "phrase");
        let phrase = phrase.unwrap();
        (phrase["by"].clone(), phrase["failed"][0]["by"].clone())
    };
    assert_eq!(names("live"), (json!("claude"), json!("gigachat")));
    let listed = ("mock:second.yaml", "mock:first.yaml");
    assert_eq!(
        names("mock:first.yaml,mock:second.yaml"),
        (json!(listed.0), json!(listed.1))
    );
    assert_eq!(names("mock:second.yaml"), (json!("mock"), json!(null)));
}

#[test]
fn question_is_asked_again_though_the_first_is_not_here() {
    let talk = "\
scenario: From the middle
model: trip.yaml
start: {state: where}
turns:
  - say: Away
    answer: {completeness: 0.2}
    expect:
      state: where__again
      replies: [\"Which country would it be?\"]
      counters: {asked_where: 2, questions: 1, follow_ups: 1}
      data: {completion_status: in_progress}
      effects: [{effect: save, outcome: done}]
  - {say: Norway, expect: {state: when, replies: [\"When do you want to travel?\"]}}
---
scenario: A point that other answers covered
model: trip.yaml
turns:
  - open: true
  - {say: \"Norway, any hotel\", answer: {completeness: 1, for: [{point: hotel, completeness: 1, text: any hotel}]}}
  - {edit: {point: hotel, text: The one at the harbor}}
  - {edit: {point: hotel, text: The one in the hills}}
  - {say: In June, expect: {state: done}}
  - {edit: {point: hotel}, expect: {state: hotel__again, replies: [\"Which street?\"]}}
";
    Project::new()
        .file("trip.yaml", TRIP)
        .file("scenarios/middle.yaml", talk)
        .fsmsim(["test"])
        .succeeds("2 passed in 8 turns");
}

#[test]
fn finished_interview_without_times_reports_unknown_times() {
    let project = Project::new().file("trip.yaml", TRIP);
    // The dialogue opens automatically.
    let lines = |at: &str| {
        ["Norway", "In June", "Any"]
            .map(|said| format!("{{\"say\": \"{said}\"{at}}}\n"))
            .concat()
    };
    let show = |at: &str, session: &str| {
        project
            .fsmsim([
                "run",
                "trip.yaml",
                "--session",
                session,
                "--format",
                "jsonl",
            ])
            .stdin(lines(at))
            .run();
        let export = ["sessions", "export", session, "--as", "questionnaire"];
        let text = project.fsmsim(export).run().stdout;
        let json = project.fsmsim(export).args(["--format", "json"]).run();
        (text, json.stdout)
    };
    let (text, json) = show("", "untimed");
    assert!(text.contains("times unknown"), "{text}");
    assert!(json.contains("\"times\": \"unknown\""), "{json}");
    let (text, json) = show(", \"at\": \"2026-01-31T18:00:00Z\"", "timed");
    assert!(
        !text.contains("times unknown") && !json.contains("\"times\""),
        "{text}{json}"
    );
}

#[test]
fn summary_of_the_default_texts_violates_nothing() {
    for (language, answer) in [("en", "yes"), ("ru", "да")] {
        let interview = format!(
            "kind: interview\nlanguage: {language}\nvalidating: true\npoints:\n  \
             a: {{name: the place, priority: P0, questions: [Where?]}}\n"
        );
        let talk = format!(
            "scenario: A summary\nmodel: a.yaml\nturns:\n  - {{open: true}}\n  \
             - {{say: Norway, expect: {{state: summary, violations: []}}}}\n  \
             - {{edit: {{point: a, text: Norway}}, expect: {{state: summary, violations: []}}}}\n  \
             - {{say: {answer}, expect: {{state: done, data: {{finished_by: summary_agreed}}}}}}\n"
        );
        Project::new()
            .file("a.yaml", interview)
            .file("scenarios/a.yaml", talk)
            .fsmsim(["test"])
            .succeeds("1 passed");
    }
}

#[test]
fn words_that_were_not_said_complete_no_point() {
    let talk = "\
scenario: Invented words
model: trip.yaml
turns:
  - open: true
  - say: Norway
    answer: {completeness: 1, for: [{point: hotel, completeness: 1, text: the one at the harbor}]}
    expect: {state: when, points: {contains: [{id: where, state: completed}, {id: hotel, state: not_started}]}}
---
scenario: Other forms of the words
model: trip.yaml
turns:
  - open: true
  - say: \"Norway, and hotels at the harbor\"
    answer: {completeness: 1, for: [{point: hotel, completeness: 1, text: The hotel at the harbor}]}
    expect: {points: {contains: [{id: hotel, state: completed, answers: [\"Norway, and hotels at the harbor\"]}]}}
";
    Project::new()
        .file("trip.yaml", TRIP)
        .file("scenarios/words.yaml", talk)
        .fsmsim(["test"])
        .succeeds("2 passed");
}

#[test]
fn prompt_of_a_question_names_the_point_and_its_priority() {
    let project = Project::new().file("trip.yaml", TRIP);
    let prompt = |state: &str| {
        let call = ["prompt", "trip.yaml", "--need", "phrase", "--state", state];
        project.fsmsim(call).succeeds("one or two polite, plain")
    };
    assert!(prompt("where").contains("Point of the interview: the place (priority P0 of"));
    assert!(prompt("hotel").contains("Point of the interview: the hotel (priority P1 of"));
}
