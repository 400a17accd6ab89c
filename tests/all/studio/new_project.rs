//! A studio in a folder without a model: the page offers templates and creates a project.

use serde_json::{Value, json};

use super::client::{Studio, wait_for};
use crate::support::Project;

fn create(studio: &Studio, language: &str) -> (u16, Value) {
    studio.request("project/create", &json!({"language": language}))
}

#[test]
fn empty_folder_gets_a_project_from_a_template() {
    for (language, said, answer) in [
        ("en", "Hello!", "Hello! Would you like to book a table?"),
        (
            "ru",
            "Добрый день!",
            "Здравствуйте! Хотите забронировать столик?",
        ),
    ] {
        let project = Project::new();
        let studio = Studio::open(&project, &[]);
        let view = studio.call("view", &json!({"known": 0}));
        assert_eq!(view["templates"][1]["language"], "ru", "{view}");
        assert_eq!(view["templates"][0]["files"][1], "flows/booking.yaml");
        assert_eq!(view["error"], Value::Null);
        let refused = studio.refused("play", &json!({"line": "hello"}), 422);
        assert_eq!(refused, "the project has no model yet");
        assert_eq!(create(&studio, "de").0, 400);
        assert_eq!(create(&studio, "../en").0, 400);
        assert!(project.files().is_empty(), "{:?}", project.files());
        let mut other_tab = studio.events();
        let (status, view) = create(&studio, language);
        assert_eq!(
            (status, &view["model"]["path"]),
            (200, &json!("flows/booking.yaml")),
            "{view}"
        );
        wait_for(&mut other_tab, "moved");
        // The first dialogue has replies of both sides.
        let view = studio.call("play", &json!({"line": format!("{said} / greeting")}));
        assert_eq!(
            view["moments"][0]["said"],
            json!([{"by": "user", "text": said}, {"by": "assistant", "text": answer}])
        );
        let report = studio.run_suite(&json!({}));
        let scenarios = report["scenarios"].as_array().unwrap();
        let passed = scenarios.iter().filter(|one| one["verdict"] == "passed");
        assert_eq!((passed.count(), scenarios.len()), (4, 4), "{report}");
        // `fsmsim init` creates the same files.
        let by_command = Project::new();
        by_command.fsmsim(["init", "--lang", language]).succeeds("");
        for file in by_command.files() {
            assert_eq!(project.read(&file), by_command.read(&file), "{file}");
        }
        let (status, response) = create(&studio, "en");
        assert_eq!(
            (status, &response["error"]),
            (
                422,
                &json!("the folder already has a model: `flows/booking.yaml`")
            )
        );
    }
}

#[test]
fn model_created_meanwhile_is_opened() {
    let project = Project::new();
    let other = Studio::open(&project, &[]);
    let mut events = other.events();
    // Another process creates the project.
    project.fsmsim(["init"]).succeeds("");
    // The request can arrive before or after the studio notices the files. In both cases it overwrites nothing.
    let (status, response) = create(&other, "ru");
    assert_eq!(
        (status, &response["error"]),
        (
            422,
            &json!("the folder already has a model: `flows/booking.yaml`")
        )
    );
    wait_for(&mut events, "moved");
    assert_eq!(other.call("view", &json!({}))["model"]["name"], "booking");
    assert!(
        project
            .read("flows/booking.yaml")
            .contains("A guest books a table")
    );

    let project = Project::new();
    let studio = Studio::open(&project, &[]);
    let mut events = studio.events();
    project.write(
        "mine.yaml",
        "states:\n  a: {goal: A, is_final: true}\nentry_points: {default: a}\n",
    );
    wait_for(&mut events, "moved");
    assert_eq!(
        studio.call("view", &json!({}))["model"]["path"],
        "mine.yaml"
    );
}

#[test]
fn failing_project_creation_is_explained_on_the_page() {
    let project = Project::new().file("fsmsim.toml", "# mine\n");
    let studio = Studio::open(&project, &[]);
    let (status, response) = create(&studio, "en");
    assert_eq!(
        (status, &response["error"]),
        (422, &json!("`./fsmsim.toml` already exists"))
    );
    assert_eq!(
        response["help"],
        "choose another directory; nothing was written"
    );
    assert_eq!(project.files(), ["fsmsim.toml"]);
    assert_eq!(project.read("fsmsim.toml"), "# mine\n");

    let project = Project::new().file("flows", "a file where a folder is needed");
    let studio = Studio::open(&project, &[]);
    let (status, response) = create(&studio, "en");
    let error = response["error"].as_str().unwrap();
    assert!(
        status == 422 && error.starts_with("cannot write `./flows/booking.yaml`"),
        "{response}"
    );
    assert_eq!(project.files(), ["flows"]);

    let project = Project::new();
    let in_ci = project.fsmsim(["studio", "--no-open"]).env("CI", "true");
    let studio = Studio::of(in_ci.spawn());
    assert_eq!(
        create(&studio, "en").1["error"],
        "cannot change files: the variable `CI` is set"
    );
    assert!(project.files().is_empty());
}

#[test]
fn conversation_is_exported_as_html_and_markdown() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    let studio = Studio::open(&project, &[]);
    let export = |kind: &str| json!({"kind": kind});
    let refused = studio.refused("export", &export("html"), 422);
    assert_eq!(refused, "cannot export the dialogue: it has no turns yet");
    assert_eq!(
        studio.refused("export", &export("pdf"), 400),
        "unknown kind `pdf`"
    );
    studio.call("play", &json!({"line": "I want a table / book_table"}));
    for (kind, file, text) in [
        (
            "html",
            "booking.html",
            "For how many guests, and for which day?",
        ),
        (
            "markdown",
            "booking.md",
            "**User:** I want a table `/book_table`",
        ),
    ] {
        let response = studio.call("export", &export(kind));
        assert_eq!(response["file"], file);
        assert!(
            response["text"].as_str().unwrap().contains(text),
            "{response}"
        );
    }
    studio.call("undo", &json!({}));
    studio.refused("export", &export("html"), 422);
}
