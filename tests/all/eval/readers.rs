//! Recognizers: live models, concurrent requests, recording and replay, and cost.

use serde_json::Value;

use super::formats::shop;
use crate::support::Project;

#[cfg(feature = "live")]
use crate::support::loopback::{Server, Shape, reading, status};

const SAID: &str = "- {say: yes, intent: agreement}\n- {say: how much, intent: price_question}\n- {say: no, intent: none}\n";

/// A project with a provider `small` on this server. Its tokens have a price.
#[cfg(feature = "live")]
fn project(url: &str) -> Project {
    let toml = format!(
        "[[llm.chain]]\nname = \"small\"\nbase_url = \"{url}\"\nmodel = \"m\"\nretries = 0\nmax_concurrent = 2\n\n\
         [llm.chain.price]\ninput = 2.0\noutput = 10.0\ncurrency = \"EUR\"\n"
    );
    shop().file("said.yaml", SAID).file("fsmsim.toml", toml)
}

#[cfg(feature = "live")]
fn server() -> Server {
    Server::reacting(|seen| {
        let intent = if seen.body.contains("how much") {
            "price_question"
        } else {
            "agreement"
        };
        Shape::OpenAi.says(&reading(intent).to_string())
    })
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
#[cfg(feature = "live")]
fn live_model_respects_max_concurrent_and_reports_cost() {
    let server = server();
    let project = project(&server.url);
    let said: String = (0..12)
        .map(|number| format!("- {{say: yes {number}, intent: agreement}}\n"))
        .collect();
    project.write("said.yaml", said);
    let run = project
        .fsmsim([
            "eval",
            "shop.yaml",
            "said.yaml",
            "--llm",
            "provider:small",
            "--format",
            "json",
        ])
        .warns("", "small: 12 calls");
    assert!(server.busiest() <= 2);
    let report = json(&run.stdout);
    let reader = &report["readers"][0];
    assert_eq!(reader["measures"]["accuracy"]["part"], 12);
    assert_eq!(reader["measures"]["latency"]["utterances"], 12);
    let used = &reader["usage"][0];
    let cost =
        (used["asked"].as_f64().unwrap() * 2.0 + used["answered"].as_f64().unwrap() * 10.0) / 1e6;
    assert!(
        (used["cost"].as_f64().unwrap() - cost).abs() < 1e-6 && used["currency"] == "EUR",
        "{used}"
    );
    project
        .fsmsim(["eval", "shop.yaml", "said.yaml", "--llm", "provider:smal"])
        .refuses("exists: `small`");
    server.stop();
}

#[test]
#[cfg(feature = "live")]
fn cassette_replays_offline_at_any_position() {
    let server = server();
    let project = project(&server.url);
    let eval = |llm: &str| {
        project.fsmsim([
            "eval",
            "shop.yaml",
            "said.yaml",
            "--format",
            "json",
            "--llm",
            llm,
        ])
    };
    let recorded = json(&eval("record:c.jsonl").warns("", "").stdout);
    server.stop();
    let replayed = json(&eval("replay:c.jsonl").succeeds(""));
    assert_eq!(
        replayed["readers"][0]["measures"]["accuracy"],
        recorded["readers"][0]["measures"]["accuracy"]
    );
    assert_eq!(replayed["readers"][0]["measures"]["latency"], Value::Null);
    // An inserted first utterance keeps the recordings valid. Only the new utterance is unanswered.
    project.write(
        "said.yaml",
        format!("- {{say: new, intent: agreement}}\n{SAID}"),
    );
    let run = eval("replay:c.jsonl").unavailable(
        "",
        "record the missing requests: fsmsim eval shop.yaml said.yaml --llm record-missing:c.jsonl",
    );
    assert_eq!(json(&run.stdout)["readers"][0]["measures"]["unanswered"], 1);
    eval("replay:none.jsonl").refuses("none.jsonl");
}

#[test]
#[cfg(feature = "live")]
fn server_failure_counts_as_unanswered() {
    let server = Server::reacting(|_| status(500, ""));
    let project = project(&server.url);
    let run = project
        .fsmsim([
            "eval",
            "shop.yaml",
            "said.yaml",
            "--llm",
            "live",
            "--format",
            "json",
        ])
        .unavailable("", "");
    let measures = &json(&run.stdout)["readers"][0]["measures"];
    assert_eq!(
        (&measures["unanswered"], &measures["accuracy"]["whole"]),
        (&3.into(), &0.into())
    );
    server.stop();
}

#[test]
#[cfg(feature = "live")]
fn two_recognizers_share_a_budget_but_not_a_cassette() {
    let server = server();
    let project = project(&server.url);
    project.write(
        "fsmsim.toml",
        format!("[llm]\nmax_calls = 4\n\n{}", project.read("fsmsim.toml")),
    );
    let eval = |more: &[&str]| {
        project
            .fsmsim(["eval", "shop.yaml", "said.yaml", "--format", "json"])
            .args(more)
    };
    // Invalid options are reported before the first request.
    eval(&["--llm", "live", "--require", "agrement:recall=5%"]).refuses("exists: `agreement`");
    for other in [
        "record:c.jsonl",
        "record-missing:c.jsonl",
        "record:./c.jsonl",
    ] {
        eval(&["--llm", "record:c.jsonl", "--against", other])
            .refuses("of two recognizers in one cassette");
    }
    assert_eq!(server.requests().len(), 0);
    let run = eval(&["--llm", "live", "--against", "provider:small"])
        .unavailable("", "`max_calls` of `[llm]` is spent");
    assert_eq!(server.requests().len(), 4, "{run}");
    project
        .fsmsim(["eval", "shop.yaml", "said.yaml", "--llm", "record:c.jsonl"])
        .warns(
            "",
            "small: 3 calls, 0 retries, 60 + 15 tokens, 0.00027 EUR, ",
        );
    eval(&["--llm", "replay:c.jsonl", "--against", "replay:c.jsonl"]).succeeds("");
    eval(&[
        "--llm",
        "replay:c.jsonl",
        "--against",
        "record-missing:c.jsonl",
    ])
    .refuses("of two recognizers in one cassette");
    server.stop();
}

#[test]
#[cfg(all(feature = "live", unix))]
fn ctrl_c_prints_partial_results() {
    use std::time::Duration;
    let server = Server::reacting(|_| {
        std::thread::sleep(Duration::from_millis(200));
        Shape::OpenAi.says(&reading("agreement").to_string())
    });
    let project = project(&server.url);
    let said: String = (0..200)
        .map(|number| format!("- {{say: yes {number}, intent: agreement}}\n"))
        .collect();
    project.write("said.yaml", said);
    let arguments = [
        "eval",
        "shop.yaml",
        "said.yaml",
        "--llm",
        "live",
        "--require",
        "accuracy=100%",
        "--baseline",
        "none.json",
    ];
    let child = project.fsmsim(&arguments[..7]).spawn();
    while server.requests().len() < 3 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let done = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(done.success());
    let output = child.wait_with_output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(3), "{out}{err}");
    assert!(
        out.contains("of 200 utterances classified") && err.contains("stopped early"),
        "{out}{err}"
    );
    server.stop();
}

