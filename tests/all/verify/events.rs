//! Event traces with several events per turn, and traces with interleaved dialogues.

use crate::support::{Invocation, Project};

const FLOW: &str = "flow: {name: f}\nstates:\n  greeting:\n    rules: {greet: utter_greet}\n    transitions: {greet: utter_greet}\n  utter_greet:\n    rules: {book: action_book}\n    transitions: {book: action_book}\n  action_book: {}\n";

/// A map of trackers. The events are in a list, or one per line.
fn map(path: &str) -> String {
    format!(
        "dialogue: sender_id\nevents: {{{path}kind: event, turn: user, skip: {{name: [action_listen, action_session_start]}}}}\nturn:\n  \
         input: {{intent: user.0.intent, data: {{path: user.0.entities?, key: entity, value: value}}}}\n  \
         state: {{path: action.-1.name, carry_forward: true}}\n  action: action.0.name\n  \
         data: {{path: slot?, key: name, value: value, carry_forward: true}}\n"
    )
}

/// The events of a dialogue, each with the dialogue ID.
fn events(id: &str) -> Vec<String> {
    [
        r#""event":"action","name":"action_session_start""#,
        r#""event":"action","name":"action_listen""#,
        r#""event":"user","intent":"greet""#,
        r#""event":"action","name":"utter_greet""#,
        r#""event":"action","name":"action_listen""#,
        r#""event":"user","intent":"book","entities":[{"entity":"people","value":3},{"entity":"people","value":4}]"#,
        r#""event":"slot","name":"people","value":4"#,
        r#""event":"action","name":"action_book""#,
        r#""event":"action","name":"action_listen""#,
    ]
    .map(|event| format!("{{\"sender_id\":\"{id}\",{event}}}"))
    .into()
}

fn tracker(id: &str, events: &[String]) -> String {
    format!(
        "{{\"sender_id\":\"{id}\",\"slots\":{{}},\"events\":[{}]}}\n",
        events.join(",")
    )
}

fn verified(trace: impl AsRef<[u8]>, map: &str, more: &[&str]) -> Invocation {
    let project = Project::new()
        .file("f.yaml", FLOW)
        .file("t.jsonl", trace)
        .file("m.yaml", map);
    project
        .fsmsim(["verify", "t.jsonl", "--model", "f.yaml", "--map", "m.yaml"])
        .args(more)
}

const LIST: &str = "path: events, ";

#[test]
fn events_are_grouped_into_turns() {
    let trackers = tracker("a", &events("a")) + &tracker("b", &events("b"));
    for mode in ["structure", "replay"] {
        let stdout = verified(&trackers, &map(LIST), &["--mode", mode]).succeeds("");
        assert_eq!(
            stdout,
            format!("2 dialogues, 4 turns: conform to f.yaml ({mode})\n")
        );
    }
    let other = trackers.replacen("action_book", "action_ask", 1).replacen(
        "\"value\":4}",
        "\"value\":5}",
        2,
    );
    let shown = [
        verified(&other, &map(LIST), &[]),
        verified(&other, &map(LIST), &["--mode", "replay"]),
        // A path that matches nothing is reported with the existing keys.
        verified(
            &trackers,
            &map(LIST).replace("user.0.intent", "user.0.intend"),
            &[],
        ),
        verified(&trackers, &map(LIST).replace("action.0", "actoin.0"), &[]),
        // A list that spans several lines.
        verified(
            trackers.replace(
                "{\"sender_id\":\"a\",\"slots\"",
                "{\n\"sender_id\":\"a\",\n\"slots\"",
            ),
            &map(LIST),
            &[],
        ),
    ];
    insta::assert_snapshot!(shown.map(Invocation::shown).join("\n"));
}

