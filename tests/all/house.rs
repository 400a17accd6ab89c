//! The rules of the house, held against its source text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::walk;

/// The rooms: name, floor, and the rooms of the same floor that it may use. A room uses every floor below its own.
const ROOMS: [(&str, u32, &[&str]); 23] = [
    ("diagnostic", 1, &[]),
    ("document", 2, &[]),
    ("machine", 3, &[]),
    ("engine", 4, &[]),
    ("dialect", 4, &["engine"]),
    ("world", 4, &[]),
    ("trace", 5, &[]),
    ("llm", 5, &[]),
    ("project", 6, &[]),
    ("script", 6, &["project"]),
    ("runtime", 6, &["script"]),
    ("snapshot", 7, &[]),
    ("scenario", 7, &["snapshot"]),
    ("lint", 8, &[]),
    ("coverage", 8, &[]),
    ("simulate", 8, &[]),
    ("diff", 8, &[]),
    ("verify", 8, &["lint"]),
    ("report", 9, &[]),
    ("repl", 10, &[]),
    ("mcp", 10, &[]),
    ("cli", 10, &["repl", "mcp"]),
    ("lib", 11, &[]),
];

/// Lines of a file past which a second type hides in it.
const LONGEST: usize = 600;

struct Source {
    path: PathBuf,
    room: String,
    text: String,
}

impl Source {
    /// The text without its tests, which stand last in a file or make up all of it.
    fn code(&self) -> &str {
        self.text.split("cfg(test)]").next().unwrap_or_default()
    }
}

fn sources() -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources: Vec<Source> = walk(&folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let inner = path.strip_prefix(&folder).unwrap().to_path_buf();
            let room = inner.components().next().unwrap().as_os_str().to_string_lossy();
            Source {
                room: room.trim_end_matches(".rs").to_owned(),
                text: std::fs::read_to_string(&path).unwrap(),
                path: inner,
            }
        })
        .collect();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// The rooms that a text names behind `crate::`, each with its line.
fn used(text: &str) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            // `use crate::{a::X, b::Y}` would hide its rooms.
            assert!(!name.is_empty(), "line {}: name the room right behind `crate::`: {line}", number + 1);
            used.push((number + 1, name));
        }
    }
    used
}

#[test]
fn a_room_uses_only_the_floors_below_it() {
    let table: BTreeMap<&str, (u32, &[&str])> =
        ROOMS.into_iter().map(|(name, floor, beside)| (name, (floor, beside))).collect();
    let mut wrong = Vec::new();
    let mut paths = 0;
    for source in sources() {
        if ["lib", "main"].contains(&&*source.room) {
            continue;
        }
        let (floor, beside) = *table
            .get(&*source.room)
            .unwrap_or_else(|| panic!("`{}` has no floor: add it to the table", source.room));
        for (line, other) in used(&source.text) {
            paths += 1;
            let Some((below, _)) = table.get(&*other) else {
                wrong.push(format!("{}:{line} names `{other}`, which is no room", source.path.display()));
                continue;
            };
            if other != source.room && *below >= floor && !beside.contains(&&*other) {
                wrong.push(format!("{}:{line} uses `{other}`", source.path.display()));
            }
        }
    }
    assert!(paths > 100, "the scan found only {paths} paths: it no longer sees them");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_dialects_know_dialects() {
    let wrong: Vec<String> = sources()
        .iter()
        .filter(|source| !["dialect", "project", "runtime", "lib"].contains(&&*source.room))
        .filter(|source| source.text.contains("crate::dialect"))
        .map(|source| source.path.display().to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn the_core_is_pure() {
    const OUTSIDE: [&str; 9] = [
        "std::fs",
        "std::io",
        "std::env",
        "std::time",
        "std::net",
        "std::process",
        "std::thread",
        "collections::Hash",
        "rand::",
    ];
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| ["machine", "engine"].contains(&&*source.room)) {
        for (number, line) in source.code().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for word in OUTSIDE.iter().filter(|word| code.contains(**word)) {
                wrong.push(format!("{}:{} uses {word}", source.path.display(), number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sources_and_verbs_never_ask_for_the_name_of_a_profile() {
    let wrong: Vec<String> = sources()
        .iter()
        .filter(|source| {
            let code = source.code();
            code.contains("Profile::Documented") || code.contains("Profile::Reference")
        })
        .map(|source| source.path.display().to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn no_file_hides_a_second_type() {
    let long: Vec<String> = sources()
        .iter()
        .map(|source| (source.path.display().to_string(), source.text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST)
        .map(|(path, lines)| format!("{path}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}
