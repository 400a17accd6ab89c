//! Files of one folder must not import each other in a cycle: then they can be read one after the other, the lowest first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;

use crate::support::{home, text, walk};

/// A comment, a string, a word or a symbol that matters in `use`.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r##"(?s)//[^\n]*|r#".*?"#|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'|\w+|::|[{},;*]"##;
    Regex::new(pattern).unwrap()
});

/// A path through modules: `crates/core/src`, `engine`, `read`. The first part is the root of a crate.
type ModulePath = Vec<String>;

/// The imports of a source file.
#[derive(Default)]
struct SourceModule {
    file: String,
    /// The names that `use` brings into the module, with their paths.
    imports: BTreeMap<String, Vec<String>>,
    /// The paths into the same crate that the code contains.
    used: Vec<Vec<String>>,
}

/// The modules of all crates.
#[derive(Default)]
struct Modules(BTreeMap<ModulePath, SourceModule>);

/// The imports between the files and subfolders of one folder, each with an example.
type FolderImports = BTreeMap<String, BTreeMap<String, String>>;

impl SourceModule {
    /// Reads the code above the unit tests.
    fn read(file: &str, text: &str) -> Self {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let tokens: Vec<&str> = TOKEN
            .find_iter(code)
            .map(|found| found.as_str())
            .filter(|token| !token.starts_with(['/', '"', '\'']))
            .collect();
        let mut module = Self {
            file: file.to_owned(),
            ..Self::default()
        };
        let mut rest = tokens.as_slice();
        while let [first, after @ ..] = rest {
            let is_path = matches!(*first, "crate" | "super" | "self");
            rest = match *first {
                "use" => module.read_use(after, &[]),
                _ if is_path && after.first() == Some(&"::") => module.read_path(rest),
                _ => after,
            };
        }
        module
    }

