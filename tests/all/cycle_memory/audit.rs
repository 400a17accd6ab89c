//! The audit of agent cycles, and the provenance that `why` prints.

use rusqlite::Connection;

use super::task::{ARTIFACTS, MEMORY, START, entries, holds, lines, memory, play, project, typed};
use crate::support::{Project, text};

/// A project with a committed task.
fn committed() -> Project {
    let project = project();
    play(&project)
        .stdin(typed(&lines("alpha")))
        .warns("the dialogue has ended", "created the memory");
    project
}

#[test]
fn audit_lists_all_events_in_order() {
    let project = committed();
    let output: Vec<String> = entries(&memory(&project))
        .iter()
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap().to_owned();
            let mut what = entry["what"].clone();
            // The snapshot of the chain covers IDs and hashes.
            for key in ["artifact", "hash"] {
                what.as_object_mut().unwrap().remove(key);
            }
            format!(
                "{} {} in {} {what}",
                entry["turn"],
                text("kind"),
                text("state")
            )
        })
        .collect();
    insta::assert_snapshot!(output.join("\n"));
    holds(&project);
}

#[test]
fn same_script_gives_the_same_audit() {
    let verified = |project: &Project| {
        project
            .fsmsim(["verify", "--audit", MEMORY])
            .succeeds("is intact")
    };
    let (one, other) = (committed(), committed());
    assert_eq!(verified(&one), verified(&other));
    insta::assert_snapshot!(verified(&one));
    let json = one
        .fsmsim(["verify", "--audit", MEMORY, "--format", "json"])
        .succeeds("");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["whole"], &json["artifacts"]),
        (&true.into(), &ARTIFACTS.into())
    );
    // A trace contains the hash of each dialogue's audit.
    let turns = r#"{"id":"NAME","turns":[{"event":"submit","data":{"task_id":"t","description":"d"},"at":"2026-01-01T00:00:00Z"},{"tick":{"analysis":"x"}}]}"#;
    let traced = |name: &str, from: &str, to: &str| {
        let project = project().file("t.jsonl", turns.replace("NAME", name).replace(from, to));
        let trace = project
            .fsmsim(["trace", "cycle.yaml", "--turns", "t.jsonl"])
            .succeeds("\"end\"");
        let end: serde_json::Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
        end["audit"].as_str().unwrap().to_owned()
    };
    let hash = traced("a", "", "");
    assert_eq!(traced("b", "", ""), hash);
    assert_ne!(traced("a", "\"x\"", "\"y\""), hash);
    assert_ne!(traced("a", "01-01T", "01-02T"), hash);
}

#[test]
fn task_with_an_expired_deadline_gets_no_verdict() {
    let project = project();
    let submit =
        "{event: submit, data: {task_id: t1, description: d, deadline: '2026-01-31T18:00:00Z'}}";
    let late = "{tick: {report: 'DECISION: FAILED'}, at: '2026-01-31T19:00:00Z'}";
    let turns = format!(
        "  - {submit}\n  - {{tick: {{analysis: x}}}}\n  - {{tick: {{plan: [x]}}}}\n  - {{tick: {{result: x}}}}\n  - {late}\n"
    );
    let turns = project.file(
        "s.yaml",
        format!("scenario: Late\nmodel: cycle.yaml\nturns:\n{turns}"),
    );
    let trace = turns
        .fsmsim(["trace", "s.yaml"])
        .succeeds("\"failed_by\":\"deadline\"");
    let turn = trace.lines().rev().nth(1).unwrap();
    let mut found = fsmsim_syntax::diagnostic::Diagnostics::default();
    let path = turns.path().join("cycle.yaml");
    let machine = fsmsim_dialects::dialect::Loader::default().load(
        &path,
        fsmsim_core::machine::Profile::default(),
        None,
        &mut found,
    );
    let audited = fsmsim_runtime::runtime::audited_turn(&machine.unwrap(), "t1", 5, turn);
    let kinds: Vec<String> = audited
        .entries
        .iter()
        .map(|entry| format!("{:?}", entry.kind))
        .collect();
    assert_eq!(kinds, ["PhaseLeft", "Observed", "Ended"]);
}

