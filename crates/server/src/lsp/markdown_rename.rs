//! Renames a Markdown state. The new name must not change the meaning of other text, and a file named after the state
//! is renamed with it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gen_lsp_types::RenameFile;

use super::file_format::FileFormat;
use super::file_uri::uri_of;
use super::named_kind::{NamedKind, NamedRole};
use super::project_map::KnownModel;
use super::workspace::{NameAtCursor, Workspace};
use fsmsim_core::engine::Machine;
use fsmsim_core::engine::policy::Guidance;
use fsmsim_runtime::project::said_by_beginning;

/// Words that mean "no state" in a table column for states.
const NOTHING: [&str; 2] = ["none", "нет"];
/// The name prefix of states that load data.
const LOADS: &str = "dt_load_";

/// Checks that a Markdown name can be renamed.
pub(super) fn check_old(workspace: &Workspace, name: &NameAtCursor) -> Result<(), String> {
    // The positions in these files come from the last analysis, not from the text in the editor.
    let is_indexed_by_analysis =
        |format| matches!(format, FileFormat::Markdown | FileFormat::Cases);
    for file in &name.scope {
        let Some(index) = workspace
            .index(file)
            .filter(|index| is_indexed_by_analysis(index.format))
        else {
            continue;
        };
        let open = workspace.documents.get(file);
        if open.is_some_and(|open| open.text != index.text) {
            return Err(format!("`{}` is not analyzed yet: try again", shown(file)));
        }
    }
    for (model, _, guidance) in sets(workspace, name) {
        if name.kind != NamedKind::State {
            return Err(format!(
                "cannot rename a {} of a state set: only its states can be renamed",
                name.kind.noun()
            ));
        }
        if guidance.mentions.is_empty() {
            let shown = shown(&model.path);
            return Err(format!(
                "`{shown}` describes its states in free text: rename them manually"
            ));
        }
        if !model.is_current {
            return Err(format!(
                "cannot load `{}`: fix its errors first",
                shown(&model.path)
            ));
        }
    }
    Ok(())
}

/// Checks that a Markdown state can have the new name.
pub(super) fn check_new(
    workspace: &Workspace,
    name: &NameAtCursor,
    to: &str,
) -> Result<(), String> {
    let from = &*name.place.name;
    for (_, machine, guidance) in sets(workspace, name) {
        for (usual, key) in &guidance.habits {
            if *usual == from || *usual == to {
                let at = "`instructions/system.md`";
                let of = "is a name with a default meaning";
                return Err(format!(
                    "`{usual}` {of}: write `{key}: {usual}` into the front matter of {at} first"
                ));
            }
        }
        if said_by_beginning(from) != said_by_beginning(to) {
            let beginning = said_by_beginning(from)
                .or(said_by_beginning(to))
                .unwrap_or_default();
            return Err(format!(
                "the prefix `{beginning}` determines the data of a state: do not add, remove or change it"
            ));
        }
        let state = machine.names.states.id(from);
        let asks = state
            .and_then(|id| guidance.of(id)?.outline.as_ref())
            .is_some_and(|it| !it.asks.is_empty());
        if from.starts_with(LOADS) && !asks {
            let key = from.strip_prefix(LOADS).unwrap_or_default();
            return Err(format!(
                "the name `{from}` determines the data that the state reads: write `reads: [{key}]` into its front matter first"
            ));
        }
        if machine.names.slots.id(to).is_some() {
            return Err(format!(
                "`{to}` is the name of data, so it would be ambiguous in backticks"
            ));
        }
        let is_plain =
            |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
        if !to.chars().all(is_plain)
            || to.ends_with('-')
            || NOTHING.contains(&to)
            || to.eq_ignore_ascii_case("readme")
        {
            return Err(format!(
                "invalid name `{to}` of a Markdown state: use letters, digits, `_` and `-`"
            ));
        }
    }
    Ok(())
}

/// The renames of files that are named after the state.
pub(super) fn renamed_files(
    workspace: &Workspace,
    name: &NameAtCursor,
    to: &str,
) -> Result<Vec<RenameFile>, String> {
    let from = &*name.place.name;
    let mut moves = Vec::new();
    let places = workspace
        .places(&name.scope, NamedKind::State, from)
        .filter(|_| name.kind == NamedKind::State);
    let defining = places.filter(|(_, place)| place.role == NamedRole::Defines);
    let mut files: BTreeSet<(&PathBuf, bool)> = defining
        .map(|(file, place)| (file, place.at.is_empty()))
        .collect();
    files.retain(|(file, _)| {
        workspace
            .index(file)
            .is_some_and(|index| index.format == FileFormat::Markdown)
    });
    files.retain(|(file, _)| file.file_stem().is_some_and(|stem| stem == from));
    for (file, by_file_alone) in files {
        if !workspace.renames_files {
            if by_file_alone {
                let file = shown(file);
                return Err(format!(
                    "the state is named after its file `{file}`, and this editor cannot rename files: add the \
                     heading `# State: {from}` to the file first, or rename the file manually"
                ));
            }
            continue;
        }
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        let new = file.with_file_name(format!("{to}.{extension}"));
        if new.exists() {
            return Err(format!("the file `{}` already exists", shown(&new)));
        }
        let (Some(old_uri), Some(new_uri)) = (uri_of(file), uri_of(&new)) else {
            continue;
        };
        moves.push(RenameFile {
            old_uri,
            new_uri,
            options: None,
            annotation_id: None,
        });
    }
    Ok(moves)
}

/// The Markdown state sets in the scope of a name.
fn sets<'w>(
    workspace: &'w Workspace,
    name: &'w NameAtCursor,
) -> impl Iterator<Item = (&'w KnownModel, &'w Machine, &'w Guidance)> {
    let models = workspace
        .map
        .models
        .values()
        .filter(|model| model.files.iter().any(|file| name.scope.contains(file)));
    models.filter_map(|model| {
        let machine = model.machine.as_deref()?;
        Some((model, machine, machine.policies.guidance()?))
    })
}

fn shown(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}
