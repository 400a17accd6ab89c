//! What would have led elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::author_desk::AuthorDesk;
use crate::mcp::author::client_words::in_client_words;
use fsmsim_harness::rehearsal::{Detour, WhyNotAnswer as FoundDetour};

/// What could have been said instead of the last turn, so that the dialogue goes to a state, or to an action: the fewest
/// lines that do, or that none do.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::mcp::author) struct WhyNotCall {
    /// The dialogue, as play named it.
    session: String,
    /// A state or an action of the model.
    to: String,
}

#[derive(Serialize, JsonSchema)]
pub(in crate::mcp::author) struct WhyNotAnswer<'a> {
    to: &'a str,
    told: String,
    lines: Option<Vec<String>>,
    undo: bool,
    notes: Vec<String>,
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
        FoundDetour::Searched(Detour::Found(lines)) => Some(lines),
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
    let parts = WhyNotAnswer {
        to: &call.to,
        told,
        lines,
        undo,
        notes,
    };
    Ok(AuthorAnswer::new(text.join("\n"), &parts))
}
