//! What the server can do, as it tells editors.

use lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, HoverProviderCapability, OneOf, RenameOptions,
    ResourceOperationKind, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use super::finding::FindingStyle;
use super::line_index::ColumnUnit;

/// How an editor counts and shows, by what it can do.
pub(super) fn style_of(client: &ClientCapabilities) -> FindingStyle {
    let general = client.general.as_ref();
    let unit = ColumnUnit::of(general.and_then(|general| general.position_encodings.as_deref()));
    let documents = client.text_document.as_ref();
    let findings = documents.and_then(|documents| documents.publish_diagnostics.as_ref());
    FindingStyle {
        unit,
        has_related: findings
            .and_then(|findings| findings.related_information)
            .unwrap_or(false),
    }
}

/// Whether an editor tells of files that have changed if it is asked to.
pub(super) fn watches_files(client: &ClientCapabilities) -> bool {
    let watched = client
        .workspace
        .as_ref()
        .and_then(|workspace| workspace.did_change_watched_files?.dynamic_registration);
    watched.unwrap_or(false)
}

/// Whether an editor renames files where an edit says so.
pub(super) fn renames_files(client: &ClientCapabilities) -> bool {
    let edits = client.workspace.as_ref().and_then(|workspace| {
        workspace
            .workspace_edit
            .as_ref()?
            .resource_operations
            .as_ref()
    });
    edits.is_some_and(|kinds| kinds.contains(&ResourceOperationKind::Rename))
}

/// Whether an editor draws lines above states anew if it is asked to.
pub(super) fn refreshes_lenses(client: &ClientCapabilities) -> bool {
    let lenses = client
        .workspace
        .as_ref()
        .and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support);
    lenses.unwrap_or(false)
}

/// What the server can do.
pub(super) fn capabilities(style: FindingStyle) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: None,
    };
    let fixes = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
        ..CodeActionOptions::default()
    };
    let rename = RenameOptions {
        prepare_provider: Some(true),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    ServerCapabilities {
        position_encoding: Some(style.unit.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(
                [":", " ", "[", "{", ",", "-", "#", "`", "|", ">", "→", "\""]
                    .map(str::to_owned)
                    .into(),
            ),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(fixes)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        rename_provider: Some(OneOf::Right(rename)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(folders),
            ..Default::default()
        }),
        ..ServerCapabilities::default()
    }
}
