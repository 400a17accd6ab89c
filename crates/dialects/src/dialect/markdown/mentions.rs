//! All places in which the texts of a set name its states: what gives them their names, where moves lead, what stands in
//! backticks and behind arrows, and what the front matter names.

use std::collections::BTreeSet;

use super::draft::{StateDraft, StateSet};
use super::layout::{CALL, in_word};
use super::plain::{ARROWS, NamedText, clean};
use super::targets::Targets;
use fsmsim_core::engine::policy::guidance::StateMention;
use fsmsim_core::machine::{Names, StateId};
use fsmsim_syntax::diagnostic::{Diagnostics, SourceMap, Span};

/// Gathers the mentions of states.
struct MentionReader<'r, 's> {
    targets: &'r mut Targets<'s>,
    ids: &'r Names<StateId>,
    sources: &'r SourceMap,
    /// Words that are pieces of data: in backticks these are meant.
    data: BTreeSet<&'s str>,
    mentions: Vec<StateMention>,
}

/// The mentions of the states of a set, in the order of the files. `ids` are the states by their names.
pub(super) fn mentions<'s>(
    set: &'s StateSet,
    targets: &mut Targets<'s>,
    ids: &Names<StateId>,
    sources: &SourceMap,
) -> Box<[StateMention]> {
    let data = set.states.iter().flat_map(StateDraft::data);
    let mut reader = MentionReader {
        targets,
        ids,
        sources,
        data: data.map(|name| &*name.text).collect(),
        mentions: Vec::new(),
    };
    let base = &set.base;
    let said = [&base.initial, &base.consent, &base.without_data]
        .into_iter()
        .flatten();
    for name in said.chain(base.limits.iter().flat_map(|limit| &limit.states)) {
        reader.name(name, false);
    }
    base.quoted.iter().for_each(|name| reader.quoted(name));
    set.states.iter().for_each(|draft| reader.state(draft));
    let mut mentions = reader.mentions;
    // What gives a name comes first, so that it is what stays of two in one place.
    mentions.sort_by_key(|mention| {
        (
            mention.span.file,
            mention.span.start,
            mention.span.end,
            !mention.is_name,
        )
    });
    mentions.dedup_by_key(|mention| mention.span);
    mentions.into()
}

impl<'s> MentionReader<'_, 's> {
    fn state(&mut self, draft: &'s StateDraft) {
        self.name(&draft.name, true);
        for (_, target) in draft.targets() {
            // What is no state was told where the moves were read.
            for place in self.targets.resolve(target, &mut Diagnostics::default()) {
                self.words(place, target.name.span);
            }
        }
        let Some(layout) = &draft.layout else { return };
        // A heading may say again what the front matter says.
        if let Some(called) = &layout.called
            && called.text == draft.name.text
        {
            self.name(called, true);
        }
        for lead in &layout.named {
            if let Some(place) = self.targets.place(&lead.text) {
                self.words(place, lead.span);
            }
        }
        layout.quoted.iter().for_each(|name| self.quoted(name));
    }

    /// What stands in backticks, where it is the name of a state and not that of a piece of data, or a call that leads to one.
    fn quoted(&mut self, name: &NamedText) {
        if name.text.contains(CALL) {
            for word in name.text.split(|c| !in_word(c)) {
                if let Some(place) = self.targets.place(word) {
                    self.words(place, name.span);
                }
            }
        } else if !self.data.contains(&*name.text)
            && let Some(place) = self.targets.place(clean(&name.text))
        {
            self.words(place, name.span);
        }
    }

    /// The name of a state, where it is given or named as a whole. A state that is called as its file stands nowhere.
    fn name(&mut self, name: &NamedText, is_name: bool) {
        let Some(place) = self.targets.place(&name.text) else {
            return;
        };
        let written = self.sources.slice(name.span);
        // In a heading the name stands behind the word for a state and a mark.
        let mark = written.find([':', '—', '–', '-', '`']).unwrap_or(0);
        let behind = written.get(mark..).unwrap_or_default();
        let at = behind
            .find(&*name.text)
            .map(|at| mark + at)
            .or_else(|| written.find(&*name.text));
        if let Some(at) = at {
            self.add(place, name.span, at..at + name.text.len(), is_name);
        }
    }

    /// The name of a state in a piece of text, wherever it stands as a word of its own; behind an arrow, where it stands there.
    fn words(&mut self, place: usize, span: Span) {
        let (sources, name) = (self.sources, self.targets.name(place));
        if name.is_empty() {
            return;
        }
        let written = sources.slice(span);
        let is_free = |at: &usize| {
            let before = written
                .get(..*at)
                .and_then(|before| before.chars().next_back());
            let behind = written
                .get(at + name.len()..)
                .and_then(|behind| behind.chars().next());
            // A dash of an arrow is no part of a word.
            let joins = |letter: Option<char>| {
                letter.is_some_and(|letter| letter != '-' && in_word(letter))
            };
            !joins(before) && !joins(behind) && !behind_dash(written, *at)
        };
        let found: Vec<usize> = written
            .match_indices(name)
            .map(|(at, _)| at)
            .filter(is_free)
            .collect();
        let arrow = ARROWS
            .iter()
            .filter_map(|arrow| written.rfind(arrow))
            .max()
            .unwrap_or(0);
        let led = found.iter().filter(|at| **at >= arrow).count();
        for at in found
            .iter()
            .skip(if led > 0 { found.len() - led } else { 0 })
        {
            self.add(place, span, *at..at + name.len(), false);
        }
    }

    fn add(&mut self, place: usize, span: Span, at: std::ops::Range<usize>, is_name: bool) {
        let Some(state) = self.ids.id(self.targets.name(place)) else {
            return;
        };
        let start = span.start as usize;
        let span = Span::new(span.file, start + at.start, start + at.end);
        self.mentions.push(StateMention {
            state,
            span,
            is_name,
        });
    }
}

/// Whether a dash joins what stands at an offset with the word in front of it.
fn behind_dash(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|before| before.strip_suffix('-'));
    before
        .and_then(|before| before.chars().next_back())
        .is_some_and(char::is_alphanumeric)
}
