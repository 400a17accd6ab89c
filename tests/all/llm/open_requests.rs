//! Concurrency: files and trials use all requests that a provider allows, independent of the number of CPUs.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::Project;
use crate::support::loopback::{Server, Shape, reading};

/// A server that answers only when `open` requests are waiting.
fn waiting_for(open: usize, intent: &'static str) -> Server {
    let together = Barrier::new(open);
    Server::reacting(move |_| {
        together.wait();
        Shape::OpenAi.says(&reading(intent).to_string())
    })
}

fn project(server: &Server, more: &str, scenarios: &[(String, String)]) -> Project {
    let provider = format!(
        "[[llm.chain]]\nname = \"local\"\nbase_url = \"{}\"\nmodel = \"tiny\"\nretries = 0\n",
        server.url
    );
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", format!("{provider}{more}"));
    for (path, text) in scenarios {
        project.write(path, text);
    }
    project
}

fn scenario(title: &str, more: &str) -> String {
    format!(
        "scenario: {title}\nmodel: flows/spin_selling\n{more}turns: [{{say: {title}, expect: {{state: spin_situation}}}}]\n"
    )
}

/// `count` scenarios, one per file.
fn files(count: usize) -> Vec<(String, String)> {
    (0..count)
        .map(|number| {
            (
                format!("scenarios/{number}.yaml"),
                scenario(&format!("S {number}"), ""),
            )
        })
        .collect()
}

#[test]
fn open_requests_reach_max_concurrent_and_no_more() {
    // The configured value, and the default of 8. The server answers only when all of them are open.
    for (more, open) in [
        ("max_concurrent = 4\n", 4),
        ("", 8),
        ("max_concurrent = 16\n", 16),
    ] {
        let server = waiting_for(open, "agreement");
        let run = project(&server, more, &files(16))
            .fsmsim(["test", "--llm", "live"])
            .warns("16 passed", "16 calls");
        assert_eq!(
            (server.busiest(), server.requests().len()),
            (open, 16),
            "{run}"
        );
        server.stop();
    }
}

#[test]
fn scenarios_of_a_file_and_trials_run_concurrently() {
    let server = waiting_for(8, "agreement");
    let one_file: String = (0..16)
        .map(|number| format!("---\n{}", scenario(&format!("S {number}"), "")))
        .collect();
    let project = project(&server, "", &[("scenarios/a.yaml".to_owned(), one_file)]);
    project
        .fsmsim(["test", "--llm", "live"])
        .warns("16 passed", "16 calls");
    assert_eq!(server.busiest(), 8);
    project.write("scenarios/a.yaml", scenario("A", ""));
    project
        .fsmsim(["test", "--llm", "live", "--repeat", "8"])
        .warns("1 passed", "8 calls");
    // The trials of one scenario run concurrently too: 16 + 8 requests.
    assert_eq!((server.busiest(), server.requests().len()), (8, 24));
    server.stop();
}

#[test]
fn jobs_option_limits_open_requests() {
    let server = waiting_for(2, "agreement");
    project(&server, "", &files(4))
        .fsmsim(["test", "--llm", "live", "-j", "2"])
        .warns("4 passed", "4 calls");
    assert_eq!(server.busiest(), 2);
    server.stop();
}

#[test]
fn concurrent_trials_share_one_budget() {
    let server = Server::start(vec![Shape::OpenAi.says(&reading("agreement").to_string())]);
    let project = project(&server, "", &files(16));
    project.write(
        "fsmsim.toml",
        format!("[llm]\nmax_calls = 5\n{}", project.read("fsmsim.toml")),
    );
    let run = project
        .fsmsim(["test", "--llm", "live", "--repeat", "3"])
        .unavailable("unavailable", "5 calls");
    assert_eq!(server.requests().len(), 5, "{run}");
    server.stop();
}

/// Answers `agreement` to every other request, in the order of arrival.
fn alternating() -> Server {
    let count = AtomicUsize::new(0);
    Server::reacting(move |_| {
        let intent = if count.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
            "agreement"
        } else {
            "greeting"
        };
        Shape::OpenAi.says(&reading(intent).to_string())
    })
}

#[test]
fn no_unnecessary_trials_are_run() {
    let server = alternating();
    let a = |require: &str| vec![("scenarios/a.yaml".to_owned(), scenario("A", require))];
    // The first two trials give one pass; then the third trial passes.
    let run = project(&server, "", &a("require: 2 of 3\n"))
        .fsmsim(["test", "--llm", "live"])
        .ends(0, "1 passed", "");
    assert!(run.stdout.contains("2 of 3 trials passed"), "{run}");
    assert_eq!(server.requests().len(), 3);
    server.stop();

    // All trials start at the same time; the report is as if they ran one after the other.
    let server = Server::start(vec![Shape::OpenAi.says(&reading("greeting").to_string())]);
    let project = project(&server, "", &a(""));
    let run = project
        .fsmsim(["test", "--llm", "live", "--repeat", "4"])
        .fails(1, "4 of 4 trials must pass; 0 of 1 did", "");
    assert_eq!(server.requests().len(), 4, "{run}");
    let every = ["test", "--llm", "live", "--repeat", "4", "--no-early-stop"];
    project
        .fsmsim(every)
        .fails(1, "4 of 4 trials must pass; 0 of 4 did", "");
    server.stop();
}

#[test]
fn concurrent_trials_are_recorded_in_order_and_replay() {
    for _ in 0..5 {
        let server = alternating();
        let files = vec![(
            "scenarios/a.yaml".to_owned(),
            scenario("A", "require: 3 of 6\n"),
        )];
        let project = project(&server, "", &files);
        let arguments =
            |llm: &'static str| ["test", "--llm", llm, "--no-early-stop", "--report", "json"];
        let recorded = project.fsmsim(arguments("record")).without_usage().run();
        server.stop();
        let lines = project.read("cassettes/a/a.jsonl");
        assert_eq!(lines.lines().count(), 7, "{lines}");
        let replayed = project.fsmsim(arguments("replay")).run();
        let summary = |text: &str| -> Value {
            let report: Value = serde_json::from_str(text).unwrap();
            json!([
                report["scenarios"][0]["verdict"],
                report["scenarios"][0]["trials"],
                report["flakiness"]
            ])
        };
        assert_eq!(summary(&recorded.stdout), summary(&replayed.stdout));
        assert_eq!((recorded.code, replayed.code), (0, 0));
    }
}
