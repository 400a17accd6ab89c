//! The `schema` tool: prints the JSON Schema of a format.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::author::author_answer::Answered;
use crate::mcp::author::result_page::{Cursor, text_page};
use crate::mcp::author::tool_executor::AuthorCall;
use fsmsim_runtime::schema::FormatSchema;
use fsmsim_syntax::diagnostic::{Diagnostic, nearest};

/// Returns the JSON Schema of a format (flow, scenario, trace, …). Without `name`, lists the formats.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SchemaCall {
    /// Name of the format.
    name: Option<String>,
    cursor: Option<Cursor>,
}

/// The schema of a format, or the list of formats.
pub(super) fn schema(call: &SchemaCall, _: &AuthorCall) -> Answered {
    let all = FormatSchema::all();
    let Some(name) = &call.name else {
        let listed: Vec<String> = all
            .iter()
            .map(|schema| format!("{}  {}", schema.name, schema.about))
            .collect();
        return text_page(&listed.join("\n"), call.cursor.as_ref());
    };
    let Some(schema) = all.iter().find(|schema| *schema.name == **name) else {
        let finding = Diagnostic::unknown_argument("format", name);
        let near = nearest(&name.to_lowercase(), all.iter().map(|schema| &*schema.name));
        return Err(finding
            .suggest(near, "omit `name` to list all formats")
            .into());
    };
    text_page(&schema.text, call.cursor.as_ref())
}
