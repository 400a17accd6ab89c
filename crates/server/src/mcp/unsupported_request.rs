//! Requests that a handler does not support, because of their method or parameters.

use rmcp::model::{
    CallToolRequestParams, CustomRequest, ErrorCode, ErrorData, GetPromptRequestParams,
    PaginatedRequestParams, ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// The protocol methods that our servers can support.
pub(super) const KNOWN_METHODS: [&str; 9] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
];

/// The error for an unsupported request: for a supported method, it describes the invalid parameters.
pub(super) fn not_understood(request: &CustomRequest, takes: impl Fn(&str) -> bool) -> ErrorData {
    let method = request.method.as_str();
    let wrong = if KNOWN_METHODS.contains(&method) && takes(method) {
        why(method, request.params.as_ref())
    } else {
        None
    };
    wrong.map_or_else(
        || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None),
        |why| ErrorData::invalid_params(format!("invalid `params` of {method}: {why}"), None),
    )
}

/// Describes invalid parameters of a method.
fn why(method: &str, params: Option<&Json>) -> Option<String> {
    let params = params
        .cloned()
        .unwrap_or_else(|| Json::Object(serde_json::Map::new()));
    let wrong = match method {
        "tools/call" => wrong::<CallToolRequestParams>(params),
        "resources/read" => wrong::<ReadResourceRequestParams>(params),
        "prompts/get" => wrong::<GetPromptRequestParams>(params),
        _ => wrong::<PaginatedRequestParams>(params),
    };
    wrong.or_else(|| Some("unexpected parameters".to_owned()))
}

fn wrong<T: DeserializeOwned>(params: Json) -> Option<String> {
    serde_json::from_value::<T>(params)
        .err()
        .map(|error| error.to_string())
}
