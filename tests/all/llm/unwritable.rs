//! Unwritable cassettes: the error is reported before any request is sent and paid for.

use std::time::{Duration, Instant};

use crate::support::loopback::{Reaction, Server, Shape, reading};
use crate::support::{Invocation, Project};

const CASSETTE: &str = "cassettes/a/one.jsonl";

fn says() -> Reaction {
    Shape::OpenAi.says(&reading("greeting").to_string())
}

fn project(server: &Server) -> Project {
    let provider = format!(
        "[[llm.chain]]\nname = \"local\"\nbase_url = \"{}\"\nmodel = \"tiny\"\nretries = 0\n",
        server.url
    );
    let scenario = "scenario: One\nmodel: flows/spin_selling\nend: {final: false}\nturns: [{say: hello}, {say: there}]\n";
    let persona = "persona: ann\ndescription: Ann\ngoal: Buy\nmax_turns: 2\n";
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", provider)
        .file("scenarios/a.yaml", scenario);
    project.file("fixtures/personas/ann.yaml", persona)
}

fn test(project: &Project, llm: &str) -> Invocation {
    project.fsmsim(["test", "--llm", llm]).without_usage()
}

#[test]
fn second_recording_process_sends_no_request() {
    for llm in ["record", "record-missing"] {
        let server = Server::start(vec![Reaction::Late(
            Duration::from_secs(2),
            Box::new(says()),
        )]);
        let project = project(&server);
        let first = test(&project, llm).spawn();
        let start = Instant::now();
        while server.requests().is_empty() {
            assert!(
                start.elapsed() < Duration::from_mins(1),
                "no request was sent"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        let run =
            test(&project, llm)
                .about(llm)
                .fails(2, "1 invalid", "another run is recording to it");
        assert!(
            run.stderr.contains("help: wait for the other run")
                && !run.stderr.contains("permissions"),
            "{run}"
        );
        // By then the first process has sent at most its second request.
        assert!(server.requests().len() <= 2, "{llm}");
        assert_eq!(first.wait_with_output().unwrap().status.code(), Some(0));
        assert_eq!(
            (
                server.requests().len(),
                project.read(CASSETTE).lines().count()
            ),
            (2, 3),
            "{llm}"
        );
        assert!(!project.path().join(format!("{CASSETTE}.new")).exists());
        server.stop();
    }
}

#[test]
fn unwritable_path_prevents_requests() {
    let server = Server::start(vec![says()]);
    let project = project(&server).file("cassettes", "this is no folder");
    for llm in ["record", "record-missing"] {
        test(&project, llm)
            .about(llm)
            .fails(2, "1 invalid", "FS0303");
        project
            .fsmsim(["test", "--llm", llm, "--repeat", "3"])
            .about(llm)
            .fails(2, "1 invalid", "FS0303");
    }
    assert!(server.requests().is_empty());
    server.stop();
}

#[test]
fn dialogue_without_requests_leaves_no_file() {
    let server = Server::start(vec![says()]);
    let project = project(&server);
    project.write(
        "scenarios/a.yaml",
        "scenario: One\nmodel: flows/spin_selling\nend: {final: false}\nturns: [{intent: greeting}]\n",
    );
    for llm in ["record", "record-missing"] {
        test(&project, llm).succeeds("1 passed");
        project
            .fsmsim([
                "run",
                "flows/spin_selling",
                "--llm",
                &format!("{llm}:mine.jsonl"),
            ])
            .stdin("")
            .succeeds("");
        let simulated = [
            "simulate",
            "flows/spin_selling",
            "--persona",
            "nobody",
            "--llm",
            &format!("{llm}:s.jsonl"),
        ];
        assert_ne!(project.fsmsim(simulated).run().code, 0);
    }
    assert!(
        server.requests().is_empty() && !project.files().iter().any(|path| path.contains(".jsonl"))
    );
    server.stop();
}

#[test]
fn other_files_are_not_overwritten() {
    let server = Server::start(vec![says()]);
    let project = project(&server);
    let refused = "the existing file is not a cassette";
    let flow = "flow: {name: precious}\n";
    project.write("x.yaml", flow);
    project
        .fsmsim(["run", "flows/spin_selling", "--llm", "record:x.yaml"])
        .stdin("hello\n")
        .refuses(refused);
    project
        .fsmsim([
            "simulate",
            "flows/spin_selling",
            "--persona",
            "ann",
            "--llm",
            "record:x.yaml",
        ])
        .refuses(refused);
    project
        .fsmsim(["run", "flows/spin_selling", "--llm", "record:flows"])
        .stdin("hello\n")
        .refuses(refused);
    project.write(CASSETTE, flow);
    test(&project, "record").fails(2, "1 invalid", refused);
    assert_eq!(
        (project.read("x.yaml"), project.read(CASSETTE)),
        (flow.to_owned(), flow.to_owned())
    );
    assert!(
        server.requests().is_empty() && !project.files().iter().any(|path| path.contains(".new"))
    );
    // An empty file and a cassette of any version can be overwritten.
    for old in ["", "\n", "{\"fsmsim_cassette\":2,\"of\":\"later\"}\n"] {
        project.write(CASSETTE, old);
        test(&project, "record").about(old).succeeds("1 passed");
    }
    server.stop();
}

#[test]
fn truncation_inside_a_character_is_recovered() {
    let server = Server::start(vec![says()]);
    let project = project(&server);
    test(&project, "record").succeeds("1 passed");
    let complete = std::fs::read(project.path().join(CASSETTE)).unwrap();
    // The last line contains characters of two bytes.
    let cut = complete.iter().rposition(|byte| *byte >= 0xc0).unwrap() + 1;
    project.write(CASSETTE, &complete[..cut]);
    let before = server.requests().len();
    let run = test(&project, "record-missing").warns("1 passed", "warning[FS0216]");
    assert!(
        run.stderr.contains("the line is not UTF-8") && run.stderr.contains("1 requested"),
        "{run}"
    );
    assert_eq!(
        (
            server.requests().len(),
            std::fs::read(project.path().join(CASSETTE)).unwrap()
        ),
        (before + 1, complete.clone())
    );
    project.write(CASSETTE, &complete[..cut]);
    test(&project, "replay").fails(2, "1 invalid", "error[FS0216]");
    server.stop();
}

#[test]
fn truncated_simulation_cassette_is_recovered() {
    let server = Server::reacting(|seen| {
        let is_user_request = seen.body.contains("leaves");
        let said = if is_user_request {
            "{\"say\": \"Да\", \"leaves\": false}".to_owned()
        } else {
            reading("greeting").to_string()
        };
        Shape::OpenAi.says(&said)
    });
    let project = project(&server);
    let simulate = |llm: &'static str| {
        let arguments = [
            "simulate",
            "flows/spin_selling",
            "--persona",
            "ann",
            "--dialogues",
            "1",
            "--llm",
            llm,
        ];
        project.fsmsim(arguments).without_usage()
    };
    simulate("record:s.jsonl").succeeds("");
    let complete = std::fs::read(project.path().join("s.jsonl")).unwrap();
    let cut = complete.iter().rposition(|byte| *byte >= 0xc0).unwrap() + 1;
    project.write("s.jsonl", &complete[..cut]);
    simulate("record-missing:s.jsonl").warns("", "warning[FS0216]");
    assert_eq!(
        std::fs::read(project.path().join("s.jsonl")).unwrap(),
        complete
    );
    server.stop();
}

#[test]
fn suggested_record_command_repeats_the_run() {
    let server = Server::start(vec![says()]);
    let project = project(&server).file(
        "who is/bob.yaml",
        "persona: bob\ndescription: Bob\ngoal: Buy\nmax_turns: 1\n",
    );
    project.write(
        "s.jsonl",
        "{\"fsmsim_cassette\":1,\"simulation\":\"spin_selling\"}\n",
    );
    let more = [
        "--persona",
        "bob",
        "--personas",
        "who is",
        "--profile",
        "reference",
        "--dialogues",
        "4",
    ];
    let run = project.fsmsim([
        "simulate",
        "flows/spin_selling",
        "--llm",
        "replay:s.jsonl",
        "--shard",
        "1/2",
    ]);
    let run = run
        .args(more)
        .args(["--start", "{state: close}", "--seed", "7"])
        .run();
    let command = "fsmsim simulate flows/spin_selling --persona bob --personas 'who is' --dialogues 4 --llm \
                   record-missing:s.jsonl --seed 7 --shard 1/2 --start '{state: close}' --profile reference\n";
    assert!(run.stderr.contains(command), "{run}");
    project.write("m.jsonl", "{\"fsmsim_cassette\":1,\"scenario\":\"repl\"}\n");
    let interactive = [
        "run",
        "flows/spin_selling",
        "--start",
        "{state: close}",
        "--llm",
        "replay:m.jsonl",
    ];
    let run = project.fsmsim(interactive).stdin("hello\n").run();
    let command =
        "fsmsim run flows/spin_selling --start '{state: close}' --llm record-missing:m.jsonl\n";
    assert!(run.stderr.contains(command), "{run}");
    server.stop();
}
