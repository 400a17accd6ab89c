//! Processes that are killed while they play cycles over one memory: no task is lost, nothing is known that was not validated,
//! nothing is written twice, and the audit stays whole.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fsmsim::llm::SeededRng;
use serde_json::Value;

use super::task::{ARTIFACTS, artifacts, entries, holds, lines, memory, play, project, typed, unknown};
use crate::sessions::diary::{kept, store};
use crate::support::{Project, tries_everything};

/// By what a session is known in the memory. Who was killed before it began, and began again, is another one there.
fn id(project: &Project, name: &str) -> String {
    let select = "SELECT id FROM sessions WHERE name = ?1";
    store(project).query_row(select, [name], |row| row.get(0)).unwrap()
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
    let known = artifacts(&memory(project)).into_iter().filter(|(session, ..)| *session == id);
    known.map(|(_, kind, body)| format!("{kind} {body}").replace(name, "T")).collect()
}

/// Plays a session to its end, and kills whoever plays it at random moments, as long as `again` wants it. Returns how often that
/// was in the middle of a turn.
fn play_killed(project: &Project, name: &str, longest: u32, rng: &mut SeededRng, again: &dyn Fn() -> bool) -> usize {
    let mut in_turns = 0;
    loop {
        let before = kept(project, name);
        let next = before.turns + usize::from(before.line.is_some());
        let mut child = play(project).args(["--session", name]).spawn();
        let _ = child.stdin.take().unwrap().write_all(typed(&lines(name)[next..]).as_bytes());
        let is_killed = again();
        if is_killed {
            std::thread::sleep(Duration::from_micros(u64::from(rng.below(longest))));
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let after = kept(project, name);
        assert!(after.turns >= before.turns, "{name}: {before:?}, then {after:?}");
        if output.status.success() {
            assert_eq!((after.turns, after.line), (lines(name).len(), None), "{name}");
            return in_turns;
        }
        assert!(is_killed, "{}", String::from_utf8_lossy(&output.stderr));
        in_turns += usize::from(after.line.is_some());
        if project.path().join(super::task::MEMORY).exists() && after.turns > 0 {
            holds(project);
        }
    }
}

#[test]
fn cycles_that_are_killed_at_random_moments_end_as_one_that_never_was() {
    let kills = if tries_everything() { 200 } else { 20 };
    let project = project();
    let begun = Instant::now();
    play_killed(&project, "calm", 1, &mut SeededRng::of(0, "", 0), &|| false);
    let longest = u32::try_from(begun.elapsed().as_micros()).unwrap();
    let (calm_told, calm_remembered) = (told(&project, "calm"), remembered(&project, "calm"));
    assert_eq!(calm_remembered.len(), ARTIFACTS);
    let done = AtomicUsize::new(0);
    let again = || done.fetch_add(1, Ordering::SeqCst) < kills;
    let worker = |number: u64| {
        let mut rng = SeededRng::of(29, "cycles", number);
        let (mut in_turns, mut names) = (0, Vec::new());
        while done.load(Ordering::SeqCst) < kills {
            let name = format!("w{number}s{}", names.len());
            in_turns += play_killed(&project, &name, longest, &mut rng, &again);
            names.push(name);
        }
        (in_turns, names)
    };
    let played: Vec<(usize, Vec<String>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3).map(|number| scope.spawn(move || worker(number))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    holds(&project);
    let names: Vec<&String> = played.iter().flat_map(|(_, names)| names).collect();
    for name in &names {
        assert_eq!(told(&project, name), calm_told, "{name}");
        assert_eq!(remembered(&project, name), calm_remembered, "{name}");
    }
    let memory = memory(&project);
    assert_eq!((artifacts(&memory).len(), unknown(&memory)), ((names.len() + 1) * ARTIFACTS, 0));
    let listed = project.fsmsim(["sessions", "list"]).succeeds("");
    assert_eq!(listed.matches("committed").count(), names.len() + 1, "{listed}");
    let in_turns: usize = played.iter().map(|(in_turns, _)| in_turns).sum();
    assert!(in_turns >= kills / 10, "{in_turns} of {kills} in the middle of a turn");
}
