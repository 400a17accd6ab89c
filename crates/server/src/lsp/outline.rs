//! The outline of a document: what it defines.

use std::path::Path;

use lsp_types::DocumentSymbol;

use super::file_index::NamedPlace;
use super::workspace::Workspace;

/// What a document defines, in the order of the text.
pub(super) fn outline(workspace: &Workspace, file: &Path) -> Vec<DocumentSymbol> {
    let Some((index, document)) = workspace.index(file).zip(workspace.documents.get(file)) else {
        return Vec::new();
    };
    let range = |at: &std::ops::Range<usize>| {
        document
            .text
            .range((at.start, at.end), workspace.style.unit)
    };
    let symbol = |place: &NamedPlace| {
        let selection_range = range(&place.at);
        let whole = place.whole.as_ref()?;
        #[expect(deprecated, reason = "the protocol has the field still")]
        let symbol = DocumentSymbol {
            name: place.name.to_string(),
            detail: Some(place.kind.noun().to_owned()),
            kind: place.kind.symbol(),
            tags: None,
            deprecated: None,
            range: range(&(whole.start.min(place.at.start)..whole.end.max(place.at.end))),
            selection_range,
            children: None,
        };
        Some(symbol)
    };
    index.places.iter().filter_map(symbol).collect()
}
