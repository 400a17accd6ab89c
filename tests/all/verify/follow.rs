//! Following a trace that grows: verdicts per turn, rotation, restarts and late lines.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Invocation, Project, cases, tries_everything};

const MAP: &str = "dialogue: id\norder: at\nend: end\nturn:\n  input: {intent: said}\n  state: to\n  data: data\n";

/// The model: a dialogue asks, offers and sells. An offer must lead to a sale.
const MODEL: &str = "\
flow: {name: shop, entry_points: {default: ask}}
states:
  ask: {transitions: {agree: offer, refuse: ask}}
  offer: {transitions: {agree: sold, refuse: ask}}
  sold: {is_final: true, transitions: {refuse: sold}}
properties:
  sale: {after: {state: offer}, leads_to: {state: sold}}
";

fn project() -> Project {
    Project::new()
        .file("shop.yaml", MODEL)
        .file("map.yaml", MAP)
}

/// The lines of dialogues, one turn of each dialogue after the other. Every third dialogue skips a state.
fn lines(dialogues: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for turn in 0..4 {
        for dialogue in 0..dialogues {
            let path = match dialogue % 3 {
                0 => ["ask", "sold", "sold", "sold"],
                1 => ["ask", "offer", "ask", "offer"],
                _ => ["offer", "ask", "offer", "sold"],
            };
            let line = json!({
                "id": format!("d{dialogue}"), "at": lines.len(), "said": if turn % 2 == 0 { "agree" } else { "refuse" },
                "to": path[turn], "data": {"n": turn}, "end": turn == 3,
            });
            lines.push(format!("{line}\n"));
        }
    }
    lines
}

/// A violation without its line and number: the dialogue, the turn, and the rest.
type Violation = (String, u64, String);

fn violation(dialogue: &Value, finding: &Value) -> Violation {
    let part = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let text = [part("rule"), part("found"), part("model"), part("place")].join("|");
    (
        dialogue.as_str().unwrap_or_default().to_owned(),
        finding["turn"].as_u64().unwrap_or_default(),
        text,
    )
}

/// The violations in verdict lines of a batch run.
fn batch_violations(text: &str) -> Vec<Violation> {
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let all = lines.flat_map(|line| {
        let findings = line["findings"].as_array().unwrap().clone();
        findings
            .into_iter()
            .map(move |finding| violation(&line["dialogue"], &finding))
    });
    sorted(all)
}

/// The violations in the lines of a follower, which are numbered without gaps.
fn followed(text: &str) -> Vec<Violation> {
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let all = lines.zip(1_u64..).filter_map(|(line, number)| {
        assert_eq!(line["number"], number, "{text}");
        (line["verdict"] == "violates").then(|| violation(&line["dialogue"], &line))
    });
    sorted(all)
}

fn sorted(all: impl Iterator<Item = Violation>) -> Vec<Violation> {
    let mut all: Vec<Violation> = all.collect();
    all.sort();
    all
}

fn verify(project: &Project, more: &[&str]) -> Invocation {
    project
        .fsmsim([
            "verify",
            "--model",
            "shop.yaml",
            "--map",
            "map.yaml",
            "--format",
            "jsonl",
        ])
        .args(more)
}

fn batch(project: &Project, text: &str) -> Vec<Violation> {
    project.write("batch.jsonl", text);
    batch_violations(&verify(project, &["batch.jsonl", "--group"]).run().stdout)
}

/// A follower of `log.jsonl` that appends to `out.jsonl`.
fn follower(project: &Project, more: &[&str]) -> Child {
    let out = OpenOptions::new()
        .append(true)
        .create(true)
        .open(project.path().join("out.jsonl"))
        .unwrap();
    let run = verify(project, &["log.jsonl", "--follow"]).args(more);
    run.stdout(out.into()).stderr(Stdio::null()).spawn()
}

fn append(project: &Project, text: &str) {
    let path = project.path().join("log.jsonl");
    let mut log = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap();
    log.write_all(text.as_bytes()).unwrap();
}

