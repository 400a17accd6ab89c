//! A single document with transitions: in tables, in sections of states, as arrows in lists and lines, or in a diagram.

mod arrow_groups;
mod arrows;
mod columns;
mod diagram;
mod ends;
mod gather;
mod machines;
mod matrix;
mod names;
mod outline;
mod row;
mod states;

use std::path::Path;

use rustc_hash::FxHashSet;

use self::diagram::Diagram;
use self::ends::SaidEnds;
use self::gather::Gathered;
use self::names::StateName;
use self::outline::Outline;
use self::states::DocumentStates;
use super::draft::{Base, SetShape, StateSet, TargetText};
use super::folder::{file_and_section, read_markdown, stem};
use super::front;
use super::plain::{NamedText, line, text_at};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{DocumentReading, ReadingKind, Section, text_of};

/// Reads the document, or the section of `path`. Returns `None`, with findings, if it has no transitions.
pub(super) fn read(
    path: &Path,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<(StateSet, DocumentReading)> {
    let (path, section) = file_and_section(path);
    let (file, markdown, text) = read_markdown(path, sources, found)?;
    let wanted = section.map(|heading| NamedText::new(heading, Span::start_of(file)));
    let wanted = wanted.or_else(|| {
        let node = markdown.front.as_ref()?.get("section")?;
        let text = text_of(node, "`section`", found)?;
        Some(NamedText::new(text.trim(), node.span))
    });
    let sections = match &wanted {
        Some(heading) => machines::select(&markdown.sections, heading, found)?,
        None => &markdown.sections[..],
    };
    let outline = Outline::of(sections, &text);
    let mut gathered = Gathered::of(&outline, &text, found);
    if gathered.rows.is_empty() && !found.has_errors() {
        found.push(gathered.refusal(&markdown, Span::start_of(file)));
    }
    if gathered.rows.is_empty() {
        return None;
    }
    let mut states = DocumentStates::default();
    states.take(&mut gathered, &text, found);
    let (initial, ends) = match &markdown.front {
        Some(node) => front::of_document(node, &mut states.reading, found),
        None => (None, Vec::new()),
    };
    // The states in the front matter can belong to another section.
    let is_own = |name: &NamedText| section.is_none() || states.place(&name.text).is_some();
    let initial = initial.filter(is_own);
    let ends: Vec<NamedText> = ends.into_iter().filter(is_own).collect();
    if let Some(NamedText { text, span }) = &initial {
        let why = "the front matter";
        states
            .reading
            .add(ReadingKind::Initial, &**text, why, *span);
    }
    // With an initial state, the author describes a single machine.
    if initial.is_none() {
        machines::report(path, &gathered, sections, found);
    }
    let mut said = SaidEnds::of(&outline);
    said.extend(&gathered.said);
    mark_final(&mut states, &ends, &gathered.diagrams, &said, found);
    let initial = initial.or_else(|| choose(&mut states, &gathered, &said));
    states.take_every(&gathered.rows, found);
    compare(&states, &gathered, found);
    take_texts(&mut states, sections, &gathered.diagrams, &text);
    let DocumentStates {
        drafts,
        mut reading,
        ..
    } = states;
    for draft in &drafts {
        for (written, TargetText { name, .. }) in draft.targets() {
            let text = format!("{} → {}", draft.name.text, name.text);
            reading.add(ReadingKind::Move, text, &*written.condition, name.span);
        }
    }
    let title = sections
        .iter()
        .find_map(|section| section.heading.as_ref())
        .map(line);
    let set = StateSet {
        name: title
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| stem(path)),
        shape: SetShape::Document,
        base: Base {
            initial,
            ..Base::default()
        },
        states: drafts,
        contract: None,
    };
    Some((set, reading))
}

/// Marks the final states: states in the front matter, states with an arrow to the end point of a diagram, and states
/// that the text marks.
fn mark_final(
    states: &mut DocumentStates,
    front: &[NamedText],
    diagrams: &[Diagram],
    said: &SaidEnds,
    found: &mut Diagnostics,
) {
    let mut marked_in_front = FxHashSet::default();
    for end in front {
        let place = states.place(&end.text);
        marked_in_front.extend(place);
        if states
            .end(place, "the front matter", end.span, found)
            .is_none()
        {
            let names = states.drafts.iter().map(|draft| &*draft.name.text);
            Diagnostic::error(
                Code::UnknownState,
                format!("unknown state `{}` in `final`", end.text),
            )
            .at(end.span, "not defined")
            .near(&end.text, names, "use a state of the document")
            .add_to(found);
        }
    }
    let drafts = states.drafts.iter().enumerate();
    let marked: Vec<(usize, Span)> = drafts
        .filter(|(place, draft)| draft.is_final && !marked_in_front.contains(place))
        .map(|(place, draft)| (place, draft.name.span))
        .collect();
    for (place, span) in marked {
        states.end(Some(place), "a mark next to its name", span, found);
    }
    for (end, why) in diagrams
        .iter()
        .flat_map(|diagram| &diagram.finals)
        .map(|end| (end, "end point of a diagram"))
        .chain(said.finals.iter().map(|end| (end, "named in the text")))
    {
        let place = states.place_before_remark(&end.text);
        let is_open = |place: &usize| {
            states
                .drafts
                .get(*place)
                .is_some_and(|draft| !draft.is_final)
        };
        let place = place.filter(is_open);
        states.end(place, why, end.span, found);
    }
}