#[test]
fn why_traces_knowledge_back_to_its_first_observation() {
    let project = committed();
    let observe =
        "observe observation_id=o1 source=ci category=environment signal=red confidence=0.9";
    let mut first = lines("beta");
    first.insert(3, observe.to_owned());
    play(&project)
        .stdin(typed(&first))
        .succeeds("the dialogue has ended");
    let mut second = lines("gamma");
    second[0] += " begun_by=o1";
    play(&project)
        .stdin(typed(&second))
        .succeeds("the dialogue has ended");
    let ids: Vec<String> = memory(&project)
        .prepare("SELECT id FROM artifacts WHERE sequence IS NOT NULL AND kind <> 'episodic' ORDER BY sequence")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let why = |id: &str| project.fsmsim(["why", id, "--memory", MEMORY]);
    insta::assert_snapshot!(why(&ids[0]).succeeds("") + &why(&ids[5]).succeeds(""));
    assert!(
        text("docs/src/explanation/agent-cycles.md").contains(&why(&ids[5]).succeeds("")),
        "docs/src/explanation/agent-cycles.md shows a different output of `why`"
    );
    assert_eq!(why(&ids[5][..8]).succeeds(""), why(&ids[5]).succeeds(""));
    let json = why(&ids[5]).args(["--format", "json"]).succeeds("");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let kinds: Vec<&str> = json["origin"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["task_submitted", "observed", "task_submitted"]);
    let similar_id = format!("{}x", &ids[2][..35]);
    insta::assert_snapshot!(
        why("nothing").refuses("FS0239") + &why(&similar_id).refuses("a similar")
    );
    // The project names its memory.
    project.write("fsmsim.toml", format!("[cycle]\nmemory = \"{MEMORY}\"\n"));
    project.fsmsim(["why", &ids[0]]).succeeds("alpha");
    project
        .fsmsim(["run", "cycle.yaml", "--start", START])
        .stdin(typed(&lines("delta")))
        .succeeds(&ids[0]);
    project
        .fsmsim(["run", "cycle.yaml", "--memory", MEMORY])
        .stdin(":reset\nsubmit task_id=t description=page\n")
        .succeeds(&ids[0]);
    project.write("fsmsim.toml", "[cycle]\nmemory = \"../outside.sqlite\"\n");
    project.fsmsim(["why", &ids[0]]).refuses("FS0305");
}

#[test]
fn tampered_audit_is_reported_with_its_location() {
    let edits = [
        "UPDATE audit SET entry = replace(entry, 'needs a page', 'needs no page') WHERE number = 4",
        "DELETE FROM audit WHERE number = 7",
        "DELETE FROM audit WHERE number > 20",
        "UPDATE audit SET number = 1000 WHERE number = 9; UPDATE audit SET number = 9 WHERE number = 10; UPDATE audit SET number = 10 WHERE number = 1000",
        "UPDATE audit SET hash = upper(hash) WHERE number = 12",
        "INSERT INTO audit (number, id, entry, hash) SELECT max(number) + 1, 'x', entry, hash FROM audit",
        "UPDATE chain SET entries = entries + 1",
        "DELETE FROM chain",
        "UPDATE artifacts SET body = replace(body, 'true', 'false') WHERE kind = 'semantic'",
        "UPDATE artifacts SET kind = 'semantic' WHERE sequence = 3",
        "UPDATE artifacts SET session = 'x' WHERE sequence = 3",
        "UPDATE artifacts SET sequence = 100 WHERE sequence = 2",
        "DELETE FROM artifacts WHERE kind = 'procedural'",
        "INSERT INTO artifacts SELECT 'x', session, turn, task, kind, body, sequence + 1 FROM artifacts WHERE kind = 'procedural'",
    ];
    let mut output = String::new();
    for edit in edits {
        let project = committed();
        let memory = memory(&project);
        // Triggers prevent these edits for everyone who only opens the file.
        if edit.contains("audit SET") || edit.contains("FROM audit WHERE") {
            let refused = memory.execute_batch(edit).unwrap_err().to_string();
            assert!(
                refused.contains("the audit is only appended to"),
                "{refused}"
            );
        }
        memory
            .execute_batch(&format!(
                "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_shortened; {edit}"
            ))
            .unwrap();
        let run = project
            .fsmsim(["verify", "--audit", MEMORY])
            .fails(1, "FS0540", "");
        output += &format!("{edit}\n{}\n", run.stdout);
    }
    insta::assert_snapshot!(output);
}

