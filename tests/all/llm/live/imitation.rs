//! Loopback servers that imitate known server families: the requests they accept, their error messages, and their answers.

use serde_json::{Value, json};

use crate::support::loopback::{Reaction, Seen, Server, gives};

/// The error format of a family.
#[derive(Clone, Copy)]
pub(super) enum ErrorShape {
    OpenAi,
    Anthropic,
    /// A list with one error.
    Gemini,
    GigaChat,
    /// An error with a numeric code.
    Numbered,
}

/// The answer format of a family.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum AnswerShape {
    /// The complete text of the message.
    Content,
    /// The text of the message, after reasoning in the same text.
    Thinking,
    /// The text of the message, with reasoning in a separate key.
    Reasoning,
    Parts,
    /// Content blocks of Anthropic.
    Blocks,
    /// A function call.
    Function,
}

impl AnswerShape {
    /// The description in the table of the documentation.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Content => "`message.content`",
            Self::Thinking => "`message.content` after `<think>`",
            Self::Reasoning => "`message.content` and `reasoning_content`",
            Self::Parts => "parts of `message.content`",
            Self::Blocks => "blocks of `content`",
            Self::Function => "`message.function_call`",
        }
    }
}

/// A family of servers.
pub(super) struct Family {
    /// Its name in the documentation.
    pub(super) name: &'static str,
    /// The path of requests.
    path: &'static str,
    /// The required header and its value.
    key: Option<(&'static str, &'static str)>,
    /// The environment variable of the key in the settings.
    pub(super) variable: Option<&'static str>,
    /// The available models. Empty: every name is accepted.
    models: &'static [&'static str],
    /// The status, code and message for an unknown model. The name follows the message.
    no_model: (u16, &'static str, &'static str),
    /// The accepted keys of a body. `None`: all.
    keys: Option<&'static [&'static str]>,
    /// Required keys.
    required: &'static [&'static str],
    /// Refused keys, each with its error message.
    refused: &'static [(&'static str, &'static str)],
    /// Whether schemas must be strict.
    strict: bool,
    errors: ErrorShape,
    pub(super) answers: AnswerShape,
}

const OPENAI_KEYS: &[&str] = &[
    "model",
    "messages",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    "response_format",
    "tools",
    "tool_choice",
    "seed",
    "stop",
    "user",
];
const ANTHROPIC_KEYS: &[&str] = &[
    "model",
    "messages",
    "system",
    "max_tokens",
    "temperature",
    "tools",
    "tool_choice",
    "output_config",
    "thinking",
    "stop_sequences",
];
const NO_OPENAI_MODEL: (u16, &str, &str) = (
    404,
    "model_not_found",
    "The model does not exist or you do not have access to it:",
);

/// The values that most families share.
const PLAIN: Family = Family {
    name: "",
    path: "/v1/chat/completions",
    key: None,
    variable: None,
    models: &[],
    no_model: NO_OPENAI_MODEL,
    keys: None,
    required: &["model", "messages"],
    refused: &[],
    strict: false,
    errors: ErrorShape::OpenAi,
    answers: AnswerShape::Content,
};

