//! The editor state and the workspace index, which answer the requests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types::{Location, TextDocumentPositionParams};

use super::file_format::FileFormat;
use super::file_index::{FileIndex, NamedPlace};
use super::file_uri::{path_of, uri_of};
use super::finding::{FileFinding, FindingStyle};
use super::named_kind::{NamedKind, NamedRole};
use super::open_document::OpenDocument;
use super::project_map::ProjectMap;
use super::state_visits::ModelVisits;
use fsmsim_core::engine::Machine;

/// The open documents and the index of the workspace.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub documents: BTreeMap<PathBuf, OpenDocument>,
    pub map: Arc<ProjectMap>,
    /// The published findings.
    pub findings: BTreeMap<PathBuf, Vec<FileFinding>>,
    /// The visit counts of states.
    pub visits: ModelVisits,
    /// The diagnostic features of the editor.
    pub style: FindingStyle,
    /// Whether the editor can rename files as part of an edit.
    pub renames_files: bool,
}

/// A name at a cursor, and the files in which it has the same meaning.
#[derive(Clone, Debug)]
pub(super) struct NameAtCursor {
    pub file: PathBuf,
    pub kind: NamedKind,
    pub place: NamedPlace,
    /// The files in which the name has the same meaning.
    pub scope: BTreeSet<PathBuf>,
}

impl Workspace {
    /// Indexes changed documents.
    pub(super) fn refresh(&mut self) {
        for (path, document) in &mut self.documents {
            document.refresh(path);
        }
    }

    pub(super) fn index(&self, file: &Path) -> Option<&Arc<FileIndex>> {
        let open = self
            .documents
            .get(file)
            .and_then(|document| document.index.as_ref());
        open.filter(|index| index.format != FileFormat::Markdown)
            .or_else(|| self.map.indexes.get(file))
    }

    /// The document and the offset at a position.
    pub(super) fn cursor(
        &self,
        at: &TextDocumentPositionParams,
    ) -> Option<(PathBuf, &OpenDocument, usize)> {
        let path = path_of(&at.text_document.uri)?;
        let document = self.documents.get(&path)?;
        let offset = document.offset(at.position, self.style.unit);
        Some((path, document, offset))
    }

    pub(super) fn name_at(&self, at: &TextDocumentPositionParams) -> Option<NameAtCursor> {
        let (file, _, offset) = self.cursor(at)?;
        let place = self.index(&file)?.at(offset)?.clone();
        let (kind, scope) = self.scope(&file, place.kind, &place.name);
        Some(NameAtCursor {
            file,
            kind,
            place,
            scope,
        })
    }

    /// The kind of a name in a file, and the files in which it has the same meaning. These are the files of the models
    /// that use the file, and of all models that share the definition.
    pub(super) fn scope(
        &self,
        file: &Path,
        kind: NamedKind,
        name: &str,
    ) -> (NamedKind, BTreeSet<PathBuf>) {
        let mut models = self.map.models_of(file);
        if models.is_empty() {
            models = self.knowing(kind, name);
        }
        loop {
            let files = self.map.files_of(&models);
            let defining = files.iter().filter(|file| self.defines(file, kind, name));
            let more: BTreeSet<&Path> =
                defining.flat_map(|file| self.map.models_of(file)).collect();
            let before = models.len();
            models.extend(more);
            if models.len() == before {
                let mut scope: BTreeSet<PathBuf> =
                    files.into_iter().map(Path::to_path_buf).collect();
                scope.insert(file.to_path_buf());
                let is_state = scope
                    .iter()
                    .any(|file| self.defines(file, NamedKind::State, name));
                let kind = match kind {
                    NamedKind::Parameter if is_state => NamedKind::State,
                    NamedKind::Parameter => NamedKind::Action,
                    kind => kind,
                };
                // A file without a model belongs to the scope if no other model contains the name.
                if self.knowing(kind, name).is_subset(&models) {
                    let loose = self.map.indexes.iter().filter(|(file, index)| {
                        index.format.is_played() && !self.map.played.contains_key(*file)
                    });
                    scope.extend(loose.map(|(file, _)| file.clone()));
                }
                return (kind, scope);
            }
        }
    }

