//! The rules of the house, held against its source text. The rooms stand in `docs/architecture.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::support::{home, text, walk};

/// Lines of a file past which a second type hides in it.
const LONGEST: usize = 600;
/// Half of all files are shorter.
const MEDIAN: usize = 120;

/// A room, by the table.
struct Room {
    floor: u32,
    /// The rooms of the same floor that it may use. It uses every floor below its own.
    beside: BTreeSet<String>,
}

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

    /// The lines for which something holds, each with its place.
    fn lines_that(&self, holds: impl Fn(&str) -> bool) -> impl Iterator<Item = String> {
        let lines = self
            .code()
            .lines()
            .enumerate()
            .filter(move |(_, line)| holds(line));
        lines.map(|(number, line)| {
            format!("{}:{}: {}", self.path.display(), number + 1, line.trim())
        })
    }

    /// The rooms that the text names behind `crate::`, each with its line.
    fn used(&self) -> Vec<(usize, String)> {
        let mut used = Vec::new();
        for (number, line) in self.text.lines().enumerate() {
            for (at, _) in line.match_indices("crate::") {
                let name = word(&line[at + "crate::".len()..]);
                // `use crate::{a::X, b::Y}` would hide its rooms.
                assert!(
                    !name.is_empty(),
                    "line {}: name the room right behind `crate::`: {line}",
                    number + 1
                );
                used.push((number + 1, name.to_owned()));
            }
        }
        used
    }
}

/// The word that a text begins with.
fn word(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    &text[..end]
}

/// The rooms of the table.
fn rooms() -> BTreeMap<String, Room> {
    let page = text("docs/architecture.md");
    let lines = page
        .lines()
        .skip_while(|line| !line.starts_with("| floor | room |"))
        .skip(2);
    let rooms = lines.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let names = |cell: &str| -> Vec<String> {
            cell.split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect()
        };
        let [name] = <[String; 1]>::try_from(names(cells[1])).expect("a row is about one room");
        (
            name,
            Room {
                floor: cells[0].parse().unwrap(),
                beside: names(cells[3]).into_iter().collect(),
            },
        )
    });
    rooms.collect()
}

fn sources() -> Vec<Source> {
    let folder = home("src");
    let mut sources: Vec<Source> = walk(&folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let inner = path.strip_prefix(&folder).unwrap().to_path_buf();
            let room = inner
                .components()
                .next()
                .unwrap()
                .as_os_str()
                .to_string_lossy();
            Source {
                room: room.trim_end_matches(".rs").to_owned(),
                text: text(&path),
                path: inner,
            }
        })
        .collect();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// The sources of rooms, without those that only put the rooms together.
fn furnished() -> impl Iterator<Item = Source> {
    sources()
        .into_iter()
        .filter(|source| !["lib", "main"].contains(&&*source.room))
}

