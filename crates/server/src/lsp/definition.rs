//! Definitions and references of a name.

use gen_lsp_types::{Location, Range, TextDocumentPositionParams};

use super::file_uri::uri_of;
use super::named_kind::{NamedKind, NamedRole};
use super::workspace::{NameAtCursor, Workspace};
use fsmsim_runtime::project::model_file;

/// The definitions of the name at a position; if it has none, the places that introduce it.
pub(super) fn definition(workspace: &Workspace, at: &TextDocumentPositionParams) -> Vec<Location> {
    let Some(name) = workspace.name_at(at) else {
        return Vec::new();
    };
    if matches!(name.kind, NamedKind::Model | NamedKind::File) {
        return file_named(workspace, &name).into_iter().collect();
    }
    let places: Vec<_> = workspace
        .places(&name.scope, name.kind, &name.place.name)
        .collect();
    let best = [NamedRole::Defines, NamedRole::Introduces].into_iter();
    let mut found: Vec<_> = best
        .map(|role| {
            places
                .iter()
                .filter(|(_, place)| place.role == role)
                .collect::<Vec<_>>()
        })
        .find(|found| !found.is_empty())
        .unwrap_or_default();
    // A definition in the file's own model overrides all others.
    let own = workspace.map.models_of(&name.file);
    let own = workspace.map.files_of(&own);
    if found.iter().any(|(file, _)| own.contains(file.as_path())) {
        found.retain(|(file, _)| own.contains(file.as_path()));
    }
    found
        .iter()
        .filter_map(|(file, place)| workspace.location(file, &place.at))
        .collect()
}

/// All references to the name at a position.
pub(super) fn references(
    workspace: &Workspace,
    at: &TextDocumentPositionParams,
    with_definition: bool,
) -> Vec<Location> {
    let Some(name) = workspace.name_at(at) else {
        return Vec::new();
    };
    let places = workspace
        .places(&name.scope, name.kind, &name.place.name)
        .filter(|(_, place)| with_definition || place.role != NamedRole::Defines);
    places
        .filter_map(|(file, place)| workspace.location(file, &place.at))
        .collect()
}

/// The file that a path at a cursor names; for a folder, the main file of the model.
fn file_named(workspace: &Workspace, name: &NameAtCursor) -> Option<Location> {
    let path = workspace.map.file_named(&name.file, &name.place.name)?;
    let first = || {
        workspace
            .map
            .models
            .get(path)
            .and_then(|model| model.files.iter().find(|file| file.starts_with(path)))
    };
    let file = if path.is_dir() {
        Some(path.join("flow.yaml"))
            .filter(|flow| flow.is_file())
            .or_else(|| first().cloned())?
    } else {
        model_file(path).to_path_buf()
    };
    Some(Location {
        uri: uri_of(&file)?,
        range: Range::default(),
    })
}
