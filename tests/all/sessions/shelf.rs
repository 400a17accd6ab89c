//! `fsmsim sessions`: list, show, export and delete sessions.

use std::io::{BufRead, BufReader};

use super::diary::{kept, store};
use crate::support::{Invocation, Project};

/// An interview of three points. Tests edit its file.
const TRIP: &str = "kind: interview
interview: {name: trip}
points:
  where: {name: the place, priority: P0, questions: [Where?]}
  when: {name: the time, priority: P0, questions: [When?]}
  hotel: {name: the hotel, priority: P0, questions: [Which hotel?]}
";

/// A project with a session of each dialect.
fn shelf() -> Project {
    let project = Project::library().file("trip.yaml", TRIP);
    let play = |name: &str, model: &str, more: &[&str], lines: &str| {
        project
            .fsmsim(["run", model, "--session", name])
            .args(more)
            .stdin(lines)
            .warns("", "started the session");
    };
    play(
        "sales",
        "flows/spin_selling",
        &[],
        "greeting\nСколько стоит? / price_question\n/ !something_new zzz=1 size=\"a\u{7}b\"\n",
    );
    play(
        "student",
        "states/student",
        &["--permissive"],
        "hi / !menu\nplan / !weekly_plan\ninit\nbye / init\n",
    );
    play("Тур", "trip.yaml", &[], "To Norway\nIn June\n");
    play(
        "new",
        "flows/bant@reference",
        &["--start", "{state: close}"],
        "",
    );
    store(&project)
        .execute("INSERT INTO progress VALUES ('sales', 4, 'greeting')", ())
        .unwrap();
    project
}

fn sessions(project: &Project, arguments: &[&str]) -> Invocation {
    project.fsmsim(["sessions"]).args(arguments)
}

#[test]
fn sessions_are_listed_and_shown() {
    let project = shelf();
    let calls: [&[&str]; 7] = [
        &["list"],
        &["list", "--format", "jsonl"],
        &["show", "sales"],
        &["show", "student"],
        &["show", "Тур"],
        &["show", "Тур", "--format", "json"],
        &["show", "new"],
    ];
    insta::assert_snapshot!(
        calls
            .map(|call| sessions(&project, call).succeeds(""))
            .join("\n")
    );
    // `list` and `show` change nothing.
    assert_eq!(kept(&project, "sales").line.as_deref(), Some("greeting"));
    let json = sessions(&project, &["show", "sales", "--format", "json"]).succeeds("");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        json["unfinished"],
        serde_json::json!({"turn": 4, "line": "greeting", "answers": []})
    );
}

#[test]
fn exported_session_passes_as_trace_and_scenario() {
    let project = shelf();
    for (name, model) in [
        ("sales", "flows/spin_selling"),
        ("student", "states/student"),
        ("Тур", "trip.yaml"),
        ("new", "flows/bant"),
    ] {
        let export =
            |kind: &str, to: &str| sessions(&project, &["export", name, "--as", kind, "-o", to]);
        export("trace", "out.jsonl").warns("", "wrote `out.jsonl`");
        export("scenario", "out.yaml").warns("", "wrote `out.yaml`");
        assert_eq!(
            project.read("out.jsonl"),
            sessions(&project, &["export", name, "--as", "trace"])
                .run()
                .stdout
        );
        let connection = store(&project);
        let mut select = connection
            .prepare("SELECT record FROM turns WHERE session = ?1 ORDER BY number")
            .unwrap();
        let kept = select
            .query_map([name], |row| row.get::<_, String>(0))
            .unwrap()
            .map(Result::unwrap);
        let trace = project.read("out.jsonl");
        assert!(
            trace
                .lines()
                .filter(|line| line.starts_with("{\"turn\""))
                .eq(kept.collect::<Vec<_>>()),
            "{name}"
        );
        let passes = if name == "new" { 2 } else { 0 };
        for file in ["out.jsonl", "out.yaml"] {
            project
                .fsmsim(["test", file])
                .about(name)
                .ends(passes, "", "");
        }
        for mode in ["structure", "replay"] {
            project
                .fsmsim(["verify", "out.jsonl", "--model", model, "--mode", mode])
                .about(name)
                .ends(passes, if passes == 0 { "conforms to" } else { "" }, "");
        }
        project
            .fsmsim(["diff", "out.jsonl", "out.jsonl"])
            .about(name)
            .ends(0, "1 dialogue without differences", "");
        // A scenario with another expectation fails.
        if let Some(action) = project
            .read("out.yaml")
            .lines()
            .find(|line| line.starts_with("    class: "))
        {
            project.write(
                "other.yaml",
                project
                    .read("out.yaml")
                    .replacen(action, "    class: finish", 1),
            );
            project
                .fsmsim(["test", "other.yaml"])
                .about(name)
                .ends(1, "class", "");
        }
    }
    insta::assert_snapshot!(sessions(&project, &["export", "sales", "--as", "scenario"]).shown());
}

