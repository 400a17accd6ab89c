//! One document that tells transitions, as engineers write them: in tables, in sections of states, as arrows in lists and
//! lines, or in a diagram.

mod arrows;
mod diagram;
mod ends;
mod gather;
mod matrix;
mod names;
mod outline;
mod row;
mod states;

use std::path::Path;

use rustc_hash::FxHashSet;

use self::ends::SaidEnds;
use self::gather::Gathered;
use self::names::{Named, StateName};
use self::outline::Outline;
use self::states::DocumentStates;
use super::draft::{Base, SetShape, StateDraft, StateSet};
use super::folder::read_markdown;
use super::front;
use super::plain::{NamedText, clean, line};
use super::words::state_heading;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, SourceMap, Span};
use fsmsim_syntax::document::{DocumentReading, ReadingKind, Section};

/// Reads the document. `None`, with findings, where it tells no transitions.
pub(super) fn read(
    path: &Path,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<(StateSet, DocumentReading)> {
    let (file, markdown, text) = read_markdown(path, sources, found)?;
    let mut reading = DocumentReading::default();
    let outline = Outline::of(&markdown.sections, &text);
    let gathered = Gathered::of(&outline, &text, &mut reading, found);
    if gathered.rows.is_empty() && !found.has_errors() {
        found.push(gathered.refusal(&markdown, Span::start_of(file)));
    }
    if gathered.rows.is_empty() {
        return None;
    }
    let mut states = DocumentStates::default();
    states.take(&gathered.rows, &gathered.listed, &text, &mut reading, found);
    let (initial, ends) = match &markdown.front {
        Some(node) => front::of_document(node, &mut reading, found),
        None => (None, Vec::new()),
    };
    let mut said = SaidEnds::of(&outline);
    said.extend(gathered.said);
    mark_final(
        &mut states,
        &ends,
        &gathered.diagrams,
        &said,
        &mut reading,
        found,
    );
    let initial = initial.or_else(|| {
        choose(
            &states,
            &gathered.rows,
            &gathered.diagrams,
            &said,
            &mut reading,
        )
    });
    states.take_every(&gathered.rows, found);
    compare(&states, &gathered.beside, found);
    take_texts(&mut states, &markdown.sections, &gathered.diagrams, &text);
    for draft in &states.drafts {
        for written in &draft.moves {
            for target in &written.targets {
                let text = format!("{} → {}", draft.name.text, target.name.text);
                reading.tell(
                    ReadingKind::Move,
                    text,
                    &*written.condition,
                    target.name.span,
                );
            }
        }
    }
    let title = markdown
        .sections
        .iter()
        .find_map(|section| section.heading.as_ref())
        .map(line);
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let name = title.filter(|title| !title.is_empty()).unwrap_or(stem);
    let base = Base {
        initial,
        ..Base::default()
    };
    Some((
        StateSet {
            name,
            shape: SetShape::Document,
            base,
            states: states.drafts,
            contract: None,
        },
        reading,
    ))
}

/// Marks the final states: those that the front matter names, those that a diagram leads out of, those of which words say
/// so.
fn mark_final(
    states: &mut DocumentStates,
    front: &[NamedText],
    diagrams: &[diagram::Diagram],
    said: &SaidEnds,
    reading: &mut DocumentReading,
    found: &mut Diagnostics,
) {
    for end in front {
        let place = states.place(&end.text);
        match place.and_then(|place| states.drafts.get_mut(place)) {
            Some(draft) => {
                draft.is_final = true;
                reading.tell(
                    ReadingKind::Final,
                    &*draft.name.text,
                    "the front matter",
                    end.span,
                );
            }
            None => {
                let names = states.drafts.iter().map(|draft| &*draft.name.text);
                let title = format!("`final` names `{}`, which is not a state", end.text);
                Diagnostic::error(Code::UnknownState, title)
                    .at(end.span, "no such state")
                    .near(&end.text, names, "name a state of the document")
                    .add_to(found);
            }
        }
    }
    let named: FxHashSet<usize> = front
        .iter()
        .filter_map(|end| states.place(&end.text))
        .collect();
    for (place, draft) in states
        .drafts
        .iter()
        .enumerate()
        .filter(|(_, draft)| draft.is_final)
    {
        if !named.contains(&place) {
            reading.tell(
                ReadingKind::Final,
                &*draft.name.text,
                "a mark beside its name",
                draft.name.span,
            );
        }
    }
    let drawn = diagrams
        .iter()
        .flat_map(|diagram| &diagram.finals)
        .map(|end| (end, "a diagram leads out of it"));
    for (end, why) in drawn.chain(said.finals.iter().map(|end| (end, "a word"))) {
        let place = states.place_before_remark(&end.text);
        if let Some(draft) = place
            .and_then(|place| states.drafts.get_mut(place))
            .filter(|draft| !draft.is_final)
        {
            draft.is_final = true;
            reading.tell(ReadingKind::Final, &*draft.name.text, why, end.span);
        }
    }
}

/// Where a dialogue starts: as a diagram draws it, as a row or a mark says, as words say, or by the name `init`; else in
/// the state of the first row.
fn choose(
    states: &DocumentStates,
    rows: &[row::Row],
    diagrams: &[diagram::Diagram],
    said: &SaidEnds,
    reading: &mut DocumentReading,
) -> Option<NamedText> {
    let place = |name: &StateName| Some((states.place_before_remark(&name.text)?, name.span));
    let called = |name: &str| {
        Some(states.place(name)?).and_then(|at| Some((at, states.drafts.get(at)?.name.span)))
    };
    let first = rows.iter().find_map(|row| match &row.from {
        Named::States(names) => names.first().and_then(place),
        _ => None,
    });
    let drawn = diagrams
        .iter()
        .find_map(|diagram| diagram.initial.as_ref().and_then(place));
    let spoken = said.initial.iter().find_map(place);
    let by_name = || {
        ["init", "initial", "начальное"]
            .iter()
            .find_map(|name| called(name))
    };
    let (why, (place, span)) = drawn
        .map(|found| ("a diagram begins with it", found))
        .or_else(|| {
            states.marked_initial.map(|found| {
                (
                    "a mark beside its name, or a row that leads from nowhere",
                    found,
                )
            })
        })
        .or_else(|| spoken.map(|found| ("a word", found)))
        .or_else(|| by_name().map(|found| ("its name", found)))
        .or_else(|| first.map(|found| ("the first row", found)))?;
    let name = states.drafts.get(place)?.name.text.clone();
    reading.tell(ReadingKind::Initial, &*name, why, span);
    Some(NamedText { text: name, span })
}

/// Tells of moves that the document says elsewhere, between states that there are, and that are not taken.
fn compare(states: &DocumentStates, beside: &[row::Row], found: &mut Diagnostics) {
    let targets = |draft: &StateDraft| -> Vec<Box<str>> {
        draft
            .moves
            .iter()
            .flat_map(|written| &written.targets)
            .map(|target| target.name.text.clone())
            .collect()
    };
    let known: FxHashSet<(usize, Box<str>)> = states
        .drafts
        .iter()
        .enumerate()
        .flat_map(|(from, draft)| targets(draft).into_iter().map(move |target| (from, target)))
        .collect();
    for row in beside {
        let (Named::States(from), Named::States(to)) = (&row.from, &row.to) else {
            continue;
        };
        let ([from], [to]) = (&from[..], &to[..]) else {
            continue;
        };
        let (Some(one), Some(other)) = (states.place(&from.text), states.place(&to.text)) else {
            continue;
        };
        let Some((draft, target)) = states.drafts.get(one).zip(states.drafts.get(other)) else {
            continue;
        };
        if one != other && !known.contains(&(one, target.name.text.clone())) {
            let title = format!(
                "a move from `{}` to `{}` is not taken",
                draft.name.text, target.name.text
            );
            Diagnostic::warning(Code::NotTaken, title)
                .at(row.span, "only said here")
                .help("moves are taken from elsewhere in the document; add it there")
                .add_to(found);
        }
    }
}

/// The instruction of a state is the section with its name in the heading; without one, what a diagram writes in it, or
/// its rows.
fn take_texts(
    states: &mut DocumentStates,
    sections: &[Section],
    diagrams: &[diagram::Diagram],
    text: &str,
) {
    for (name, label) in diagrams.iter().flat_map(|diagram| &diagram.labels) {
        let place = states.place(name);
        if let Some(draft) = place.and_then(|place| states.drafts.get_mut(place)) {
            draft.goal = Some(label.as_str().into());
        }
    }
    for (number, section) in sections.iter().enumerate() {
        let Some(heading) = &section.heading else {
            continue;
        };
        let code = heading.codes.first().map(|code| clean(&code.text));
        let title = heading.trimmed();
        let numbered =
            title.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
        let before = title.split('(').next().map(str::trim);
        let named = [
            Some(title),
            code,
            state_heading(title).map(clean),
            Some(numbered),
            before,
        ];
        let place = named
            .into_iter()
            .flatten()
            .find_map(|name| states.place(name));
        let Some(draft) = place.and_then(|place| states.drafts.get_mut(place)) else {
            continue;
        };
        let below = sections
            .iter()
            .skip(number + 1)
            .take_while(|other| other.level > section.level);
        let span = below.fold(section.span, |span, other| span.to(other.span));
        draft.instruction = text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
            .trim()
            .into();
    }
}
