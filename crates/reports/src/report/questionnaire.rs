//! The completed questionnaire of an interview, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};
use unicode_width::UnicodeWidthStr;

use fsmsim_core::engine::policy::inquiry::{PointState, Questionnaire, QuestionnairePoint};
use fsmsim_syntax::diagnostic::plural;
use fsmsim_syntax::terminal::printable;

/// The columns of a horizontal rule.
const WIDTH: usize = 60;

/// Writes the questionnaire as text. Missing required answers are marked.
pub fn write_questionnaire(questionnaire: &Questionnaire, out: &mut impl Write) -> io::Result<()> {
    let rule = "=".repeat(WIDTH);
    writeln!(
        out,
        "{rule}\n{}\n{}\n{rule}",
        printable(&questionnaire.title),
        printable(&questionnaire.id)
    )?;
    for point in &questionnaire.points {
        let mark = if point.is_missing() { "! " } else { "" };
        writeln!(out, "\n{mark}{}", printable(&point.label))?;
        let text = point.text();
        for line in text.lines() {
            writeln!(out, "  {}", printable(line))?;
        }
        if let Some(lacks) = lacking(point, questionnaire) {
            writeln!(out, "  — {lacks}")?;
        }
    }
    let missing: Vec<String> = questionnaire
        .missing()
        .map(|point| printable(&point.label))
        .collect();
    writeln!(out, "\n{}", "-".repeat(WIDTH))?;
    let status = printable(&questionnaire.status);
    let words = questionnaire.words;
    if missing.is_empty() {
        writeln!(out, "{status}: {}", words.complete)?;
    } else {
        writeln!(out, "{status}: {}: {}", words.missing, missing.join(", "))?;
    }
    if questionnaire.lacks_times() {
        writeln!(out, "{}", words.untimed)?;
    }
    Ok(())
}

/// Why the answer to a question topic is incomplete or missing.
fn lacking(point: &QuestionnairePoint, questionnaire: &Questionnaire) -> Option<String> {
    let words = questionnaire.words;
    let other = questionnaire
        .points
        .iter()
        .find(|other| point.waits_for.as_ref() == Some(&other.id));
    match other {
        _ if point.state == PointState::Completed => None,
        Some(other) => Some(format!(
            "{}: {}",
            words.passed_over,
            printable(&other.label)
        )),
        None if point.answers.is_empty() => Some(words.unanswered.to_owned()),
        None => Some(words.partial.to_owned()),
    }
}

/// The questionnaire as JSON: formatted answers by label, and raw answers by the keys of the interview.
pub fn questionnaire_json(questionnaire: &Questionnaire) -> Json {
    let answered = questionnaire
        .points
        .iter()
        .filter(|point| !point.answers.is_empty());
    let formatted: Map<String, Json> = answered
        .map(|point| (point.label.clone(), point.text().into()))
        .collect();
    let raw: Map<String, Json> = questionnaire
        .points
        .iter()
        .map(|point| (point.field.clone(), point_json(point)))
        .collect();
    let missing: Vec<&str> = questionnaire.missing().map(|point| &*point.id).collect();
    let mut json = json!({
        "anketa_id": questionnaire.id,
        "title": questionnaire.title,
        "completion_status": questionnaire.status,
        "complete": missing.is_empty(),
        "missing": missing,
        "finished_by": questionnaire.finished_by,
        "started_at": questionnaire.started_at,
        "completed_at": questionnaire.completed_at,
        "answers_data": formatted,
        "interview_data": raw,
    });
    let untimed = json.as_object_mut().filter(|_| questionnaire.lacks_times());
    if let Some(map) = untimed {
        map.insert("times".to_owned(), "unknown".into());
    }
    json
}

fn point_json(point: &QuestionnairePoint) -> Json {
    let mut json = json!({
        "point": point.id,
        "priority": <&str>::from(point.priority),
        "state": point.state.name(),
        "confidence": point.confidence,
        "answers": point.answers,
    });
    let more = [
        (
            "earlier",
            (!point.earlier.is_empty()).then(|| json!(point.earlier)),
        ),
        (
            "waits_for",
            point.waits_for.as_ref().map(|other| json!(other)),
        ),
    ];
    if let Some(map) = json.as_object_mut() {
        map.extend(
            more.into_iter()
                .filter_map(|(key, value)| Some((key.to_owned(), value?))),
        );
    }
    json
}

/// Writes the question topics as a table: name, state, number of answers.
pub fn write_points(questionnaire: &Questionnaire, out: &mut impl Write) -> io::Result<()> {
    let width = questionnaire
        .points
        .iter()
        .map(|point| printable(&point.id).width())
        .max()
        .unwrap_or(0);
    for point in &questionnaire.points {
        let id = printable(&point.id);
        let gap = " ".repeat(width - id.width());
        let answers = match point.answers.len() {
            0 => String::new(),
            count => format!("   {}", plural(count, "answer")),
        };
        let waits = point
            .waits_for
            .as_deref()
            .map(|other| format!("   waits for {}", printable(other)));
        let (priority, state): (&str, &str) = (point.priority.into(), point.state.name());
        writeln!(
            out,
            "{priority}  {id}{gap}  {state:<11}  {:.2}{answers}{}",
            point.confidence,
            waits.unwrap_or_default()
        )?;
    }
    Ok(())
}
