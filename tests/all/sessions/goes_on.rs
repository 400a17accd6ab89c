//! Sessions that are left and resumed, with the same and with other arguments.

use super::diary::{AGREED, diary, kept, play, store};
use crate::support::{Project, Run, turns};

/// Runs a model in a named session, with more arguments and input lines.
fn run(project: &Project, model: &str, name: &str, more: &[&str], lines: &str) -> Run {
    project
        .fsmsim(["run", model, "--session", name])
        .args(more)
        .stdin(lines)
        .run()
}

#[test]
fn session_resumes_after_it_was_left() {
    let project = Project::new().with_flows();
    let model = "flows/spin_selling";
    let runs = [
        run(
            &project,
            model,
            "ann",
            &[],
            "greeting\nСколько стоит? / price_question\n:quit\nagreement\n",
        ),
        run(
            &project,
            model,
            "ann",
            &[],
            ":why\ninfo_provided company_size=50\n:data\n",
        ),
        run(&project, model, "ann", &[], ""),
    ];
    insta::assert_snapshot!(runs.map(|run| run.shown()).join("\n"));
    // Git ignores the files of runs.
    assert_eq!(project.read(".fsmsim/.gitignore"), "*\n");
    let left: Vec<String> = project
        .files()
        .into_iter()
        .filter(|file| file.starts_with(".fsmsim/"))
        .collect();
    assert!(
        left.len() == 3
            && left[1].starts_with(".fsmsim/locks/")
            && left[2] == ".fsmsim/sessions.sqlite",
        "{left:?}"
    );
}

#[test]
fn dialogue_is_unchanged_by_leaving_it_after_each_line() {
    let library = || {
        Project::library().file(
            "student.json",
            r#"{"goals": ["read"], "profile": {"name": "Ann"}}"#,
        )
    };
    let dialogues: [(&str, &[&str], &[&str]); 6] = [
        (
            "flows/bant_parallel.yaml",
            &[],
            &[
                "greeting",
                "price_question",
                "agreement",
                "info_provided budget_range=5",
                "objection_price",
                "agreement",
            ],
        ),
        (
            // In this profile, saving loses part of the state of the bot.
            "flows/spin_selling@reference",
            &["--start", "{flags: {circular_flow: true}}"],
            &[
                "greeting",
                "info_provided company_size=5",
                "agreement",
                "go_back",
                "objection_price",
                "objection_price",
            ],
        ),
        (
            "flows/support.yaml",
            &[],
            &[
                "greeting",
                "/ !something_new x=1",
                "question",
                "small_talk",
                "small_talk",
            ],
        ),
        (
            "flows/accounting.yaml",
            &["--start", "{backend: fixtures/backends/accounting.yaml}"],
            &[
                "Покажи остатки по ООО Ромашка на март 2020",
                "выбери позицию Болт",
                "кому продали / object_action action=\"кому продали\"",
                "мы это обсуждали? / memory_recap cites=[ответ-1, ответ-9]",
            ],
        ),
        (
            // The JSON file of a twin is not written: changes stay in memory.
            "diary",
            &[
                "--start",
                AGREED,
                "--twin",
                "student.json",
                "--llm",
                "mock:mock.yaml",
            ],
            &[
                "hello",
                "x / a note={text: one}",
                "again",
                "y / b note={text: two}",
                "z / a",
                "and again",
                "more",
            ],
        ),
        (
            "states/student",
            &[
                "--start",
                "{twin: student.json, consent: {read: true, write: true}}",
                "--permissive",
            ],
            &["hi / !menu", "plan / !weekly_plan", "init", "bye / init"],
        ),
    ];
    let mock = "queue: [{need: navigate, answer: {reply: one}}, {need: phrase, answer: {reply: two}}]\n\
                rules:\n\
                - {need: phrase, answer: {reply: three}, times: 2}\n\
                - {need: navigate, answer: {reply: luck}, rate: 0.5}\n\
                - {need: navigate, answer: {reply: rest}}\n\
                - {need: phrase, answer: {reply: end}}\n";
    for (model, more, lines) in dialogues {
        let project = library().file("mock.yaml", mock);
        for file in diary().files() {
            project.write(&file, diary().read(&file));
        }
        let whole = run(
            &project,
            model,
            "whole",
            more,
            &(lines.join("\n") + "\n:trace\n"),
        );
        assert_eq!(turns(&whole.stdout).len(), lines.len(), "{}", whole.shown());
        for line in lines {
            assert_eq!(run(&project, model, "pieces", more, line).code, 0, "{line}");
        }
        let pieces = run(&project, model, "pieces", more, ":trace\n");
        let trace =
            |run: &Run| run.stdout[run.stdout.find("{\"fsmsim_trace").unwrap()..].to_owned();
        assert_eq!(trace(&pieces), trace(&whole), "{model}");
        let number = lines.len();
        assert!(
            pieces.stderr.contains(&format!("after {number} turns\n")),
            "{}",
            pieces.shown()
        );
    }
}

