//! Texts that questions are built on: sections of markdown files beside the interview.

use std::path::{Component, Path};

use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use crate::document::{DEFINITION_LIMIT, read_file};
use crate::engine::policy::agenda::KnowledgeSection;

/// Reads the sections of the files that an interview names. One that is not there is told; the interview works without.
pub(super) fn read(
    interview: &Path,
    files: &[(&str, Span)],
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Vec<KnowledgeSection> {
    let folder = interview.parent().unwrap_or(Path::new(""));
    let mut sections = Vec::new();
    for (name, span) in files {
        let is_inside =
            Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            Diagnostic::error(Code::BadPoint, format!("`{name}` does not lie beside the interview"))
                .at(*span, "another folder")
                .help("name a file in the folder of the interview, or in a folder inside it")
                .add_to(found);
            continue;
        }
        let mut unread = Diagnostics::default();
        let Some(file) = read_file(&folder.join(name), DEFINITION_LIMIT, sources, &mut unread) else {
            Diagnostic::warning(
                Code::FileUnreadable,
                format!("`{name}` cannot be read: questions are built without it"),
            )
            .at(*span, "no such text")
            .help("put the file beside the interview, or take its name out")
            .add_to(found);
            continue;
        };
        sections.extend(sources.file(file).into_iter().flat_map(|file| sections_of(file.text())));
    }
    sections
}

/// The sections of a markdown text, each under its heading; what stands before the first has none.
fn sections_of(text: &str) -> Vec<KnowledgeSection> {
    let mut sections: Vec<(String, String)> = vec![(String::new(), String::new())];
    for line in text.lines() {
        match line.trim_start().strip_prefix('#') {
            Some(heading) => sections.push((heading.trim_start_matches('#').trim().to_owned(), String::new())),
            None => {
                if let Some((_, text)) = sections.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    let sections = sections.into_iter().filter(|(_, text)| !text.trim().is_empty());
    sections.map(|(title, text)| KnowledgeSection { title: title.into(), text: text.trim().into() }).collect()
}