/// The families in the order of the documentation.
pub(super) const FAMILIES: [Family; 12] = [
    Family {
        name: "openai",
        key: Some(("authorization", "Bearer planted-key")),
        variable: Some("OPENAI_API_KEY"),
        models: &["gpt-4.1-mini"],
        keys: Some(OPENAI_KEYS),
        refused: &[(
            "reasoning_effort",
            "Unrecognized request argument supplied: reasoning_effort",
        )],
        strict: true,
        ..PLAIN
    },
    Family {
        name: "openai-reasoning",
        key: Some(("authorization", "Bearer planted-key")),
        variable: Some("OPENAI_API_KEY"),
        models: &["gpt-5-mini"],
        keys: Some(OPENAI_KEYS),
        refused: &[
            (
                "temperature",
                "Unsupported value: 'temperature' does not support 0 with this model.",
            ),
            (
                "max_tokens",
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            ),
        ],
        strict: true,
        ..PLAIN
    },
    Family {
        name: "anthropic",
        path: "/v1/messages",
        key: Some(("x-api-key", "planted-key")),
        variable: Some("ANTHROPIC_API_KEY"),
        models: &["claude-haiku-4-5"],
        no_model: (404, "not_found_error", "model:"),
        keys: Some(ANTHROPIC_KEYS),
        required: &["model", "messages", "max_tokens"],
        strict: true,
        errors: ErrorShape::Anthropic,
        answers: AnswerShape::Blocks,
        ..PLAIN
    },
    Family {
        name: "anthropic-tools",
        path: "/v1/messages",
        key: Some(("x-api-key", "planted-key")),
        variable: Some("ANTHROPIC_API_KEY"),
        models: &["claude-3-5-haiku-latest"],
        no_model: (404, "not_found_error", "model:"),
        keys: Some(ANTHROPIC_KEYS),
        required: &["model", "messages", "max_tokens"],
        refused: &[(
            "output_config",
            "output_config.format: this model does not support structured outputs",
        )],
        errors: ErrorShape::Anthropic,
        answers: AnswerShape::Blocks,
        ..PLAIN
    },
    Family {
        name: "gemini",
        path: "/v1beta/openai/chat/completions",
        key: Some(("authorization", "Bearer planted-key")),
        variable: Some("GEMINI_API_KEY"),
        models: &["gemini-2.5-flash"],
        no_model: (
            404,
            "NOT_FOUND",
            "This model is not found for API version v1main:",
        ),
        keys: Some(OPENAI_KEYS),
        errors: ErrorShape::Gemini,
        ..PLAIN
    },
    Family {
        name: "gigachat",
        path: "/api/v1/chat/completions",
        key: Some(("authorization", "Bearer planted-token")),
        variable: Some("GIGACHAT_KEY"),
        models: &["GigaChat-2"],
        no_model: (404, "", "No such model:"),
        keys: Some(&[
            "model",
            "messages",
            "temperature",
            "top_p",
            "max_tokens",
            "functions",
            "function_call",
        ]),
        errors: ErrorShape::GigaChat,
        answers: AnswerShape::Function,
        ..PLAIN
    },
    Family {
        name: "yandexgpt",
        key: Some(("authorization", "Api-Key planted-key")),
        variable: Some("YANDEX_API_KEY"),
        models: &["gpt://b1gexample/yandexgpt/latest"],
        no_model: (400, "", "Failed to get model: model not found:"),
        keys: Some(OPENAI_KEYS),
        ..PLAIN
    },
    Family {
        name: "openrouter",
        path: "/api/v1/chat/completions",
        key: Some(("authorization", "Bearer planted-key")),
        variable: Some("OPENROUTER_API_KEY"),
        models: &["qwen/qwen3-32b"],
        no_model: (400, "", "This is not a valid model ID:"),
        refused: &[(
            "logit_bias",
            "No endpoints found that can handle the requested parameters: logit_bias",
        )],
        errors: ErrorShape::Numbered,
        answers: AnswerShape::Reasoning,
        ..PLAIN
    },
    Family {
        name: "azure",
        path: "/openai/deployments/gpt-4.1-mini/chat/completions?api-version=2024-10-21",
        key: Some(("api-key", "planted-key")),
        variable: Some("AZURE_OPENAI_API_KEY"),
        models: &["gpt-4.1-mini"],
        no_model: (
            404,
            "DeploymentNotFound",
            "The API deployment for this resource does not exist:",
        ),
        keys: Some(OPENAI_KEYS),
        strict: true,
        answers: AnswerShape::Parts,
        ..PLAIN
    },
    Family {
        name: "ollama",
        models: &["qwen3:4b"],
        no_model: (404, "", "model not found, try pulling it first:"),
        answers: AnswerShape::Thinking,
        ..PLAIN
    },
    Family {
        name: "vllm",
        models: &["Qwen/Qwen3-8B"],
        no_model: (404, "", "The model does not exist:"),
        errors: ErrorShape::Numbered,
        answers: AnswerShape::Reasoning,
        ..PLAIN
    },
    Family {
        name: "llama.cpp",
        errors: ErrorShape::Numbered,
        answers: AnswerShape::Thinking,
        ..PLAIN
    },
];

impl Family {
    /// Starts a server of this family.
    pub(super) fn server(&'static self) -> Server {
        Server::reacting(move |seen| self.react(seen))
    }

    /// The requests, except those for a token.
    pub(super) fn asked(server: &Server) -> Vec<Seen> {
        server
            .requests()
            .into_iter()
            .filter(|seen| !seen.target().ends_with("/oauth"))
            .collect()
    }

    fn react(&self, seen: &Seen) -> Reaction {
        let target = seen.target().trim_start_matches("POST ");
        if target.ends_with("/oauth") {
            return gives(&json!({"access_token": "planted-token"}));
        }
        if target != self.path {
            return self.fails(404, "", "Resource not found", "");
        }
        if self
            .key
            .is_some_and(|(name, value)| seen.header(name) != Some(value))
        {
            return self.fails(401, "invalid_api_key", "Incorrect key provided.", "");
        }
        let body = seen.json();
        let keys = body.as_object().unwrap();
        if let Some(key) = self.required.iter().find(|key| !keys.contains_key(**key)) {
            return self.fails(400, "missing", &format!("{key}: Field required"), key);
        }
        let model = body["model"].as_str().unwrap();
        if !self.models.is_empty() && !self.models.contains(&model) {
            let (status, code, words) = self.no_model;
            return self.fails(status, code, &format!("{words} {model}"), "");
        }
        if let Some((key, words)) = self.refused.iter().find(|(key, _)| keys.contains_key(*key)) {
            return self.fails(400, "unsupported_parameter", words, key);
        }
        let is_unknown = |key: &&String| {
            self.keys
                .is_some_and(|known| !known.contains(&key.as_str()))
        };
        if let Some(key) = keys.keys().find(is_unknown) {
            return self.fails(
                400,
                "unknown_parameter",
                &format!("{key}: Extra inputs are not permitted"),
                key,
            );
        }
        let schema = body
            .pointer("/response_format/json_schema/schema")
            .or(body.pointer("/output_config/format/schema"));
        if let Some(fault) = schema
            .filter(|_| self.strict)
            .and_then(|schema| schema_error(schema, self.errors))
        {
            let words = format!("Invalid schema for response_format 'classify': {fault}");
            return self.fails(400, "invalid_schema", &words, "response_format");
        }
        self.answer(&body, schema)
    }

