//! Stores in SQLite: persistence, separation of users, and dialogues whose store is down.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command};

use fsmsim_adapters::stores::{
    EffectKey, ReadOutcome, Readiness, SessionId, SqliteTwin, Twin, TwinFile, WriteOutcome,
};
use fsmsim_core::machine::{Schema, Value};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value as Json, json};

use crate::support::{Invocation, Project, Run};

/// A state set that reads and writes one note, and reads goals.
fn project() -> Project {
    let state = |front: &str, name: &str| {
        let degradation = if front.is_empty() {
            ""
        } else {
            "\n## Degradation\nDo without.\n"
        };
        let moves = "- `init`\n- `save`\n- `recall`\n- `plan`\n";
        format!("---\n{front}\n---\n# State: {name}\n\n## Transitions\n{moves}{degradation}")
    };
    Project::new()
        .file("coach/states/init.md", state("", "init"))
        .file("coach/states/save.md", state("writes: note", "save"))
        .file("coach/states/recall.md", state("reads: [note]", "recall"))
        .file("coach/states/plan.md", state("reads: [goals, note]", "plan"))
        .file(
            "coach/schemas/note.json",
            r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}"#,
        )
        .file("first.json", r#"{"goals": ["read", "write"], "week": {"done": 7.5}, "none": null}"#)
}

const AGREED: &str = "{consent: {read: true, write: true}}";

/// Runs an interactive dialogue with this store.
fn run_dialogue(project: &Project, twin: &str, lines: &str) -> Invocation {
    project
        .fsmsim(["run", "coach", "--start", AGREED, "--twin", twin])
        .stdin(lines)
}

/// The effects in the output of an interactive dialogue.
fn effects(run: &Run) -> Vec<&str> {
    assert_eq!(run.code, 0, "{}", run.shown());
    run.stdout
        .lines()
        .filter_map(|line| line.strip_prefix("  effect     "))
        .collect()
}

/// The records of a scenario with this store.
fn trace(project: &Project, twin: &str, turns: &str) -> Vec<Json> {
    let start = format!("{{twin: {twin}, consent: {{read: true, write: true}}}}");
    project.write(
        "a.yaml",
        format!("scenario: A\nmodel: coach\nstart: {start}\nturns: {turns}\n"),
    );
    let stdout = project.fsmsim(["trace", "a.yaml"]).succeeds("");
    crate::support::turns(&stdout)
}

fn outcomes(turns: &[Json]) -> Vec<&str> {
    turns
        .iter()
        .flat_map(|turn| turn["effects"].as_array().unwrap())
        .map(|effect| effect["outcome"].as_str().unwrap())
        .collect()
}

/// Creates a store with the first data of a user.
fn filled(project: &Project, twin: &str) {
    project
        .fsmsim(["run", "coach", "--twin", twin, "--twin-from", "first.json"])
        .warns("", "");
}

fn open(project: &Project, path: &str) -> Connection {
    Connection::open(project.path().join(path)).unwrap()
}

/// The names and bytes of all files whose names start with `prefix`.
fn files(project: &Project, prefix: &str) -> Vec<(String, Vec<u8>)> {
    let names = project
        .files()
        .into_iter()
        .filter(|name| name.starts_with(prefix));
    names
        .map(|name| {
            (
                name.clone(),
                std::fs::read(project.path().join(name)).unwrap(),
            )
        })
        .collect()
}

/// An interactive dialogue, line by line, so that the test can act between two lines.
struct Talk {
    child: Child,
    shown: BufReader<ChildStdout>,
}

impl Talk {
    fn new(project: &Project, twin: &str) -> Self {
        let mut child = project
            .fsmsim(["run", "coach", "--start", AGREED, "--twin", twin])
            .spawn();
        let shown = BufReader::new(child.stdout.take().unwrap());
        Self { child, shown }
    }

