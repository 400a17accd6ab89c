//! The Markdown dialect: a folder with one file per state, or a single document with transitions.
//!
//! docs/src/explanation/state-sets.md describes the format. The files are read into a [`draft`](self) with positions,
//! which is lowered to the machine.

mod data;
mod document;
mod draft;
mod folder;
mod front;
mod initial;
mod layout;
mod lower;
mod mentions;
mod moves;
mod operations;
mod plain;
mod schemas;
mod state_file;
mod targets;
mod typing;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::draft::StateSet;
use self::folder::SetLayout;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::Variant;
use fsmsim_syntax::diagnostic::{Diagnostics, FileId, SourceMap};
use fsmsim_syntax::document::DocumentReading;

pub(super) use self::folder::{companions, file_and_section, has_states_folder, is_document};
pub use self::lower::said_by_beginning;
pub(super) use self::plain::anchor;
pub use self::typing::{KNOWN_HEADINGS, is_after_arrow, is_in_transitions, target_column};

/// Loads Markdown state sets. Each set is read once for all profiles.
#[derive(Default)]
pub(super) struct MarkdownLoader {
    sets: BTreeMap<PathBuf, Arc<ReadSet>>,
}

/// A state set with the findings of reading it.
struct ReadSet {
    set: Option<StateSet>,
    found: Diagnostics,
    files: Vec<FileId>,
}

/// Whether a folder contains Markdown states.
pub(super) fn is_set(folder: &Path) -> bool {
    SetLayout::of(folder).is_some()
}

/// Reads a document and returns the extracted elements. Findings are omitted, because loading the document reports
/// them.
pub(super) fn explain(path: &Path, sources: &mut SourceMap) -> Option<DocumentReading> {
    let mut found = Diagnostics::default();
    let (_, mut reading) = document::read(path, sources, &mut found)?;
    reading.add_ignored(&found);
    Some(reading)
}

impl MarkdownLoader {
    /// Loads the states at `path`: a folder or a document.
    pub(super) fn load(
        &mut self,
        path: &Path,
        variant: Variant,
        sources: &mut SourceMap,
        found: &mut Diagnostics,
    ) -> Option<Machine> {
        if let Some(reading) = self.sets.get(path) {
            sources.use_again(reading.files.iter().copied());
        }
        let reading = self
            .sets
            .entry(path.to_path_buf())
            .or_insert_with_key(|path| {
                let mut found = Diagnostics::default();
                let before = sources.used().len();
                let set = if path.is_dir() {
                    SetLayout::of(path).and_then(|places| places.read(sources, &mut found))
                } else {
                    document::read(path, sources, &mut found).map(|(set, _)| set)
                };
                let files = sources.used().get(before..).unwrap_or_default().to_vec();
                Arc::new(ReadSet { set, found, files })
            });
        let reading = Arc::clone(reading);
        found.extend(reading.found.clone());
        let mut set = Cow::Borrowed(reading.set.as_ref()?);
        if variant.with_stubs {
            targets::add_stubs(set.to_mut(), found);
        }
        lower::lower(&set, variant, path, sources, found)
    }
}
