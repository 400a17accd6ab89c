//! The traces of a server: when they are written, and how partial files are recovered.

use std::time::{Duration, Instant};

use serde_json::json;

use super::dialogues::{led, session, shop};
use super::{Pipe, is_part};

#[test]
fn failed_writes_are_retried() {
    let project = shop().file("logs/readme", "");
    let mut server = Pipe::start(&project, &["shop", "--trace", "logs/talks.jsonl"]);
    let name = session(&server.call(&json!({})));
    let (here, away) = (project.path().join("logs"), project.path().join("away"));
    std::fs::rename(&here, &away).unwrap();
    // The dialogue continues without the trace.
    assert_eq!(
        led(&server.call(&json!({"state": "order"}))).0,
        "dt_consent"
    );
    assert_eq!(led(&server.call(&json!({"state": "init"}))).0, "init");
    std::fs::rename(&away, &here).unwrap();
    let part = format!("logs/talks.jsonl.{name}.part");
    let start = Instant::now();
    while project.read(&part).lines().count() < 4 {
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "the trace was not completed"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let (log, code) = server.end();
    assert!(
        log.contains("the missing lines are stored in memory")
            && log.contains("the trace is writable again"),
        "{log}"
    );
    assert_eq!(code, 0, "{log}");
    project
        .fsmsim(["test", "logs/talks.jsonl"])
        .succeeds("1 passed in 3 turns");
    // If the trace is still incomplete at exit, the exit code is 2.
    let mut server = Pipe::start(&project, &["shop", "--trace", "logs/talks.jsonl"]);
    server.call(&json!({}));
    std::fs::rename(&here, &away).unwrap();
    server.call(&json!({"state": "bye"}));
    assert_eq!(server.end().1, 2);
}

#[test]
fn only_own_partial_traces_are_recovered() {
    let project = shop();
    let mut other = Pipe::start(&project, &["shop", "--trace", "talks.jsonl.2"]);
    other.call(&json!({}));
    let mut killed = Pipe::start(&project, &["shop", "--trace", "talks.jsonl"]);
    let name = session(&killed.call(&json!({})));
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    project.write("talks.jsonl.evil.part", "garbage\n");
    project.write(
        "talks.jsonl.worse.part",
        "{\"fsmsim_trace\":3,\"dialogue\":\"worse\"}\nhalf\n",
    );
    project.write(
        "talks.jsonl.none.part",
        "{\"fsmsim_trace\":3,\"dialogue\":\"none\"}\n{\"tu",
    );
    let mut next = Pipe::start(&project, &["shop", "--trace", "talks.jsonl"]);
    next.call(&json!({}));
    // The running server continues to write its trace.
    other.call(&json!({"state": "order"}));
    let (log, code) = next.end();
    assert!(
        log.contains(&format!(
            "session {name}: added to the trace from a server that was killed"
        )),
        "{log}"
    );
    for invalid in ["talks.jsonl.evil.part", "talks.jsonl.worse.part"] {
        assert!(
            log.contains(&format!(
                "warning: `{invalid}` is not the trace of a dialogue, and is left unchanged"
            )),
            "{log}"
        );
    }
    assert_eq!((log.matches("warning:").count(), code), (2, 0), "{log}");
    assert_eq!(other.end().1, 0);
    let mut left: Vec<String> = project
        .files()
        .into_iter()
        .filter(|file| is_part(file))
        .collect();
    left.sort();
    assert_eq!(left, ["talks.jsonl.evil.part", "talks.jsonl.worse.part"]);
    project.write("others.jsonl", project.read("talks.jsonl.2"));
    project
        .fsmsim(["test", "others.jsonl"])
        .succeeds("1 passed in 2 turns");
    project
        .fsmsim(["test", "talks.jsonl"])
        .warns("2 passed", "is truncated");
}

#[cfg(unix)]
#[test]
fn user_data_is_readable_only_by_the_owner() {
    use std::os::unix::fs::PermissionsExt;

    let project = shop();
    let mut server = Pipe::start(&project, &["shop", "--trace", "talks.jsonl", "--persist"]);
    server.call(&json!({"said": "Hello"}));
    let files = project
        .files()
        .into_iter()
        .filter(|file| file.contains("talks.jsonl") || file.contains("sessions"));
    let files: Vec<String> = files.collect();
    assert!(files.len() >= 3, "{files:?}");
    for file in files {
        let mode = std::fs::metadata(project.path().join(&file))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{file}");
    }
    assert_eq!(server.end().1, 0);
}
