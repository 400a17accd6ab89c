//! The generated pages of `docs/reference` are up to date, and their tables are readable.

use std::collections::BTreeMap;

use crate::support::{Project, home, text, walk};

/// The pages that the program writes, by path.
fn written() -> BTreeMap<String, String> {
    let project = Project::new();
    project.fsmsim(["docs", "--out", "."]).succeeds("");
    let pages = project.files().into_iter().map(|path| {
        let text = project.read(&path);
        (path.replace('\\', "/"), text)
    });
    pages.collect()
}

#[test]
fn reference_folder_matches_the_program() {
    const REGENERATE: &str = "regenerate them: cargo run -- docs --out docs/reference";
    let folder = home("docs/reference");
    let saved = walk(&folder).into_iter().map(|path| {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap();
        (name.replace('\\', "/"), text(&path))
    });
    let saved: BTreeMap<String, String> = saved.collect();
    let written = written();
    assert_eq!(
        saved.keys().collect::<Vec<_>>(),
        written.keys().collect::<Vec<_>>(),
        "pages in docs/reference, generated pages; {REGENERATE}"
    );
    for (path, page) in &written {
        assert!(saved[path] == *page, "docs/reference/{path}; {REGENERATE}");
    }
}

#[test]
fn generated_lines_and_cells_are_short() {
    for (path, page) in written() {
        // Every other part is a block of code.
        for line in page.split("\n```").step_by(2).flat_map(str::lines) {
            if line.starts_with('|') {
                let words = line
                    .replace("\\|", "")
                    .split('|')
                    .map(|cell| cell.split_whitespace().count())
                    .max();
                assert!(words <= Some(25), "{path}: {line}");
            } else {
                // Headings and code are not broken.
                let is_broken = !line.starts_with('#') && !line.contains('`');
                assert!(!is_broken || line.chars().count() <= 120, "{path}: {line}");
            }
        }
    }
}

#[test]
fn every_command_finding_and_format_is_described() {
    let pages = written();
    for (command, _) in crate::conventions::commands() {
        let heading = format!("\n## `{command}`\n");
        assert!(pages["cli.md"].contains(&heading), "{command}");
    }
    for code in fsmsim_syntax::diagnostic::Code::ALL {
        let heading = format!("\n## {code}: {}\n", code.title());
        assert!(pages["findings.md"].contains(&heading), "{code}");
    }
    let point = &pages["formats/interview.md"];
    for row in [
        "| `name` (required) | text | Name, for questions |",
        "| `priority` (required) | `P0`, `P1`, `P2`, `P3` | Priority; P0 is asked first |",
        "| `depends_on` | point name or a list | Points that must be complete first |",
        "| `criteria` | [point criteria](#point-criteria) | Criteria for a complete answer |",
    ] {
        assert!(point.contains(row), "{point}");
    }
}
