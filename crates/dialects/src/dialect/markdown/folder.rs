//! Reads folders of states and their companion files.

use std::path::{Path, PathBuf};

use super::draft::{Base, SetShape, StateSet};
use super::plain::every_quoted;
use super::{front, schemas, state_file};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, SourceMap};
use fsmsim_syntax::document::{
    DEFINITION_LIMIT, Markdown, Node, parse_markdown, read_file, read_yaml, unreadable,
};

/// The files and folders next to a folder `states` that belong to the same model.
const BESIDE_STATES: [&str; 4] = ["instructions", "schemas", "knowledge", "contract.yaml"];

/// The files and folders outside of a folder of states that belong to the same model.
pub(in crate::dialect) fn companions(path: &Path) -> Vec<PathBuf> {
    let beside = if path.ends_with("states") {
        &BESIDE_STATES[..]
    } else {
        &[]
    };
    beside
        .iter()
        .map(|name| path.with_file_name(name))
        .collect()
}

/// Whether a folder contains a separate folder for states.
pub(in crate::dialect) fn has_states_folder(folder: &Path) -> bool {
    folder.join("states").is_dir()
}

/// Whether a file is a Markdown document.
pub(in crate::dialect) fn is_document(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("md") || end.eq_ignore_ascii_case("markdown"))
}

/// The file of a document, and the heading of the section that is the model: `FILE.md#Heading`.
pub(in crate::dialect) fn file_and_section(path: &Path) -> (&Path, Option<&str>) {
    let text = path.to_str().unwrap_or_default();
    let split = |(at, _): (usize, &str)| {
        let (file, heading) = text.split_at_checked(at)?;
        let heading = heading.get(1..)?.trim();
        let is_section = !heading.is_empty() && is_document(Path::new(file));
        is_section.then_some((Path::new(file), Some(heading)))
    };
    let found = text.match_indices('#').find_map(split);
    found.unwrap_or((path, None))
}

/// The location of the states in a folder, and the folder of the model.
#[derive(Debug)]
pub(super) struct SetLayout {
    /// The folder with one file per state.
    states: PathBuf,
    /// The folder with `instructions/` and `schemas/`.
    home: PathBuf,
    /// Whether the folder has the name `states`. Then every file in the folder must be a state.
    is_explicit: bool,
}