#[test]
fn file_that_is_not_a_memory_is_reported_and_unchanged() {
    let project = committed();
    drop(memory(&project));
    let bytes = std::fs::read(project.path().join(MEMORY)).unwrap();
    project.write(
        "text.sqlite",
        "this is no database, but a text of some length",
    );
    project.write("empty.sqlite", "");
    project.write("short.sqlite", &bytes[..bytes.len() / 3]);
    let other = Connection::open(project.path().join("other.sqlite")).unwrap();
    other
        .execute_batch("CREATE TABLE audit (number, id, entry, hash)")
        .unwrap();
    std::fs::copy(
        project.path().join(MEMORY),
        project.path().join("later.sqlite"),
    )
    .unwrap();
    Connection::open(project.path().join("later.sqlite"))
        .unwrap()
        .execute_batch("PRAGMA user_version = 7")
        .unwrap();
    std::fs::create_dir(project.path().join("folder.sqlite")).unwrap();
    let mut output = String::new();
    for name in [
        "text", "empty", "short", "other", "later", "folder", "missing",
    ] {
        let file = format!("{name}.sqlite");
        let before = std::fs::read(project.path().join(&file)).ok();
        output += &project.fsmsim(["verify", "--audit", &file]).refuses("FS0");
        project
            .fsmsim(["why", "abcdef", "--memory", &file])
            .refuses("FS0");
        // A run creates a memory from an empty or missing file.
        if !["empty", "missing"].contains(&name) {
            project
                .fsmsim(["run", "cycle.yaml", "--memory", &file])
                .stdin("tick\n")
                .refuses("FS0");
        }
        assert_eq!(
            std::fs::read(project.path().join(&file)).ok(),
            before,
            "{name}"
        );
    }
    insta::assert_snapshot!(output);
}

#[test]
fn corrupted_memory_never_causes_a_panic() {
    let project = committed();
    memory(&project)
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
        .unwrap();
    let bytes = std::fs::read(project.path().join(MEMORY)).unwrap();
    let mut rng = fsmsim_adapters::llm::SeededRng::of(17, "bytes", 0);
    for round in 0..60 {
        let mut changed = bytes.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(u32::try_from(changed.len()).unwrap()) as usize;
            changed[at] ^= u8::try_from(1 + rng.below(255)).unwrap();
        }
        project.write("changed.sqlite", &changed);
        for arguments in [
            &["verify", "--audit", "changed.sqlite"][..],
            &["why", "abcd", "--memory", "changed.sqlite"],
        ] {
            let run = project.fsmsim(arguments).run();
            assert!(
                (0..=2).contains(&run.code) && !run.stderr.contains("panicked"),
                "round {round}\n{run}"
            );
        }
    }
}

#[test]
fn session_memory_is_stored_only_with_the_session() {
    let project = project();
    let session = |more: &[&str]| {
        project
            .fsmsim(["run", "cycle.yaml", "--session", "ann"])
            .args(more)
    };
    session(&["--start", START])
        .stdin(typed(&lines("ann")[..3]))
        .warns("", "created the memory `.fsmsim/memory.sqlite`");
    project
        .fsmsim(["verify", "--audit", ".fsmsim/memory.sqlite"])
        .succeeds("the audit is intact");
    session(&["--memory", "other.sqlite"]).refuses("FS0237");
    play(&project).stdin("").warns("", "");
    session(&["--memory", MEMORY]).refuses("FS0232");
    session(&[])
        .stdin(typed(&lines("ann")[3..]))
        .warns("the dialogue has ended", "in `execute`");
    // A new session with the same name is a different session.
    project
        .fsmsim(["sessions", "delete", "ann"])
        .warns("", "deleted");
    session(&["--start", START])
        .stdin(typed(&lines("ann")))
        .warns("the dialogue has ended", "started the session");
    let memory = Connection::open(project.path().join(".fsmsim/memory.sqlite")).unwrap();
    let mut select = memory
        .prepare("SELECT session, count(*) FROM artifacts GROUP BY session ORDER BY session")
        .unwrap();
    let counts = select
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let counts: Vec<(String, usize)> = counts
        .map(|row| {
            row.map(|(name, count): (String, u32)| (name, count as usize))
                .unwrap()
        })
        .collect();
    assert_eq!(
        counts,
        [
            ("ann".to_owned(), ARTIFACTS),
            ("ann#1".to_owned(), ARTIFACTS)
        ]
    );
    // A flow has no memory.
    let flow = project.with_flows();
    flow.fsmsim(["run", "flows/bant", "--memory", "m.sqlite"])
        .refuses("only for agent cycles");
}
