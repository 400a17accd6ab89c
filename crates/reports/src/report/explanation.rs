//! The provenance of an artifact, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use fsmsim_adapters::stores::Explanation;
use fsmsim_core::machine::Value;
use fsmsim_syntax::terminal::printable;

/// Writes the provenance of an artifact: its content, its sources, and the origin of its task.
pub fn write_explanation(explanation: &Explanation, out: &mut impl Write) -> io::Result<()> {
    let artifact = &explanation.artifact;
    writeln!(out, "{}", printable(&artifact.id))?;
    let mut row = |label: &str, value: &str| writeln!(out, "  {label:11}{}", printable(value));
    let body = |key: &str| words(artifact.body.get(key));
    let validated = if artifact.body.get("is_validated") == Some(&Json::Bool(true)) {
        ", validated"
    } else {
        ""
    };
    row(
        "artifact",
        &format!("{}, {}{validated}", body("type"), body("scope")),
    )?;
    row("content", &body("content"))?;
    row(
        "node",
        &format!("{} ({})", body("node"), body("source_agent")),
    )?;
    row(
        "turn",
        &format!("{} of `{}`", explanation.turn, explanation.session),
    )?;
    let task = explanation
        .sources
        .iter()
        .find(|(relation, _)| relation == "task");
    let description = words(task.and_then(|(_, entry)| entry.pointer("/what/description")));
    row("task", &format!("{}: {description}", artifact.task))?;
    for (relation, entry) in explanation
        .sources
        .iter()
        .filter(|(relation, _)| relation != "task")
    {
        let field = |pointer: &str| words(entry.pointer(pointer));
        let source = match &**relation {
            "plan" => field("/what/plan"),
            "tests" => match entry.pointer("/what/measurable_effect") {
                Some(effect) => format!("{}: {}", field("/what/capability"), words(Some(effect))),
                None => format!("{} succeeded", field("/what/capability")),
            },
            "report" => format!("{}: {}", field("/what/verdict"), field("/what/report")),
            _ => field("/what/found"),
        };
        row(relation, &format!("{source} ({})", place(entry)))?;
    }
    for (number, entry) in explanation.origin.iter().enumerate() {
        row(
            if number == 0 { "started by" } else { "earlier" },
            &format!("{} ({})", event(entry), place(entry)),
        )?;
    }
    if let Some(entry) = &explanation.written {
        row("audit", &format!("entry {}", words(entry.get("number"))))?;
    }
    Ok(())
}

/// The event that started a task, as text.
fn event(entry: &Json) -> String {
    let field = |pointer: &str| words(entry.pointer(pointer));
    match field("/kind").as_str() {
        "observed" => format!(
            "observation {}: {} of {}",
            field("/what/observation_id"),
            field("/what/signal"),
            field("/what/source")
        ),
        _ => format!(
            "task {} was submitted: {}",
            field("/task"),
            field("/what/description")
        ),
    }
}

/// The location of an entry.
fn place(entry: &Json) -> String {
    let field = |pointer: &str| words(entry.pointer(pointer));
    let at = entry
        .get("at")
        .and_then(Json::as_str)
        .map_or_else(String::new, |at| format!(" at {at}"));
    format!(
        "turn {} of `{}`{at}, entry {}",
        field("/turn"),
        field("/session"),
        field("/number")
    )
}

/// A value as text. Empty for `None`.
fn words(value: Option<&Json>) -> String {
    value
        .filter(|value| !value.is_null())
        .map(|value| Value::from(value.clone()).in_words())
        .unwrap_or_default()
}

/// The provenance as JSON.
pub fn explanation_json(explanation: &Explanation) -> Json {
    let sources = explanation
        .sources
        .iter()
        .map(|(relation, entry)| json!({"relation": relation, "entry": entry}));
    json!({
        "artifact": explanation.artifact.found(),
        "session": explanation.session,
        "turn": explanation.turn,
        "written": explanation.written,
        "sources": sources.collect::<Json>(),
        "origin": explanation.origin,
    })
}
