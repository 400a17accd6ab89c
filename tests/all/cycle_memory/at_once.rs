//! Tasks that share a memory concurrently: nothing is lost, nothing is done twice, and each task sees only complete
//! commits.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use fsmsim_adapters::stores::{
    ArtifactKind, Audit, AuditEntry, AuditKind, AuditedTurn, EffectKey, Memory, MemoryFile,
    RecallQuery, Recalled, Remembered, SessionId, SqliteAudit, SqliteMemory,
};
use fsmsim_core::machine::Value;
use serde_json::json;

use super::task::{
    ARTIFACTS, MEMORY, artifacts, entries, holds, lines, memory, play, project, typed, unknown,
};

const TASKS: usize = 50;

#[test]
fn fifty_concurrent_tasks_share_a_memory_without_interference() {
    let project = project();
    // All of them create the memory.
    let mut running: Vec<_> = (0..TASKS)
        .map(|task| {
            let mut child = play(&project).spawn();
            child
                .stdin
                .take()
                .unwrap()
                .write_all(typed(&lines(&format!("task{task}x"))).as_bytes())
                .unwrap();
            child
        })
        .collect();
    for child in running.drain(..) {
        let output = child.wait_with_output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.success() && shown.contains("the dialogue has ended"),
            "{stderr}\n{shown}"
        );
    }
    holds(&project);
    let memory = memory(&project);
    let (known, entries) = (artifacts(&memory), entries(&memory));
    assert_eq!((known.len(), unknown(&memory)), (TASKS * ARTIFACTS, 0));
    let tasks: BTreeSet<&str> = known
        .iter()
        .map(|(.., body)| body["task_id"].as_str().unwrap())
        .collect();
    let sessions: BTreeSet<&str> = known.iter().map(|(session, ..)| &**session).collect();
    assert_eq!((tasks.len(), sessions.len()), (TASKS, TASKS));
    // Each session wrote all of its entries exactly once.
    for session in sessions {
        let kinds: Vec<&str> = entries
            .iter()
            .filter(|entry| entry["session"] == session)
            .map(|entry| entry["kind"].as_str().unwrap())
            .collect();
        assert_eq!(
            kinds
                .iter()
                .filter(|kind| **kind == "memory_written")
                .count(),
            ARTIFACTS,
            "{session}: {kinds:?}"
        );
        assert_eq!(kinds.iter().filter(|kind| **kind == "ended").count(), 1);
    }
    // EXECUTE recalls only episodic artifacts of its own task.
    let of_id = |id: &str| -> (String, String) {
        let select = "SELECT session, kind FROM artifacts WHERE id = ?1";
        memory
            .query_row(select, [id], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
    };
    let mut own = 0;
    for entry in entries
        .iter()
        .filter(|entry| entry["kind"] == "memory_read")
    {
        for id in entry["what"]["found"].as_array().unwrap() {
            let (session, kind) = of_id(id.as_str().unwrap());
            assert!(
                kind != "episodic" || entry["session"] == *session,
                "{entry} found an artifact of {session}"
            );
            own += usize::from(kind == "episodic");
        }
    }
    assert!(own >= TASKS, "{own}");
}

fn artifact(kind: &str, task: &str) -> Value {
    let texts = [
        ("type", kind),
        ("scope", "shared"),
        ("content", "a common word"),
        ("source_agent", "a"),
        ("task_id", task),
    ];
    Value::map(
        texts
            .map(|(key, text)| (key, Value::text(text)))
            .into_iter()
            .chain([("is_validated", Value::Bool(true))]),
    )
}

/// Commits two artifacts in a turn. Repeats each step, like a client that lost the answer.
fn commit(memory: &mut SqliteMemory, audit: &mut SqliteAudit, session: &SessionId, turn: u32) {
    let text = session.text().into_owned();
    let mut entries = Vec::new();
    for (index, kind) in (0..).zip(["semantic", "procedural"]) {
        let key = EffectKey {
            session,
            turn,
            effect: "share",
            index,
        };
        let first = memory.remember(&key, &artifact(kind, &text));
        assert_eq!(memory.remember(&key, &artifact(kind, "another")), first);
        let Remembered::Kept { id, hash } = first else {
            panic!("{first:?}")
        };
        let what = json!({"artifact": id, "hash": hash, "type": kind});
        entries.push(AuditEntry {
            kind: AuditKind::MemoryWritten,
            state: "commit".to_owned(),
            what,
        });
    }
    let audited = AuditedTurn {
        session: text,
        turn,
        entries,
        ..AuditedTurn::default()
    };
    audit.append(&audited).unwrap();
    audit.append(&audited).unwrap();
}

#[test]
fn threads_that_share_a_memory_see_only_complete_commits() {
    const THREADS: u32 = 8;
    const TURNS: u32 = 12;
    let project = project();
    let file = MemoryFile::new(&project.path().join(MEMORY));
    let is_done = AtomicBool::new(false);
    let query = RecallQuery {
        shared: vec![ArtifactKind::Semantic, ArtifactKind::Procedural],
        own: true,
        words: vec!["common".to_owned(), "word".to_owned()],
    };
    let seen = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..THREADS)
            .map(|_| {
                scope.spawn(|| {
                    file.ready().unwrap();
                    let (mut memory, mut audit) = (
                        SqliteMemory::new(file.clone()),
                        SqliteAudit::new(file.clone()),
                    );
                    let session = memory.begin(&SessionId::of("one name")).unwrap();
                    for turn in 1..=TURNS {
                        commit(&mut memory, &mut audit, &session, turn);
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            file.ready().unwrap();
            let mut memory = SqliteMemory::new(file.clone());
            let session = SessionId::of("reader");
            let mut seen = BTreeSet::new();
            while !is_done.load(Ordering::SeqCst) {
                let key = EffectKey {
                    session: &session,
                    turn: 1,
                    effect: "recall",
                    index: 0,
                };
                let Recalled::Found(found) = memory.recall(&key, &query) else {
                    panic!("the memory is down")
                };
                for commit in found.chunks(2) {
                    let kinds: Vec<ArtifactKind> =
                        commit.iter().map(|artifact| artifact.kind).collect();
                    assert_eq!(kinds, [ArtifactKind::Semantic, ArtifactKind::Procedural]);
                    assert_eq!(commit[0].task, commit[1].task);
                }
                seen.insert(found.len());
            }
            seen
        });
        for writer in writers {
            writer.join().unwrap();
        }
        is_done.store(true, Ordering::SeqCst);
        reader.join().unwrap()
    });
    assert!(seen.iter().all(|seen| seen % 2 == 0), "{seen:?}");
    project
        .fsmsim(["verify", "--audit", MEMORY])
        .succeeds("the audit is intact");
    let memory = memory(&project);
    let known = artifacts(&memory);
    assert_eq!(
        (known.len(), unknown(&memory)),
        ((THREADS * TURNS * 2) as usize, 0)
    );
    assert_eq!(entries(&memory).len(), known.len());
    let sessions: BTreeSet<&str> = known.iter().map(|(session, ..)| &**session).collect();
    assert_eq!(sessions.len(), THREADS as usize);
}
