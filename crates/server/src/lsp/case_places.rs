//! Names in case tables: the values of scenario parameters.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::file_format::FileFormat;
use super::file_index::{FileIndex, NamedPlace};
use super::line_index::LineIndex;
use super::named_kind::{NamedKind, NamedParameter, NamedRole};

/// The names in a case table. The parameters of the scenario that uses it set the kind of each column.
pub(super) fn case_places(path: &Path, parameters: &[NamedParameter]) -> Option<FileIndex> {
    let text: Arc<str> = std::fs::read_to_string(path).ok()?.into();
    let head = text.lines().next()?;
    // As in `fsmsim test`, the most frequent of these characters in the first line is the delimiter.
    let marks = [',', ';', '\t'];
    let mark = marks
        .into_iter()
        .rev()
        .max_by_key(|mark| head.matches(*mark).count())?;
    let names: Vec<&str> = cells(&text, 0..head.len(), mark)
        .into_iter()
        .filter_map(|cell| text.get(cell))
        .collect();
    let kind = |name: &str| {
        parameters
            .iter()
            .find(|(known, _)| **known == *name)
            .map(|(_, kind)| *kind)
    };
    let kinds: Vec<Option<NamedKind>> = names.into_iter().map(kind).collect();
    let lines = LineIndex::of(&text);
    let mut places = Vec::new();
    for number in 1..text.lines().count() {
        let (start, end) = lines.line(number, &text);
        for (cell, kind) in cells(&text, start..end, mark).into_iter().zip(&kinds) {
            let (Some(kind), Some(name)) = (
                *kind,
                text.get(cell.clone()).filter(|name| !name.is_empty()),
            ) else {
                continue;
            };
            places.push(NamedPlace {
                kind,
                role: NamedRole::Uses,
                name: name.into(),
                at: cell,
                whole: None,
            });
        }
    }
    Some(FileIndex {
        text,
        lines,
        format: FileFormat::Cases,
        places,
        parameters: Vec::new(),
        is_whole: true,
    })
}

/// The cells of a line, without spaces and quotation marks around them.
fn cells(text: &str, line: Range<usize>, mark: char) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut start = line.start;
    let mut is_quoted = false;
    for (at, character) in text.get(line.clone()).unwrap_or_default().char_indices() {
        is_quoted ^= character == '"';
        if character == mark && !is_quoted {
            cells.push(start..line.start + at);
            start = line.start + at + character.len_utf8();
        }
    }
    cells.push(start..line.end);
    let around =
        |character: char| character.is_whitespace() || matches!(character, '"' | '\u{feff}');
    let bare = |cell: Range<usize>| {
        let written = text.get(cell.clone()).unwrap_or_default();
        let start = cell.end - written.trim_start_matches(around).len();
        let length = written.trim_matches(around).len();
        start..start + length
    };
    cells.into_iter().map(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_without_surrounding_characters() {
        let text = "a; \"b;c\" ;;d";
        let cells: Vec<&str> = cells(text, 0..text.len(), ';')
            .into_iter()
            .map(|cell| &text[cell])
            .collect();
        assert_eq!(cells, ["a", "b;c", "", "d"]);
    }
}
