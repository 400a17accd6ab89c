//! Simulation cassettes: many dialogues in one file.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::loopback::{Server, Shape, reading, status};
use crate::support::{Invocation, Project};

/// A model that plays the user and recognizes utterances. The user sometimes leaves.
fn simulating_server() -> Server {
    Server::reacting(|seen| Shape::OpenAi.says(&answer(&seen.body).to_string()))
}

fn answer(body: &str) -> Value {
    if !body.contains("\"leaves\"") && !body.contains("\\\"leaves\\\"") {
        return reading(if body.len().is_multiple_of(3) {
            "agreement"
        } else {
            "greeting"
        });
    }
    // The length of the prompt makes the utterance depend on the history.
    json!({"say": format!("Нас {}", body.len()), "leaves": body.len().is_multiple_of(5)})
}

fn project(server: &Server) -> Project {
    let provider = format!(
        "[[llm.chain]]\nname = \"local\"\nbase_url = \"{}\"\nmodel = \"tiny\"\nretries = 0\n",
        server.url
    );
    let persona = |name: &str, turns: u32| {
        format!(
            "persona: {name}\ndescription: Хозяин лавки {name}\ngoal: Купить\nmax_turns: {turns}\n"
        )
    };
    Project::new()
        .with_flows()
        .file("fsmsim.toml", provider)
        .file("fixtures/personas/ann.yaml", persona("ann", 4))
        .file("fixtures/personas/bob.yaml", persona("bob", 2))
}

fn simulate(project: &Project, llm: &str, more: &[&str]) -> Invocation {
    project
        .fsmsim(["simulate", "flows/spin_selling", "--llm", llm])
        .args(more)
        .without_usage()
}

const BOTH: [&str; 8] = [
    "--persona",
    "ann",
    "--persona",
    "bob",
    "--dialogues",
    "12",
    "--format",
    "json",
];