#[test]
fn invalid_events_are_reported() {
    let of = |events: &str| format!("{{\"sender_id\":\"a\",\"events\":{events}}}\n");
    let shown = [
        of("{\"0\":{}}"),
        of("null"),
        "{\"sender_id\":\"a\"}\n".to_owned(),
        of("[{\"event\":\"user\"},7]"),
        of("[{\"event\":\"user\"},{\"name\":\"x\"}]"),
        of("[{\"event\":{}}]"),
        of("[{\"event\":\"user\",\"intent\":\"greet\"}]"),
        of("[]"),
        "{\n\"sender_id\":\"a\",\n\"events\":[\n".to_owned(),
        "{\n\"sender_id\":\"a\",\n\"events\":[,]\n}\n".to_owned(),
    ]
    .map(|trace| {
        format!(
            "# {}\n{}",
            trace.trim(),
            verified(&trace, &map(LIST), &[]).shown()
        )
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn invalid_event_maps_are_reported() {
    let shown = [
        map(LIST).replace("kind: event, ", ""),
        map(LIST).replace("turn: user", "turn: []"),
        map(LIST).replace("turn: user", "turns: user"),
        map(LIST).replace("events: {", "turns: turns\nevents: {"),
        map(LIST) + "end: last\n",
        map(LIST).replace(
            "intent: user.0.intent",
            "intent: {path: user.0.intent, carry_forward: true}",
        ),
        map(LIST).replace("{name: [", "{a..b: ["),
    ]
    .map(|map| verified(tracker("a", &events("a")), &map, &[]).shown());
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn long_tracker_is_read_and_carried_data_is_limited() {
    let turns = events("a")[2..8].join(",") + ",";
    let text = format!("{{\"event\":\"bot\",\"text\":\"{}\"}}", "x".repeat(1000));
    let long = turns.clone() + &vec![text; 10 << 10].join(",");
    let stdout = verified(
        format!("{{\"sender_id\":\"a\",\"events\":[{long}]}}\n"),
        &map(LIST),
        &[],
    )
    .succeeds("");
    assert_eq!(
        stdout,
        "1 dialogue, 2 turns: conforms to f.yaml (structure)\n"
    );
    let slot = |number: usize| format!("{{\"event\":\"slot\",\"name\":\"s{number}\",\"value\":1}}");
    let many: Vec<String> = (0..1500).map(slot).collect();
    let trace = tracker(
        "a",
        &[many.join(","), turns.trim_end_matches(',').to_owned()],
    );
    verified(trace, &map(LIST), &[]).refuses("too many names in `data`: limit 1000");
    let some: Vec<String> = (0..999).map(slot).collect();
    let said = "{\"event\":\"user\",\"intent\":\"x\"},{\"event\":\"action\",\"name\":\"greeting\"}";
    let trace = tracker("a", &[some.join(","), vec![said; 5000].join(",")]);
    verified(trace, &map(LIST), &[]).refuses("`data` is too large to carry from turn to turn");
}

/// The lines of dialogues, interleaved.
fn mixed(dialogues: &[Vec<String>]) -> String {
    let longest = dialogues.iter().map(Vec::len).max().unwrap();
    let lines = (0..longest).flat_map(|at| dialogues.iter().filter_map(move |lines| lines.get(at)));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn interleaved_dialogues_are_grouped() {
    let ids: Vec<String> = (0..50).map(|number| format!("d{number}")).collect();
    let all: Vec<Vec<String>> = ids.iter().map(|id| events(id)).collect();
    let trace = mixed(&all);
    for mode in ["structure", "replay"] {
        let stdout = verified(&trace, &map(""), &["--group", "--mode", mode]).succeeds("");
        assert_eq!(
            stdout,
            format!("50 dialogues, 100 turns: conform to f.yaml ({mode})\n")
        );
    }
    // Without `--group`, the error suggests it.
    let run = verified(&trace, &map(""), &[]).fails(
        2,
        "",
        "the dialogue `d0` already starts at line 1; its lines must be consecutive: use `--group`, or sort the lines by \
         dialogue with a stable sort",
    );
    assert_eq!(run.stderr.matches("error[FS0500]").count(), 20, "{run}");
    verified(all.concat().join("\n"), &map(""), &[])
        .succeeds("50 dialogues, 100 turns: conform to f.yaml");
    // Findings name the first line of the turn.
    let broken = trace.replacen("action_book", "action_ask", 1);
    insta::assert_snapshot!(verified(&broken, &map(""), &["--group"]).shown());
}

#[test]
fn group_buffer_is_limited() {
    let all: Vec<Vec<String>> = (0..50)
        .map(|number| events(&format!("d{number}")))
        .collect();
    let trace = mixed(&all);
    insta::assert_snapshot!(verified(&trace, &map(""), &["--group=449"]).shown());
    verified(&trace, &map(""), &["--group=450"]).succeeds("50 dialogues");
    // Ended dialogues leave the buffer, so it holds at most two here.
    let over = |id: &str| {
        let mut lines = events(id);
        lines.push(format!("{{\"sender_id\":\"{id}\",\"event\":\"bye\"}}"));
        lines
    };
    let pairs: String = (0..50)
        .map(|number| mixed(&[over(&format!("a{number}")), over(&format!("b{number}"))]))
        .collect();
    let end = map("") + "end: {path: event, values: {bye: true}}\n";
    verified(&pairs, &map(""), &["--group=20"])
        .refuses("too many buffered lines at line 21: 20 (unfinished dialogues: 2)");
    verified(&pairs, &end, &["--group=20"]).succeeds("100 dialogues, 200 turns: conform to f.yaml");
    // A line after the end of its dialogue is an error.
    let extra = pairs + &events("a7")[2] + "\n";
    verified(extra, &end, &["--group=20"]).fails(
        2,
        "100 dialogues",
        "the dialogue `a7` already starts at line 141 and has ended",
    );
    // A dialogue that never ends.
    let line = |text: &str| {
        format!(
            "{{\"sender_id\":\"a\",\"event\":\"user\",\"intent\":\"greet\",\"text\":\"{text}\"}}\n"
        )
    };
    let endless = line(&"x".repeat(10 << 20)).repeat(7);
    verified(endless, &map(""), &["--group"])
        .refuses("the dialogue `a` is too large: limit 64 MiB");
    verified(line("x").repeat(100_001), &map(""), &["--group"])
        .refuses("too many buffered lines at line 100001: 100000 (unfinished dialogues: 1)");
}

#[test]
fn group_option_needs_a_map_of_lines() {
    let project = Project::new()
        .file("f.yaml", FLOW)
        .file("t.jsonl", "")
        .file("m.yaml", map(LIST));
    let shown = [&[][..], &["--map", "m.yaml"]].map(|more| {
        project
            .fsmsim(["verify", "t.jsonl", "--model", "f.yaml", "--group"])
            .args(more)
            .refuses("")
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn turn_with_an_unreadable_line_is_not_checked() {
    let lines = [events("a"), events("b")].concat();
    let read = |lost: usize, more: &[&str]| {
        let lines = lines.iter().enumerate().map(|(at, line)| {
            if at == lost {
                "{\"sender_id\":\"\\ud800\"".as_bytes()
            } else {
                line.as_bytes()
            }
        });
        let trace: Vec<u8> = lines.flat_map(|line| [line, b"\n"].concat()).collect();
        verified(trace, &map(""), more)
            .fails(2, "", "cannot read line")
            .stdout
    };
    for more in [&[][..], &["--group"]] {
        // In the first turn of the first dialogue, after its last turn, and before the first turn of the second dialogue.
        for (lost, turns) in [(3, 3), (7, 3), (8, 4), (9, 4)] {
            let stdout = read(lost, more);
            assert!(!stdout.contains("broken"), "{lost} {more:?}: {stdout}");
            assert!(
                stdout.contains(&format!("2 dialogues, {turns} turns: conform to f.yaml")),
                "{lost} {more:?}: {stdout}"
            );
        }
    }
}
