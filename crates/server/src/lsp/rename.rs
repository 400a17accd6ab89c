//! Renames a state, slot, intent, phase, mixin or condition in all files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gen_lsp_types::{
    DocumentChange, OptionalVersionedTextDocumentIdentifier, PrepareRenamePlaceholder,
    TextDocumentEdit, TextDocumentIdentifier, TextDocumentPositionParams, TextEdit, WorkspaceEdit,
};

use super::file_uri::uri_of;
use super::markdown_rename;
use super::named_kind::{NamedKind, NamedRole};
use super::workspace::{NameAtCursor, Workspace};
use fsmsim_core::machine::{EVENTS, RESUME};
use fsmsim_runtime::project::is_built_in_condition;

/// The range and the current name that a rename at a position changes.
pub(super) fn prepare(
    workspace: &Workspace,
    at: &TextDocumentPositionParams,
) -> Result<PrepareRenamePlaceholder, String> {
    let name = renamed(workspace, at)?;
    let location = workspace
        .location(&name.file, &name.place.at)
        .ok_or("the document is not open")?;
    let placeholder = name.place.name.to_string();
    Ok(PrepareRenamePlaceholder {
        range: location.range,
        placeholder,
    })
}

/// The edits that rename the name at a position.
pub(super) fn rename(
    workspace: &Workspace,
    at: &TextDocumentPositionParams,
    to: &str,
) -> Result<WorkspaceEdit, String> {
    let name = renamed(workspace, at)?;
    let noun = name.kind.noun();
    check_name(to)?;
    if to == &*name.place.name {
        return Ok(WorkspaceEdit::default());
    }
    if workspace
        .places(&name.scope, name.kind, to)
        .next()
        .is_some()
    {
        return Err(format!("the {noun} `{to}` already exists"));
    }
    refuse_built_in(workspace, &name, to)?;
    markdown_rename::check_new(workspace, &name, to)?;
    let files = markdown_rename::renamed_files(workspace, &name, to)?;
    let mut edits: BTreeMap<_, Vec<_>> = BTreeMap::new();
    // A state that is named after its file has an empty range: there is no text to edit.
    let places = workspace.places(&name.scope, name.kind, &name.place.name);
    for (file, place) in places.filter(|(_, place)| !place.at.is_empty()) {
        let location = workspace
            .location(file, &place.at)
            .ok_or_else(|| format!("cannot read `{}`", file.display()))?;
        let edit = TextEdit {
            range: location.range,
            new_text: to.to_owned(),
        };
        edits.entry(file).or_default().push(edit.into());
    }
    let edits = edits.into_iter().filter_map(|(file, edits)| {
        let version = workspace
            .documents
            .get(file)
            .map(|document| document.version);
        let text_document = OptionalVersionedTextDocumentIdentifier {
            version,
            text_document_identifier: TextDocumentIdentifier { uri: uri_of(file)? },
        };
        Some(DocumentChange::TextDocumentEdit(TextDocumentEdit {
            text_document,
            edits,
        }))
    });
    // Files are renamed last, because the edits refer to the old file names.
    let files = files.into_iter().map(DocumentChange::RenameFile);
    Ok(WorkspaceEdit {
        document_changes: Some(edits.chain(files).collect()),
        ..WorkspaceEdit::default()
    })
}

/// The name at a position, if it can be renamed.
fn renamed(workspace: &Workspace, at: &TextDocumentPositionParams) -> Result<NameAtCursor, String> {
    let name = workspace.name_at(at).ok_or("no name at this position")?;
    let noun = name.kind.noun();
    if !name.kind.can_be_renamed() {
        return Err(format!("cannot rename names of the kind `{noun}`"));
    }
    refuse_built_in(workspace, &name, &name.place.name)?;
    let is_defined = workspace
        .places(&name.scope, name.kind, &name.place.name)
        .any(|(_, place)| place.role == NamedRole::Defines);
    if name.kind == NamedKind::State && !is_defined {
        return Err(format!("no file defines the state `{}`", name.place.name));
    }
    // The index of an invalid text is incomplete.
    let is_broken = |file: &&PathBuf| workspace.index(file).is_some_and(|index| !index.is_whole);
    if let Some(file) = name.scope.iter().find(is_broken) {
        return Err(format!(
            "cannot parse all of `{}`: fix its errors first",
            file.display()
        ));
    }
    markdown_rename::check_old(workspace, &name)?;
    Ok(name)
}

fn refuse_built_in(workspace: &Workspace, at: &NameAtCursor, name: &str) -> Result<(), String> {
    let noun = at.kind.noun();
    let (noun, is_built_in) = match at.kind {
        NamedKind::Intent if workspace.is_trigger(&at.file, name) => ("trigger", true),
        NamedKind::Intent => (noun, EVENTS.contains(&name)),
        NamedKind::State => (noun, name == RESUME),
        NamedKind::Condition => (noun, is_built_in_condition(name)),
        _ => (noun, false),
    };
    if is_built_in {
        Err(format!("the {noun} `{name}` is built in"))
    } else {
        Ok(())
    }
}

/// Whether a name needs no quotation marks.
fn check_name(name: &str) -> Result<(), String> {
    let is_plain =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/');
    let begins = name
        .chars()
        .next()
        .is_some_and(|character| character.is_alphabetic() || character == '_');
    let is_word = ["true", "false", "null"].contains(&name.to_ascii_lowercase().as_str());
    if begins && !is_word && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(format!(
        "invalid name `{name}`: use letters, digits and `_`, and start with a letter"
    ))
}
