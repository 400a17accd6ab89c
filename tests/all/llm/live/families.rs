//! The settings of the documentation, each tested with a server that imitates its family.

use serde_json::Value;

use super::imitation::{FAMILIES, Family};
use crate::support::loopback::Server;
use crate::support::{Invocation, Project, text};

/// The settings for a family in the documentation.
fn snippet(name: &str) -> String {
    let page = text("docs/src/reference/llm-servers.md");
    let (_, after) = page
        .split_once(&format!("```toml family={name}\n"))
        .unwrap_or_else(|| panic!("no settings: {name}"));
    after.split_once("```").unwrap().0.to_owned()
}

/// The settings with the address of a server on this machine.
fn with_local_server(settings: &str, server: &Server) -> String {
    let origin = server.url.trim_end_matches("/v1");
    let lines = settings.lines().filter(|line| !line.starts_with("ca_file"));
    let lines = lines.map(|line| {
        match line
            .split_once("\"http")
            .filter(|_| line.contains("_url = "))
        {
            Some((key, address)) => {
                let (_, after) = address.split_once("://").unwrap();
                let path = after.find('/').map_or("", |at| &after[at..]);
                format!("{key}\"{origin}{path}\n")
            }
            None => format!("{line}\n"),
        }
    });
    lines.collect()
}

/// A turn with the settings of a family, optionally changed, and the server of the family.
fn run_turn(
    family: &'static Family,
    change: impl FnOnce(String) -> String,
) -> (Invocation, Server) {
    let server = family.server();
    let scenario = "scenario: One\nmodel: flows/spin_selling\nturns: [{say: Давайте, expect: {state: spin_situation}}]\n";
    let settings = change(with_local_server(&snippet(family.name), &server));
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", settings)
        .file("scenarios/a.yaml", scenario);
    let mut run = project
        .fsmsim(["test", "--llm", "live", "--trust"])
        .about(family.name);
    if let Some(variable) = family.variable {
        run = run.env(variable, "planted-key\n");
    }
    (run, server)
}

fn family(name: &str) -> &'static Family {
    FAMILIES.iter().find(|family| family.name == name).unwrap()
}

/// The structured output mode of a body.
fn mode(body: &Value) -> &'static str {
    let strict = body.pointer("/response_format/json_schema/strict") == Some(&true.into());
    match () {
        () if strict => "`response_format`, strict",
        () if !body["response_format"].is_null() => "`response_format`",
        () if !body["output_config"]["format"].is_null() => "`output_config.format`",
        () if !body["tools"].is_null() => "`tools`",
        () if !body["functions"].is_null() => "`functions`",
        () => "words",
    }
}

/// A row of the table: the path, the request and the answer.
fn row(family: &Family, server: &Server) -> String {
    let requests = Family::asked(server);
    let first = &requests[0];
    let body = first.json();
    let shape = [
        "model",
        "messages",
        "system",
        "response_format",
        "output_config",
        "tools",
        "tool_choice",
    ];
    let shape = shape.iter().chain(&["functions", "function_call"]);
    let shape: Vec<&&str> = shape.collect();
    let others: Vec<String> = body
        .as_object()
        .unwrap()
        .iter()
        .filter(|(key, _)| !shape.contains(&&key.as_str()))
        .map(|(key, value)| format!("`{key}: {value}`"))
        .collect();
    let mut sent = vec![mode(&body).to_owned()];
    sent.extend(others);
    if body.pointer("/system/0/cache_control").is_some() {
        sent.push("`cache_control`".to_owned());
    }
    let path = first.target().trim_start_matches("POST ");
    format!(
        "| `{}` | `{path}` | {} | {} |\n",
        family.name,
        sent.join(", "),
        family.answers.words()
    )
}

#[test]
fn documented_settings_work_for_each_family() {
    let mut table = String::from(
        "| family | path | sent in addition to model and messages | answer |\n|---|---|---|---|\n",
    );
    for family in &FAMILIES {
        let (run, server) = run_turn(family, |settings| settings);
        let run = run.run();
        assert_eq!(run.code, 0, "{}", run.shown());
        assert!(
            run.stderr.contains(&format!(
                "{}: 1 call, 0 retries, 100 (90 cached) + 7 tokens",
                family.name
            )) || family.name == "gigachat",
            "{}",
            run.shown()
        );
        assert!(!run.stderr.contains("failed"), "{}", run.shown());
        assert_eq!(Family::asked(&server).len(), 1, "{}", run.shown());
        assert!(!run.shown().contains("planted-key"), "{}", run.shown());
        table += &row(family, &server);
    }
    assert!(
        text("docs/src/reference/llm-servers.md").contains(&table),
        "docs/src/reference/llm-servers.md has another table than this:\n{table}"
    );
}

