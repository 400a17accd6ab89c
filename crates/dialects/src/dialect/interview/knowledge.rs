//! General knowledge about the points of an interview: Markdown documents, split at their headings.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::dialect::NamedPaths;
use crate::limits::{MAX_FILES_IN_FOLDER, MAX_SECTIONS};
use fsmsim_core::engine::policy::inquiry::KnowledgeSection;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap};
use fsmsim_syntax::document::{DEFINITION_LIMIT, Node, parse_markdown, read_file, text_of};
use fsmsim_syntax::terminal::Joined;

/// Reads the sections of the knowledge documents, in the listed order. Files in a folder are sorted by name. Unreadable
/// files are reported and omitted. A path outside the project is an error.
pub(super) fn read(
    node: &Node,
    path: &Path,
    named: &dyn NamedPaths,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Vec<KnowledgeSection> {
    let mut knowledge = KnowledgeReading {
        left: DEFINITION_LIMIT,
        ..KnowledgeReading::default()
    };
    for item in node.items() {
        let Some(name) = text_of(item, "a path of `knowledge`", found) else {
            continue;
        };
        let Some(place) = found.take(
            named
                .resolve(name, path)
                .map_err(|finding| finding.at(item.span, "knowledge").into()),
        ) else {
            continue;
        };
        for file in files(&place, path, named, &mut knowledge.unread) {
            knowledge.add(&file, sources);
        }
        for unread in std::mem::take(&mut knowledge.unread) {
            without(&unread).at(item.span, "knowledge").add_to(found);
        }
    }
    if !knowledge.sections.is_empty() && !cfg!(feature = "sqlite") {
        without("this build has no search")
            .at(node.span, "ignored")
            .add_to(found);
        return Vec::new();
    }
    knowledge.sections
}

/// The finding about missing knowledge.
fn without(why: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::NoKnowledge,
        format!("cannot use knowledge for questions: {why}"),
    )
    .help("fix the file, or remove it from `knowledge`")
}

/// The Markdown files at a path: the file itself, or the files in the folder.
fn files(
    place: &Path,
    file: &Path,
    named: &dyn NamedPaths,
    unread: &mut Vec<String>,
) -> Vec<PathBuf> {
    if !place.is_dir() {
        return vec![place.to_path_buf()];
    }
    let mut files = Vec::new();
    for entry in WalkDir::new(place).follow_links(true).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() && is_markdown(entry.path()) => {
                match named.admit(entry.into_path(), file) {
                    Ok(path) => files.push(path),
                    Err(finding) => unread.push(finding.title),
                }
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(place).display();
                let why = if error.loop_ancestor().is_some() {
                    "links to a parent directory"
                } else {
                    "is not readable"
                };
                unread.push(format!("`{path}` {why}"));
            }
        }
        if files.len() > MAX_FILES_IN_FOLDER {
            unread.push(format!(
                "`{}` has too many files: limit {MAX_FILES_IN_FOLDER}",
                place.display()
            ));
            files.truncate(MAX_FILES_IN_FOLDER);
            break;
        }
    }
    files
}

fn is_markdown(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}

/// The sections that were read so far.
#[derive(Default)]
struct KnowledgeReading {
    sections: Vec<KnowledgeSection>,
    /// The number of bytes that can still be read.
    left: u64,
    /// The reasons why files were not read.
    unread: Vec<String>,
}

impl KnowledgeReading {
    /// Reads a document and splits it at its headings.
    fn add(&mut self, path: &Path, sources: &mut SourceMap) {
        let mut wrong = Diagnostics::default();
        let Some(file) = read_file(path, self.left, sources, &mut wrong) else {
            self.unread
                .extend(wrong.items().iter().map(|finding| finding.title.clone()));
            return;
        };
        let Some(text) = sources.file(file).map(|source| source.text().clone()) else {
            return;
        };
        self.left = self.left.saturating_sub(text.len() as u64);
        let mut above: Vec<(u8, String)> = Vec::new();
        for section in parse_markdown(file, &text, &mut Diagnostics::default()).sections {
            let mut start = section.span.start;
            if let Some(heading) = &section.heading {
                above.retain(|(level, _)| *level < section.level);
                above.push((section.level, in_one_line(&heading.text)));
                start = heading.span.end;
            }
            let range = start as usize..section.span.end as usize;
            let body = in_one_line(
                text.get(range)
                    .unwrap_or_default()
                    .trim_start_matches(['#', '=', '-', ' ']),
            );
            if body.is_empty() {
                continue;
            }
            if self.sections.len() >= MAX_SECTIONS {
                self.unread.push(format!(
                    "`{}` exceeds the limit of {MAX_SECTIONS} sections",
                    path.display()
                ));
                return;
            }
            let title: Vec<&str> = above.iter().map(|(_, title)| &**title).collect();
            self.sections.push(KnowledgeSection {
                title: title.join(", ").into(),
                text: body.into(),
            });
        }
    }
}

/// Replaces line breaks by spaces.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().joined(" ")
}
