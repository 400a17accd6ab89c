//! Completions as items for an editor.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, MarkupContent, MarkupKind, Range, TextEdit,
};

use super::file_format::FileFormat;
use super::named_kind::{NamedKind, icons};
use super::project_map::project_folder;
use super::workspace::Workspace;
use crate::limits::MAX_OFFERED_NAMES;
use fsmsim_core::engine::Machine;
use fsmsim_syntax::shapes::NameUse;

/// Creates the completion items at a cursor.
pub(super) struct CompletionOffer<'o> {
    pub workspace: &'o Workspace,
    pub file: &'o Path,
    pub offset: usize,
    pub range: Range,
    /// Whether a colon already follows the word.
    pub has_colon: bool,
}

impl CompletionOffer<'_> {
    pub(super) fn key(&self, key: &str, about: &str, is_required: bool) -> CompletionItem {
        let order = if is_required { "0" } else { "1" };
        CompletionItem {
            kind: Some(CompletionItemKind::Property),
            documentation: Some(
                MarkupContent {
                    kind: MarkupKind::Markdown,
                    value: about.to_owned(),
                }
                .into(),
            ),
            sort_text: Some(format!("{order}{key}")),
            ..self.item(key, true)
        }
    }

    pub(super) fn word(&self, word: &str) -> CompletionItem {
        CompletionItem {
            kind: Some(CompletionItemKind::EnumMember),
            ..self.item(word, false)
        }
    }

    pub(super) fn name(&self, name: &str, kind: NamedKind, is_key: bool) -> CompletionItem {
        CompletionItem {
            kind: Some(icons(kind).1),
            detail: Some(kind.noun().to_owned()),
            sort_text: Some(format!("2{name}")),
            ..self.item(name, is_key)
        }
    }

    pub(super) fn item(&self, label: &str, is_key: bool) -> CompletionItem {
        let colon = if is_key && !self.has_colon { ": " } else { "" };
        let edit = TextEdit {
            range: self.range,
            new_text: format!("{label}{colon}"),
        };
        CompletionItem {
            label: label.to_owned(),
            filter_text: Some(label.to_owned()),
            text_edit: Some(edit.into()),
            ..CompletionItem::default()
        }
    }

    /// A name between two `mark`s.
    pub(super) fn marked(&self, name: &str, kind: NamedKind, mark: &str) -> CompletionItem {
        let edit = TextEdit {
            range: self.range,
            new_text: format!("{mark}{name}{mark}"),
        };
        CompletionItem {
            text_edit: Some(edit.into()),
            ..self.name(name, kind, false)
        }
    }

    /// Sets the range of the text to replace.
    pub(super) fn replace(&mut self, at: &std::ops::Range<usize>) {
        let Some(document) = self.workspace.documents.get(self.file) else {
            return;
        };
        self.range = document.range(at, self.workspace.style.unit);
        self.has_colon = document
            .text
            .get(at.end..)
            .is_some_and(|rest| rest.starts_with(':'));
    }

    /// Whether the file belongs to a Markdown state set, or is in the folder of such a set.
    pub(super) fn is_in_set(&self) -> bool {
        let folder = self.file.parent();
        let is_sibling =
            |file: &PathBuf| file.parent() == folder && file.extension() == self.file.extension();
        folder.is_some_and(|folder| folder.ends_with("states"))
            || self
                .workspace
                .map
                .models
                .values()
                .any(|model| model.files.iter().any(is_sibling))
    }

    /// Whether a flow of the file has the sales policy. For a flow that was never valid, its folder decides.
    pub(super) fn knows_sales(&self) -> bool {
        let machines = self.workspace.machines_of(self.file);
        let mut folders = self.file.ancestors().skip(1);
        machines.iter().any(|machine| machine.has_profiles())
            || machines.is_empty() && folders.any(|folder| folder.join("constants.yaml").is_file())
    }

    /// The names of the data schemas in the models of the file.
    pub(super) fn schemas(&self) -> Vec<CompletionItem> {
        let models = self.workspace.map.models_of(self.file);
        let machines = self.workspace.map.machines(&models);
        let names: BTreeSet<&str> = machines
            .flat_map(|machine| machine.schemas.iter())
            .map(|schema| &*schema.name)
            .collect();
        let item = |name: &&str| CompletionItem {
            kind: Some(CompletionItemKind::Struct),
            ..self.item(name, false)
        };
        names.iter().map(item).collect()
    }

    /// The completions for a position that expects a name.
    pub(super) fn all_names(&self, name: Option<NameUse>, is_key: bool) -> Vec<CompletionItem> {
        let names = |NameUse { kind, .. }| {
            self.names(kind)
                .into_iter()
                .map(move |name| self.name(&name, kind, is_key))
        };
        name.into_iter().flat_map(names).collect()
    }

    /// The names of a kind, from the files and from the compiled machines.
    pub(super) fn names(&self, kind: NamedKind) -> Vec<String> {
        let map = &self.workspace.map;
        let mut models = map.models_of(self.file);
        if models.is_empty() {
            models = map.models.keys().map(PathBuf::as_path).collect();
        }
        if kind == NamedKind::Model {
            return self.paths(map.models.keys().map(PathBuf::as_path));
        }
        if kind == NamedKind::File {
            let played = map.indexes.iter().filter(|(_, index)| {
                matches!(
                    index.format,
                    FileFormat::Mock | FileFormat::Backend | FileFormat::SharedTurns
                )
            });
            return self.paths(played.map(|(path, _)| path.as_path()));
        }
        let mut files: BTreeSet<&Path> = models
            .iter()
            .filter_map(|path| map.models.get(*path))
            .flat_map(|model| model.files.iter().map(PathBuf::as_path))
            .collect();
        files.insert(self.file);
        let kinds: &[NamedKind] = match kind {
            NamedKind::Parameter => &[NamedKind::State, NamedKind::Action],
            _ => &[kind],
        };
        let mut names: BTreeSet<String> = BTreeSet::new();
        for kind in kinds {
            names.extend(
                self.workspace
                    .names(&files, *kind, (self.file, self.offset))
                    .map(str::to_owned),
            );
            names.extend(
                map.machines(&models)
                    .flat_map(|machine| known(machine, *kind))
                    .map(str::to_owned),
            );
        }
        let index = self.workspace.index(self.file);
        if kind == NamedKind::Intent && index.is_some_and(|index| index.format.is_played()) {
            names.retain(|name| !self.workspace.is_trigger(self.file, name));
        }
        names.into_iter().take(MAX_OFFERED_NAMES).collect()
    }

    /// Paths relative to the project folder.
    fn paths<'p>(&self, paths: impl Iterator<Item = &'p Path>) -> Vec<String> {
        let root = project_folder(self.file).or_else(|| self.file.parent());
        let inner =
            paths.filter_map(|path| Some(path.strip_prefix(root?).ok()?.display().to_string()));
        inner.take(MAX_OFFERED_NAMES).collect()
    }
}

fn known(machine: &Machine, kind: NamedKind) -> Vec<&str> {
    let names = &machine.names;
    match kind {
        NamedKind::State => machine.declared_names().collect(),
        NamedKind::Intent => names.intents.iter().collect(),
        NamedKind::Slot => machine.known_slot_names().collect(),
        NamedKind::Phase => names.phases.iter().collect(),
        NamedKind::Action => names
            .actions
            .iter()
            .filter(|name| !name.starts_with("transition_to_"))
            .collect(),
        NamedKind::Condition => names.conditions.iter().collect(),
        NamedKind::Category => names.categories.iter().collect(),
        NamedKind::Effect => names.effects.iter().collect(),
        NamedKind::Counter => names.counters.iter().collect(),
        _ => Vec::new(),
    }
}
