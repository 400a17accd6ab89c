//! What the server can do, as it tells editors.

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, RenameOptions, Save,
    ServerCapabilities, TextDocumentSyncKind, TextDocumentSyncOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceOptions,
};
use serde_json::Value as Json;

use super::finding::FindingStyle;
use super::line_index::ColumnUnit;

/// How an editor counts and shows, by what it can do.
pub(super) fn style_of(client: &Json) -> FindingStyle {
    // Of what an editor offers, bytes are cheapest.
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

/// Whether an editor tells of files that have changed if it is asked to.
pub(super) fn watches_files(client: &Json) -> bool {
    can(
        client,
        "/workspace/didChangeWatchedFiles/dynamicRegistration",
    )
}

/// Whether an editor renames files where an edit says so.
pub(super) fn renames_files(client: &Json) -> bool {
    lists(
        client,
        "/workspace/workspaceEdit/resourceOperations",
        "rename",
    )
}

/// Whether an editor draws lines above states anew if it is asked to.
pub(super) fn refreshes_lenses(client: &Json) -> bool {
    can(client, "/workspace/codeLens/refreshSupport")
}

/// Whether an editor says that it can do something. Only this is read: whatever else it says may have any form.
fn can(client: &Json, at: &str) -> bool {
    client.pointer(at).and_then(Json::as_bool) == Some(true)
}

/// Whether a list of what an editor can do has a word.
fn lists(client: &Json, at: &str, word: &str) -> bool {
    let words = client.pointer(at).and_then(Json::as_array);
    words.is_some_and(|words| words.iter().any(|known| known == word))
}

/// What the server can do.
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