/// The initial state: from a diagram, from a row or a mark, from the text, or by the name `init`. Otherwise the state
/// of the first row.
fn choose(
    states: &mut DocumentStates,
    gathered: &Gathered<'_>,
    said: &SaidEnds,
) -> Option<NamedText> {
    let place = |name: &StateName| Some((states.place_before_remark(&name.text)?, name.span));
    let mut drawn = gathered
        .diagrams
        .iter()
        .filter_map(|diagram| diagram.initial.as_ref());
    let by_name = ["init", "initial", "начальное"].iter().find_map(|name| {
        let place = states.place(name)?;
        Some((place, states.drafts.get(place)?.name.span))
    });
    let mut origins = gathered
        .rows
        .iter()
        .filter_map(|row| row.from.names().first());
    let candidates = [
        (drawn.find_map(place), "start point of a diagram"),
        (
            states.marked_initial,
            "a mark next to its name, or a row without a source state",
        ),
        (said.initial.iter().find_map(place), "named in the text"),
        (by_name, "its name"),
        (origins.find_map(place), "the first row"),
    ];
    let ((place, span), why) = candidates
        .into_iter()
        .find_map(|(found, why)| Some((found?, why)))?;
    let text = states.drafts.get(place)?.name.text.clone();
    states.reading.add(ReadingKind::Initial, &*text, why, span);
    Some(NamedText { text, span })
}

/// Reports transitions that occur only in other places of the document. Those between other states are only counted,
/// and lines that might not be transitions are only compared.
fn compare(states: &DocumentStates, gathered: &Gathered<'_>, found: &mut Diagnostics) {
    let mut known: FxHashSet<(usize, &str)> = FxHashSet::default();
    for (from, draft) in states.drafts.iter().enumerate() {
        let targets = draft.targets();
        known.extend(targets.map(|(_, target)| (from, &*target.name.text)));
    }
    let mut strange: Vec<Span> = Vec::new();
    let untaken = gathered.untaken.iter().map(|row| (row, true));
    for (row, is_certain) in untaken.chain(gathered.beside.iter().map(|row| (row, false))) {
        let targets = || row.to.names().iter();
        let pairs = row.from.names().iter();
        for (from, to) in pairs.flat_map(|from| targets().map(move |to| (from, to))) {
            let (Some(one), Some(other)) = (states.place(&from.text), states.place(&to.text))
            else {
                strange.extend(is_certain.then_some(row.whole));
                continue;
            };
            let Some((draft, target)) = states.drafts.get(one).zip(states.drafts.get(other)) else {
                continue;
            };
            if one != other && !known.contains(&(one, &*target.name.text)) {
                Diagnostic::warning(
                    Code::NotTaken,
                    format!(
                        "transition from `{}` to `{}` is ignored",
                        draft.name.text, target.name.text
                    ),
                )
                .at(row.span, "ignored")
                .help("add the transition to the part of the document that defines transitions")
                .add_to(found);
            }
        }
    }
    if !strange.is_empty() {
        let title = format!("transitions of other states are ignored: {}", strange.len());
        Diagnostic::warning(Code::NotTaken, title)
            .at_each(strange.into_iter().take(3), "ignored")
            .help("add them to the part that defines transitions")
            .add_to(found);
    }
}

/// Sets the instructions of states. An instruction is the section whose heading names the state, otherwise the text of
/// the state in a diagram, otherwise its rows.
fn take_texts(states: &mut DocumentStates, sections: &[Section], diagrams: &[Diagram], text: &str) {
    for (name, label) in diagrams.iter().flat_map(|diagram| &diagram.labels) {
        if let Some(draft) = states.draft(name) {
            draft.goal = Some(label.as_str().into());
        }
    }
    for (number, section) in sections.iter().enumerate() {
        let Some(heading) = &section.heading else {
            continue;
        };
        let named = machines::names(heading)
            .into_iter()
            .find(|name| states.place(name).is_some());
        let Some(draft) = named.and_then(|name| states.draft(name)) else {
            continue;
        };
        let span = sections
            .iter()
            .skip(number + 1)
            .take_while(|other| other.level > section.level)
            .fold(section.span, |span, other| span.to(other.span));
        draft.instruction = text_at(text, span).trim().into();
    }
}
