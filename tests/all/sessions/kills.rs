//! Processes that are killed during a session: nothing is lost, and nothing is done twice.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fsmsim_adapters::llm::SeededRng;
use rusqlite::Connection;
use serde_json::json;
use xxhash_rust::xxh3::xxh3_64;

use super::diary::{AGREED, Kept, diary, kept, play, store};
use crate::support::loopback::{Reaction, Seen, Server, Shape};
use crate::support::{Project, turns};

/// Number of turns of a session. In every third turn the user says something and the model answers. Every other turn writes
/// two documents and requests two reply texts.
const TURNS: usize = 24;

fn lines() -> Vec<String> {
    (0..TURNS)
        .map(|turn| match turn % 3 {
            2 => format!("line {turn}."),
            _ => {
                // Alternates between the two states.
                let state = ["a", "b"][(turn - turn / 3) % 2];
                format!("line {turn}. / {state} note={{text: \"{turn}\"}}")
            }
        })
        .collect()
}

/// The answer is a hash of the complete prompt, so lost context changes it. The answer is delayed.
fn react(seen: &Seen) -> Reaction {
    let reply = format!(
        "{:016x}",
        xxh3_64(seen.json()["messages"].to_string().as_bytes())
    );
    Reaction::Late(
        Duration::from_millis(4),
        Box::new(Shape::OpenAi.says(&json!({"reply": reply}).to_string())),
    )
}

fn toml(server: &Server) -> String {
    format!(
        "[[llm.chain]]\nname = \"tiny\"\nbase_url = \"{}\"\nmodel = \"tiny\"\n",
        server.url
    )
}

fn project(server: &Server) -> Project {
    diary().file("fsmsim.toml", toml(server))
}

/// The message that a request asks for, or `navigate`.
fn about(seen: &Seen) -> &'static str {
    let messages = seen.json()["messages"].clone();
    let user = messages[1]["content"].as_str().unwrap();
    let messages = ["first", "second"];
    messages
        .into_iter()
        .find(|about| user.contains(&format!("Content of the reply: {about}\n")))
        .unwrap_or("navigate")
}

/// The number of the line that a request contains.
fn line_of(seen: &Seen) -> usize {
    let last = seen.body.rsplit_once("line ").unwrap().1;
    last.split_once('.').unwrap().0.parse().unwrap()
}

/// The number of requests per line and message, without the first `since` requests.
fn counts(server: &Server, since: usize) -> BTreeMap<(usize, &'static str), usize> {
    let mut counts = BTreeMap::new();
    for seen in &server.requests()[since..] {
        *counts.entry((line_of(seen), about(seen))).or_default() += 1;
    }
    counts
}

/// Adds a table that records every write of a document.
fn note_writes(twin: &Path) -> Connection {
    let twin = Connection::open(twin).unwrap();
    twin.execute_batch(
        "CREATE TABLE written (user, key, value);
         CREATE TRIGGER new AFTER INSERT ON documents BEGIN INSERT INTO written VALUES (new.user, new.key, new.value); END;
         CREATE TRIGGER old AFTER UPDATE ON documents BEGIN INSERT INTO written VALUES (new.user, new.key, new.value); END;",
    )
    .unwrap();
    twin
}

