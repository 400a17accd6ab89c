//! A session with time travel is killed at random moments, and no acknowledged line is lost.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use fsmsim_adapters::llm::SeededRng;

use crate::support::{Project, tries_everything};

/// Lines of all kinds: turns, time travel, branches and manual changes.
const LINES: [&str; 24] = [
    "price_question",
    "info_provided company_size=50",
    ":undo",
    "objection_price",
    ":fork other",
    "agreement",
    ":goto spin_need_payoff",
    ":set pain_point=slow",
    "info_provided",
    ":undo 2",
    ":redo",
    ":switch main",
    "unclear",
    ":goto close",
    ":fork third",
    "agreement",
    ":turn 1",
    "objection_think",
    ":switch other",
    ":set company_size=7",
    ":undo",
    "small_talk",
    ":switch third",
    "go_back",
];

/// Commands that show the current dialogue.
const LOOK: &str = ":branches\n:trace\n:data\n:state\n";

/// Runs the lines and returns the output of `LOOK`.
fn play(project: &Project, session: Option<&str>, lines: &[&str]) -> Vec<String> {
    let mut run = project.fsmsim(["run", "flows/spin_selling", "--format", "jsonl"]);
    if let Some(name) = session {
        run = run.args(["--session", name]);
    }
    let run = run.stdin(lines.join("\n") + "\n" + LOOK).run();
    let answers = run
        .stdout
        .lines()
        .filter(|line| !line.contains("fsmsim_trace\":") || line.starts_with("{\"output\""));
    let answers: Vec<String> = answers.map(str::to_owned).collect();
    // The last answer is the end of the trace.
    answers[answers.len() - 5..answers.len() - 1].to_vec()
}

/// Effects contain the session ID, which differs between a named session and a plain run.
fn comparable(look: &[String], session: &str) -> String {
    look.join("\n").replace(
        &format!("\\\"session\\\":\\\"{session}\\\""),
        "\\\"session\\\":\\\"repl\\\"",
    )
}

/// The number of manual changes that still wait for their turn after `done` lines. A resumed session answers them again.
fn pending(done: usize) -> usize {
    let is_change = |line: &&&str| line.starts_with(":goto") || line.starts_with(":set");
    let since = LINES[..done]
        .iter()
        .rev()
        .take_while(|line| is_change(line) || line.starts_with(":fork"));
    since.filter(is_change).count()
}

#[test]
fn kill_loses_no_acknowledged_line() {
    let kills = if tries_everything() { 200 } else { 40 };
    let project = Project::new().with_flows();
    // The expected output after each number of lines.
    let states: Vec<String> = (0..=LINES.len())
        .map(|count| comparable(&play(&project, None, &LINES[..count]), "repl"))
        .collect();
    // The kill time is random within the duration of all lines, which depends on the load of the machine.
    let start = Instant::now();
    play(&project, Some("whole"), &LINES);
    let duration = u32::try_from(start.elapsed().as_micros()).unwrap();
    let mut rng = SeededRng::of(19, "kills", 0);
    let (mut killed, mut session, mut done, mut lost) = (0, 0, 0, 0);
    let mut name = "s0".to_owned();
    // Continue until at least one session was completed and one line was lost, which is rare on a slow machine.
    while killed < kills || (session == 0 || lost == 0) && killed < 10 * kills {
        let mut child = project
            .fsmsim([
                "run",
                "flows/spin_selling",
                "--format",
                "jsonl",
                "--session",
                &name,
            ])
            .spawn();
        let left = LINES[done..].join("\n") + "\n";
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let typing = std::thread::spawn(move || stdin.write_all(left.as_bytes()));
        std::thread::sleep(Duration::from_micros(u64::from(rng.below(duration))));
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        let mut output = String::new();
        stdout.read_to_string(&mut output).unwrap();
        // A killed process does not read all lines.
        let _ = typing.join().unwrap();
        // A resumed session repeats its last replies before it answers any line.
        let is_reminder = |line: &str| line.starts_with("{\"output\":\"  says ");
        let is_answer = |line: &&str| {
            line.starts_with("{\"turn\"") || line.starts_with("{\"output\"") && !is_reminder(line)
        };
        let acknowledged = output
            .lines()
            .filter(is_answer)
            .count()
            .saturating_sub(pending(done));
        let seen = comparable(&play(&project, Some(&name), &[]), &name);
        // All acknowledged lines are saved. The line in progress might be saved too.
        let count = done + acknowledged;
        let at = (count..states.len())
            .take(2)
            .find(|count| states[*count] == seen);
        let at = at.unwrap_or_else(|| {
            panic!("{name}: {count} lines were acknowledged, but the session shows\n{seen}")
        });
        lost += usize::from(at == count);
        done = at;
        if done == LINES.len() {
            session += 1;
            (name, done) = (format!("s{session}"), 0);
        }
    }
    assert!(
        session > 0 && lost > 0,
        "{session} sessions completed, {lost} lines lost before they were acknowledged"
    );
}
