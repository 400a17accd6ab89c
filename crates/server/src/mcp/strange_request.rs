//! Requests that are none of those a handler knows: others, or with other parameters than they take.

use rmcp::model::{
    CallToolRequestParams, CustomRequest, ErrorCode, ErrorData, GetPromptRequestParams,
    PaginatedRequestParams, ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// The requests of the protocol that a server of ours may take.
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

/// What a client is told of a request that was not understood: what is wrong with its parameters, where its method is one of those
/// that are taken.
pub(super) fn not_understood(request: &CustomRequest, takes: impl Fn(&str) -> bool) -> ErrorData {
    let method = request.method.as_str();
    let wrong = if KNOWN_METHODS.contains(&method) && takes(method) {
        why(method, request.params.as_ref())
    } else {
        None
    };
    wrong.map_or_else(
        || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None),
        |why| {
            ErrorData::invalid_params(
                format!("the `params` of {method} cannot be read: {why}"),
                None,
            )
        },
    )
}

/// What is wrong with the parameters of a method.
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
    wrong.or_else(|| Some("they are not those of this request".to_owned()))
}

fn wrong<T: DeserializeOwned>(params: Json) -> Option<String> {
    serde_json::from_value::<T>(params)
        .err()
        .map(|error| error.to_string())
}
