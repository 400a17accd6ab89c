//! Checks that the pages, headings and files that comments and pages refer to exist in this repository.

use std::path::{Path, PathBuf};

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

/// The anchor of a heading: the part after `#` in a link.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    heading
        .to_lowercase()
        .chars()
        .filter(kept)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn comments_refer_to_existing_pages_and_headings() {
    let cited = Regex::new(r#"(docs/\w+\.md)(?:, "([^"]+)")?"#).unwrap();
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

#[test]
fn links_of_pages_resolve() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let mut pages: Vec<PathBuf> = walk(&home("docs"));
    pages.extend(
        [
            "README.md",
            "README.ru.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
        ]
        .map(|page| home(".").join(page)),
    );
    let mut wrong = Vec::new();
    for page in pages
        .iter()
        .filter(|page| page.extension().is_some_and(|kind| kind == "md"))
    {
        for found in link.captures_iter(&prose(page)) {
            let target = &found[1];
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                page.clone()
            } else {
                page.parent().unwrap().join(file)
            };
            let known = file.exists()
                && (heading.is_empty()
                    || headings(&file).iter().any(|known| anchor(known) == heading));
            if !known {
                wrong.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
