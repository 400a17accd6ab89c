//! Invalid data of a live model: the model is asked once to correct it; data that stays invalid is discarded.

use serde_json::json;

use super::models::provider;
use crate::support::loopback::{Server, Shape};
use crate::support::{Project, turns};

fn says(data: &serde_json::Value) -> crate::support::loopback::Reaction {
    Shape::OpenAi
        .says(&json!({"intent": "info_provided", "confidence": 0.9, "data": data}).to_string())
}

fn run_turn(first: &serde_json::Value, second: &serde_json::Value) -> (serde_json::Value, Server) {
    let server = Server::start(vec![says(first), says(second)]);
    let scenario = "scenario: One\nmodel: flows/spin_selling\nstart: {state: spin_situation}\nturns: [{say: Нас много}]\n";
    let toml = provider("local", &server.url, "retries = 0");
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", toml)
        .file("a.yaml", scenario);
    let run = project
        .fsmsim(["trace", "a.yaml", "--llm", "live", "--trust"])
        .without_usage();
    (turns(&run.succeeds("")).remove(0), server)
}

#[test]
fn spurious_data_is_reported_to_the_model_once() {
    let (turn, server) = run_turn(
        &json!({"company_size": "много", "mood": "bad"}),
        &json!({"company_size": 50}),
    );
    assert_eq!(
        (&turn["data"]["company_size"], &turn["violations"]),
        (&json!(50), &json!([]))
    );
    let why = "expected a whole number from 1 for `company_size` in `data`, found \"много\"; `mood` in `data` is not a slot";
    assert_eq!(
        turn["answers"][0]["failed"],
        json!([{"by": "local", "why": why}])
    );
    let again = server.requests()[1].json();
    assert!(
        again["messages"].as_array().unwrap().last().unwrap()["content"]
            .as_str()
            .unwrap()
            .contains(why)
    );
}

#[test]
fn uncorrected_data_is_discarded_and_the_rest_is_used() {
    let (turn, _server) = run_turn(
        &json!({"mood": "bad"}),
        &json!({"mood": "bad", "current_tools": "excel"}),
    );
    assert_eq!(turn["data"], json!({"current_tools": "excel"}));
    assert_eq!(
        turn["violations"],
        json!([{"fault": "unknown_slot", "slot": "mood", "value": "bad"}])
    );
}
