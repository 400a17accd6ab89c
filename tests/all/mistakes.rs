//! What people get wrong: each file of `fixtures/mistakes` has one mistake, and its first line says which command tells it
//! (`# fsmsim lint FILE`; `FILE` is the file itself). A file of TOML is the project's.

use crate::support::{Project, home, text, walk};

/// What the commands of a folder of mistakes tell, file by file.
fn findings(folder: &str) -> String {
    let mut files = walk(&home("fixtures/mistakes").join(folder));
    files.sort();
    let mut told = String::new();
    for file in files {
        let path = file.strip_prefix(home("")).unwrap().to_str().unwrap();
        let content = text(path);
        let command = content.lines().next().unwrap().trim_start_matches(['#', ' ', '<', '!', '-']);
        let arguments: Vec<&str> = command.strip_prefix("fsmsim ").expect(path).split_whitespace().collect();
        let arguments = arguments.into_iter().map(|word| if word == "FILE" { path } else { word });
        let project = Project::new().with("flows").with("states").with("fixtures/backends").with(path);
        if path.ends_with(".toml") {
            project.write("fsmsim.toml", &content);
        }
        let run = project.fsmsim(arguments).run();
        assert!(run.stderr.contains("FS0"), "nothing is told of {path}\n{run}");
        told += &format!("===== {path}\n{}\n", run.shown());
    }
    told
}

#[test]
fn each_key_that_nobody_reads_is_told() {
    insta::assert_snapshot!(findings("keys"));
}

#[test]
fn each_name_that_nobody_knows_is_told() {
    insta::assert_snapshot!(findings("names"));
}
