//! A session with travels is killed at any moment, and nothing that was acknowledged is lost.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use fsmsim_adapters::llm::SeededRng;

use crate::support::{Project, tries_everything};

/// Lines of all kinds: turns, travels, branches, what is changed by hand.
const LINES: [&str; 24] = [
    "price_question",
    "info_provided company_size=50",
    ":undo",
    "objection_price",
    ":fork other",
    "agreement",
    ":go spin_need_payoff",
    ":set pain_point=slow",
    "info_provided",
    ":undo 2",
    ":redo",
    ":switch main",
    "unclear",
    ":go close",
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

/// What a person sees of the dialogue as it is.
const LOOK: &str = ":branches\n:trace\n:data\n:state\n";

/// The answers to lines: how many there are (a line that says nothing about the dialogue has one, too), and what the looks told.
fn play(project: &Project, session: Option<&str>, lines: &[&str]) -> Vec<String> {
    let mut run = project.fsmsim(["run", "flows/spin_selling", "--format", "jsonl"]);
    if let Some(name) = session {
        run = run.args(["--session", name]);
    }
    let run = run.stdin(lines.join("\n") + "\n" + LOOK).run();
    let answers = run
        .stdout
        .lines()
        .filter(|line| !line.contains("fsmsim_trace\":") || line.starts_with("{\"shown\""));
    let told: Vec<String> = answers.map(str::to_owned).collect();
    // The last one is the end of the trace.
    told[told.len() - 5..told.len() - 1].to_vec()
}

/// The names by which the effects of a dialogue know it are those of its travels, which are others in a session that was left.
fn comparable(look: &[String], session: &str) -> String {
    look.join("\n").replace(
        &format!("\\\"session\\\":\\\"{session}\\\""),
        "\\\"session\\\":\\\"repl\\\"",
    )
}

/// How many of so many lines change something by hand for a turn that is still to come: they are answered once more when the
/// session goes on.
fn pending(done: usize) -> usize {
    let is_by_hand = |line: &&&str| line.starts_with(":go") || line.starts_with(":set");
    let since = LINES[..done]
        .iter()
        .rev()
        .take_while(|line| is_by_hand(line) || line.starts_with(":fork"));
    since.filter(is_by_hand).count()
}

#[test]
fn no_acknowledged_line_is_lost_by_a_kill() {
    let kills = if tries_everything() { 200 } else { 40 };
    let project = Project::new().with_flows();
    // What is to be seen behind each line.
    let states: Vec<String> = (0..=LINES.len())
        .map(|count| comparable(&play(&project, None, &LINES[..count]), "repl"))
        .collect();
    // A run is killed at a moment in the time that all lines take, which depends on the load of the machine.
    let start = Instant::now();
    play(&project, Some("whole"), &LINES);
    let whole = u32::try_from(start.elapsed().as_micros()).unwrap();
    let mut rng = SeededRng::of(19, "kills", 0);
    let (mut killed, mut session, mut done, mut lost) = (0, 0, 0, 0);
    let mut name = "s0".to_owned();
    // Killing goes on until a session came to its end and a line was lost, which a slow machine makes rare.
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
        std::thread::sleep(Duration::from_micros(u64::from(rng.below(whole))));
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
        let mut told = String::new();
        stdout.read_to_string(&mut told).unwrap();
        // Whoever was killed does not read to the end.
        let _ = typing.join().unwrap();
        // What was said last is told when a session goes on, before any line is answered.
        let is_reminder = |line: &str| line.starts_with("{\"shown\":\"  says ");
        let is_answer = |line: &&str| {
            line.starts_with("{\"turn\"") || line.starts_with("{\"shown\"") && !is_reminder(line)
        };
        let acknowledged = told
            .lines()
            .filter(is_answer)
            .count()
            .saturating_sub(pending(done));
        let seen = comparable(&play(&project, Some(&name), &[]), &name);
        // The line that was in work is there or is not; what was acknowledged is.
        let count = done + acknowledged;
        let at = (count..states.len())
            .take(2)
            .find(|count| states[*count] == seen);
        let at = at.unwrap_or_else(|| {
            panic!("{name}: {count} lines were acknowledged, and there is\n{seen}")
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
        "{session} sessions came to their end, {lost} lines were lost before they were done"
    );
}
