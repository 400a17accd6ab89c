//! Processes that are killed while they play cycles over one memory: no task is lost, nothing is known that was not validated,
//! nothing is written twice, and the audit stays whole.

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

/// By what a session is known in the memory. Who was killed before it began, and began again, is another one there.
fn id(project: &Project, name: &str) -> String {
    let select = "SELECT id FROM sessions WHERE name = ?1";
    store(project)
        .query_row(select, [name], |row| row.get(0))
        .unwrap()
}

/// What the audit tells of a session, without what is of this session alone.
fn told(project: &Project, name: &str) -> Vec<String> {
    let (entries, id) = (entries(&memory(project)), id(project, name));
    let of_session = entries.into_iter().filter(|entry| entry["session"] == *id);
    of_session
        .map(|mut entry| {
            for key in ["number", "id"] {
                entry[key] = Value::Null;
            }
            // What others had shared by then differs from time to time.
            for key in ["artifact", "hash", "found"] {
                entry["what"].as_object_mut().unwrap().remove(key);
            }
            entry.to_string().replace(&id, "T").replace(name, "T")
        })
        .collect()
}

/// What a session remembered, in order.
fn remembered(project: &Project, name: &str) -> Vec<String> {
    let id = id(project, name);
    let known = artifacts(&memory(project))
        .into_iter()
        .filter(|(session, ..)| *session == id);
    known
        .map(|(_, kind, body)| format!("{kind} {body}").replace(name, "T"))
        .collect()
}

/// Each line is the same, and there are no more.
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

/// Plays a session to its end, and kills whoever plays it at random moments, as long as `again` wants it. Counts in `in_turns` how
/// often that was in the middle of a turn.
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
            // One of five is killed while it begins, perhaps; the others from the first turn to some turns later.
            if rng.below(5) > 0 {
                let mut told = BufReader::new(child.stderr.as_mut().unwrap());
                told.read_line(&mut String::new()).unwrap();
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
fn cycles_that_are_killed_at_random_moments_end_as_one_that_never_was() {
    let kills = if tries_everything() { 200 } else { 20 };
    // How often a kill comes in the middle of a turn depends on the machine: killing goes on until that was often enough.
    let (enough, most) = (kills / 5, 10 * kills);
    let project = project();
    play_killed(
        &project,
        "calm",
        1,
        &mut SeededRng::of(0, "", 0),
        &|| false,
        &AtomicUsize::new(0),
    );
    // From the moment in which a session has begun.
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
    let begun = Instant::now();
    assert!(child.wait_with_output().unwrap().status.success());
    let longest = u32::try_from(begun.elapsed().as_micros()).unwrap();
    let (calm_told, calm_remembered) = (told(&project, "calm"), remembered(&project, "calm"));
    assert_eq!(calm_remembered.len(), ARTIFACTS);
    let (done, in_turns) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_wanted = |done| done < kills || done < most && in_turns.load(Ordering::SeqCst) < enough;
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
    let played: Vec<Vec<String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|number| scope.spawn(move || worker(number)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    holds(&project);
    let names: Vec<&String> = played.iter().flatten().collect();
    for name in &names {
        same(&told(&project, name), &calm_told, name);
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
        "{in_turns} of {done:?} kills came in the middle of a turn"
    );
}

#[test]
fn a_turn_of_a_cycle_that_its_audit_lacks_is_taken_there_once_when_the_session_goes_on() {
    let project = project();
    let session = |lines: &[String]| {
        play(&project)
            .args(["--session", "zoe"])
            .stdin(typed(lines))
    };
    let lines = lines("zoe");
    session(&lines[..3]).warns("", "begins");
    // As if the process had been killed behind the journal of the third turn, and before its audit.
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
    session(&[]).warns("", "goes on in `execute` after 3 turns");
    assert_eq!(unknown(&memory(&project)), 0);
    session(&lines[3..]).warns("the dialogue is over", "");
    play(&project)
        .args(["--session", "calm"])
        .stdin(typed(&super::task::lines("calm")))
        .warns("", "begins");
    assert_eq!(
        (told(&project, "zoe"), remembered(&project, "zoe")),
        (told(&project, "calm"), remembered(&project, "calm"))
    );
    holds(&project);
}

#[test]
fn a_memory_of_a_cycle_that_is_gone_ends_the_dialogue_and_loses_nothing() {
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
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2)
            && told.contains("FS0303")
            && told.contains("removed meanwhile"),
        "{told}"
    );
    play(&project)
        .args(["--session", "zoe"])
        .refuses("the memory with which the session is played is not there");
    std::fs::rename(&away, &file).unwrap();
    // Where nothing could be remembered, the turn held; so it is done again.
    let goes_on = play(&project)
        .args(["--session", "zoe"])
        .stdin(typed(&lines[1..]));
    goes_on.warns("the dialogue is over", "goes on in `analyze` after 2 turns");
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