/// The dialogues of the recordings, in the order of the file.
fn dialogues(project: &Project) -> Vec<String> {
    let lines = project.read("sim.jsonl");
    let mut names: Vec<String> = Vec::new();
    for line in lines.lines().skip(1) {
        let line: Value = serde_json::from_str(line).unwrap();
        let name = line["dialogue"].as_str().unwrap().to_owned();
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    names
}

fn all(persona: &str, count: u64) -> Vec<String> {
    (1..=count)
        .map(|number| format!("{persona}:{number}"))
        .collect()
}

#[test]
fn simulation_replays_byte_for_byte_without_the_server() {
    let server = simulating_server();
    let [wide, narrow] = ["8", "1"].map(|jobs| {
        let project = project(&server);
        let run = simulate(&project, "record:sim.jsonl", &BOTH)
            .args(["-j", jobs])
            .run();
        assert_eq!((run.code, &*run.stderr), (0, ""), "{run}");
        (project, run.stdout)
    });
    // The file does not depend on which dialogue ended first.
    assert_eq!(wide.0.read("sim.jsonl"), narrow.0.read("sim.jsonl"));
    assert_eq!(wide.1, narrow.1);
    server.stop();
    let (project, recorded) = wide;
    assert_eq!(
        dialogues(&project),
        [all("ann", 12), all("bob", 12)].concat()
    );
    assert!(
        project
            .read("sim.jsonl")
            .starts_with("{\"fsmsim_cassette\":1,\"simulation\":\"spin_selling\"}\n")
    );
    let schema =
        serde_json::from_str(&project.fsmsim(["schema", "cassette"]).succeeds("")).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    for line in project.read("sim.jsonl").lines() {
        let value = serde_json::from_str(line).unwrap();
        let faults: Vec<String> = schema
            .iter_errors(&value)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{line}\n{faults:?}");
    }
    // A replay needs no providers, and also runs if `CI` is set.
    project.write("fsmsim.toml", "");
    for jobs in ["1", "7"] {
        let replayed = simulate(&project, "replay:sim.jsonl", &BOTH)
            .args(["-j", jobs])
            .env("CI", "1")
            .succeeds("");
        assert_eq!(replayed, recorded);
    }
    let shown = simulate(&project, "replay:sim.jsonl", &["--show", "ann:12"]).succeeds("greeting");
    assert!(shown.contains("Нас "), "{shown}");
    assert!(
        !project
            .files()
            .iter()
            .any(|path| path.contains(".jsonl.new"))
    );
}

#[test]
fn missing_answers_make_dialogues_unavailable() {
    let server = simulating_server();
    let project = project(&server);
    let few = ["--persona", "bob", "--dialogues", "2"];
    simulate(&project, "record:sim.jsonl", &few).succeeds("");
    server.stop();
    let more = ["--persona", "bob", "--dialogues", "9", "--seed", "4"];
    let run = simulate(&project, "replay:sim.jsonl", &more).unavailable("unanswered", "");
    insta::assert_snapshot!(run.stderr);
    // A changed goal changes the prompt.
    project.write(
        "fixtures/personas/bob.yaml",
        project
            .read("fixtures/personas/bob.yaml")
            .replace("Купить", "Купить завтра"),
    );
    let run = simulate(&project, "replay:sim.jsonl", &few).unavailable("unanswered", "");
    assert!(
        run.stderr
            .contains("the most similar recording is `play_user` in turn 1"),
        "{run}"
    );
    let shown =
        simulate(&project, "replay:sim.jsonl", &["--show", "bob:1"]).unavailable("no answer", "");
    assert!(
        shown
            .stderr
            .contains("record the missing requests: fsmsim simulate flows/spin_selling"),
        "{shown}"
    );
}

#[test]
fn only_missing_answers_are_recorded_and_others_are_kept() {
    let server = simulating_server();
    let project = project(&server);
    let options =
        |persona: &'static str, count: &'static str| ["--persona", persona, "--dialogues", count];
    simulate(&project, "record:sim.jsonl", &options("ann", "3")).succeeds("");
    let old = project.read("sim.jsonl");
    let before = server.requests().len();
    let run = simulate(&project, "record-missing:sim.jsonl", &options("ann", "3"))
        .warns("", "0 requested, 0 dropped");
    assert_eq!(
        (project.read("sim.jsonl"), server.requests().len()),
        (old, before),
        "{run}"
    );
    simulate(&project, "record-missing:sim.jsonl", &options("bob", "2"))
        .warns("", "0 recordings replayed");
    simulate(&project, "record-missing:sim.jsonl", &options("ann", "5")).warns("", "0 dropped");
    assert_eq!(dialogues(&project), [all("ann", 5), all("bob", 2)].concat());
    // Shards can be recorded one after the other.
    for shard in ["1/2", "2/2"] {
        simulate(&project, "record-missing:sim.jsonl", &options("bob", "6"))
            .args(["--shard", shard])
            .ends(0, "", "");
    }
    assert_eq!(dialogues(&project), [all("ann", 5), all("bob", 6)].concat());
    server.stop();
    simulate(&project, "replay:sim.jsonl", &options("bob", "6")).succeeds("");
    simulate(&project, "replay:sim.jsonl", &options("ann", "5")).succeeds("");
}

#[test]
fn killed_run_loses_no_answers() {
    // The first 25 requests are answered immediately, the others after a long time.
    let left = Mutex::new(25);
    let server = Server::reacting(move |seen| {
        let mut left = left.lock().unwrap();
        if *left == 0 {
            drop(left);
            std::thread::sleep(Duration::from_secs(30));
        } else {
            *left -= 1;
        }
        Shape::OpenAi.says(&answer(&seen.body).to_string())
    });
    let project = project(&server);
    let few = ["--persona", "ann", "--dialogues", "24"];
    let mut child = simulate(&project, "record-missing:sim.jsonl", &few).spawn();
    let unfinished = project.path().join("sim.jsonl.new");
    let start = Instant::now();
    while std::fs::read_to_string(&unfinished)
        .unwrap_or_default()
        .lines()
        .count()
        < 26
    {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "nothing was written"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!project.path().join("sim.jsonl").exists());
    let server = simulating_server();
    project.write(
        "fsmsim.toml",
        project
            .read("fsmsim.toml")
            .lines()
            .map(|line| match line {
                line if line.starts_with("base_url") => format!("base_url = \"{}\"\n", server.url),
                line => format!("{line}\n"),
            })
            .collect::<String>(),
    );
    simulate(&project, "record-missing:sim.jsonl", &few).warns("", "25 recordings replayed");
    assert_eq!(dialogues(&project), all("ann", 24));
    assert!(!unfinished.exists());
    server.stop();
    simulate(&project, "replay:sim.jsonl", &few).succeeds("");
}

#[test]
fn failed_requests_keep_the_old_cassette() {
    let server = simulating_server();
    let project = project(&server);
    let few = ["--persona", "bob", "--dialogues", "3"];
    simulate(&project, "record:sim.jsonl", &few).succeeds("");
    server.stop();
    let old = project.read("sim.jsonl");
    let failing = Server::start(vec![status(500, "")]);
    project.write(
        "fsmsim.toml",
        format!(
            "[[llm.chain]]\nname = \"local\"\nbase_url = \"{}\"\nmodel = \"t\"\nretries = 0\n",
            failing.url
        ),
    );
    simulate(&project, "record:sim.jsonl", &few).unavailable("unanswered", "is unchanged");
    assert_eq!(project.read("sim.jsonl"), old);
    // Without an old cassette, failed requests are recorded, and the replay fails in the same way.
    let options = ["--persona", "bob", "--dialogues", "3", "--format", "json"];
    let run = simulate(&project, "record:lost.jsonl", &options).unavailable("", "");
    failing.stop();
    assert_eq!(
        simulate(&project, "replay:lost.jsonl", &options)
            .unavailable("", "")
            .stdout,
        run.stdout
    );
}

#[test]
fn invalid_cassettes_and_options_are_reported() {
    let server = simulating_server();
    let project = project(&server);
    let few = ["--persona", "bob", "--dialogues", "1"];
    simulate(&project, "record:sim.jsonl", &few).succeeds("");
    let good = project.read("sim.jsonl");
    let second = good.lines().nth(1).unwrap();
    let mut output = String::new();
    for (case, content) in [
        ("nothing", String::new()),
        (
            "another model",
            good.replace("\"spin_selling\"}", "\"bant\"}"),
        ),
        (
            "of one dialogue",
            good.replace("\"simulation\":", "\"scenario\":"),
        ),
        (
            "no dialogue",
            good.replacen("\"dialogue\":\"bob:1\",", "", 1),
        ),
        ("no JSON", good.replace(second, "nothing")),
        ("a cut line", good[..good.len() - 40].to_owned()),
    ] {
        project.write("sim.jsonl", content);
        output += &format!(
            "{case}\n{}",
            simulate(&project, "replay:sim.jsonl", &few)
                .about(case)
                .refuses("")
        );
    }
    // The column of the cut line depends on times and ports, which differ in length.
    insta::with_settings!({filters => vec![(r"sim\.jsonl:(\d+):\d{4,}", "sim.jsonl:$1:[end]")]}, {
        insta::assert_snapshot!(output);
    });
    project.write("sim.jsonl", &good);
    simulate(&project, "record:sim.jsonl", &["--show", "bob:1"])
        .refuses("cannot record with `--show`");
    simulate(&project, "replay:", &few).refuses("FS0311");
    simulate(&project, "record", &few).refuses("`record-missing:FILE`");
    simulate(&project, "replay:none.jsonl", &few).refuses("cannot find `none.jsonl`");
    simulate(&project, "record:sim.jsonl", &few)
        .env("CI", "1")
        .refuses("error[FS0316]: cannot record cassettes if `CI` is set");
    assert_eq!(project.read("sim.jsonl"), good);
    server.stop();
}