    fn fails(&self, status: u16, code: &str, message: &str, param: &str) -> Reaction {
        let param = if param.is_empty() {
            Value::Null
        } else {
            json!(param)
        };
        let body = match self.errors {
            ErrorShape::OpenAi => {
                json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}})
            }
            ErrorShape::Anthropic => {
                let kind = if status == 404 {
                    "not_found_error"
                } else {
                    "invalid_request_error"
                };
                json!({"type": "error", "error": {"type": kind, "message": message}})
            }
            ErrorShape::Gemini => {
                json!([{"error": {"code": status, "message": message, "status": code}}])
            }
            ErrorShape::GigaChat => json!({"status": status, "message": message}),
            ErrorShape::Numbered => json!({"error": {"message": message, "code": status}}),
        };
        Reaction::Answers(
            status,
            "content-type: application/json\r\n".to_owned(),
            body.to_string(),
        )
    }

    /// An answer in the format of the family and the structured output mode of the request.
    fn answer(&self, body: &Value, schema: Option<&Value>) -> Reaction {
        let mut reading = json!({"intent": "agreement", "confidence": 0.9, "data": {}});
        // With a strict schema, the answer contains all of its keys.
        for key in schema
            .and_then(|schema| schema["required"].as_array())
            .into_iter()
            .flatten()
        {
            let key = key.as_str().unwrap();
            if reading.get(key).is_none() {
                reading[key] = Value::Null;
            }
        }
        let words = reading.to_string();
        let message = match self.answers {
            AnswerShape::Blocks => {
                let block = if body["tools"].is_null() {
                    json!({"type": "text", "text": words})
                } else {
                    json!({"type": "tool_use", "name": "classify", "input": reading})
                };
                let usage =
                    json!({"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 7});
                return gives(
                    &json!({"content": [block], "stop_reason": "end_turn", "usage": usage}),
                );
            }
            AnswerShape::Content => json!({"content": words, "refusal": null}),
            AnswerShape::Thinking => {
                json!({"content": format!("<think>\nIs it {{\"intent\": \"greeting\"}}?\n</think>\n\n```json\n{words}\n```")})
            }
            AnswerShape::Reasoning => {
                json!({"content": words, "reasoning_content": "{\"intent\": \"greeting\"}"})
            }
            AnswerShape::Parts => json!({"content": [{"type": "text", "text": words}]}),
            AnswerShape::Function => {
                json!({"content": "", "function_call": {"name": "classify", "arguments": reading}})
            }
        };
        let usage = json!({
            "prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 90},
        });
        gives(&json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}))
    }
}

/// The reason why a strict server refuses a schema.
fn schema_error(schema: &Value, errors: ErrorShape) -> Option<String> {
    let inner = |value: &Value| schema_error(value, errors);
    let Value::Object(map) = schema else {
        return schema
            .as_array()
            .and_then(|items| items.iter().find_map(inner));
    };
    let limits: &[&str] = if matches!(errors, ErrorShape::Anthropic) {
        &["minimum", "maximum", "minLength", "maxItems"]
    } else {
        &["minLength", "maxLength"]
    };
    if let Some(limit) = limits.iter().find(|limit| map.contains_key(**limit)) {
        return Some(format!("'{limit}' is not permitted."));
    }
    if map.contains_key("enum") && !map.contains_key("type") {
        return Some("schema must have a 'type' key.".to_owned());
    }
    let properties = map
        .get("properties")
        .filter(|properties| properties.is_object());
    if map
        .get("type")
        .is_some_and(|kind| kind == "object" || *kind == json!(["object", "null"]))
    {
        if map.get("additionalProperties") != Some(&json!(false)) {
            return Some(
                "'additionalProperties' is required to be supplied and to be false.".to_owned(),
            );
        }
        let names: Vec<&String> = properties?.as_object().unwrap().keys().collect();
        if !matches!(errors, ErrorShape::Anthropic) && map.get("required") != Some(&json!(names)) {
            return Some(
                "'required' is required to be an array including every key in properties."
                    .to_owned(),
            );
        }
    }
    let within = properties
        .into_iter()
        .flat_map(|properties| properties.as_object().unwrap().values());
    within
        .chain(map.get("items"))
        .chain(map.get("anyOf"))
        .find_map(inner)
}
