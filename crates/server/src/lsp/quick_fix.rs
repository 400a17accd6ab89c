//! Quick fixes: replace a wrong name with a similar one.

use std::collections::HashMap;
use std::path::Path;

use gen_lsp_types::{CodeAction, CodeActionKind, Range, TextEdit, WorkspaceEdit};

use super::file_uri::uri_of;
use super::workspace::Workspace;

/// The quick fixes for findings in a range of a document.
pub(super) fn quick_fixes(workspace: &Workspace, file: &Path, range: Range) -> Vec<CodeAction> {
    let Some(document) = workspace.documents.get(file) else {
        return Vec::new();
    };
    let here = workspace
        .findings
        .get(file)
        .into_iter()
        .flatten()
        .filter(|finding| {
            let at = finding.shown.range;
            at.start <= range.end && range.start <= at.end
        });
    let fixes = here.filter_map(|finding| {
        let (at, fix) = finding.mending.as_ref()?;
        let written = document.offsets(*at, workspace.style.unit);
        // The text might have changed since the analysis.
        if document.text.get(written) != Some(&fix.old) {
            return None;
        }
        let edit = TextEdit {
            range: *at,
            new_text: fix.new.clone(),
        };
        let changes = HashMap::from([(uri_of(&finding.path)?, vec![edit])]);
        Some(CodeAction {
            title: format!("Change to `{}`", fix.new),
            kind: Some(CodeActionKind::QuickFix),
            diagnostics: Some(vec![finding.shown.clone()]),
            edit: Some(WorkspaceEdit {
                changes: Some(changes),
                ..WorkspaceEdit::default()
            }),
            is_preferred: Some(true),
            ..CodeAction::default()
        })
    });
    fixes.collect()
}
