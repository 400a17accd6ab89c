//! New projects: all scenarios pass immediately, and no existing file is overwritten.

use crate::support::{Project, walk};

/// The files of a new project.
const FILES: [&str; 4] = [
    "fsmsim.toml",
    "flows/booking.yaml",
    "scenarios/booking.yaml",
    "scenarios/booking_talk.md",
];

#[test]
fn new_project_passes_in_both_languages() {
    for (language, word) in [("en", "A table for four"), ("ru", "Столик на четверых")]
    {
        let project = Project::new();
        let output = project
            .fsmsim(["init", "--lang", language])
            .succeeds("    fsmsim test\n    fsmsim run\n");
        for file in FILES {
            assert!(
                output.contains(file) && project.path().join(file).is_file(),
                "{file}\n{output}"
            );
        }
        project
            .fsmsim(["test"])
            .about(language)
            .succeeds("4 passed");
        project.fsmsim(["list"]).about(language).succeeds(word);
        // A second run, which writes nothing, passes as well.
        project
            .fsmsim(["test", "--check"])
            .about(language)
            .succeeds("4 passed");
        project
            .fsmsim(["lint", ".", "--deny-warnings"])
            .about(language)
            .succeeds("1 model: no errors, no warnings");
        project
            .fsmsim(["lint", "flows/booking.yaml", "--deny-warnings"])
            .about(language)
            .succeeds("1 model");
        // The assistant replies in each turn of the first dialogue.
        let hello = project
            .fsmsim(["run"])
            .stdin("greeting\nbook_table\ninfo_provided guests=2\n");
        let output = hello.about(language).succeeds("");
        assert_eq!(output.matches("  says  ").count(), 3, "{output}");
        let lines = "/ book_table\nOn Friday / info_provided day=friday guests=12\n";
        project
            .fsmsim(["run", "flows/booking.yaml"])
            .stdin(lines)
            .about(language)
            .succeeds("manager");
        // The scenarios cover all states, so that the coverage shows the effect of an edit.
        let coverage = project.fsmsim(["test", "--coverage"]).about(language).run();
        assert_eq!(coverage.code, 0, "{coverage}");
    }
}

#[test]
fn new_project_is_created_in_a_new_folder() {
    let project = Project::new();
    insta::assert_snapshot!(project.fsmsim(["init", "new/table"]).succeeds(""));
    project
        .fsmsim(["test"])
        .below("new/table")
        .succeeds("4 passed");
    let leftovers: Vec<String> = walk(&project.path().join("new"))
        .iter()
        .filter(|path| path.to_string_lossy().contains("fsmsim-tmp"))
        .map(|path| path.display().to_string())
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

#[test]
fn existing_files_are_not_overwritten() {
    for file in FILES {
        let project = Project::new().file(file, "# mine\n");
        let before = walk(project.path());
        let message = project
            .fsmsim(["init"])
            .refuses(&format!("`./{file}` already exists"));
        assert!(message.contains("nothing was written"), "{message}");
        assert_eq!(walk(project.path()), before, "{file}");
        assert_eq!(
            std::fs::read_to_string(project.path().join(file)).unwrap(),
            "# mine\n"
        );
    }
    let project = Project::new().file("flows", "a file");
    project
        .fsmsim(["init"])
        .refuses("cannot write `./flows/booking.yaml`");
    assert!(!project.path().join("fsmsim.toml").exists());
    project
        .fsmsim(["init", "--lang", "de"])
        .refuses("invalid value 'de'");
}
