//! Tools with typed arguments and answers. Their schemas and descriptions are derived from the types.

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, ErrorData, JsonObject, Tool,
    ToolAnnotations,
};
use schemars::generate::{Contract, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::argument_schema::{ArgumentSchema, no_such};
use crate::limits::MAX_ARGUMENT;

/// Runs a tool on a `D` with the arguments of a call.
type Act<D, R> = Box<dyn Fn(&D, JsonObject) -> R + Send + Sync>;

/// A tool that runs on a `D` and returns an `R`.
pub(super) struct TypedTool<D, R> {
    /// The entry in the list of tools.
    pub tool: Tool,
    arguments: ArgumentSchema,
    act: Act<D, R>,
}

/// The tools of a server.
pub(super) struct TypedTools<D, R>(pub Vec<TypedTool<D, R>>);

impl<D, R, E: From<String>> TypedTool<D, Result<R, E>> {
    /// A tool with arguments `C` and structured answers `P`; `()` means no arguments or answers. The doc comment of `C`
    /// is the description of the tool.
    pub(super) fn new<C: JsonSchema + DeserializeOwned, P: JsonSchema>(
        name: &'static str,
        annotations: ToolAnnotations,
        act: impl Fn(&C, &D) -> Result<R, E> + Send + Sync + 'static,
    ) -> Result<Self, String> {
        let mut input = schema_of::<C>(Contract::Deserialize);
        let description = input.remove("description").unwrap_or_default();
        // Some clients require both keys, even for a tool without arguments.
        input.entry("properties").or_insert_with(|| json!({}));
        input.entry("required").or_insert_with(|| json!([]));
        input.insert("additionalProperties".to_owned(), json!(false));
        let about = description.as_str().unwrap_or_default().to_owned();
        let tool = Tool::new(name, about, input.clone()).with_annotations(annotations);
        let output = schema_of::<P>(Contract::Serialize);
        let is_object = output.get("type") == Some(&json!("object"));
        Ok(Self {
            tool: if is_object {
                tool.with_raw_output_schema(output.into())
            } else {
                tool
            },
            arguments: ArgumentSchema::new(name, Json::Object(input))?,
            act: Box::new(move |on, given| {
                let call = serde_json::from_value(Json::Object(given));
                act(
                    &call.map_err(|error| format!("cannot parse the arguments: {error}"))?,
                    on,
                )
            }),
        })
    }
}

impl<D, R> TypedTools<D, R> {
    pub(super) fn get(&self, name: &str) -> Option<&TypedTool<D, R>> {
        self.0.iter().find(|known| known.tool.name == name)
    }

    pub(super) fn listed(&self) -> Vec<Tool> {
        self.0.iter().map(|known| known.tool.clone()).collect()
    }

    /// Checks that a tool with this name exists.
    pub(super) fn known(&self, name: &str) -> Result<(), ErrorData> {
        if self.get(name).is_some() {
            return Ok(());
        }
        let names: Vec<&str> = self.0.iter().map(|known| &*known.tool.name).collect();
        Err(ErrorData::invalid_params(
            no_such("tool", name, &names),
            None,
        ))
    }
}

impl<D, R, E: From<String>> TypedTools<D, Result<R, E>> {
    /// Calls a tool.
    pub(super) fn call(&self, request: &CallToolRequestParams, on: &D) -> Result<R, E> {
        let tool = self
            .get(&request.name)
            .ok_or_else(|| "unknown tool".to_owned())?;
        (tool.act)(on, tool.arguments.read(request.arguments.as_ref())?)
    }
}

/// The result of a call: text for LLMs, and optionally structured content for programs.
pub(super) fn call_result(text: String, parts: Option<Json>, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(text)];
    let mut result = if is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    result.structured_content = parts;
    result
}

/// The schema of a type, with all references inlined.
pub(super) fn schema_of<T: JsonSchema>(contract: Contract) -> JsonObject {
    let reads = contract == Contract::Deserialize;
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.contract = contract;
    });
    let settings = settings.with_transform(RecursiveTransform(move |schema: &mut Schema| {
        // The range of a Rust type means nothing to a client. Limits are declared explicitly.
        if schema.get("format") != Some(&json!("date-time")) {
            schema.remove("format");
        }
        schema.remove("default");
        if schema.get("additionalProperties") == Some(&json!(true)) {
            schema.remove("additionalProperties");
        }
        if let Some(Json::String(text)) = schema.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        if reads {
            bound(schema);
        }
    }));
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.remove("title");
    if !reads {
        schema.remove("description");
    }
    schema
}

/// Adds limits to a schema, and removes `null` from the types of optional values: `null` is accepted without being
/// listed.
fn bound(schema: &mut Schema) {
    if let Some(Json::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            schema.insert("type".to_owned(), kind);
        }
    }
    let is_bound = ["maxLength", "pattern", "enum", "const"]
        .iter()
        .any(|key| schema.get(*key).is_some());
    if schema.get("type") == Some(&json!("string")) && !is_bound {
        schema.insert("minLength".to_owned(), json!(1));
        schema.insert("maxLength".to_owned(), json!(MAX_ARGUMENT));
    }
}
