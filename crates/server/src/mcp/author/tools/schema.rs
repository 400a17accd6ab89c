//! What a format looks like.

use serde::Deserialize;

use crate::mcp::author::author_answer::Answered;
use crate::mcp::author::result_page::text_page;
use fsmsim_runtime::schema::FormatSchema;
use fsmsim_syntax::diagnostic::{Diagnostic, nearest};

#[derive(Debug, Deserialize)]
pub(in crate::mcp::author) struct SchemaCall {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

/// Tells a schema, or which there are.
pub(in crate::mcp::author) fn schema(call: &SchemaCall) -> Answered {
    let all = FormatSchema::all()?;
    let Some(name) = &call.name else {
        let listed: Vec<String> = all
            .iter()
            .map(|schema| format!("{}  {}", schema.name, schema.about))
            .collect();
        return text_page(&listed.join("\n"), call.cursor.as_deref());
    };
    let Some(schema) = all.iter().find(|schema| *schema.name == **name) else {
        let finding = Diagnostic::bad_arguments(format!("there is no schema of `{name}`"));
        let near = nearest(&name.to_lowercase(), all.iter().map(|schema| &*schema.name));
        return Err(finding
            .suggest(near, "without `name`, all are listed")
            .into());
    };
    text_page(&schema.text, call.cursor.as_deref())
}
