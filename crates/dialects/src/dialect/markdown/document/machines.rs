//! Several machines in one document, each below a heading of its own.

use std::path::Path;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::gather::Gathered;
use super::names::StateName;
use super::row::Row;
use crate::dialect::markdown::plain::{NamedText, anchor, clean, fold};
use crate::dialect::markdown::words::{names_transitions, state_heading};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use fsmsim_syntax::document::{Prose, Section};

/// The section below the heading with this text, and its deeper sections.
pub(super) fn select<'m>(
    sections: &'m [Section],
    wanted: &NamedText,
    found: &mut Diagnostics,
) -> Option<&'m [Section]> {
    let key = anchor(&wanted.text);
    let is_wanted = |section: &Section| {
        let heading = section.heading.as_ref();
        heading.is_some_and(|it| anchor(&it.text) == key)
    };
    let places = (0..).zip(sections).filter(|(_, it)| is_wanted(it));
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    let &[first] = places.as_slice() else {
        let count = places.len();
        let title = format!("expected one heading `{}`, found {count}", wanted.text);
        return Diagnostic::error(Code::UnknownModel, title)
            .at(wanted.span, "heading")
            .help("write the text of one heading, without its `#`")
            .refuse(found);
    };
    let rest = sections.get(first..)?;
    let level = rest.first()?.level;
    let mut inner = rest.iter().skip(1);
    let end = inner.position(|other| other.level <= level);
    rest.get(..end.map_or(rest.len(), |end| end + 1))
}

/// The names that a heading can have as the heading of a state.
pub(super) fn names(heading: &Prose) -> Vec<&str> {
    let title = heading.trimmed();
    let numbered =
        title.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    let named = [
        Some(title),
        heading.codes.first().map(|code| clean(&code.text)),
        state_heading(title).map(clean),
        Some(numbered),
        title.split('(').next().map(str::trim),
        numbered.split('(').next().map(str::trim),
    ];
    named.into_iter().flatten().collect()
}

/// Reports sections that describe different machines: each has a state where it starts. If the machines share names of
/// states, a state would have the transitions of both, which is an error.
pub(super) fn report(
    path: &Path,
    gathered: &Gathered<'_>,
    sections: &[Section],
    found: &mut Diagnostics,
) {
    let rows = &gathered.rows;
    let all: FxHashSet<String> = rows.iter().flat_map(Row::names).collect();
    // The sections whose transitions lead to a state.
    let mut reached: FxHashMap<String, FxHashSet<usize>> = FxHashMap::default();
    let mut groups: IndexMap<usize, Vec<&Row>, FxBuildHasher> = IndexMap::default();
    for row in rows {
        let from: Vec<String> = row.from.names().iter().map(StateName::folded).collect();
        let targets = row.to.names().iter().map(StateName::folded);
        let section = owner(row.whole, sections, &all).unwrap_or(usize::MAX);
        for to in targets.filter(|to| !from.contains(to)) {
            reached.entry(to).or_default().insert(section);
        }
        groups.entry(section).or_default().push(row);
    }
    let mut starts: FxHashSet<String> = FxHashSet::default();
    groups.retain(|section, rows| {
        let sources = rows.iter().flat_map(|row| row.from.names());
        let sources: Vec<String> = sources.map(StateName::folded).collect();
        // The first state starts a machine unless other sections lead to it.
        let is_entered = |name: &String| {
            let by = reached.get(name);
            by.is_some_and(|by| by.iter().any(|by| by != section))
        };
        let first = sources.first().filter(|name| !is_entered(name));
        let start = first.or_else(|| sources.iter().find(|name| !reached.contains_key(*name)));
        // A section about one state is not a machine.
        let has_others = sources.iter().any(|name| Some(name) != start);
        has_others && start.is_some_and(|name| starts.insert(name.clone()))
    });
    let headings = groups
        .keys()
        .filter_map(|section| sections.get(*section)?.heading.as_ref());
    let Some(second) = headings.clone().nth(1) else {
        return;
    };
    let mut first_in: FxHashMap<String, usize> = FxHashMap::default();
    let mut shared: Vec<String> = Vec::new();
    for (section, row) in groups
        .iter()
        .flat_map(|(at, rows)| rows.iter().map(move |row| (at, row)))
    {
        for name in row.from.names().iter().chain(row.to.names()) {
            let written = format!("`{}`", name.text);
            let first = *first_in.entry(name.folded()).or_insert(*section);
            if first != *section && !shared.contains(&written) {
                shared.push(written);
            }
        }
    }
    let finding = if shared.is_empty() {
        let title = "transitions of several sections are merged";
        Diagnostic::warning(Code::NotTaken, title)
    } else {
        let title = format!(
            "different machines have common state names: {}",
            shared.join(", ")
        );
        Diagnostic::error(Code::SeveralMachines, title)
    };
    let example = format!("{}#{}", path.display(), second.trimmed());
    finding
        .at_each(headings.map(|heading| heading.span), "a machine")
        .help(format!(
            "use one section as the model: `{example}`; for a single machine, set `initial` in the front matter"
        ))
        .add_to(found);
}

/// The section that contains a position. A heading that names a state or transitions belongs to the section above it.
fn owner(span: Span, sections: &[Section], states: &FxHashSet<String>) -> Option<usize> {
    let mut at = sections
        .partition_point(|section| section.span.start <= span.start)
        .checked_sub(1)?;
    loop {
        let section = sections.get(at)?;
        let heading = section.heading.as_ref()?;
        let is_state = names(heading)
            .iter()
            .any(|name| states.contains(&fold(name)));
        if !is_state && !names_transitions(heading.trimmed()).0 {
            return Some(at);
        }
        let above = sections.get(..at)?;
        at = above
            .iter()
            .rposition(|other| other.level < section.level)?;
    }
}
