//! The layers of the code, checked against its source text. The table of crates and modules is in
//! `docs/src/contributing/architecture.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::support::{home, text, walk};

/// The maximum number of lines of a file. A longer file usually contains a second type.
const MAX_LINES: usize = 750;
/// Half of all files must be shorter.
const MAX_MEDIAN_LINES: usize = 140;

/// A module, as described by its row of the table.
struct Module {
    crate_name: String,
    name: String,
    /// The modules of the same crate that it may use.
    may_use: BTreeSet<String>,
}

/// A source file below a module.
struct Source {
    /// The path from the top of the repository.
    path: PathBuf,
    crate_name: String,
    module: String,
    text: String,
}

impl Source {
    /// The text above the unit tests, which are at the end of a file or in a separate file.
    fn code(&self) -> &str {
        self.text.split("cfg(test)]").next().unwrap_or_default()
    }

    /// The lines that match a predicate, each with its location.
    fn lines_that(&self, matches: impl Fn(&str) -> bool) -> impl Iterator<Item = String> {
        let lines = self
            .code()
            .lines()
            .enumerate()
            .filter(move |(_, line)| matches(line));
        lines.map(|(number, line)| {
            format!("{}:{}: {}", self.path.display(), number + 1, line.trim())
        })
    }

    /// The other modules of the same crate that the file names after `crate::`, each with its line.
    fn used_modules(&self) -> Vec<(usize, String)> {
        let mut used = Vec::new();
        for (number, line) in self.text.lines().enumerate() {
            for (at, _) in line.match_indices("crate::") {
                let name = word(&line[at + "crate::".len()..]);
                // `use crate::{a::X, b::Y}` would hide its modules from this test.
                assert!(
                    !name.is_empty(),
                    "{}:{}: name one module directly after `crate::`",
                    self.path.display(),
                    number + 1
                );
                // The limits of a crate apply to all of its modules.
                if name != self.module && name != "limits" {
                    used.push((number + 1, name.to_owned()));
                }
            }
        }
        used
    }
}

/// The word at the start of a text.
fn word(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    &text[..end]
}

/// The modules of the table, lowest crate first.
fn modules() -> Vec<Module> {
    let page = text("docs/src/contributing/architecture.md");
    let rows = page
        .lines()
        .skip_while(|line| !line.starts_with("| crate | module |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let names = |cell: &str| -> Vec<String> {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let one = |cell: &str| {
            <[String; 1]>::try_from(names(cell))
                .expect("expected one name in each of the first two cells")
        };
        let ([crate_name], [name]) = (one(cells[0]), one(cells[1]));
        let may_use = names(cells[3]).into_iter().collect();
        Module {
            crate_name,
            name,
            may_use,
        }
    })
    .collect()
}

/// The folder of a crate's sources, by the name of the crate in the table.
fn source_folder(crate_name: &str) -> PathBuf {
    match crate_name {
        "fsmsim" => home("src"),
        name => home("crates").join(name).join("src"),
    }
}