#[test]
fn invalid_price_is_reported() {
    let toml = |price: &str| {
        format!(
            "[[llm.chain]]\nname = \"small\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n\n[llm.chain.price]\n{price}\n"
        )
    };
    let refuse = |price: &str, why: &str| {
        shop()
            .file("said.yaml", SAID)
            .file("fsmsim.toml", toml(price))
            .fsmsim(["eval", "shop.yaml", "said.yaml"])
            .refuses(why)
    };
    refuse(
        "input = -1.0\noutput = 2.0",
        "`price.input` of `small` must be the price of a million tokens",
    );
    refuse("input = 1.0", "output");
    refuse("input = 1.0\noutput = 2.0\noutputs = 1", "outputs");
    shop()
        .file("said.yaml", SAID)
        .file("fsmsim.toml", toml("input = 1\noutput = 2"))
        .fsmsim(["eval", "shop.yaml", "said.yaml"])
        .ends(0, "", "");
    let mock = "[[llm.chain]]\nkind = \"examples\"\nprice = {input = 1.0, output = 1.0}\n";
    shop()
        .file("said.yaml", SAID)
        .file("fsmsim.toml", mock)
        .fsmsim(["eval", "shop.yaml", "said.yaml"])
        .refuses("cannot be used with the kind");
    shop()
        .file("said.yaml", SAID)
        .fsmsim(["eval", "shop.yaml", "said.yaml", "--llm", "nobody"])
        .refuses("use `--llm examples`");
}
