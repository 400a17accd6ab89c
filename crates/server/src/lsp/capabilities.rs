//! Capabilities of the server and of editors.

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, RenameOptions, Save,
    ServerCapabilities, TextDocumentSyncKind, TextDocumentSyncOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceOptions,
};
use serde_json::Value as Json;

use super::finding::FindingStyle;
use super::line_index::ColumnUnit;

/// The style of findings that an editor supports.
pub(super) fn style_of(client: &Json) -> FindingStyle {
    // Bytes are the cheapest column unit that an editor can offer.
    let has_bytes = lists(client, "/general/positionEncodings", "utf-8");
    FindingStyle {
        unit: if has_bytes {
            ColumnUnit::Utf8
        } else {
            ColumnUnit::Utf16
        },
        has_related: can(
            client,
            "/textDocument/publishDiagnostics/relatedInformation",
        ),
    }
}

/// Whether an editor can report changed files to the server.
pub(super) fn watches_files(client: &Json) -> bool {
    can(
        client,
        "/workspace/didChangeWatchedFiles/dynamicRegistration",
    )
}

/// Whether an editor can rename files as part of an edit.
pub(super) fn renames_files(client: &Json) -> bool {
    lists(
        client,
        "/workspace/workspaceEdit/resourceOperations",
        "rename",
    )
}

/// Whether an editor can refresh code lenses on request.
pub(super) fn refreshes_lenses(client: &Json) -> bool {
    can(client, "/workspace/codeLens/refreshSupport")
}

/// Whether an editor declares a capability. Only the value at this pointer is read: all others can have any form.
fn can(client: &Json, at: &str) -> bool {
    client.pointer(at).and_then(Json::as_bool) == Some(true)
}

/// Whether the list at a pointer contains a word.
fn lists(client: &Json, at: &str, word: &str) -> bool {
    let words = client.pointer(at).and_then(Json::as_array);
    words.is_some_and(|words| words.iter().any(|known| known == word))
}

pub(super) fn capabilities(style: FindingStyle) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Incremental),
        save: Some(Save::Bool(true)),
        ..TextDocumentSyncOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: None,
    };
    let fixes = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QuickFix]),
        ..CodeActionOptions::default()
    };
    let rename = RenameOptions {
        prepare_provider: Some(true),
        ..RenameOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(style.unit.kind()),
        text_document_sync: Some(sync.into()),
        hover_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(
                [":", " ", "[", "{", ",", "-", "#", "`", "|", ">", "→", "\""]
                    .map(str::to_owned)
                    .into(),
            ),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        code_action_provider: Some(fixes.into()),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
            ..CodeLensOptions::default()
        }),
        rename_provider: Some(rename.into()),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(folders),
            ..WorkspaceOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
