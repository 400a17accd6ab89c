//! What may stand at a cursor: the keys of the map, the words of a closed list, the names of the kind that is meant there.

use lsp_types::{CompletionItem, Range, TextDocumentPositionParams};

use super::completion_offer::CompletionOffer;
use super::cursor_context::CursorContext;
use super::file_format::FileFormat;
use super::markdown_completion::of_markdown;
use super::shape_cursor::ShapeCursor;
use super::workspace::Workspace;

/// What may stand at a position.
pub(super) fn completion(
    workspace: &Workspace,
    at: &TextDocumentPositionParams,
) -> Vec<CompletionItem> {
    let Some((file, offset)) = workspace.offset(at) else {
        return Vec::new();
    };
    let Some(document) = workspace.documents.get(&file) else {
        return Vec::new();
    };
    let text = &document.text;
    let format = workspace
        .index(&file)
        .map_or(FileFormat::of(&file, None), |index| index.format);
    let mut offer = CompletionOffer {
        workspace,
        file: &file,
        place: (&file, offset),
        range: Range::default(),
        has_colon: false,
    };
    if matches!(format, FileFormat::Markdown | FileFormat::Transcript) {
        return of_markdown(&mut offer, text, offset, format);
    }
    let Some(context) = CursorContext::of(text, offset) else {
        return Vec::new();
    };
    offer.replace(&context.word);
    let at = ShapeCursor::at(format, &context.path);
    let mut items = Vec::new();
    if context.may_be_key {
        let keys = at.keys().into_iter();
        items.extend(keys.map(|key| offer.key(key.name, key.about, key.is_required)));
        items.extend(
            at.key_words()
                .map(|(word, about)| offer.key(word, about, false)),
        );
        items.extend(offer.all_names(at.key_name(), true));
    }
    if context.may_be_value {
        items.extend(at.words().into_iter().map(|word| offer.word(word)));
        items.extend(offer.all_names(at.value_name(), false));
    }
    items
}
