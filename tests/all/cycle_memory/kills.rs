//! Processes that are killed while they run cycles over one memory: no task is lost, nothing unvalidated is shared,
//! nothing is written twice, and the audit stays intact.

use std::io::{BufRead, BufReader, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fsmsim_adapters::llm::SeededRng;
use serde_json::Value;

use super::task::{
    ARTIFACTS, MEMORY, artifacts, entries, holds, lines, memory, play, project, typed, unknown,
};
use crate::sessions::diary::{kept, store};
use crate::support::{Project, tries_everything};

/// The ID of a session in the memory. A session that is killed before it starts gets a new ID when it is started again.
fn id(project: &Project, name: &str) -> String {
    let select = "SELECT id FROM sessions WHERE name = ?1";
    store(project)
        .query_row(select, [name], |row| row.get(0))
        .unwrap()
}

/// The audit entries of a session, without values that differ between sessions.
fn audit_entries(project: &Project, name: &str) -> Vec<String> {
    let (entries, id) = (entries(&memory(project)), id(project, name));
    let of_session = entries.into_iter().filter(|entry| entry["session"] == *id);
    of_session
        .map(|mut entry| {
            for key in ["number", "id"] {
                entry[key] = Value::Null;
            }
            // The artifacts that other tasks had shared by then vary.
            for key in ["artifact", "hash", "found"] {
                entry["what"].as_object_mut().unwrap().remove(key);
            }
            entry.to_string().replace(&id, "T").replace(name, "T")
        })
        .collect()
}

/// The artifacts of a session, in order.
fn remembered(project: &Project, name: &str) -> Vec<String> {
    let id = id(project, name);
    let known = artifacts(&memory(project))
        .into_iter()
        .filter(|(session, ..)| *session == id);
    known
        .map(|(_, kind, body)| format!("{kind} {body}").replace(name, "T"))
        .collect()
}

/// Asserts that both lists are equal.
fn same(lines: &[String], calm: &[String], name: &str) {
    let differs = lines
        .iter()
        .zip(calm)
        .position(|(line, calm)| line != calm)
        .unwrap_or(lines.len().min(calm.len()));
    assert_eq!(
        lines.get(differs),
        calm.get(differs),
        "{name}: line {differs} of {}, of {}",
        lines.len(),
        calm.len()
    );
}

/// Runs a session to its end. While `again` returns true, kills its process at random moments. Counts the kills in the
/// middle of a turn in `in_turns`.
fn play_killed(
    project: &Project,
    name: &str,
    longest: u32,
    rng: &mut SeededRng,
    again: &dyn Fn() -> bool,
    in_turns: &AtomicUsize,
) {
    loop {
        let before = kept(project, name);
        let next = before.turns + usize::from(before.line.is_some());
        let mut child = play(project).args(["--session", name]).spawn();
        let _ = child
            .stdin
            .take()
            .unwrap()
            .write_all(typed(&lines(name)[next..]).as_bytes());
        let is_killed = again();
        if is_killed {
            // About one process in five is killed while it starts, the others between the first turn and some turns
            // later.
            if rng.below(5) > 0 {
                let mut stderr = BufReader::new(child.stderr.as_mut().unwrap());
                stderr.read_line(&mut String::new()).unwrap();
            }
            std::thread::sleep(Duration::from_micros(u64::from(rng.below(longest))));
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let after = kept(project, name);
        assert!(
            after.turns >= before.turns,
            "{name}: {before:?}, then {after:?}"
        );
        if output.status.success() {
            assert_eq!(
                (after.turns, after.line),
                (lines(name).len(), None),
                "{name}"
            );
            return;
        }
        assert!(is_killed, "{}", String::from_utf8_lossy(&output.stderr));
        in_turns.fetch_add(usize::from(after.line.is_some()), Ordering::SeqCst);
        if project.path().join(MEMORY).exists() && after.turns > 0 {
            holds(project);
        }
    }
}

#[test]
fn randomly_killed_cycles_end_like_one_that_was_never_killed() {
    let kills = if tries_everything() { 200 } else { 20 };
    // How often a kill hits the middle of a turn depends on the computer, so kills continue until that happened often
    // enough.
    let (enough, max_kills) = (kills / 5, 10 * kills);
    let project = project();
    play_killed(
        &project,
        "calm",
        1,
        &mut SeededRng::of(0, "", 0),
        &|| false,
        &AtomicUsize::new(0),
    );
    // The duration of a run, measured from the start of its session.
    let mut child = play(&project).args(["--session", "measured"]).spawn();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(typed(&lines("measured")).as_bytes())
        .unwrap();
    BufReader::new(child.stderr.as_mut().unwrap())
        .read_line(&mut String::new())
        .unwrap();
    let start = Instant::now();
    assert!(child.wait_with_output().unwrap().status.success());
    let longest = u32::try_from(start.elapsed().as_micros()).unwrap();
    let (calm_audit, calm_remembered) = (
        audit_entries(&project, "calm"),
        remembered(&project, "calm"),
    );
    assert_eq!(calm_remembered.len(), ARTIFACTS);
    let (done, in_turns) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_wanted =
        |done| done < kills || done < max_kills && in_turns.load(Ordering::SeqCst) < enough;
    let again = || is_wanted(done.fetch_add(1, Ordering::SeqCst));
    let worker = |number: u64| {
        let mut rng = SeededRng::of(29, "cycles", number);
        let mut names = Vec::new();
        while is_wanted(done.load(Ordering::SeqCst)) {
            let name = format!("w{number}s{}", names.len());
            play_killed(&project, &name, longest, &mut rng, &again, &in_turns);
            names.push(name);
        }
        names
    };
    let worker_names: Vec<Vec<String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|number| scope.spawn(move || worker(number)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    holds(&project);
    let names: Vec<&String> = worker_names.iter().flatten().collect();
    for name in &names {
        same(&audit_entries(&project, name), &calm_audit, name);
        same(&remembered(&project, name), &calm_remembered, name);
    }
    let memory = memory(&project);
    assert_eq!(
        (artifacts(&memory).len(), unknown(&memory)),
        ((names.len() + 2) * ARTIFACTS, 0)
    );
    let listed = project.fsmsim(["sessions", "list"]).succeeds("");
    assert_eq!(
        listed.matches("committed").count(),
        names.len() + 2,
        "{listed}"
    );
    let in_turns = in_turns.into_inner();
    assert!(
        in_turns >= enough,
        "{in_turns} of {done:?} kills hit the middle of a turn"
    );
}

#[test]
fn resuming_adds_a_missing_turn_to_the_audit_once() {
    let project = project();
    let session = |lines: &[String]| {
        play(&project)
            .args(["--session", "zoe"])
            .stdin(typed(lines))
    };
    let lines = lines("zoe");
    session(&lines[..3]).warns("", "started the session");
    // Simulates a kill after the journal entry of the third turn and before its audit entry.
    memory(&project)
        .execute_batch(
            "DROP TRIGGER audit_is_not_changed;
             DROP TRIGGER audit_is_not_shortened;
             DELETE FROM audit WHERE json_extract(entry, '$.turn') = 3;
             UPDATE chain SET (entries, hash) = (SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1);
             UPDATE artifacts SET sequence = NULL WHERE turn = 3;
             UPDATE sessions SET turn = 2;",
        )
        .unwrap();
    assert_eq!(unknown(&memory(&project)), 1);
    session(&[]).warns("", "in `execute` after 3 turns");
    assert_eq!(unknown(&memory(&project)), 0);
    session(&lines[3..]).warns("the dialogue has ended", "");
    play(&project)
        .args(["--session", "calm"])
        .stdin(typed(&super::task::lines("calm")))
        .warns("", "started the session");
    assert_eq!(
        (audit_entries(&project, "zoe"), remembered(&project, "zoe")),
        (
            audit_entries(&project, "calm"),
            remembered(&project, "calm")
        )
    );
    holds(&project);
}

#[test]
fn deleted_memory_ends_the_dialogue_without_data_loss() {
    let project = project();
    let lines = lines("zoe");
    let mut child = play(&project).args(["--session", "zoe"]).spawn();
    let mut shown = BufReader::new(child.stdout.take().unwrap());
    let mut typing = child.stdin.take().unwrap();
    typing.write_all(typed(&lines[..1]).as_bytes()).unwrap();
    let mut line = String::new();
    while !line.starts_with("  why") {
        line.clear();
        assert!(
            shown.read_line(&mut line).unwrap() > 0,
            "the dialogue ended without a turn"
        );
    }
    let (file, away) = (
        project.path().join(MEMORY),
        project.path().join("away.sqlite"),
    );
    std::fs::rename(&file, &away).unwrap();
    typing.write_all(typed(&lines[1..2]).as_bytes()).unwrap();
    drop(typing);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2)
            && stderr.contains("FS0303")
            && stderr.contains("the file was deleted"),
        "{stderr}"
    );
    play(&project)
        .args(["--session", "zoe"])
        .refuses("cannot find the memory of the session");
    std::fs::rename(&away, &file).unwrap();
    // The turn was held because nothing could be stored, so it runs again.
    let resumed = play(&project)
        .args(["--session", "zoe"])
        .stdin(typed(&lines[1..]));
    resumed.warns("the dialogue has ended", "in `analyze` after 2 turns");
    let refused = entries(&memory(&project))
        .into_iter()
        .filter(|entry| entry["kind"] == "memory_refused");
    assert_eq!(
        refused
            .map(|entry| entry["what"]["outcome"].clone())
            .collect::<Vec<_>>(),
        ["down"]
    );
    assert_eq!(artifacts(&memory(&project)).len(), ARTIFACTS);
    holds(&project);
}
