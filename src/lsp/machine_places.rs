//! The names in markdown files, as the machine knows them that is made of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_format::FileFormat;
use super::file_index::{FileIndex, NamedPlace};
use super::file_uri::tidy;
use super::line_index::LineIndex;
use super::named_kind::{NamedKind, NamedRole};
use super::project_map::KnownModel;
use crate::diagnostic::Span;
use crate::engine::Machine;
use crate::machine::{Consequent, StateId};

/// Puts the names of a model's markdown files into the indexes of these.
pub(super) fn machine_places(model: &KnownModel, indexes: &mut BTreeMap<PathBuf, Arc<FileIndex>>) {
    let Some(machine) = model.machine.as_deref() else { return };
    let mut found: BTreeMap<PathBuf, Vec<NamedPlace>> = BTreeMap::new();
    let mut add = |span: Span, role: NamedRole, name: &str| {
        let file = machine.files.file(span.file).map(|file| tidy(Path::new(file.path())));
        let is_markdown = |file: &PathBuf| indexes.get(file).is_some_and(|index| index.format == FileFormat::Markdown);
        let Some(file) = file.filter(is_markdown) else { return };
        let Some(at) = machine.files.slice(span).find(name).map(|at| span.start as usize + at) else { return };
        let whole = (role == NamedRole::Defines).then_some(span.start as usize..span.end as usize);
        let place = NamedPlace { kind: NamedKind::State, role, name: name.into(), at: at..at + name.len(), whole };
        found.entry(file).or_default().push(place);
    };
    for (id, state) in machine.declared_states() {
        if let Some(span) = state.span {
            add(span, NamedRole::Defines, machine.names.states.name(id));
        }
        for (span, name) in moves(machine, id) {
            add(span, NamedRole::Uses, name);
        }
    }
    for (file, mut places) in found {
        places.sort_by_key(|place| (place.at.start, place.role));
        places.dedup_by(|one, other| one.at == other.at);
        if let Some(index) = indexes.get(&file) {
            let text = machine.files.named(&file.display().to_string()).map(|file| Arc::clone(file.text()));
            let text = text.unwrap_or_else(|| Arc::clone(&index.text));
            let lines = LineIndex::of(&text);
            let index = FileIndex { text, lines, format: index.format, places, is_whole: true };
            indexes.insert(file, Arc::new(index));
        }
    }
}

/// Where the moves of a state are written, and where they lead.
fn moves(machine: &Machine, id: StateId) -> Vec<(Span, &str)> {
    let clauses = machine.state(id).transitions.iter().flat_map(|(_, chain)| machine.clauses(chain));
    let moves = clauses.filter_map(|clause| match clause.then {
        Consequent::State(to) => Some((to, clause.rule)),
        Consequent::Action(_) => None,
    });
    let by_word = machine.policies.lead_from(machine, id).into_iter().filter_map(|way| Some((way.target, way.rule?)));
    let places = moves.chain(by_word).map(|(to, rule)| (machine.rules[rule].span, machine.names.states.name(to)));
    places.collect()
}