#[test]
fn exported_snapshot_starts_a_dialogue() {
    let project = shelf();
    let export = |name: &str| {
        let to = format!("{name}.json");
        sessions(&project, &["export", name, "--as", "session", "-o", &to])
            .warns("", &format!("wrote `{to}`"));
        serde_json::from_str::<serde_json::Value>(&project.read(&to)).unwrap()
    };
    let saved = export("sales");
    let keys: Vec<&str> = saved
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys[..9],
        [
            "state",
            "current_phase",
            "collected_data",
            "in_disambiguation",
            "disambiguation_context",
            "pre_disambiguation_state",
            "turns_since_last_disambiguation",
            "intent_tracker",
            "circular_flow",
        ]
    );
    assert_eq!(saved["intent_tracker"]["turn_number"], 3);
    project.write(
        "next.yaml",
        "scenario: Next
model: flows/spin_selling
start: {session: ./sales.json}
turns:
  - intent: info_provided
    data: {company_size: 50}
    expect: {state: {from: spin_situation, to: spin_problem}, turn_number: 4}
",
    );
    project.fsmsim(["test", "next.yaml"]).succeeds("1 passed");
    // The bot of the profile `reference` saves less.
    assert_eq!(
        (
            &saved["beyond"]["last_action"],
            &export("new")["beyond"]["history"]
        ),
        (&"continue_current_goal".into(), &serde_json::json!([]))
    );
}

#[test]
fn questionnaire_is_exported_as_text_and_json() {
    let project = shelf();
    let export =
        |more: &[&str]| sessions(&project, &["export", "Тур", "--as", "questionnaire"]).args(more);
    let text = export(&[]).succeeds("In June");
    let json = export(&["--format", "json"]).succeeds("\"anketa_id\": \"anketa_Тур\"");
    insta::assert_snapshot!([&*text, &*json].join("\n"));
    std::fs::create_dir(project.path().join("out")).unwrap();
    export(&["-o", "out"]).warns("", "wrote `out/");
    export(&["-o", "out", "--format", "json"]).warns("", "wrote `out/");
    assert_eq!(
        (
            project.read("out/anketa_Тур.txt"),
            project.read("out/anketa_Тур.json")
        ),
        (text, json)
    );
    // The REPL uses the same ID.
    project
        .fsmsim(["run", "trip.yaml", "--session", "Тур"])
        .stdin(":questionnaire shown.json\n")
        .warns("wrote anketa_Тур to shown.json", "resumed the session");
    // The time in the file name is the value of `started_at`, even if it is invalid.
    let turns = [("timed", "2026-05-01T10:00:00"), ("odd", "../../x")];
    for (name, at) in turns {
        project
            .fsmsim(["run", "trip.yaml", "--session", name])
            .stdin("Oslo\n")
            .warns("", "started the session");
        let saved: String = store(&project)
            .query_row(
                "SELECT saved FROM sessions WHERE name = ?1",
                [name],
                |row| row.get(0),
            )
            .unwrap();
        let saved = saved.replacen(
            "\"collected_data\":{",
            &format!("\"collected_data\":{{\"started_at\":\"{at}\","),
            1,
        );
        store(&project)
            .execute(
                "UPDATE sessions SET saved = ?1 WHERE name = ?2",
                [&*saved, name],
            )
            .unwrap();
        sessions(
            &project,
            &["export", name, "--as", "questionnaire", "-o", "out"],
        )
        .warns("", "wrote `out/");
    }
    let files: Vec<String> = project
        .files()
        .into_iter()
        .filter(|file| file.starts_with("out/"))
        .collect();
    let expected = [
        "anketa_odd_.._.._x.txt",
        "anketa_timed_20260501T100000.txt",
        "anketa_Тур.json",
        "anketa_Тур.txt",
    ];
    assert_eq!(files, expected.map(|file| format!("out/{file}")));
    export(&["-o", "out/anketa_Тур.txt/x"]).refuses("error[FS0303]");
    sessions(&project, &["export", "sales", "--as", "questionnaire"]).ends(
        2,
        "",
        "the session `sales` is not an interview",
    );
}

