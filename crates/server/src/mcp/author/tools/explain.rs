//! The `explain` tool: describes finding codes and built-in names.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::author::author_answer::Answered;
use crate::mcp::author::result_page::{Cursor, text_page};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_dialects::reference::all;
use fsmsim_reports::report::write_explained;
use fsmsim_syntax::diagnostic::Code;
use fsmsim_syntax::terminal::Joined;

/// Explains the code of a finding (FS0101) or a built-in name (`unclear_escalates`, `StallGuard`), or lists the
/// built-in names of a kind: intents, categories, conditions, flags, limits, sources, states, actions, signals. Without
/// `name`, lists all codes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ExplainCall {
    /// A code, a built-in name, or a kind of built-in names.
    name: Option<String>,
    cursor: Option<Cursor>,
}

/// Explains a name, or lists the codes.
pub(super) fn explain(call: &ExplainCall, _: &AuthorCall) -> Answered {
    let text = match &call.name {
        None => Code::ALL
            .iter()
            .map(|code| format!("{code}  {}", code.title()))
            .joined("\n"),
        Some(name) => {
            let mut out = Vec::new();
            write_explained(name, &all(), &mut out).map_err(|error| error.to_string())??;
            String::from_utf8_lossy(&out).into_owned()
        }
    };
    text_page(&text, call.cursor.as_ref())
}
