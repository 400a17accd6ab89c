//! Our scenarios cover every line of our models, except the lines that `uncovered_lines.md` lists with a reason.

use std::collections::BTreeSet;

use crate::support::{Project, text};

/// The cells of a row of a Markdown table, without backticks.
fn cells(line: &str) -> Vec<String> {
    let cells = line.trim_matches('|').split(" | ");
    cells
        .map(|cell| cell.trim().trim_matches('`').to_owned())
        .collect()
}

#[test]
fn each_uncovered_line_has_a_documented_reason() {
    let list = text("tests/all/coverage/uncovered_lines.md");
    let rows = list
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(cells);
    let documented: BTreeSet<(String, String)> =
        rows.map(|row| (row[0].clone(), row[1].clone())).collect();

    let project = Project::library();
    let paths = ["scenarios", "states/student/knowledge/test-scenarios"];
    project
        .fsmsim(["test"])
        .args(paths)
        .args(["--coverage", "--report", "lcov=lcov.info"])
        .run();
    let (mut file, mut missing, mut lines) = (String::new(), BTreeSet::new(), 0);
    for line in project.read("lcov.info").lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            path.clone_into(&mut file);
        } else if let Some((number, hits)) = line
            .strip_prefix("DA:")
            .and_then(|rest| rest.split_once(','))
        {
            lines += 1;
            if hits == "0" {
                let number: usize = number.parse().unwrap();
                missing.insert((
                    file.clone(),
                    text(&file)
                        .lines()
                        .nth(number - 1)
                        .unwrap()
                        .trim()
                        .to_owned(),
                ));
            }
        }
    }
    assert!(lines > 800, "{lines}");
    assert_eq!(missing, documented);
}