#[test]
fn reset_is_kept_when_a_session_resumes() {
    let project = Project::new().with_flows();
    let model = "flows/spin_selling";
    run(
        &project,
        model,
        "ann",
        &["--start", "{state: close}"],
        "greeting\n:reset {state: nowhere}\n",
    );
    let one = run(
        &project,
        model,
        "ann",
        &[],
        "greeting\n:reset {state: spin_problem, data: {company_size: 7}}\n",
    );
    assert!(one.stdout.contains("close > greeting"), "{}", one.shown());
    // The command of the first run also resumes the session.
    let again = run(
        &project,
        model,
        "ann",
        &["--start", "{state: close}"],
        ":data\n:trace\n",
    );
    insta::assert_snapshot!(again.shown());
    let two = run(&project, model, "ann", &[], "greeting\n:reset\n");
    assert!(
        two.stderr.ends_with("in `spin_problem` after 0 turns\n"),
        "{}",
        two.shown()
    );
    assert!(
        run(&project, model, "ann", &[], "")
            .stderr
            .ends_with("in `greeting` after 0 turns\n")
    );
}

#[test]
fn session_resumes_only_with_its_original_arguments() {
    let project = diary().with_flows().file("first.json", "{}");
    run(
        &project,
        "flows/bant",
        "flow",
        &["--profile", "reference"],
        "greeting\n",
    );
    play(&project, "set", &["--twin", "first.json"])
        .stdin("x / a note={text: one}\n")
        .warns("", "started the session");
    let before = (kept(&project, "flow"), kept(&project, "set"));
    let runs = [
        run(
            &project,
            "flows/spin_selling",
            "flow",
            &["--start", "{state: close}"],
            "greeting\n",
        ),
        run(&project, "flows/bant@documented", "flow", &[], "greeting\n"),
        run(
            &project,
            "diary",
            "set",
            &["--permissive", "--start", "{state: b}"],
            "b\n",
        ),
        run(&project, "diary", "set", &["--twin", "t.sqlite"], "b\n"),
        run(
            &project,
            "diary",
            "new",
            &["--llm", "record:tape.jsonl"],
            "hello\n",
        ),
    ];
    let errors = runs.map(|run| {
        assert!(run.code == 2 && run.stdout.is_empty(), "{}", run.shown());
        run.stderr
    });
    insta::assert_snapshot!(errors.join("\n"));
    assert_eq!((kept(&project, "flow"), kept(&project, "set")), before);
    // A rejected run creates no file.
    assert!(!project.path().join("t.sqlite").exists());
    // The profile can be omitted. The complete original command works too.
    let run = run(
        &project,
        "./flows/../flows/bant/",
        "flow",
        &[],
        "greeting\n",
    );
    assert!(
        run.code == 0 && run.stdout.contains("[reference] >"),
        "{}",
        run.shown()
    );
    play(&project, "set", &["--twin", "first.json"])
        .stdin("y / b\n")
        .warns("note: done", "in `a` after 1 turn\n");
}