    /// Reads a path in an expression or a type. Returns the tokens after it.
    fn read_path<'t, 'c>(&mut self, tokens: &'t [&'c str]) -> &'t [&'c str] {
        let mut path = vec![tokens[0].to_owned()];
        let mut rest = &tokens[1..];
        while let ["::", name, after @ ..] = rest {
            if !is_name(name) {
                break;
            }
            path.push((*name).to_owned());
            rest = after;
        }
        self.used.push(path);
        rest
    }

    /// Reads what follows `use`, or one item in its braces. Returns the tokens after it.
    fn read_use<'t, 'c>(&mut self, tokens: &'t [&'c str], prefix: &[String]) -> &'t [&'c str] {
        let mut path = prefix.to_vec();
        let mut rest = tokens;
        while let [name, after @ ..] = rest {
            rest = after;
            match *name {
                "::" => continue,
                "{" => {
                    while !matches!(rest, [] | ["}", ..]) {
                        rest = self.read_use(rest, &path);
                        rest = rest.strip_prefix(&[","]).unwrap_or(rest);
                    }
                    return rest.get(1..).unwrap_or_default();
                }
                "self" if !path.is_empty() => {}
                name if is_name(name) => path.push(name.to_owned()),
                _ => return rest,
            }
            if rest.first() != Some(&"::") {
                break;
            }
        }
        let mut name = path.last().cloned().unwrap_or_default();
        if let ["as", alias, after @ ..] = rest {
            (name, rest) = ((*alias).to_owned(), after);
        }
        if matches!(
            path.first().map(String::as_str),
            Some("crate" | "super" | "self")
        ) {
            self.used.push(path.clone());
        }
        self.imports.insert(name, path);
        rest
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

impl Modules {
    /// The modules of files with their texts; paths are from the top of the repository.
    fn read(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut modules = Self::default();
        for (file, text) in files {
            let (root, inner) = file.split_once("src/").unwrap();
            let inner = inner.strip_suffix(".rs").unwrap().split('/');
            let names = inner.filter(|name| !matches!(*name, "mod" | "lib"));
            let path = std::iter::once(format!("{root}src")).chain(names.map(str::to_owned));
            let path: ModulePath = path.collect();
            for length in 1..path.len() {
                modules.0.entry(path[..length].to_vec()).or_default();
            }
            modules.0.insert(path, SourceModule::read(&file, &text));
        }
        modules
    }

    /// The module that defines the item at a path, or `None` if it is in another crate. Follows imported names to their
    /// definition, so that `super::Name` finds the file from which `mod.rs` exports it.
    fn defining(&self, from: &ModulePath, path: &[String]) -> Option<ModulePath> {
        let mut module = from.clone();
        let mut names = path;
        while let [name, rest @ ..] = names {
            match name.as_str() {
                "crate" => module.truncate(1),
                "self" => {}
                "super" => drop(module.pop()),
                name => {
                    module.push(name.to_owned());
                    if !self.0.contains_key(&module) {
                        module.pop();
                        let import = self.0.get(&module)?.imports.get(name);
                        return match import {
                            Some(import) if *import != path => {
                                self.defining(&module, &[import, rest].concat())
                            }
                            _ if names.len() == path.len() => None,
                            _ => Some(module),
                        };
                    }
                }
            }
            names = rest;
        }
        Some(module)
    }

    /// The imports of each folder. `mod.rs` is the folder itself; a subfolder counts as one file.
    fn folder_imports(&self) -> BTreeMap<ModulePath, FolderImports> {
        let mut folders: BTreeMap<ModulePath, FolderImports> = BTreeMap::new();
        for (importer, module) in &self.0 {
            for path in &module.used {
                let Some(imported) = self.defining(importer, path) else {
                    continue;
                };
                let common = importer.iter().zip(&imported);
                let common = common.take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (importer.get(common), imported.get(common)) {
                    let folder = folders.entry(importer[..common].to_vec()).or_default();
                    let example = format!("{} uses {}", module.file, path.join("::"));
                    let imports = folder.entry(from.clone()).or_default();
                    imports.entry(to.clone()).or_insert(example);
                }
            }
        }
        folders
    }
}

/// A cycle among imports, one line per import, or `None`.
fn cycle(mut imports: FolderImports) -> Option<String> {
    // A file that imports no remaining file is not part of a cycle.
    while let Some(free) = imports
        .iter()
        .find(|(_, to)| !to.keys().any(|to| imports.contains_key(to)))
    {
        let free = free.0.clone();
        imports.remove(&free);
    }
    // Each remaining file imports another one, so a walk from any of them returns to a visited file.
    let next = |file: &String| {
        imports[file]
            .iter()
            .find(|(to, _)| imports.contains_key(*to))
    };
    let mut walk = vec![imports.keys().next()?];
    let start = loop {
        let (to, _) = next(walk[walk.len() - 1])?;
        match walk.iter().position(|passed| *passed == to) {
            Some(start) => break start,
            None => walk.push(to),
        }
    };
    let mut lines = String::new();
    for file in &walk[start..] {
        let (to, example) = next(file)?;
        let _ = writeln!(lines, "    {file} -> {to}: {example}");
    }
    Some(lines)
}

/// The cycles of all folders, at most one per folder.
fn cycles(folders: BTreeMap<ModulePath, FolderImports>) -> Vec<String> {
    let cycles = folders.into_iter().filter_map(|(folder, imports)| {
        cycle(imports).map(|lines| format!("{}:\n{lines}", folder.join("/")))
    });
    cycles.collect()
}

#[test]
fn files_of_a_folder_form_no_import_cycle() {
    let top = home("");
    let crates = std::fs::read_dir(home("crates")).unwrap();
    let crates = crates.map(|folder| folder.unwrap().path().join("src"));
    let files: BTreeSet<PathBuf> = crates
        .chain([home("src")])
        .flat_map(|src| walk(&src))
        .collect();
    let sources = files
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "rs"))
        .filter(|file| !file.ends_with("src/main.rs"))
        .map(|file| {
            let from_top = file.strip_prefix(&top).unwrap().to_str().unwrap();
            (from_top.replace('\\', "/"), text(file))
        });
    let folders = Modules::read(sources).folder_imports();
    let imports = folders.values().flat_map(BTreeMap::values);
    let count: usize = imports.map(BTreeMap::len).sum();
    assert!(count > 1500, "only {count} imports are recognized");
    let cycles = cycles(folders);
    assert!(
        cycles.is_empty(),
        "files of a folder import each other in a cycle:\n{}\
         To break a cycle, remove one of its imports: move the imported item to the importing file, to a file below both, or \
         to a new file. An `impl` block may be in the file of what it uses instead of the file of its type.",
        cycles.concat()
    );
}

#[test]
fn cycle_through_an_exported_name_is_found() {
    let file = |name: &str, text: &str| (format!("crates/a/src/{name}.rs"), text.to_owned());
    let two = "use super::{four, one::{self, One as First}};\n#[cfg(test)]\nmod tests { use super::three::Three; }";
    let modules = Modules::read([
        file(
            "x/mod",
            "mod one;\nmod two;\npub use two::{Three as _, Two};",
        ),
        file(
            "x/one",
            "// super::four::Four\nfn f() -> super::Two { \"super::four\" }",
        ),
        file("x/two", two),
        file("x/three", "use crate::x::{two::Two, Missing};"),
        file("x/four/mod", "mod inner;"),
        file("x/four/inner", "use super::super::Two as Other;"),
    ]);
    let folders = modules.folder_imports();
    let folder = &folders[&vec!["crates/a/src".to_owned(), "x".to_owned()]];
    let arrows: Vec<String> = folder
        .iter()
        .flat_map(|(from, to)| to.keys().map(move |to| format!("{from} -> {to}")))
        .collect();
    let expected = [
        "four -> two",
        "one -> two",
        "three -> two",
        "two -> four",
        "two -> one",
    ];
    assert_eq!(arrows, expected);
    let [cycle] = cycles(folders).try_into().unwrap();
    let lines: Vec<&str> = cycle.lines().collect();
    assert_eq!(
        lines,
        [
            "crates/a/src/x:",
            "    four -> two: crates/a/src/x/four/inner.rs uses super::super::Two",
            "    two -> four: crates/a/src/x/two.rs uses super::four",
        ]
    );
}
