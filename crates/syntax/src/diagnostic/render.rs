//! Findings as human-readable text: source lines with carets, in the style of the Rust compiler.
//!
//! Only this module uses the rendering library.

use std::fmt::Write;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::diagnostic::{Diagnostic, Label, Severity};
use super::diagnostics::Diagnostics;
use super::source_map::{SourceFile, SourceMap};
use crate::limits::MAX_SNIPPET;
use crate::terminal::{Joined, printable};

/// The number of lines around a label. The renderer hides those that it does not need.
const CONTEXT_LINES: usize = 2;
/// The maximum distance, in lines, of labels that share a snippet.
const TOGETHER: usize = 200;

/// All findings as text, one block each, in the order of the collection.
pub fn render(diagnostics: &Diagnostics, sources: &SourceMap, color: bool) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = String::new();
    for item in diagnostics.items() {
        text.push_str(&render_one(item, sources, &renderer));
        text.push_str("\n\n");
    }
    if diagnostics.dropped() > 0 {
        let _ = writeln!(
            text,
            "{} more findings are not shown\n",
            diagnostics.dropped()
        );
    }
    text
}

fn render_one(item: &Diagnostic, sources: &SourceMap, renderer: &Renderer) -> String {
    let level = match item.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(
        level
            .primary_title(printable(&item.title))
            .id(item.code.as_str()),
    );
    let mut labels = item.labels.as_slice();
    let mut primary = true;
    while let Some(first) = labels.first() {
        let together = labels
            .iter()
            .take_while(|label| near(first, label, sources))
            .count()
            .max(1);
        let (shown, rest) = labels.split_at(together);
        if let Some(file) = sources.file(first.span.file) {
            group = match snippet(file, shown, primary) {
                Some(snippet) => group.element(snippet),
                None => group.element(origin(file, first)),
            };
        }
        primary = false;
        labels = rest;
    }
    if let Some(path) = &item.path {
        group = group.element(Origin::path(printable(path)));
    }
    for note in &item.notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    if let Some(help) = &item.help {
        // A help text can contain lines to copy.
        let help = help.split('\n').map(printable).joined("\n");
        group = group.element(Level::HELP.message(help));
    }
    renderer.render(&[group])
}

/// Whether two labels can share a snippet.
fn near(first: &Label, other: &Label, sources: &SourceMap) -> bool {
    let line = |label: &Label| {
        sources
            .file(label.span.file)
            .map_or(0, |file| file.line_of(label.span.start).0)
    };
    first.span.file == other.span.file && line(first).abs_diff(line(other)) <= TOGETHER
}

/// The location of a label without its lines.
fn origin(file: &SourceFile, label: &Label) -> Origin<'static> {
    let (line, start) = file.line_of(label.span.start);
    let before = file.text().get(start as usize..label.span.start as usize);
    let column = before.map_or(0, |before| before.chars().count()) + 1;
    Origin::path(printable(file.path()))
        .line(line)
        .char_column(column)
}

/// The snippet for the labels in one file; `None` if the lines are too long. The renderer gets only the lines around
/// the labels, so the cost does not depend on the size of the file.
fn snippet<'a>(
    file: &'a SourceFile,
    labels: &'a [Label],
    primary: bool,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let text: &str = file.text();
    let ranges: Vec<(usize, usize)> = labels
        .iter()
        .map(|label| shown_range(text, label))
        .collect();
    let start = ranges.iter().map(|(start, _)| *start).min().unwrap_or(0);
    let end = ranges.iter().map(|(_, end)| *end).max().unwrap_or(0);
    let window_start = line_start_before(text, start, CONTEXT_LINES);
    let window_end = line_end_after(text, end, CONTEXT_LINES);
    if window_end - window_start > MAX_SNIPPET {
        return None;
    }
    let (line, _) = file.line_of(u32::try_from(window_start).unwrap_or(u32::MAX));
    let mut snippet = Snippet::source(text.get(window_start..window_end).unwrap_or_default())
        .path(printable(file.path()))
        .line_start(line);
    for (number, (label, (start, end))) in labels.iter().zip(ranges).enumerate() {
        let kind = if primary && number == 0 {
            AnnotationKind::Primary
        } else {
            AnnotationKind::Context
        };
        let annotation = kind.span(start - window_start..end - window_start);
        snippet = snippet.annotation(match label.text.as_str() {
            "" => annotation,
            remark => annotation.label(printable(remark)),
        });
    }
    Some(snippet)
}

/// The underlined range of a label. Only the first line of a longer span, such as a complete state, is underlined.
fn shown_range(text: &str, label: &Label) -> (usize, usize) {
    let start = text.floor_char_boundary(label.span.start as usize);
    let end = text.floor_char_boundary((label.span.end as usize).max(start));
    let line = text.get(start..end).and_then(|inside| inside.find('\n'));
    (start, line.map_or(end, |length| start + length))
}

fn line_start_before(text: &str, at: usize, lines: usize) -> usize {
    let mut start = at;
    for _ in 0..=lines {
        match text.get(..start).and_then(|before| before.rfind('\n')) {
            Some(found) => start = found,
            None => return 0,
        }
    }
    start + 1
}

fn line_end_after(text: &str, at: usize, lines: usize) -> usize {
    let mut end = at;
    for _ in 0..=lines {
        match text.get(end..).and_then(|after| after.find('\n')) {
            Some(found) => end += found + 1,
            None => return text.len(),
        }
    }
    end.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Span};
    use super::*;

    #[test]
    fn a_finding_shows_its_line_with_carets_under_cyrillic_text() {
        let mut sources = SourceMap::default();
        let text = "states:\n  a:\n    transitions:\n      agreement: квалификацяи\n    goal: x\n";
        let file = sources.add("flow.yaml", text);
        let start = text.find("квал").unwrap();
        let mut found = Diagnostics::default();
        Diagnostic::error(Code::UnknownState, "unknown state `квалификацяи`")
            .at(Span::new(file, start, start + 24), "transition target")
            .help("a similar state exists: `квалификация`")
            .add_to(&mut found);
        insta::assert_snapshot!(render(&found, &sources, false));
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}"), "a\u{fffd}[31mb\u{fffd}");
    }
}
