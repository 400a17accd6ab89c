//! Keeps the language of the program and its docs plain: expressions that make a reader stop do not occur. CONTRIBUTING.md says
//! what to write instead.

use std::path::Path;

use regex::Regex;

use crate::conventions::commands;
use crate::support::{home, text, walk};

/// A rejected expression, and the phrases in which it is allowed.
struct Rule {
    pattern: &'static str,
    allowed: &'static str,
    scope: Scope,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scope {
    /// Comments, strings, names of functions, and text files.
    All,
    /// Strings only.
    Strings,
    /// Whole lines of source files.
    Lines,
}

/// A piece of text, and the line where it starts.
struct Piece {
    kind: Scope,
    line: usize,
    text: String,
}

const fn rule(pattern: &'static str, allowed: &'static str) -> Rule {
    let scope = Scope::All;
    Rule {
        pattern,
        allowed,
        scope,
    }
}

const fn only(scope: Scope, pattern: &'static str) -> Rule {
    Rule {
        scope,
        ..rule(pattern, "")
    }
}

const RULES: &[Rule] = &[
    rule(r"\b(tell|tells|told|telling)\b", ""),
    rule(r"\b(stands?|stood)\b", r"stands? for|stand-in|stand-alone"),
    rule(r"\b(nobody|somebody|whoever|whom)\b", ""),
    rule(r"\b(lies|lie|lay)\b", r"lays? out"),
    rule(
        r"\b(is|are|was|were) no\b",
        r"there (is|are|was|were) no|no longer|no more than",
    ),
    rule(r"\b(is|are) none\b", r"if [\w.]+ is none"),
    only(Scope::Strings, r"\bthere (is|are) no\b"),
    rule(
        r"\bbehind\b",
        r"behind a (reverse )?proxy|behind a feature flag",
    ),
    rule(r"\bbesides?\b", ""),
    rule(r"\b(come|comes|coming|came) to\b", ""),
    rule(r"\bpass(es|ed)? over\b", ""),
    rule(r"\bputs? down to\b", ""),
    rule(r"\b(fell|falls?|falling) short\b", ""),
    rule(r"\bnot well\b|\ball (is|was) well\b", r"not well[- ]formed"),
    rule(r"\bheld against\b|\bholds? \S+( \S+){0,3} against\b", ""),
    rule(r"\bmend(s|ed|ing)?\b", ""),
    rule(r"\banew\b", ""),
    rule(r"\bat once\b", ""),
    rule(r"\bfor good\b", ""),
    rule(r"\bperhaps\b", ""),
    rule(r"\bso many\b", ""),
    rule(r"\bslips?\b", ""),
    rule(r"\bby hand\b", ""),
    rule(r"\bworkbench\b", ""),
    rule(r"\bif (nothing is|not) said\b|\bunless said\b", ""),
    rule(
        r"\bdo(es)? without\b|\bleft alone\b|\bthere no more\b|\bthe sum\b",
        "",
    ),
    rule(
        r"\bletters?\b",
        r"letters (and|or|and/or) digits|letters, digits|(upper|lower)case letters?|letter-spacing|with a letter",
    ),
    rule(r"\bblanks?\b", r"blank lines?"),
    rule(r"\b(small letters|capitals|unsnapshotted)\b", ""),
    rule(r"\b(lines? of JSON|object a line)\b", ""),
    rule(
        r"\b(file|line|row|header) a (command|turn|dialogue|state|finding|kind|scenario)\b",
        "",
    ),
    rule(
        r"\b(oftenest|oftener|seldom(est)?|misspelt|safe connection|be heard|listens there)\b",
        "",
    ),
    rule(r"\b(written over|write over)\b", ""),
    rule(r"\banketas?\b", r"anketa_id"),
    rule(
        r"\b(colour|behaviour|labelled|cancelled|judgement|analyse|grey|neighbour)",
        r"aria-labelledby",
    ),
    rule(r"\b(house|rooms?|floors?)\b", r"room for|\.floor\("),
    only(
        Scope::Lines,
        r"^\s*//[/!] (What|Whoever|Whatever|Of|Where)\b",
    ),
    only(Scope::Lines, TEST_NAME),
    only(Scope::Lines, r"\bfn \w{61,}"),
    only(Scope::Strings, r"\bdid you mean\b"),
];

/// Marks a line that may contain a rejected expression, with the reason. At most 20 lines do.
const EXCUSED: &str = "// language: ok ";

/// The beginning of a name that says nothing about the subject of a test.
const TEST_NAME: &str = r"\bfn (what|whatever|who|whoever|whose|where|of|nobody)_";

/// Comments, strings and function names of a source file.
fn pieces_of_rust(source: &str) -> Vec<Piece> {
    let token = Regex::new(
        r##"(?s)//[^\n]*|/\*.*?\*/|r#+".*?"#+|r".*?"|b?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'|\bfn\s+\w+"##,
    )
    .unwrap();
    let found = token.find_iter(source).filter_map(|found| {
        let (kind, text) = match found.as_str() {
            text if text.starts_with('\'') => return None,
            text if text.starts_with("fn") => (Scope::All, text.replace('_', " ")),
            text if text.starts_with('/') => (Scope::All, text.to_owned()),
            text => (Scope::Strings, text.to_owned()),
        };
        let line = source[..found.start()].matches('\n').count() + 1;
        Some(Piece { kind, line, text })
    });
    let lines = source.lines().zip(1..).map(|(text, line)| Piece {
        kind: Scope::Lines,
        line,
        text: text.to_owned(),
    });
    let excused: Vec<&str> = source.lines().collect();
    let is_excused = |piece: &Piece| excused[piece.line - 1].contains(EXCUSED);
    found
        .chain(lines)
        .filter(|piece| !is_excused(piece))
        .collect()
}

/// The lines of a text file; of Markdown without code.
fn pieces_of_text(path: &Path, text: &str) -> Vec<Piece> {
    let is_markdown = path.extension().is_some_and(|extension| extension == "md");
    let code = Regex::new("`[^`]*`").unwrap();
    let mut is_fenced = false;
    let mut pieces = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        is_fenced ^= is_markdown && line.trim_start().starts_with("```");
        if !is_fenced {
            let text = if is_markdown {
                code.replace_all(line, "``").into_owned()
            } else {
                line.to_owned()
            };
            pieces.push(Piece {
                kind: Scope::All,
                line: number,
                text,
            });
        }
    }
    pieces
}