/// Nothing is wrong.
#[track_caller]
fn holds(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_lists_the_rooms_that_are_there() {
    let listed: BTreeSet<String> = rooms().into_keys().collect();
    let there: BTreeSet<String> = furnished().map(|source| source.room).collect();
    assert_eq!(listed, there);
}

#[test]
fn a_room_uses_only_the_floors_below_it() {
    let rooms = rooms();
    let (mut wrong, mut paths) = (Vec::new(), 0);
    for source in furnished() {
        let room = &rooms[&source.room];
        for (line, other) in source.used() {
            paths += 1;
            let place = format!("{}:{line}", source.path.display());
            match rooms.get(&other) {
                None => wrong.push(format!("{place} names `{other}`, which is no room")),
                Some(_) if other == source.room || room.beside.contains(&other) => {}
                Some(used) if used.floor >= room.floor => {
                    wrong.push(format!("{place} uses `{other}`"))
                }
                Some(_) => {}
            }
        }
    }
    assert!(
        paths > 100,
        "the scan found only {paths} paths: it no longer sees them"
    );
    holds(wrong);
}

#[test]
fn no_arrow_runs_up_and_no_circle_of_rooms_is_left() {
    let rooms = rooms();
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in furnished() {
        let used = source
            .used()
            .into_iter()
            .map(|(_, other)| other)
            .filter(|other| *other != source.room);
        arrows.entry(source.room.clone()).or_default().extend(used);
    }
    // What the table permits could be no circle either.
    for (name, room) in &rooms {
        arrows
            .entry(name.clone())
            .or_default()
            .extend(room.beside.iter().cloned());
    }
    holds(arrows.iter().flat_map(|(from, to)| {
        let up = to.iter().filter(|to| rooms[*to].floor > rooms[from].floor);
        up.map(move |to| format!("`{from}` uses `{to}`, which is above it"))
    }));
    // Whoever uses nobody that is left can be taken away.
    while let Some(free) = arrows
        .iter()
        .find(|(_, to)| !to.iter().any(|to| arrows.contains_key(to)))
    {
        let free = free.0.clone();
        arrows.remove(&free);
    }
    assert!(arrows.is_empty(), "a circle: {arrows:?}");
}

#[test]
fn only_the_dialects_know_dialects() {
    let knowing = furnished()
        .filter(|source| !["dialect", "project", "runtime"].contains(&&*source.room))
        .filter(|source| source.text.contains("crate::dialect"));
    holds(knowing.map(|source| source.path.display().to_string()));
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
    let core: Vec<Source> = furnished()
        .filter(|source| ["machine", "engine"].contains(&&*source.room))
        .collect();
    holds(core.iter().flat_map(|source| {
        source.lines_that(|line| {
            let statement = line.split("//").next().unwrap_or_default();
            OUTSIDE.iter().any(|word| statement.contains(word))
        })
    }));
}

#[test]
fn sources_and_verbs_never_ask_for_the_name_of_a_profile() {
    let asks =
        |line: &str| line.contains("Profile::Documented") || line.contains("Profile::Reference");
    holds(sources().iter().flat_map(|source| source.lines_that(asks)));
}

/// The files that ask policies by name all the same: what a turns file says of a dialogue's start may be about one.
const NAMES_POLICIES: [&str; 1] = ["runtime/start_reader.rs"];

#[test]
fn nobody_asks_which_policies_there_are() {
    const POLICIES: [&str; 3] = ["sales", "instructions", "contract"];
    let asked = |line: &str, name: &str| {
        line.contains(&format!("policy::{name}")) || line.contains(&format!(".{name}()"))
    };
    let named = |line: &str| POLICIES.iter().any(|name| asked(line, name));
    let looked_at: Vec<Source> = furnished()
        .filter(|source| match &*source.room {
            "machine" | "trace" | "runtime" | "script" => true,
            // The verbs of the turn; policies live below them.
            "engine" => source.path.components().count() == 2,
            _ => false,
        })
        .filter(|source| !NAMES_POLICIES.contains(&source.path.to_str().unwrap()))
        .collect();
    holds(looked_at.iter().flat_map(|source| source.lines_that(named)));
}

#[test]
fn no_type_name_stands_for_two_things() {
    let mut places: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for source in sources() {
        for line in source.code().lines() {
            let line = line.trim_start();
            let item = match line.strip_prefix("pub") {
                Some(rest) if rest.starts_with('(') => {
                    rest.split_once(") ").map_or("", |(_, item)| item)
                }
                Some(rest) => rest.trim_start(),
                None => line,
            };
            if let Some(("struct" | "enum" | "trait", name)) = item.split_once(' ') {
                places
                    .entry(word(name).to_owned())
                    .or_default()
                    .insert(source.path.clone());
            }
        }
    }
    // A macro names its types where it is used.
    places.remove("");
    assert!(
        places.len() > 300,
        "the scan found only {} types: it no longer sees them",
        places.len()
    );
    let twice: Vec<_> = places.iter().filter(|(_, paths)| paths.len() > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn comments_refer_to_nothing_outside_this_repository() {
    let number = |word: &str| {
        word.len() == 3 && word.starts_with("00") && word.bytes().all(|c| c.is_ascii_digit())
    };
    let refers = |line: &str| {
        let Some((_, comment)) = line.split_once("//") else {
            return false;
        };
        let words: Vec<&str> = comment.split(|c: char| !c.is_alphanumeric()).collect();
        let outside = [
            "FLOW ",
            "DESIGN ",
            "NAMES.md",
            "STYLE.md",
            "seed `",
            "running system",
        ];
        outside.iter().any(|outside| comment.contains(outside)) || words.into_iter().any(number)
    };
    holds(
        sources()
            .iter()
            .flat_map(|source| source.lines_that(refers)),
    );
}

#[test]
fn files_are_short_and_none_hides_a_second_type() {
    let mut lengths: Vec<(usize, String)> = sources()
        .iter()
        .map(|source| {
            (
                source.text.lines().count(),
                source.path.display().to_string(),
            )
        })
        .collect();
    lengths.sort();
    let median = lengths[lengths.len() / 2].0;
    assert!(
        median < MEDIAN,
        "half of the files are longer than {median} lines"
    );
    holds(
        lengths
            .into_iter()
            .filter(|(lines, _)| *lines > LONGEST)
            .map(|(_, path)| path),
    );
}
