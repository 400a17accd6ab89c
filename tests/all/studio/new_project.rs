//! A studio in a folder without a model: the page offers templates, and creates the project of one.

use serde_json::{Value, json};

use super::client::{Studio, wait_for};
use crate::support::Project;

fn create(studio: &Studio, language: &str) -> (u16, Value) {
    studio.ask("project/create", &json!({"language": language}))
}

#[test]
fn an_empty_folder_gets_a_project_from_a_template() {
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
        let view = studio.told("view", &json!({"known": 0}));
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
        // The first dialogue has two sides, and is kept as any other.
        let view = studio.told("play", &json!({"line": format!("{said} / greeting")}));
        assert_eq!(
            view["moments"][0]["said"],
            json!([{"by": "user", "text": said}, {"by": "assistant", "text": answer}])
        );
        let report = studio.run_suite(&json!({}));
        let scenarios = report["scenarios"].as_array().unwrap();
        let passed = scenarios.iter().filter(|one| one["verdict"] == "passed");
        assert_eq!((passed.count(), scenarios.len()), (4, 4), "{report}");
        // The files are those of the command.
        let by_command = Project::new();
        by_command.fsmsim(["init", "--lang", language]).succeeds("");
        for file in by_command.files() {
            assert_eq!(project.read(&file), by_command.read(&file), "{file}");
        }
        let (status, told) = create(&studio, "en");
        assert_eq!(
            (status, &told["error"]),
            (
                422,
                &json!("the folder has a model now: `flows/booking.yaml`")
            )
        );
    }
}

#[test]
fn a_model_that_appears_meanwhile_is_opened() {
    let project = Project::new();
    let other = Studio::open(&project, &[]);
    let mut events = other.events();
    // Another process creates the project.
    project.fsmsim(["init"]).succeeds("");
    // The studio sees the files, or is asked first; in both cases it overwrites nothing.
    let (status, told) = create(&other, "ru");
    assert_eq!(
        (status, &told["error"]),
        (
            422,
            &json!("the folder has a model now: `flows/booking.yaml`")
        )
    );
    wait_for(&mut events, "moved");
    assert_eq!(other.told("view", &json!({}))["model"]["name"], "booking");
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
        studio.told("view", &json!({}))["model"]["path"],
        "mine.yaml"
    );
}

#[test]
fn a_project_that_cannot_be_created_says_why_in_the_page() {
    let project = Project::new().file("fsmsim.toml", "# mine\n");
    let studio = Studio::open(&project, &[]);
    let (status, told) = create(&studio, "en");
    assert_eq!(
        (status, &told["error"]),
        (422, &json!("`./fsmsim.toml` already exists"))
    );
    assert_eq!(told["help"], "nothing was written; choose another folder");
    assert_eq!(project.files(), ["fsmsim.toml"]);
    assert_eq!(project.read("fsmsim.toml"), "# mine\n");

    let project = Project::new().file("flows", "a file where a folder is needed");
    let studio = Studio::open(&project, &[]);
    let (status, told) = create(&studio, "en");
    let error = told["error"].as_str().unwrap();
    assert!(
        status == 422 && error.starts_with("`./flows/booking.yaml` cannot be written"),
        "{told}"
    );
    assert_eq!(project.files(), ["flows"]);

    let project = Project::new();
    let in_ci = project.fsmsim(["studio", "--no-open"]).env("CI", "true");
    let studio = Studio::of(in_ci.spawn());
    assert_eq!(
        create(&studio, "en").1["error"],
        "nothing is written where `CI` is set"
    );
    assert!(project.files().is_empty());
}

#[test]
fn a_conversation_is_exported_for_the_browser() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    let studio = Studio::open(&project, &[]);
    let export = |kind: &str| json!({"kind": kind});
    let refused = studio.refused("export", &export("html"), 422);
    assert_eq!(
        refused,
        "no turn was played yet: there is nothing to export"
    );
    assert_eq!(
        studio.refused("export", &export("pdf"), 400),
        "unknown kind `pdf`"
    );
    studio.told("play", &json!({"line": "I want a table / book_table"}));
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
        let told = studio.told("export", &export(kind));
        assert_eq!(told["file"], file);
        assert!(told["text"].as_str().unwrap().contains(text), "{told}");
    }
    studio.told("undo", &json!({}));
    studio.refused("export", &export("html"), 422);
}
