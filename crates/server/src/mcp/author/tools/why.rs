//! The `why` tool: explains a turn.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::limits::{MAX_PART_TEXT, MAX_PARTS_BYTES};
use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::bounded_parts::{CUT, cut_parts, cut_text};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_reports::dialogue_view::{DataView, RuleView, TurnView, truth};

/// Explains a turn of a session: the rules that decided it, with file and line, the rejected proposals, the condition
/// values, and the data changes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WhyCall {
    /// ID of the dialogue (`session` of a `play` result).
    session: String,
    /// Number of the turn (default: the last turn).
    #[schemars(range(min = 1, max = 1000))]
    turn: Option<u32>,
    /// Also return the complete record of the turn.
    #[serde(default)]
    record: bool,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "shortened content does not have this type")]
pub(super) struct WhyAnswer {
    session: String,
    turn: u32,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recognized: Option<String>,
    rules: Vec<JsonObject>,
    lost: Vec<String>,
    rejected: Vec<JsonObject>,
    conditions: Vec<JsonObject>,
    data: Vec<JsonObject>,
}

/// Explains a turn.
pub(super) fn why(call: &WhyCall, to: &AuthorCall) -> Answered {
    let session = to.desk.sessions.find(&call.session)?;
    let mut session = session.lock();
    let notes = session.look_at_files()?;
    let mut notes: Vec<String> = notes
        .iter()
        .map(|note| cut_text(note, MAX_PART_TEXT))
        .collect();
    let moment = session.moment_of(call.turn)?;
    let mut view = TurnView::of(&session.interactive, moment)?;
    view.record = view.record.filter(|_| call.record);
    let why = WhyParts {
        session: session.name.clone(),
        turn: session.interactive.tree().turns_at(moment),
        view,
    };
    let mut parts = json!(why);
    let is_cut = cut_parts(&mut parts, MAX_PARTS_BYTES);
    notes.extend(is_cut.then(|| CUT.to_owned()));
    let mut lines = text(&why, &notes);
    if is_cut {
        for line in &mut lines {
            *line = cut_text(line, MAX_PART_TEXT);
        }
    }
    if let Some(parts) = parts.as_object_mut() {
        parts.insert("notes".to_owned(), json!(notes));
    }
    Ok(AuthorAnswer::new(lines.join("\n"), &parts))
}

/// The explanation of a turn.
#[derive(Serialize)]
struct WhyParts {
    session: String,
    turn: u32,
    #[serde(flatten)]
    view: TurnView,
}

fn text(WhyParts { turn, view, .. }: &WhyParts, notes: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = notes.iter().map(|note| format!("note: {note}")).collect();
    lines.push(format!("turn {turn}: {}", view.why));
    let read = view.recognized.iter();
    lines.extend(read.map(|reading| format!("recognized as {reading}")));
    for RuleView { rule, excerpt } in &view.rules {
        let at = rule.at.as_ref().map(|at| format!(" ({at})"));
        lines.push(format!(
            "{} {} by {}{}",
            rule.what,
            rule.value,
            rule.by.unwrap_or_default(),
            at.unwrap_or_default()
        ));
        if let Some(excerpt) = excerpt {
            for (line, number) in excerpt.lines.iter().zip(excerpt.first..) {
                let mark = if number == excerpt.line { '>' } else { ' ' };
                lines.push(format!("  {mark} {number:4} {line}"));
            }
        }
    }
    lines.extend(view.lost.iter().map(|lost| format!("rejected: {lost}")));
    lines.extend(
        view.faults
            .iter()
            .map(|fault| format!("violation: {fault}")),
    );
    for condition in &view.conditions {
        let value = truth(condition.value);
        lines.push(format!("condition {} = {value}", condition.name));
    }
    for slot in view.data.iter().filter(|slot| slot.how != "kept") {
        let DataView {
            slot,
            before,
            after,
            how,
        } = slot;
        lines.push(format!("data {how} {slot}: {before} -> {after}"));
    }
    lines
}