/// All source files of all crates, sorted by path. Files next to `lib.rs` have no module name.
fn sources() -> Vec<Source> {
    let crates: BTreeSet<String> = modules().into_iter().map(|it| it.crate_name).collect();
    let mut sources = Vec::new();
    for crate_name in crates {
        let folder = source_folder(&crate_name);
        for path in walk(&folder) {
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let inner = path.strip_prefix(&folder).unwrap().to_path_buf();
            let module = match inner.components().count() {
                1 => String::new(),
                _ => inner.iter().next().unwrap().to_string_lossy().into_owned(),
            };
            sources.push(Source {
                text: text(&path),
                path: path.strip_prefix(home("")).unwrap_or(&path).to_path_buf(),
                crate_name: crate_name.clone(),
                module,
            });
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// The source files of modules, without `lib.rs` and the files next to it.
fn module_sources() -> impl Iterator<Item = Source> {
    sources()
        .into_iter()
        .filter(|source| !source.module.is_empty())
}

/// Fails with the list of violations, one per line.
#[track_caller]
fn assert_none(violations: impl IntoIterator<Item = String>) {
    let violations: Vec<String> = violations.into_iter().collect();
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[test]
fn table_lists_every_module_of_every_crate() {
    let listed: BTreeSet<(String, String)> = modules()
        .into_iter()
        .map(|it| (it.crate_name, it.name))
        .collect();
    let found: BTreeSet<(String, String)> = module_sources()
        .map(|source| (source.crate_name, source.module))
        .collect();
    assert_eq!(listed, found);
    let folders = std::fs::read_dir(home("crates")).unwrap();
    let crates: BTreeSet<String> = folders
        .map(|folder| folder.unwrap().file_name().into_string().unwrap())
        .chain(["fsmsim".to_owned()])
        .collect();
    let listed: BTreeSet<String> = listed.into_iter().map(|(name, _)| name).collect();
    assert_eq!(listed, crates, "crates of the table, folders of crates/");
}

#[test]
fn crates_depend_only_on_crates_above_them_in_the_table() {
    let mut order: Vec<String> = modules().into_iter().map(|it| it.crate_name).collect();
    order.dedup();
    let mut checked = 0;
    let mut violations = Vec::new();
    for (position, crate_name) in order.iter().enumerate() {
        let manifest = match crate_name.as_str() {
            "fsmsim" => home("Cargo.toml"),
            name => home("crates").join(name).join("Cargo.toml"),
        };
        let manifest: toml::Table = text(&manifest).parse().unwrap();
        for (name, _) in manifest["dependencies"].as_table().unwrap() {
            let Some(used) = name.strip_prefix("fsmsim-") else {
                continue;
            };
            checked += 1;
            if !order[..position].iter().any(|lower| lower == used) {
                violations.push(format!(
                    "`{crate_name}` depends on `{used}`, which is not below it"
                ));
            }
        }
    }
    assert!(checked > 20, "only {checked} dependencies were found");
    assert_none(violations);
}

#[test]
fn modules_use_only_the_modules_that_the_table_allows() {
    let modules: BTreeMap<(String, String), Module> = modules()
        .into_iter()
        .map(|it| ((it.crate_name.clone(), it.name.clone()), it))
        .collect();
    let (mut violations, mut uses) = (Vec::new(), BTreeSet::new());
    for source in module_sources() {
        let key = (source.crate_name.clone(), source.module.clone());
        for (line, used) in source.used_modules() {
            if !modules[&key].may_use.contains(&used) {
                violations.push(format!("{}:{line} uses `{used}`", source.path.display()));
            }
            uses.insert((key.clone(), used));
        }
    }
    for (key, module) in &modules {
        for allowed in &module.may_use {
            if !uses.contains(&(key.clone(), allowed.clone())) {
                violations.push(format!("`{}` does not use `{allowed}`: remove it", key.1));
            }
        }
    }
    assert_none(violations);
}

#[test]
fn modules_of_a_crate_form_no_cycle() {
    let mut arrows: BTreeMap<(String, String), BTreeSet<(String, String)>> = BTreeMap::new();
    for module in modules() {
        let to = module.may_use.iter();
        let to = to.map(|name| (module.crate_name.clone(), name.clone()));
        arrows.insert(
            (module.crate_name.clone(), module.name.clone()),
            to.collect(),
        );
    }
    // A module without arrows to remaining modules is not part of a cycle.
    while let Some(free) = arrows
        .iter()
        .find(|(_, to)| !to.iter().any(|to| arrows.contains_key(to)))
    {
        let free = free.0.clone();
        arrows.remove(&free);
    }
    assert!(arrows.is_empty(), "a cycle among {arrows:?}");
}

#[test]
fn only_dialects_and_the_runtime_know_dialects() {
    let knowing = module_sources()
        .filter(|source| !["dialects", "runtime"].contains(&&*source.crate_name))
        .filter(|source| source.text.contains("::dialect::"));
    assert_none(knowing.map(|source| source.path.display().to_string()));
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
    let core: Vec<Source> = module_sources()
        .filter(|source| ["machine", "engine"].contains(&&*source.module))
        .collect();
    assert_none(core.iter().flat_map(|source| {
        source.lines_that(|line| {
            let statement = line.split("//").next().unwrap_or_default();
            OUTSIDE.iter().any(|word| statement.contains(word))
        })
    }));
}

#[test]
fn code_never_tests_for_a_profile_by_name() {
    let names_a_profile =
        |line: &str| line.contains("Profile::Documented") || line.contains("Profile::Reference");
    assert_none(
        sources()
            .iter()
            .flat_map(|source| source.lines_that(names_a_profile)),
    );
}

/// A policy is named only in its folder, in the list of policies and in the dialects that build it. Other code calls hooks.
#[test]
fn common_code_never_names_a_policy() {
    const POLICIES: [&str; 5] = ["sales", "instructions", "contract", "agenda", "cycle"];
    let named = |line: &str| {
        POLICIES.iter().any(|name| {
            let pattern = [format!("policy::{name}::"), format!("policies.{name}")];
            pattern.iter().any(|pattern| line.contains(pattern))
                || *name != "cycle" && line.contains(&format!(".{name}()"))
        })
    };
    let common: Vec<Source> = module_sources()
        .filter(|source| source.crate_name != "dialects")
        .filter(|source| !source.path.starts_with("crates/core/src/engine/policy"))
        .filter(|source| !source.path.ends_with("core/src/engine/mod.rs"))
        .collect();
    assert_none(common.iter().flat_map(|source| source.lines_that(named)));
}

#[test]
fn type_names_are_unique() {
    let mut files: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    // The facade repeats the names of types that it wraps.
    for source in module_sources() {
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
                files
                    .entry(word(name).to_owned())
                    .or_default()
                    .insert(source.path.clone());
            }
        }
    }
    // The types of a macro are named at its calls.
    files.remove("");
    assert!(files.len() > 300, "only {} types were found", files.len());
    let twice: Vec<_> = files.iter().filter(|(_, paths)| paths.len() > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn comments_refer_to_nothing_outside_the_repository() {
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
    assert_none(
        sources()
            .iter()
            .flat_map(|source| source.lines_that(refers)),
    );
}

#[test]
fn files_are_short() {
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
        median < MAX_MEDIAN_LINES,
        "the median file has {median} lines"
    );
    assert_none(
        lengths
            .into_iter()
            .filter(|(lines, _)| *lines > MAX_LINES)
            .map(|(_, path)| path),
    );
}
