//! New projects: all scenarios pass immediately, and no existing file is overwritten.

use crate::support::{Project, git, walk};

/// The files of a new project.
const FILES: [&str; 4] = [
    "fsmsim.toml",
    "flows/booking.yaml",
    "scenarios/booking.yaml",
    "scenarios/booking_talk.md",
];

#[test]
fn git_files_receive_their_missing_lines() {
    let project = Project::new();
    let output = project.fsmsim(["init"]).succeeds("");
    let pending = "*.snap.new\n*.jsonl.new\n";
    assert_eq!(project.read(".gitignore"), pending);
    let attributes = project.read(".gitattributes");
    assert!(attributes.contains("*.snap text eol=lf\n"), "{attributes}");
    assert!(
        output.contains("./.gitignore\n./.gitattributes\n"),
        "{output}"
    );
    // Existing lines remain, and a complete file is unchanged.
    let project = Project::new()
        .file(".gitignore", "target\n*.snap.new")
        .file(".gitattributes", attributes);
    let output = project.fsmsim(["init"]).succeeds("fsmsim test");
    assert_eq!(
        project.read(".gitignore"),
        "target\n*.snap.new\n*.jsonl.new\n"
    );
    assert!(
        output.contains("./.gitignore\n") && !output.contains(".gitattributes"),
        "{output}"
    );
}

#[test]
fn git_ignores_pending_snapshots_of_a_new_project() {
    let project = Project::new();
    project.fsmsim(["init"]).succeeds("");
    project.write(
        "scenarios/open.yaml",
        "scenario: Open\nturns: [{intent: greeting}]\n",
    );
    project.fsmsim(["test"]).fails(1, "", "");
    let pending = "snapshots/open/open.snap.new";
    assert!(project.path().join(pending).is_file());
    assert!(git(&project, &["init", "-q"]) && git(&project, &["check-ignore", pending]));
}

#[test]
fn new_project_passes_in_both_languages() {
    for (language, word, day) in [
        ("en", "A table for four", "friday"),
        ("ru", "Столик на четверых", "пятница"),
    ] {
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
        let lines = format!("/ book_table\nOn Friday / info_provided day={day} guests=12\n");
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
fn new_project_books_a_table_by_sentences_only() {
    let english = "Hello\nI would like a table\nOn Friday, there are four of us\nSounds good\n";
    let russian = "Здравствуйте\nХочу столик\nНа пятницу, нас четверо\nПодходит\n";
    for (language, lines, data) in [
        ("en", english, "+day=Friday  +guests=4"),
        ("ru", russian, "+day=пятница  +guests=4"),
    ] {
        let project = Project::new();
        project.fsmsim(["init", "--lang", language]).succeeds("");
        let run = project.fsmsim(["run", "flows/booking.yaml"]).stdin(lines);
        let output = run.about(language).succeeds("confirm → booked");
        assert!(output.contains(data), "{output}");
    }
}

#[test]
fn sentence_without_a_day_never_becomes_the_day() {
    for (language, lines) in [
        (
            "en",
            "I would like a table\nTwo guests\nActually, never mind the weather\n",
        ),
        ("ru", "Хочу столик\nНас двое\nА какая у вас погода\n"),
    ] {
        let project = Project::new();
        project.fsmsim(["init", "--lang", language]).succeeds("");
        let run = project.fsmsim(["run", "flows/booking.yaml"]).stdin(lines);
        let output = run.about(language).succeeds("+guests=2");
        assert!(!output.contains("day="), "{output}");
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
