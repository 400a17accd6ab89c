//! What may stand at a cursor: the keys of the map, the words of a closed list, the names of the kind that is meant there.

use lsp_types::{CompletionItem, Position, Range, Uri};

use super::completion_offer::CompletionOffer;
use super::cursor_context::CursorContext;
use super::file_format::FileFormat;
use super::markdown_completion::of_markdown;
use super::path_pattern::PathPatterns;
use super::workspace::Workspace;

/// What may stand at a position.
pub(super) fn completion(
    workspace: &Workspace,
    uri: &Uri,
    position: Position,
) -> Vec<CompletionItem> {
    let Some((file, offset)) = workspace.offset(uri, position) else {
        return Vec::new();
    };
    let Some(document) = workspace.documents.get(&file) else {
        return Vec::new();
    };
    let text = &document.text.text;
    let format = workspace
        .index(&file)
        .map_or(FileFormat::of(&file, None), |index| index.format);
    if matches!(format, FileFormat::Markdown | FileFormat::Transcript) {
        let at = Range::default();
        let mut offer = CompletionOffer {
            workspace,
            file: &file,
            place: (&file, offset),
            range: at,
            has_colon: false,
        };
        return of_markdown(&mut offer, text, offset, format);
    }
    let Some(context) = CursorContext::of(text, offset) else {
        return Vec::new();
    };
    let range = document
        .text
        .range((context.word.start, context.word.end), workspace.style.unit);
    let has_colon = text
        .get(context.word.end..)
        .is_some_and(|rest| rest.starts_with(':'));
    let offer = CompletionOffer {
        workspace,
        file: &file,
        place: (&file, offset),
        range,
        has_colon,
    };
    let patterns = PathPatterns::of(format);
    let at = context
        .path
        .iter()
        .fold(patterns.begin(), |at, key| patterns.enter(&at, key));
    let mut items = Vec::new();
    if context.may_be_key {
        items.extend(
            workspace
                .schemas
                .keys(format, &context.path)
                .iter()
                .map(|word| offer.key(word)),
        );
        if let Some((kind, _)) = patterns.key(&at) {
            items.extend(
                offer
                    .names(kind)
                    .into_iter()
                    .map(|name| offer.name(&name, kind, true)),
            );
        }
    }
    if context.may_be_value {
        let words = workspace.schemas.values(format, &context.path);
        items.extend(words.iter().map(|word| offer.word(word)));
        if let Some((kind, _)) = patterns.value(&at) {
            items.extend(
                offer
                    .names(kind)
                    .into_iter()
                    .map(|name| offer.name(&name, kind, false)),
            );
        }
    }
    items
}
