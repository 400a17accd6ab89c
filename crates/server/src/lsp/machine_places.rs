//! Finds the names in Markdown files through the machine that was compiled from these files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_format::FileFormat;
use super::file_index::{FileIndex, NamedPlace};
use super::file_uri::tidy;
use super::line_index::LineIndex;
use super::named_kind::{NamedKind, NamedRole};
use super::project_map::KnownModel;
use fsmsim_core::engine::Machine;
use fsmsim_core::machine::{Consequent, StateId};
use fsmsim_syntax::diagnostic::Span;

/// Adds the names in a model's Markdown files to the indexes of these files.
pub(super) fn machine_places(model: &KnownModel, indexes: &mut BTreeMap<PathBuf, Arc<FileIndex>>) {
    let Some(machine) = model.machine.as_deref() else {
        return;
    };
    let mut found: BTreeMap<PathBuf, Vec<NamedPlace>> = BTreeMap::new();
    let file_of = |span: Span| {
        let file = machine.files.file(span.file)?;
        Some(tidy(Path::new(file.path())))
    };
    let mut add = |span: Span, role: NamedRole, name: &str, whole: Option<Span>| {
        let is_markdown = |file: &PathBuf| {
            indexes
                .get(file)
                .is_some_and(|index| index.format == FileFormat::Markdown)
        };
        let Some(file) = file_of(span).filter(is_markdown) else {
            return;
        };
        let Some(at) = machine
            .files
            .slice(span)
            .find(name)
            .map(|at| span.start as usize + at)
        else {
            return;
        };
        let whole = whole.map(offsets);
        let place = NamedPlace {
            kind: NamedKind::State,
            role,
            name: name.into(),
            at: at..at + name.len(),
            whole,
        };
        found.entry(file).or_default().push(place);
    };
    let guidance = machine.policies.guidance();
    let mentions = guidance.map_or(&[][..], |guidance| &guidance.mentions);
    for mention in mentions {
        let role = if mention.is_name {
            NamedRole::Defines
        } else {
            NamedRole::Uses
        };
        let whole = machine
            .state(mention.state)
            .span
            .filter(|whole| mention.is_name && whole.contains(mention.span));
        add(
            mention.span,
            role,
            machine.names.states.name(mention.state),
            whole,
        );
    }
    // If the machine has no mentions, states are indexed by their spans and transitions.
    for (id, state) in machine.declared_states().filter(|_| mentions.is_empty()) {
        if let Some(span) = state.span {
            add(
                span,
                NamedRole::Defines,
                machine.names.states.name(id),
                Some(span),
            );
        }
        for (span, name) in moves(machine, id) {
            add(span, NamedRole::Uses, name, None);
        }
    }
    // If its text does not contain its name, a state is named after its file. Its range is then empty, at the start of
    // the text.
    let nameless = machine
        .declared_states()
        .filter_map(|(id, state)| Some((id, state.span?)));
    for (id, span) in nameless.filter(|(_, span)| !mentions.is_empty() && span.start == span.end) {
        let Some(file) = file_of(span) else {
            continue;
        };
        found.entry(file).or_default().push(NamedPlace {
            kind: NamedKind::State,
            role: NamedRole::Defines,
            name: machine.names.states.name(id).into(),
            at: offsets(span),
            whole: Some(offsets(span)),
        });
    }
    for (file, mut places) in found {
        places.sort_by_key(|place| (place.at.start, place.role));
        places.dedup_by(|one, other| one.at == other.at);
        if let Some(index) = indexes.get(&file) {
            let read = machine
                .files
                .named(&file.display().to_string())
                .map(|file| Arc::clone(file.text()));
            let text = read.unwrap_or_else(|| Arc::clone(&index.text));
            // If the current model is invalid, the machine was compiled from an older text.
            let is_whole = text == index.text;
            let lines = LineIndex::of(&text);
            let index = FileIndex {
                text,
                lines,
                places,
                is_whole,
                ..FileIndex::clone(index)
            };
            indexes.insert(file, Arc::new(index));
        }
    }
}

fn offsets(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// The transitions of a state: their spans and target states.
fn moves(machine: &Machine, id: StateId) -> Vec<(Span, &str)> {
    let alternatives = machine
        .state(id)
        .transitions
        .iter()
        .flat_map(|(_, chain)| machine.alternatives(chain));
    let moves = alternatives.filter_map(|alternative| match alternative.then {
        Consequent::State(to) => Some((to, alternative.rule)),
        Consequent::Action(_) => None,
    });
    let by_word = machine
        .policies
        .lead_from(machine, id)
        .into_iter()
        .filter_map(|way| Some((way.target, way.rule?)));
    let places = moves
        .chain(by_word)
        .map(|(to, rule)| (machine.rules[rule].span, machine.names.states.name(to)));
    places.collect()
}