#[test]
fn changed_model_is_reported_and_a_deleted_state_is_an_error() {
    let flow = |states: &str| {
        format!(
            "flow: {{name: f}}\nstates: {{greeting: {{transitions: {{agreement: hall}}}}, {states}}}\n"
        )
    };
    let project = Project::new().file("f.yaml", flow("hall: {}"));
    run(&project, "f.yaml", "ann", &[], "agreement\n");
    std::fs::rename(
        project.path().join("f.yaml"),
        project.path().join("moved.yaml"),
    )
    .unwrap();
    let moved = run(&project, "moved.yaml", "ann", &[], "");
    assert_eq!(
        moved.stderr,
        "note: resumed the session `ann` in `hall` after 1 turn\n"
    );
    project.write("f.yaml", flow("hall: {transitions: {agreement: greeting}}"));
    let changed = run(&project, "f.yaml", "ann", &[], "agreement\nagreement\n").shown();
    let unchanged = run(&project, "f.yaml", "ann", &[], "").stderr;
    assert_eq!(
        unchanged,
        "note: resumed the session `ann` in `hall` after 3 turns\n"
    );
    project.write(
        "f.yaml",
        flow("hall_two: {}").replace("agreement: hall", "agreement: hall_two"),
    );
    let gone = run(&project, "f.yaml", "ann", &[], "agreement\n");
    assert!(gone.code == 2 && gone.stdout.is_empty(), "{}", gone.shown());
    insta::assert_snapshot!([changed, gone.stderr].join("\n"));
    assert_eq!(kept(&project, "ann").turns, 3);
}

#[test]
fn interrupted_utterance_is_recognized_without_its_provider() {
    let project = diary().file(
        "mock.yaml",
        "rules: [{need: navigate, answer: {reply: hello}}]\n",
    );
    play(&project, "ann", &["--llm", "mock:mock.yaml"])
        .stdin("hi\n")
        .warns("hello", "started the session");
    store(&project)
        .execute("INSERT INTO progress VALUES ('ann', 2, 'how are you?')", ())
        .unwrap();
    // Without `--llm`, the examples of the model are used.
    let run = play(&project, "ann", &[]).stdin("").run();
    assert!(
        run.stdout.starts_with("init > how are you?\n"),
        "{}",
        run.shown()
    );
    assert_eq!(kept(&project, "ann").turns, 2);
}

#[test]
fn unsafe_session_names_are_rejected() {
    let project = Project::new().with_flows();
    let before = project.files();
    let long = "x".repeat(65);
    let errors: String = [
        "",
        "..",
        "../ann",
        "a b",
        "a'; DROP TABLE sessions; --",
        "\u{1b}[2J",
        &long,
    ]
    .iter()
    .map(|name| {
        project
            .fsmsim(["run", "flows/bant", &format!("--session={name}")])
            .refuses("error[FS0302]")
    })
    .collect();
    insta::assert_snapshot!(errors);
    // A model that does not exist starts no session.
    run(&project, "flows/none", "ann", &[], "");
    assert_eq!(project.files(), before);
    // Names that some file systems treat as equal are different sessions.
    for name in ["Анна", "анна", "con.", "ann-1_2"] {
        assert!(
            run(&project, "flows/bant", name, &[], "greeting\n")
                .stderr
                .contains("started the session"),
            "{name}"
        );
    }
}

#[test]
fn session_is_saved_at_the_root_of_the_project() {
    let project = Project::new()
        .with_flows()
        .file("fsmsim.toml", "")
        .file("flows/notes/a.txt", "");
    run(&project, "flows/bant", "ann", &[], "greeting\n");
    let run = project
        .fsmsim(["run", "../bant", "--session", "ann"])
        .below("flows/notes")
        .stdin("greeting\n")
        .run();
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (
            0,
            "note: resumed the session `ann` in `greeting` after 1 turn\n"
        )
    );
    assert!(!project.path().join("flows/notes/.fsmsim").exists());
}
