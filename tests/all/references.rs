//! Checks that the pages and headings that comments refer to exist.

use std::path::Path;

use regex::Regex;

use crate::support::{home, text, walk};

/// The page without its code blocks, whose lines are not headings or links.
fn prose(page: &Path) -> String {
    text(page).split("\n```").step_by(2).collect()
}

fn headings(page: &Path) -> Vec<String> {
    let prose = prose(page);
    let lines = prose.lines().filter(|line| line.starts_with('#'));
    lines
        .map(|line| line.trim_start_matches('#').trim().to_owned())
        .collect()
}

#[test]
fn comments_refer_to_existing_pages_and_headings() {
    let cited = Regex::new(r#"(docs/[\w/-]+\.md)(?:, "([^"]+)")?"#).unwrap();
    let broken_line = Regex::new(r"\n\s*(?://[/!]?|#) ").unwrap();
    let mut wrong = Vec::new();
    let mut citations = 0;
    for path in ["src", "crates"]
        .into_iter()
        .flat_map(|folder| walk(&home(folder)))
    {
        let read = text(&path);
        for found in cited.captures_iter(&broken_line.replace_all(&read, " ")) {
            citations += 1;
            let page = home(".").join(&found[1]);
            let known = page.is_file()
                && found.get(2).is_none_or(|title| {
                    headings(&page).iter().any(|known| known == title.as_str())
                });
            if !known {
                wrong.push(format!("{}: {}", path.display(), &found[0]));
            }
        }
    }
    assert!(
        citations > 50,
        "only {citations} citations were found: the pattern no longer matches"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
