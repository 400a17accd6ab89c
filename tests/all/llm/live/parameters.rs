//! Contents of requests: the required keys and the settings of the project, and nothing else.

use serde_json::{Value, json};

use super::models::{one_turn, project, provider};
use crate::support::Project;
use crate::support::loopback::{Server, Shape, reading};

fn answer(shape: Shape) -> Server {
    Server::start(vec![shape.says(&reading("agreement").to_string())])
}

fn keys(body: &Value) -> Vec<&str> {
    body.as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn request_contains_no_unconfigured_keys() {
    for (shape, expected) in [
        (Shape::OpenAi, vec!["model", "messages", "response_format"]),
        (
            Shape::Anthropic,
            vec!["model", "max_tokens", "system", "messages", "output_config"],
        ),
    ] {
        let more = format!("kind = \"{}\"", shape.kind());
        let (run, server) = one_turn(vec![shape.says(&reading("agreement").to_string())], &more);
        run.succeeds("");
        let body = server.requests()[0].json();
        assert_eq!(keys(&body), expected);
        assert!(
            shape == Shape::OpenAi || body["max_tokens"] == 4096,
            "{body}"
        );
    }
}

#[test]
fn params_are_sent_verbatim_and_needs_override_them() {
    let server = answer(Shape::OpenAi);
    let more = "params = {temperature = 0.0, seed = 7, stop = [\"a\"], chat_template_kwargs = {enable_thinking = false}}\n\
                omit = [\"response_format.json_schema.strict\"]\n\
                [llm.chain.needs.classify]\nparams = {temperature = 1, chat_template_kwargs = {x = \"y\"}}\nomit = [\"seed\"]\n\
                [llm.chain.needs.phrase]\nparams = {top_p = 0.5}";
    let project = project(provider("local", &server.url, more));
    project
        .fsmsim(["test", "--llm", "live", "--accept"])
        .warns("", "");
    let body = server.requests()[0].json();
    let set = ["chat_template_kwargs", "stop", "temperature"];
    assert_eq!(keys(&body)[3..], set, "{body}");
    let values: Vec<&Value> = set.iter().map(|key| &body[key]).collect();
    assert_eq!(
        values,
        [
            &json!({"enable_thinking": false, "x": "y"}),
            &json!(["a"]),
            &json!(1)
        ]
    );
    assert_eq!(body["response_format"]["json_schema"].get("strict"), None);
}

#[test]
fn removed_structured_output_mode_is_not_used() {
    for (more, expected) in [
        (
            "omit = [\"response_format\"]",
            vec!["model", "messages", "tools", "tool_choice"],
        ),
        (
            "omit = [\"response_format\", \"tools\"]",
            vec!["model", "messages"],
        ),
        (
            "structured = \"prompt\"\nparams = {response_format = {type = \"json_object\"}}",
            vec!["model", "messages", "response_format"],
        ),
    ] {
        let (run, server) = one_turn(
            vec![Shape::OpenAi.says(&reading("agreement").to_string())],
            more,
        );
        run.succeeds("");
        assert_eq!(keys(&server.requests()[0].json()), expected, "{more}");
    }
}

#[test]
fn headers_and_query_of_the_project_are_sent() {
    let server = answer(Shape::OpenAi);
    let more = "headers = {X-Title = \"mine\", api-key = {env = \"AZURE\"}, authorization = {env = \"YANDEX\", prefix = \"Api-Key \"}}\n\
                query = {api-version = \"2024-10-21\", b = \"a&c d\"}";
    let project = project(provider("local", &server.url, more));
    let refused = project.fsmsim(["test", "--llm", "live"]).refuses("FS0306");
    assert!(
        refused.contains("headers.api-key.env = \"AZURE\"")
            && refused.contains("headers.authorization.env = \"YANDEX\"")
    );
    let run = project.fsmsim(["test", "--llm", "live", "--trust", "--accept"]);
    let run = run
        .env("AZURE", "planted-one")
        .env("YANDEX", "planted-two")
        .warns("", "");
    let seen = &server.requests()[0];
    assert_eq!(
        seen.target(),
        "POST /v1/chat/completions?api-version=2024-10-21&b=a%26c%20d"
    );
    let headers = ["x-title", "api-key", "authorization"].map(|name| seen.header(name));
    assert_eq!(
        headers,
        [
            Some("mine"),
            Some("planted-one"),
            Some("Api-Key planted-two")
        ]
    );
    assert!(!run.shown().contains("planted"), "{}", run.shown());
    // An unset variable is reported, and no request is sent.
    let before = server.requests().len();
    project
        .fsmsim(["test", "--llm", "live", "--trust"])
        .env("AZURE", "planted-one")
        .unavailable("`YANDEX` is not set", "");
    assert_eq!(server.requests().len(), before);
}

#[test]
fn strict_schema_lists_slots_and_null_is_not_data() {
    let said = json!({"intent": "info_provided", "confidence": null, "data": {"company_size": 50, "role": null}, "also": null});
    let server = Server::start(vec![Shape::OpenAi.says(&said.to_string())]);
    let scenario = "scenario: Told\nmodel: flows/spin_selling\nstart: {state: spin_situation}\n\
                    turns: [{say: Нас 50, expect: {data: {company_size: 50}, carryover: {added: [company_size]}}}]\n";
    let project = project(provider("local", &server.url, "")).file("scenarios/a.yaml", scenario);
    let run = project.fsmsim(["test", "--llm", "live"]).run();
    assert_eq!(run.code, 0, "{}", run.shown());
    let schema = &server.requests()[0].json()["response_format"]["json_schema"];
    assert_eq!(schema["strict"], true);
    let data = &schema["schema"]["properties"]["data"];
    assert!(
        data["properties"]["company_size"].is_object() && data["additionalProperties"] == false,
        "{data}"
    );
    assert!(
        !run.shown().contains("does not match the schema"),
        "{}",
        run.shown()
    );
}

#[test]
fn cache_marks_the_system_prompt_for_caching() {
    let (run, server) = one_turn(
        vec![Shape::Anthropic.says(&reading("agreement").to_string())],
        "kind = \"anthropic\"\ncache = true",
    );
    run.succeeds("");
    let system = &server.requests()[0].json()["system"][0];
    assert_eq!(system["cache_control"], json!({"type": "ephemeral"}));
    assert!(system["text"].as_str().unwrap().contains("price_question"));
}

#[test]
fn invalid_settings_are_refused() {
    let url = "http://127.0.0.1:9/v1";
    let output: Vec<String> = [
        "params = {model = \"x\", messages = [], stream = true, x = inf}",
        "omit = [\"model\", \"a..b\"]",
        "[llm.chain.needs.clasify]\nparams = {seed = 1}",
        "[llm.chain.needs.dreams]\nparams = {seed = 1}",
        "[llm.chain.needs.classify]\nparams = {model = \"x\"}\ntimeout_s = -1",
        "[llm.chain.needs.classify]\nparms = {seed = 1}",
        "headers = {authorization = \"Bearer planted-secret\"}",
        "headers = {host = \"a\", x = 7, y = {env = \"planted-secret\"}, z = \"a\\nb\"}",
        "query = {key = \"planted-secret\"}",
        "cache = true",
        "kind = \"mock\"\nparams = {seed = 1}",
    ]
    .into_iter()
    .map(|more| {
        Project::new()
            .with_flows()
            .file("fsmsim.toml", provider("a", url, more))
            .fsmsim(["llm", "check"])
            .refuses("")
    })
    .collect();
    let output = output.join("\n");
    assert!(!output.contains("planted-secret"), "{output}");
    insta::assert_snapshot!(output);
}