    /// The models whose files contain a name.
    fn knowing(&self, kind: NamedKind, name: &str) -> BTreeSet<&Path> {
        let knows = |file: &PathBuf| {
            self.index(file)
                .is_some_and(|index| index.named(kind, name).next().is_some())
        };
        let models = self
            .map
            .models
            .values()
            .filter(|model| model.files.iter().any(knows));
        models.map(|model| &*model.path).collect()
    }

    /// The machines of the models that a file belongs to or runs with.
    pub(super) fn machines_of<'w>(&'w self, file: &Path) -> Vec<&'w Arc<Machine>> {
        let models = self.map.models_of(file);
        self.map.machines(&models).collect()
    }

    /// Whether a name is a trigger in a model of the file. Users cannot say triggers.
    pub(super) fn is_trigger(&self, file: &Path, name: &str) -> bool {
        self.machines_of(file).iter().any(|machine| {
            let id = machine.names.intents.id(name);
            id.is_some_and(|id| machine.is_trigger(id))
        })
    }

    fn defines(&self, file: &Path, kind: NamedKind, name: &str) -> bool {
        self.index(file).is_some_and(|index| {
            index
                .named(kind, name)
                .any(|place| place.role == NamedRole::Defines)
        })
    }

    /// All occurrences of a name in files.
    pub(super) fn places<'w>(
        &'w self,
        scope: &'w BTreeSet<PathBuf>,
        kind: NamedKind,
        name: &'w str,
    ) -> impl Iterator<Item = (&'w PathBuf, &'w NamedPlace)> {
        // The value of a parameter can be a state or an action.
        let is_parameter = matches!(kind, NamedKind::State | NamedKind::Action);
        let fits = move |place: &NamedPlace| {
            &*place.name == name
                && (place.kind == kind || is_parameter && place.kind == NamedKind::Parameter)
        };
        let indexes = scope
            .iter()
            .filter_map(|file| Some((file, self.index(file)?)));
        indexes.flat_map(move |(file, index)| {
            index
                .places
                .iter()
                .filter(move |place| fits(place))
                .map(move |place| (file, place))
        })
    }

    /// The names of a kind in files, except for the incomplete name at the cursor.
    pub(super) fn names<'w>(
        &'w self,
        files: &'w BTreeSet<&Path>,
        kind: NamedKind,
        (cursor, offset): (&'w Path, usize),
    ) -> impl Iterator<Item = &'w str> {
        // These kinds need no definition: each use declares the name.
        let is_free = matches!(
            kind,
            NamedKind::Intent | NamedKind::Slot | NamedKind::Phase | NamedKind::Action
        );
        let indexes = files
            .iter()
            .filter_map(|file| Some((*file, self.index(file)?)));
        let places =
            indexes.flat_map(|(file, index)| index.places.iter().map(move |place| (file, place)));
        let wanted = places.filter(move |(file, place)| {
            let is_here = *file == cursor && (place.at.start..=place.at.end).contains(&offset);
            place.kind == kind && !is_here && (is_free || place.role == NamedRole::Defines)
        });
        wanted.map(|(_, place)| &*place.name)
    }

    /// A range of a file as an editor location.
    pub(super) fn location(&self, file: &Path, at: &std::ops::Range<usize>) -> Option<Location> {
        let unit = self.style.unit;
        let range = match self.documents.get(file) {
            Some(document) => document.range(at, unit),
            None => {
                let index = self.index(file)?;
                index.lines.range(at, &index.text, unit)
            }
        };
        Some(Location {
            uri: uri_of(file)?,
            range,
        })
    }
}
