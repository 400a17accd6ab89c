//! Why a turn went as it did.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::author_desk::AuthorDesk;
use crate::mcp::author::bounded_parts::{CUT, LONGEST, MOST_BYTES, cut_parts, cut_text};
use fsmsim_reports::view::TurnView;

/// Why a turn of a session went as it did: the rules that decided, with file and line, the proposals that lost, what
/// conditions came to, what changed in the data.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::mcp::author) struct WhyCall {
    /// The dialogue, as play named it.
    session: String,
    /// The number of the turn; the last one unless said.
    #[schemars(range(min = 1, max = 1000))]
    turn: Option<u32>,
    /// Tell the whole record of the turn too.
    #[serde(default)]
    record: bool,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "what is cut to a size is no type any more")]
pub(in crate::mcp::author) struct WhyAnswer {
    session: String,
    turn: u32,
    why: String,
    rules: Vec<JsonObject>,
    lost: Vec<String>,
    rejected: Vec<JsonObject>,
    conditions: Vec<JsonObject>,
    data: Vec<JsonObject>,
}

/// Tells why a turn went as it did.
pub(in crate::mcp::author) fn why(call: &WhyCall, desk: &AuthorDesk) -> Answered {
    let session = desk.sessions.find(&call.session)?;
    let mut session = session.lock();
    let notes = session.look_at_files()?.told();
    let mut notes: Vec<String> = notes.iter().map(|note| cut_text(note, LONGEST)).collect();
    let moment = session.moment_of(call.turn)?;
    let view = TurnView::of(&session.rehearsal, moment)?;
    let mut parts = serde_json::to_value(view).unwrap_or_default();
    let turn = session.rehearsal.tree().turns_at(moment);
    if let Some(parts) = parts.as_object_mut() {
        parts.remove("number");
        if !call.record {
            parts.remove("record");
        }
        parts.insert("session".to_owned(), json!(session.name));
        parts.insert("turn".to_owned(), json!(turn));
    }
    if cut_parts(&mut parts, MOST_BYTES) {
        notes.push(CUT.to_owned());
    }
    if let Some(parts) = parts.as_object_mut() {
        parts.insert("notes".to_owned(), json!(notes));
    }
    let told = text(turn, &parts, &notes);
    Ok(AuthorAnswer::new(told, &parts))
}

fn text(turn: u32, view: &Json, notes: &[String]) -> String {
    let list = |key: &str| view.get(key).and_then(Json::as_array).into_iter().flatten();
    let said = |value: &Json, key: &str| {
        value
            .get(key)
            .and_then(Json::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut lines: Vec<String> = notes.iter().map(|note| format!("note: {note}")).collect();
    lines.push(format!("turn {turn}: {}", said(view, "why")));
    for rule in list("rules") {
        let at = rule
            .get("at")
            .and_then(Json::as_str)
            .map(|at| format!(" ({at})"))
            .unwrap_or_default();
        lines.push(format!(
            "{} {} by {}{at}",
            said(rule, "what"),
            said(rule, "value"),
            said(rule, "by")
        ));
        let excerpt = rule.get("excerpt");
        let number = |key: &str| {
            excerpt
                .and_then(|excerpt| excerpt.get(key))
                .and_then(Json::as_u64)
        };
        if let (Some(first), Some(meant)) = (number("first"), number("line")) {
            let shown = excerpt
                .and_then(|excerpt| excerpt.get("lines"))
                .and_then(Json::as_array);
            for (line, number) in shown.into_iter().flatten().zip(first..) {
                let mark = if number == meant { '>' } else { ' ' };
                lines.push(format!(
                    "  {mark} {number:4} {}",
                    line.as_str().unwrap_or_default()
                ));
            }
        }
    }
    for (key, what) in [("lost", "lost"), ("faults", "fault")] {
        lines.extend(
            list(key)
                .filter_map(Json::as_str)
                .map(|told| format!("{what}: {told}")),
        );
    }
    for condition in list("conditions") {
        let value = condition
            .get("value")
            .map(Json::to_string)
            .unwrap_or_default();
        lines.push(format!("condition {} = {value}", said(condition, "name")));
    }
    for slot in list("data").filter(|slot| said(slot, "how") != "kept") {
        let value = |key: &str| slot.get(key).map(Json::to_string).unwrap_or_default();
        let change = format!(
            "{}: {} -> {}",
            said(slot, "slot"),
            value("before"),
            value("after")
        );
        lines.push(format!("data {} {change}", said(slot, "how")));
    }
    lines.join("\n")
}