/// The writes for a user, in their order.
fn writes(twin: &Connection, user: &str) -> Vec<(String, String)> {
    let mut select = twin
        .prepare("SELECT key, value FROM written WHERE user = ?1 ORDER BY rowid")
        .unwrap();
    let rows = select
        .query_map([user], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    rows.map(Result::unwrap).collect()
}

/// The turns of a session from its trace.
fn traced(project: &Project, name: &str) -> Vec<serde_json::Value> {
    turns(
        &play(
            project,
            name,
            &["--twin", &format!("t.sqlite:{name}"), "--llm", "live"],
        )
        .stdin(":trace\n")
        .run()
        .stdout,
    )
}

/// Resumes a session and sends the remaining lines.
fn begin(project: &Project, name: &str, kept: &Kept) -> Child {
    let next = kept.turns + usize::from(kept.line.is_some());
    let mut child = play(
        project,
        name,
        &["--twin", &format!("t.sqlite:{name}"), "--llm", "live"],
    )
    .spawn();
    let left: String = lines()
        .iter()
        .skip(next)
        .map(|line| format!("{line}\n"))
        .collect();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(left.as_bytes())
        .unwrap();
    child
}

/// A project whose sessions are killed.
struct Killed {
    project: Project,
    server: Server,
    twin: Connection,
}

impl Killed {
    fn new() -> Self {
        let server = Server::reacting(react);
        let project = project(&server);
        project
            .fsmsim(["run", "diary", "--twin", "t.sqlite"])
            .warns("", "created `t.sqlite`");
        let twin = note_writes(&project.path().join("t.sqlite"));
        Self {
            project,
            server,
            twin,
        }
    }

    /// Runs a session to its end, and kills the process at random moments while `again` returns true. Returns the number of
    /// kills in the middle of a turn, and the number of kills after a saved answer.
    fn play(&self, name: &str, rng: &mut SeededRng, again: &dyn Fn() -> bool) -> (usize, usize) {
        let Self {
            project, server, ..
        } = self;
        let (mut in_turns, mut after_answers) = (0, 0);
        let since = server.requests().len();
        let mut acknowledged = BTreeMap::new();
        loop {
            let before = kept(project, name);
            let mut child = begin(project, name, &before);
            let is_killed = again();
            if is_killed {
                // One of five might be killed during startup, the others in one of the first turns.
                if rng.below(5) > 0 {
                    let mut notes = BufReader::new(child.stderr.as_mut().unwrap());
                    notes.read_line(&mut String::new()).unwrap();
                }
                std::thread::sleep(Duration::from_micros(u64::from(rng.below(100_000))));
                child.kill().unwrap();
            }
            let output = child.wait_with_output().unwrap();
            let after = kept(project, name);
            assert!(
                after.turns >= before.turns,
                "{name}: {before:?}, then {after:?}"
            );
            if output.status.success() {
                assert_eq!((after.turns, after.line), (TURNS, None));
                break;
            }
            assert!(is_killed, "{}", String::from_utf8_lossy(&output.stderr));
            in_turns += usize::from(after.line.is_some());
            after_answers += usize::from(!after.answers.is_empty());
            if after.line.is_some() {
                assert_eq!(after.line.as_ref(), lines().get(after.turns));
            }
            // A saved answer is never requested again, and no request of a complete turn is.
            let so_far = counts(server, since);
            for (need, _, number) in &after.answers {
                let about = match (need.as_str(), number) {
                    ("navigate", 0) => "navigate",
                    ("phrase", 0) => "first",
                    ("phrase", 1) => "second",
                    _ => continue,
                };
                acknowledged.insert((after.turns, about), so_far[&(after.turns, about)]);
            }
            acknowledged.extend(
                so_far
                    .into_iter()
                    .filter(|((turn, _), _)| *turn < after.turns),
            );
        }
        let in_the_end = counts(server, since);
        for (what, count) in acknowledged {
            assert_eq!(
                in_the_end[&what], count,
                "{name}: {what:?} was requested again"
            );
        }
        (in_turns, after_answers)
    }
}

#[test]
fn session_killed_a_hundred_times_equals_an_undisturbed_one() {
    const KILLS: usize = 100;
    let kills = AtomicUsize::new(0);
    let reference = Killed::new();
    reference.play("calm", &mut SeededRng::of(0, "", 0), &|| false);
    let (calm, calm_writes) = (
        traced(&reference.project, "calm"),
        writes(&reference.twin, "calm"),
    );
    assert_eq!(
        (calm.len(), calm_writes.len()),
        (TURNS, 2 * TURNS * 2 / 3 - 1)
    );
    assert!(
        counts(&reference.server, 0)
            .values()
            .all(|count| *count == 1)
    );
    let again = || kills.fetch_add(1, Ordering::SeqCst) < KILLS;
    let worker = |number: u64| {
        let killed = Killed::new();
        let mut rng = SeededRng::of(13, "kills", number);
        let mut sum = (0, 0);
        for session in 0.. {
            let name = format!("s{number}.{session}");
            let (in_turns, after_answers) = killed.play(&name, &mut rng, &again);
            sum = (sum.0 + in_turns, sum.1 + after_answers);
            let turns = traced(&killed.project, &name);
            assert_eq!(turns.len(), TURNS, "{name}");
            for (turn, calm) in turns.iter().zip(&calm) {
                assert_eq!(turn, calm, "{name}");
            }
            assert_eq!(writes(&killed.twin, &name), calm_writes, "{name}");
            if kills.load(Ordering::SeqCst) >= KILLS {
                break;
            }
        }
        killed.server.stop();
        sum
    };
    let sums: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|number| scope.spawn(move || worker(number)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    reference.server.stop();
    let sum = sums
        .iter()
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    // Many kills are in the middle of a turn, and many between two of its answers.
    assert!(sum.0 >= KILLS / 3 && sum.1 >= KILLS / 5, "{sum:?}");
}

/// A session that was killed in its second turn while it waited for the second message, and the writes until then.
fn killed_in_mid_turn(twin_name: &str) -> (Project, Connection) {
    let server = Server::start(vec![
        Shape::OpenAi.says(r#"{"reply": "one"}"#),
        Reaction::Hangs,
    ]);
    let project = project(&server).file("t.json", "{}");
    project
        .fsmsim(["run", "diary", "--twin", "t.sqlite"])
        .warns("", "created `t.sqlite`");
    let twin = note_writes(&project.path().join("t.sqlite"));
    let mut child = play(&project, "ann", &["--twin", twin_name, "--llm", "live"]).spawn();
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(b"hi / a note={text: x}\nho / b note={text: y}\n")
        .unwrap();
    let patience = Instant::now() + Duration::from_mins(1);
    while server.requests().len() < 2 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    server.stop();
    (project, twin)
}

/// The persistent data store of the session.
const TWIN: &str = "t.sqlite:ann";

/// Resumes the session. Returns the output and the requested messages.
fn go_on(project: &Project, twin: &str, lines: &str) -> (String, Vec<&'static str>) {
    let server = Server::start(vec![Shape::OpenAi.says(r#"{"reply": "two"}"#)]);
    project.write("fsmsim.toml", toml(&server));
    let shown = play(project, "ann", &["--twin", twin, "--llm", "live"])
        .stdin(lines)
        .without_usage()
        .shown();
    let asked = server.requests().iter().map(about).collect();
    server.stop();
    (shown, asked)
}

#[test]
fn killed_turn_requests_only_its_missing_answer() {
    let (project, twin) = killed_in_mid_turn(TWIN);
    let key = |need: &str, effect: &str| (need.to_owned(), effect.to_owned(), 0);
    let answers = vec![
        key("effect", "keep"),
        key("effect", "write"),
        key("phrase", ""),
    ];
    assert_eq!(
        kept(&project, "ann"),
        Kept {
            turns: 1,
            line: Some("ho / b note={text: y}".to_owned()),
            answers
        }
    );
    let (shown, asked) = go_on(&project, TWIN, ":trace\n");
    insta::assert_snapshot!(shown);
    assert_eq!(asked, ["second"]);
    assert_eq!(writes(&twin, "ann").len(), 3);
}

#[test]
fn effect_whose_answer_was_lost_is_not_repeated() {
    let (project, twin) = killed_in_mid_turn(TWIN);
    let before = writes(&twin, "ann");
    // As if the process was killed before it saved any answer.
    store(&project).execute("DELETE FROM answers", ()).unwrap();
    let (shown, asked) = go_on(&project, TWIN, "");
    assert!(
        shown.contains("effect     keep page: done\n  effect     write note: done\n"),
        "{shown}"
    );
    assert_eq!(asked, ["first", "second"]);
    assert_eq!(writes(&twin, "ann"), before);
    // After a reset, the same turn of the session has its own effects.
    go_on(
        &project,
        TWIN,
        ":reset {consent: {read: true, write: true}}\nhi / a note={text: x}\nho / b note={text: y}\n",
    );
    assert_eq!(writes(&twin, "ann").len(), 2 * before.len());
}

#[test]
fn data_in_memory_survives_a_kill() {
    let (project, _) = killed_in_mid_turn("t.json");
    let (_, asked) = go_on(&project, "t.json", "");
    assert_eq!(asked, ["second"]);
    let memory: String = store(&project)
        .query_row("SELECT memory FROM sessions", (), |row| row.get(0))
        .unwrap();
    let memory: serde_json::Value = serde_json::from_str(&memory).unwrap();
    assert_eq!(
        memory["twin"],
        json!({"note": {"text": "y"}, "page": {"text": "y"}})
    );
    assert_eq!(memory["heard"], json!(true));
    assert_eq!(project.read("t.json"), "{}");
}

#[test]
fn cassette_is_replayed_to_a_session_resumed_after_each_line() {
    let server = Server::reacting(react);
    let project = project(&server);
    let lines = [
        "hi.",
        "x / a note={text: x}",
        "and then? line 2.",
        "y / b note={text: y}",
        "well, line 4.",
    ];
    let more = |llm: &'static str| ["--twin", "t.sqlite", "--llm", llm];
    let recorded = project
        .fsmsim(["run", "diary", "--start", AGREED])
        .args(more("record:tape.jsonl"));
    let recorded = recorded.stdin(lines.join("\n") + "\n:trace\n").run();
    server.stop();
    for line in lines {
        play(&project, "ann", &more("replay:tape.jsonl"))
            .stdin(line)
            .ends(0, "", "");
    }
    let replayed = play(&project, "ann", &more("replay:tape.jsonl"))
        .stdin(":trace\n")
        .run();
    let (recorded, replayed) = (turns(&recorded.stdout), turns(&replayed.stdout));
    assert_eq!(recorded.len(), lines.len());
    assert_eq!(replayed, recorded);
}
