//! The `why_not` tool: finds inputs that would reach another state or action.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::author::author_answer::{Answered, AuthorAnswer};
use crate::mcp::author::client_words::in_client_words;
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_harness::interactive::WhyNot;

/// Finds the lines that reach a state or an action: one line from the current state, or otherwise the shortest sequence
/// of lines that can replace the last turn.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WhyNotCall {
    /// ID of the dialogue (`session` of a `play` result).
    session: String,
    /// State or action to reach.
    to: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct WhyNotAnswer {
    #[serde(flatten)]
    found: WhyNot,
    notes: Vec<String>,
}

/// Finds inputs that would reach a state or an action.
pub(super) fn why_not(call: &WhyNotCall, to: &AuthorCall) -> Answered {
    let session = to.desk.sessions.find(&call.session)?;
    let mut session = session.lock();
    let notes = session.look_at_files()?;
    let mut found = session
        .interactive
        .why_not(call.to.trim())
        .map_err(|why| in_client_words(&why))?;
    found.explanation = in_client_words(&found.explanation);
    let mut text: Vec<String> = notes.iter().map(|note| format!("note: {note}")).collect();
    text.push(if found.undo {
        format!("{}, with `undo`: 1", found.explanation)
    } else {
        found.explanation.clone()
    });
    let lines = found.lines.iter().flatten();
    text.extend(lines.map(|line| format!("  {line}")));
    let text = text.join("\n");
    Ok(AuthorAnswer::new(text, &WhyNotAnswer { found, notes }))
}
