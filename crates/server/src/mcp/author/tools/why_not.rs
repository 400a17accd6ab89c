//! What would have led elsewhere.

use serde::Deserialize;
use serde_json::json;

use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::author_desk::AuthorDesk;
use crate::mcp::author::client_words::in_client_words;
use fsmsim_harness::rehearsal::{Detour, WhyNotAnswer};

#[derive(Debug, Deserialize)]
pub(in crate::mcp::author) struct WhyNotCall {
    session: String,
    to: String,
}

/// Tells what would have led to a state, or to an action.
pub(in crate::mcp::author) fn why_not(call: &WhyNotCall, desk: &AuthorDesk) -> Answered {
    let session = desk.sessions.find(&call.session)?;
    let mut session = session.lock();
    let notes = session.look_at_files()?.told();
    let asked = session
        .rehearsal
        .why_not(call.to.trim())
        .map_err(|why| in_client_words(&why))?;
    let told = in_client_words(&asked.told());
    let lines = match asked.answer {
        WhyNotAnswer::Searched(Detour::Found(lines)) => Some(lines),
        _ => None,
    };
    let undo = asked.goes_back && lines.is_some();
    let mut text: Vec<String> = notes.iter().map(|note| format!("note: {note}")).collect();
    text.push(if undo {
        format!("{told}, with `undo`: 1")
    } else {
        told.clone()
    });
    text.extend(lines.iter().flatten().map(|line| format!("  {line}")));
    let parts = json!({"to": call.to, "told": told, "lines": lines, "undo": undo, "notes": notes});
    Ok(AuthorAnswer::new(text.join("\n"), &parts))
}
