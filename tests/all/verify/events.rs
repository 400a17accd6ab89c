//! Traces of events, several a turn, and of dialogues whose lines are mixed.

use crate::support::{Invocation, Project};

const FLOW: &str = "flow: {name: f}\nstates:\n  greeting:\n    rules: {greet: utter_greet}\n    transitions: {greet: utter_greet}\n  utter_greet:\n    rules: {book: action_book}\n    transitions: {book: action_book}\n  action_book: {}\n";

/// A map of trackers; events may stand in a list, or be lines.
fn map(path: &str) -> String {
    format!(
        "dialogue: sender_id\nevents: {{{path}kind: event, turn: user, skip: {{name: [action_listen, action_session_start]}}}}\nturn:\n  \
         input: {{intent: user.0.intent, data: {{path: user.0.entities?, pick: value, by: entity}}}}\n  \
         state: {{path: action.-1.name, stays: true}}\n  action: action.0.name\n  \
         data: {{path: slot?, pick: value, by: name, stays: true}}\n"
    )
}

/// The events of a dialogue, each with the key of its dialogue.
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
fn events_are_gathered_to_turns() {
    let trackers = tracker("a", &events("a")) + &tracker("b", &events("b"));
    for mode in ["structure", "replay"] {
        let told = verified(&trackers, &map(LIST), &["--mode", mode]).succeeds("");
        assert_eq!(
            told,
            format!("2 dialogues, 4 turns: keep to f.yaml (profile documented, {mode})\n")
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
        // A path of which nothing is ever seen is told with what is there.
        verified(
            &trackers,
            &map(LIST).replace("user.0.intent", "user.0.intend"),
            &[],
        ),
        verified(&trackers, &map(LIST).replace("action.0", "actoin.0"), &[]),
        // A list that is written on many lines.
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
fn what_is_no_event_is_told() {
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
fn every_mistake_of_a_map_of_events_is_told() {
    let shown = [
        map(LIST).replace("kind: event, ", ""),
        map(LIST).replace("turn: user", "turn: []"),
        map(LIST).replace("turn: user", "turns: user"),
        map(LIST).replace("events: {", "turns: turns\nevents: {"),
        map(LIST) + "end: last\n",
        map(LIST).replace(
            "intent: user.0.intent",
            "intent: {path: user.0.intent, stays: true}",
        ),
        map(LIST).replace("{name: [", "{a..b: ["),
    ]
    .map(|map| verified(tracker("a", &events("a")), &map, &[]).shown());
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_long_tracker_is_read_and_one_that_carries_too_much_is_not() {
    let turns = events("a")[2..8].join(",") + ",";
    let text = format!("{{\"event\":\"bot\",\"text\":\"{}\"}}", "x".repeat(1000));
    let long = turns.clone() + &vec![text; 10 << 10].join(",");
    let told = verified(
        format!("{{\"sender_id\":\"a\",\"events\":[{long}]}}\n"),
        &map(LIST),
        &[],
    )
    .succeeds("");
    assert_eq!(
        told,
        "1 dialogue, 2 turns: keeps to f.yaml (profile documented, structure)\n"
    );
    let slot = |number: usize| format!("{{\"event\":\"slot\",\"name\":\"s{number}\",\"value\":1}}");
    let many: Vec<String> = (0..1500).map(slot).collect();
    let trace = tracker(
        "a",
        &[many.join(","), turns.trim_end_matches(',').to_owned()],
    );
    verified(trace, &map(LIST), &[]).refuses("`data` holds more than 1000 names");
    let some: Vec<String> = (0..999).map(slot).collect();
    let said = "{\"event\":\"user\",\"intent\":\"x\"},{\"event\":\"action\",\"name\":\"greeting\"}";
    let trace = tracker("a", &[some.join(","), vec![said; 5000].join(",")]);
    verified(trace, &map(LIST), &[]).refuses("`data` is too much to be carried from turn to turn");
}

/// The lines of dialogues in turn.
fn mixed(dialogues: &[Vec<String>]) -> String {
    let longest = dialogues.iter().map(Vec::len).max().unwrap();
    let lines = (0..longest).flat_map(|at| dialogues.iter().filter_map(move |lines| lines.get(at)));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn mixed_dialogues_are_gathered() {
    let ids: Vec<String> = (0..50).map(|number| format!("d{number}")).collect();
    let all: Vec<Vec<String>> = ids.iter().map(|id| events(id)).collect();
    let trace = mixed(&all);
    for mode in ["structure", "replay"] {
        let told = verified(&trace, &map(""), &["--group", "--mode", mode]).succeeds("");
        assert_eq!(
            told,
            format!("50 dialogues, 100 turns: keep to f.yaml (profile documented, {mode})\n")
        );
    }
    // Without it there is a word for it.
    let run = verified(&trace, &map(""), &[]).fails(
        2,
        "",
        "the dialogue `d0` is there already, from line 1 on; the lines of a dialogue stand together: use `--group`, or sort \
         them by dialogue, and leave their order else",
    );
    assert!(run.stdout.ends_with("; 20 could not be used\n"), "{run}");
    verified(all.concat().join("\n"), &map(""), &[])
        .succeeds("50 dialogues, 100 turns: keep to f.yaml");
    // Findings name the line where the turn begins.
    let broken = trace.replacen("action_book", "action_ask", 1);
    insta::assert_snapshot!(verified(&broken, &map(""), &["--group"]).shown());
}

#[test]
fn a_group_holds_no_more_than_its_budget() {
    let all: Vec<Vec<String>> = (0..50)
        .map(|number| events(&format!("d{number}")))
        .collect();
    let trace = mixed(&all);
    insta::assert_snapshot!(verified(&trace, &map(""), &["--group=449"]).shown());
    verified(&trace, &map(""), &["--group=450"]).succeeds("50 dialogues");
    // Dialogues that are over are let go: no more than two are held here.
    let over = |id: &str| {
        let mut lines = events(id);
        lines.push(format!("{{\"sender_id\":\"{id}\",\"event\":\"bye\"}}"));
        lines
    };
    let pairs: String = (0..50)
        .map(|number| mixed(&[over(&format!("a{number}")), over(&format!("b{number}"))]))
        .collect();
    let end = map("") + "end: {path: event, values: {bye: true}}\n";
    verified(&pairs, &map(""), &["--group=20"]).refuses(
        "line 21 has no room beside the 20 that are held (dialogues that are not over: 2)",
    );
    verified(&pairs, &end, &["--group=20"]).succeeds("100 dialogues, 200 turns: keep to f.yaml");
    // Behind its end a dialogue has no line.
    let behind = pairs + &events("a7")[2] + "\n";
    verified(behind, &end, &["--group=20"]).fails(
        2,
        "100 dialogues",
        "the dialogue `a7` is there already, from line 141 on, and it was over",
    );
    // One that never ends.
    let line = |text: &str| {
        format!(
            "{{\"sender_id\":\"a\",\"event\":\"user\",\"intent\":\"greet\",\"text\":\"{text}\"}}\n"
        )
    };
    let endless = line(&"x".repeat(10 << 20)).repeat(7);
    verified(endless, &map(""), &["--group"]).refuses("the dialogue `a` has more than 64 MiB");
    verified(line("x").repeat(100_001), &map(""), &["--group"]).refuses(
        "line 100001 has no room beside the 100000 that are held (dialogues that are not over: 1)",
    );
}

#[test]
fn a_group_needs_lines_that_can_be_gathered() {
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
fn of_a_turn_in_which_a_line_cannot_be_read_nothing_is_judged() {
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
            .fails(2, "", "cannot be read")
            .stdout
    };
    for more in [&[][..], &["--group"]] {
        // The first turn of the first dialogue; what is behind its last one; before the first of the second.
        for (lost, turns) in [(3, 3), (7, 3), (8, 4), (9, 4)] {
            let stdout = read(lost, more);
            assert!(!stdout.contains("broken"), "{lost} {more:?}: {stdout}");
            assert!(
                stdout.contains(&format!("2 dialogues, {turns} turns: keep to f.yaml")),
                "{lost} {more:?}: {stdout}"
            );
        }
    }
}
