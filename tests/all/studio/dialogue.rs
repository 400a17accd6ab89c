//! The dialogue of the studio: turns, explanations, edits of the model, and saving.

use serde_json::{Value, json};

use super::client::{Studio, wait_for};
use crate::support::Project;

const FLOW: &str = "\
states:
  greeting:
    goal: Someone is at the door
    required_data: [name]
    rules: {question_features: [{when: {slot: name, filled: true}, then: answer_features}, ask_name]}
    transitions:
      agreement: street
      rejection: end
      walk_on: street
  street: {goal: Walk, transitions: {agreement: end, go_back: greeting}}
  end: {goal: Leave, is_final: true}
entry_points: {default: greeting}
feature_flags: {circular_flow: true}
flow: {policy: sales}
";

fn door() -> Project {
    Project::new()
        .file("flows/door.yaml", FLOW)
        .file("flows/other.yaml", FLOW.replace("street", "garden"))
}

fn opened(project: &Project) -> Studio {
    Studio::open(project, &["flows/door.yaml"])
}

fn play(studio: &Studio, line: &str) -> Value {
    studio.call("play", &json!({"known": 0, "line": line}))
}

fn state(view: &Value) -> &str {
    view["here"]["state"].as_str().unwrap()
}

/// The records of the turns up to the current one.
fn records(view: &Value) -> Vec<Value> {
    let moments = view["moments"].as_array().unwrap();
    let moment = |number: &Value| {
        moments
            .iter()
            .find(|moment| moment["number"] == *number)
            .unwrap()
    };
    view["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|number| moment(number)["record"].clone())
        .collect()
}

#[test]
fn studio_turns_equal_the_turns_of_run() {
    let project = door();
    let lines = [
        "question_features",
        "Ann here / question_features name=Ann",
        "agreement",
        "go_back",
        "rejection",
    ];
    let typed = project
        .fsmsim(["run", "flows/door.yaml", "--format", "jsonl"])
        .stdin(lines.join("\n"))
        .run()
        .stdout;
    let typed: Vec<Value> = typed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let typed: Vec<&Value> = typed
        .iter()
        .filter(|line| line.get("turn").is_some())
        .collect();
    assert_eq!(typed.len(), lines.len());
    let studio = opened(&project);
    let mut view = Value::Null;
    for line in lines {
        view = play(&studio, line);
    }
    assert_eq!(records(&view).iter().collect::<Vec<_>>(), typed);
    // The form of the page gives the same turn.
    studio.call("undo", &json!({"turns": 5, "known": 0}));
    studio.call(
        "play",
        &json!({"known": 0, "turn": {"intent": "question_features"}}),
    );
    let form = json!({"say": "Ann here", "intent": "question_features", "data": {"name": "Ann"}});
    let view = studio.call("play", &json!({"known": 0, "turn": form}));
    assert_eq!(
        records(&view),
        typed
            .iter()
            .take(2)
            .map(|record| (*record).clone())
            .collect::<Vec<_>>()
    );
    assert_eq!(
        view["moments"].as_array().unwrap().len(),
        7,
        "undone turns are kept"
    );
    // The view contains only the turns that the client does not know.
    let view = studio.call("view", &json!({"known": 6}));
    assert_eq!(view["moments"].as_array().unwrap().len(), 1);
}

#[test]
fn abandoned_branches_are_kept_and_compared() {
    let project = door();
    let studio = opened(&project);
    for line in ["agreement", "agreement"] {
        play(&studio, line);
    }
    let view = studio.call("undo", &json!({"known": 0}));
    assert_eq!(
        (state(&view), &view["path"], &view["ahead"]),
        ("street", &json!([1]), &json!([2]))
    );
    assert_eq!(state(&studio.call("redo", &json!({}))), "end");
    studio.call("undo", &json!({}));
    let view = play(&studio, "go_back");
    assert_eq!(
        view["notes"],
        json!(["the undone turns are saved as the branch `main-1`"])
    );
    let compared = studio.call("compare", &json!({"a": "main", "b": "main-1"}));
    assert_eq!(
        (&compared["parted"], &compared["rows"][0]["turn"]),
        (&json!(1), &json!(2))
    );
    let of_state = compared["rows"][0]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .find(|field| field["field"] == "state");
    assert_eq!(
        of_state.unwrap(),
        &json!({"field": "state", "a": "greeting", "b": "end"})
    );
    assert_eq!(
        state(&studio.call("switch", &json!({"branch": "main-1"}))),
        "end"
    );
    let view = studio.call("moment", &json!({"number": 3}));
    assert_eq!(
        (state(&view), &view["branch"]),
        ("greeting", &json!("main"))
    );
    let view = studio.call("fork", &json!({}));
    assert_eq!(view["branch"], "branch-1");
    for (name, body) in [
        ("undo", json!({"turns": 9})),
        ("redo", json!({})),
        ("moment", json!({"number": 99})),
        ("switch", json!({"branch": "no"})),
        ("fork", json!({"name": "a b"})),
        ("compare", json!({"a": "main", "b": "<script>"})),
        ("go", json!({"state": "nowhere"})),
        ("set", json!({"data": {"a b": 1}})),
        ("play", json!({"turn": {"intent": "nothing"}})),
        ("play", json!({"line": "walk_onn"})),
        ("play", json!({"line": ":save /tmp/x.yaml"})),
        ("play", json!({"line": ""})),
        ("turn", json!({"number": 0})),
        ("why_not", json!({"to": "nowhere"})),
        ("reset", json!({"start": "{state: nowhere}"})),
        ("load", json!({"address": "../../etc/passwd"})),
        ("load", json!({"address": "/etc/passwd::x"})),
        ("load", json!({"address": "/etc/passwd@1"})),
        ("load", json!({"address": "../outside.yaml::t"})),
        ("reset", json!({"start": "{twin: /etc/passwd}"})),
        ("reset", json!({"start": "{twin: {file: ../outside.json}}"})),
        ("reset", json!({"start": "{backend: /etc/hostname}"})),
        ("conditions", json!({"number": 4_294_967_295_u32})),
        ("ask", json!({"who": "live"})),
    ] {
        assert!(!studio.refused(name, &body, 422).is_empty());
    }
    assert_eq!(
        studio.call("view", &json!({}))["tree"],
        1,
        "a rejected request changes nothing"
    );
    let view = studio.call("reset", &json!({"start": "{state: street}"}));
    assert_eq!((state(&view), &view["moments"]), ("street", &json!([])));
    assert_ne!(view["tree"], 1);
    // The previous dialogue is saved.
    project.fsmsim(["sessions", "list"]).succeeds("door-1");
}

#[test]
fn turn_view_contains_all_causes() {
    let project = door();
    let studio = opened(&project);
    play(&studio, "question_features name=Ann");
    let turn = studio.call("turn", &json!({"number": 1}));
    assert!(
        turn["why"].as_str().unwrap().contains("answer_features"),
        "{turn}"
    );
    let rule = &turn["rules"][0];
    assert_eq!(
        (&rule["what"], &rule["value"], &rule["at"]),
        (
            &json!("action"),
            &json!("answer_features"),
            &json!("flows/door.yaml:5")
        )
    );
    assert_eq!(rule["excerpt"]["line"], 5);
    assert!(
        rule["excerpt"]["lines"][2]
            .as_str()
            .unwrap()
            .contains("answer_features"),
        "{rule}"
    );
    assert_eq!(
        turn["data"],
        json!([{"slot": "name", "before": null, "after": "Ann", "how": "added"}])
    );
    let condition = &turn["conditions"][0];
    assert_eq!(
        (&condition["value"], &condition["steps"][0]["seen"]),
        (&json!(true), &json!("`Ann`")),
        "{condition}"
    );
    // The suggested lines lead to the state.
    let asked = studio.call("why_not", &json!({"to": "end"}));
    assert_eq!(asked["undo"], false);
    let mut view = json!(null);
    for line in asked["lines"].as_array().unwrap() {
        view = play(&studio, line.as_str().unwrap());
    }
    assert_eq!(state(&view), "end");
    let lines = studio.call("source", &json!({"at": "flows/door.yaml:5"}));
    assert_eq!((&lines["first"], &lines["line"]), (&json!(3), &json!(5)));
    for at in [
        "/etc/passwd:1",
        "../door.yaml:1",
        "fsmsim.toml:1",
        "flows/door.yaml:9999",
        "flows/door.yaml",
        "",
    ] {
        studio.refused("source", &json!({"at": at}), 422);
    }
}

#[test]
fn manual_changes_are_part_of_the_next_turn() {
    let project = door();
    let studio = opened(&project);
    studio.call("set", &json!({"data": {"name": "Ann <b> \"B\" = 1"}}));
    let view = studio.call("go", &json!({"state": "street"}));
    assert_eq!(
        (state(&view), view["by_hand"].as_array().unwrap().len()),
        ("street", 2)
    );
    let view = play(&studio, "agreement");
    assert_eq!(state(&view), "end");
    assert_eq!(records(&view)[0]["data"]["name"], "Ann <b> \"B\" = 1");
}

#[test]
fn edit_updates_the_dialogue_and_a_broken_file_does_not() {
    let project = door();
    let studio = opened(&project);
    play(&studio, "walk_on");
    play(&studio, "agreement");
    let mut events = studio.events();
    project.write(
        "flows/door.yaml",
        FLOW.replace("agreement: end, go_back", "agreement: greeting, go_back"),
    );
    let edited = wait_for(&mut events, "edited");
    let view = &edited["view"];
    assert_eq!((state(view), &view["revision"]), ("greeting", &json!(2)));
    let edit = &view["edit"];
    assert_eq!(
        (&edit["turns"], &edit["former"], &edit["files"]),
        (&json!(2), &json!("main-1"), &json!(["flows/door.yaml"]))
    );
    let change = &edit["differing"][0];
    assert_eq!(change["turn"], 2);
    assert!(
        view["path"].as_array().unwrap().contains(&change["number"]),
        "the changed turn is on the current path"
    );
    assert_eq!(
        change["fields"][0],
        json!({"field": "state", "was": "end", "is": "greeting"})
    );
    project.write(
        "flows/door.yaml",
        FLOW.replace("agreement: street", "agreement: stret"),
    );
    let broken = wait_for(&mut events, "broken");
    let text = broken["model"]["broken"]["text"].as_str().unwrap();
    assert!(
        text.contains("flows/door.yaml:7") && text.contains("street") && text.contains('^'),
        "{text}"
    );
    assert_eq!(
        broken["model"]["broken"]["findings"][0]["severity"],
        "error"
    );
    let view = play(&studio, "agreement");
    assert_eq!(
        (state(&view), view["model"]["broken"].is_null()),
        ("street", false),
        "the last valid model stays in use"
    );
    project.write(
        "flows/door.yaml",
        FLOW.replace("agreement: end, go_back", "agreement: greeting, go_back"),
    );
    wait_for(&mut events, "fixed");
    assert!(studio.call("view", &json!({}))["model"]["broken"].is_null());
    // If the turns cannot be replayed any more, the view reports it.
    project.write("flows/door.yaml", FLOW.replace("walk_on", "walk_off"));
    let view = &wait_for(&mut events, "edited")["view"];
    assert!(
        view["edit"]["stopped"]
            .as_str()
            .unwrap()
            .contains("cannot replay turn 1"),
        "{view}"
    );
}

#[test]
fn saved_dialogue_passes_and_unsafe_paths_are_rejected() {
    let project = door();
    let studio = opened(&project);
    assert!(
        studio
            .refused("save", &json!({"title": "Nothing"}), 422)
            .contains("the dialogue has no turns")
    );
    play(&studio, "Ann here / question_features name=Ann");
    play(&studio, "Let us go / agreement");
    let saved = studio.call(
        "save",
        &json!({"title": "Улица: <script>alert(1)</script>", "file": "walks/street.yaml"}),
    );
    assert_eq!(
        (&saved["file"], &saved["verdict"]),
        (&json!("scenarios/walks/street.yaml"), &json!("passed"))
    );
    let again = studio.call("save", &json!({"title": "Another"}));
    assert_eq!(again["file"], "scenarios/studio/another.yaml");
    let mut again = json!({"title": "Again", "file": "walks/street.yaml"});
    let refused = studio.refused("save", &again, 422);
    assert!(refused.contains("already exists"), "{refused}");
    again["replace"] = true.into();
    assert_eq!(studio.call("save", &again)["verdict"], "passed");
    let transcript = studio.call("save", &json!({"title": "Said", "file": "said.md"}));
    assert_eq!(transcript["verdict"], "passed", "{transcript}");
    project.fsmsim(["test", "scenarios"]).succeeds("3 passed");
    let before = project.files();
    for file in [
        "../out.yaml",
        "/tmp/out.yaml",
        "a/../../out.yaml",
        "walks/street.yaml",
        "x.yaml/../../y.yaml",
        "x.txt",
        "x",
        ".x.yaml",
        "con.yaml",
        "c:\\x.yaml",
        "a\u{0}.yaml",
        "a\n.yaml",
        "..\\x.yaml",
    ] {
        studio.refused("save", &json!({"title": "x", "file": file}), 422);
    }
    for title in ["", "  ", "a\nb", "\u{1b}[2J"] {
        studio.refused("save", &json!({"title": title}), 422);
    }
    #[cfg(unix)]
    {
        let other = Project::new();
        std::os::unix::fs::symlink(other.path(), project.path().join("scenarios/link")).unwrap();
        studio.refused("save", &json!({"title": "x", "file": "link/x.yaml"}), 422);
        assert_eq!(other.path().read_dir().unwrap().count(), 0);
        std::fs::remove_file(project.path().join("scenarios/link")).unwrap();
    }
    assert_eq!(project.files(), before);
    // A scenario can be loaded up to one of its turns.
    let view = studio.call(
        "load",
        &json!({"address": "scenarios/walks/street.yaml@1", "known": 0}),
    );
    assert_eq!((state(&view), &view["turns"]), ("greeting", &json!(1)));
}

#[test]
fn simulated_dialogue_opens_in_the_studio() {
    let project = door();
    let studio = opened(&project);
    play(&studio, "agreement");
    let asked = json!({"persona": "wandering", "number": 3, "seed": 7, "dialogues": 10});
    let shown = studio.call("simulate/show", &asked)["turns"].clone();
    let mut body = asked.clone();
    body["known"] = json!(0);
    let view = studio.call("simulate/open", &body);
    assert_eq!(json!(records(&view)), shown);
    assert_eq!(
        view["branches"].as_array().unwrap().len(),
        2,
        "the previous dialogue is kept"
    );
    assert!(
        studio.call("graph", &json!({}))["svg"]
            .as_str()
            .unwrap()
            .starts_with("<svg")
    );
    studio.refused("graph", &json!({"overlay": "traffic"}), 422);
    studio.call(
        "simulate",
        &json!({"personas": ["wandering"], "dialogues": 20}),
    );
    let svg = studio.call("graph", &json!({"overlay": "traffic"}))["svg"].clone();
    assert!(svg.as_str().unwrap().contains(" w10"), "{svg}");
    studio.refused("graph", &json!({"overlay": "coverage"}), 422);
}

#[test]
fn only_models_of_the_project_can_be_opened() {
    let project = door();
    let studio = opened(&project);
    let view = studio.call("model", &json!({"path": "flows/other.yaml"}));
    assert_eq!(
        (&view["model"]["name"], &view["tree"]),
        (&json!("other"), &json!(2))
    );
    assert_eq!(state(&play(&studio, "agreement")), "garden");
    for path in [
        "../other.yaml",
        "/etc/passwd",
        "flows",
        "flows/none.yaml",
        "",
        "flows/../flows/other.yaml",
    ] {
        studio.refused("model", &json!({"path": path}), 422);
    }
}

#[test]
fn reset_repeats_the_opening_of_the_assistant() {
    let project = Project::new().with_flows();
    let studio = Studio::open(&project, &["flows/grant_interview.yaml"]);
    let view = studio.call("view", &json!({}));
    assert_eq!(
        (&view["turns"], &view["here"]["opening"]),
        (&json!(1), &json!(false))
    );
    let view = studio.call("reset", &json!({}));
    assert_eq!((&view["turns"], &view["tree"]), (&json!(1), &json!(2)));
}

#[test]
fn dialogue_without_replay_uses_an_edit_only_after_reset() {
    let project = Project::new().with_flows();
    let studio = Studio::open(&project, &["flows/agent_cycle.yaml"]);
    let before = studio.call("view", &json!({}));
    let mut events = studio.events();
    project.write(
        "flows/agent_cycle.yaml",
        project.read("flows/agent_cycle.yaml") + "# edited\n",
    );
    let view = &wait_for(&mut events, "edited")["view"];
    assert_eq!(
        (&view["tree"], &view["revision"], &view["path"]),
        (&json!(1), &json!(1), &before["path"])
    );
    assert!(
        view["notes"][0]
            .as_str()
            .unwrap()
            .contains("with the model before the edit"),
        "{view}"
    );
    let view = studio.call("reset", &json!({}));
    assert_eq!(
        view["revision"], 2,
        "the new dialogue uses the edited model"
    );
}

#[test]
fn named_session_is_resumed() {
    let project = door();
    let studio = Studio::open(&project, &["flows/door.yaml", "--session", "ann"]);
    play(&studio, "agreement");
    studio.call("undo", &json!({}));
    play(&studio, "question_features name=Ann");
    drop(studio);
    let studio = Studio::open(&project, &["flows/door.yaml", "--session", "ann"]);
    let view = studio.call("view", &json!({"known": 0}));
    assert_eq!((state(&view), &view["turns"]), ("greeting", &json!(1)));
    assert_eq!(records(&view)[0]["action"], "answer_features");
    assert_eq!(
        state(&studio.call("switch", &json!({"branch": "main-1"}))),
        "street"
    );
}

#[test]
fn examples_of_the_model_are_the_default_recognizer() {
    let intents =
        "intents: {walk_on: {examples: [Let us go, Walk on]}, agreement: {examples: [I agree]}}\n";
    let project = door().file("flows/taught.yaml", format!("{FLOW}{intents}"));
    let studio = Studio::open(&project, &["flows/taught.yaml"]);
    let view = studio.call("view", &json!({}));
    assert_eq!(
        (&view["asks"], &view["can_ask"], &view["examples"]),
        (
            &json!("examples"),
            &json!(["none", "examples"]),
            &Value::Null
        )
    );
    let said = json!({"known": 0, "turn": {"say": "Let us go"}});
    let view = studio.call("play", &said);
    let answer = &records(&view)[0]["answers"][0];
    assert_eq!(
        (&answer["by"], &answer["answer"]["intent"]),
        (&json!("examples"), &json!("walk_on"))
    );
    let turn = studio.call("turn", &json!({"number": 1}));
    let recognized = turn["recognized"].as_str().unwrap();
    assert!(recognized.starts_with("walk_on ("), "{recognized}");
    // Without a recognizer, an utterance needs an intent.
    let view = studio.call("ask", &json!({"who": "none"}));
    assert_eq!(view["asks"], Value::Null);
    assert!(!studio.refused("play", &said, 422).is_empty());
    let view = studio.call("ask", &json!({"who": "examples"}));
    assert_eq!(view["asks"], "examples");
}

#[test]
fn page_gets_the_lines_that_a_model_without_examples_lacks() {
    let flow = "flow: {name: kiosk}\nstates: {greeting: {transitions: {order_tea: end}}, end: {is_final: true}}\n";
    let project = Project::new().file("flows/kiosk.yaml", flow);
    let studio = Studio::open(&project, &["flows/kiosk.yaml"]);
    let view = studio.call("view", &json!({}));
    assert_eq!(
        (&view["asks"], &view["can_ask"]),
        (&Value::Null, &json!(["none"]))
    );
    let lines = view["examples"].as_str().unwrap();
    assert!(
        lines.starts_with("intents:\n  order_tea: {examples: ["),
        "{lines}"
    );
}
