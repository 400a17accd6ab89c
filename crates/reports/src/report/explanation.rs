//! Why something is known, for people and for programs.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use fsmsim_adapters::world::Explanation;
use fsmsim_core::machine::Value;
use fsmsim_syntax::terminal::printable;

/// Writes why something is known: what it is, from what it comes, and what began its task.
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
        let said = |pointer: &str| words(entry.pointer(pointer));
        let told = match &**relation {
            "plan" => said("/what/plan"),
            "tests" => match entry.pointer("/what/measurable_effect") {
                Some(effect) => format!("{}: {}", said("/what/capability"), words(Some(effect))),
                None => format!("{} succeeded", said("/what/capability")),
            },
            "report" => format!("{}: {}", said("/what/verdict"), said("/what/report")),
            _ => said("/what/found"),
        };
        row(relation, &format!("{told} ({})", place(entry)))?;
    }
    for (number, entry) in explanation.origin.iter().enumerate() {
        row(
            if number == 0 { "begun by" } else { "before it" },
            &format!("{} ({})", event(entry), place(entry)),
        )?;
    }
    if let Some(entry) = &explanation.written {
        row("audit", &format!("entry {}", words(entry.get("number"))))?;
    }
    Ok(())
}

/// What began a task, in words.
fn event(entry: &Json) -> String {
    let said = |pointer: &str| words(entry.pointer(pointer));
    match said("/kind").as_str() {
        "observed" => format!(
            "observation {}: {} of {}",
            said("/what/observation_id"),
            said("/what/signal"),
            said("/what/source")
        ),
        _ => format!(
            "task {} was submitted: {}",
            said("/task"),
            said("/what/description")
        ),
    }
}

/// Where an entry stands.
fn place(entry: &Json) -> String {
    let said = |pointer: &str| words(entry.pointer(pointer));
    let at = entry
        .get("at")
        .and_then(Json::as_str)
        .map_or_else(String::new, |at| format!(" at {at}"));
    format!(
        "turn {} of `{}`{at}, entry {}",
        said("/turn"),
        said("/session"),
        said("/number")
    )
}

/// A value as people are told it; nothing where there is none.
fn words(value: Option<&Json>) -> String {
    value
        .filter(|value| !value.is_null())
        .map(|value| Value::from(value.clone()).in_words())
        .unwrap_or_default()
}

/// The same as JSON.
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
        "sources": sources.collect::<Vec<_>>(),
        "origin": explanation.origin,
    })
}