/// All files to check with their pieces.
fn files() -> Vec<(String, Vec<Piece>)> {
    let mut files = Vec::new();
    let folders = ["src", "crates", "tests", "benches", "fuzz", "docs"];
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| walk(&home(folder)))
        .collect();
    for file in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        paths.push(home(file));
    }
    for path in paths {
        let shown = path.strip_prefix(home("")).unwrap().display().to_string();
        let parts = [
            "/target/",
            "/fixtures/",
            "/snapshots/",
            "/seeds/",
            "/templates/",
            "docs/ru/",
        ];
        let is_content = parts.iter().any(|part| shown.contains(part));
        let extension = path
            .extension()
            .and_then(|it| it.to_str())
            .unwrap_or_default();
        let pieces = match extension {
            // This file lists what it rejects.
            _ if is_content || shown.ends_with("language.rs") => continue,
            "rs" => {
                let mut pieces = pieces_of_rust(&text(&path));
                // The strings of tests are dialogues and output.
                if shown.starts_with("tests/") {
                    pieces.retain(|piece| piece.kind != Scope::Strings);
                }
                pieces
            }
            "md" | "js" | "css" | "html" => pieces_of_text(&path, &text(&path)),
            "yaml" if shown.contains("/shapes/") => pieces_of_text(&path, &text(&path)),
            "txt" if shown.starts_with("src/") => pieces_of_text(&path, &text(&path)),
            _ => continue,
        };
        files.push((shown, pieces));
    }
    files
}