/// Waits until the output has this number of lines.
fn wait_for(project: &Project, count: usize) {
    let end = Instant::now() + Duration::from_mins(1);
    while fs::read_to_string(project.path().join("out.jsonl"))
        .unwrap_or_default()
        .lines()
        .count()
        < count
    {
        assert!(Instant::now() < end, "only {}", project.read("out.jsonl"));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ends a process as Ctrl-C does, and returns its exit code.
fn interrupt(mut child: Child) -> Option<i32> {
    Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    child.wait().unwrap().code()
}

#[test]
fn each_violation_is_printed_while_the_input_is_open() {
    let project = project();
    let mut child = verify(&project, &["-", "--follow"]).spawn();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    for (number, id) in ["a", "b", "c"].into_iter().enumerate() {
        writeln!(
            input,
            "{}",
            json!({"id": id, "said": "agree", "to": "sold"})
        )
        .unwrap();
        let line: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
        assert_eq!(
            (&line["dialogue"], &line["number"]),
            (&json!(id), &json!(number + 1))
        );
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn complete_dialogues_of_a_pipe_are_judged_while_it_is_open() {
    // With `order`, a later line can belong to any dialogue.
    let project = project().file("map.yaml", MAP.replace("order: at\n", ""));
    let mut child = verify(&project, &["-"]).spawn();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = |id: usize| format!("{}\n", json!({"id": id, "said": "agree", "to": "offer"}));
    // The start of the last dialogue arrives with the others.
    input
        .write_all((0..6).map(line).collect::<String>().as_bytes())
        .unwrap();
    for id in 0..5 {
        let verdict: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
        assert_eq!(verdict["dialogue"], json!(id.to_string()));
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn text_lists_violations_and_ends_with_the_summary() {
    let project = project();
    let text = lines(3).concat() + "not json\n{\"at\":1}\n";
    let run = project.fsmsim([
        "verify",
        "-",
        "--follow",
        "--model",
        "shop.yaml",
        "--map",
        "map.yaml",
    ]);
    insta::assert_snapshot!(run.stdin(text).shown());
}

#[test]
fn own_traces_are_followed() {
    let project = project().file("turns.jsonl", "{\"id\":\"a\",\"turns\":[{\"intent\":\"agree\"},{\"intent\":\"agree\"}]}\n{\"id\":\"b\",\"turns\":[{\"intent\":\"refuse\"}]}\n");
    let trace = project
        .fsmsim(["trace", "shop.yaml", "--turns", "turns.jsonl"])
        .succeeds("");
    let follow = |trace: &str| {
        let run = project.fsmsim(["verify", "-", "--follow", "--model", "shop.yaml"]);
        run.stdin(trace).shown()
    };
    let broken = trace.replacen("\"to\":\"offer\"", "\"to\":\"sold\"", 1);
    insta::assert_snapshot!([follow(&trace), follow(&broken), follow("")].join("\n"));
}

#[test]
fn unsuitable_options_are_rejected() {
    let project = project();
    let plain = MAP.replace("order: at\n", "");
    project.write("plain.yaml", plain);
    let follow = |more: &[&str]| {
        project
            .fsmsim(["verify", "--follow", "--model", "shop.yaml"])
            .args(more)
    };
    follow(&["a", "b"]).refuses("cannot follow several traces");
    follow(&["a", "--mode", "replay"]).refuses("cannot use `--follow` with `--mode replay`");
    follow(&["-", "--journal", "j"]).refuses("cannot use `--journal` with standard input");
    follow(&["a", "--map", "plain.yaml", "--lateness", "5s"])
        .refuses("requires a map with `order`");
    follow(&["a", "--lateness", "5m"]).refuses("expected seconds");
}

#[test]
fn rotation_loses_no_line() {
    for is_copied in [false, true] {
        let project = project();
        let all = lines(30);
        let expected = batch(&project, &all.concat());
        let child = follower(&project, &[]);
        let log = project.path().join("log.jsonl");
        let mut seen = Vec::new();
        for (number, part) in all.chunks(20).enumerate() {
            append(&project, &part.concat());
            seen.extend(part.iter().cloned());
            let so_far = batch(&project, &seen.concat());
            wait_for(&project, so_far.len());
            // A line can be written in two parts.
            std::thread::sleep(Duration::from_millis(150));
            if is_copied {
                fs::copy(&log, project.path().join(format!("log.jsonl.{number}"))).unwrap();
                File::options()
                    .write(true)
                    .open(&log)
                    .unwrap()
                    .set_len(0)
                    .unwrap();
            } else {
                fs::rename(&log, project.path().join(format!("log.jsonl.{number}"))).unwrap();
                File::create(&log).unwrap();
            }
        }
        wait_for(&project, expected.len());
        assert_eq!(interrupt(child), Some(1));
        assert_eq!(
            followed(&project.read("out.jsonl")),
            expected,
            "copied: {is_copied}"
        );
    }
}

#[test]
fn idle_dialogue_is_pending_and_does_not_fail() {
    let project = project();
    append(
        &project,
        &format!("{}\n", json!({"id": "a", "said": "agree", "to": "offer"})),
    );
    let child = follower(&project, &["--idle", "1"]);
    wait_for(&project, 1);
    // Nothing is known about the dialogue before its next turn.
    append(
        &project,
        &format!("{}\n", json!({"id": "a", "said": "agree", "to": "sold"})),
    );
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(interrupt(child), Some(0));
    let out = project.read("out.jsonl");
    assert_eq!(
        out,
        "{\"number\":1,\"verdict\":\"pending\",\"dialogue\":\"a\",\"turns\":1}\n"
    );
}

#[test]
fn kills_lose_and_double_no_verdict() {
    let kills = if tries_everything() { 200 } else { 20 };
    let project = project();
    let all = lines(40 * kills);
    let expected = batch(&project, &all.concat());
    let mut parts = all.chunks(all.len() / kills + 1);
    let mut random = 7_u64;
    for kill in 0..kills {
        let mut child = follower(&project, &["--journal", "state.jsonl"]);
        let part = parts.next().unwrap_or_default();
        for piece in part.chunks(part.len() / 4 + 1) {
            append(&project, &piece.concat());
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            std::thread::sleep(Duration::from_millis(random >> 60));
        }
        std::thread::sleep(Duration::from_millis((random >> 33) % 400));
        child.kill().unwrap();
        child.wait().unwrap();
        if kill % 5 == 2 {
            // The log is rotated without a follower.
            let log = project.path().join("log.jsonl");
            fs::rename(&log, project.path().join(format!("log.jsonl.{kill}"))).unwrap();
        }
    }
    let rest = parts.flatten().cloned().collect::<String>();
    append(&project, &rest);
    let child = follower(&project, &["--journal", "state.jsonl"]);
    wait_for(&project, expected.len());
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(interrupt(child), Some(1));
    let found = followed(&project.read("out.jsonl"));
    let count = |all: &[Violation]| {
        let mut counts: BTreeMap<Violation, usize> = BTreeMap::new();
        for one in all {
            *counts.entry(one.clone()).or_default() += 1;
        }
        counts
    };
    assert_eq!(count(&found), count(&expected));
    // Two followers cannot share a journal.
    let mut first = follower(&project, &["--journal", "state.jsonl"]);
    std::thread::sleep(Duration::from_millis(1500));
    verify(
        &project,
        &["log.jsonl", "--follow", "--journal", "state.jsonl"],
    )
    .refuses("another process uses the journal");
    first.kill().unwrap();
    first.wait().unwrap();
}

proptest! {
    #![proptest_config(cases(12))]
    #[test]
    fn follow_and_batch_agree_within_the_lateness(dialogues in 1_usize..9, late in 0_usize..12, shifts in proptest::collection::vec(0_usize..12, 40)) {
        let project = project();
        let all = lines(dialogues);
        let expected = batch(&project, &all.concat());
        let mut keyed: Vec<(usize, &String)> = all.iter().enumerate()
            .map(|(at, line)| (at + shifts[at % shifts.len()].min(late), line))
            .collect();
        keyed.sort_by_key(|(at, _)| *at);
        let text: String = keyed.into_iter().map(|(_, line)| line.as_str()).collect();
        for lateness in [late.to_string(), format!("{late}s")] {
            let run = verify(&project, &["-", "--follow", "--lateness", &lateness]).stdin(&text).run();
            prop_assert_eq!(followed(&run.stdout), expected.clone());
        }
    }
}

#[test]
fn lines_without_an_optional_name_are_ignored_as_in_a_batch() {
    let map = "dialogue: id?\nturn:\n  input: {intent: said}\n  state: to\n";
    let project = project().file("map.yaml", map);
    let text = "{\"id\":\"a\",\"said\":\"agree\",\"to\":\"offer\"}\n{\"heartbeat\":1}\n";
    for mode in [&["--follow"][..], &[]] {
        let arguments = ["verify", "-", "--model", "shop.yaml", "--map", "map.yaml"];
        let run = project.fsmsim(arguments).args(mode).stdin(text).run();
        assert!(!run.stderr.contains("missing `id"), "{run}");
        assert!(run.stdout.contains("1 dialogue, 1 turn"), "{run}");
    }
}