    /// Types a line that has one effect. Returns the outcome of the effect.
    fn effect(&mut self, line: &str) -> String {
        // The program flushes its output before it waits for the next line.
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        loop {
            let mut shown = String::new();
            assert!(
                self.shown.read_line(&mut shown).unwrap() > 0,
                "the dialogue ended without an effect"
            );
            if let Some(effect) = shown.strip_prefix("  effect     ") {
                return effect.trim_end().to_owned();
            }
        }
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        let mut rest = String::new();
        while self.shown.read_line(&mut rest).unwrap() > 0 {}
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn next_run_reads_the_data_that_a_run_writes() {
    let project = project();
    let first = run_dialogue(&project, "new.sqlite", "save note={text: hello}\nplan\n").run();
    assert_eq!(
        effects(&first),
        ["write note: done", "read goals, note: partial"]
    );
    assert_eq!(first.stderr, "note: created `new.sqlite`\n");
    let second = run_dialogue(
        &project,
        "new.sqlite",
        "recall\n:data\nsave note={text: bye}\nrecall\n:trace\n",
    )
    .run();
    assert_eq!(
        effects(&second),
        ["read note: done", "write note: done", "read note: done"]
    );
    assert_eq!(second.stderr, "");
    assert!(
        second.stdout.contains("data       +note={text: \"hello\"}"),
        "{}",
        second.stdout
    );
    // The record of an effect is the same for all kinds of stores.
    let last = crate::support::turns(&second.stdout).pop().unwrap();
    assert_eq!(
        last["effects"],
        json!([{"effect": "read", "state": "recall", "keys": ["note"], "verdict": "allowed", "outcome": "done"}])
    );
    assert_eq!(last["data"], json!({"note": {"text": "bye"}}));
    // One row, with the schema of the last write. No other file is left.
    let rows: Vec<(String, String, String, String)> = open(&project, "new.sqlite")
        .prepare("SELECT user, key, value, schema FROM documents")
        .unwrap()
        .query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let [(user, key, value, schema)] = rows.as_slice() else {
        panic!("{rows:?}")
    };
    assert_eq!(
        (user.as_str(), key.as_str(), value.as_str()),
        ("default", "note", r#"{"text":"bye"}"#)
    );
    let schema: Json = serde_json::from_str(schema).unwrap();
    assert_eq!(
        schema,
        serde_json::from_str::<Json>(&project.read("coach/schemas/note.json")).unwrap()
    );
    assert_eq!(files(&project, "new").len(), 1);
}

#[test]
fn store_is_filled_once_and_never_overwritten() {
    let project = project()
        .file("list.json", "[1]")
        .file("broken.json", "{\"a\": }");
    let fill = |twin: &str, from: &str| {
        let run = project
            .fsmsim([
                "run",
                "coach",
                "--start",
                AGREED,
                "--twin",
                twin,
                "--twin-from",
                from,
            ])
            .stdin("plan\n")
            .run();
        format!(
            "$ --twin {twin} --twin-from {from}\nexit {}\n{}",
            run.code, run.stderr
        )
    };
    let outputs = [
        fill("a.sqlite", "list.json"),
        fill("a.sqlite", "broken.json"),
        fill("a.sqlite", "missing.json"),
        // Rejected commands have created no file.
        format!("{:?}\n", files(&project, "a.sqlite")),
        fill("a.sqlite", "first.json"),
        fill("a.sqlite", "first.json"),
        fill("a.sqlite:Анна К.", "first.json"),
        fill("first.json", "first.json"),
    ];
    insta::assert_snapshot!(outputs.join("\n"));
    let count = "SELECT count(*) FROM documents WHERE user = ?1 AND schema IS NULL";
    for user in ["default", "Анна К."] {
        let count: i64 = open(&project, "a.sqlite")
            .query_row(count, [user], |row| row.get(0))
            .unwrap();
        assert_eq!(count, 3, "{user}");
    }
    let run = run_dialogue(&project, "a.sqlite:Анна К.", "plan\n").run();
    assert!(
        run.stdout.contains("+goals=[\"read\", \"write\"]"),
        "{}",
        run.stdout
    );
}

#[test]
fn store_keeps_the_key_of_the_last_write_per_session() {
    let project = project();
    filled(&project, "a.sqlite");
    let store = open(&project, "a.sqlite");
    let count = |sql: &str| -> i64 { store.query_row(sql, (), |row| row.get(0)).unwrap() };
    for session in 1..=2 {
        let run = run_dialogue(
            &project,
            "a.sqlite",
            "save note={text: one}\ninit\nsave note={text: two}\ninit\n",
        )
        .run();
        assert_eq!(effects(&run), ["write note: done"; 2]);
        assert_eq!(
            count(
                "SELECT count(*) FROM effects WHERE turn = 3 AND effect = 'write' AND number = 0"
            ),
            session
        );
        assert_eq!(
            count("SELECT count(DISTINCT session) FROM effects"),
            session
        );
        assert_eq!(count("SELECT count(*) FROM effects"), session);
    }
}

#[test]
fn users_of_a_store_are_isolated() {
    let project = project();
    let thief = "a'; DROP TABLE documents; --";
    for (user, text) in [("ann", "one"), ("bob", "two"), (thief, "three")] {
        run_dialogue(
            &project,
            &format!("a.db:{user}"),
            &format!("save note={{text: {text}}}\n"),
        )
        .ends(0, "", "");
    }
    for (user, text) in [
        ("ann", Some("one")),
        ("bob", Some("two")),
        (thief, Some("three")),
        ("an", None),
        ("ANN", None),
    ] {
        let run = run_dialogue(&project, &format!("a.db:{user}"), "recall\n").run();
        let expected = if text.is_some() {
            "read note: done"
        } else {
            "read note: absent"
        };
        assert_eq!(effects(&run), [expected], "{user}");
        assert!(
            text.is_none_or(|text| run.stdout.contains(text)),
            "{user}: {}",
            run.stdout
        );
        let turns = trace(
            &project,
            &format!("{{file: a.db, user: {user:?}}}"),
            "[{goto: recall}]",
        );
        assert_eq!(turns[0]["data"]["note"]["text"].as_str(), text, "{user}");
    }
    // Without a user name, the store uses another user.
    assert_eq!(
        outcomes(&trace(&project, "a.db", "[{goto: recall}]")),
        ["absent"]
    );
}

#[test]
fn concurrent_processes_lose_no_write() {
    const ROUNDS: usize = 20;
    let project = project();
    let lines = |text: &str| -> String {
        (0..ROUNDS)
            .map(|number| format!("save note={{text: {text} {number}}}\nrecall\n"))
            .collect()
    };
    let talk = |user: &str| {
        let run = run_dialogue(&project, &format!("both.sqlite:{user}"), &lines(user)).run();
        let done = effects(&run);
        assert_eq!(done.len(), 2 * ROUNDS);
        assert!(
            done.iter().all(|effect| effect.ends_with(": done")),
            "{done:?}"
        );
    };
    // They also start at the same time, before the file exists. Two of them have the same user.
    std::thread::scope(|scope| {
        for user in ["ann", "bob", "ann"] {
            scope.spawn(move || talk(user));
        }
    });
    let store = open(&project, "both.sqlite");
    let check: String = store
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    let mode: String = store
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!((check.as_str(), mode.as_str()), ("ok", "wal"));
    for user in ["ann", "bob"] {
        let value: String = store
            .query_row(
                "SELECT value FROM documents WHERE user = ?1",
                [user],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(value, format!(r#"{{"text":"{user} {}"}}"#, ROUNDS - 1));
    }
}

#[test]
fn locked_store_is_down_until_it_is_unlocked() {
    let project = project();
    filled(&project, "a.sqlite");
    let mut talk = Talk::new(&project, "a.sqlite");
    assert_eq!(talk.effect("save note={text: one}"), "write note: done");
    let other = open(&project, "a.sqlite");
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(talk.effect("plan"), "read goals, note: done");
    assert_eq!(talk.effect("save note={text: two}"), "write note: down");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(talk.effect("recall"), "read note: done");
    assert_eq!(talk.effect("save note={text: three}"), "write note: done");
    talk.end();
    let value: String = other
        .query_row(
            "SELECT value FROM documents WHERE key = 'note'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(value, r#"{"text":"three"}"#);
}

#[test]
fn dialogue_continues_if_the_store_is_locked_exclusively() {
    let project = project();
    filled(&project, "a.sqlite");
    let other = open(&project, "a.sqlite");
    other
        .execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM documents; ROLLBACK",
        )
        .unwrap();
    insta::assert_snapshot!(run_dialogue(&project, "a.sqlite", "plan\n").shown());
    // The other connection has written nothing, so the file can still be copied.
    assert_eq!(
        outcomes(&trace(&project, "a.sqlite", "[{goto: plan}]")),
        ["partial"]
    );
}

#[test]
fn store_removed_during_a_dialogue_is_down() {
    let project = project();
    filled(&project, "a.sqlite");
    let mut talk = Talk::new(&project, "a.sqlite");
    assert_eq!(talk.effect("plan"), "read goals, note: partial");
    std::fs::rename(
        project.path().join("a.sqlite"),
        project.path().join("b.sqlite"),
    )
    .unwrap();
    assert_eq!(talk.effect("save note={text: lost}"), "write note: down");
    assert_eq!(talk.effect("recall"), "read note: down");
    std::fs::rename(
        project.path().join("b.sqlite"),
        project.path().join("a.sqlite"),
    )
    .unwrap();
    assert_eq!(talk.effect("save note={text: kept}"), "write note: done");
    talk.end();
    assert_eq!(
        effects(&run_dialogue(&project, "a.sqlite", "recall\n").run()),
        ["read note: done"]
    );
}

/// Overwrites all pages but the first one.
fn damage(path: PathBuf) {
    let mut bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() > 4096);
    bytes[4096..].fill(0xA5);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn damaged_store_is_down() {
    let project = project();
    filled(&project, "a.sqlite");
    damage(project.path().join("a.sqlite"));
    insta::assert_snapshot!(
        run_dialogue(&project, "a.sqlite", "plan\nsave note={text: x}\n").shown()
    );
    let turns = trace(
        &project,
        "a.sqlite",
        "[{goto: plan}, {goto: save, data: {note: {text: x}}}, {goto: init}]",
    );
    assert_eq!(outcomes(&turns), ["down", "down"]);
    assert_eq!(
        (&turns[0]["class"], &turns[1]["why"][1]),
        (&json!("degrade"), &json!("store_down"))
    );
}

#[test]
fn invalid_store_files_are_reported_where_they_are_named() {
    let project = project()
        .file(
            "text.sqlite",
            "Dear diary, this is no database, and it is longer than the header of one would be.",
        )
        .file("short.sqlite", "no")
        .file("empty.db", "")
        .file("folder.db/inside.txt", "");
    open(&project, "other.db")
        .execute_batch("CREATE TABLE music (title TEXT)")
        .unwrap();
    open(&project, "marked.db")
        .execute_batch("PRAGMA application_id = 7")
        .unwrap();
    for (path, format) in [("later.db", 2), ("never.db", 0)] {
        filled(&project, path);
        open(&project, path)
            .execute_batch(&format!("PRAGMA user_version = {format}"))
            .unwrap();
    }
    let names = [
        "text.sqlite",
        "short.sqlite",
        "folder.db",
        "other.db",
        "marked.db",
        "later.db",
        "never.db",
        "missing.db",
        "empty.db",
    ];
    let mut errors = String::new();
    for name in names {
        let before = files(&project, name);
        if name != "missing.db" && name != "empty.db" {
            let stderr = run_dialogue(&project, name, "plan\n")
                .about(name)
                .refuses("");
            errors.push_str(&stderr);
        }
        let scenario =
            format!("scenario: A\nmodel: coach\nstart:\n  twin: {name}\nturns: [{{goto: plan}}]\n");
        project.write("a.yaml", scenario);
        let stderr = project
            .fsmsim(["test", "a.yaml"])
            .about(name)
            .fails(2, "", "")
            .stderr;
        errors.push_str(&stderr);
        assert_eq!(files(&project, name), before, "{name}");
    }
    insta::assert_snapshot!(errors);
    // An empty file becomes a new store.
    assert_eq!(
        effects(&run_dialogue(&project, "empty.db", "save note={text: x}\n").run()),
        ["write note: done"]
    );
}

#[test]
fn many_processes_can_create_one_store_concurrently() {
    let project = project();
    for round in 0..12 {
        let twin = format!("{round}.sqlite");
        let runs: Vec<_> = (0..4)
            .map(|_| run_dialogue(&project, &twin, ":state\n").spawn())
            .collect();
        for mut run in runs {
            drop(run.stdin.take());
            let run = run.wait_with_output().unwrap();
            assert_eq!(
                run.status.code(),
                Some(0),
                "{}",
                String::from_utf8_lossy(&run.stderr)
            );
        }
    }
}

#[test]
fn endless_sql_in_a_store_is_stopped() {
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT";
    let spoil = |sql: String| {
        let project = project();
        run_dialogue(&project, "a.sqlite", ":state\n").warns("", "");
        Connection::open(project.path().join("a.sqlite"))
            .unwrap()
            .execute_batch(&sql)
            .unwrap();
        project
    };
    let view = format!(
        "DROP TABLE documents; CREATE VIEW documents AS {endless} x AS user, x AS key, x AS value, x AS schema FROM n"
    );
    run_dialogue(&spoil(view), "a.sqlite", ":state\n").fails(
        2,
        "",
        "the twin is a database of another program",
    );
    let trigger =
        format!("CREATE TRIGGER t BEFORE INSERT ON documents BEGIN {endless} count(*) FROM n; END");
    let started = std::time::Instant::now();
    run_dialogue(&spoil(trigger), "a.sqlite", "save note={text: hello}\n").ends(
        0,
        "write note: down",
        "",
    );
    assert!(
        started.elapsed() < std::time::Duration::from_mins(1),
        "the trigger was not stopped"
    );
}

#[test]
fn invalid_twin_arguments_are_rejected() {
    let project = project().with_flows().file("x.txt", "{}");
    let run = |arguments: &[&str]| project.fsmsim(["run"]).args(arguments).refuses("");
    let errors = [
        run(&["flows/bant", "--twin", "a.sqlite"]),
        run(&["coach", "--twin", "a.sqlite", "--start", "{twin: down}"]),
        run(&["coach", "--twin", "a.sqlite", "--start", "{state: nowhere}"]),
        run(&["coach", "--twin", "a.sqlite: "]),
        run(&["coach", "--twin", "first.json:ann"]),
        run(&["coach", "--twin", "no/such/folder.sqlite"]),
        run(&["coach", "--twin", "a.json"]),
        run(&["coach", "--start", "{twin: {file: first.json, user: ann}}"]),
        run(&["coach", "--start", "{twin: {user: ann, files: x}}"]),
        run(&["coach", "--start", "{twin: [a.sqlite]}"]),
    ];
    insta::assert_snapshot!(errors.concat());
    assert!(
        project
            .fsmsim(["run", "coach", "--twin-from", "first.json"])
            .run()
            .stderr
            .contains("--twin <FILE[:USER]>")
    );
    // None of these commands has created a file. A file with another extension is read as JSON.
    assert_eq!(files(&project, "a.sqlite"), []);
    assert_eq!(
        effects(&run_dialogue(&project, "x.txt", "plan\n").run()),
        ["read goals, note: absent"]
    );
}

#[test]
fn json_file_is_never_written() {
    let project = project();
    let before = project.read("first.json");
    let run = run_dialogue(
        &project,
        "first.json",
        "save note={text: x}\nrecall\n:reset {consent: {read: true}}\nrecall\nplan\n",
    )
    .run();
    let expected = [
        "write note: done",
        "read note: done",
        "read note: absent",
        "read goals, note: partial",
    ];
    assert_eq!(effects(&run), expected);
    assert_eq!(
        run.stderr,
        "note: `first.json` is read-only: changes are lost when the dialogue ends\n"
    );
    assert_eq!(project.read("first.json"), before);
}

#[test]
fn reset_of_the_dialogue_keeps_the_store() {
    let project = project();
    let run = run_dialogue(
        &project,
        "a.sqlite",
        "save note={text: x}\n:reset {consent: {read: true}}\nrecall\n:reset {twin: first.json, consent: {read: true}}\nrecall\n:reset {twin: down, consent: {read: true}}\nrecall\n:reset {consent: {read: true}}\nrecall\n",
    ).run();
    let expected = [
        "write note: done",
        "read note: done",
        "read note: absent",
        "read note: down",
        "read note: done",
    ];
    assert_eq!(effects(&run), expected);
}

#[test]
fn invalid_json_in_a_store_is_reported_when_it_is_read() {
    let project = project();
    filled(&project, "a.sqlite");
    let store = open(&project, "a.sqlite");
    let put = |value: &str| {
        let sql = format!(
            "INSERT OR REPLACE INTO documents (user, key, value) VALUES ('default', 'note', {value})"
        );
        store.execute_batch(&sql).unwrap();
    };
    let deep = format!("'{}'", "[".repeat(5000));
    for value in [
        "'{not json'",
        "''",
        "CAST(x'ff7b7d' AS TEXT)",
        deep.as_str(),
        "'{} {}'",
    ] {
        put(value);
        assert_eq!(
            effects(&run_dialogue(&project, "a.sqlite", "recall\nplan\n").run()),
            ["read note: invalid", "read goals, note: invalid"]
        );
        let turns = trace(
            &project,
            "a.sqlite",
            "[{goto: recall}, {goto: plan}, {goto: save, data: {note: {text: x}}}, {goto: recall}]",
        );
        assert_eq!(outcomes(&turns), ["invalid", "invalid", "done", "done"]);
        assert_eq!(turns[0]["why"], json!(["navigated", "data_invalid"]));
    }
    // A write of the dialogue replaces the invalid value.
    assert_eq!(
        effects(&run_dialogue(&project, "a.sqlite", "save note={text: x}\nplan\n").run()),
        ["write note: done", "read goals, note: done"]
    );
    // A value above the size limit of a file is not read, and a copy reports the limit.
    put("printf('\"%.*c\"', 5000000, 'x')");
    assert_eq!(
        effects(&run_dialogue(&project, "a.sqlite", "recall\n").run()),
        ["read note: invalid"]
    );
    project.write(
        "a.yaml",
        "scenario: A\nmodel: coach\nstart: {twin: a.sqlite}\nturns: [{goto: plan}]\n",
    );
    project.fsmsim(["trace", "a.yaml"]).refuses("FS0002");
}

const WRITES: &str = "[{goto: save, data: {note: {text: new}}}, {goto: recall}, {goto: plan}]";

#[test]
fn tests_and_traces_do_not_change_the_store() {
    // A file name with characters that are special in a URI.
    let name = "a #1 50%?x=ё.sqlite";
    let project = project();
    filled(&project, name);
    let before = files(&project, "a #");
    assert_eq!(before.len(), 1);
    let twin = format!("{name:?}");
    assert_eq!(outcomes(&trace(&project, &twin, WRITES)), ["done"; 3]);
    let dialogue = json!({"id": "d", "start": {"twin": name, "consent": {"read": true, "write": true}},
        "turns": [{"goto": "save", "data": {"note": {"text": "new"}}}]});
    project.write("turns.jsonl", dialogue.to_string());
    project
        .fsmsim(["trace", "coach", "--turns", "turns.jsonl"])
        .succeeds("");
    // Each run of a scenario starts with the content of the file.
    let scenario = |title: &str| {
        format!(
            "scenario: {title}\nmodel: coach\nstart: {{twin: {twin}, consent: {{read: true, write: true}}}}\nturns:\n- {{goto: recall, expect: {{effects: [{{outcome: absent}}]}}}}\n- {{goto: save, data: {{note: {{text: new}}}}, expect: {{effects: [{{outcome: done}}]}}}}\n"
        )
    };
    project.write(
        "a.yaml",
        (0..20)
            .map(|number| scenario(&format!("S{number}")))
            .collect::<Vec<_>>()
            .join("---\n"),
    );
    project.fsmsim(["test", "a.yaml", "-j", "4"]).succeeds("");
    assert_eq!(files(&project, "a #"), before);
}

#[test]
fn copy_contains_the_latest_writes_of_another_process() {
    let project = project();
    filled(&project, "a.sqlite");
    let other = open(&project, "a.sqlite");
    other
        .execute_batch("INSERT INTO documents (user, key, value) VALUES ('default', 'note', '{\"text\": \"fresh\"}')")
        .unwrap();
    let before = files(&project, "a.sqlite");
    assert!(
        before
            .iter()
            .any(|(name, bytes)| name.ends_with("-wal") && !bytes.is_empty())
    );
    let turns = trace(&project, "a.sqlite", "[{goto: recall}]");
    assert_eq!(turns[0]["data"]["note"]["text"], "fresh");
    let unlocked = |files: Vec<(String, Vec<u8>)>| -> Vec<_> {
        files
            .into_iter()
            .filter(|(name, _)| !name.ends_with("-shm"))
            .collect()
    };
    assert_eq!(
        unlocked(files(&project, "a.sqlite")),
        unlocked(before.clone())
    );
    // The same after the other process ended without closing the store.
    for (name, bytes) in unlocked(before) {
        project.write(&name.replace("a.sqlite", "b.sqlite"), bytes);
    }
    let remaining = files(&project, "b.sqlite");
    let turns = trace(&project, "b.sqlite", "[{goto: recall}]");
    assert_eq!(turns[0]["data"]["note"]["text"], "fresh");
    assert_eq!(unlocked(files(&project, "b.sqlite")), remaining);
    assert_eq!(
        effects(&run_dialogue(&project, "b.sqlite", "recall\n").run()),
        ["read note: done"]
    );
    assert_eq!(files(&project, "b.sqlite").len(), 1);
}

#[cfg(unix)]
#[test]
fn store_in_a_read_only_folder_is_read_but_not_written() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    const NO_RECOGNIZER: u32 = 65534;
    let project = project();
    filled(&project, "kept.sqlite");
    // The superuser can write to read-only folders, so in that case the program runs as another user.
    let path = |name: &str| project.path().join(name);
    let program = path("program");
    std::fs::copy(env!("CARGO_BIN_EXE_fsmsim"), &program).unwrap();
    let superuser = std::fs::metadata(project.path()).unwrap().uid() == 0;
    let set = |mode| {
        std::fs::set_permissions(project.path(), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    project.write("a.yaml", format!("scenario: A\nmodel: coach\nstart: {{twin: kept.sqlite, consent: {{read: true, write: true}}}}\nturns: {WRITES}\n"));
    set(0o555);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        if superuser {
            command.uid(NO_RECOGNIZER).gid(NO_RECOGNIZER);
        }
        project
            .invoke(command)
            .args(arguments)
            .stdin("plan\nsave note={text: x}\nrecall\n")
            .run()
    };
    let before = files(&project, "kept");
    let kept = run(&["run", "coach", "--start", AGREED, "--twin", "kept.sqlite"]);
    let new = run(&["run", "coach", "--start", AGREED, "--twin", "new.sqlite"]);
    let more = run(&[
        "run",
        "coach",
        "--twin",
        "kept.sqlite:ann",
        "--twin-from",
        "first.json",
    ]);
    let traced = run(&["trace", "a.yaml"]);
    set(0o755);
    assert_eq!(
        effects(&kept),
        [
            "read goals, note: partial",
            "write note: down",
            "read note: absent"
        ]
    );
    for refused in [new, more] {
        assert!(
            refused.code == 2 && refused.stderr.starts_with("error[FS0303]"),
            "{}",
            refused.shown()
        );
    }
    let turns = crate::support::turns(&traced.stdout);
    assert_eq!(outcomes(&turns), ["done"; 3], "{}", traced.shown());
    assert_eq!(files(&project, "kept"), before);
    assert!(files(&project, "new").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_values_are_read_back(texts in prop::collection::btree_map("\\PC{0,8}", "\\PC{0,30}", 0..6), number in any::<i64>(), float in -1e9..1e9_f64, user in "\\PC{0,12}") {
        let folder = tempfile::tempdir().unwrap();
        let file = TwinFile::new(&folder.path().join("a.sqlite"));
        prop_assert!(matches!(file.ready(), Ok(Readiness::Created)));
        let schema = Schema::new("note", json!({"type": "object"})).unwrap();
        let value = Value::from(json!({"texts": texts, "number": number, "float": float, "list": [null, true, []]}));
        let mut twin = SqliteTwin::new(file.clone(), &user);
        prop_assert_eq!(twin.read(&["note"]), ReadOutcome::Found(vec![]));
        let session = SessionId::of(&user);
        let key = EffectKey { session: &session, turn: 1, effect: "write", index: 0 };
        prop_assert_eq!(twin.write(&key, &schema, &value), WriteOutcome::Kept);
        // A second write with the same key succeeds and changes nothing.
        prop_assert_eq!(twin.write(&key, &schema, &Value::from(json!({}))), WriteOutcome::Kept);
        let found = ReadOutcome::Found(vec![("note".into(), value)]);
        prop_assert_eq!(&twin.read(&["other", "note"]), &found);
        prop_assert_eq!(&twin.fork().read(&["note"]), &found);
        prop_assert_eq!(SqliteTwin::new(file, &format!("{user}x")).read(&["note"]), ReadOutcome::Found(vec![]));
    }
}