#[test]
fn rejected_expressions_do_not_occur() {
    let files = files();
    let mut wrong = Vec::new();
    for rule in RULES {
        let pattern = Regex::new(&format!("(?i){}", rule.pattern)).unwrap();
        let pattern = match rule.scope {
            Scope::Lines => Regex::new(rule.pattern).unwrap(),
            _ => pattern,
        };
        let allowed = (!rule.allowed.is_empty())
            .then(|| Regex::new(&format!("(?i){}", rule.allowed)).unwrap());
        for (path, pieces) in &files {
            for piece in pieces {
                let is_wanted = match rule.scope {
                    Scope::All => piece.kind != Scope::Lines,
                    scope => piece.kind == scope,
                };
                let names_test = !rule.pattern.starts_with(TEST_NAME) || path.starts_with("tests/");
                if !is_wanted || !names_test {
                    continue;
                }
                let text = allowed
                    .as_ref()
                    .map_or(piece.text.as_str().into(), |allowed| {
                        allowed.replace_all(&piece.text, " ")
                    });
                for found in pattern.find_iter(&text) {
                    wrong.push(format!("{path}:{}: {}", piece.line, found.as_str()));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "CONTRIBUTING.md says what to write instead:\n{}",
        wrong.join("\n")
    );
}

fn is_rust(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "rs")
}

#[test]
fn few_lines_are_excused() {
    let sources = files().into_iter().filter(|(path, ..)| is_rust(path));
    let excused = sources.flat_map(|(path, ..)| {
        let lines = text(home(&path));
        lines
            .matches(EXCUSED)
            .map(|_| path.clone())
            .collect::<Vec<_>>()
    });
    let excused: Vec<_> = excused.collect();
    assert!(excused.len() <= 20, "{excused:#?}");
}

#[test]
fn commands_are_described_in_one_short_line() {
    for (name, command) in commands() {
        let about = command.get_about().map(ToString::to_string);
        let about = about.unwrap_or_default();
        assert!(about.chars().count() <= 60, "{name}: {about}");
        assert!(about.starts_with(char::is_uppercase), "{name}: {about}");
        assert!(!about.ends_with('.'), "{name}: {about}");
    }
}

/// Titles start lower case and have no period; help does not start with a word that refers to something else.
#[test]
fn findings_have_the_form_of_findings() {
    let title = Regex::new(
        r#"Diagnostic::(?:error|warning)\(\s*Code::\w+,\s*(?:format!\(\s*)?"((?:\\.|[^"\\])*)""#,
    )
    .unwrap();
    let help = Regex::new(r#"\.help\(\s*(?:format!\(\s*)?"((?:\\.|[^"\\])*)""#).unwrap();
    let reference = Regex::new("^(the|this|it|there) ").unwrap();
    let mut wrong = Vec::new();
    for path in walk(&home("crates")).into_iter().chain(walk(&home("src"))) {
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = text(&path);
        for found in title.captures_iter(&source) {
            let title = &found[1];
            if title.starts_with(char::is_uppercase) || title.ends_with('.') {
                wrong.push(format!("{}: title {title:?}", path.display()));
            }
        }
        for found in help.captures_iter(&source) {
            if reference.is_match(&found[1]) {
                wrong.push(format!("{}: help {:?}", path.display(), &found[1]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Comments with their continuation lines, and strings, each with the line where it starts.
fn texts(pieces: &[Piece]) -> Vec<(usize, String)> {
    let continued = Regex::new(r"\\\n\s*").unwrap();
    let mut texts: Vec<(usize, String)> = Vec::new();
    let mut last = 0;
    for piece in pieces.iter().filter(|piece| piece.kind != Scope::Lines) {
        let comment = piece
            .text
            .strip_prefix("//")
            .map(|it| it.trim_start_matches(['/', '!']));
        match (comment, texts.last_mut()) {
            (Some(comment), Some((_, text))) if last + 1 == piece.line => {
                let is_text = !matches!(comment.trim().chars().next(), None | Some('#' | '`'));
                text.push_str(if is_text { comment } else { ". " });
            }
            (Some(comment), _) => texts.push((piece.line, comment.to_owned())),
            (None, _) => texts.push((
                piece.line,
                continued.replace_all(&piece.text, "").into_owned(),
            )),
        }
        last = if comment.is_some() { piece.line } else { 0 };
    }
    texts
}

#[test]
fn sentences_of_the_program_are_short() {
    let end = Regex::new(r"[.:;?!]\s|\.$|\n|\|").unwrap();
    let mut long = Vec::new();
    for (path, pieces) in files().iter().filter(|(path, ..)| is_rust(path)) {
        for (line, text) in texts(pieces) {
            let words = end
                .split(&text)
                .map(|sentence| sentence.split_whitespace().count());
            if words.max().unwrap_or_default() > 25 {
                long.push(format!("{path}:{line}"));
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}