#[test]
fn refusal_of_a_family_is_reported_with_help() {
    const NO_KEY: &str = "\n\n[llm]\nseed = 1\n";
    for (name, from, to, error) in [
        (
            "openai",
            "gpt-4.1-mini\"",
            "gpt-9\"",
            "unknown model `gpt-9`: check `model` of `openai`",
        ),
        (
            "openai",
            "temperature = 0",
            "reasoning_effort = \"low\"",
            "the server rejects `reasoning_effort`: remove it from `params`",
        ),
        (
            "openai",
            "temperature = 0",
            "top_k = 1",
            "rejects `top_k`: remove it from `params` of `openai` (status 400: top_k: Extra",
        ),
        (
            "openai",
            "OPENAI_API_KEY",
            "HOME",
            "the server returned status 401: Incorrect key provided.",
        ),
        (
            "openai-reasoning",
            "reasoning_effort = \"minimal\"",
            "temperature = 0",
            "the server rejects `temperature`: remove it",
        ),
        (
            "openai-reasoning",
            "max_completion_tokens",
            "max_tokens",
            "the server rejects `max_tokens`: remove it from `params`",
        ),
        (
            "anthropic",
            "claude-haiku-4-5",
            "claude-9",
            "unknown model `claude-9`",
        ),
        (
            "anthropic",
            "cache = true",
            "omit = [\"max_tokens\"]",
            "the server returned status 400: max_tokens: Field required",
        ),
        (
            "anthropic",
            "cache = true",
            "params = {top_k = 0}",
            "the server rejects `top_k`: remove it from `params` of `anthropic`",
        ),
        (
            "anthropic-tools",
            "claude-3-5-haiku-latest",
            "claude-9",
            "unknown model `claude-9`",
        ),
        (
            "gemini",
            "gemini-2.5-flash",
            "gemini-9",
            "unknown model `gemini-9`",
        ),
        (
            "gigachat",
            "GigaChat-2",
            "GigaChat-9",
            "unknown model `GigaChat-9`",
        ),
        (
            "gigachat",
            "temperature = 0.1",
            "seed = 1",
            "the server rejects `seed`: remove it from `params` of `gigachat`",
        ),
        (
            "yandexgpt",
            "/latest",
            "/oldest",
            "unknown model `gpt://b1gexample/yandexgpt/oldest`",
        ),
        (
            "yandexgpt",
            "prefix = \"Api-Key \"",
            "prefix = \"\"",
            "status 401: Incorrect key provided.",
        ),
        (
            "openrouter",
            "qwen/qwen3-32b",
            "qwen/qwen9",
            "unknown model `qwen/qwen9`",
        ),
        (
            "openrouter",
            "provider = ",
            "logit_bias = ",
            "the server rejects `logit_bias`: remove it from `params`",
        ),
        (
            "azure",
            "model = \"gpt-4.1-mini\"",
            "model = \"gpt-9\"",
            "unknown model `gpt-9`",
        ),
        (
            "azure",
            "query = {api-version = \"2024-10-21\"}",
            "",
            "the server returned status 404: Resource not found",
        ),
        (
            "ollama",
            "qwen3:4b",
            "qwen9",
            "unknown model `qwen9`: check `model` of `ollama`",
        ),
        (
            "vllm",
            "Qwen/Qwen3-8B",
            "qwen9",
            "unknown model `qwen9`: check `model` of `vllm`",
        ),
    ] {
        let (run, server) = run_turn(family(name), |settings| {
            assert!(settings.contains(from), "{name}: {from}");
            settings.replace(from, to) + if from == "OPENAI_API_KEY" { NO_KEY } else { "" }
        });
        let run = run.about(format_args!("{name} {to}")).run();
        assert_eq!(run.code, 3, "{}", run.shown());
        assert!(
            run.stdout.contains(error) && run.stderr.contains(error),
            "{error}: {}",
            run.shown()
        );
        assert_eq!(Family::asked(&server).len(), 1, "{error}: {}", run.shown());
    }
}

#[test]
fn unsupported_mode_is_abandoned_for_the_entire_run() {
    let (run, server) = run_turn(family("anthropic-tools"), |settings| {
        settings.replace("structured = \"tool\"\n", "")
    });
    let run = run.run();
    assert_eq!(run.code, 0, "{}", run.shown());
    let modes: Vec<&str> = Family::asked(&server)
        .iter()
        .map(|seen| mode(&seen.json()))
        .collect();
    assert_eq!(modes, ["`output_config.format`", "`tools`"]);
}
