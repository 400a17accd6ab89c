//! What a code of a finding means, and what is built in.

use serde::Deserialize;

use crate::mcp::author::author_answer::Answered;
use crate::mcp::author::result_page::text_page;
use fsmsim_dialects::reference::all;
use fsmsim_reports::report::write_explained;
use fsmsim_syntax::diagnostic::Code;
use fsmsim_syntax::terminal::Joined;

#[derive(Debug, Deserialize)]
pub(in crate::mcp::author) struct ExplainCall {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

/// Explains a name, or lists the codes.
pub(in crate::mcp::author) fn explain(call: &ExplainCall) -> Answered {
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
    text_page(&text, call.cursor.as_deref())
}
