//! `fsmsim llm check`: sends one request to each provider and reports what is wrong.

use serde_json::{Value, json};

use super::models::{project, provider};
use crate::support::loopback::{Reaction, Server, Shape, status};

/// A server that answers with a schema, if it accepts schemas, or else with a tool call.
fn server(takes_schemas: bool) -> Server {
    Server::reacting(move |seen| {
        let is_schema = !seen.json()["response_format"].is_null();
        if is_schema && !takes_schemas {
            let body = json!({"error": {"message": "response_format is not supported"}});
            return Reaction::Answers(400, String::new(), body.to_string());
        }
        let answer = json!({"intent": "greeting", "confidence": 0.9, "data": {}});
        if is_schema {
            Shape::OpenAi.says(&answer.to_string())
        } else {
            Shape::OpenAi.calls(&answer)
        }
    })
}

fn no_model() -> Server {
    let body = json!({"error": "model 'tiny' not found"});
    Server::start(vec![Reaction::Answers(
        404,
        String::new(),
        body.to_string(),
    )])
}

const MOCK: &str = "rules: [{answer: {intent: greeting}}]\n";
const LOCAL: &str =
    "[[llm.chain]]\nkind = \"mock\"\nfile = \"m.yaml\"\n[[llm.chain]]\nkind = \"examples\"\n";

#[test]
fn providers_are_reported_in_the_order_of_the_file() {
    let (good, tool_only, none) = (server(true), server(false), no_model());
    let toml = provider("good", &good.url, "")
        + &provider("low", &tool_only.url, "")
        + &provider("none", &none.url, "")
        + LOCAL;
    let run = project(toml)
        .file("m.yaml", MOCK)
        .fsmsim(["llm", "check"])
        .run();
    let seconds = regex::Regex::new(r"\d+\.\d\d s").unwrap();
    let output = seconds.replace_all(&run.stdout, "N s");
    assert_eq!(
        output,
        format!(
            "good: answers
  model      tiny (openai, {})
  structured schema
  took       N s, 20 + 5 tokens
low: answers
  model      tiny (openai, {})
  refuses    schema: the server returned status 400: response_format is not supported
  structured tool
  took       N s, 0 + 0 tokens
none: does not answer
  model      tiny (openai, {})
  failed     unknown model `tiny`: check `model` of `none` (status 404: model 'tiny' not found)
  help       follow the message of the server; docs/src/reference/llm-servers.md lists settings for known servers
mock (m.yaml): needs no server
examples: needs no server
",
            good.url, tool_only.url, none.url
        )
    );
    assert_eq!((run.code, run.stderr.as_str()), (3, ""));
    // The check sends one normal request.
    let requests = good.requests();
    assert!(
        requests.len() == 1 && requests[0].utterance() == "Hello!",
        "{requests:?}"
    );
}

#[test]
fn json_format_prints_one_object() {
    let (good, tool_only) = (server(true), server(false));
    let toml = provider("good", &good.url, "") + &provider("low", &tool_only.url, "") + LOCAL;
    let report = project(toml)
        .file("m.yaml", MOCK)
        .fsmsim(["llm", "check", "--format", "json"])
        .succeeds("");
    let report: Value = serde_json::from_str(&report).unwrap();
    let values_of = |key: &str| -> Vec<&Value> {
        report["links"]
            .as_array()
            .unwrap()
            .iter()
            .map(|provider| &provider[key])
            .collect()
    };
    assert_eq!(
        values_of("status"),
        ["answers", "answers", "local", "local"]
    );
    assert_eq!(values_of("structured")[..2], ["schema", "tool"]);
    assert_eq!(values_of("refused")[1][0]["structured"], "schema");
    assert_eq!(
        (&report["well"], values_of("tokens")[0]),
        (
            &json!(true),
            &json!({"asked": 20, "answered": 5, "cached": 0})
        )
    );
}

#[test]
fn judge_is_checked_after_the_chain() {
    let judges = Server::reacting(|_| {
        Shape::OpenAi.says(&json!({"reason": "it does", "passed": true}).to_string())
    });
    let judge = provider("strict", &judges.url, "").replace("[[llm.chain]]", "[llm.judge]");
    let alone = project(judge.clone());
    alone.fsmsim(["llm", "check"]).succeeds("strict: answers");
    assert!(judges.requests()[0].body.contains("The reply says hello"));
    let good = server(true);
    let run = project(provider("good", &good.url, "") + &judge)
        .fsmsim(["llm", "check"])
        .succeeds("");
    assert!(
        run.find("good: answers").unwrap() < run.find("strict: answers").unwrap(),
        "{run}"
    );
    // An invalid template is reported before any request.
    alone.write(
        "fsmsim.toml",
        format!("[llm.prompts]\njudge = \"away.md\"\n{judge}"),
    );
    alone.fsmsim(["llm", "check"]).refuses("away.md");
    assert_eq!(judges.requests().len(), 2);
}

#[test]
fn unusable_providers_are_reported_with_a_code() {
    let (server, key) = (server(true), "api_key_env = \"TINY_KEY\"");
    project(String::new())
        .fsmsim(["llm", "check"])
        .refuses("error[FS0312]: no LLM provider is configured");
    project(provider("a", &server.url, "model_ = 1"))
        .fsmsim(["llm", "check"])
        .refuses("FS0301");
    let with_key = project(provider("a", &server.url, key));
    with_key
        .fsmsim(["llm", "check"])
        .refuses("api_key_env = \"TINY_KEY\"");
    assert_eq!(server.requests().len(), 0);
    let unset = with_key.fsmsim(["llm", "check", "--trust"]).run();
    assert!(
        unset.code == 3 && unset.stdout.contains("`TINY_KEY` is not set"),
        "{}",
        unset.shown()
    );
    with_key
        .fsmsim(["llm", "check", "--trust"])
        .env("TINY_KEY", "planted")
        .succeeds("a: answers");
    // The check does not retry.
    let down = Server::start(vec![status(503, "")]);
    let run = project(provider("a", &down.url, "retries = 9"))
        .fsmsim(["llm", "check"])
        .run();
    assert_eq!((run.code, down.requests().len()), (3, 1), "{}", run.shown());
    let local = project(LOCAL.to_owned());
    local
        .fsmsim(["llm", "check"])
        .fails(2, "examples: needs no server", "cannot find `m.yaml`");
    local.write("m.yaml", "rules: [{need: clasify}]\n");
    local.fsmsim(["llm", "check"]).fails(2, "", "m.yaml:1");
    local.write("m.yaml", MOCK);
    local
        .fsmsim(["llm", "check"])
        .succeeds("mock (m.yaml): needs no server");
}
