//! Completion at a cursor: keys of the map, words of a closed list, names of the expected kind.

use gen_lsp_types::{CompletionItem, CompletionItemKind, Range, TextDocumentPositionParams};

use super::completion_offer::CompletionOffer;
use super::cursor_context::CursorContext;
use super::file_format::FileFormat;
use super::markdown_cursor::MarkdownCursor;
use super::named_kind::NamedKind;
use super::shape_cursor::ShapeCursor;
use super::workspace::Workspace;
use fsmsim_core::machine::{RESUME, is_russian};
use fsmsim_runtime::project::KNOWN_HEADINGS;

/// The completions at a position.
pub(super) fn completion(
    workspace: &Workspace,
    at: &TextDocumentPositionParams,
) -> Vec<CompletionItem> {
    let Some((file, document, offset)) = workspace.cursor(at) else {
        return Vec::new();
    };
    let text = &document.text;
    let format = workspace
        .index(&file)
        .map_or(FileFormat::of(&file, None), |index| index.format);
    let mut offer = CompletionOffer {
        workspace,
        file: &file,
        offset,
        range: Range::default(),
        has_colon: false,
    };
    if matches!(format, FileFormat::Markdown | FileFormat::Transcript) {
        return markdown_completion(&mut offer, text, offset, format);
    }
    let Some(context) = CursorContext::of(text, offset) else {
        return Vec::new();
    };
    offer.replace(&context.word);
    let at = ShapeCursor::at(format, &context.path);
    let mut items = Vec::new();
    if context.may_be_key {
        let knows_sales = offer.knows_sales();
        let keys = at.keys().into_iter();
        let keys = keys.filter(|key| key.policy.is_empty() || knows_sales);
        items.extend(keys.map(|key| offer.key(key.name, key.about, key.is_required)));
        items.extend(
            at.key_words()
                .map(|(word, about)| offer.key(word, about, false)),
        );
        items.extend(offer.all_names(at.key_name(), true));
    }
    if context.may_be_value {
        items.extend(at.words().into_iter().map(|word| offer.word(word)));
        let name = at.value_name();
        let is_target = context.path.iter().any(|key| key == "transitions")
            && name.is_some_and(|name| name.kind == NamedKind::State);
        items.extend(offer.all_names(name, false));
        items.extend(is_target.then(|| offer.name(RESUME, NamedKind::State, false)));
    }
    items
}

/// The completions at an offset of a Markdown document.
fn markdown_completion(
    offer: &mut CompletionOffer<'_>,
    text: &str,
    offset: usize,
    format: FileFormat,
) -> Vec<CompletionItem> {
    match MarkdownCursor::of(text, offset) {
        Some(MarkdownCursor::Heading { rest, level })
            if format == FileFormat::Markdown && offer.is_in_set() =>
        {
            offer.replace(&rest);
            headings(offer, text, level)
        }
        None | Some(MarkdownCursor::Heading { .. }) => Vec::new(),
        Some(MarkdownCursor::Target { word, is_quoted }) => {
            if format == FileFormat::Markdown && !offer.is_in_set() {
                return Vec::new();
            }
            offer.replace(&word);
            let mut names = offer.names(NamedKind::State);
            names.extend((format == FileFormat::Markdown).then(|| RESUME.to_owned()));
            let mark = if is_quoted { "" } else { "`" };
            names
                .iter()
                .map(|name| offer.marked(name, NamedKind::State, mark))
                .collect()
        }
        Some(MarkdownCursor::Front(context)) => {
            offer.replace(&context.word);
            let format = match format {
                FileFormat::Markdown if !offer.is_in_set() => return Vec::new(),
                FileFormat::Markdown if offer.file.ends_with("instructions/system.md") => {
                    FileFormat::System
                }
                FileFormat::Markdown => FileFormat::State,
                format => format,
            };
            let at = ShapeCursor::at(format, &context.path);
            if context.may_be_value {
                let is_schema = format == FileFormat::State && context.path == ["writes"];
                return if is_schema {
                    offer.schemas()
                } else {
                    offer.all_names(at.value_name(), false)
                };
            }
            at.keys()
                .into_iter()
                .filter(|_| context.may_be_key && format != FileFormat::Transcript)
                .map(|key| offer.key(key.name, key.about, key.is_required))
                .collect()
        }
    }
}

/// The known headings. Those for the current level and in the document's language have the first places. Only level 1
/// is a state title.
fn headings(offer: &CompletionOffer<'_>, text: &str, level: usize) -> Vec<CompletionItem> {
    let is_russian = is_russian(text);
    let mut items = Vec::new();
    for (number, (english, russian)) in KNOWN_HEADINGS.iter().enumerate() {
        let is_fitting = (number == 0) == (level == 1);
        for (title, is_own) in [(english, !is_russian), (russian, is_russian)] {
            let sort_text = format!("{}{}{number}", u8::from(!is_fitting), u8::from(!is_own));
            let item = offer.item(&format!(" {title}"), false);
            items.push(CompletionItem {
                label: title.trim_end_matches([':', ' ']).to_owned(),
                kind: Some(CompletionItemKind::Keyword),
                sort_text: Some(sort_text),
                ..item
            });
        }
    }
    items
}