impl SetLayout {
    /// Finds the states: in `states/` inside the folder, or in the folder itself.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let inner = folder.join("states");
        if holds_markdown(&inner) {
            return Some(Self {
                states: inner,
                home: folder.to_path_buf(),
                is_explicit: true,
            });
        }
        if !holds_markdown(folder) {
            return None;
        }
        let is_explicit = name_of(folder).is_some_and(|name| name == "states");
        let home = match folder.parent() {
            _ if !is_explicit => folder.to_path_buf(),
            Some(home) if folder.file_name().is_some() => home.to_path_buf(),
            _ => folder.join(".."),
        };
        Some(Self {
            states: folder.to_path_buf(),
            home,
            is_explicit,
        })
    }

    /// Reads all files. Returns `None`, with findings, if there is no state.
    pub(super) fn read(
        &self,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<StateSet> {
        let mut states = Vec::new();
        let mut has_state = self.is_explicit;
        for path in files(&self.states, "md", found) {
            if is_readme(&path) {
                continue;
            }
            let Some((file, markdown, text)) = read_markdown(&path, sources, found) else {
                continue;
            };
            has_state = has_state || state_file::looks_like_state(&markdown);
            states.push(state_file::read(
                file,
                &stem(&path),
                &markdown,
                &text,
                found,
            ));
        }
        if !has_state && !found.has_errors() {
            let shown = self.states.display().to_string();
            let title = format!("cannot find a state in the Markdown files of `{shown}`");
            return Diagnostic::error(Code::UnknownModel, title)
                .about(shown)
                .help("add the heading `# State: NAME` (`# Состояние: NAME`) or a section with transitions")
                .refuse(found);
        }
        let base = self.base(sources, found);
        let name = name_of(&self.home).unwrap_or_default();
        let contract = self.contract(sources, found);
        Some(StateSet {
            name,
            shape: SetShape::Folder,
            base,
            states,
            contract,
        })
    }

    /// The contract of the set, if it has one.
    fn contract(&self, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<Node> {
        let path = Some(self.home.join("contract.yaml")).filter(|path| path.is_file())?;
        read_yaml(&path, DEFINITION_LIMIT, sources, found).filter(|node| !node.is_null())
    }

    /// The base layer and the schemas.
    fn base(&self, sources: &mut SourceMap, found: &mut Diagnostics) -> Base {
        let mut base = Base::default();
        let mut texts = Vec::new();
        let mut instructions = files(&self.home.join("instructions"), "md", found);
        // The sort is stable: the other files remain sorted by name.
        instructions.sort_by_key(|path| !is_system(path));
        for path in instructions {
            let Some((_, markdown, text)) = read_markdown(&path, sources, found) else {
                continue;
            };
            match &markdown.front {
                Some(node) if is_system(&path) => front::of_system(node, &mut base, found),
                Some(node) => front::of_other(node, found),
                None => {}
            }
            let blocks = markdown.sections.iter().flat_map(|section| &section.blocks);
            blocks.for_each(|block| every_quoted(block, &mut base.quoted));
            texts.push(
                text.get(markdown.body..)
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            );
        }
        base.text = texts.join("\n\n");
        for path in files(&self.home.join("schemas"), "json", found) {
            let Some(file) = read_file(&path, DEFINITION_LIMIT, sources, found) else {
                continue;
            };
            let text = sources
                .file(file)
                .map(|file| file.text().clone())
                .unwrap_or_default();
            if let Some(schema) = schemas::read(&stem(&path), file, &text, found) {
                base.schemas.push(schema);
            }
        }
        base
    }
}

/// The name of the folder, even if its path is `.`.
fn name_of(folder: &Path) -> Option<String> {
    Some(
        folder
            .file_name()
            .map(ToOwned::to_owned)
            .or_else(|| Some(std::fs::canonicalize(folder).ok()?.file_name()?.to_owned()))?
            .to_string_lossy()
            .into_owned(),
    )
}

fn holds_markdown(folder: &Path) -> bool {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .any(|path| is_file_of(&path, "md") && !is_readme(&path))
}

/// The files directly in a folder with this extension, sorted by name. A missing folder counts as empty.
fn files(folder: &Path, extension: &str, found: &mut Diagnostics) -> Vec<PathBuf> {
    let mut files = Vec::new();
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                match entry {
                    Ok(entry) => {
                        files.extend(Some(entry.path()).filter(|path| is_file_of(path, extension)));
                    }
                    Err(error) => found.push(unreadable(folder, &error)),
                }
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => found.push(unreadable(folder, &error)),
    }
    files.sort();
    files
}

/// Whether the path has this extension and is not hidden, like the backup files of editors. A broken link counts, so
/// that it is reported.
fn is_file_of(path: &Path, extension: &str) -> bool {
    let has_extension = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case(extension));
    let hidden = path
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with('.'));
    has_extension && !hidden && !path.is_dir()
}

/// A README describes the folder and is not a state.
fn is_readme(path: &Path) -> bool {
    path.file_stem()
        .is_some_and(|stem| stem.eq_ignore_ascii_case("readme"))
}

fn is_system(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "system")
}

pub(super) fn stem(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Reads and parses a Markdown file.
pub(super) fn read_markdown(
    path: &Path,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<(FileId, Markdown, std::sync::Arc<str>)> {
    let file = read_file(path, DEFINITION_LIMIT, sources, found)?;
    let text = sources.file(file)?.text().clone();
    let markdown = parse_markdown(file, &text, found);
    Some((file, markdown, text))
}