#[test]
fn turns_that_no_longer_replay_after_an_edit_are_reported() {
    let [first, where_to, when, hotel] = [
        "kind: interview\ninterview: {name: trip}\npoints:\n",
        "  where:",
        "  when:",
        "  hotel:",
    ]
    .map(|begin| {
        TRIP.split_inclusive('\n')
            .filter(|line| begin.contains(line) || line.starts_with(begin))
            .collect::<String>()
    });
    let edits = [
        (
            "a point is removed",
            [&first, &when, &hotel].map(|part| &**part).concat(),
        ),
        ("a point is renamed", TRIP.replace("when:", "time:")),
        (
            "points change places",
            [&first, &when, &where_to, &hotel]
                .map(|part| &**part)
                .concat(),
        ),
        (
            "only a name is another",
            TRIP.replace("name: trip", "name: journey"),
        ),
        (
            "the point that is asked is removed",
            [&first, &where_to, &when].map(|part| &**part).concat(),
        ),
    ];
    let mut outputs = String::new();
    for (what, edited) in edits {
        let project = Project::new().file("trip.yaml", TRIP);
        let run = || project.fsmsim(["run", "trip.yaml", "--session", "ann"]);
        run()
            .stdin("To Norway\nIn June\n")
            .warns("", "started the session");
        assert!(edited.len() < TRIP.len() + 10 && edited != TRIP, "{edited}");
        project.write("trip.yaml", edited);
        let exported = sessions(&project, &["export", "ann", "--as", "trace"])
            .warns("{\"end\":\"ann\",\"turns\":3}", "FS0233");
        let gone_on = run().stdin(":points\n").run();
        outputs.push_str(&format!(
            "===== {what}\n{}{}\n",
            exported.stderr,
            gone_on.shown()
        ));
    }
    insta::assert_snapshot!(outputs);
}

#[test]
fn failing_session_commands_are_reported_and_change_nothing() {
    let project = shelf();
    let before = sessions(&project, &["list"]).succeeds("sales");
    let calls: [&[&str]; 8] = [
        &["show", "sale"],
        &["show", ""],
        &["export", "../x", "--as", "trace"],
        &["delete", "nobody at all"],
        &["delete", "saless"],
        &["export", "sales", "--as", "trace", "--format", "json"],
        &["export", "sales", "--as", "poem"],
        &["export", "sales"],
    ];
    let errors: String = calls
        .iter()
        .map(|call| sessions(&project, call).refuses("error"))
        .collect();
    std::fs::remove_file(project.path().join("trip.yaml")).unwrap();
    let errors =
        errors + &sessions(&project, &["export", "Тур", "--as", "questionnaire"]).refuses("error");
    project.write("moved.yaml", TRIP);
    sessions(
        &project,
        &[
            "export",
            "Тур",
            "--as",
            "questionnaire",
            "--model",
            "moved.yaml",
        ],
    )
    .succeeds("To Norway");
    assert_eq!(sessions(&project, &["list"]).succeeds(""), before);
    // A command on a project without sessions creates no store.
    let empty = Project::new();
    let errors = errors
        + &sessions(&empty, &["list"]).warns("", "").stderr
        + &sessions(&empty, &["show", "ann"]).refuses("");
    assert_eq!(empty.files(), Vec::<String>::new());
    insta::assert_snapshot!(errors);
}

#[test]
fn session_in_use_is_listed_and_not_deleted() {
    let project = shelf();
    let mut playing = project
        .fsmsim(["run", "trip.yaml", "--session", "Тур"])
        .spawn();
    BufReader::new(playing.stderr.as_mut().unwrap())
        .read_line(&mut String::new())
        .unwrap();
    for call in [
        &["delete", "Тур"][..],
        &["show", "Тур"],
        &["export", "Тур", "--as", "questionnaire"],
    ] {
        sessions(&project, call).refuses("error[FS0229]: another process uses the session `Тур`");
    }
    sessions(&project, &["list"]).succeeds("Тур");
    drop(playing.stdin.take());
    assert!(playing.wait().unwrap().success());
    sessions(&project, &["delete", "Тур"]).warns("", "deleted the session `Тур`");
    sessions(&project, &["show", "Тур"]).refuses("error[FS0236]");
    let left: u32 = ["turns", "utterances", "progress", "answers"]
        .map(|table| format!("SELECT count(*) FROM {table} WHERE session = 'Тур'"))
        .map(|count| {
            store(&project)
                .query_row(&count, (), |row| row.get::<_, u32>(0))
                .unwrap()
        })
        .iter()
        .sum();
    assert_eq!(left, 0);
    // The other sessions are unchanged, and the name can be used again.
    assert_eq!(kept(&project, "sales").turns, 3);
    project
        .fsmsim(["run", "trip.yaml", "--session", "Тур"])
        .stdin("")
        .warns("", "started the session");
}

#[test]
fn invalid_store_is_reported_by_every_command() {
    for content in ["no database", "SQLite format 3\0 and no more"] {
        let project = Project::new().file(".fsmsim/sessions.sqlite", content);
        for call in [
            &["list"][..],
            &["show", "ann"],
            &["export", "ann", "--as", "trace"],
            &["delete", "ann"],
        ] {
            sessions(&project, call).refuses("error[FS0227]");
        }
        assert_eq!(project.read(".fsmsim/sessions.sqlite"), content);
    }
    let foreign = Project::new().file(".fsmsim/x", "");
    store(&foreign)
        .execute_batch("CREATE TABLE mine (a)")
        .unwrap();
    sessions(&foreign, &["list"]).refuses("is a database of another program");
}
